"""Bytes of attachments while turns need them: read from the store once, kept in memory within a bound.

What reads and checks images and files is loaded when a question has any.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from glassloop.core.ports import Model
from glassloop.core.records import Attachment

if TYPE_CHECKING:
    from glassloop.runtime.attachments.parts import Question

MAX_CACHED_BYTES = 64_000_000

_NONE: Mapping[str, bytes] = {}


class SessionBlobTable(Protocol):
    """Where they are stored."""

    async def read(self, session_id: str, sha256: str) -> bytes | None: ...


class BlobCache:
    """The bytes that were used last, of all sessions."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._held: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._size = 0

    def get(self, session_id: str, sha256: str) -> bytes | None:
        key = session_id, sha256
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def put(self, session_id: str, blobs: Mapping[str, bytes]) -> None:
        for sha256, data in blobs.items():
            self._size += len(data) - len(self._held.pop((session_id, sha256), b""))
            self._held[session_id, sha256] = data
        while self._size > self._max_bytes and self._held:
            self._size -= len(self._held.popitem(last=False)[1])


class SessionBlobs:
    """Fills `BlobReader` for the turns of one session. `unsaved` are bytes that the store does not have yet; without a
    table there are only those in memory."""

    def __init__(
        self,
        session_id: str,
        cache: BlobCache,
        table: SessionBlobTable | None = None,
        unsaved: Mapping[str, bytes] = _NONE,
    ) -> None:
        self._session_id = session_id
        self._cache = cache
        self._table = table
        self._unsaved = unsaved

    async def read(self, sha256: str) -> bytes | None:
        found = self._unsaved.get(sha256) or self._cache.get(self._session_id, sha256)
        if found is None and self._table is not None:
            found = await self._table.read(self._session_id, sha256)
            if found is not None:
                self._cache.put(self._session_id, {sha256: found})
        return found


def compose_kept(question: "Question", model: Model, cache: BlobCache) -> tuple[str, tuple[Attachment, ...]]:
    """The text of a question and what was given with it, whose bytes are kept in `cache`."""
    if isinstance(question, str):
        return question, ()
    from glassloop.runtime.attachments.prompt import compose

    prompt = compose(question, model)
    cache.put("", prompt.blobs)
    return prompt.text, prompt.attachments


async def readable_question(question: "Question", model: Model) -> "Question":
    """The question with documents that the model does not take as the text that can be read of them."""
    if isinstance(question, str):
        return question
    from glassloop.runtime.attachments.prompt import readable

    return await readable(question, model.abilities)
