"""A process that reads documents: `python -m glassloop.retrieval.documents.child`. Requests in, what was read out.

Apart from the server, so that a document which takes for ever, or all memory, takes only this process with it.
"""

import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from glassloop.retrieval.documents.files import read_source
from glassloop.retrieval.index.sources import DocumentSource

MAX_MEMORY = 2_000_000_000


class Request(msgspec.Struct, frozen=True, array_like=True):
    """A source, and the digest of what is known of it."""

    name: str
    path: str | None
    base: str | None
    text: str | None
    title: str
    kind: str
    known: bytes


def write_frame(pipe: BinaryIO, raw: bytes) -> None:
    pipe.write(len(raw).to_bytes(8, "big"))
    pipe.write(raw)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> bytes | None:
    """None where the other side is gone."""
    head = pipe.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "big")
    raw = pipe.read(size)
    return raw if len(raw) == size else None


def main() -> None:
    _limit_memory()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # What a library prints must not be taken for an answer.
    sys.stdout = sys.stderr
    decoder, encoder = msgspec.msgpack.Decoder(Request), msgspec.msgpack.Encoder()
    write_frame(answers, b"")
    while (raw := read_frame(requests)) is not None:
        request = decoder.decode(raw)
        source = DocumentSource(
            name=request.name,
            path=None if request.path is None else Path(request.path),
            base=None if request.base is None else Path(request.base),
            text=request.text,
            title=request.title,
            kind=request.kind,
        )
        write_frame(answers, encoder.encode(read_source(source, request.known)))


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, BrokenPipeError):
        main()
