"""Safe text for a terminal, from anything a model, a tool, a file or a person wrote.

`safe_text` leaves out what could steer the terminal or reorder what one reads; `exact` shows it instead, where a person
must see what is really there, `plain_json` in JSON. All keep the words; none knows about colours or layout.
"""

import re

import msgspec

from glassloop.core.records import Json

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, or turning text
    "\ud800-\udfff"  # half characters that cannot be written
    "\U000e0000-\U000e007f]"  # tags: invisible letters
)
_IN_JSON = re.compile(f"{_STEERING.pattern}|[\u2028\u2029]")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_FIGURE_PART = re.compile(r"[\d.,:%-]")
_FIGURE_TAIL = re.compile(r"[-+$€£¥]?\d[\d.,:%-]{0,200}$")
_PASTED = 400_000
MAX_SHOWN_CHARS = 20_000
"""Of what a person decides about."""


def safe_text(text: str, most: int = _PASTED) -> str:
    """The text without control characters; lines stay lines, tabs become spaces, and at most `most` characters stay."""
    kept = _STEERING.sub("", _BREAKS.sub("\n", text[:most])).replace("\t", "    ")
    return f"{kept}…" if len(text) > most else kept


def one_line(text: str, most: int) -> str:
    """The text inert and on one line of at most `most` characters."""
    flat = " ".join(safe_text(text, 4 * most).split())
    return flat if len(flat) <= most else f"{before_figure(flat, flat[: most - 1].rstrip())}…"


def clip(text: str, cells: int) -> str:
    """One line in so many cells of a terminal, cut before a figure rather than inside it."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= cells:
        return text
    kept = set_cell_size(text, max(0, cells - 1)).rstrip()
    return f"{before_figure(text, kept)}…"


def before_figure(text: str, kept: str) -> str:
    """The beginning of a text, without the figure at its end that goes on behind it."""
    goes_on = _FIGURE_PART.match(text, len(kept)) if text.startswith(kept) else None
    if goes_on is None or not _FIGURE_PART.match(kept[-1:]):
        return kept
    shorter = _FIGURE_TAIL.sub("", kept)
    # What is one long figure has to be cut somewhere.
    return shorter or kept


def exact(text: str) -> str:
    """The text with every steering character written out, such as `\\x1b`; newlines and tabs stay what they are."""
    return _STEERING.sub(_written_out, text)


def exact_json(value: Json) -> str:
    """A JSON value over several lines, complete, with steering characters written out."""
    return exact(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def plain_json(raw: bytes) -> bytes:
    """The same JSON, with every steering character in its strings written as `\\uXXXX`: a program reads what was there,
    a terminal obeys none of it."""
    if raw.isascii() and b"\x7f" not in raw:
        return raw
    return _IN_JSON.sub(lambda found: _json_escape(found[0]), raw.decode("utf-8", "surrogatepass")).encode()


def json_line(value: Json, most: int) -> str:
    """A JSON value on one line of at most `most` characters."""
    return one_line(msgspec.json.encode(value).decode(), most)


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def bounded(text: str) -> str:
    """The text as far as a person may be expected to read it; that there is more is said."""
    if len(text) <= MAX_SHOWN_CHARS:
        return text
    hidden = len(text) - MAX_SHOWN_CHARS
    return f"{text[:MAX_SHOWN_CHARS]}\n({hidden:,} more characters not shown: approve only if you know what they are.)"
