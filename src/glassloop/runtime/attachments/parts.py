"""`Image` and `File`: the parts of a question that are not text.

A file is read, recognised by its content and bounded when the part is made. Nothing is ever fetched: an address on the
web would have this machine, or the provider's, ask whatever server somebody names, and a turn that is resumed or
replayed might see something else.
"""

import base64
import binascii
import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from msgspec.structs import replace

from glassloop.core.errors import UsageError
from glassloop.core.records import Attachment
from glassloop.runtime.attachments.media import DOCX, IMAGES, PDF, SUFFIXES, TEXT, media_type_of, other_image, pixels_of
from glassloop.runtime.file_name import clean_name

MAX_IMAGE_BYTES = 5_000_000
MAX_FILE_BYTES = 20_000_000
MAX_SIDE = 8_000
"""Pixels of an image in either direction; what all providers take."""
MAX_TEXT_CHARS = 200_000
"""Of all files of a question that are told whole."""
MAX_READ_CHARS = 4_000_000
"""Of a file that is read as text: a model is told the beginning of a long one, and reads on in it."""

_SAME = {"image/jpg": "image/jpeg", "application/x-pdf": PDF}


class MessagePart:
    """A part of a question: what the log says of it, and its bytes."""

    def __init__(self, attachment: Attachment, data: bytes) -> None:
        self.attachment = attachment
        self.data = data

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.attachment.label}>"


class Image(MessagePart):
    """A picture: `Image("photo.jpg")`, `Image(data)` for bytes, `Image(url="data:image/png;base64,…")`. `source` is the
    path or the bytes, `name` what it is called.

    PNG, JPEG, GIF and WebP are taken, up to 5 MB and 8,000 pixels a side. What counts is the content: a `media_type`
    that says something else is refused. Addresses on the web are never fetched.
    """

    def __init__(
        self,
        source: "str | os.PathLike[str] | bytes | None" = None,
        media_type: str | None = None,
        *,
        url: str | None = None,
        name: str | None = None,
    ) -> None:
        data, called = _content(source, url, MAX_IMAGE_BYTES, "image")
        found = media_type_of(data)
        if found not in IMAGES:
            what = f"is {other_image(data)}" if other_image(data) else "is no image that a model sees"
            raise UsageError(f"{name or called or 'The image'!r} {what}: save it as PNG, JPEG, WebP or GIF.")
        _check_type(media_type, found, name or called)
        super().__init__(_image(data, found, name or called), data)


class File(MessagePart):
    """A file: `File("report.pdf")`, or its bytes as `source`, with a `name`. Images and PDF files are shown to models
    that take them; text is read by every model, and so is what can be read of PDF and DOCX files."""

    def __init__(self, source: "str | os.PathLike[str] | bytes", *, name: str | None = None) -> None:
        data, called = _content(source, None, MAX_FILE_BYTES, "file")
        super().__init__(_file(data, name or called), data)

    @classmethod
    def stored(cls, attachment: Attachment, data: bytes) -> "File":
        """A file or an image of an earlier question, as the log tells of it."""
        made = cls.__new__(cls)
        made.data, made.attachment = data, attachment
        return made

    async def as_text(self) -> "File":
        """The file as the text that can be read of it, for models that do not take it as it is."""
        from glassloop.runtime.attachments.documents import document_text

        if self.attachment.text:
            return self
        text = await document_text(self.attachment, self.data)
        return File.stored(replace(self.attachment, text=text, sha256=""), self.data)


Question = str | Sequence[str | MessagePart]
"""What an agent is asked: a text, or texts with images and files, as in `["What is on it?", Image("photo.jpg")]`."""


