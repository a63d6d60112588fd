"""Arguments out of a question: values that a parameter names, identifiers, dates, numbers, names, quoted and free text.

Each step uses up the words it took. What could be for two parameters is used for none.
"""

import re
from collections.abc import Sequence
from typing import Final

from glassloop.core.records import Json
from glassloop.core.text_terms import word_set
from glassloop.extensions.reflex.coverage import Coverage, is_hard, joined
from glassloop.extensions.reflex.question import PhraseIndex, QuestionToken
from glassloop.extensions.reflex.tool import MatchedParameter
from glassloop.extensions.reflex.words import NEUTRAL_PHRASES, NO_NAMES, OWN, norm

_CUES: Final = frozenset(("for", "about", "called", "named", "regarding", "containing"))
_ARTICLES: Final = ("a", "an", "the", "our")
_SAYS: Final = re.compile(r"\b(?:says?|said|about|regarding)\b|关于|怎么规定|如何规定|怎么说", re.IGNORECASE)
_SECOND: Final = re.compile(
    r"\b(?:and|or|but|then) (?:what|which|who|when|where|how|why|is|are|do|does|did|show|list|tell)\b", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"\bbetween (?P<first>[^?]{1,60}?) and (?P<second>[^?]{1,60}?) ?(?:[?.]|$)", re.IGNORECASE)
_FROM_TO: Final = re.compile(
    r"\bfrom (?P<first>[^?]{1,60}?) (?:to|until|till) (?P<second>[^?,]{1,60}?) ?(?:[?.,]|\s(?:take|last|by|on)\b|$)",
    re.IGNORECASE,
)
_FROM_TO_CHINESE: Final = re.compile(
    r"从 ?(?P<first>[^到?？]{1,40}?) ?到 ?(?P<second>[^?？]{1,40}?) ?(?:的|有|要|[?？]|$)"
)
_AT_LEAST: Final = re.compile(r"(?:at least|no less than|至少|不少于|不低于) ?$", re.IGNORECASE)
_AT_MOST: Final = re.compile(r"(?:at most|no more than|up to|至多|最多|不超过) ?$", re.IGNORECASE)
_CODE: Final = re.compile(r"(?=\D{0,200}\d)(?=[\W\d_]{0,200}[^\W\d_]).{6,200}")
_RANKED: Final = frozenset(map(norm, ("busiest", "meistbesuchten", "beliebtesten")))
_GERMAN_ARTICLES: Final = word_set(
    "der die das dem den des ein eine einen einem einer eines im am beim vom zum zur unser unsere unseren unserem "
    "unserer kein keine mein meine meinen meinem meiner welche welcher welches welchen wie viel viele jeder jede jedem"
)
"""A noun after one of them is no name, however it is written."""
_JOINTS: Final = frozenset(("and", "with", "to", "und", "mit", "the", "raid", "raids", "night"))
_IDLE: Final = PhraseIndex(NEUTRAL_PHRASES)
_ENDS: Final = {"since": ("source",), "until": ("target",), "till": ("target",)}


def take_phrases(coverage: Coverage) -> None:
    """Values that parameters name: choices, flags and examples, the longest first."""
    found: list[tuple[list[int], MatchedParameter, Json]] = []
    for parameter in coverage.tool.parameters:
        # Two phrases that are compared alike, such as a name and its plural, are one: the first.
        values: dict[tuple[int, ...], Json] = {}
        for number, spots in coverage.find_all(parameter.index):
            value = parameter.phrases[number][1]
            said = [_shaped(coverage, places) for places in spots] if parameter.shapes else spots
            for places in said:
                values.setdefault(tuple(places), value)
        found += [(list(places), parameter, value) for places, value in values.items() if places]
    idle = [set(places) for _, spots in coverage.find_all(_IDLE) for places in spots]
    found = [each for each in found if not any(set(each[0]) < places for places in idle)]
    found.sort(key=lambda each: -len(each[0]))
    for places, parameter, value in found:
        own = {str(value).lower(), str(coverage.args.get(parameter.name)).lower()} <= OWN
        rivals = {other.name for spots, other, _ in found if set(places) <= set(spots)}
        if own and coverage.is_free(places):
            coverage.take(places, "argument")
        elif not coverage.is_free(places):
            inside = any(set(places) < set(spots) for spots, _, _ in found)
            if not inside and coverage.args.get(parameter.name) != value:
                coverage.doubtful |= set(places)
        elif len(rivals) == 1 and parameter.name not in coverage.args:
            beside = coverage.named_beside(places[0], places[-1], parameter)
            coverage.fill(parameter, value, [*places, *beside])
            coverage.spoken |= {at for at in places if coverage.tokens[at].norm in coverage.tool.subject}
        elif {p.role for p in coverage.tool.parameters if p.name in rivals} != {"source", "target"}:
            coverage.take(places, "argument")
            coverage.doubtful |= set(places)


