"""Limits on how much of a document is read, and the error for what cannot be read."""

MAX_TEXT_BYTES = 20_000_000
MAX_OTHER_BYTES = 200_000_000
"""Of formats that are mostly pictures and packing: PDF and DOCX."""

MAX_UNPACKED_BYTES = 100_000_000
MAX_PAGES = 5_000
MAX_CHARS = 20_000_000
MAX_CHUNKS = 50_000

CHUNK_TOKENS = 200
"""What an embedder still sees of one chunk, with room for the headings before it."""

OVERLAP_TOKENS = 35
WHOLE_TOKENS = 800
"""A table or a piece of code in a text stays in one chunk up to here."""


class Unreadable(Exception):
    """Why this document cannot be read, as the end of a sentence that begins with its name."""
