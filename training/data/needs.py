"""Thoughts that plan backwards: the tool that tells what is asked, and where each of its arguments comes from.

`berth: boat missing; find_boat: name Tansy.` What is missing either another tool tells, which is called then, or
nobody, and the person is asked. The first words are the same for a direct call, a look-up and a question back, so that
none of them is chosen before the arguments have been gone through.
"""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from glassloop.core.evidence.computed.relative_days import NUMBER_WORDS, days_meant
from glassloop.core.planning.call_review import stands_in
from glassloop.core.protocols.result_pages import READ_RESULT
from training.data.conversation import NEVER, Call, Step, ToolText, Wanted
from training.data.values import dumps

MAX_QUOTED: Final = 40
MAX_WORDED: Final = 32
_ISO: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_SHORT: Final = 3
_MAX_ALIKE: Final = 3
_CHOICE: Final = re.compile(r"[a-z][a-z_]{0,20}")
_ARTICLES: Final = frozenset({"a", "an", "ein", "eine", "einen", "einer", "einem"})


class Said(NamedTuple):
    """What is known when a turn begins: the question, and all that was told before it."""

    question: str
    before: str
    today: datetime.date


def since(steps: Sequence[Step], said: Said) -> Said:
    """What is known after some steps: their results, too."""
    seen = (step.observation for step in steps if isinstance(step, Call))
    return said._replace(before="\n".join((said.before, *seen)))


def needs(calls: Sequence[Call], said: Said, tools: Mapping[str, ToolText]) -> str:
    """`bench_slots: mechanic Piet, day friday = 2029-10-19.`, or from the last call back to the first of `calls`.

    That a result will be cut is not foreseen, so reading on is not planned.
    """
    calls = [call for call in calls if call.tool != READ_RESULT.name] or calls
    sources = [sources_of(calls, number, said) for number in range(len(calls))]
    serving = {source for each in sources for source in each.values()}
    goals = [number for number in range(len(calls)) if number not in serving]
    main = next((goal for goal in goals if 0 in _behind(goal, sources)), 0)
    same, parts = [goal for goal in goals if calls[goal].tool == calls[main].tool], list[str]()
    for at in sorted(_behind(main, sources), reverse=True):
        alike = [_how_told(calls, each, sources[each], said, tools) for each in (same if at == main else [at])]
        parts.append(_arguments(calls[at], alike, tools))
    if len(same) > 1:
        head, colon, rest = parts[0].partition(":")
        parts[0] = f"{head} {len(same)} times{colon}{rest}"
    others = dict.fromkeys(calls[goal].tool for goal in goals if goal not in same)
    return f"{'; '.join([*parts, *(f'then {name}' for name in others)])}."


def asking(wants: Wanted, said: Said, tools: Mapping[str, ToolText]) -> str:
    """What a call would need, or the first of a way, that nobody said."""
    if wants.way:
        plan, _, _ = needs(wants.way, said, tools).partition("; then ")
        return f"{plan.removesuffix('.')}, and nobody said it."
    tool = tools[wants.tool]
    lacking = wants.missing or tuple(name for name in required_of(tool) if name not in wants.args)
    parts: list[str] = []
    for name in _ordered(tool, [*wants.args, *lacking, *required_of(tool)]):
        told = _said(wants.args[name], said) if name in wants.args else "to look up"
        parts.append(f"{name} {'missing' if name in lacking else told}")
    return f"{wants.tool}: {', '.join(parts)}, and nobody said it."


def _arguments(call: Call, told: Sequence[Mapping[str, str]], tools: Mapping[str, ToolText]) -> str:
    """A call with its arguments; of several calls of the tool with those of all: `player u_j431 and u_n900`."""
    names, parts, before = _ordered(tools.get(call.tool), call.args), list[str](), set[str]()
    for name in names:
        how = " and ".join(list(dict.fromkeys(each[name] for each in told if name in each))[:_MAX_ALIKE])
        # The day that a period of one day ends with is not told twice.
        is_again = how in before and " = " in how
        parts.append(f"{name} {str(call.args[name]) if is_again else how}")
        before.add(how)
    return f"{call.tool}: {', '.join(parts)}" if parts else call.tool


def _how_told(
    calls: Sequence[Call], number: int, sources: Mapping[str, int], said: Said, tools: Mapping[str, ToolText]
) -> dict[str, str]:
    """Each argument as it was said, or as missing: what a call of a later tool takes that nobody said is not known."""
    args, properties = calls[number].args, properties_of(tools.get(calls[number].tool))
    is_later = calls[number].tool != calls[0].tool
    told: dict[str, str] = {}
    for name, value in args.items():
        is_late = is_later and not _is_chosen(value, properties.get(name)) and not _is_said_so(value, said)
        told[name] = "missing" if name in sources or value == NEVER or is_late else _said(value, said)
    return told


