"""Finding the text that an edit names: as it is, then by ever looser forms, and never in a place that is in doubt.

The forms are tried in order, and the first with exactly as many matches as are wanted is taken: byte for byte, with the
file's newlines, ignoring trailing blanks, ignoring indentation, ignoring kinds of quotes, by the words. Pure.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from glassloop.extensions.code.files.indentation import indent_of, reindented
from glassloop.extensions.code.files.loose_match import loose_spans
from glassloop.extensions.code.files.quotes import fold_quotes, requoted, unescaped
from glassloop.extensions.code.files.text import newline_of, with_newlines

MatchForm = Literal["exact", "newline", "trailing", "indent", "quotes", "words"]


class MatchedSpan(msgspec.Struct, frozen=True, gc=False):
    """Characters of the file that `old` stands for, and what comes in their place; lines from 1 on."""

    begin: int
    end: int
    first_line: int
    last_line: int
    text: str = ""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """All places of one form."""

    form: MatchForm
    spans: list[MatchedSpan]

    def applied(self, text: str) -> str:
        """The file with all places replaced."""
        parts: list[str] = []
        at = 0
        for span in self.spans:
            parts += (text[at : span.begin], span.text)
            at = span.end
        return "".join((*parts, text[at:]))


class Ambiguous(Exception):
    """More places than wanted, by their lines."""

    def __init__(self, spans: Sequence[MatchedSpan]) -> None:
        super().__init__()
        self.spans = spans


class FileLines:
    """A text by its lines, with where each begins. `plain` is without the ends."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw = text.split("\n")
        self.plain = [line[:-1] if line.endswith("\r") else line for line in self.raw]
        if self.raw[-1].endswith("\r"):
            self.plain[-1] = self.raw[-1]
        self.begins = [0] * len(self.raw)
        at = 0
        for place, line in enumerate(self.raw):
            self.begins[place] = at
            at += len(line) + 1

    def line_end(self, place: int) -> int:
        """Where the text of a line ends, before its newline."""
        return self.begins[place] + len(self.plain[place])


def find_match(text: str, old: str, new: str, count: int) -> Match | None:
    """The places of `old`, with what is to be written there; None where no form has so many.

    Raises `Ambiguous` where a form has more than are wanted.
    """
    style = newline_of(text) if "\n" in text else "mixed"
    spans = _exact(text, old)
    if len(spans) == count:
        return Match(form="exact", spans=[_put(span, with_newlines(new, style)) for span in spans])
    most = spans
    lines = FileLines(text)
    for form, finder in _FORMS:
        if len(spans := finder(lines, old, new)) == count:
            return Match(form=form, spans=[_put(span, _as_there(lines, span, span.text)) for span in spans])
        most = spans if len(spans) > len(most) else most
    if len(most) > count:
        raise Ambiguous(most)
    return None


def _exact(text: str, old: str) -> list[MatchedSpan]:
    spans: list[MatchedSpan] = []
    at, line, counted = text.find(old), 1, 0
    while at >= 0:
        line += text.count("\n", counted, at)
        counted = at
        spans.append(MatchedSpan(at, at + len(old), line, line + old.rstrip("\n").count("\n")))
        at = text.find(old, at + len(old))
    return spans


def _put(span: MatchedSpan, text: str) -> MatchedSpan:
    return msgspec.structs.replace(span, text=text)


def _as_there(lines: FileLines, span: MatchedSpan, text: str) -> str:
    """A text with the newlines of the file; where it has both kinds, with those of the place."""
    style = newline_of(lines.text)
    if style == "mixed":
        first = span.first_line - 1
        style = "crlf" if lines.raw[first].endswith("\r") else "lf"
    return with_newlines(text, style) if "\n" in lines.text else text


def _newline(lines: FileLines, old: str, new: str) -> list[MatchedSpan]:
    return [_put(span, new) for span in _by_lines(lines, _plain_lines(old), _same)]


def _trailing(lines: FileLines, old: str, new: str) -> list[MatchedSpan]:
    given = _plain_lines(old)
    wanted = [line.rstrip(" \t") for line in given]
    return [_put(span, new) for span in _by_lines(lines, wanted, _rstrip, whole_end=wanted[-1] != given[-1])]


def _same(line: str) -> str:
    return line


def _rstrip(line: str) -> str:
    return line.rstrip(" \t")