def _shaped(coverage: Coverage, places: list[int]) -> list[int]:
    """The value of a shaping parameter with the word before it that asks for it; nothing where there is none."""
    if coverage.before(places[0]) in ("by", "per"):
        return [places[0] - 1, *places]
    text = coverage.question.text[: coverage.tokens[places[0]].start].rstrip()
    return [*coverage.within(len(text) - 1, len(text)), *places] if text.endswith("按") else []


def take_pairs(coverage: Coverage) -> None:
    """`from A to B` and `between A and B`, for two parameters that are such a pair."""
    text = coverage.question.text
    found = _BETWEEN.search(text) or _FROM_TO.search(text) or _FROM_TO_CHINESE.search(text)
    free = coverage.open("text", "date", "choice")
    sources, targets = ([p for p in free if p.role == role] for role in ("source", "target"))
    if found is None or len(sources) != 1 or len(targets) != 1:
        return
    first = _end_of_pair(coverage, sources[0], *found.span("first"))
    second = _end_of_pair(coverage, targets[0], *found.span("second"))
    if first is not None and second is not None:
        coverage.fill(sources[0], first, coverage.within(found.start(), found.end("second")))
        coverage.fill(targets[0], second, ())


def _end_of_pair(coverage: Coverage, parameter: MatchedParameter, start: int, end: int) -> str | None:
    """One end of a pair: a date for a date, else a name."""
    tokens = [coverage.tokens[at] for at in coverage.within(start, end)]
    if parameter.kind == "date":
        return tokens[0].text if len(tokens) == 1 and tokens[0].kind == "date" else None
    if parameter.kind == "text" and tokens and all(token.is_name or token.kind == "quoted" for token in tokens):
        return coverage.question.text[start:end].strip().strip('"“”')
    return None


def take_identifiers(coverage: Coverage) -> None:
    """Identifiers that begin as a parameter's example does. One that is needed names the tool, too."""
    for at in coverage.left():
        token = coverage.tokens[at]
        prefix = re.split(r"-\d", token.norm)[0] if token.kind == "identifier" else None
        takers = [p for p in coverage.tool.parameters if prefix in p.prefixes and p.kind == "text"]
        if len(takers) == 1 and takers[0].name not in coverage.args:
            coverage.fill(takers[0], token.text, [at, *coverage.named_beside(at, at, takers[0])])
            if takers[0].required:
                coverage.spoken.add(at)
    _take_code(coverage)


def _take_code(coverage: Coverage) -> None:
    """The one code of letters and digits, for the one parameter that takes codes; two for two, in their order."""
    takers = [parameter for parameter in coverage.open("text") if parameter.coded]
    words = [at for at in coverage.left() if coverage.tokens[at].kind == "word"]
    codes = [at for at in words if _CODE.fullmatch(coverage.tokens[at].text)]
    if len(takers) != len(codes) or len(codes) > 2:
        return
    for at, taker in zip(codes, takers, strict=True):
        coverage.fill(taker, coverage.tokens[at].text, [at, *coverage.named_beside(at, at, taker)])
    if len(codes) == 2:
        between = [at for at in range(codes[0] + 1, codes[1]) if at not in coverage.taken]
        if all(coverage.tokens[at].text.lower() in _JOINTS for at in between):
            coverage.take(between, "argument")


