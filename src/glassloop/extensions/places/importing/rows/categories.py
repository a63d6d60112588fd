"""Categories of other makers as codes of ours: NAICS where the file or the name tells it, else the maker's own name."""

import re

NAICS = re.compile(r"\d{2,6}(\.0)?")
_WORDS = re.compile(r"[^0-9a-z]+")
MAX_NAME_CHARS = 200


def category_code(
    given: str, name: str | None, parent: str | None, label: str | None = None
) -> tuple[str, str, str | None]:
    """The code, the name and the name of the category above it, where that is known by NAICS."""
    if NAICS.fullmatch(given):
        code = given.removesuffix(".0")
        return code, (name or code)[:MAX_NAME_CHARS], parent if parent and len(code) > 4 else None
    shown = name or (label.rpartition(">")[2].strip() if label else "") or _readable(given)
    return given[:MAX_NAME_CHARS], shown[:MAX_NAME_CHARS], None


def _readable(slug: str) -> str:
    words = " ".join(_WORDS.split(slug.casefold())).strip()
    return words.capitalize() or slug