def _content(
    source: "str | os.PathLike[str] | bytes | None", url: str | None, most: int, what: str
) -> tuple[bytes, str]:
    """The bytes and what they are called; raises `UsageError` for what is not there, or is too much."""
    if (source is None) == (url is None):
        raise UsageError(f"The {what} is missing: give a path or bytes, or a data: URL as url=.")
    if url is not None or (isinstance(source, str) and source.startswith(("data:", "http:", "https:"))):
        data, called = _from_url(url or str(source), most, what), ""
    elif isinstance(source, bytes):
        data, called = source, ""
    else:
        data, called = _from_path(Path(str(source)), most, what)
    if not data:
        raise UsageError(f"The {what} {called or 'given'!r} is empty: give one with content.")
    if len(data) > most:
        raise UsageError(
            f"The {what} {called or 'given'!r} has {len(data):,} bytes, and {most:,} are taken: make it smaller."
        )
    return data, called


def _from_path(path: Path, most: int, what: str) -> tuple[bytes, str]:
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UsageError(f"The {what} {str(path)!r} is not a regular file: give the file itself.")
            return file.read(most + 1), path.name
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"The {what} {str(path)!r} cannot be read ({why}): check its name.") from error


def data_of(given: str, what: str, most: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a data: URL, or of base64 alone, as clients send both."""
    return _from_url(given if given.startswith(("data:", "http:", "https:")) else f"data:;base64,{given}", most, what)


def _from_url(url: str, most: int, what: str) -> bytes:
    if not url.startswith("data:"):
        raise UsageError(
            f"The {what} {url[:100]!r} is a web address, and Glassloop does not download it: "
            "download it and give its bytes, or a data: URL."
        )
    head, comma, body = url[5:].partition(",")
    if not comma or len(body) > 3 * most + 100:
        raise UsageError(f"The data: URL of the {what} is broken or too long: write data:image/png;base64,….")
    if not head.endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode(body.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise UsageError(
            f"The data: URL of the {what} is not valid base64 ({error}): encode its bytes again."
        ) from error


def _check_type(said: str | None, found: str, name: str) -> None:
    if said is not None and _SAME.get(said.lower(), said.lower()) != found:
        raise UsageError(f"{name or 'The image'!r} is declared as {said!r} but is {found!r}: omit the media type.")


def _image(data: bytes, media_type: str, name: str) -> Attachment:
    width, height = pixels_of(data, media_type)
    if max(width, height) > MAX_SIDE:
        raise UsageError(
            f"{name or 'The image'!r} is {width:,}×{height:,} pixels, and {MAX_SIDE:,} a side are taken: make it "
            "smaller."
        )
    if len(data) > MAX_IMAGE_BYTES:
        raise UsageError(
            f"{name or 'The image'!r} has {len(data):,} bytes, and {MAX_IMAGE_BYTES:,} are taken: make it smaller."
        )
    return _attachment(data, media_type, name or "image", width=width, height=height)


def _file(data: bytes, name: str) -> Attachment:
    media_type = media_type_of(data)
    if media_type in IMAGES:
        return _image(data, media_type, name)
    if media_type in (PDF, DOCX):
        return _attachment(data, media_type, name or "file")
    if kind := other_image(data[:12]):
        raise UsageError(f"{name or 'The file'!r} is {kind}: save it as PNG, JPEG, WebP or GIF.")
    return _attachment(data, TEXT, name or "file", text=_text(data, name))


def _text(data: bytes, name: str) -> str:
    from glassloop.retrieval.documents.blocks import Unreadable
    from glassloop.retrieval.documents.files import decode

    if len(data) > 4 * MAX_READ_CHARS:
        raise UsageError(
            f"{name or 'The file'!r} has {len(data):,} bytes, and {MAX_READ_CHARS:,} characters of text are taken: "
            "shorten it, or add it to the knowledge base."
        )
    try:
        return decode(data).replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    except Unreadable as error:
        raise UsageError(f"{name or 'The file'!r} {error}.") from error


def _attachment(data: bytes, media_type: str, name: str, **more: Any) -> Attachment:
    called = clean_name(name)
    if "." not in called:
        called += SUFFIXES[media_type]
    digest = "" if more.get("text") else hashlib.sha256(data).hexdigest()
    return Attachment(name=called, media_type=media_type, size=len(data), sha256=digest, **more)
