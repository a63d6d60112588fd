"""Fork: the beginning of a turn as the beginning of another one, perhaps with something changed in it.

`fork` is a pure function of the log. Whoever has the new events runs them on like any other turn. The world is not
rewound: what the kept calls did is done, and every effect of the fork asks first.
"""

import re
import time
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.loop.continuation import kept_of
from glassloop.core.loop.fold import fold as state_of
from glassloop.core.ports import Clock
from glassloop.core.records import Json, ToolResult
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS
from glassloop.runtime.assistants.agents import Agents
from glassloop.runtime.attachments.prompt import attached_in, check_shown
from glassloop.runtime.replay.log_segments import TAKEN_OVER, check_log
from glassloop.runtime.settings import Settings

_LEFT_OUT = (e.TurnClaimed, e.TurnWaiting, e.TurnResumed)
_FIRST = (
    e.TurnStarted,
    e.GuardrailTriggered,
    e.TurnClaimed,
    e.HistoryLoaded,
    e.RouteDecided,
    e.ToolsShortlisted,
    e.PlanMade,
)
_ABOUT_QUESTION = (
    e.RouteDecided,
    e.ToolsShortlisted,
    e.PlanMade,
    e.PlanAdjusted,
    e.AnswerContinued,
)
_CUT_SHORT: tuple[e.EndReason, ...] = ("cancelled", "length")
_OBSERVATION = re.compile(r"step([0-9]{1,6})(?:\.(.+))?", re.DOTALL)


def fork(
    events: Sequence[e.Durable],
    *,
    step: int,
    new_id: str,
    session_id: str,
    edits: Mapping[str, str] | None = None,
    model: str | None = None,
    assistant: str | None = None,
    protocol: e.ProtocolName | None = None,
    clock: Clock = time.time,
) -> Sequence[e.Durable]:
    """The first events of turn `new_id`: all that was before the model's reply of `step`, as of now.

    `model`, `assistant` and `protocol` are what it goes on with, where that is not what it had.
    `edits`: `question`, or `stepN` (`stepN.CALL_ID` where that step has several calls) with what it observed instead.
    Raises `UsageError` for a step that the turn does not have, and for an edit of what is not kept.
    """
    started, _ = check_log(events)
    if started.question.startswith("/"):
        raise UsageError(
            f"Turn {started.turn_id!r} was a command, {started.question[:60]!r}: only questions can be forked."
        )
    kept = list(events[: _cut(events, step)])
    origin = f"{kept[0].turn_id}:{kept[-1].seq}"
    now, end = clock(), kept[-1].at
    worked = end - check_log(kept)[1].started_at
    for name, text in (edits or {}).items():
        kept = _edited(kept, name, text.encode("utf-8", "replace").decode())
    moved = _moved(kept, new_id, now, end, worked)
    moved[0] = _start(moved[0], len(moved), origin, session_id, {"model": model, "assistant": assistant}, protocol)
    if check_log(moved)[1].open_calls:
        raise UsageError(
            f"Step {step} of turn {events[0].turn_id!r} started before all calls had results: fork from an earlier one."
        )
    return moved


def continuation(
    events: Sequence[e.Durable],
    *,
    new_id: str,
    previous_turn_id: str,
    model: str | None = None,
    protocol: e.ProtocolName | None = None,
    clock: Clock = time.time,
) -> Sequence[e.Durable]:
    """The first events of turn `new_id`, in the same session: all that was before an answer that was cut short, and
    what is kept of that. Raises `UsageError` where it was not cut short."""
    started, _ = check_log(events)
    place = next((place for place, event in enumerate(events) if isinstance(event, e.AnswerGiven)), None)
    given = None if place is None else events[place]
    if place is None or not isinstance(given, e.AnswerGiven) or given.reason not in _CUT_SHORT or not given.partial:
        raise UsageError(f"The answer of turn {started.turn_id!r} was not stopped: regenerate it for another one.")
    drafted = state_of(events[:place])
    # A draft that was complete as far as it goes is a reply of the log, which the new one takes the place of.
    last = max((at for at, event in enumerate(events[:place]) if isinstance(event, e.ModelResponded)), default=place)
    kept = list(events[: place if drafted.draft is None else last])
    now, end = clock(), kept[-1].at
    worked = end - check_log(kept)[1].started_at
    moved = _moved([each for each in kept if not isinstance(each, e.AnswerContinued)], new_id, now, end, worked)
    text = kept_of(given.text if drafted.draft is None else drafted.draft)
    moved.append(e.AnswerContinued(turn_id=new_id, seq=len(moved) + 1, at=now, text=text))
    origin = f"{started.turn_id}:{kept[-1].seq}"
    first = _start(moved[0], len(moved), origin, started.session_id, {"model": model}, protocol)
    return [msgspec.structs.replace(first, previous_turn_id=previous_turn_id), *moved[1:]]


