"""`read_file`: the text of a file with the numbers of its lines, as much as a model is shown at a time."""

from glassloop.core.errors import BadArguments, ToolError
from glassloop.core.loop.observations import OBSERVATION_CHARS
from glassloop.core.records import ToolResult
from glassloop.extensions.code.access import WorkspaceFiles, shown
from glassloop.extensions.code.files.changes import read_bytes
from glassloop.extensions.code.files.read_memory import SeenFiles
from glassloop.extensions.code.files.text import MAX_LINES, decode, split_lines
from glassloop.extensions.code.undo.kept_store import sha256_of

SHOWN_LINES = 2_000
SHOWN_BYTES = 100_000
_NOTE_CHARS = 100
"""Room for the line that says how to go on."""
_CUT_CHARS = 60
"""Room for what is said of a line that is cut."""


def read(
    files: WorkspaceFiles,
    seen: SeenFiles,
    path: str,
    first_line: int,
    last_line: int | None,
    encoding: str,
    shown_chars: int | None = None,
) -> ToolResult:
    """`shown_chars`: how much of the result the model will see."""
    with files.refusing(path):
        found = read_bytes(files, path)
    try:
        text = decode(found.raw, encoding)
    except BadArguments:
        raise
    except ToolError as error:
        raise ToolError(f"{shown(path)} cannot be read: {error}.") from None
    lines = split_lines(text.text)
    if len(lines) > MAX_LINES:
        raise ToolError(
            f"{shown(path)} has {len(lines):,} lines: {MAX_LINES:,} is the limit. Look for lines in it with grep_files."
        )
    if first_line > max(len(lines), 1):
        raise BadArguments(f"{shown(path)} has {len(lines):,} lines: there is no line {first_line:,}.")
    if last_line is not None and last_line < first_line:
        raise BadArguments(f"last_line {last_line} is before first_line {first_line}: give it the other way round.")
    sha256 = sha256_of(found.raw)
    seen.put((files.workspace.user, files.workspace.session_id, found.path), sha256, text.encoding, text.text)
    last_wanted = min(last_line or len(lines), len(lines))
    output, last = _numbered(lines, first_line, last_wanted, shown_chars or OBSERVATION_CHARS)
    return ToolResult(
        success=True,
        output=output or f"{shown(found.path)} is empty.",
        data={
            "path": found.path,
            "size": len(found.raw),
            "lines": len(lines),
            "first_line": first_line if lines else 0,
            "last_line": last,
            "encoding": text.shown_encoding,
            "newline": text.newline,
            "sha256": sha256,
            "truncated": last < last_wanted,
        },
        metadata={"path": found.path, "size": len(found.raw)},
    )


def _numbered(lines: list[str], first: int, last: int, shown_chars: int) -> tuple[str, int]:
    """The lines with their numbers, and the last one that there was room for."""
    written: list[str] = []
    chars = size = 0
    for number in range(first, last + 1):
        line = f"{number:>6}\t{lines[number - 1]}"
        room = shown_chars - _NOTE_CHARS - chars
        if not written and len(line) > room:
            line = f"{line[: room - _CUT_CHARS]}… (cut: the line has {len(lines[number - 1]):,} characters)"
        size += len(line.encode("utf-8", "replace")) + 1
        if len(written) == SHOWN_LINES or (written and (len(line) >= room or size > SHOWN_BYTES)):
            written.append(f"(Lines {first:,} to {number - 1:,} of {len(lines):,}. Go on with first_line={number}.)")
            return "\n".join(written), number - 1
        written.append(line)
        chars += len(line) + 1
    if last < len(lines):
        written.append(f"(Lines {first:,} to {last:,} of {len(lines):,}.)")
    return "\n".join(written), last
