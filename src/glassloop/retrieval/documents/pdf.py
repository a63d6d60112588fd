"""PDF to blocks, page by page. Blocks and may take long: run where it can be stopped."""

import logging
from collections.abc import Iterator
from io import BytesIO

from glassloop.retrieval.documents.blocks import Block
from glassloop.retrieval.documents.limits import MAX_CHARS, MAX_PAGES, Unreadable


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
