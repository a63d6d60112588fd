"""The two engines behind `grep_files`: ripgrep as a program, and RE2 in this process where there is none. Block.

Both get ordinary files beneath the root by their paths, never a folder, and find the same lines: text is UTF-8, or
UTF-16 with its mark; a file with a NUL in it is none. Ripgrep opens files by their paths: what it says is only shown
once it was read again through the root.
"""

import os
import re
import select
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from glassloop.core.errors import BadArguments, ToolError
from glassloop.extensions.code.search.text_pattern import TextPattern
from glassloop.root_folder import RootFolder
from glassloop.tools.context import ToolCancelled

MAX_FILE_BYTES = 10_000_000
MAX_PER_FILE = 2_000
COMPARED_BYTES = 200
"""Of a line, where what ripgrep said is compared with what is in the file."""
PIECE_BYTES = 262_144
"""RE2 is not interrupted: it searches this much at a time."""

_SHOWN_BYTES = 300
_TICK_S = 0.05
_READ_BYTES = 1 << 20
_MEMORY = 64_000_000
_BINARY = b": binary file matches ("
_LINE = re.compile(rb"(?m)^(\d{1,19}+):(\d{1,19}+):([^\n]*+)\n")


class SearchStopped(Exception):
    """The time is up."""


class SearchLimit:
    """Ends a search in time, and when nobody waits for it any more."""

    def __init__(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        self._until = time.monotonic() + seconds
        self._cancelled = cancelled

    def check(self) -> None:
        if self._cancelled():
            raise ToolCancelled
        if time.monotonic() > self._until:
            raise SearchStopped


class LineMatch(NamedTuple):
    """A line with a match. `column`: bytes before the first one. `begin`: the line's first bytes."""

    path: str
    line: int
    column: int
    begin: bytes


class FileMatches(NamedTuple):
    """The lines of one file that match, each as its number, the column and the text, with colons between."""

    path: str
    raw: bytes

    @property
    def lines(self) -> int:
        return self.raw.count(b"\n")

    def first(self, limit: int) -> Iterator[LineMatch]:
        for found in islice(_LINE.finditer(self.raw), limit):
            yield LineMatch(self.path, int(found[1]), int(found[2]) - 1, found[3][:COMPARED_BYTES])


class SearchEngine(Protocol):
    """Searches files, and tells those with matches in any order."""

    def search(self, root: RootFolder, files: Sequence[str], limit: SearchLimit) -> Generator[FileMatches]: ...


def open_engine(pattern: TextPattern, *, case_sensitive: bool) -> SearchEngine:
    """The better one that is installed."""
    program = ripgrep_path()
    if program is not None:
        return Ripgrep(program, pattern, case_sensitive=case_sensitive)
    return Re2(pattern, case_sensitive=case_sensitive)


@cache
def ripgrep_path() -> str | None:
    """The program of the wheel beside this Python, else the machine's."""
    own = Path(sysconfig.get_path("scripts")) / "rg"
    return str(own) if own.is_file() else shutil.which("rg")


class Ripgrep:
    """`rg`, run in the root by its descriptor, with no settings or ignore rules of its own."""

    def __init__(self, program: str, pattern: TextPattern, *, case_sensitive: bool) -> None:
        self.command = [
            *(program, "--no-config", "--no-ignore", "--hidden", "--no-follow", "--no-messages", "--no-mmap"),
            *("--null", "--line-number", "--column", "--with-filename", "--heading", "--color=never"),
            *(f"--max-columns={_SHOWN_BYTES}", "--max-columns-preview", f"--max-filesize={MAX_FILE_BYTES}"),
            *(f"--max-count={MAX_PER_FILE}", "--regex-size-limit=64M", "--dfa-size-limit=64M"),
            "--case-sensitive" if case_sensitive else "--ignore-case",
            f"--regexp={pattern.ripgrep}",
        ]

    def search(self, root: RootFolder, files: Sequence[str], limit: SearchLimit) -> Generator[FileMatches]:
        folder = root.open_folder("").descriptor
        try:
            process = subprocess.Popen(  # noqa: S603
                [*self.command, "--", *(f"./{path}" for path in files)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=_at(folder, root.path),
                env={"LANG": "C.UTF-8"},
                start_new_session=True,
            )
        finally:
            os.close(folder)
        with process:
            try:
                yield from self._read(process, limit)
            finally:
                # Whoever has enough closes the generator: the program ends with it.
                with suppress(ProcessLookupError):
                    process.kill()

    def _read(self, process: "subprocess.Popen[bytes]", limit: SearchLimit) -> Iterator[FileMatches]:
        assert process.stdout is not None and process.stderr is not None  # noqa: S101
        out = process.stdout.fileno()
        poll = select.poll()
        poll.register(out, select.POLLIN)
        blocks = _Blocks()
        while True:
            limit.check()
            if not poll.poll(_TICK_S * 1000):
                continue
            data = os.read(out, _READ_BYTES)
            if not data:
                break
            yield from blocks.add(data)
        yield from blocks.end()
        # 0: found, 1: nothing found, 2: something could not be read, or the pattern could not.
        if process.wait() == 2 and (said := process.stderr.read(4_000)):
            raise BadArguments(_complaint(said.decode("utf-8", "replace")))


class _Blocks:
    """Ripgrep's output: for each file its path, a NUL, its lines, an empty line. Neither paths nor lines have NULs."""

    def __init__(self) -> None:
        self._path = b""
        self._parts: list[bytes] = []

    def add(self, data: bytes) -> Iterator[FileMatches]:
        *whole, rest = data.split(b"\0")
        for part in whole:
            self._parts.append(part)
            body, _, path = b"".join(self._parts).rpartition(b"\n")
            yield from self._file(body)
            self._path, self._parts = path, []
        self._parts.append(rest)

    def end(self) -> Iterator[FileMatches]:
        return self._file(b"".join(self._parts))

    def _file(self, body: bytes) -> Iterator[FileMatches]:
        """Before the first path, and after the lines of a file, it may be said of others that they are no text."""
        if self._path:
            name = self._path.removeprefix(b"./")
            lines, _, remarks = body.partition(b"\n\n")
            if _BINARY not in lines.rpartition(b"\n")[2] and not remarks.startswith(self._path + _BINARY):
                yield FileMatches(os.fsdecode(name), lines.rstrip(b"\n") + b"\n")


def _at(folder: int, path: Path) -> str:
    """The folder by its descriptor where the system has such names: a rename in between changes nothing."""
    name = f"/proc/self/fd/{folder}"
    return name if Path(name).exists() else str(path)


def _complaint(said: str) -> str:
    last = said.strip().rpartition("\n")[2].removeprefix("error: ")[:300]
    return f"The pattern cannot be searched for ({last}): make it simpler."


class Re2:
    """Google's RE2: slower, with the same matches."""

    def __init__(self, pattern: TextPattern, *, case_sensitive: bool) -> None:
        try:
            import re2  # pyright: ignore[reportMissingTypeStubs]
        except ImportError:
            raise ToolError("Files cannot be searched here: install glassloop[code], or ripgrep.") from None
        module: Any = re2
        options = module.Options()
        options.never_nl = True
        options.log_errors = False
        options.never_capture = True
        options.case_sensitive = case_sensitive
        options.max_mem = _MEMORY
        try:
            # Bytes: what is searched need not be decoded.
            self._find: Callable[[bytes, int], Any] = module.compile(f"(?m:{pattern.re2})".encode(), options).search
        except module.error as error:
            raise BadArguments(_complaint(str(error))) from None

    def search(self, root: RootFolder, files: Sequence[str], limit: SearchLimit) -> Generator[FileMatches]:
        for path in files:
            limit.check()
            text = None
            with suppress(OSError, ValueError):
                text = read_text(root, path)
            if text and (lines := b"".join(islice(self._lines(text, limit), MAX_PER_FILE))):
                yield FileMatches(path, lines)

    def _lines(self, text: bytes, limit: SearchLimit) -> Iterator[bytes]:
        counted, line = 0, 1
        for begin, end in _pieces(text):
            limit.check()
            piece = text if end - begin == len(text) else text[begin:end]
            at = 0
            while at < len(piece) and (match := self._find(piece, at)) is not None:
                start: int = match.start()
                if start == len(piece) and piece.endswith(b"\n"):
                    # An empty match after the last line is in no line.
                    break
                head = piece.rfind(b"\n", 0, start) + 1
                tail = piece.find(b"\n", start)
                line += text.count(b"\n", counted, begin + head)
                counted = begin + head
                shown = piece[head : tail if tail >= 0 else len(piece)][:COMPARED_BYTES]
                yield b"%d:%d:%s\n" % (line, start - head + 1, shown)
                if tail < 0:
                    break
                at = tail + 1


def _pieces(text: bytes) -> Iterator[tuple[int, int]]:
    """Where whole lines begin and end, some at a time."""
    begin = 0
    while begin < len(text):
        end = text.find(b"\n", begin + PIECE_BYTES) + 1 or len(text)
        yield begin, end
        begin = end


def read_text(root: RootFolder, path: str) -> bytes | None:
    """A file as UTF-8 without its mark; None where it is no text or too large. Raises `OSError`."""
    file = root.open_file(path, links=False).descriptor
    try:
        with os.fdopen(file, "rb", closefd=False) as opened:
            raw = opened.read(MAX_FILE_BYTES + 1)
    finally:
        os.close(file)
    if len(raw) > MAX_FILE_BYTES:
        return None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raw = raw.decode("utf-16", "replace").encode()
    elif raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    return None if b"\0" in raw else raw
