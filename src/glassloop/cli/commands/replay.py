"""`glassloop replay`: a turn run again on what was recorded, to compare; or from one of its steps on, for real."""

from collections.abc import Sequence
from typing import Annotated

import typer

from glassloop.cli.options import ChosenOption, ModelOption, TurnArgument
from glassloop.cli.resources import assistant_path, find_turn, use_runtime
from glassloop.cli.turn_player import TurnPlayer, choose_decider, choose_display, report
from glassloop.cli.ui.output import Line, count, show_result
from glassloop.cli.ui.safe_text import one_line
from glassloop.core.errors import UsageError
from glassloop.runtime.replay.replay import ReplayReport

app = typer.Typer()

MAX_VALUE_CHARS = 200


@app.command()
def replay(
    turn: TurnArgument,
    step: Annotated[
        int | None, typer.Option("--from", metavar="STEP", min=1, help="Go on from before this step, as a new turn.")
    ] = None,
    assistant: ChosenOption = None,
    model: ModelOption = None,
    edits: Annotated[
        list[str] | None,
        typer.Option("--edit", metavar="KEY=VALUE", help="With --from: question=TEXT, or stepN=TEXT; may be repeated."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="For programs: the report, or with --from the events.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --from: approve whatever is asked for.")] = False,
) -> int:
    """Run a turn again to compare, or go on from a step.

    Without --from the loop runs on what was recorded, and nothing real is called: ends with 0 when it goes the same
    way, 1 when it does not. With --from the new turn is real, and ends as `ask` does; its effects always ask.

    \b
    Examples:
      glassloop replay 0199c0de-0000-7000-8000-000000000001
      glassloop replay 0199c0de-0000-7000-8000-000000000001 --from 2 --edit "step1=It rains." -m ollama:qwen3:8b
    """
    if step is None and (model is not None or edits or yes):
        raise UsageError("--model, --edit and --yes are for going on from a step: add --from STEP.")
    changed = _edits(edits or ())
    chosen = assistant_path(assistant) if assistant else None
    with use_runtime(needs_store=True) as (runner, runtime):
        row = runner.run(find_turn(runtime.store, turn))
        if step is None:
            found = runner.run(runtime.replay(row.id, assistant=chosen))
            show_result(found, as_json, lambda _: _difference_lines(found))
            return 1 if found.differences else 0
        submitted = runner.run(runtime.fork(row.id, step, assistant=chosen, model=model, edits=changed))
        display, decider = choose_display(as_json), choose_decider(as_json=as_json, yes=yes)
        outcome = TurnPlayer(runner, runtime).follow(submitted.turn_id, display=display, decider=decider)
    return report(outcome, submitted.session_id, as_json=as_json, assistant=chosen)


def _edits(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for edit in given:
        key, sign, value = edit.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"--edit {edit[:60]!r} changes nothing: write question=TEXT or stepN=TEXT.")
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
