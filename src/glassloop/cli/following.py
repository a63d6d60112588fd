"""Turns that are stored already, taken up in this terminal: decided, stopped, resumed, watched."""

import asyncio
import sys
from collections.abc import Container, Sequence

import msgspec
from rich.console import Console
from rich.text import Text

from glassloop.cli.approval import Waiver, card
from glassloop.cli.ask import USER, choose_decider, choose_display, report
from glassloop.cli.console import make_console, write
from glassloop.cli.display import look_of
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.latest import find_turn
from glassloop.cli.play import CANCELLED, FAILED, Display, Outcome, Player, any_refused, decide, end_of, pending
from glassloop.cli.running import running, where
from glassloop.cli.streams import complain
from glassloop.cli.tell import say, tell
from glassloop.cli.untrusted import inert, one_line
from glassloop.core import events as e
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime.agent import Approval
from glassloop.runtime.runtime import Runtime, Submitted
from glassloop.store.records import TurnRow

LOOK_S = 1.0
LEFT_S = 6.0
"""A turn that nobody runs for so long is not taken up by a server either: those look every five seconds."""

STOPPED_S = 10.0


def approve_turn(
    turn_id: str,
    *,
    approved: bool | None,
    reason: str,
    for_session: bool = False,
    assistant: str | None = None,
    as_json: bool = False,
) -> int:
    """Shows how the turn came to wait, has it decided and goes on with it. Ctrl-C instead leaves it as it is."""
    with running(load_settings(), stored=True) as (runner, runtime):
        assistant = _choose(runtime, assistant)
        row = runner.run(find_turn(runtime.store, turn_id))
        turn_id = row.id
        if row.status != "paused":
            raise UsageError(f"Turn {turn_id!r} is {row.status} and waits for nobody: there is nothing to decide.")
        display, decider = choose_display(as_json), choose_decider(as_json=as_json)
        runner.run(_show(runtime, turn_id, display, 0))
        events = runner.run(runtime.store.turns.read(turn_id, skip_unknown=True))
        console = make_console(sys.stderr if as_json else sys.stdout)
        first = decider
        if approved is not None:
            first = Waiver(console, user=USER, for_session=for_session) if approved else _Refused(console, reason)
        outcome = Outcome(turn_id=turn_id, finished=None, waiting=pending(events))
        if first is not None:
            decide(runner, runtime, first, events)
            # What it asks for later was not seen when this was decided: it is asked for again.
            outcome = Player(runner, runtime, user=USER).follow(
                Submitted(turn_id=turn_id, session_id=row.session_id),
                display=display,
                decider=decider,
                after=events[-1].seq,
            )
    report(outcome, row.session_id, as_json=as_json, assistant=assistant)
    # What --no refuses is what was asked of this command.
    return (msgspec.structs.replace(outcome, refused=False) if approved is False else outcome).exit_code


class _Refused:
    """`--no`: everything that is pending, which is shown all the same."""

    def __init__(self, console: Console, reason: str) -> None:
        self._console = console
        self._reason = reason

    def decide(self, requests: Sequence[e.ApprovalRequested], grantable: Container[str] = ()) -> list[Approval]:  # noqa: ARG002
        for request in requests:
            write(self._console, card(request))
            write(self._console, Text("Refused by --no.", "think"))
        return [
            Approval(call_id=r.call.id, digest=r.digest, approved=False, by=USER, reason=self._reason) for r in requests
        ]

    def complain(self, problem: str) -> None:
        raise UsageError(problem)


def cancel_turn(turn_id: str, *, as_json: bool = False) -> int:
    """Stops a turn, and tells how it ended."""
    with running(load_settings(), stored=True) as (runner, runtime):
        row = runner.run(find_turn(runtime.store, turn_id))
        turn_id = row.id
        if not runner.run(runtime.cancel(turn_id)):
            raise UsageError(f"Turn {turn_id!r} is {row.status} already: there is nothing to cancel.")
        status = runner.run(_wait_for_end(runtime, turn_id))
    if status in ("running", "paused"):
        complain(
            f"Turn {turn_id!r} was told to stop, and its process has not answered in {STOPPED_S:g} s: "
            f"`glassloop watch {turn_id}` shows whether it does."
        )
        return FAILED
    tell({"turn_id": turn_id, "status": status}, as_json, lambda _look: Text(f"Turn {inert(turn_id)} is {status}."))
    return 0


