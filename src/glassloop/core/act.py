"""Act and observe: the calls of one step, from intent to observation.

Owns what must be true before a call starts (references resolved, limits kept, people asked) and what is recorded when.
The order of calls is `chain`'s, running them the executor's.
"""

from asyncio import current_task
from collections.abc import AsyncGenerator

from glassloop.core import events as e
from glassloop.core.chain import Finished, Link, Progressed, Starting, Verdict, run_chain
from glassloop.core.errors import BadArguments
from glassloop.core.messages import ToolSpec
from glassloop.core.policy import digest_of, needs_approval
from glassloop.core.ports import Progress
from glassloop.core.records import ToolCall, ToolResult
from glassloop.core.references import find_references, resolve_parameters
from glassloop.core.state import CallState
from glassloop.core.turn import Turn


def act(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Runs the open calls of the step until all have results, or until only people can go on."""
    calls = turn.state.calls
    if len(calls) == 1:
        (entry,) = calls.values()
        spec = turn.ports.tools.specs.get(entry.call.tool)
        if spec is None or not spec.reports_progress:
            return _alone(turn, entry, spec)
    return _together(turn)


async def _alone(turn: Turn, entry: CallState, spec: ToolSpec | None) -> AsyncGenerator[e.AnyEvent, None]:
    """A step of one call, the most frequent kind: there is no order to keep."""
    verdict = await _admit(turn, entry, spec)
    if type(verdict) is ToolCall:
        _start(turn, entry, verdict, spec)
        for event in await turn.commit(sync=spec is not None and spec.effect != "read"):
            yield event
        turn.task = current_task()
        try:
            result = await turn.ports.tools.execute_tool(verdict, turn.context(verdict.id))
        finally:
            turn.task = None
        _observe(turn, verdict, result)
    elif isinstance(verdict, ToolResult):
        _observe(turn, entry.call, verdict)
    if turn.state.open_calls:
        _pause(turn)
    for event in await turn.commit():
        yield event


async def _together(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """A step of several calls, or of one that tells its progress."""
    state, specs = turn.state, turn.ports.tools.specs

    admitted: set[str] = set()

    async def admit(link: Link) -> Verdict:
        entry = state.calls[link.call.id]
        ahead = sum(not state.calls[call_id].called for call_id in admitted)
        verdict = await _admit(turn, entry, specs.get(link.call.tool), ahead)
        if isinstance(verdict, ToolCall):
            admitted.add(verdict.id)
        return verdict

    async def execute(call: ToolCall, progress: Progress | None) -> ToolResult:
        return await turn.ports.tools.execute_tool(call, turn.context(call.id, progress))

    updates = run_chain(_links(turn), admit, execute)
    try:
        turn.task = current_task()
        async for update in updates:
            turn.task = None
            if isinstance(update, Progressed):
                yield _progress(turn, update)
            elif isinstance(update, Starting):
                for call in update.calls:
                    _start(turn, state.calls[call.id], call, specs.get(call.tool))
                for event in await turn.commit(sync=update.effects):
                    yield event
            elif isinstance(update, Finished):
                _observe(turn, update.call, update.result)
                for event in await turn.commit():
                    yield event
                if state.calls[update.call.id].result is None:
                    break
            else:
                turn.close_calls(f"Not run to its end: the required tool {update.call.tool!r} failed.")
            turn.task = current_task()
    finally:
        turn.task = None
        await updates.aclose()
    if state.open_calls:
        _pause(turn)
    for event in await turn.commit():
        yield event


def _start(turn: Turn, entry: CallState, call: ToolCall, spec: ToolSpec | None) -> None:
    """The intent; one that is in the log already is not recorded again."""
    if not entry.called:
        effect = "read" if spec is None else spec.effect
        turn.record(e.ToolCalled, step=turn.state.iterations, call=call, effect=effect)


def _observe(turn: Turn, call: ToolCall, result: ToolResult) -> None:
    """The observation; of an effect cut off in the middle there is none before a person has looked."""
    if result.metadata and result.metadata.get("outcome") == "unknown" and turn.state.calls[call.id].decision is None:
        _ask_outcome(turn, call, result.error or "")
    else:
        turn.record(e.ToolReturned, step=turn.state.iterations, call_id=call.id, result=result)


def _links(turn: Turn) -> list[Link]:
    """The open calls with their places; a call needs those before it in this step that its arguments name."""
    specs = turn.ports.tools.specs
    links, earlier = list[Link](), dict[int, str]()
    for entry in turn.state.calls.values():
        call = entry.call
        if entry.result is None:
            spec = specs.get(call.tool)
            named = find_references(call.args) if earlier else ()
            links.append(
                Link(
                    call=call,
                    effect=spec.effect if spec else "read",
                    required=spec.required if spec else False,
                    needs=frozenset(earlier[number] for number in named if number in earlier),
                    reports_progress=spec.reports_progress if spec else False,
                )
            )
        earlier[entry.number] = call.id
    return links


async def _admit(turn: Turn, entry: CallState, spec: ToolSpec | None, ahead: int = 0) -> Verdict:
    """What becomes of a call whose turn has come; `ahead` others are about to start with it."""
    state, limits = turn.state, turn.profile.limits
    if entry.called:
        return await _admit_again(turn, entry, spec)
    if limits.tool_calls is not None and state.tool_calls + ahead >= limits.tool_calls:
        return _refusal(f"Not run: the limit of {limits.tool_calls} tool calls a turn is reached.")
    if len(state.calls) > limits.calls_per_step and entry.call.id in list(state.calls)[limits.calls_per_step :]:
        return _refusal(f"Not run: at most {limits.calls_per_step} calls a step. Ask again for the rest.")
    call = entry.call
    try:
        args = resolve_parameters(call.args, state.results)
    except BadArguments as error:
        return ToolResult(success=False, error=str(error), metadata={"outcome": "not_run"})
    if args is not call.args:
        call = ToolCall(id=call.id, tool=call.tool, args=args)
    if spec is None or not needs_approval(spec, turn.profile.approvals):
        return call
    return await _admit_approved(turn, entry, call)


async def _admit_approved(turn: Turn, entry: CallState, call: ToolCall) -> Verdict:
    """A call that a person must allow: exactly as shown, or as they changed it."""
    if (decision := entry.decision) is not None:
        if decision.approved:
            return entry.call if decision.args is not None else call
        said = f": {decision.reason}" if decision.reason else "."
        return _refusal(f"The person refused this call{said}", requires_confirmation=True)
    if entry.request is None:
        if (problem := turn.ports.tools.check(call)) is not None:
            return ToolResult(success=False, error=problem, metadata={"outcome": "not_run"})
        turn.task = current_task()
        try:
            preview = await turn.ports.tools.preview(call, turn.context(call.id))
        finally:
            turn.task = None
        turn.record(
            e.ApprovalRequested,
            step=turn.state.iterations,
            call=call,
            preview=preview,
            digest=digest_of(call, preview),
        )
    return None


async def _admit_again(turn: Turn, entry: CallState, spec: ToolSpec | None) -> Verdict:
    """A call that had started when its worker was lost: read again, or ask whether it took effect."""
    call = entry.call
    if spec is None or spec.effect == "read" or spec.idempotent:
        return call
    request, decision = entry.request, entry.decision
    if request is None or request.reason != "outcome_unknown":
        _ask_outcome(turn, call, "It had started when the work was interrupted.")
        return None
    if decision is None:
        return None
    if decision.approved:
        return call
    return ToolResult(
        success=False,
        error=f"Whether this call took effect is unknown, and it was not repeated. {decision.reason}".rstrip(),
        metadata={"outcome": "unknown"},
    )


def _ask_outcome(turn: Turn, call: ToolCall, what: str) -> None:
    """Nobody knows whether an effect took place: a person looks, and says whether it is to be done again."""
    preview = f"{what} Whether it took effect is unknown. Approve to run it again, refuse to leave it as it is."
    turn.record(
        e.ApprovalRequested,
        step=turn.state.iterations,
        call=call,
        preview=preview,
        digest=digest_of(call, preview),
        reason="outcome_unknown",
    )


def _refusal(why: str, *, requires_confirmation: bool = False) -> ToolResult:
    return ToolResult(
        success=False, error=why, requires_confirmation=requires_confirmation, metadata={"outcome": "not_run"}
    )


def _progress(turn: Turn, update: Progressed) -> e.ToolProgressed:
    return turn.mention(
        e.ToolProgressed, call_id=update.call_id, message=update.message[:500], fraction=update.fraction
    )


def _pause(turn: Turn) -> None:
    pending = [entry.request for entry in turn.state.calls.values() if entry.request and entry.decision is None]
    turn.record(
        e.TurnPaused,
        reason="outcome_unknown" if any(r.reason == "outcome_unknown" for r in pending) else "approval",
        call_ids=tuple(request.call.id for request in pending),
    )
