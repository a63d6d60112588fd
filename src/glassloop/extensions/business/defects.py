"""Defects of molded parts: their names in English and Chinese, what causes them, what helps, from `data/defects.toml`.

Owns the words: every name people use for a defect leads to one entry. What happened in which trial is data.
"""

import re
import unicodedata
from functools import cache

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.conditions import clean
from glassloop.extensions.business.data_files import read_toml


class Remedy(msgspec.Struct, frozen=True, array_like=True):
    """A cause and what helps against it, in both languages. `area` is where to look."""

    area: str
    cause_en: str
    cause_zh: str
    remedy_en: str
    remedy_zh: str


class Defect(msgspec.Struct, frozen=True):
    """One kind of defect. The first of each list of names is the usual one."""

    code: str
    en: tuple[str, ...]
    zh: tuple[str, ...]
    remedies: tuple[Remedy, ...]

    @property
    def label(self) -> str:
        """Its usual name in both languages."""
        return f"{self.en[0]} ({self.zh[0]})"


def _load() -> tuple[Defect, ...]:
    return tuple(
        msgspec.convert({"code": code, **defect}, Defect) for code, defect in read_toml("defects.toml").items()
    )


CATALOGUE = _load()
BY_CODE = {defect.code: defect for defect in CATALOGUE}


def find_defect(given: str) -> Defect:
    """The defect that is meant, in either language."""
    found = find_defects(clean(given, "defect"))
    if found:
        return found[0]
    known = ", ".join(defect.label for defect in CATALOGUE)
    raise BadArguments(f"There is no defect {given[:60]!r}. There are: {known}.")


def find_defects(text: str) -> list[Defect]:
    """The defects a text speaks of, in either language, those named first first."""
    plain = _plain(text)
    found: dict[str, int] = {}
    for name, code in _names():
        at = plain.find(name) if not name.isascii() else _find_word(plain, name)
        if at >= 0 and at < found.get(code, len(plain)):
            found[code] = at
    return [BY_CODE[code] for code, _ in sorted(found.items(), key=lambda pair: pair[1])]


def without_defects(text: str) -> str:
    """What a text says beside the names of defects."""
    plain = _plain(text)
    for name, _ in _names():
        plain = plain.replace(name, " ") if not name.isascii() else re.sub(_word(name), " ", plain)
    return " ".join(plain.split())


@cache
def _names() -> list[tuple[str, str]]:
    """Every name with its defect; longer ones first, so that 表面污染 is not read as 污染 alone."""
    every = [
        (_plain(name), defect.code)
        for defect in CATALOGUE
        for name in (*defect.en, *defect.zh, defect.code.replace("_", " "))
    ]
    return sorted(dict(every).items(), key=lambda pair: -len(pair[0]))


def _find_word(text: str, name: str) -> int:
    match = re.search(_word(name), text)
    return match.start() if match else -1


def _word(name: str) -> str:
    # Beside Chinese characters there are no spaces, so only letters of our own kind bound a word.
    return rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])"


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text[:2000]).lower()
    return " ".join(folded.replace("_", " ").replace("-", " ").split())