async def _wait_for_end(runtime: Runtime, turn_id: str) -> str:
    try:
        async with asyncio.timeout(STOPPED_S):
            async for _ in runtime.watch(turn_id, through_pauses=True):
                pass
    except TimeoutError:
        pass
    return (await runtime.turn(turn_id)).status


def _choose(runtime: Runtime, assistant: str | None) -> str | None:
    """The assistant that a person gave, as turns remember it; those of it may be run here."""
    if assistant is None:
        return None
    chosen = where(assistant)
    runtime.agents.choose(chosen)
    return chosen


def resume_turns(turn_id: str | None, *, assistant: str | None = None, as_json: bool = False) -> int:
    """Takes up a turn, or all that nobody runs, one after the other; the first exit code that is not 0."""
    with running(load_settings(), stored=True) as (runner, runtime):
        assistant = _choose(runtime, assistant)
        rows = [runner.run(_left(runtime, turn_id))] if turn_id else runner.run(_all_left(runtime))
        if not rows and not as_json:
            say("There is no turn that nobody runs.")
        first = 0
        for row in rows:
            try:
                code = _resume(runner, runtime, row, assistant=assistant, as_json=as_json)
            except GlassloopError as error:
                if turn_id:
                    raise
                complain(f"Turn {row.id!r} was not taken up: {error}")
                code = FAILED
            first = first or code
            if code == CANCELLED:
                break
    return first


def _resume(runner: asyncio.Runner, runtime: Runtime, row: TurnRow, *, assistant: str | None, as_json: bool) -> int:
    runner.run(_check_agent(runtime, row.id))
    runner.run(runtime.resume(row.id))
    if not as_json:
        console = make_console()
        begun = look_of(console).join("resuming turn " + inert(row.id), one_line(row.question, 60))
        write(console, Text(begun, "faint"))
    outcome = Player(runner, runtime, user=USER).follow(
        Submitted(turn_id=row.id, session_id=row.session_id),
        display=choose_display(as_json),
        decider=choose_decider(as_json=as_json),
    )
    report(outcome, row.session_id, as_json=as_json, assistant=assistant)
    return outcome.exit_code


async def _left(runtime: Runtime, turn_id: str) -> TurnRow:
    row = await find_turn(runtime.store, turn_id)
    if row.status == "running" and not runtime.is_left(row):
        raise UsageError(f"Turn {row.id!r} is run by {row.worker!r}: `glassloop watch {row.id}` shows it.")
    return row


async def _all_left(runtime: Runtime) -> Sequence[TurnRow]:
    return [row for row in await runtime.store.turns.unfinished() if runtime.is_left(row)]


async def _check_agent(runtime: Runtime, turn_id: str) -> None:
    """Raises here what would otherwise be for a worker's log: that the assistant or model cannot be had."""
    started = (await runtime.store.turns.read(turn_id))[0]
    if isinstance(started, e.TurnStarted):
        await runtime.agents.of(started)


def watch_turn(turn_id: str, *, after: int, as_json: bool) -> int:
    """Shows a turn from outside, to its end or its next pause."""
    with running(load_settings(), stored=True) as (runner, runtime):
        row = runner.run(find_turn(runtime.store, turn_id))
        turn_id = row.id
        if not runner.run(_watch(runtime, turn_id, choose_display(as_json), after)):
            complain(f"Nobody runs turn {turn_id!r} any more: `glassloop resume {turn_id}` takes it up.")
            return FAILED
        events = runner.run(runtime.store.turns.read(turn_id, skip_unknown=True))
    ended, refused = end_of(events), any_refused(events)
    outcome = Outcome(turn_id=turn_id, finished=ended, waiting=pending(events), refused=refused)
    report(outcome, row.session_id, as_json=as_json)
    return outcome.exit_code


async def _watch(runtime: Runtime, turn_id: str, display: Display, after: int) -> bool:
    """False where nobody runs the turn any more."""
    showing = asyncio.create_task(_show(runtime, turn_id, display, after))
    left = 0.0
    try:
        while not (await asyncio.wait({showing}, timeout=LOOK_S))[0]:
            left = left + LOOK_S if runtime.is_left(await runtime.turn(turn_id)) else 0.0
            if left >= LEFT_S:
                return False
    finally:
        showing.cancel()
        await asyncio.wait({showing})
    showing.result()
    return True


async def _show(runtime: Runtime, turn_id: str, display: Display, after: int) -> None:
    async with display:
        async for event in runtime.watch(turn_id, after=after):
            display.show(event)
