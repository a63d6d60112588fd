"""Packages of npm for tests: installed once, into the project's cache folder, by a node that is new enough."""

import fcntl
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

CACHE = Path(__file__).parents[1] / ".cache"


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
