"""Finds text that must not be committed: paths of one machine, hosts in lock files, merge markers, keys, big files.

`python scripts/check_text.py [FOLDER]` reads every file that git tracks or would take up, in the project or in FOLDER.
It judges text by its shape only: it resolves no path, calls no host and tries no key.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE_BYTES = 5_000_000
BIG_FILES = {"src/glassloop/extensions/embedded/adapter/glassloop-tools.gguf": 40_000_000}
"""The files that may be bigger, and how big."""

MACHINE_PATH = re.compile(r"(?<![\w.)}*])/(?:root|work|home/[a-z_][\w.-]*)/")
MERGE_MARKER = re.compile(r"(?:<{7}|>{7}|\|{7})(?: |$)")
SECRET = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-(?=[\w-]*\d)[\w-]{16,}|AIza[\w-]{30,}|AKIA[0-9A-Z]{16}|gh[pousr]_\w{30,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
FAKE = re.compile(r"test|fake|example|dummy|secret|0000|1234|abcd|xxxx|(\w)\1{5}", re.IGNORECASE)
LOCKED_HOST = {
    "package-lock.json": re.compile(r'"resolved":\s*"\w+:'),
    "*.lock": re.compile(r"://|^\s*(?:-f|-i|--find-links|--(?:extra-)?index-url)\b"),
}


def listed(folder: Path) -> list[Path]:
    """What git tracks or would take up; outside a work tree, everything but dot folders."""
    command = ["git", "-C", str(folder), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        visible = (path.relative_to(folder) for path in folder.rglob("*"))
        names = [str(path) for path in visible if not any(part.startswith(".") for part in path.parts[:-1])]
    paths = (folder / name for name in sorted(set(names)) if name)
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def complaints(name: Path, line: str) -> Iterator[str]:
    """What is wrong with one line of the file called `name`."""
    if found := MACHINE_PATH.search(line):
        yield f"a path of one machine, {found[0]!r}: use a relative path or one made at run time"
    if MERGE_MARKER.match(line):
        yield "a merge marker: finish the merge"
    for found in SECRET.finditer(line):
        if not (name.parts[0] == "tests" and FAKE.search(found[0])):
            yield f"what looks like a secret, {found[0][:7]}…: take it out, and revoke it if it is real"
    for pattern, host in LOCKED_HOST.items():
        if name.match(pattern) and host.search(line):
            yield "a download host in a lock file: lock again without it ('make lock')"


def offenders(path: Path, folder: Path) -> Iterator[str]:
    name = path.relative_to(folder)
    most = BIG_FILES.get(name.as_posix(), FILE_BYTES)
    if (size := path.stat().st_size) > most:
        yield f"{name}:1 {size:,} bytes (at most {most:,}): keep big files out of the repository"
        return
    content = path.read_bytes()
    if b"\0" in content[:8192]:
        return
    for number, line in enumerate(content.decode(errors="replace").splitlines(), 1):
        for complaint in complaints(name, line):
            yield f"{name}:{number} {complaint}"


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0]).resolve() if arguments else ROOT
    if not folder.is_dir():
        print(f"{folder} is not a folder: give one, or none for the project.", file=sys.stderr)
        return 2
    files = listed(folder)
    found = [line for path in files for line in offenders(path, folder)]
    print("\n".join(found) or f"{len(files)} files, nothing that must not be committed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
