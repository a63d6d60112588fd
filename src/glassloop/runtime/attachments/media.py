"""Media types by content, and the pixels of an image by its header. Names and what others say of a file do not count.

Reads headers only; nothing here decodes an image.
"""

import struct
from typing import Final

PDF: Final = "application/pdf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TEXT: Final = "text/plain"
IMAGES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What models see, and browsers show without running anything in it."""

SUFFIXES: Final = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    PDF: ".pdf",
    DOCX: ".docx",
    TEXT: ".txt",
}
MAX_SEGMENTS = 1_000
"""Of a JPEG before the one with its size."""

_OTHER_IMAGES = {b"BM": "BMP", b"II*\x00": "TIFF", b"MM\x00*": "TIFF", b"\x00\x00\x01\x00": "ICO"}
_HEIF = (b"heic", b"heix", b"heif", b"mif1", b"msf1", b"avif", b"hevc")


def media_type_of(data: bytes) -> str:
    """The media type of what is known for certain; empty for anything else, which may be text."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if b"%PDF-" in data[:1024]:
        return PDF
    if data.startswith(b"PK\x03\x04") and b"word/" in data:
        return DOCX
    return ""


def other_image(data: bytes) -> str:
    """The name of a kind of image that is not taken; empty where it is none."""
    for start, name in _OTHER_IMAGES.items():
        if data.startswith(start):
            return name
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF:
        return "HEIC or AVIF"
    return "SVG" if b"<svg" in data[:2048].lower() else ""


def pixels_of(data: bytes, media_type: str) -> tuple[int, int]:
    """Width and height; zeros where the header does not tell."""
    try:
        match media_type:
            case "image/png":
                return struct.unpack(">II", data[16:24])
            case "image/gif":
                return struct.unpack("<HH", data[6:10])
            case "image/webp":
                return _webp_pixels(data)
            case "image/jpeg":
                return _jpeg_pixels(data)
            case _:
                return 0, 0
    except (struct.error, IndexError):
        return 0, 0


def _webp_pixels(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


def _jpeg_pixels(data: bytes) -> tuple[int, int]:
    at = 2
    for _ in range(MAX_SEGMENTS):
        while data[at] == 0xFF and data[at + 1] == 0xFF:
            at += 1
        marker = data[at + 1]
        if data[at] != 0xFF:
            break
        # All frame headers but those of tables (C4, C8, CC).
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        if marker in (0x01, *range(0xD0, 0xD9)):
            at += 2
        else:
            at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return 0, 0
