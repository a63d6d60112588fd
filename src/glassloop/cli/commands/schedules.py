"""`glassloop schedule` and `inbox`: questions that are asked later, and what waits for whoever asked them."""

from datetime import datetime
from typing import Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import AssistantOption, JsonOption, LimitOption, ModelOption, OwnerOption, SessionOption
from glassloop.cli.resources import USER, use_runtime
from glassloop.cli.turn_player import TurnPlayer, choose_decider, choose_display, report
from glassloop.cli.ui.output import Line, TerminalStyle, count, moment, say, show_result
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.core.errors import UsageError
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.durable.runtime import Runtime
from glassloop.store.records import ScheduleRow, ScheduleRun, TurnRow

app = typer.Typer()
schedule = typer.Typer(name="schedule", cls=Helpful)
app.add_typer(schedule, help="Add, list, pause and cancel scheduled questions.")

MAX_SHOWN_CHARS = 300
_STYLES = {"active": "act", "paused": "think", "ended": "soft"}
_OUTCOMES = {"started": "observe", "skipped": "think", "failed": "trouble"}
_NEEDS_SERVER = "Schedules run while `glassloop serve` or `glassloop worker` is running."

ScheduleArgument = Annotated[str, typer.Argument(metavar="ID", help="ID of the schedule.")]
AtOption = Annotated[
    str | None, typer.Option("--at", metavar="TIME", help='Run once at this time, e.g. "2026-12-24 18:00".')
]
EveryOption = Annotated[
    str | None, typer.Option("--every", metavar="TIMES", help='Repeat: "0 9 * * 1-5", 30m, 2h, @daily.')
]
ZoneOption = Annotated[
    str | None,
    typer.Option("--timezone", metavar="ZONE", help="Time zone, e.g. Europe/Paris. Default: GLASSLOOP_TIMEZONE."),
]
UserOption = Annotated[str, typer.Option("--user", metavar="NAME", help="Whose it is.")]


@schedule.command()
def add(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask.")],
    at: AtOption = None,
    every: EveryOption = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="CONDITION", help="Ask at the --every interval (default: 1h) until this is true."
        ),
    ] = None,
    timezone: ZoneOption = None,
    max_runs: Annotated[int | None, typer.Option("--max-runs", metavar="N", help="Maximum number of runs.")] = None,
    ends_at: Annotated[
        str | None, typer.Option("--ends-at", metavar="TIME", help="Do not run after this time.")
    ] = None,
    assistant: AssistantOption = None,
    model: ModelOption = None,
    session: SessionOption = None,
    user: UserOption = USER,
    as_json: JsonOption = False,
) -> None:
    """Schedule a question, once or repeatedly.

    Answers appear in `glassloop inbox` and on the web page. Needs a running `glassloop serve` or `glassloop worker`.

    \b
    Examples:
      glassloop schedule add "What changed in the orders?" --every "0 9 * * 1-5" --timezone Europe/Paris
      glassloop schedule add "Wish Ada a happy birthday" --at "2026-12-10 09:00"
      glassloop schedule add "Look at the build" --every 10m --until "the build is green"
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        adding = runtime.schedules.add(
            question,
            user=user,
            at=_time(at, "--at"),
            every=every,
            until=until,
            timezone=timezone,
            max_runs=max_runs,
            ends_at=_time(ends_at, "--ends-at"),
            wanted=AgentKey(assistant or "", model),
            session_id=session,
        )
        _show_one(runtime, runner.run(adding), as_json, note=_NEEDS_SERVER)


@schedule.command("list")
def list_schedules(
    user: OwnerOption = None,
    status: Annotated[str | None, typer.Option("--status", metavar="STATUS", help="active, paused or ended.")] = None,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
) -> None:
    """List schedules, newest first.

    \b
    Example:
      glassloop schedule list --status active
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        # The store refuses a status that does not exist, in words.
        found = runner.run(runtime.schedules.list(user, limit=limit, status=status))  # pyright: ignore[reportArgumentType]
        total = count(len(found), "schedule") if found else "No schedules. To add one: `glassloop schedule add`"
        heads = [_lines(runtime, row) for row in found]
    show_result(found, as_json, lambda _: [*(line for lines in heads for line in lines), Line((total, "soft"))])


@schedule.command()
def show(schedule_id: ScheduleArgument, as_json: JsonOption = False) -> None:
    """Show a schedule and its runs.

    \b
    Example:
      glassloop schedule show 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        row = runner.run(runtime.schedules.get(schedule_id))
        runs = runner.run(runtime.schedules.runs(schedule_id))
        lines = [*_lines(runtime, row), *map(_run_line, runs)]
    show_result({"schedule": row, "runs": runs}, as_json, lambda _: lines)


@schedule.command()
def change(
    schedule_id: ScheduleArgument,
    question: Annotated[str | None, typer.Option("--question", metavar="TEXT", help="The new question.")] = None,
    at: AtOption = None,
    every: EveryOption = None,
    timezone: ZoneOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change the question or the times of a schedule.

    \b
    Example:
      glassloop schedule change 0199c0de-0000-7000-8000-000000000001 --every "30 8 * * 1-5"
    """
    if not any((question, at, every, timezone)):
        raise UsageError("Nothing to change: give --question, --at, --every or --timezone.")
    with use_runtime(needs_store=True) as (runner, runtime):
        changing = runtime.schedules.change(
            schedule_id, question=question, at=_time(at, "--at"), every=every, timezone=timezone
        )
        _show_one(runtime, runner.run(changing), as_json)


