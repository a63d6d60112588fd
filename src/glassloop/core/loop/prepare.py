"""Phases before and between the steps: history, commands, routing, planning, messages. Each records its facts."""

import logging
from collections.abc import AsyncGenerator, Coroutine
from functools import partial
from typing import Any, cast

from glassloop.core import events as e
from glassloop.core.errors import StoreAway
from glassloop.core.guardrails.checks import check_message, record_message_rulings
from glassloop.core.loop.side_questions import ask, ask_in_context
from glassloop.core.loop.think import record_thought
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import AssistantMessage
from glassloop.core.planning.planner import adjust_plan, unplanned
from glassloop.core.records import Decision

_log = logging.getLogger(__name__)

MAX_EARLIER_TOOLS = 3
"""Tools of earlier turns that stay on offer."""
SHORTLIST, ENOUGH = 24, 32
SMALL_SHORTLIST, SMALL_ENOUGH = 32, 36
"""With more than `ENOUGH` tools only `SHORTLIST` of them are offered, `SMALL_…` to small models; the `shortlist` of a
profile overrides both."""


async def provide_deps(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """What tools and prompts are given by the program. Where this process has none, the turn waits for one that has."""
    factory, started = turn.ports.deps_factory, turn.state.started
    turn.needs_deps = False
    if factory is None or started is None:
        turn.record(e.TurnWaiting(**turn.stamp(), reason="dependencies", call_ids=()))
        for event in await turn.commit():
            yield event
        return
    made = factory(started)
    turn.deps = await turn.guarded(cast("Coroutine[Any, Any, Any]", made)) if isinstance(made, Coroutine) else made


async def load_history(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """What was said before, before anything else runs."""
    recall, started = turn.ports.recall, turn.state.started
    messages = await turn.guarded(recall(started, partial(ask, turn))) if recall and started else ()
    turn.record(e.HistoryLoaded(**turn.stamp(), messages=tuple(messages)))
    for event in await turn.commit():
        yield event


async def read_command(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """A question that starts with `/` goes to the command parser, not to the model."""
    commands = turn.ports.commands
    line = turn.state.question
    if commands is None:
        return
    decision = await turn.guarded(commands.read(line, turn))
    turn.record(
        e.CommandRead(**turn.stamp(), name=line[1:].split(maxsplit=1)[0] if line[1:].strip() else "", decision=decision)
    )
    record_thought(turn, decision)
    for event in await turn.commit():
        yield event


async def route(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Gives the question to a domain; what is none of our business is answered right away. A small model is told no
    more than it must read, one that reads no prompts cannot be told: to these no tools are recommended."""
    router, state, abilities = turn.ports.router, turn.state, turn.model("decide").abilities
    if router is None:
        return
    decided = await turn.guarded(router.route(state.question, state.messages, partial(ask_in_context, turn)))
    farewell = router.farewell(state.question, decided)
    told = abilities.reads_prompts and not abilities.small
    recommended = tuple(router.recommended(decided, turn.ports.tools.specs)) if told else ()
    turn.record(e.RouteDecided(**turn.stamp(), route=decided, farewell=farewell, recommended=recommended))
    if farewell is not None:
        record_thought(turn, Decision(thought=decided.reasoning, answer=farewell))
    for event in await turn.commit():
        yield event


def max_tools(turn: Turn) -> int | None:
    """How many tools may be offered for a question, where there are more; None where all of them may be."""
    count, most = len(turn.ports.tools.specs), turn.profile.shortlist
    if most is None:
        small = turn.model("decide").abilities.small
        most, enough = (SMALL_SHORTLIST, SMALL_ENOUGH) if small else (SHORTLIST, ENOUGH)
        return most if count > enough else None
    return most if 0 < most < count else None


async def shortlist(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Of many tools, those that the question may need. What its route recommends and what was called before in this
    conversation stays on offer, as the next question is often about that."""
    ports, state, specs = turn.ports, turn.state, turn.ports.tools.specs
    finder, most = ports.shortlist, max_tools(turn)
    if finder is None or most is None:
        return
    said = (message.calls for message in reversed(state.messages) if isinstance(message, AssistantMessage))
    before = dict.fromkeys(call.tool for calls in said for call in calls)
    routed = ports.router.recommended(state.route, specs) if ports.router and state.route else ()
    keep = [name for name in (*list(before)[:MAX_EARLIER_TOOLS], *routed) if name in specs]
    chosen = await turn.guarded(finder.choose(state.question, state.messages[:-1], specs, most, keep))
    turn.record(e.ToolsShortlisted(**turn.stamp(), tools=tuple(chosen), of=len(specs)))
    for event in await turn.commit():
        yield event


async def plan(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Says how hard the question looks. Whether it needs a plan is the model's to decide."""
    made = unplanned(turn.state.question, turn.profile.limits.iterations)
    turn.record(e.PlanMade(**turn.stamp(), plan=made))
    for event in await turn.commit():
        yield event


async def adjust(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """A failed sub-task changes the plan."""
    state, failed = turn.state, turn.state.plan_failed
    if state.plan is None or failed is None:
        return
    changed, done = adjust_plan(state.plan, state.plan_error, failed=failed), tuple(sorted(state.plan_done))
    turn.record(e.PlanAdjusted(**turn.stamp(), plan=changed, reason=f"step {failed} failed", done=done))
    for event in await turn.commit():
        yield event


async def take_messages(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Records the messages that the turn has not taken in. Those that cannot be read now are told of again."""
    state, inbox = turn.state, turn.ports.inbox
    # One that comes while these are read sets it again.
    turn.has_messages = False
    found, turn.sent = turn.sent, []
    if inbox is not None:
        try:
            found = [*found, *await inbox.after(state.turn_id, state.received)]
        except StoreAway as error:
            _log.warning("messages to turn %s cannot be read now: %s", state.turn_id, error)
    for message in found:
        text, rulings = message.text, ()
        if turn.ports.guardrails is not None and not message.admitted:
            text, rulings = await check_message(turn, turn.ports.guardrails, text)
        turn.record(
            e.MessageReceived(**turn.stamp(), step=state.iterations, number=message.number, text=text, by=message.by)
        )
        record_message_rulings(turn, rulings)
    for event in await turn.commit():
        yield event
