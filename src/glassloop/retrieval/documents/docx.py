"""DOCX to blocks. What the archive would unpack to is known before anything is unpacked."""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from glassloop.retrieval.documents.blocks import Block
from glassloop.retrieval.documents.limits import MAX_UNPACKED_BYTES, Unreadable

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
    except (KeyError, ValueError, AttributeError, zipfile.BadZipFile, SyntaxError) as error:
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