async def fork_live(
    events: Sequence[e.Durable],
    agents: Agents,
    settings: Settings,
    *,
    step: int,
    new_id: str,
    session_id: str,
    edits: Mapping[str, str] | None = None,
    model: str | None = None,
    assistant: str | None = None,
) -> Sequence[e.Durable]:
    """`fork` for a turn that goes on live: another model is asked in its own protocol and must see what is attached,
    and an edited question passes the guardrails."""
    started = cast("e.TurnStarted", events[0])
    wanted, protocol = await agents.key_from_log(started, assistant), None
    if model is not None:
        other = await agents.for_key(msgspec.structs.replace(wanted, model=model))
        protocol = other.protocol
        check_shown(attached_in(events).values(), other.main_model, settings)
    forked = fork(
        events,
        step=step,
        new_id=new_id,
        session_id=session_id,
        edits=edits,
        model=model,
        assistant=assistant,
        protocol=protocol,
    )
    if edits and "question" in edits:
        forked = count_taken_over(await (await agents.for_key(wanted)).admit(forked))
    return forked


async def continue_live(
    events: Sequence[e.Durable],
    agents: Agents,
    settings: Settings,
    *,
    new_id: str,
    previous_turn_id: str,
    model: str | None = None,
) -> Sequence[e.Durable]:
    """`continuation` for a turn that goes on live, perhaps with another model, in its own protocol."""
    wanted, protocol = await agents.key_from_log(cast("e.TurnStarted", events[0])), None
    if model is not None:
        other = await agents.for_key(msgspec.structs.replace(wanted, model=model))
        protocol = other.protocol
        check_shown(attached_in(events).values(), other.main_model, settings)
    return continuation(events, new_id=new_id, previous_turn_id=previous_turn_id, model=model, protocol=protocol)


def count_taken_over(events: Sequence[e.Durable]) -> Sequence[e.Durable]:
    """A fork to whose first events others were added."""
    first, *rest = events
    assert isinstance(first, e.TurnStarted)  # noqa: S101
    return [msgspec.structs.replace(first, settings={**first.settings, TAKEN_OVER: len(events)}), *rest]


def _moved(kept: Sequence[e.Durable], new_id: str, now: float, end: float, worked: float) -> list[e.Durable]:
    """As events of another turn. Time in which nobody worked is not the fork's either: what was before it moves up to
    the beginning."""
    return [
        msgspec.structs.replace(_unnumbered(event), turn_id=new_id, seq=seq, at=now + max(event.at - end, -worked))
        for seq, event in enumerate((event for event in kept if not isinstance(event, _LEFT_OUT)), 1)
    ]


def _unnumbered(event: e.Durable) -> e.Durable:
    """Messages to the former turn are not counted among those to the fork."""
    return msgspec.structs.replace(event, number=0) if isinstance(event, e.MessageReceived) else event


def _cut(events: Sequence[e.Durable], step: int) -> int:
    """Where the model's reply of that step stands; for the first step of a turn without replies, where it would."""
    turn_id, steps = events[0].turn_id, dict[int, int]()
    for place, event in enumerate(events):
        if isinstance(event, e.ModelResponded) and event.purpose in ("decide", "synthesize"):
            steps.setdefault(event.step, place)
    steps = steps or {1: _prepared(events)}
    if step not in steps:
        there = "one step, 1" if len(steps) == 1 else f"the steps 1 to {max(steps)}"
        raise UsageError(f"Turn {turn_id!r} has no step {step}: it has {there}.")
    return steps[step]


