"""One question from the command line to its exit code."""

import asyncio
import sys

from glassloop.cli.play import WAITING, Decider, Display, Outcome, Player
from glassloop.cli.streams import complain
from glassloop.cli.terminal import ask_aside, ask_line, can_ask
from glassloop.cli.untrusted import one_line
from glassloop.runtime.build import build_agent
from glassloop.runtime.settings import load_settings

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
    agent = build_agent(assistant, load_settings(), model=model, max_iterations=max_iterations)
    display, decider = _display(as_json), _decider(as_json=as_json, yes=yes)
    with asyncio.Runner() as runner:
        outcome = Player(runner, user=USER).play(agent, question, session_id=session, display=display, decider=decider)
        runner.run(agent.aclose())
    _report(outcome, seen=not as_json and sys.stdout.isatty())
    return outcome.exit_code


def _display(as_json: bool) -> Display:
    if as_json:
        from glassloop.cli.json_lines import JsonLines

        return JsonLines(sys.stdout.buffer, sys.stderr)
    from glassloop.cli.console import make_console
    from glassloop.cli.display import trace_on

    return trace_on(make_console())


def _decider(*, as_json: bool, yes: bool) -> Decider | None:
    """Who decides, if anybody; with `--json` people are spoken to on standard error."""
    shown = sys.stderr if as_json else sys.stdout
    if not yes and not can_ask(shown):
        return None
    from glassloop.cli.approval import Asker, Waiver
    from glassloop.cli.console import make_console

    console = make_console(shown)
    return Waiver(console, user=USER) if yes else Asker(console, ask_aside if as_json else ask_line, user=USER)


def _report(outcome: Outcome, *, seen: bool) -> None:
    """What went wrong, in one sentence, unless the trace has just shown it on a terminal."""
    if outcome.exit_code == WAITING:
        tools = ", ".join(dict.fromkeys(one_line(request.call.tool, 60) for request in outcome.waiting))
        complain(
            f"The turn waits for your approval of {tools}, and nobody can be asked here: "
            "run it in a terminal to decide, or give --yes to approve whatever it asks for."
        )
    elif outcome.finished is not None and outcome.finished.status != "completed" and not seen:
        complain(outcome.finished.error or f"The turn was {outcome.finished.status}.")
