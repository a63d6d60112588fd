"""Decoding of bytes to text, in an encoding that is certain: marked, declared, or provable. Guesses are refused."""

import codecs
import re

from glassloop.retrieval.documents.limits import Unreadable

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


def decode(raw: bytes, declared: str = "") -> str:
    """The text. `declared`: an encoding said by whoever sent it."""
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
    for said in (declared, _declaration(raw)):
        if said and _is_known(said):
            return _strict(raw, said)
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
