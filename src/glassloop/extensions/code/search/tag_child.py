"""A process that parses source files: `python -m glassloop.extensions.code.search.tag_child SECONDS`.

Requests in, what was found out. Apart from the server, so that a file which takes a grammar for ever, or all memory,
takes only this process with it.
"""

import sys
from contextlib import suppress

import msgspec

from glassloop.extensions.code.search.tags import FileTags, NameUse, find_name, read_tags
from glassloop.python_child import end_with_parent, limit_cpu, limit_resources, read_frame, write_frame

MAX_MEMORY = 2_000_000_000
NICENESS = 5

Request = tuple[str, bytes, str]
"""A path, for its suffix, the file, and a name to look for; '' asks for all that is defined."""

_decode = msgspec.msgpack.Decoder(Request).decode
_encode = msgspec.msgpack.Encoder().encode


def answer(path: str, raw: bytes, name: str) -> FileTags | tuple[NameUse, ...]:
    try:
        return find_name(path, raw, name) if name else read_tags(path, raw)
    except (RecursionError, MemoryError):
        return () if name else FileTags()


def main() -> None:
    limit_resources(MAX_MEMORY, NICENESS)
    end_with_parent()
    limit_s = float(sys.argv[1])
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # What a library prints must not be taken for an answer.
    sys.stdout = sys.stderr
    write_frame(answers, b"")
    while (raw := read_frame(requests)) is not None:
        limit_cpu(limit_s)
        write_frame(answers, _encode(answer(*_decode(raw))))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, BrokenPipeError):
        main()
