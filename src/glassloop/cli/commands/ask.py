"""`glassloop ask` and `glassloop chat`: one question, or a conversation in this terminal, with a trace of every turn.

`Chat` has the prompt and the commands that concern the chat itself; every other `/command` goes to the agent. Without
a terminal the questions are the lines of standard input.
"""

import asyncio
import sys
from typing import Annotated, ClassVar

import typer
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.commands.models import offer_weights
from glassloop.cli.options import AssistantOption, EventsOption, ModelOption, SessionOption
from glassloop.cli.resources import USER, asked_assistant, assistant_path, load_settings, prepare_agent, use_runtime
from glassloop.cli.turn_player import Decider, TurnPlayer, choose_decider, choose_display, report
from glassloop.cli.ui.approval import ApprovalPrompt, FixedDecision
from glassloop.cli.ui.console import make_console, style_of, write
from glassloop.cli.ui.output import complain, show_result
from glassloop.cli.ui.prompt import (
    Completer,
    ask_line,
    can_ask,
    completing,
    line_history,
    piped_lines,
    read_question,
)
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.cli.ui.trace_display import trace_on
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.assistants.assistant_files import is_path, open_assistant
from glassloop.runtime.attachments.parts import File, Question
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.submission import TurnOptions
from glassloop.runtime.ids import new_id
from glassloop.runtime.models import describe_models, is_language_model, is_offered
from glassloop.runtime.settings import Settings

OWN_COMMANDS = """\
/model NAME: switch to another model in this conversation
/assistant NAME: start a new conversation with another assistant
/attach FILE: attach an image or file to the next question
/regenerate [MODEL]: answer the last question again, without showing the model its earlier answer
/edit QUESTION: replace the last question
/continue: continue an answer that was stopped
/new: start a new conversation
/quit: exit (or press Ctrl-D)"""
_UNATTENDED = "No one could be asked because the chat is not running in a terminal."


