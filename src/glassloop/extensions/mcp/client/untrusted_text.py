"""Text that somebody else's server wrote, made fit to be shown: bounded, and without what hides or reorders words."""

import re
from collections.abc import Iterable

_HIDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_SECRET_CHARS = 6


def plain(text: str, most: int) -> str:
    """The text without invisible characters, at most so many of them."""
    kept = _HIDING.sub("", text[: 4 * most].replace("\r\n", "\n")).strip()
    return kept if len(kept) <= most else f"{kept[: most - 1].rstrip()}…"


def line(text: str, most: int) -> str:
    """The same on one line."""
    flat = " ".join(plain(text, 4 * most).split())
    return flat if len(flat) <= most else f"{flat[: most - 1].rstrip()}…"


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text without these values; those of a few characters are words, not secrets."""
    for secret in secrets:
        if len(secret) >= _SECRET_CHARS:
            text = text.replace(secret, "***")
    return text
