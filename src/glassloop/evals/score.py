"""Score of a turn, as its events tell of it, against its case: the route, the tools, their arguments, the answer. Pure.

The same tool several times in a row counts as one choice, since a call that is mended is the same choice. An expected
call is found when one of the calls has its arguments, those left out taken as the tool's defaults.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import ErrorType
from glassloop.core.evidence.figures import read_figures
from glassloop.core.planning.planner import UPDATE_PLAN
from glassloop.core.records import Evidence, Json
from glassloop.evals.expected_values import ExpectedValue, folded, near
from glassloop.evals.suite import AnswerChecks, Arguments, Case, Expectation, ExpectedFigure, WordChecks


class ObservedCall(msgspec.Struct, frozen=True):
    """A call the model decided on, with the arguments it ran with where it ran."""

    tool: str
    args: dict[str, Json]


class ObservedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """`decisions` are the replies that had to be read, `readable` those that could be. `declined`: the model said that
    it does not answer."""

    question: str = ""
    destination: str = ""
    calls: tuple[ObservedCall, ...] = ()
    answer: str = ""
    evidence: Evidence | None = None
    decisions: int = 0
    readable: int = 0
    declined: bool = False
    status: str = "unfinished"
    error: str | None = None
    error_type: ErrorType | None = None
    steps: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None


def observe_turn(events: Iterable[e.Event]) -> ObservedTurn:
    """The turn these events tell of; kinds it does not need are skipped."""
    calls: dict[str, ObservedCall] = {}
    found: dict[str, object] = {}
    decisions = readable = cached = 0
    for event in events:
        match event:
            case e.TurnStarted():
                found["question"] = event.question
            case e.RouteDecided():
                found["destination"] = event.route.destination
            case e.CommandRead():
                calls |= {call.id: ObservedCall(call.tool, call.args) for call in event.decision.calls}
            case e.ModelResponded():
                cached += event.usage.cached_tokens
                if event.decision is None:
                    continue
                decisions += 1
                found["declined"] = event.stop in ("refusal", "filtered")
                readable += (
                    event.decision.complaint is None or event.decision.refused is not None
                ) and not event.decision.unreadable
                asked = (call for call in event.decision.calls if call.tool != UPDATE_PLAN)
                calls |= {call.id: ObservedCall(call.tool, call.args) for call in asked}
            case e.ChildRecorded():
                told = e.innermost(event)
                cached += told.usage.cached_tokens if isinstance(told, e.ModelResponded) else 0
            case e.ToolCalled():
                calls[event.call.id] = ObservedCall(event.call.tool, event.call.args)
            case e.AnswerEvaluated():
                found["evidence"] = event.evidence
            case e.AnswerGiven():
                found["answer"] = event.text
            case e.TurnFinished():
                found |= {"status": event.status, "error": event.error, "error_type": event.error_type}
                found |= {"steps": event.iterations, "seconds": event.seconds, "cost": event.cost}
                found |= {"input_tokens": event.input_tokens, "output_tokens": event.output_tokens}
            case _:
                continue
    return msgspec.structs.replace(
        ObservedTurn(calls=tuple(calls.values()), decisions=decisions, readable=readable, cached_tokens=cached), **found
    )


Part = Literal["destination", "tool", "arguments", "answer", "turn"]
Defaults = Mapping[str, Mapping[str, Json]]

MAX_TOLD_CHARS = 600
_ASKING = re.compile(
    r"[?？]|\b(?:please|bitte)\s+(?:\w+\s+){0,2}(?:tell|give|provide|specify|name|share|state|clarify|nennen|geben)\b"
    r"|\blet me know\b|请(?:问|提供|告诉|说明)",
    re.IGNORECASE,
)


class Mismatch(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not as expected, for people."""

    part: Part
    expected: str
    got: str


class CaseScore(msgspec.Struct, frozen=True, kw_only=True):
    """Right, wrong, or None for what the case does not judge."""

    tool: bool | None
    arguments: bool | None
    answer: bool | None
    destination: bool | None = None
    problems: tuple[Mismatch, ...] = ()


def judge(case: Case, seen: ObservedTurn, defaults: Defaults, files: Mapping[str, str] | None = None) -> CaseScore:
    """The verdict on the last turn of a case. `files`: the text of those files of the workspace that are there."""
    tool = arguments = answer = None
    problems: list[Mismatch] = []
    destination = None
    # Models that call tools natively decide without a route: then there is none to judge.
    if case.destinations and (seen.destination or not seen.decisions):
        destination = seen.destination in case.destinations
        if not destination:
            expected = " or ".join(case.destinations)
            problems.append(Mismatch(part="destination", expected=expected, got=_cut(seen.destination or "none")))
    if case.alternatives is not None:
        tool = _tools_fit(case, seen)
        if not tool:
            problems.append(Mismatch(part="tool", expected=_told_tools(case), got=_sequence(_chosen(seen))))
    if case.calls:
        missed = list(_missed_calls(case.calls, seen.calls, defaults))
        arguments = not missed
        problems += missed
    if case.answer is not None or case.unlike is not None or case.files:
        wrong = list(_answer_problems(case.answer, seen)) if case.answer is not None else []
        wrong += _file_problems(case.files, files or {})
        if case.unlike is not None and _holds(case.unlike, seen, defaults):
            wrong.append(_problem("anything but what was rated bad", _told_turn(seen)))
        answer = not wrong and seen.status == "completed"
        problems += wrong
    if seen.status != "completed":
        problems.append(Mismatch(part="turn", expected="completed", got=_cut(seen.error or seen.status)))
    return CaseScore(tool=tool, arguments=arguments, answer=answer, destination=destination, problems=tuple(problems))


