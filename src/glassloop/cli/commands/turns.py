"""`glassloop approve`, `cancel`, `resume`, `watch` and `replay`: turns that are stored, taken up in this terminal."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from glassloop.cli.options import ChosenOption, EventsOption, JsonOption, ModelOption, TurnArgument
from glassloop.cli.resources import USER, assistant_path, find_turn, use_runtime
from glassloop.cli.turn_player import (
    CANCELLED,
    FAILED,
    Decider,
    Display,
    TurnPlayer,
    choose_decider,
    choose_display,
    decide,
    outcome_of,
    report,
)
from glassloop.cli.ui.approval import FixedDecision, approve_all
from glassloop.cli.ui.console import make_console
from glassloop.cli.ui.output import Line, complain, count, say, show_result, show_view
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.core.events import TurnStarted
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.replay.replay import ReplayReport
from glassloop.store.records import TurnRow

app = typer.Typer()

POLL_S = 1.0
MAX_UNOWNED_S = 6.0
"""A turn that nobody runs for so long is not taken up by a server either: those look every five seconds."""

MAX_STOP_S = 10.0


@app.command()
def approve(
    turn: TurnArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve without asking.")] = False,
    no: Annotated[bool, typer.Option("--no", "-n", help="Refuse without asking.")] = False,
    for_session: Annotated[
        bool, typer.Option("--for-session", help="Like --yes, and do not ask again in this session.")
    ] = False,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="With --no: the reason, passed to the model.")
    ] = "",
    assistant: ChosenOption = None,
    as_json: EventsOption = False,
) -> int:
    """Approve or refuse what a turn is waiting for.

    Same exit codes as `ask`: 3 if the turn is still waiting, and 0 if --no refused what it was waiting for.

    \b
    Examples:
      glassloop approve 0199c0de-0000-7000-8000-000000000001
      glassloop approve 0199c0de-0000-7000-8000-000000000001 --no --reason "not that file"
    """
    yes = yes or for_session
    if yes and no:
        given = "--for-session" if for_session else "--yes"
        raise UsageError(f"{given} and --no cannot be combined: use one, or neither to be prompted.")
    if reason and not no:
        raise UsageError(f"--reason {reason[:40]!r} only applies to a refusal: add --no, or omit it.")
    with use_runtime(needs_store=True, assistant=assistant) as (runner, runtime):
        choose_assistant(runtime, assistant)
        row = runner.run(find_turn(runtime.store, turn))
        if row.status != "paused":
            raise UsageError(
                f"Turn {row.id!r} is {row.status} and is not waiting for approval, so there is nothing to decide."
            )
        events = runner.run(runtime.store.turns.read(row.id, skip_unknown=True))
        outcome = outcome_of(row.id, events)
        if not outcome.waiting:
            raise UsageError(f"Turn {row.id!r} is waiting for an answer: run `glassloop answer {row.id}`.")
        display, decider = choose_display(as_json), choose_decider(as_json=as_json)
        runner.run(show_events(runtime, row.id, display, 0))
        first = decider
        if yes or no:
            first = _fixed_decider(as_json, for_session=for_session, reason=reason if no else None)
        if first is not None:
            decide(runner, runtime, first, events)
            # What it asks for later was not seen when this was decided: it is asked for again.
            player = TurnPlayer(runner, runtime)
            outcome = player.follow(row.id, display=display, decider=decider, after=events[-1].seq)
    if no:
        # What --no refuses is what was asked of this command.
        outcome = msgspec.structs.replace(outcome, refused=False)
    return report(outcome, row.session_id, as_json=as_json, assistant=assistant)


@app.command()
def cancel(turn: TurnArgument, as_json: JsonOption = False) -> int:
    """Cancel a turn, wherever it runs.

    \b
    Example:
      glassloop cancel 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        row = runner.run(find_turn(runtime.store, turn))
        if not runner.run(runtime.cancel(row.id)):
            raise UsageError(f"Turn {row.id!r} is {row.status} already, so there is nothing to cancel.")
        status = runner.run(_wait_for_end(runtime, row.id))
    if status in ("running", "paused"):
        complain(
            f"Turn {row.id!r} was asked to stop, but its process did not respond within {MAX_STOP_S:g} s: "
            f"`glassloop watch {row.id}` shows its status."
        )
        return 1
    show_result({"turn_id": row.id, "status": status}, as_json, lambda _: f"Turn {safe_text(row.id)} is {status}.")
    return 0


