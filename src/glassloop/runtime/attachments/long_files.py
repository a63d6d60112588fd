"""Long files of a question: the model is told their beginning and reads on with a tool.

Lines are made short before a text is stored, so that the number of a line means the same in the beginning and in what
is read on.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from glassloop.core.loop.observations import ObservationRoom, shares, step_chars
from glassloop.core.records import Attachment
from glassloop.store.store import Store

MAX_LINE_CHARS = 500
MAX_SHOWN_CHARS = 48_000
"""Of all files of a question together, whatever the model's window."""
MAX_TURNS = 200
"""Newest turns of a conversation that are searched for files."""


def shown_chars(context_tokens: int) -> int:
    """Of all files of a question, for a model with so many tokens of context."""
    return min(step_chars(context_tokens), MAX_SHOWN_CHARS)


def shorten(attachments: Sequence[Attachment], room: int) -> tuple[tuple[Attachment, ...], Mapping[str, bytes]]:
    """The files with the long ones told by their beginnings, and the whole texts of these, by digest."""
    limits = iter(shares([len(each.text) for each in attachments if each.text], ObservationRoom(room)))
    kept: list[Attachment] = []
    blobs: dict[str, bytes] = {}
    for each in attachments:
        limit = next(limits) if each.text else 0
        if not limit or each.chars:
            kept.append(each)
            continue
        lines = short_lines(each.text)
        whole = "\n".join(lines).encode("utf-8", "replace")
        digest = hashlib.sha256(whole).hexdigest()
        blobs[digest] = whole
        beginning = "\n".join(_fitting(lines, limit))
        kept.append(msgspec.structs.replace(each, text=beginning, sha256=digest, chars=len(each.text)))
    return tuple(kept), blobs


def short_lines(text: str) -> list[str]:
    """The lines of a text, long ones broken between words."""
    return [part for line in text.split("\n") for part in _broken(line.rstrip())]


async def long_files(store: Store, session_id: str) -> dict[str, Attachment]:
    """The files of a conversation that are told by their beginnings, by name; of one name the newest."""
    found: dict[str, Attachment] = {}
    for started in await store.turns.first_of_many((await store.turns.ids(session_id))[-MAX_TURNS:]):
        found |= {each.name: each for each in (started.attachments if started is not None else ()) if each.chars}
    return found


async def has_long_files(store: Store, session_id: str) -> bool:
    """Whether there are any. Most conversations have no files at all, which is quickly seen."""
    return await store.blobs.any(session_id) and bool(await long_files(store, session_id))


def _broken(line: str) -> Iterator[str]:
    while len(line) > MAX_LINE_CHARS:
        at = line.rfind(" ", MAX_LINE_CHARS // 2, MAX_LINE_CHARS)
        at = MAX_LINE_CHARS if at < 0 else at + 1
        yield line[:at].rstrip()
        line = line[at:]
    yield line


def _fitting(lines: Iterable[str], room: int) -> Iterator[str]:
    """Whole lines, as many as there is room for."""
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return
        yield line
