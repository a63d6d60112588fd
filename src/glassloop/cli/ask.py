"""One question from the command line to its exit code."""

import asyncio
import os
import shlex
import sys

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.models_offer import offer_weights
from glassloop.cli.play import WAITING, Decider, Display, Outcome, Player
from glassloop.cli.running import running, where
from glassloop.cli.server_notice import get_ready
from glassloop.cli.streams import complain
from glassloop.cli.terminal import ask_aside, ask_line, can_ask
from glassloop.cli.untrusted import inert, one_line
from glassloop.projections.response import why_ended
from glassloop.runtime.agents import Wanted
from glassloop.runtime.assistants import is_path
from glassloop.runtime.ids import new_id
from glassloop.runtime.runtime import Runtime

USER = "anonymous"


def ask_once(
    question: str,
    *,
    assistant: str,
    model: str | None,
    session: str | None,
    as_json: bool,
    max_iterations: int | None,
    yes: bool,
) -> int:
    """Asks, shows the turn, and says by its exit code how it ended."""
    wanted = Wanted(where(assistant), model, max_iterations)
    display, decider = choose_display(as_json), choose_decider(as_json=as_json, yes=yes)
    settings = load_settings()
    offer_weights(settings, model, yes=yes)
    with running(settings) as (runner, runtime):
        player = Player(runner, runtime, user=USER)
        runner.run(get_ready(runtime, wanted))
        tell_new(runner, runtime, session)
        session = session or new_id()
        outcome = player.play(question, wanted=wanted, session_id=session, display=display, decider=decider)
    report(outcome, session, as_json=as_json, assistant=wanted.assistant)
    return outcome.exit_code


def choose_display(as_json: bool) -> Display:
    """Where the events of a turn go."""
    if as_json:
        from glassloop.cli.json_lines import JsonLines

        return JsonLines(sys.stdout.buffer, sys.stderr)
    from glassloop.cli.console import make_console
    from glassloop.cli.display import trace_on

    return trace_on(make_console())


def choose_decider(*, as_json: bool = False, yes: bool = False) -> Decider | None:
    """Who decides, if anybody; with `--json` people are spoken to on standard error."""
    shown = sys.stderr if as_json else sys.stdout
    if not yes and not can_ask(shown):
        return None
    from glassloop.cli.approval import Asker, Waiver
    from glassloop.cli.console import make_console

    console = make_console(shown)
    return Waiver(console, user=USER) if yes else Asker(console, ask_aside if as_json else ask_line, user=USER)


def report(outcome: Outcome, session_id: str, *, as_json: bool, assistant: str | None = None) -> None:
    """How to get back to the turn, and what went wrong in one sentence, unless the same place has just shown it.
    `assistant`: as it was chosen; a folder has to be chosen again."""
    if not as_json and sys.stdout.isatty():
        from rich.text import Text

        from glassloop.cli.console import make_console, write
        from glassloop.cli.display import look_of

        console = make_console()
        names = look_of(console).join(f"turn {inert(outcome.turn_id)}", f"session {inert(session_id)}")
        write(console, Text(names, "faint", overflow="fold"))
    if outcome.exit_code == WAITING:
        if not as_json:
            _show_waiting(outcome)
        tools = ", ".join(dict.fromkeys(one_line(request.call.tool, 60) for request in outcome.waiting))
        again = f" -a {shlex.quote(assistant)}" if assistant and is_path(assistant) else ""
        complain(
            f"The turn waits for your approval of {tools}: `glassloop approve {outcome.turn_id}{again}` asks you in a "
            "terminal, and with --yes or --no it does not ask."
        )
    elif outcome.finished is not None and outcome.finished.status != "completed" and (as_json or not _same_place()):
        complain(why_ended(outcome.finished))


def _show_waiting(outcome: Outcome) -> None:
    """What is to be decided, also where nobody can be asked: whoever reads it later must not decide blindly."""
    from glassloop.cli.approval import card
    from glassloop.cli.console import make_console, write

    console = make_console()
    for request in outcome.waiting:
        write(console, card(request))


def _same_place() -> bool:
    """Whether both streams end in one terminal, file or pipe, as with `2>&1`: nothing is told twice there."""
    try:
        out, err = os.fstat(sys.stdout.fileno()), os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):
        return False
    return (out.st_dev, out.st_ino) == (err.st_dev, err.st_ino)


def tell_new(runner: asyncio.Runner, runtime: Runtime, session: str | None) -> None:
    """Says so where a conversation that was named is none yet: its id may be mistyped."""
    if session is not None and runner.run(runtime.store.sessions.get(session)) is None:
        complain(f"There is no conversation {session!r} yet: this begins it (`glassloop sessions list` shows them).")