def take_dates(coverage: Coverage) -> None:
    """Days as they are written. `since` and `until` give one end; a single day is both."""
    times, clock = coverage.open("time"), [at for at in coverage.left() if coverage.tokens[at].kind == "time"]
    if len(clock) == 1 and len(times) == 1:
        coverage.fill(times[0], coverage.tokens[clock[0]].text, clock)
    said = [at for at in coverage.left() if coverage.tokens[at].kind == "date"]
    ends = {parameter.role or "day": parameter for parameter in coverage.open("date")}
    if len(said) != 1 or not ends:
        return
    before = coverage.before(said[0])
    wanted = _ENDS.get(before) or (("day",) if "day" in ends else ("source", "target"))
    if before in ("before", "after", "by", "from") or not all(end in ends for end in wanted):
        return
    for end in wanted:
        coverage.fill(ends[end], coverage.tokens[said[0]].text, said)
    if before in _ENDS:
        coverage.take([said[0] - 1], "argument")


def take_numbers(coverage: Coverage) -> None:
    """Each number goes to the parameter that the word beside it names; one that is left, to the one that needs one."""
    said = [at for at in coverage.left() if coverage.tokens[at].kind == "number"]
    left = [at for at in said if not _take_number(coverage, at)]
    needing = [parameter for parameter in coverage.open("number") if parameter.required]
    if len(left) == 1 and len(needing) == 1 and not _bound(coverage, left[0])[0]:
        _set_number(coverage, needing[0], left[0], left)


def _take_number(coverage: Coverage, at: int) -> bool:
    numbers = coverage.open("number")
    bound, places = _bound(coverage, at)
    if bound:
        bounds = [parameter for parameter in numbers if parameter.name.startswith(f"{bound}_")]
        return len(bounds) == 1 and _set_number(coverage, bounds[0], at, [*places, at])
    after = coverage.tokens[at + 1] if at + 1 < len(coverage.tokens) else None
    unit = "" if after is None else "percent" if after.text == "%" else after.norm
    named = [parameter for parameter in numbers if unit in parameter.words]
    if len(named) == 1:
        return _set_number(coverage, named[0], at, [at, at + 1])
    before = norm(coverage.before(at))
    ranks = {"top"} & {before} | _RANKED & {unit}
    limits = [p for p in numbers if p.name == "limit" and ranks & coverage.tool.subject]
    if limits:
        return _set_number(coverage, limits[0], at, [at])
    called = [parameter for parameter in numbers if before in parameter.words]
    return len(called) == 1 and _set_number(coverage, called[0], at, [at - 1, at])


def _bound(coverage: Coverage, at: int) -> tuple[str, list[int]]:
    """Whether a number is said to be the least or the most there may be, and the words that say so."""
    asked = coverage.question.text[: coverage.tokens[at].start]
    for bound, form in (("min", _AT_LEAST), ("max", _AT_MOST)):
        if found := form.search(asked):
            return bound, coverage.within(found.start(), found.end())
    return "", []


def _set_number(coverage: Coverage, parameter: MatchedParameter, at: int, places: Sequence[int]) -> bool:
    text = coverage.tokens[at].text.replace(",", "")
    if parameter.whole and "." in text:
        return False
    coverage.fill(parameter, float(text) if "." in text else int(text), places)
    return True


def take_quoted(coverage: Coverage) -> None:
    """Quoted text and file names, for the one text that is needed or what is searched for."""
    for at in coverage.left():
        wanted = _wanted(coverage)
        if coverage.tokens[at].kind in ("quoted", "file") and len(wanted) == 1:
            coverage.fill(wanted[0], coverage.tokens[at].value, [at])


def _wanted(coverage: Coverage) -> list[MatchedParameter]:
    texts = coverage.texts()
    return [p for p in texts if p.required] or [p for p in texts if p.searches]


