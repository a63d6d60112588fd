"""PDF, DOCX, CSV and HTML to blocks. Blocks and may take long: run where it can be stopped."""

import csv
import logging
import re
import zipfile
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

from glassloop.retrieval.documents.blocks import MAX_CHARS, MAX_PAGES, MAX_UNPACKED_BYTES, Block, BlockKind, Unreadable

MAX_MEMBERS = 10_000


def docx_blocks(raw: bytes) -> Iterator[Block]:
    _refuse_bomb(raw)
    try:
        import docx
        from docx.table import Table
    except ImportError as error:
        raise Unreadable("is a DOCX, and python-docx is not installed: install glassloop[retrieval]") from error

    try:
        document = docx.Document(BytesIO(raw))
        for part in document.iter_inner_content():
            if isinstance(part, Table):
                if rows := [row for row in map(_row, part.rows) if row]:
                    yield Block(kind="whole", text="\n".join(rows), head=rows[0])
            elif part.text.strip():
                level = _level(part)
                yield Block(kind="heading" if level else "text", text=part.text, level=level)
    except (KeyError, ValueError, AttributeError, zipfile.BadZipFile, zlib.error, EOFError, SyntaxError) as error:
        raise Unreadable(f"is no DOCX that can be read ({str(error)[:100]}): save it anew") from error


def _row(row: Any) -> str:
    # A merged cell comes once for each column that it spans.
    cells: dict[int, str] = {id(cell._tc): " ".join(cell.text.split()) for cell in row.cells}
    return " | ".join(cells.values()) if any(cells.values()) else ""


def _level(paragraph: Any) -> int:
    style = (paragraph.style.name or "") if paragraph.style is not None else ""
    if style == "Title":
        return 1
    number = style.removeprefix("Heading ")
    return int(number) + 1 if style.startswith("Heading ") and number.isdigit() and len(number) == 1 else 0


def _refuse_bomb(raw: bytes) -> None:
    """Sizes are declared, and reading a member stops at what it declared."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise Unreadable(f"is no DOCX that can be read ({str(error)[:100]}): save it anew") from error
    if any(member.flag_bits & 1 for member in members):
        raise Unreadable("is protected by a password: save a copy without one")
    size = sum(member.file_size for member in members)
    if size > MAX_UNPACKED_BYTES or len(members) > MAX_MEMBERS:
        raise Unreadable(
            f"would unpack to {size:,} bytes in {len(members):,} parts, more than the {MAX_UNPACKED_BYTES:,} that are "
            "read: remove its pictures or split it"
        )


def pdf_blocks(raw: bytes) -> Iterator[Block]:
    try:
        import pypdf
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise Unreadable("is a PDF, and pypdf is not installed: install glassloop[retrieval]") from error

    # It tells of every oddity of a file; what matters is raised.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("is protected by a password: save a copy without one")
        if len(reader.pages) > MAX_PAGES:
            raise Unreadable(f"has {len(reader.pages):,} pages, more than the {MAX_PAGES:,} that are read: split it")
        chars = 0
        for number, page in enumerate(reader.pages, 1):
            text = page.extract_text()
            chars += len(text)
            if chars > MAX_CHARS:
                raise Unreadable(f"holds more than {MAX_CHARS:,} characters of text: split it")
            for paragraph in text.split("\n\n"):
                if paragraph.strip():
                    yield Block(kind="text", text=paragraph, page=number)
    except PyPdfError as error:
        raise Unreadable(f"is no PDF that can be read ({str(error)[:100]}): save it anew") from error
    if not chars:
        raise Unreadable("holds no text, only pictures of it: recognise its text first")


MAX_FIELD = 131_072


def table_blocks(text: str, suffix: str) -> Iterator[Block]:
    try:
        dialect: type[csv.Dialect] | str = (
            csv.excel_tab if suffix == ".tsv" else csv.Sniffer().sniff(text[:8192], ",;\t|")
        )
    except csv.Error:
        dialect = "excel"
    csv.field_size_limit(MAX_FIELD)
    try:
        rows = [
            " | ".join(cell.replace("\n", " ").strip() for cell in row)
            for row in csv.reader(text.splitlines(), dialect)
        ]
    except csv.Error as error:
        raise Unreadable(f"is no table that can be read ({error}): save it as comma-separated UTF-8") from error
    if any(rows):
        yield Block(kind="whole", text="\n".join(rows), line=1, head=rows[0])


_UNSEEN = {"script", "style", "noscript", "template", "svg", "head", "nav", "iframe", "object"}
_BREAKS = {
    *("p", "div", "section", "article", "main", "header", "footer", "aside", "ul", "ol", "dl", "dt", "dd"),
    *("blockquote", "figure", "figcaption", "form", "fieldset", "hr", "address", "details", "summary", "body", "html"),
}  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_VOID = {"br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.title = ""
        self._pieces: list[str] = []
        self._line = 0
        self._unseen: list[str] = []
        self._tables = 0
        self._in_title = self._as_is = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag == "title" and not self.title:
            self._in_title = True
        if self._unseen or (tag in _UNSEEN):
            if tag in _UNSEEN and tag not in _VOID:
                self._unseen.append(tag)
            return
        if tag == "table":
            if not self._tables:
                self.put()
            self._tables += 1
        elif tag in ("br", "tr") or (tag == "li" and not self._tables):
            self._pieces.append("\n" + ("- " if tag == "li" else ""))
        elif not self._tables and (tag in _BREAKS or tag in _HEADINGS or tag == "pre"):
            self.put()
            self._as_is = tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._unseen:
            # A page may forget to close what is inside: the outermost that fits ends all.
            if tag in self._unseen:
                del self._unseen[self._unseen.index(tag) :]
            return
        if tag == "table" and self._tables:
            self._tables -= 1
            if not self._tables:
                self.put("whole")
        elif self._tables:
            if tag in ("td", "th"):
                self._pieces.append(" | ")
        elif tag in _HEADINGS:
            self.put("heading", _HEADINGS[tag])
        elif tag == "pre":
            self.put("whole")
        elif tag in _BREAKS:
            self.put()

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        if self._unseen:
            return
        if data.strip() and not self._line:
            self._line = self.getpos()[0]
        self._pieces.append(data if self._as_is else re.sub(r"\s+", " ", data))

    def put(self, kind: BlockKind = "text", level: int = 0) -> None:
        text = "".join(self._pieces)
        if not self._as_is:
            lines = (re.sub(r"[ \t]+", " ", line).strip(" |" if kind == "whole" else " ") for line in text.split("\n"))
            text = "\n".join(line for line in lines if line)
        if text.strip():
            head = text.split("\n", 1)[0] if kind == "whole" and not self._as_is else ""
            line = 0 if kind == "whole" else self._line
            self.blocks.append(Block(kind=kind, text=text.strip("\n"), level=level, line=line, head=head))
        self._pieces, self._line, self._as_is = [], 0, False


def html_blocks(text: str) -> Iterator[Block]:
    page = _Page()
    page.feed(text)
    page.close()
    page.put()
    title = " ".join(page.title.split())
    if title:
        yield Block(kind="heading", text=title, level=0)
    yield from page.blocks
