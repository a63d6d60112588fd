"""One source, read: opened with care, told apart by its kind, cut into chunks, and their words found. Never raises."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from glassloop.retrieval.documents import limits
from glassloop.retrieval.documents.blocks import Block, chunk_blocks
from glassloop.retrieval.documents.code import BY_LINES, LANGUAGES, code_chunks
from glassloop.retrieval.documents.docx import docx_blocks
from glassloop.retrieval.documents.file_access import open_file
from glassloop.retrieval.documents.html import html_blocks
from glassloop.retrieval.documents.limits import Unreadable
from glassloop.retrieval.documents.pdf import pdf_blocks
from glassloop.retrieval.documents.prose import markdown_blocks, text_blocks
from glassloop.retrieval.documents.tables import table_blocks
from glassloop.retrieval.documents.text_decoder import decode
from glassloop.retrieval.index.sources import Chunk, DocumentSource, SourceContent
from glassloop.retrieval.query.search_terms import indexed_words

PACKED: dict[str, Callable[[bytes], Iterable[Block]]] = {".pdf": pdf_blocks, ".docx": docx_blocks}
MARKDOWN = {".md", ".markdown", ".mdx", ".mdown"}
HTML = {".html", ".htm", ".xhtml"}
TABLES = {".csv", ".tsv"}
PLAIN = {".txt", ".text", ".rst", ".log", ".adoc", ".org", ""}
READABLE = {*PACKED, *MARKDOWN, *HTML, *TABLES, *PLAIN, *LANGUAGES, *BY_LINES}
"""By their suffix; what has another is read as text where it is text."""

PARSED = {*PACKED, *HTML, *TABLES, *LANGUAGES, *BY_LINES}
QUICK_BYTES = 256_000


def suffix_of(source: DocumentSource) -> str:
    if source.kind:
        return source.kind.lower()
    stem, dot, suffix = source.name.rpartition("/")[2].rpartition(".")
    return dot + suffix.lower() if stem else ""


def is_quick(source: DocumentSource, size: int) -> bool:
    """Whether reading it cannot take long, whatever is in it: a little prose. Parsers of anything else, other people's
    grammars above all, take for ever on texts made for that, and let nothing else run meanwhile."""
    return size <= QUICK_BYTES and (suffix_of(source) not in PARSED or source.text == "")


def read_source(source: DocumentSource, known: bytes = b"") -> SourceContent:
    """What the source comes to; `known` is the digest of what the index has of it."""
    try:
        raw, modified = _bytes(source)
        # The title is part of what is found.
        digest = hashlib.blake2b(raw, digest_size=16, key=source.title.encode()[:64]).digest()
        if digest == known:
            return SourceContent(digest=digest, size=len(raw), modified=modified, same=True)
        chunks = tuple(islice(_chunks(source, raw), limits.MAX_CHUNKS + 1))
        if len(chunks) > limits.MAX_CHUNKS:
            raise Unreadable(f"comes to more than {limits.MAX_CHUNKS:,} passages: split it")
        words = tuple(chunk_words(source.name, source.title, chunk.headings, chunk.text) for chunk in chunks)
        return SourceContent(digest=digest, size=len(raw), modified=modified, chunks=chunks, words=words)
    except Unreadable as error:
        return SourceContent(problem=str(error))
    except OSError as error:
        return SourceContent(problem=f"cannot be read ({error.strerror or error}): check its name and who may read it")
    except RecursionError:
        return SourceContent(problem="is nested too deeply to be read: simplify it")
    except MemoryError:
        return SourceContent(problem="needs more memory than a document may take: split it")
    except Exception as error:
        # A parser of other people's files may raise anything.
        return SourceContent(problem=f"cannot be read ({type(error).__name__}: {str(error)[:100]}): save it anew")


def chunk_words(name: str, title: str, headings: tuple[str, ...], text: str) -> str:
    """What a chunk is found by: its own words and those of where it stands."""
    return indexed_words(f"{name} {title} {' '.join(headings)}\n{text}")


def _bytes(source: DocumentSource) -> tuple[bytes, int]:
    if source.text is not None:
        raw = source.text.encode("utf-8", "replace")
        _refuse_large(len(raw), source)
        return raw, 0
    if source.path is None:
        raise Unreadable("has neither a path nor a text: give one of them")
    return _file_bytes(source, source.path)


def _file_bytes(source: DocumentSource, path: Path) -> tuple[bytes, int]:
    file = open_file(path, source.base)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("is no ordinary file: give the file itself")
        _refuse_large(found.st_size, source)
        with os.fdopen(file, "rb", closefd=False) as opened:
            raw = opened.read(found.st_size + 1)
        # It may grow while it is read.
        _refuse_large(len(raw), source)
        return raw, found.st_mtime_ns
    finally:
        os.close(file)


def _refuse_large(size: int, source: DocumentSource) -> None:
    most = limits.MAX_OTHER_BYTES if suffix_of(source) in PACKED else limits.MAX_TEXT_BYTES
    if size > most:
        raise Unreadable(f"has {size:,} bytes, more than the {most:,} that are read: split it")


def _chunks(source: DocumentSource, raw: bytes) -> Iterator[Chunk]:
    suffix = suffix_of(source)
    if suffix in PACKED:
        yield from chunk_blocks(PACKED[suffix](raw))
        return
    text = decode(raw).replace("\r\n", "\n").replace("\r", "\n")
    if suffix in MARKDOWN:
        yield from chunk_blocks(markdown_blocks(text))
    elif suffix in HTML:
        yield from chunk_blocks(html_blocks(text))
    elif suffix in TABLES:
        yield from chunk_blocks(table_blocks(text, suffix))
    elif suffix in LANGUAGES or suffix in BY_LINES:
        yield from code_chunks(text, suffix)
    else:
        yield from chunk_blocks(text_blocks(text))
