"""`read_attachment`: reads on in a long file that the user attached, for conversations that have one.

Owns the wording a model reads and the shape of the result. Which files there are, the conversation says.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Final

from pydantic import Field

from glassloop.core.errors import StoreAway, ToolError, ToolUnavailable
from glassloop.core.messages import READ_ATTACHMENT
from glassloop.core.records import ToolResult
from glassloop.runtime.attachments.long_files import long_files
from glassloop.store.store import Store
from glassloop.tools.tool import Tool, ToolContext, tool

PAGE_CHARS: Final = 12_000
NEAR: Final = 2
"""Lines that are shown before and after one that was found, and that words may lie apart."""
MAX_FOUND: Final = 40
MAX_WORDS: Final = 20
MAX_PAGE_LINES: Final = 500
_WORD = re.compile(r"\w+")
FileName = Annotated[str, Field(min_length=1, max_length=300)]
Words = Annotated[str, Field(max_length=300)]
LineNumber = Annotated[int, Field(ge=1)]


def reading_tool(store: Store) -> Tool:
    """The tool over the files of the conversation it is called in."""

    @tool(effect="read", volatile=True, name=READ_ATTACHMENT)
    async def read_attachment(
        file: FileName,
        context: ToolContext,
        find: Words = "",
        from_line: LineNumber = 1,
    ) -> ToolResult:
        """Read on in an attached file whose beginning was shown: the places with some words, or lines from one on.

        Args:
            file: Its name, as it was shown.
            find: Words to look for, such as "notice period"; empty to read on.
            from_line: The first line to show; with find, where to begin looking.
        """
        try:
            files = await long_files(store, context.session_id)
            found = files.get(file) or next(
                (each for name, each in files.items() if name.lower() == file.lower()), None
            )
            if found is None:
                known = ", ".join(f'"{name}"' for name in files) or "none"
                raise ToolError(f"There is no long file {file[:100]!r} in this conversation: there are {known}.")
            data = await store.blobs.read(context.session_id, found.sha256)
        except StoreAway as error:
            raise ToolUnavailable(str(error)) from error
        if data is None:
            raise ToolError(f"The text of {found.name!r} is no longer here: ask the user to attach it again.")
        lines = data.decode("utf-8", "replace").split("\n")
        if from_line > len(lines):
            raise ToolError(f"{found.name!r} has {len(lines):,} lines: begin at one of them.")
        room = min(PAGE_CHARS, context.room() if context.room is not None else PAGE_CHARS)
        shown = _places(lines, find, from_line, room) if find.strip() else _page(lines, from_line, room)
        return ToolResult(success=True, output=f"{found.name}, {len(lines):,} lines.\n{shown}")

    return read_attachment


def _page(lines: Sequence[str], first: int, room: int) -> str:
    shown: list[str] = []
    for line in lines[first - 1 :]:
        room -= len(line) + 1
        if room < 200 and shown:
            break
        shown.append(line)
    last = first + len(shown) - 1
    more = "The end of the file." if last == len(lines) else f"from_line={last + 1} reads on."
    return "\n".join((f"Lines {first}-{last}:", *shown, f"[{more}]"))


def _places(lines: Sequence[str], find: str, first: int, room: int) -> str:
    """The lines with the words, with those around them, numbered."""
    hits, how = _hits(lines, find, first - 1)
    if not hits:
        return f"No line from {first} on has {find!r} or one of its words: try other words, or read on."
    shown: list[str] = []
    last, count = -1, 0
    for hit in hits:
        begin, end = max(hit - NEAR, last + 1), min(hit + NEAR, len(lines) - 1)
        block = [f"{at + 1}: {lines[at]}" for at in range(begin, end + 1)]
        size = sum(len(line) + 1 for line in block)
        if shown and (room - size < 200 or count >= MAX_FOUND):
            return "\n".join((how, *shown, f"[There is more: from_line={hit + 1} looks on from there.]"))
        if begin > last + 1:
            shown += ["…"] if shown else []
            shown += _page_of(lines, begin)
        shown += block
        room, last, count = room - size, max(last, end), count + 1
    return "\n".join((how, *shown))


def _page_of(lines: Sequence[str], at: int) -> list[str]:
    """The mark of the page that a line is on, where the file has pages."""
    before = (line for line in reversed(lines[max(at - MAX_PAGE_LINES, 0) : at]) if line.startswith("[page "))
    return list(islice(before, 1))


def _hits(lines: Sequence[str], find: str, first: int) -> tuple[list[int], str]:
    """Where the whole phrase stands; else where all of its words are near; else where most of them are."""
    low = [line.lower() for line in lines]
    phrase = " ".join(find.lower().split())
    if found := [at for at in range(first, len(low)) if phrase in low[at]]:
        return found, f"Lines with {find!r}:"
    words = list(dict.fromkeys(_WORD.findall(phrase)))[:MAX_WORDS]
    counts = [0] * len(low)
    for at in range(first, len(low)):
        if any(word in low[at] for word in words):
            near = " ".join(low[max(at - NEAR, 0) : at + NEAR + 1])
            counts[at] = sum(word in near for word in words)
    best = max(counts, default=0)
    if not best:
        return [], ""
    how = "all of these words near each other" if best == len(words) else f"{best} of the {len(words)} words"
    return [at for at, count in enumerate(counts) if count == best], f"No line has {find!r}; lines with {how}:"
