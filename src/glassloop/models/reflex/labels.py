"""Labels of what a tool returned, in Chinese, for whoever asked in Chinese: title, filters, totals, columns, sections.

Owns where labels stand in a report's text. What they are called is the dictionary's of whoever has the tools: a pack
makes it known with `learn`. Only labels are changed, never a value, so that every figure stays as the tool gave it.
"""

import re
from collections.abc import Mapping
from itertools import pairwise

MOST = 2000
_learnt: dict[str, str] = {}

_RULE = re.compile(r"^\|(?: ?:?-+:? ?\|)+$")
_UNIT = re.compile(r"^(.*?)( \([^()]*\))?$")
_FIGURE = re.compile(r"^(?P<label>[A-Za-z][A-Za-z ]*?)(?P<value> (?:[-+–\d]).*)$")
_BETWEEN = re.compile(r", (?=[a-z])")
_ROWS = re.compile(r"^Rows (\d+) of ([\d,]+):$")
_DAYS = re.compile(r"^(\d{4}-\d\d-\d\d)(?: to (\d{4}-\d\d-\d\d))?(?: \((.+)\))?$")
_NAMED_DAYS = re.compile(r"^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d")
_COMPARED = re.compile(r"^Compared with (?>(.+?): )(?>(.+)\. Then: )(.+)\.$")


def learn(labels: Mapping[str, str]) -> None:
    """Makes known what labels are called in Chinese; lower case, as far as there are no names in them."""
    for label, chinese in labels.items():
        if len(_learnt) < MOST:
            _learnt[label] = chinese


def in_chinese(text: str) -> str:
    """The text with the labels that are known; any other text as it is."""
    lines = text.split("\n")
    if " · as of " not in lines[0] or not _learnt:
        return text
    below = [_line(line, following) for line, following in pairwise((*lines[1:], ""))]
    return "\n".join((_head(lines[0]), *below))


def _head(line: str) -> str:
    return " · ".join(_part(part) for part in line.split(" · "))


def _part(part: str) -> str:
    if part.startswith("as of "):
        return f"{_said('as of')} {part[6:]}"
    if days := _DAYS.match(part):
        until = f" 至 {days[2]}" if days[2] else ""
        return f"{days[1]}{until}{f'（{_said(days[3])}）' if days[3] else ''}"
    label, colon, value = part.partition(": ")
    if colon and label.lower() in _learnt:
        return f"{_said(label)}：{_said(value)}"
    return _said(part)


def _line(line: str, following: str) -> str:
    if _RULE.match(following) and line.startswith("|"):
        cells = line.strip("|").split("|")
        return f"| {' | '.join(_column(cell.strip()) for cell in cells)} |"
    if line.startswith("|"):
        return "|".join(
            f" {_part(cell.strip())} " if _NAMED_DAYS.match(cell.strip()) else cell for cell in line.split("|")
        )
    if line.startswith("Totals: "):
        return f"{_said('totals')}：{_figures(line[8:].rstrip('.'))}。"
    if compared := _COMPARED.match(line):
        return f"与 {_part(compared[1])} 相比：{_figures(compared[2])}。当时：{_figures(compared[3])}。"
    if rows := _ROWS.match(line):
        return f"{_said('rows')}（{rows[1]} / {rows[2]}）："
    if line.endswith(":") and line[:-1].lower() in _learnt:
        return f"{_said(line[:-1])}："
    return _said(line) if line.lower() in _learnt else line


def _figures(text: str) -> str:
    return "，".join(_figure(part) for part in _BETWEEN.split(text))


def _figure(part: str) -> str:
    match = _FIGURE.match(part)
    return f"{_said(match['label'])}{match['value']}" if match else part


def _column(cell: str) -> str:
    match = _UNIT.match(cell)
    return f"{_said(match[1])}{match[2] or ''}" if match else cell


def _said(label: str) -> str:
    return _learnt.get(label.lower(), label)
