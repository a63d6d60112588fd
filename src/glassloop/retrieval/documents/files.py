"""Reading of one source: opened with care, recognised by its kind, cut into chunks, and their words found."""

import codecs
import hashlib
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal

from glassloop.retrieval.documents.blocks import (
    MAX_CHUNKS,
    MAX_OTHER_BYTES,
    MAX_TEXT_BYTES,
    Block,
    Unreadable,
    chunk_blocks,
    markdown_blocks,
    text_blocks,
)
from glassloop.retrieval.documents.code import BY_LINES, LANGUAGES, code_chunks
from glassloop.retrieval.documents.formats import docx_blocks, html_blocks, pdf_blocks, table_blocks
from glassloop.retrieval.index.sources import Chunk, DocumentSource, SourceContent
from glassloop.retrieval.query.search_terms import indexed_words
from glassloop.root_folder import NotOrdinaryError, RootFolder

PACKED: dict[str, Callable[[bytes], Iterable[Block]]] = {".pdf": pdf_blocks, ".docx": docx_blocks}
MARKDOWN = {".md", ".markdown", ".mdx", ".mdown"}
HTML = {".html", ".htm", ".xhtml"}
TABLES = {".csv", ".tsv"}
PLAIN = {".txt", ".text", ".rst", ".log", ".adoc", ".org", ""}
READABLE = {*PACKED, *MARKDOWN, *HTML, *TABLES, *PLAIN, *LANGUAGES, *BY_LINES}
"""By their suffix; what has another is read as text where it is text."""

PARSED = {*PACKED, *HTML, *TABLES, *LANGUAGES, *BY_LINES}
QUICK_BYTES = 256_000

Kind = Literal["link", "folder", "file", ""]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"(?:coding[:=]|charset=|encoding=)\s*[\"']?([-\w.]{2,40})", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HANZI = re.compile(r"[\u4e00-\u9fff\u3000-\u303f\uff01-\uff5e\u2018-\u201d\u2026]")
LOOKED_AT = 65_536
MIN_HANZI_SHARE = 0.95


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
        chunks = tuple(islice(_chunks(source, raw), MAX_CHUNKS + 1))
        if len(chunks) > MAX_CHUNKS:
            raise Unreadable(f"comes to more than {MAX_CHUNKS:,} passages: split it")
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
    # A file without a folder that it must stay in is one that a person named: links on the way are theirs.
    base = source.base or source.path.parent.resolve()
    name = source.path.name if source.base is None else str(source.path.relative_to(base))
    try:
        with RootFolder(base) as root:
            file = root.open_file(name, links=False).descriptor
    except (NotOrdinaryError, IsADirectoryError):
        raise Unreadable("is no ordinary file: give the file itself") from None
    try:
        found = os.fstat(file)
        _refuse_large(found.st_size, source)
        with os.fdopen(file, "rb", closefd=False) as opened:
            raw = opened.read(found.st_size + 1)
        # It may grow while it is read.
        _refuse_large(len(raw), source)
        return raw, found.st_mtime_ns
    finally:
        os.close(file)


def _refuse_large(size: int, source: DocumentSource) -> None:
    most = MAX_OTHER_BYTES if suffix_of(source) in PACKED else MAX_TEXT_BYTES
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


@contextmanager
def open_folder(path: Path, base: Path) -> Generator[int]:
    """What `os.scandir` and `os.stat` take for the folder, with no link below `base`."""
    with RootFolder(base) as root:
        folder = root.open_folder(str(path.relative_to(base)), links=False).descriptor
    try:
        yield folder
    finally:
        os.close(folder)


def is_text(name: str) -> bool:
    """Whether a name can be written down: some systems allow any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def kind_of(entry: "os.DirEntry[str]") -> Kind:
    """Only while its folder is open: afterwards the name may be another's. Empty for what is neither of these."""
    try:
        if entry.is_symlink():
            return "link"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else ""
    except OSError:
        return ""


def decode(raw: bytes) -> str:
    """The text, in an encoding that is certain: marked, declared, or provable. Guesses are refused."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _strict(raw, encoding)
    if (silent := _unmarked_utf16(raw)) is not None:
        return silent
    if len(_CONTROL.findall(raw[:LOOKED_AT])) > len(raw[:LOOKED_AT]) // 1000:
        raise Unreadable("is not text: it holds bytes that no text has; index the document it was made from")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        fault = error
    if (declared := _declaration(raw)) and _is_known(declared):
        return _strict(raw, declared)
    if (chinese := _as_chinese(raw)) is not None:
        return chinese
    raise Unreadable(
        f"is not valid UTF-8 (byte {raw[fault.start]:#04x} at {fault.start:,}) and does not say what else it is: "
        "save it as UTF-8"
    )


def _strict(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise Unreadable(f"says that it is {encoding} and is not ({error}): save it as UTF-8") from error


def _is_known(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name not in ("utf-8", "utf-7") and codecs.lookup(encoding)._is_text_encoding  # pyright: ignore[reportPrivateUsage]
    except (LookupError, AttributeError):
        return False


def _declaration(raw: bytes) -> str:
    """As pages and programs write it near their top."""
    found = _DECLARED.search(raw[:2048])
    return found[1].decode("ascii") if found else ""


def _unmarked_utf16(raw: bytes) -> str | None:
    """Text of mostly Western letters in two bytes each: every second byte is zero, and the others never are."""
    seen = raw[:LOOKED_AT]
    if len(seen) < 16 or len(raw) % 2:
        return None
    for zeros, letters, encoding in ((seen[1::2], seen[::2], "utf-16-le"), (seen[::2], seen[1::2], "utf-16-be")):
        if zeros.count(0) > 0.9 * len(zeros) and not letters.count(0):
            return _strict(raw, encoding)
    return None


def _as_chinese(raw: bytes) -> str | None:
    """Only where what comes out is nearly all common Chinese: bytes of anything else do not fall there by chance."""
    try:
        text = raw.decode("gb18030")
        text[:LOOKED_AT].encode("gb2312")
    except UnicodeError:
        return None
    strange = [mark for mark in text[:LOOKED_AT] if ord(mark) > 127]
    if len(strange) >= 4 and len(_HANZI.findall("".join(strange))) >= MIN_HANZI_SHARE * len(strange):
        return text
    return None
