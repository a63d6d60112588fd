"""`glassloop ask` and `glassloop chat`: one question, or a conversation in this terminal."""

import asyncio
import sys
from typing import Annotated

import typer

from glassloop.cli.chat import Chat
from glassloop.cli.commands.models import offer_weights
from glassloop.cli.options import AssistantOption, EventsOption, ModelOption, SessionOption
from glassloop.cli.resources import asked_assistant, load_settings, prepare_agent, use_runtime
from glassloop.cli.turn_player import TurnPlayer, choose_decider, choose_display, report
from glassloop.cli.ui.output import complain
from glassloop.cli.ui.prompt import line_history, read_question
from glassloop.core.errors import UsageError
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.ids import new_id

app = typer.Typer()


@app.command()
def ask(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="What to answer; - or nothing reads standard input.")
    ] = None,
    assistant: AssistantOption = None,
    model: ModelOption = None,
    session: SessionOption = None,
    as_json: EventsOption = False,
    max_iterations: Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", help="At most so many steps. Else the assistant's.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve whatever the turn asks approval for.")] = False,
) -> int:
    """Ask one question and watch it being answered.

    Ends with 0 when answered, 1 when the turn failed, 2 for bad input, 3 when it waits for an approval that nobody can
    give, 4 when it was answered without something that was refused, 130 after Ctrl-C.

    \b
    Examples:
      glassloop ask "Convert 26.2 miles to kilometers"
      echo "What is 18% of 2,450?" | glassloop ask --json
      glassloop ask -a ./my-assistant -m reflex "Which files are here?"
    """
    if max_iterations is not None and max_iterations < 1:
        raise UsageError(f"--max-iterations must be at least 1, not {max_iterations}: leave it out for the default.")
    text = read_question(question)
    settings = load_settings()
    wanted = AgentKey(asked_assistant(assistant, settings), model, max_iterations)
    display, decider = choose_display(as_json), choose_decider(as_json=as_json, yes=yes)
    offer_weights(settings, model, yes=yes)
    with use_runtime(settings) as (runner, runtime):
        runner.run(prepare_agent(runtime, wanted))
        _announce_new(runner, runtime, session)
        session, player = session or new_id(), TurnPlayer(runner, runtime)
        outcome = player.play(text, wanted=wanted, session_id=session, display=display, decider=decider)
    return report(outcome, session, as_json=as_json, assistant=wanted.assistant)


@app.command()
def chat(assistant: AssistantOption = None, model: ModelOption = None, session: SessionOption = None) -> int:
    """Talk to an assistant in this terminal.

    \b
    Examples:
      glassloop chat
      glassloop chat -a ./my-assistant -m ollama:qwen3:8b
    """
    settings = load_settings()
    wanted = AgentKey(asked_assistant(assistant, settings), model)
    offer_weights(settings, model)
    with use_runtime(settings) as (runner, runtime):
        runner.run(prepare_agent(runtime, wanted))
        talk = Chat(settings, TurnPlayer(runner, runtime), runtime.agents, wanted)
        _announce_new(runner, runtime, session)
        talk.session = session or talk.session
        if not sys.stdin.isatty():
            talk.listen()
            return 0
        with line_history(settings.home_path / "chat_history"):
            talk.greet()
            talk.talk()
    return 0


def _announce_new(runner: asyncio.Runner, runtime: Runtime, session: str | None) -> None:
    """Says so where a conversation that was named does not exist yet: its id may be mistyped."""
    if session is not None and runner.run(runtime.store.sessions.get(session)) is None:
        complain(f"There is no conversation {session!r} yet: this begins it (`glassloop sessions list` shows them).")