@schedule.command()
def pause(schedule_id: ScheduleArgument, as_json: JsonOption = False) -> None:
    """Pause a schedule until it is resumed.

    \b
    Example:
      glassloop schedule pause 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        _show_one(runtime, runner.run(runtime.schedules.pause(schedule_id)), as_json)


@schedule.command()
def resume(schedule_id: ScheduleArgument, as_json: JsonOption = False) -> None:
    """Resume a paused schedule. Missed runs are not made up.

    \b
    Example:
      glassloop schedule resume 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        _show_one(runtime, runner.run(runtime.schedules.resume(schedule_id)), as_json, note=_NEEDS_SERVER)


@schedule.command()
def cancel(schedule_id: ScheduleArgument) -> None:
    """End a schedule. A run in progress continues; `glassloop cancel TURN` stops it.

    \b
    Example:
      glassloop schedule cancel 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        if not runner.run(runtime.schedules.cancel(schedule_id, by="command line")):
            raise UsageError(f"Schedule {schedule_id!r} has already ended, so there is nothing to cancel.")
    say(f"Schedule {schedule_id} has ended.")


@schedule.command()
def run(
    schedule_id: ScheduleArgument,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the events instead, one JSON object per line.")
    ] = False,
) -> int:
    """Run a schedule now, in addition to its times, and watch it. Same exit codes as `ask`.

    \b
    Example:
      glassloop schedule run 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        row = runner.run(runtime.schedules.get(schedule_id))
        submitted = runner.run(runtime.schedules.run_now(schedule_id))
        player = TurnPlayer(runner, runtime)
        decider = choose_decider(as_json=as_json)
        outcome = player.follow(submitted.turn_id, display=choose_display(as_json), decider=decider)
        runner.run(runtime.schedules.note_ends())
        runner.run(runtime.inbox.mark_seen(row.user_id, [submitted.turn_id]))
    return report(outcome, submitted.session_id, as_json=as_json)


@app.command()
def inbox(
    user: UserOption = USER,
    seen: Annotated[bool, typer.Option("--seen", help="Remove the items shown from the inbox.")] = False,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
) -> None:
    """Show approvals and results waiting for you.

    Approvals stay until you decide them with `glassloop approve TURN`.

    \b
    Examples:
      glassloop inbox
      glassloop inbox --seen
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        found = runner.run(runtime.inbox.read(user, limit))
        stopped = [line for row in found.schedules for line in _lines(runtime, row)]
        if seen:
            runner.run(runtime.inbox.mark_seen(user, [row.id for row in (*found.turns, *found.schedules)]))
    entries = count(found.count, "entry").replace("entrys", "entries")
    last = Line((entries if found.count else "Your inbox is empty.", "soft"))
    show_result(
        found,
        as_json,
        lambda terminal: [*(line for row in found.turns for line in _turn_lines(row, terminal)), *stopped, last],
    )


def _time(text: str | None, option: str) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option} {text[:40]!r} is not a time: write it like 2026-12-24 18:00.") from None


def _show_one(runtime: Runtime, row: ScheduleRow, as_json: bool, note: str = "") -> None:
    lines = _lines(runtime, row)
    if note and row.status == "active":
        lines.append(Line((note, "soft"), indent=4))
    show_result(row, as_json, lambda _: lines)


def _lines(runtime: Runtime, row: ScheduleRow) -> list[Line]:
    upcoming = f"next {moment(row.next_at)}" if row.next_at is not None and row.status == "active" else ""
    facts = [runtime.schedules.describe(row), upcoming, count(row.runs, "run"), one_line(row.user_id, 60)]
    lines = [
        Line((safe_text(row.id), "act"), f"  {one_line(row.question, MAX_SHOWN_CHARS)}"),
        Line((row.status, _STYLES[row.status]), (f"  {', '.join(filter(None, facts))}", "soft"), indent=4),
    ]
    if row.until:
        lines.append(Line(("until: ", "soft"), one_line(row.until, MAX_SHOWN_CHARS), indent=4))
    if row.note:
        lines.append(Line((one_line(row.note, 2 * MAX_SHOWN_CHARS), "think"), indent=4))
    return lines


def _run_line(run: ScheduleRun) -> Line:
    missed = f", {run.missed} missed before it" if run.missed else ""
    again = f", try {run.attempt}" if run.attempt > 1 else ""
    told = safe_text(run.turn_id) if run.turn_id else one_line(run.note, MAX_SHOWN_CHARS)
    return Line(
        f"{moment(run.due_at)}  ",
        (run.outcome, _OUTCOMES[run.outcome]),
        f"  {told}",
        (missed + again, "soft"),
        indent=4,
    )


def _turn_lines(row: TurnRow, terminal: TerminalStyle) -> list[Line]:
    waits = row.status == "paused"
    said = "waiting for you" if waits else row.answer or row.error or ""
    style = "think" if waits else "trouble" if row.status == "failed" else ""
    facts = terminal.join(moment(row.finished_at or row.started_at), one_line(row.assistant, 60))
    return [
        Line((safe_text(row.id), "act"), f"  {one_line(row.question, MAX_SHOWN_CHARS)}"),
        Line((one_line(said, MAX_SHOWN_CHARS), style), (f"  {facts}", "soft"), indent=4, below=1),
    ]