def _is_chosen(value: Any, schema: Any) -> bool:
    """Whether a value is one of a few that a tool offers; of a tool without a schema any that looks so."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return True
    return '"enum"' in dumps(schema) if schema else isinstance(value, str) and _CHOICE.fullmatch(value) is not None


def sources_of(calls: Sequence[Call], number: int, said: Said) -> dict[str, int]:
    """Which earlier call tells each argument that nobody said."""
    found: dict[str, int] = {}
    for name, value in calls[number].args.items():
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        for each in values:
            if not isinstance(each, str | int | float) or isinstance(each, bool) or _is_said_so(each, said):
                continue
            # A short value stands in many results by chance.
            earlier = range(number) if len(str(each)) > _SHORT else reversed(range(number))
            source = next((at for at in earlier if _tells(calls[at], each)), None)
            if source is not None and name not in found:
                found[name] = source
    return found


def _tells(call: Call, value: str | float) -> bool:
    """Whether a result has a value, also at the end of a field's name: the `EUR` of `price_eur`."""
    if is_in(value, call.observation):
        return True
    return isinstance(value, str) and re.search(rf"_{re.escape(value)}\b", call.observation, re.IGNORECASE) is not None


def _behind(goal: int, sources: Sequence[Mapping[str, int]]) -> set[int]:
    """The calls that a call needs, and itself."""
    return {goal}.union(*(_behind(each, sources) for each in sources[goal].values()))


def is_said(value: str | float, said: Said) -> bool:
    """Whether the question or what was told before says it, also in words."""
    known = f"{said.question}\n{said.before}"
    if is_in(value, known):
        return True
    if isinstance(value, str) and _ISO.fullmatch(value):
        return next(_day_words(value, said), None) is not None
    return not isinstance(value, str) and _number_word(value, said.question) is not None


def _is_said_so(value: str | float, said: Said) -> bool:
    """The same, of a word as it is written: `cold_store` is not said by "the cold stores"."""
    known = f"{said.question}\n{said.before}".casefold()
    is_word = isinstance(value, str) and (" " in value or not any(map(str.isdigit, value)))
    return is_said(value, said) and (not is_word or str(value).casefold() in known)


def is_in(value: Any, text: str) -> bool:
    """Whether a text has a value, as a word of its own if it is short."""
    if isinstance(value, bool | list | dict):
        return False
    written = f"{value:g}" if isinstance(value, float) else str(value)
    if len(written) <= _SHORT:
        return re.search(rf"(?<![\w.]){re.escape(written)}(?![\w]|\.\d)", text, re.IGNORECASE) is not None
    return stands_in(written, text.casefold())


def _number_word(value: float, question: str) -> str | None:
    words = (word for word, number in NUMBER_WORDS.items() if number == value)
    found = (re.search(word if word > "\u3000" else rf"\b{word}\b", question, re.IGNORECASE) for word in words)
    return next((match.group() for match in found if match and match.group().casefold() not in _ARTICLES), None)


def _said(value: Any, said: Said) -> str:
    """A value as the question has it: a day in its words with its date, a number in its word, else the value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        shown = " and ".join(str(each) for each in listed if isinstance(each, str | int | float))
        return shown if 0 < len(shown) <= MAX_QUOTED else "said"
    if isinstance(value, str) and _ISO.fullmatch(value):
        return _said_day(value, said)
    if isinstance(value, int | float):
        word = None if is_in(value, said.question) else _number_word(value, said.question)
        return word or (f"{value:g}" if isinstance(value, float) else str(value))
    text = " ".join(str(value).split())
    return text if 0 < len(text) <= (MAX_QUOTED if is_in(text, said.question) else MAX_WORDED) else "said"


def _said_day(value: str, said: Said) -> str:
    if value in said.question:
        return value
    shown = day_named(value, said.today) if _DAY.fullmatch(value) else value
    words = next(_day_words(value, said), "")
    is_named = any(map(str.isdigit, words)) or shown.split()[0].casefold() in words.casefold()
    return f"{words} = {value if is_named else shown}" if words else shown


def _day_words(value: str, said: Said) -> Iterator[str]:
    """The words of the question that mean a day, or a month."""
    meant = days_meant(said.question, said.today)
    return (words.rstrip(".") for day, words in meant if day.isoformat().startswith(value))


def day_named(value: str, today: datetime.date) -> str:
    """With the name of the weekday and the week that the context tells it in, or how many days ago it was."""
    found = datetime.date.fromisoformat(value)
    ahead = (found - today).days
    if -7 < ahead < -1:
        return f"{found:%A}, {-ahead} days ago, {value}"
    if not 0 <= today.weekday() + ahead < 14 or ahead < 0:
        return value
    return f"{found:%A} {value}" if today.weekday() + ahead < 7 else f"{found:%A} of next week, {value}"


def properties_of(tool: ToolText | None) -> dict[str, Any]:
    """The schemas of a tool's parameters."""
    return cast("dict[str, Any]", tool.parameters.get("properties", {})) if tool is not None else {}


def required_of(tool: ToolText | None) -> list[str]:
    return cast("list[str]", tool.parameters.get("required", [])) if tool is not None else []


def _ordered(tool: ToolText | None, names: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """The names in the order of the catalogue."""
    order = list(properties_of(tool))
    return sorted(dict.fromkeys(names), key=lambda name: order.index(name) if name in order else len(order))