def _holds(wanted: Expectation, seen: ObservedTurn, defaults: Defaults) -> bool:
    """Whether the turn is all of this."""
    return (
        (wanted.alternatives is None or _tools_fit(wanted, seen))
        and not any(_missed_calls(wanted.calls, seen.calls, defaults))
        and (wanted.answer is None or not any(_answer_problems(wanted.answer, seen)))
    )


def _chosen(seen: ObservedTurn) -> tuple[str, ...]:
    return tuple(name for name, _ in groupby(call.tool for call in seen.calls))


def _tools_fit(wanted: Expectation, seen: ObservedTurn) -> bool:
    chosen = _chosen(seen)
    for names in wanted.alternatives or ():
        if wanted.order == "any":
            if sorted(set(names)) == sorted(set(chosen)):
                return True
        elif tuple(name for name, _ in groupby(names)) == chosen:
            return True
    return False


def _missed_calls(wanted: Arguments, calls: Sequence[ObservedCall], defaults: Defaults) -> Iterator[Mismatch]:
    for tool, tables in wanted.items():
        of_tool = [{**defaults.get(tool, {}), **call.args} for call in calls if call.tool == tool]
        left = list(of_tool)
        for table in tables:
            # An empty table asks for a call, whatever its arguments.
            if table and all(value.is_missing for value in table.values()):
                made_up = next((args for args in of_tool if not _fits(table, args)), None)
                if made_up is not None:
                    yield Mismatch(part="arguments", expected=_told_call(tool, table), got=_cut(_json(made_up)))
                continue
            found = next((args for args in left if _fits(table, args)), None)
            if found is None:
                got = "; ".join(map(_json, of_tool)) or f"no call of {tool}"
                yield Mismatch(part="arguments", expected=_told_call(tool, table), got=_cut(got))
            else:
                left.remove(found)


def _fits(table: Mapping[str, ExpectedValue], args: Mapping[str, Json]) -> bool:
    for name, value in table.items():
        got = args.get(name)
        if value.is_missing:
            # An empty text is how some models leave an argument out.
            if got not in (None, ""):
                return False
        elif name not in args or not value.fits(got):
            return False
    return True


def _answer_problems(wanted: AnswerChecks, seen: ObservedTurn) -> Iterator[Mismatch]:
    if wanted.figures:
        values = tuple(_values(seen.answer))
        for figure in wanted.wanted_figures:
            if not any(near(value, number, figure.within) for value in values for number in figure.numbers):
                yield _problem(f"the figure {_told_figure(figure)}", seen.answer)
    for expected in _wrong_words(wanted, seen.answer):
        yield _problem(expected, seen.answer)
    if wanted.asks and not _ASKING.search(seen.answer):
        yield _problem("a question back", seen.answer)
    if wanted.evidence:
        yield from _unsourced(seen)


def _wrong_words(wanted: WordChecks, text: str) -> Iterator[str]:
    """What was expected and is not so."""
    plain = folded(text)
    yield from (f"the word {word!r}" for word in wanted.all if folded(word) not in plain)
    if wanted.any and not any(folded(word) in plain for word in wanted.any):
        yield f"one of the words {', '.join(map(repr, wanted.any))}"
    yield from (f"not the word {word!r}" for word in wanted.none if folded(word) in plain)


def _file_problems(wanted: Mapping[str, WordChecks], files: Mapping[str, str]) -> Iterator[Mismatch]:
    for path, checks in wanted.items():
        if path not in files:
            yield _problem(f"the file {path!r}", "no such file")
            continue
        for expected in _wrong_words(checks, files[path]):
            yield _problem(f"in {path}: {expected}", "a file that is not so")


def _unsourced(seen: ObservedTurn) -> Iterator[Mismatch]:
    if seen.evidence is None:
        yield _problem("an answer whose figures were checked", seen.answer)
    elif seen.evidence.unsupported:
        texts = ", ".join(figure.text for figure in seen.evidence.unsupported)
        yield _problem("a source for every figure", f"none for {texts}")


def _values(answer: str) -> Iterator[float]:
    """Every number of the answer, in all the ways it can be read; a year is one, too ("1927年")."""
    for mark in read_figures(answer):
        for one in (mark, *mark.parts):
            if one.kind == "number":
                yield from (reading.value for reading in one.readings)
            yield from (float(each.year) for each in one.moments if each.year is not None and each.month is None)


def _problem(expected: str, got: str) -> Mismatch:
    return Mismatch(part="answer", expected=_cut(expected), got=_cut(got) or "(no answer)")


def _sequence(names: Sequence[str]) -> str:
    return _cut(", then ".join(names)) or "none"


def _told_tools(wanted: Expectation) -> str:
    joint = " or ".join(_sequence(names) for names in wanted.alternatives or ())
    return f"{joint} (in any order)" if wanted.order == "any" else joint


def _told_call(tool: str, table: Mapping[str, ExpectedValue]) -> str:
    return _cut(f"{tool}({', '.join(f'{name}: {value.told()}' for name, value in table.items())})")


def _told_figure(figure: ExpectedFigure) -> str:
    numbers = " or ".join(f"{number:,.10g}" for number in figure.numbers)
    return f"{numbers} ± {figure.within:g}" if figure.within else numbers


def _told_turn(seen: ObservedTurn) -> str:
    return "; ".join([*(f"{call.tool}{_json(call.args)}" for call in seen.calls), seen.answer])


def _json(value: Json) -> str:
    return msgspec.json.encode(value).decode()


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TOLD_CHARS else f"{text[: MAX_TOLD_CHARS - 1]}…"