class Chat:
    """One person, one assistant at a time, one session until they say otherwise.

    A chat for something special overrides `run_command`, `question`, `turn_options` and `prompt`.
    """

    commands_help: ClassVar[str] = OWN_COMMANDS

    def __init__(self, settings: Settings, runner: asyncio.Runner, runtime: Runtime, wanted: AgentKey) -> None:
        self._settings = settings
        self._runner = runner
        self._runtime = runtime
        self._player = TurnPlayer(runner, runtime)
        self._agents = runtime.agents
        self._wanted = wanted
        self._console = make_console()
        self._refused = False
        self._attached: list[File] = []
        self.session = new_id()

    def resume(self, session: str | None) -> None:
        """Goes on with a conversation; None is a new one."""
        _announce_new(self._runner, self._runtime, session)
        self.session = session or self.session

    def greet(self) -> None:
        """Who answers, what to try, and plainly when there is no language model behind it."""
        name = self._name(self._wanted)
        shown = style_of(self._console).join("Glassloop", safe_text(self._wanted.assistant), safe_text(name))
        self._say(Text(shown, "bold"))
        if not is_language_model(name, self._settings):
            self._say(Text(_about_rules(name, self._settings), "think"))
        questions = open_assistant(self._wanted.assistant, self._settings).questions
        for question in questions[:3]:
            self._say(Text(f"  {one_line(question, 200)}", "soft"))
        self._say(Text("/help lists the commands, Ctrl-C stops an answer, Ctrl-D exits.\n", "faint"))

    def talk(self) -> None:
        """Prompts until the person leaves."""
        leaving = False
        while True:
            try:
                line = ask_line(self.prompt()).strip()
            except EOFError:
                self._console.print()
                return
            except KeyboardInterrupt:
                self._console.print()
                if leaving:
                    return
                leaving = True
                self._say(Text("Press Ctrl-C again, or Ctrl-D, to exit.", "faint"))
                continue
            if line:
                leaving = False
                if not self.hear(line):
                    return

    def listen(self) -> None:
        """Answers the lines of standard input until it ends."""
        for line in piped_lines():
            if not self.hear(line, question=True):
                return

    def hear(self, line: str, *, question: bool = False) -> bool:
        """One line: a command of the chat, or a turn. False when it was a goodbye."""
        command, _, rest = line.partition(" ")
        if command in ("/quit", "/exit"):
            return False
        try:
            if self.run_command(command, rest.strip()):
                return True
            if self._refused and line.lower() in ("y", "yes"):
                # Meant for the approval that is over; as a question it would be taken for something else.
                self._say(
                    Text(
                        "Nothing is waiting for your approval any more. Send the question again if you still need it.",
                        "think",
                    )
                )
            else:
                self._turn(line, question=question)
        except GlassloopError as error:
            self._say(Text(safe_text(str(error)), "trouble"))
        return True

    def run_command(self, command: str, rest: str) -> bool:
        """Does what a command of the chat says; False where it is none, and so the agent's, or a question."""
        match command:
            case "/new":
                self.session = new_id()
                self._say(Text("Started a new conversation.", "soft"))
            case "/attach":
                self._attach(rest)
            case "/regenerate" | "/edit" | "/continue":
                self._revise(command, rest)
            case "/model":
                self._change_model(rest)
            case "/assistant":
                self._change_assistant(rest)
            case _:
                return False
        return True

    def question(self, line: str) -> Question:
        """What is asked by a line."""
        return [line, *self._attached] if self._attached else line

    def turn_options(self) -> TurnOptions | None:
        """What is asked for with the next turn."""
        return None

    def prompt(self) -> str:
        return f"{style_of(self._console).prompt} "

    def _turn(self, line: str, *, question: bool) -> None:
        display = trace_on(self._console, question=question)
        self._refused = False
        try:
            outcome = self._player.play(
                self.question(line),
                wanted=self._wanted,
                session_id=self.session,
                display=display,
                decider=self._decider(),
                ask_user=can_ask(sys.stdout),
                options=self.turn_options(),
            )
            self._refused, self._attached = outcome.refused, []
        except KeyboardInterrupt:
            self._say(Text("Stopped.", "trouble"))
        if line.strip() == "/help":
            self._say(Padding(Text(f"Chat commands:\n{self.commands_help}"), (0, 0, 0, 3)))
        self._console.print()

    def _revise(self, command: str, rest: str) -> None:
        """Another version of the last turn."""
        turns = self._runner.run(self._runtime.store.turns.of_session(self.session, path_only=True))
        last = next((turn for turn in reversed(turns) if not turn.question.startswith("/")), None)
        if last is None:
            raise UsageError(f"There is nothing to {command[1:]} yet: ask something first.")
        if command == "/edit" and not rest:
            raise UsageError(f"Type the new question after /edit. The last one was: {one_line(last.question, 200)}")
        versions, model = self._runtime.versions, rest if command == "/regenerate" and rest else self._wanted.model
        if command == "/continue":
            version = versions.continue_answer(last.id, model=self._wanted.model, user=USER)
        else:
            version = versions.regenerate(
                last.id,
                self.question(rest) if command == "/edit" else None,
                model=model,
                user=USER,
                channel="cli",
                ask_user=can_ask(sys.stdout),
                options=self.turn_options(),
            )
        try:
            outcome = self._player.play_version(version, display=trace_on(self._console), decider=self._decider())
            self._refused, self._attached = outcome.refused, []
        except KeyboardInterrupt:
            self._say(Text("Stopped.", "trouble"))
        self._console.print()

    def _decider(self) -> Decider:
        if can_ask(sys.stdout):
            return ApprovalPrompt(self._console, ask_line, user=USER)
        return FixedDecision(None, user=USER, approved=False, reason=_UNATTENDED)

    def _attach(self, path: str) -> None:
        if not path:
            self._attached = []
            self._say(Text("Nothing is attached. Use /attach FILE to add a file to the next question.", "soft"))
            return
        self._attached.append(File(path))
        self._say(Text(f"Attached to the next question: {self._attached[-1].attachment.label}", "soft"))

    def _change_model(self, name: str) -> None:
        if not name:
            self._say(
                Text(f"{self._name(self._wanted)} is answering. Use /model NAME to switch; see `glassloop models`.")
            )
            return
        wanted = AgentKey(self._wanted.assistant, name)
        shown = self._name(wanted)
        self._wanted = wanted
        self._say(Text(f"{shown} answers from now on.", "soft"))

    def _change_assistant(self, name: str) -> None:
        if not name:
            shown = safe_text(self._wanted.assistant)
            self._say(Text(f"This is {shown}. Use /assistant NAME to switch; `glassloop assistants` lists assistants."))
            return
        wanted = AgentKey(assistant_path(name), self._wanted.model)
        self._agents.with_own_tools(wanted)
        self._wanted, self.session = wanted, new_id()
        self.greet()

    def _say(self, shown: RenderableType) -> None:
        write(self._console, shown)

    def _name(self, wanted: AgentKey) -> str:
        return self._agents.with_own_tools(wanted).models["balanced"].name


def _about_rules(name: str, settings: Settings) -> str:
    providers = [info for info in describe_models(settings) if info.variable]
    if any(info.configured for info in providers):
        return f"{name} is not a language model: it matches words to tools. Use /model NAME to switch to one."
    names = [info.variable for info in providers]
    here = "download one that runs here (`glassloop models pull`), or set" if is_offered(settings) else "set"
    return (
        f"No language model is configured: {name} only matches words to tools. To use a "
        f"language model, {here} {', '.join(names[:-1])} or {names[-1]} (see `glassloop models`)."
    )


app = typer.Typer()


