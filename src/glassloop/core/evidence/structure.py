"""Structural parts of a text: numbering, headings, references, footnotes, exponents, URLs, code fences.

Finds where such a part ends, so that the scan in `figures` can skip it. Every look back is bounded.
"""

import re

_URL = re.compile(r"""[^\s<>"'`|、-〿一-鿿！-･）]*+""")
RUN = re.compile(
    r"[0-9]{1,3}(?:[ \xa0\u2009\u202f][0-9]{3}(?![0-9])){1,5}+(?:[.,][0-9]++)?+"
    r"|[0-9]++(?:[.,'][0-9]++){0,12}+|\.[0-9]++"
)
_LINE_HEAD = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+•][ \t]+)?(?P<heading>#{1,6}[ \t]+)?[*_]{0,2}\(?")
_NUMBERING = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,2}){0,3}(?:[.)](?=[*_]{0,2}[ \t]+\S)|、)")
_HEADING_NUMBER = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,2}){0,3}[.)]?(?=[ \t]+[A-Z一-鿿*])")
_REFERENCE = re.compile(
    r"(?:(?<![A-Za-z])(?:steps?|sections?|figure|fig\.|footnote|items?|options?|chapter|points?|(?<!for )example"
    r"|question|approach|variant|Schritt|Abschnitt|Kapitel|Punkt|(?<!zum )Beispiel|Frage)"
    r"[ \xa0]#?|§ ?|\[rows? |(?:步骤|脚注|选项|方案|示例) ?)$",
    re.IGNORECASE,
)
_ORDINAL_PART = re.compile(r"[0-9]{1,3} ?[步节章]")
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_KEYCAP = frozenset({"\ufe0f", "\u20e3"})
_FOOTNOTE = re.compile(r"[0-9]{1,3}\]")
_POWER = re.compile(r"[A-Za-z)\]}]\^\{?$")
_CLOSING_FENCE = {fence: re.compile(rf"\n[ \t>*-]{{0,12}}{fence}[^\n]*") for fence in ("```", "~~~")}
_RANKED = re.compile(
    r"^[ \t]*\|[ \t*]*(?:#|No\.?|Nr\.?|Rank|序号|排名|名次)[ \t*]*\|[^\n]*+(?:\n[ \t]*+\|[^\n]*+)*+",
    re.MULTILINE | re.IGNORECASE,
)
_RANK = re.compile(r"^[ \t]*\|[ \t*]*([0-9]{1,3})[ \t*]*\|", re.MULTILINE)


def match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at + 1 if found is None else max(found.end(), at + 1)


def rank_cells(text: str) -> frozenset[int]:
    """Where tables number their own rows."""
    return frozenset(
        table.start() + row.start(1) for table in _RANKED.finditer(text) for row in _RANK.finditer(table[0])
    )


def structure_end(text: str, at: int, floor: int, ranks: frozenset[int]) -> int:
    """The end of a number that only numbers a part of the text; `at` itself when it is a figure."""
    if at > floor and text[at - 1] in _WORD:
        return at
    if at in ranks:
        return match_end(RUN, text, at)
    line = text.rfind("\n", max(0, at - 40), at) + 1
    if line or at < 40:
        head = _LINE_HEAD.fullmatch(text, line, at)
        if head is not None:
            shape = _HEADING_NUMBER if head["heading"] else _NUMBERING
            if (number := shape.match(text, at)) is not None:
                return number.end()
    if text[at + 1 : at + 2] in _KEYCAP:
        return at + 1
    before = text[max(floor, at - 16) : at]
    if before.endswith(("[", "[^")) and (note := _FOOTNOTE.match(text, at)) is not None:
        return note.end()
    if before.rstrip().endswith("第") and (part := _ORDINAL_PART.match(text, at)) is not None:
        return part.end()
    if _POWER.search(text, max(0, at - 3), at):
        return match_end(RUN, text, at)
    return match_end(RUN, text, at) if _REFERENCE.search(before) else at


def fence_end(text: str, at: int) -> int:
    """A fence opens at the start of a line and runs to its like, or to the end of the text."""
    line = text.rfind("\n", max(0, at - 12), at) + 1
    if text[line:at].strip(" \t>-*") or (not line and at >= 12):
        return at + 3
    fence = text[at : at + 3]
    newline = text.find("\n", at)
    if newline < 0:
        newline = len(text)
    inline = text.find(fence, at + 3, newline)
    if inline >= 0:
        return inline + 3
    closing = _CLOSING_FENCE[fence].search(text, newline)
    return closing.end() if closing is not None else len(text)


def url_end(text: str, at: int) -> int:
    return match_end(_URL, text, at)