def _plain_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _by_lines(
    lines: FileLines, wanted: list[str], form: Callable[[str], str], *, whole_end: bool = False
) -> list[MatchedSpan]:
    """Places by lines in a form that keeps the beginning of each line. The first line may begin anywhere in its line,
    the last may end anywhere unless `whole_end`."""
    have = [form(line) for line in lines.plain]
    if len(wanted) == 1:
        return _within_lines(lines, have, wanted[0], whole_end)
    spans: list[MatchedSpan] = []
    first, middle, last = wanted[0], wanted[1:-1], wanted[-1]
    place, reach = 0, len(wanted) - 1
    while place + reach < len(have):
        end = have[place + reach]
        fits = have[place].endswith(first) and have[place + 1 : place + reach] == middle
        if fits and (end == last if whole_end else end.startswith(last)):
            begin = lines.begins[place] + len(have[place]) - len(first)
            stop = lines.line_end(place + reach) if end == last and last else lines.begins[place + reach] + len(last)
            spans.append(MatchedSpan(begin, stop, place + 1, place + reach + (1 if last else 0)))
            place += max(reach, 1)
        else:
            place += 1
    return spans


def _within_lines(lines: FileLines, have: list[str], wanted: str, whole_end: bool) -> list[MatchedSpan]:
    spans: list[MatchedSpan] = []
    for place, line in enumerate(have):
        if whole_end:
            if line.endswith(wanted) and wanted:
                begin = lines.begins[place] + len(line) - len(wanted)
                spans.append(MatchedSpan(begin, lines.line_end(place), place + 1, place + 1))
            continue
        at = line.find(wanted)
        while at >= 0 and wanted:
            begin = lines.begins[place] + at
            spans.append(MatchedSpan(begin, begin + len(wanted), place + 1, place + 1))
            at = line.find(wanted, at + len(wanted))
    return spans


def _indent(lines: FileLines, old: str, new: str) -> list[MatchedSpan]:
    return _whole_lines(lines, old, new, _same)


def _whole_lines(lines: FileLines, old: str, new: str, form: Callable[[str], str]) -> list[MatchedSpan]:
    """Whole lines, compared without what is before and after their text; `new` is indented as the file is."""
    given = _plain_lines(old)
    ended = len(given) > 1 and not given[-1].strip()
    if ended:
        given = given[:-1]
    wanted = [form(line.strip()) for line in given]
    if not any(wanted):
        return []
    have = [form(line.strip()) for line in lines.plain]
    spans: list[MatchedSpan] = []
    place = 0
    while place + len(wanted) <= len(have):
        if have[place] != wanted[0] or have[place : place + len(wanted)] != wanted:
            place += 1
            continue
        last = place + len(wanted) - 1
        text = _as_indented(given, lines.plain[place : last + 1], _plain_lines(new), lines.plain)
        if text is None:
            return []
        end = lines.line_end(last)
        if ended and last + 1 < len(lines.raw):
            end = lines.begins[last + 1]
        spans.append(MatchedSpan(lines.begins[place], end, place + 1, last + 1, text))
        place += len(wanted)
    return spans


def _as_indented(given: list[str], there: list[str], new: list[str], lines: list[str]) -> str | None:
    """`new` as the file would have it; where its quotes are not those of `given`, with its own."""
    written = reindented(given, there, new, lines)
    if written is None:
        return None
    if all(mine.strip() == their.strip() for mine, their in zip(given, there, strict=True)):
        return "\n".join(written)
    before = [indent_of(their) + mine.strip() for mine, their in zip(given, there, strict=True)]
    return requoted("\n".join(before), "\n".join(written), "\n".join(there))


def _quotes(lines: FileLines, old: str, new: str) -> list[MatchedSpan]:
    """With all kinds of quotes taken for one; what `new` has in common with `old` stays as the file has it."""
    for plain_old, plain_new in ((old, new), (unescaped(old), unescaped(new))):
        wanted = [fold_quotes(line).rstrip(" \t") for line in _plain_lines(plain_old)]
        whole = wanted[-1] != fold_quotes(_plain_lines(plain_old)[-1])
        spans = _by_lines(lines, wanted, lambda line: fold_quotes(line).rstrip(" \t"), whole_end=whole)
        if spans:
            return [_put(span, requoted(plain_old, plain_new, lines.text[span.begin : span.end])) for span in spans]
        if spans := _whole_lines(lines, plain_old, plain_new, fold_quotes):
            return spans
    return []


def _words(lines: FileLines, old: str, new: str) -> list[MatchedSpan]:
    """Whole lines by their words (`loose_match`); where nothing is to be written, their last newline goes as well."""
    spans: list[MatchedSpan] = []
    for first, last, text in loose_spans(lines.plain, old, new):
        gone = not text and last + 1 < len(lines.raw)
        end = lines.begins[last + 1] if gone else lines.line_end(last)
        spans.append(MatchedSpan(lines.begins[first], end, first + 1, last + 1, text))
    return spans


_FORMS: tuple[tuple[MatchForm, Callable[[FileLines, str, str], list[MatchedSpan]]], ...] = (
    ("newline", _newline),
    ("trailing", _trailing),
    ("indent", _indent),
    ("quotes", _quotes),
    ("words", _words),
)