@app.command()
def resume(
    turn: Annotated[
        str | None, typer.Argument(metavar="TURN", help="ID of the turn. Default: every interrupted turn.")
    ] = None,
    assistant: ChosenOption = None,
    as_json: EventsOption = False,
) -> int:
    """Resume interrupted turns.

    \b
    Examples:
      glassloop resume
      glassloop resume 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True, assistant=assistant) as (runner, runtime):
        choose_assistant(runtime, assistant)
        rows = runner.run(_unowned(runtime, turn))
        if not rows and not as_json:
            say("There are no interrupted turns.")
        first = 0
        for row in rows:
            try:
                code = _resume(runner, runtime, row, assistant=assistant, as_json=as_json)
            except GlassloopError as error:
                if turn:
                    raise
                complain(f"Turn {row.id!r} could not be resumed: {error}")
                code = FAILED
            first = first or code
            if code == CANCELLED:
                break
    return first


@app.command()
def watch(
    turn: TurnArgument,
    after: Annotated[int, typer.Option("--after", metavar="SEQ", min=0, help="Only events after this number.")] = 0,
    as_json: EventsOption = False,
) -> int:
    """Follow a running turn, or review a finished one.

    Stops when the turn ends or waits for approval, with the exit codes of `ask`. Ctrl-C stops following only.

    \b
    Examples:
      glassloop watch 0199c0de-0000-7000-8000-000000000001
      glassloop watch 0199c0de-0000-7000-8000-000000000001 --after 12 --json
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        row = runner.run(find_turn(runtime.store, turn))
        if not runner.run(_watch(runtime, row.id, choose_display(as_json), after)):
            complain(f"Turn {row.id!r} was interrupted: run `glassloop resume {row.id}` to continue it.")
            return FAILED
        events = runner.run(runtime.store.turns.read(row.id, skip_unknown=True))
    return report(outcome_of(row.id, events), row.session_id, as_json=as_json)


def choose_assistant(runtime: Runtime, assistant: str | None) -> None:
    """Turns of the assistant that a person gave, if any, may be run here."""
    if assistant is not None:
        runtime.agents.choose(assistant_path(assistant))


def _fixed_decider(as_json: bool, *, for_session: bool, reason: str | None) -> Decider:
    """`--yes`, `--for-session`, or with a reason `--no`: everything that is pending, which is shown all the same."""
    console = make_console(sys.stderr if as_json else sys.stdout)
    if reason is None:
        return approve_all(console, user=USER, option="--for-session" if for_session else "--yes")
    return FixedDecision(console, user=USER, approved=False, reason=reason, note="Refused by --no.")


async def _wait_for_end(runtime: Runtime, turn_id: str) -> str:
    try:
        async with asyncio.timeout(MAX_STOP_S):
            async for _ in runtime.watch(turn_id, through_pauses=True):
                pass
    except TimeoutError:
        pass
    return (await runtime.turn(turn_id)).status


async def _unowned(runtime: Runtime, turn_id: str | None) -> list[TurnRow]:
    """The turn that is named, or all that nobody runs."""
    if turn_id is None:
        return [row for row in await runtime.store.turns.unfinished() if runtime.is_left(row)]
    row = await find_turn(runtime.store, turn_id)
    if row.status == "running" and not runtime.is_left(row):
        raise UsageError(f"Turn {row.id!r} is running on {row.worker!r}: `glassloop watch {row.id}` follows it.")
    return [row]


def _resume(runner: asyncio.Runner, runtime: Runtime, row: TurnRow, *, assistant: str | None, as_json: bool) -> int:
    runner.run(_check_agent(runtime, row.id))
    runner.run(runtime.resume(row.id))
    if not as_json:
        begun = f"resuming turn {safe_text(row.id)}", one_line(row.question, 60)
        show_view(lambda terminal: Line((terminal.join(*begun), "faint")))
    player = TurnPlayer(runner, runtime)
    outcome = player.follow(row.id, display=choose_display(as_json), decider=choose_decider(as_json=as_json))
    return report(outcome, row.session_id, as_json=as_json, assistant=assistant)


