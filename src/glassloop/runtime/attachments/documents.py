"""Text of PDF and DOCX files, by the readers of the knowledge base: in a process that is stopped when it is slow."""

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from glassloop.core.errors import UsageError
from glassloop.core.records import Attachment
from glassloop.runtime.attachments.media import SUFFIXES
from glassloop.runtime.attachments.parts import MAX_READ_CHARS

READING_S = 60.0
_threads = ThreadPoolExecutor(2, thread_name_prefix="glassloop-document")
"""Each waits for a reader: so many documents are read at once."""


async def document_text(attachment: Attachment, data: bytes) -> str:
    """The text of a document; raises `UsageError` where none can be read."""
    text = await asyncio.get_running_loop().run_in_executor(_threads, _read, attachment, data)
    if not text.strip():
        raise UsageError(
            f"{attachment.name!r} has no readable text (is it a scan?): use a model that reads PDF "
            "files, or attach its pages as images."
        )
    return text


def _read(attachment: Attachment, data: bytes) -> str:
    from glassloop.retrieval.documents.readers import Readers
    from glassloop.retrieval.index.sources import DocumentSource

    with tempfile.TemporaryDirectory(prefix="glassloop-") as folder, Readers(1, READING_S) as readers:
        path = Path(folder) / f"document{SUFFIXES[attachment.media_type]}"
        path.write_bytes(data)
        source = DocumentSource(name=attachment.name, path=path, kind=path.suffix)
        [(_, content)] = list(readers.read([(source, b"")]))
    if content.problem:
        raise UsageError(f"{attachment.name!r} {content.problem}.")
    lines: list[str] = []
    page, headings, size = 0, (), 0
    for chunk in content.chunks:
        if chunk.page != page:
            page = chunk.page
            lines.append(f"\n[page {page}]")
        if chunk.headings != headings:
            headings = chunk.headings
            lines += headings[-1:]
        text = chunk.text[chunk.overlap :]
        size += len(text)
        lines.append(text)
        if size > MAX_READ_CHARS:
            break
    return "\n".join(lines).strip()
