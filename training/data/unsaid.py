"""Questions of a world that leave out what a call needs: nothing is called, the person is asked for it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec

from training.data.catalogue import write_result
from training.data.conversation import NEVER, Answer, Call, Conversation, Exchange, Language, Wanted
from training.data.mistakes import is_reading
from training.data.needs import is_in
from training.data.phrases import typed
from training.data.values import Rng
from training.data.world_expressions import Row, fill, join, rows_of_one_form, split_draws
from training.data.world_stage import DAY, Ask, Stage, said_in

_PLACE: Final = re.compile(r"\{([^{}]+)\}")
_WITH_PREPOSITION: Final[dict[Language, str]] = {
    "en": r" (?:of|for|at|in|from)(?: (?:the|our))?",
    "de": r" (?:von|für|in|bei|aus)(?: (?:der|dem|den))?(?: [A-ZÄÖÜ][a-zäöüß]+)?",
    "zh": "",
}
_ON_DAY: Final[dict[Language, str]] = {"en": " (?:on|by)", "de": " (?:am|bis)", "zh": ""}
_COUNTS: Final = re.compile(
    r"(?i)^(?:quantity|qty|count|amount|pieces|number_of_\w+|copies|seats|guests|people|persons|hours|days|nights|units"
    r"|bottles|places|tickets|boxes|how_many|\w+_count)$"
)
"""Parameters that say how many."""
_GAP: Final = re.compile(r"[,:] *[?.,]|[,:] *$")
"""What is left where a value stood between two signs."""
_PLURALS: Final = (
    ("species", "species"),
    ("ies", "y"),
    ("lves", "lf"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("yses", "ysis"),
    ("s", ""),
)
_VAGUE: Final = frozenset({"name", "words", "text", "start", "query", "what", "code", "term", "user", "item"})
"""Names of parameters that tell nothing of what is missing."""
_REPLIES: Final[dict[Language, list[str]]] = {
    "en": ["{}", "{}", "{}.", "It's {}.", "{} please", "sorry, {}", "I mean {}"],
    "de": ["{}", "{}.", "{} bitte", "Ich meine {}."],
    "zh": ["{}", "{}。", "是{}", "{}，谢谢"],
}
_WHICH: Final[dict[Language, list[str]]] = {
    "en": [
        "There are two {}: {} and {}. Which one do you mean?",
        "I find two for {}: {}, and {}. Which one is it?",
        "Which {} do you mean, {} or {}?",
    ],
    "de": ["Zu {} gibt es zwei: {} und {}. Was ist gemeint?", "{} kommt zweimal vor: {} und {}. Welche Angabe stimmt?"],
    "zh": ["有两个{}：{}和{}。您指的是哪一个？", "{}有两个：{}、{}，请问是哪一个？"],
}
_MAX_APART: Final = 30
_PICKS: Final = re.compile(r"(?i)\b(?:la(?:st|test)|newest|oldest|next|first|letzte|nächste|erste|neueste)|[最第]")
"""A question that says which of several."""
REPLIED: Final = 0.5
"""Of the questions back: with what the person says then, and what follows from it."""
MIN_WORDS: Final = 4
MIN_NOUN: Final = 3
MIN_CHINESE: Final = 5
_ENDINGS: Final = re.compile(r"[ _](?:id|no|nr|number|code|key|name|ref)$")
_FOREIGN_ANSWERS: Final[dict[str, list[str]]] = {
    "de": [
        "Um wen oder was geht es? Name oder Nummer genügt.",
        "Was genau meinen Sie? Nennen Sie mir bitte den Namen oder die Nummer.",
        "Dafür brauche ich noch eine Angabe: Welchen Eintrag meinen Sie?",
    ],
    "zh": ["请问您指的是哪一个？请告诉我名称或编号。", "您说的是哪一个？", "请告诉我具体是哪一个，名称或编号都可以。"],
}


class _Need(NamedTuple):
    """An argument that a call of a way has to have, by the first names of tool and parameter."""

    number: int
    call: Call
    first: str
    key: str
    value: Any


def unsaid(stage: Stage, ask: Ask, language: Language) -> Conversation | None:
    """The question without one of the values that a call has to have; None where no wording allows that."""
    rng = stage.rng
    templates = {"en": ask.q, "de": ask.q_de, "zh": ask.q_zh}[language]
    names = stage.drawn(ask) if templates and ask.do else None
    if names is None:
        return None
    template = rng.some(templates)
    places = _PLACE.findall(template)
    needed = list(_needed(stage, ask, names, fill(template, names)))
    left = [
        (place, need)
        for need in needed
        for place in places
        if places.count(place) == 1 and fill(f"{{{place}}}", names).casefold() == str(need.value).casefold()
        # What is no name may be needed by any of the calls; a name of a longer way may be found in another way.
        if len(ask.do) == 1
        or _is_count(need.key, need.value)
        or DAY.fullmatch(str(need.value))
        or (need.number == 0 and len(places) == 1)
    ]
    if not left:
        return None
    place, need = rng.some(left)
    first, key, value = need.first, need.key, need.value
    noun = _noun(ask, place, stage) if len(places) == 1 else ""
    what = noun or _ENDINGS.sub("", key.replace("_", " "))
    shortened = (
        _without_count(template, place, language)
        if _is_count(key, value)
        else _without(rng, template, place, noun, language)
    )
    if shortened is None or len(what) < MIN_NOUN or what in _VAGUE or not isinstance(value, str | int):
        return None
    question = fill(shortened, names)
    if re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", question, re.IGNORECASE) or _GAP.search(question):
        return None
    thought, answer = _asking(rng, stage.shape(first, key).get("enum"), what, key, value)
    if language != "en":
        answer = rng.some(_FOREIGN_ANSWERS[language])
    asked = Exchange(
        typed(rng, question[0].upper() + question[1:], language),
        (Answer(thought, answer, _wanted(stage, need, needed, question)),),
    )
    if not rng.chance(REPLIED) or len(ask.then) > 0:
        return Conversation("unsaid", (asked,), language)
    reply = rng.some(_REPLIES[language]).format(value)
    whole = stage.exchange(ask, names, language, said_in([asked]) + f" {reply}")
    return Conversation("unsaid-told", (asked, msgspec.structs.replace(whole, question=reply)), language)


def several(stage: Stage, ask: Ask, language: Language) -> Conversation | None:
    """A question whose first search finds a second row by the same name, so that the person is asked which one is
    meant; now and then with the reply. None where no other row can be had, or the question tells which."""
    rng, names = stage.rng, stage.drawn(ask) if len(ask.do) > 1 else None
    texts = {"en": ask.q, "de": ask.q_de, "zh": ask.q_zh}[language]
    if names is None or not texts:
        return None
    question = fill(rng.some(texts), names)
    call, value = stage.call(ask.do[0], names, f"{stage.world.place} {question}")
    first, given = stage.written(call)
    rows, said = rows_of_one_form(value), [str(each) for each in given.values()]
    if len(rows) != 1 or len(said) != 1 or _PICKS.search(question) or not is_reading(stage, first):
        return None
    key, row = next(iter(rows[0])), rows[0]
    same = [column for column in row if said[0].casefold() in str(row[column]).casefold()]
    twins = [
        Row({column: row[column] if column in same else other[column] for column in row})
        for table in stage.world.tables
        for other in cast("list[Row]", stage.names[table])
        if row.keys() <= other.keys() and other[key] != row[key]
    ]
    if not same or key in same or not twins:
        return None
    twin = rng.some(twins)
    apart = [column for column in row if column != key and _is_told_apart(row[column], twin[column], question)]
    if len(apart) < len(row) - len(same) - 1 or not apart:
        return None
    column, both = rng.some(apart), rng.sample([row, twin], 2)
    shown = msgspec.structs.replace(call, observation=write_result(both, stage.forms[first]))
    one, other = (f"{each[key]} ({column.replace('_', ' ')} {each[column]})" for each in both)
    thought = f"Two rows fit {said[0]}: {one} and {other}. Nobody said which."
    whole = stage.exchange(ask, names, language, "")
    way = tuple(step for step in whole.steps if isinstance(step, Call))
    wants = Wanted(way[-1].tool, {}, (), way)
    text = rng.some(_WHICH[language]).format(said[0], one, other)
    asked = Exchange(typed(rng, question, language), (shown, Answer(thought, text, wants)))
    if not rng.chance(REPLIED) or ask.then:
        return Conversation("several", (asked,), language)
    reply = rng.some(_REPLIES[language]).format(row[rng.some([key, column])])
    after = msgspec.structs.replace(whole, question=reply, steps=whole.steps[1:])
    return Conversation("several-told", (asked, after), language)


def _is_told_apart(one: Any, other: Any, question: str) -> bool:
    plain = all(isinstance(each, str | int) and 0 < len(str(each)) <= _MAX_APART for each in (one, other))
    return plain and one != other and str(one).casefold() not in question.casefold()


def _wanted(stage: Stage, need: _Need, needed: Sequence[_Need], question: str) -> Wanted:
    """The call that lacks something: of a longer way without its name the last one, which the question is about."""
    last = needed[-1]
    is_whole_way = need.number == 0 and last.number > 0
    call, first = (last.call, last.first) if is_whole_way else (need.call, need.first)
    said = {key: value for key, value in call.args.items() if is_in(value, question)}
    keys = stage.keys[first]
    required = [keys[key] for key, (_, is_needed, _) in stage.schemas[first].items() if is_needed]
    lacking = [key for key in required if key not in said] if is_whole_way else [keys[need.key]]
    args = {key: value for key, value in said.items() if key not in lacking}
    way = list({each.number: each.call for each in needed}.values()) if is_whole_way else []
    if way:
        way[0] = msgspec.structs.replace(way[0], args={**way[0].args, stage.keys[need.first][need.key]: NEVER})
    return Wanted(call.tool, args, tuple(lacking), tuple(way))


def _needed(stage: Stage, ask: Ask, names: dict[str, Any], question: str) -> Iterator[_Need]:
    """What each call of the way has to have, those of the first call first."""
    seen, known = f"{stage.world.place} {question}", dict(names)
    for number, step in enumerate(ask.do, 1):
        call, known[f"r{number}"] = stage.call(step, known, seen)
        seen += f" {call.observation}"
        first, given = stage.written(call)
        for key, value in given.items():
            if stage.schemas[first][key][1]:
                yield _Need(number - 1, call, first, key, value)


def _is_count(key: str, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and bool(_COUNTS.search(key))


def _without_count(template: str, place: str, language: Language) -> str | None:
    """The wording without how many: "Set aside {n} of the bolts" becomes "Set aside the bolts"."""
    if language != "en":
        return None
    mark = re.escape(f"{{{place}}}")
    found = re.sub(
        rf"(?: for)? {mark} (?:x |of (?:them |those )?|pieces of |(?:days?|nights?|hours?)\b,? ?)?", " ", template
    )
    return found.strip() if found != template and len(found.split()) >= MIN_WORDS else None


def _without(rng: Rng, template: str, place: str, noun: str, language: Language) -> str | None:
    """The wording without the value: its phrase cut out, or `the customer` in its place."""
    mark = re.escape(f"{{{place}}}")
    if language == "zh":
        found = re.sub(rf" ?{mark} ?(?:的|号)?", "", template).strip(" ，,")
        return found if len(found) >= MIN_CHINESE else None
    kind = f"(?: {noun})?" if noun and language == "en" else ""
    phrase = re.compile(
        rf"{_WITH_PREPOSITION[language]}{kind} {mark}(?=[?.]?$| please)|{_ON_DAY[language]} {mark}(?=[?.,]|$| )"
    )
    if phrase.search(template) and (not noun or rng.chance(0.5)):
        found = phrase.sub("", template, count=1)
        return found if len(found.split()) >= MIN_WORDS else None
    if not noun or language != "en":
        return None
    named = re.compile(rf"(?:\b(?:the|our|a) )?(?:\b{noun}(?: no\.?| number)? )?#?{mark}", re.IGNORECASE)
    found = named.sub(f"{rng.some(['the', 'the', 'the', 'that', 'this'])} {noun}", template)
    return found if len(found.split()) >= MIN_WORDS else None


def _noun(ask: Ask, place: str, stage: Stage) -> str:
    """What the drawn row is called, from the name of its table; empty where the value is of no row."""
    row = place.split(".")[0].strip()
    draws = dict((part.strip() for part in each.split("=", 1)) for each in split_draws(ask.draw) if "=" in each)
    table = draws.get(row, "")
    if "." not in place or table not in stage.world.tables:
        return ""
    for ending, single in _PLURALS:
        if table.endswith(ending):
            return table.removesuffix(ending).replace("_", " ") + single
    return table.replace("_", " ")


def _asking(rng: Rng, choices: list[str] | None, what: str, key: str, value: Any) -> tuple[str, str]:
    if _is_count(key, value):
        many = rng.some(["How many?", "How many do you need?", "How many shall it be?"])
        return rng.some(["No number was said, and it needs one.", "Nobody said how many."]), many
    if DAY.fullmatch(str(value)):
        return rng.some(["The day is missing.", "No day was said."]), rng.some(["For which day?", "On which day?"])
    thought = rng.some([
        f"The {what} is missing; I have to ask.",
        f"No {what} was said, and I must not guess one.",
        f"Nobody said which {what}.",
    ])  # fmt: skip
    if choices:
        return thought, f"Which {what}: {join(choices, 'or')}?"
    return thought, rng.some([
        f"Which {what} do you mean?",
        f"Which {what}? Please give me the name or number.",
        f"I need the {what} for that. Which one is it?",
        f"For which {what}?",
    ])  # fmt: skip