async def _check_agent(runtime: Runtime, turn_id: str) -> None:
    """Raises here what would otherwise be for a worker's log: that the assistant or model is missing."""
    started = (await runtime.store.turns.read(turn_id))[0]
    if isinstance(started, TurnStarted):
        await runtime.agents.for_turn(started)


async def _watch(runtime: Runtime, turn_id: str, display: Display, after: int) -> bool:
    """False where nobody runs the turn any more."""
    showing = asyncio.create_task(show_events(runtime, turn_id, display, after))
    unowned = 0.0
    try:
        while not (await asyncio.wait({showing}, timeout=POLL_S))[0]:
            unowned = unowned + POLL_S if runtime.is_left(await runtime.turn(turn_id)) else 0.0
            if unowned >= MAX_UNOWNED_S:
                return False
    finally:
        showing.cancel()
        await asyncio.wait({showing})
    showing.result()
    return True


async def show_events(runtime: Runtime, turn_id: str, display: Display, after: int) -> None:
    async with display:
        async for event in runtime.watch(turn_id, after=after):
            display.show(event)


MAX_VALUE_CHARS = 200


@app.command()
def replay(
    turn: TurnArgument,
    step: Annotated[
        int | None, typer.Option("--from", metavar="STEP", min=1, help="Continue from before this step as a new turn.")
    ] = None,
    assistant: ChosenOption = None,
    model: ModelOption = None,
    edits: Annotated[
        list[str] | None,
        typer.Option("--edit", metavar="KEY=VALUE", help="With --from: question=TEXT or stepN=TEXT. Can be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: the report, or with --from the events.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --from: approve everything the turn asks for.")
    ] = False,
) -> int:
    """Rerun a turn to compare it, or continue from a step.

    Without --from the turn is replayed from its recording and calls nothing: it exits with 0 if the result is the same,
    1 if not. With --from the new turn is real, has the exit codes of `ask`, and always asks before effects.

    \b
    Examples:
      glassloop replay 0199c0de-0000-7000-8000-000000000001
      glassloop replay 0199c0de-0000-7000-8000-000000000001 --from 2 --edit "step1=It rains." -m ollama:qwen3:8b
    """
    if step is None and (model is not None or edits or yes):
        raise UsageError("--model, --edit and --yes need --from STEP.")
    changed = _edits(edits or ())
    chosen = assistant_path(assistant) if assistant else None
    with use_runtime(needs_store=True, assistant=assistant) as (runner, runtime):
        row = runner.run(find_turn(runtime.store, turn))
        if step is None:
            found = runner.run(runtime.replay(row.id, assistant=chosen))
            show_result(found, as_json, lambda _: _difference_lines(found))
            return 1 if found.differences else 0
        submitted = runner.run(runtime.fork(row.id, step, assistant=chosen, model=model, edits=changed))
        display, decider = choose_display(as_json), choose_decider(as_json=as_json, yes=yes)
        outcome = TurnPlayer(runner, runtime).follow(submitted.turn_id, display=display, decider=decider)
    return report(outcome, submitted.session_id, as_json=as_json, assistant=assistant)


def _edits(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for edit in given:
        key, sign, value = edit.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"--edit {edit[:60]!r} is not an edit: write question=TEXT or stepN=TEXT.")
        if key.strip() in found:
            raise UsageError(f"--edit {key.strip()[:60]!r} was given twice: give it once.")
        found[key.strip()] = value
    return found


def _difference_lines(found: ReplayReport) -> list[Line]:
    events = count(found.compared, "event")
    lines: list[Line] = []
    for difference in found.differences:
        lines.append(Line(f"{difference.seq} {difference.kind}  ", (one_line(difference.field, 200), "act")))
        for name, value in (("recorded", difference.recorded), ("now", difference.replayed)):
            lines.append(Line((f"{name}: ", "soft"), one_line(value, MAX_VALUE_CHARS), indent=4))
    if not found.differences:
        lines.append(Line((f"No difference in {events}.", "observe")))
    else:
        lines.append(Line((f"{count(len(found.differences), 'difference')} in {events}.", "trouble")))
    if found.note:
        lines.append(Line((one_line(found.note, 400), "soft")))
    return lines