@app.command()
def ask(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="The question. Omit it or use - to read standard input.")
    ] = None,
    assistant: AssistantOption = None,
    model: ModelOption = None,
    session: SessionOption = None,
    as_json: EventsOption = False,
    max_iterations: Annotated[
        int | None,
        typer.Option("--max-iterations", metavar="N", help="Maximum number of steps. Default: the assistant's limit."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve everything the turn asks for.")] = False,
    attach: Annotated[
        list[str] | None,
        typer.Option("--attach", metavar="FILE", help="Attach an image or file. Can be repeated."),
    ] = None,
    background: Annotated[
        bool,
        typer.Option(
            "--background", "-b", help="Run it on a server or worker; the answer appears in `glassloop inbox`."
        ),
    ] = False,
) -> int:
    """Ask one question and watch the answer.

    Exits with 0 if the question was answered, 1 if the turn failed, 2 for bad input, 3 if the turn is waiting for an
    approval, 4 if it was answered without something that was refused, 130 after Ctrl-C.

    \b
    Examples:
      glassloop ask "Convert 26.2 miles to kilometers"
      echo "What is 18% of 2,450?" | glassloop ask --json
      glassloop ask -a ./my-assistant -m reflex "Which files are here?"
      glassloop ask -a app.py:support "Where is my order?"
      glassloop ask --attach photo.png "What is on it?"
    """
    if max_iterations is not None and max_iterations < 1:
        raise UsageError(f"--max-iterations must be at least 1, not {max_iterations}: omit it to use the default.")
    text = read_question(question)
    asked: Question = [text, *map(File, attach)] if attach else text
    settings, name = asked_assistant(assistant, load_settings())
    wanted = AgentKey(name, model, max_iterations)
    if background:
        return _leave(settings, asked, wanted, session, as_json=as_json)
    return ask_once(settings, asked, wanted, session, as_json=as_json, yes=yes, assistant=assistant)


@app.command()
def chat(assistant: AssistantOption = None, model: ModelOption = None, session: SessionOption = None) -> int:
    """Talk to an assistant in this terminal.

    \b
    Examples:
      glassloop chat
      glassloop chat -a ./my-assistant -m ollama:qwen3:8b
    """
    settings, name = asked_assistant(assistant, load_settings())
    wanted = AgentKey(name, model)
    offer_weights(settings, model)
    with use_runtime(settings) as (runner, runtime):
        runner.run(prepare_agent(runtime, wanted))
        return hold(Chat(settings, runner, runtime, wanted), settings, session)


def ask_once(
    settings: Settings,
    question: Question,
    wanted: AgentKey,
    session: str | None,
    *,
    as_json: bool = False,
    yes: bool = False,
    assistant: str | None = None,
    options: TurnOptions | None = None,
) -> int:
    """One question, from the first event to the exit code. `assistant`: as a person chose it."""
    display, decider = choose_display(as_json), choose_decider(as_json=as_json, yes=yes)
    offer_weights(settings, wanted.model, yes=yes)
    with use_runtime(settings) as (runner, runtime):
        runner.run(prepare_agent(runtime, wanted))
        _announce_new(runner, runtime, session)
        session, player = session or new_id(), TurnPlayer(runner, runtime)
        outcome = player.play(
            question,
            wanted=wanted,
            session_id=session,
            display=display,
            decider=decider,
            ask_user=can_ask(sys.stderr if as_json else sys.stdout),
            options=options,
        )
    return report(outcome, session, as_json=as_json, assistant=assistant)


def hold(talk: Chat, settings: Settings, session: str | None, complete: Completer | None = None) -> int:
    """A chat until the person leaves, or standard input ends. `complete` is asked when they press Tab."""
    talk.resume(session)
    if not sys.stdin.isatty():
        talk.listen()
        return 0
    with line_history(settings.home_path / "chat_history"), completing(complete):
        talk.greet()
        talk.talk()
    return 0


def _leave(settings: Settings, question: Question, wanted: AgentKey, session: str | None, *, as_json: bool) -> int:
    """Stores the turn for whoever runs turns here."""
    if is_path(wanted.assistant):
        raise UsageError("--background works with an assistant's name, not with a folder: use one or the other.")
    with use_runtime(settings, needs_store=True, runs_turns=False) as (runner, runtime):
        submit = runtime.submit(question, session_id=session, user=USER, wanted=wanted, channel="cli", background=True)
        submitted = runner.run(submit)
    told = f"Turn {submitted.turn_id} will run once `glassloop serve` or `worker` is running. See `glassloop inbox`."
    show_result(submitted, as_json, lambda _: told)
    return 0


def _announce_new(runner: asyncio.Runner, runtime: Runtime, session: str | None) -> None:
    """Says so where a conversation that was named does not exist yet: its id may be mistyped."""
    if session is not None and runner.run(runtime.store.sessions.get(session)) is None:
        complain(f"There is no conversation {session!r} yet, so this starts it (`glassloop sessions list` shows all).")
