"""Builds the web page into the server's folder, when its sources are not those it was built from.

`python scripts/build_web.py [--check]`: with `--check` it also checks the types and runs the page's own tests. The
packages come from `web/package-lock.json`; Node is the machine's where that is new enough, else that of a wheel.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from node import find_node

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
PAGE = ROOT / "src" / "glassloop" / "server" / "page"
STAMP = PAGE / ".built"
INSTALLED = WEB / "node_modules" / ".installed"
MAX_FIRST_LOAD = 250_000
"""Bytes of JavaScript, packed, that come before anything is shown."""
MAX_MAP_LOAD = 120_000
"""Bytes of JavaScript, packed, that the first map brings, with the outlines of the states."""


def sources() -> str:
    """What the page is built from, as one digest."""
    found = hashlib.sha256()
    for path in sorted(WEB.rglob("*")):
        inside = path.relative_to(WEB)
        if path.is_file() and inside.parts[0] not in ("node_modules", "dist"):
            found.update(f"{inside.as_posix()}\0".encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def node_or_end() -> tuple[str, list[str]]:
    found = find_node()
    if found is None:
        raise SystemExit("glassloop: the page is built with Node 20.19 or newer, and there is none: install it.")
    return found


def install(npm: Sequence[str]) -> None:
    """The locked packages, unless they are there."""
    wanted = (WEB / "package-lock.json").read_text("utf-8")
    if INSTALLED.is_file() and INSTALLED.read_text("utf-8") == wanted:
        return
    print("glassloop: installing the packages of the page", flush=True)
    run([*npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"])
    INSTALLED.write_text(wanted, "utf-8")


def run(command: Sequence[str]) -> None:
    """In the page's folder, quiet unless it fails."""
    environment = {**os.environ, "PATH": f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    done = subprocess.run(  # noqa: S603
        command, cwd=WEB, env=environment, capture_output=True, text=True, check=False, timeout=900
    )
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        raise SystemExit(f"glassloop: {' '.join(map(str, command[-3:]))} failed")


def first_load(folder: Path) -> set[str]:
    """The scripts that the index names, and those that these need at once."""
    index = (folder / "index.html").read_text("utf-8")
    return with_imports(folder, re.findall(r'(?:src|href)="\./(assets/[^"]+\.js)"', index))


def map_load(folder: Path) -> set[str]:
    """The scripts that the first map brings."""
    entries = [path.relative_to(folder).as_posix() for path in folder.glob("assets/MapFigure-*.js")]
    if len(entries) != 1:
        raise SystemExit(f"glassloop: the map is {len(entries)} scripts of the page: it must be one, loaded on demand.")
    return with_imports(folder, entries) - first_load(folder)


def with_imports(folder: Path, names: Iterable[str]) -> set[str]:
    waiting = list(names)
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            text = (folder / name).read_text("utf-8")
            waiting += [f"assets/{one}" for one in re.findall(r'(?:from|import)\s*"\./([\w.-]+\.js)"', text)]
    return seen


def packed(folder: Path, names: Iterable[str]) -> int:
    return sum(len(gzip.compress((folder / name).read_bytes(), 9)) for name in names)


def build() -> None:
    node, npm = node_or_end()
    install(npm)
    print("glassloop: building the page", flush=True)
    # Beside the old one first: a server that starts meanwhile finds a whole page.
    made = WEB / "dist"
    run([node, "node_modules/vite/bin/vite.js", "build", "--outDir", str(made), "--emptyOutDir", "--logLevel", "warn"])
    # The frame that draws diagrams has no origin, and so cannot load modules: it gets the script as it is published.
    shutil.copyfile(WEB / "node_modules" / "mermaid" / "dist" / "mermaid.min.js", made / "assets" / "mermaid.js")
    size = packed(made, first_load(made))
    sizes = {"first load": (size, MAX_FIRST_LOAD), "map": (packed(made, map_load(made)), MAX_MAP_LOAD)}
    for name, (taken, most) in sizes.items():
        if taken > most:
            raise SystemExit(f"glassloop: the page's {name} is {taken:,} bytes packed, at most {most:,}.")
    (made / ".built").write_text(sources(), "utf-8")
    shutil.rmtree(PAGE, ignore_errors=True)
    shutil.move(made, PAGE)
    print(f"glassloop: the page is built, {size // 1000} kB of scripts before it shows", flush=True)


def check() -> None:
    node, npm = node_or_end()
    install(npm)
    run([node, "node_modules/typescript/bin/tsc", "--noEmit"])
    run([node, "node_modules/prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."])
    run([node, "node_modules/vitest/vitest.mjs", "run", "--reporter", "dot"])
    print("the types of the page hold and its tests pass")


def main() -> int:
    if not (WEB / "package.json").is_file():
        raise SystemExit("glassloop: there is no folder web/ to build the page from.")
    if not STAMP.is_file() or STAMP.read_text("utf-8") != sources():
        build()
    if "--check" in sys.argv:
        check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