def _prepared(events: Sequence[e.Durable]) -> int:
    """How far what came before the first step goes: the last fact of it, with the replies that led there."""
    end = 0
    for place, event in enumerate(events, 1):
        if isinstance(event, e.RouteDecided) and event.farewell is not None:
            break
        if isinstance(event, _FIRST):
            end = place
        elif not isinstance(event, e.ModelResponded | e.TurnResumed):
            break
    return end


def _start(
    first: e.Durable,
    count: int,
    origin: str,
    session_id: str,
    instead: Mapping[str, str | None],
    protocol: e.ProtocolName | None,
) -> e.TurnStarted:
    assert isinstance(first, e.TurnStarted)  # noqa: S101
    settings: dict[str, Json] = {**first.settings, "approvals": "effects", TAKEN_OVER: count}
    changed = {name: value for name, value in instead.items() if value is not None}
    if changed:
        settings["wanted"] = {**(settings.get("wanted") or {"assistant": first.assistant}), **changed}
    if "model" in changed:
        settings["model"] = changed["model"]
    return msgspec.structs.replace(
        first,
        session_id=session_id,
        settings=settings,
        forked_from=origin,
        previous_turn_id=None,
        model=changed.get("model", first.model),
        protocol=protocol or first.protocol,
    )


def _edited(kept: list[e.Durable], name: str, text: str) -> list[e.Durable]:
    if name == "question":
        return _with_question(kept, text)
    named = _OBSERVATION.fullmatch(name)
    if named is None:
        raise UsageError(f"{name[:60]!r} cannot be edited: edit 'question', 'stepN' or 'stepN.CALL_ID'.")
    place = _observation(kept, int(named[1]), named[2])
    _refuse_summarized(kept[place:], name)
    returned = kept[place]
    assert isinstance(returned, e.ToolReturned)  # noqa: S101
    result = ToolResult(success=True, output=text, metadata={"edited": True})
    return [*kept[:place], msgspec.structs.replace(returned, result=result), *kept[place + 1 :]]


def _with_question(kept: list[e.Durable], text: str) -> list[e.Durable]:
    """Another question in place of the first. How that was routed and planned is left out; the conversation stays."""
    if not text.strip():
        raise UsageError("The edited question is empty: write a question.")
    if text.startswith("/"):
        raise UsageError(f"The edited question {text[:60]!r} is a command: run it as a separate turn.")
    if len(text) > MAX_QUESTION_CHARS:
        raise UsageError(f"The edited question is longer than {MAX_QUESTION_CHARS:,} characters: shorten it.")
    _refuse_summarized(kept, "question")
    first, *rest = kept
    return [
        msgspec.structs.replace(first, question=text),  # pyright: ignore[reportCallIssue]
        *(
            event
            for event in rest
            if not isinstance(event, _ABOUT_QUESTION)
            and not (isinstance(event, e.GuardrailTriggered) and event.stage == "input")
            and not (isinstance(event, e.ModelResponded) and event.purpose in ("route", "plan"))
        ),
    ]


def _observation(kept: Sequence[e.Durable], step: int, call_id: str | None) -> int:
    """Where the result of that step's call stands."""
    places = {
        event.call_id: place
        for place, event in enumerate(kept)
        if isinstance(event, e.ToolReturned) and event.step == step
    }
    if not places:
        raise UsageError(f"The observation of step {step} cannot be edited: the fork does not include that step.")
    if call_id is None and len(places) == 1:
        return next(iter(places.values()))
    if call_id is None or call_id not in places:
        names = ", ".join(f"step{step}.{name}" for name in places)
        raise UsageError(f"Step {step} has {len(places)} call(s): edit one of {names}.")
    return places[call_id]


def _refuse_summarized(kept: Sequence[e.Durable], name: str) -> None:
    for event in kept:
        if isinstance(event, e.ContextCompacted):
            raise UsageError(f"{name!r} was summarised at event {event.seq}: fork from an earlier step.")
