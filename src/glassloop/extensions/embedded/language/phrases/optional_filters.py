"""Filters that nobody needs to give: filled only with what the question clearly says for them.

A wrong filter finds nothing, where none would have found what was asked for. So what is left of a question goes into a
search box, never into a filter; a name goes into one filter, the one it was said for.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.text_terms import SMALL_WORDS, has_cjk, stem, word_set
from glassloop.extensions.embedded.language.lexicon.terms import THIN, WEAK_WORDS
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.phrases.remainder import PHRASES
from glassloop.extensions.embedded.language.phrases.single_values import is_denied
from glassloop.extensions.embedded.language.question import ParsedQuestion, TextPiece

_SEARCHES = word_set("search find lookup query")
BOXES = word_set("query search q text topic question keyword keywords term terms words subject")
_EXAMPLES = re.compile(r"(?:such as|like|e\.g\.|for example|:)\s+([^.;()]+)", re.IGNORECASE)
_SPLIT = re.compile(r"(?:(?<!\s)\s++)?,\s*+|(?<!\s)\s++(?:or|and)\s++")
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|containing|mentioning|titled|called|named|with\s+the\s+words?|for\s+the\s+words?)\s+"
    r"|关于|包含|提到|标题",
    re.IGNORECASE,
)
_ONE_SIDED = re.compile(
    r"\b(?:since|from|after|until|till|before|by|between|starting|ab|seit|bis|vor|nach)\b|以来|之后|以后|之前|以前|从|到",
    re.IGNORECASE,
)
_GRADE = re.compile(r"(?<![\w-])[A-Z]{2,6}\d{0,3}\s(?:\d+[A-Z]{1,3}|[A-Z]{1,3}\d+)(?![\w-])", re.ASCII)
_THINGS = frozenset(map(stem, word_set("item product material part article sku goods")))
_GUESSED = frozenset({"text", "name", "place", "identifier"})


def without_guesses(
    spec: ToolSpec, parameters: Sequence[ParameterHints], question: ParsedQuestion, args: Mapping[str, Json]
) -> dict[str, Json]:
    """The arguments without those that were only guessed for a filter of a tool that reads."""
    kept = dict(args)
    if spec.effect != "read":
        return kept
    optional = [p for p in parameters if not p.required and p.kind in _GUESSED and isinstance(kept.get(p.name), str)]
    for parameter in optional:
        if not _is_said(spec, parameter, question, str(kept[parameter.name])):
            del kept[parameter.name]
    _share_out([p for p in optional if p.name in kept], question, kept)
    _add_examples(parameters, question, kept)
    _place_grade(parameters, question, kept)
    _close_dates(parameters, question, kept)
    return kept


def examples_of(parameter: ParameterHints) -> list[str]:
    """Values that its description or schema names."""
    given = parameter.schema.get("examples")
    found = [str(each) for each in given if isinstance(each, str)] if isinstance(given, list) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    for listed in _EXAMPLES.findall(parameter.description):
        found += [part.strip() for part in _SPLIT.split(listed) if 0 < len(part.strip()) <= 40]
    return found


def _is_said(spec: ToolSpec, parameter: ParameterHints, question: ParsedQuestion, value: str) -> bool:
    if parameter.kind == "identifier" or value in {quoted.text for quoted in question.quoted}:
        return True
    if re.search(rf"\b{re.escape(parameter.name)}\s*[:=]", question.text):
        return True
    box = bool(BOXES & set(name_words(parameter.name)))
    if parameter.kind == "text":
        return (
            box
            and not _says_nothing(value)
            and (bool(_SEARCHES & set(name_words(spec.name))) or _ABOUT.search(question.text) is not None)
        )
    if has_cjk(value):
        return False
    examples = {example.lower() for example in examples_of(parameter)}
    return value.lower() in examples or value[:1].isupper() or any(map(str.isdigit, value))


def _says_nothing(value: str) -> bool:
    """Whether a search for it would look for small words only: `still`, `status of`."""
    words = re.findall(r"[^\W_]+", value.lower())
    return all(word in SMALL_WORDS or word in PHRASES or stem(word) in WEAK_WORDS | THIN for word in words)


def _share_out(parameters: Sequence[ParameterHints], question: ParsedQuestion, args: dict[str, Json]) -> None:
    """One value stays with the filter that names it as an example, else with the one whose word stands beside it, else
    with the first."""
    by_value: dict[str, list[ParameterHints]] = {}
    for parameter in parameters:
        by_value.setdefault(str(args[parameter.name]), []).append(parameter)
    for value, several in by_value.items():
        named = [p for p in several if value.lower() in {example.lower() for example in examples_of(p)}]
        beside = [p for p in several if _stands_beside(p, question.text, value)]
        chosen = (named or beside or several)[0]
        for parameter in several:
            if parameter is not chosen:
                del args[parameter.name]


def _stands_beside(parameter: ParameterHints, text: str, value: str) -> bool:
    before, _, after = text.partition(value)
    around = [*re.findall(r"[^\W\d_]+", before.lower())[-2:], *re.findall(r"[^\W\d_]+", after.lower())[:1]]
    return not parameter.nouns.isdisjoint(map(stem, around))


def _add_examples(parameters: Sequence[ParameterHints], question: ParsedQuestion, args: dict[str, Json]) -> None:
    """A value that a filter names itself is meant for it when it is said, and for no other that does not."""
    known = {p.name: {example.lower() for example in examples_of(p)} for p in parameters}
    for parameter in parameters:
        if parameter.name in args or parameter.kind not in ("text", "name", "place"):
            continue
        for example in sorted(examples_of(parameter), key=len, reverse=True):
            if not is_said(question.text, example):
                continue
            if any(example.lower() in str(value).lower().split() and " " in str(value) for value in args.values()):
                continue
            holders = [name for name, value in args.items() if str(value).lower() == example.lower()]
            if any(example.lower() in known.get(name, ()) for name in holders):
                continue
            for name in holders:
                del args[name]
            args[parameter.name] = example
            break


def _place_grade(parameters: Sequence[ParameterHints], question: ParsedQuestion, args: dict[str, Json]) -> None:
    """A material or part by its grade, `ABS 757K`, is no firm and nobody: it goes where things are filtered by."""
    match = _GRADE.search(question.text)
    if match is None:
        return
    for parameter in parameters:
        if parameter.kind in ("name", "place") and str(args.get(parameter.name, "-")) in match.group():
            del args[parameter.name]
    thing = next((p for p in parameters if not _THINGS.isdisjoint(p.nouns) and p.schema.get("type") == "string"), None)
    if thing is not None and not any(match.group() in str(value) for value in args.values()):
        args[thing.name] = match.group()


def _close_dates(parameters: Sequence[ParameterHints], question: ParsedQuestion, args: dict[str, Json]) -> None:
    """One day that is said is the whole of a period from one day to another."""
    names = {tuple(name_words(p.name)): p.name for p in parameters}
    first, last = names.get(("start", "date")), names.get(("end", "date"))
    alone = len(question.dates) == 1 and _ONE_SIDED.search(question.text) is None
    if first and last and first in args and last not in args and alone:
        args[last] = args[first]


def other_words(parameter: ParameterHints, choice: str) -> list[str]:
    """What a description calls a choice beside its name: `late (overdue, 逾期)`."""
    match = re.search(rf"(?<!\w){re.escape(choice)}\s*+\(([^)]{{1,300}})\)", parameter.description)
    return [word for part in match[1].split(",") if (word := part.strip())] if match else []


class ChoiceAlias(msgspec.Struct, frozen=True):
    """A choice that is called by another word, and where that stands, if it is said just so."""

    choice: Json
    found: TextPiece | None


def aliased(parameter: ParameterHints, text: str) -> ChoiceAlias | None:
    """The choice one of whose other words is said. The longest counts: `not complete` is not `complete`."""
    called = [(word, choice) for choice in parameter.choices for word in other_words(parameter, str(choice))]
    for word, choice in sorted(called, key=lambda pair: -len(pair[0])):
        if is_said(text, word):
            at = text.lower().find(word.lower())
            if at < 0 or not is_denied(text, at):
                return ChoiceAlias(choice, TextPiece(word, at, at + len(word)) if at >= 0 else None)
    return None


def is_said(text: str, word: str) -> bool:
    if has_cjk(word):
        return word in text
    stems = [stem(part) for part in re.findall(r"[^\W\d_]+", word.lower())]
    spoken = [stem(part) for part in re.findall(r"[^\W\d_]+", text.lower())]
    return bool(stems) and any(spoken[at : at + len(stems)] == stems for at in range(len(spoken) - len(stems) + 1))
