"""`glassloop answer` and `glassloop steer`: what a person tells a turn that waits or runs, from any process."""

from typing import Annotated

import typer

from glassloop.cli.commands.turns import choose_assistant, show_events
from glassloop.cli.options import ChosenOption, EventsOption, JsonOption, TurnArgument
from glassloop.cli.resources import USER, find_turn, use_runtime
from glassloop.cli.turn_player import TurnPlayer, choose_decider, choose_display, decide, outcome_of, report
from glassloop.cli.ui.output import show_result
from glassloop.cli.ui.prompt import read_question
from glassloop.cli.ui.question import chosen
from glassloop.cli.ui.safe_text import safe_text
from glassloop.core.errors import UsageError
from glassloop.projections.pending_approvals import unanswered

app = typer.Typer()


@app.command()
def answer(
    turn: TurnArgument,
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="The answer, or the number of an option. Omit it to be prompted."),
    ] = None,
    assistant: ChosenOption = None,
    as_json: EventsOption = False,
) -> int:
    """Answer a question from a turn.

    If there are several questions, TEXT answers the first. Same exit codes as `ask`; 3 if the turn is still waiting.

    \b
    Examples:
      glassloop answer last
      glassloop answer 0199c0de-0000-7000-8000-000000000001 "the one in Basel"
    """
    with use_runtime(needs_store=True, assistant=assistant) as (runner, runtime):
        choose_assistant(runtime, assistant)
        row = runner.run(find_turn(runtime.store, turn))
        events = runner.run(runtime.store.turns.read(row.id, skip_unknown=True))
        questions = unanswered(events)
        if row.status != "paused" or not questions:
            raise UsageError(
                f"Turn {row.id!r} is {row.status} and has no open question, so there is nothing to answer."
            )
        display, decider = choose_display(as_json), choose_decider(as_json=as_json)
        runner.run(show_events(runtime, row.id, display, 0))
        if text is not None:
            said = chosen(questions[0], read_question(text))
            goes_on = runner.run(runtime.answer(row.id, questions[0].call_id, said, by=USER))
        else:
            goes_on = decider is not None and decide(runner, runtime, decider, events)
        if goes_on:
            player = TurnPlayer(runner, runtime)
            outcome = player.follow(row.id, display=display, decider=decider, after=events[-1].seq)
        else:
            outcome = outcome_of(row.id, runner.run(runtime.store.turns.read(row.id, skip_unknown=True)))
    return report(outcome, row.session_id, as_json=as_json, assistant=assistant)


@app.command()
def steer(
    turn: TurnArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The message to take into account.")],
    as_json: JsonOption = False,
) -> int:
    """Send a message to a running or paused turn.

    The model reads it before its next step. An answer in progress is withheld until then.

    \b
    Example:
      glassloop steer last "Only the figures of 2025, please"
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        row = runner.run(find_turn(runtime.store, turn))
        number = runner.run(runtime.steer(row.id, text, by=USER))
    told = {"turn_id": row.id, "number": number}
    show_result(told, as_json, lambda _: f"Message {number} to turn {safe_text(row.id)} is queued for its next step.")
    return 0