def take_names(coverage: Coverage) -> None:
    """A name goes to the parameter that the word beside it names, to the one text that is needed, or to the only one
    there is for names."""
    runs = _name_runs(coverage)
    places = [parameter for parameter in coverage.texts() if parameter.located]
    within = [run for run in runs if _is_within(coverage, run[0])]
    if len(places) == len(within) == 1:
        first, last = within[0][0], within[0][-1]
        value = coverage.question.text[coverage.tokens[first].start : coverage.tokens[last].end]
        coverage.fill(places[0], value, within[0])
        runs.remove(within[0])
    if len(runs) != 1:
        return
    first, last = runs[0][0], runs[0][-1]
    texts = [
        parameter
        for parameter in coverage.texts()
        if not parameter.searches and not parameter.closed and not parameter.located
    ]
    beside = [parameter for parameter in texts if coverage.named_beside(first, last, parameter)]
    takers = beside or [parameter for parameter in texts if parameter.required] or texts
    if len(takers) == 1:
        value = coverage.question.text[coverage.tokens[first].start : coverage.tokens[last].end]
        places = [*runs[0], *coverage.named_beside(first, last, takers[0])]
        coverage.fill(takers[0], re.sub(r"['’]s?$", "", value), places)
        coverage.guessed += not beside


def _is_within(coverage: Coverage, at: int) -> bool:
    """Whether it stands after `in`."""
    before = coverage.before(at - 1) if coverage.before(at) == "the" else coverage.before(at)
    return before in ("in", "im")


def _name_runs(coverage: Coverage) -> list[list[int]]:
    """Words in a row that are written as names and nothing used."""
    runs: list[list[int]] = []
    for at in coverage.left():
        token, goes_on = coverage.tokens[at], bool(runs) and runs[-1][-1] == at - 1
        if token.text.lower() in NO_NAMES or not (token.is_name or (token.text == "&" and goes_on)):
            continue
        if coverage.question.is_german and coverage.before(at) in _GERMAN_ARTICLES:
            continue
        if goes_on:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def take_rest(coverage: Coverage) -> None:
    """What is left after `for` or `about` is the one text that is needed, or what is searched for."""
    left, wanted = coverage.left(), _wanted(coverage)
    if not left or len(wanted) != 1 or coverage.doubtful:
        return
    run = range(left[0], left[-1] + 1)
    cue = left[0] - 1
    while cue >= 0 and coverage.tokens[cue].text.lower() in _ARTICLES:
        cue -= 1
    if cue < 0 or coverage.tokens[cue].text.lower() not in _CUES:
        return
    plain = all(coverage.tokens[at].kind in ("word", "chinese") for at in left)
    alone = all(at in left or coverage.taken[at] == "neutral" for at in run)
    if plain and alone and not is_hard([coverage.tokens[at] for at in run]):
        text = coverage.question.text[coverage.tokens[run[0]].start : coverage.tokens[run[-1]].end]
        coverage.fill(wanted[0], text, [cue, *run])


def take_search(coverage: Coverage) -> None:
    """A search of documents that the question names: what they say about something is searched for in its words."""
    wanted = [parameter for parameter in coverage.tool.required if parameter.name not in coverage.args]
    if len(wanted) != 1 or not wanted[0].searches or not coverage.tool.is_search:
        return
    named = [at for at, used in coverage.taken.items() if used in ("subject", "description")]
    text = coverage.question.text
    if not named or not _SAYS.search(text) or _SECOND.search(text) or is_hard(coverage.tokens):
        return
    coverage.args[wanted[0].name] = _sought(coverage)
    coverage.spoken |= set(named)
    coverage.take(coverage.left(), "search")


def _sought(coverage: Coverage) -> str:
    """The content words, but for those that only say where to look."""
    where = {norm(part) for part in coverage.tool.name.split("_")} | set(map(norm, ("say", "said", "anything")))
    kept: list[QuestionToken] = [
        token
        for at, token in enumerate(coverage.tokens)
        if coverage.taken.get(at) != "neutral" and token.norm not in where and token.text.lower() not in _CUES
    ]
    return " ".join(text.strip('"“”') for text in joined(kept))
