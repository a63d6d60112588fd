"""A process that reads documents: `python -m glassloop.retrieval.documents.child SECONDS`.

Requests in, what was read out. Apart from the server, so that a document which takes for ever, or all memory, takes
only this process with it. After so many seconds of CPU time for one document it ends by itself: its server may be gone.
"""

import sys
from contextlib import suppress

import msgspec

from glassloop.python_child import LOW_PRIORITY, end_with_parent, limit_cpu, limit_resources, read_frame, write_frame
from glassloop.retrieval.documents.code import LANGUAGES
from glassloop.retrieval.documents.files import read_source, suffix_of
from glassloop.retrieval.index.sources import DocumentSource

MAX_MEMORY = 2_000_000_000
GRAMMAR_CPU_S = 15.0
"""For code, which grammars of others may read for ever, however short it is."""

_decoder = msgspec.msgpack.Decoder(tuple[DocumentSource, bytes], dec_hook=lambda kind, raw: kind(raw))
"""A source, its paths as text, and the digest of what is known of it."""
_encoder = msgspec.msgpack.Encoder()


def main() -> None:
    limit_resources(MAX_MEMORY, LOW_PRIORITY)
    end_with_parent()
    limit_s = float(sys.argv[1])
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # What a library prints must not be taken for an answer.
    sys.stdout = sys.stderr
    write_frame(answers, b"")
    while (raw := read_frame(requests)) is not None:
        source, known = _decoder.decode(raw)
        limit_cpu(min(limit_s, GRAMMAR_CPU_S) if suffix_of(source) in LANGUAGES else limit_s)
        write_frame(answers, _encoder.encode(read_source(source, known)))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, BrokenPipeError):
        main()
