"""Makes one venv per peer under `.bench/venvs`, and one for Glassloop with nothing but what its users install.

Uses uv by way of `scripts/uv`. A venv is made once and again only when what it should hold has changed.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from peers_folder import HOME, ROOT


def pins(folder: Path) -> dict[str, list[str]]:
    """Each peer's requirements, from the sections of the folder's own file."""
    wanted: dict[str, list[str]] = {}
    name = ""
    for line in (folder / "requirements.txt").read_text().splitlines():
        if line.startswith("# peer:"):
            name = line.partition(":")[2].strip()
            wanted[name] = []
        elif line.strip() and not line.startswith("#"):
            wanted[name].append(line.strip())
    return wanted


def versions(folder: Path) -> list[str]:
    """Each peer's own package as it is pinned, without those that it stands on."""
    named = ((peer.replace("_", "-"), requirements) for peer, requirements in pins(folder).items() if peer != "floor")
    found = (next((one for one in requirements if peer in one), None) for peer, requirements in named)
    return [one.replace("==", " ") for one in found if one]


def ready(name: str, requirements: Sequence[str]) -> str | None:
    """Makes the venv called `name` hold `requirements`; the reason where that failed."""
    venv = HOME / "venvs" / name
    stamp, content = venv / ".installed", "\n".join(requirements)
    if name == "glassloop":
        content = f"{ROOT}\n{(ROOT / 'pyproject.toml').read_text()}{(ROOT / 'requirements.lock').read_text()}"
    if stamp.is_file() and stamp.read_text() == content:
        return None
    print(f"bench: installing {name}", file=sys.stderr, flush=True)
    python = venv / "bin" / "python"
    try:
        if not python.exists():
            uv("venv", "--clear", "--python", sys.executable, str(venv))
        # The driver counts packages with pip.
        uv("pip", "install", "--python", str(python), "pip", *requirements)
    except subprocess.CalledProcessError as error:
        return str(error.stderr).strip().splitlines()[-1]
    stamp.write_text(content)
    return None


def uv(*arguments: str) -> None:
    command = [str(ROOT / "scripts" / "uv"), "--quiet", *arguments]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)


def ready_all(folder: Path, peers: Sequence[str]) -> dict[str, str]:
    """Makes every peer's venv; what failed, with the reason."""
    wanted = pins(folder) | {"glassloop": ["--constraint", "requirements.lock", "--editable", "."]}
    failed: dict[str, str] = {}
    for peer in peers:
        if reason := ready(peer, wanted.get(peer, [])):
            failed[peer] = reason
    return failed
