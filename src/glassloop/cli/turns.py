"""Commands about one turn that is stored: decide, stop, take up again, watch, replay.

Only the options are here; the work is imported when it is asked for.
"""

from typing import Annotated

import typer

from glassloop.cli.options import ChosenOption, EventsOption, JsonOption, ModelOption, TurnArgument
from glassloop.core.errors import UsageError

app = typer.Typer()


@app.command()
def approve(
    turn: TurnArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve what it waits for, without asking.")] = False,
    no: Annotated[bool, typer.Option("--no", "-n", help="Refuse what it waits for, without asking.")] = False,
    for_session: Annotated[
        bool, typer.Option("--for-session", help="As --yes, and do not ask again in this session.")
    ] = False,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="With --no: why; the model is told.")] = "",
    assistant: ChosenOption = None,
    as_json: EventsOption = False,
) -> int:
    """Decide what a turn waits for, and watch it go on.

    Ends as `ask` does; with 3 when the turn still waits, and with 0 when --no refused what it waited for.

    \b
    Examples:
      glassloop approve 0199c0de-0000-7000-8000-000000000001
      glassloop approve 0199c0de-0000-7000-8000-000000000001 --no --reason "not that file"
    """
    yes = yes or for_session
    if yes and no:
        given = "--for-session" if for_session else "--yes"
        raise UsageError(f"Both {given} and --no were given: give one of them, or none to be asked.")
    if reason and not no:
        raise UsageError(f"--reason {reason[:40]!r} is told to the model with a refusal: add --no, or leave it out.")
    from glassloop.cli.following import approve_turn

    approved = True if yes else False if no else None
    return approve_turn(
        turn, approved=approved, reason=reason, for_session=for_session, assistant=assistant, as_json=as_json
    )


@app.command()
def cancel(turn: TurnArgument, as_json: JsonOption = False) -> int:
    """Stop a turn, wherever it runs.

    \b
    Example:
      glassloop cancel 0199c0de-0000-7000-8000-000000000001
    """
    from glassloop.cli.following import cancel_turn

    return cancel_turn(turn, as_json=as_json)


@app.command()
def resume(
    turn: Annotated[
        str | None, typer.Argument(metavar="TURN", help="The turn's id. Else every turn that nobody runs any more.")
    ] = None,
    assistant: ChosenOption = None,
    as_json: EventsOption = False,
) -> int:
    """Take up turns whose process is gone, and watch them go on.

    \b
    Examples:
      glassloop resume
      glassloop resume 0199c0de-0000-7000-8000-000000000001
    """
    from glassloop.cli.following import resume_turns

    return resume_turns(turn, assistant=assistant, as_json=as_json)


@app.command()
def watch(
    turn: TurnArgument,
    after: Annotated[int, typer.Option("--after", metavar="SEQ", min=0, help="Only the events after this one.")] = 0,
    as_json: EventsOption = False,
) -> int:
    """Watch a turn from outside, or see again how it went.

    Ends as `ask` does, when the turn is over or waits for an approval. Ctrl-C leaves; the turn goes on.

    \b
    Examples:
      glassloop watch 0199c0de-0000-7000-8000-000000000001
      glassloop watch 0199c0de-0000-7000-8000-000000000001 --after 12 --json
    """
    from glassloop.cli.following import watch_turn

    return watch_turn(turn, after=after, as_json=as_json)


@app.command()
def sources(turn: TurnArgument, as_json: JsonOption = False) -> None:
    """Show where each figure of an answer came from.

    \b
    Examples:
      glassloop sources 0199c0de-0000-7000-8000-000000000001
      glassloop sources 0199c0de-0000-7000-8000-000000000001 --json
    """
    from glassloop.cli.sources import show_sources

    show_sources(turn, as_json=as_json)


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
    if step is None:
        if model is not None or edits or yes:
            raise UsageError("--model, --edit and --yes are for going on from a step: add --from STEP.")
        from glassloop.cli.replaying import replay_turn

        return replay_turn(turn, assistant=assistant, as_json=as_json)
    from glassloop.cli.replaying import fork_turn

    return fork_turn(turn, step, assistant=assistant, model=model, edits=edits or [], as_json=as_json, yes=yes)
