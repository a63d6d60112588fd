"""Playing a turn to its end: events shown, people asked, Ctrl-C taken as a cancel, and the outcome reported.

The same for one question, a chat and a turn that is stored already.
"""

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Awaitable, Callable, Container, Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import BinaryIO, Protocol, Self, TextIO

import msgspec

from glassloop.cli.agent_targets import is_target
from glassloop.cli.resources import USER, assistant_path
from glassloop.cli.run_until_signal import LoopSignals
from glassloop.cli.ui.approval import ApprovalPrompt, approve_all, card
from glassloop.cli.ui.console import make_console
from glassloop.cli.ui.output import Line, complain, show_view
from glassloop.cli.ui.prompt import ask_aside, ask_line, can_ask
from glassloop.cli.ui.question import question_card
from glassloop.cli.ui.safe_text import one_line, plain_json, safe_text
from glassloop.cli.ui.trace_display import trace_on
from glassloop.core import events as e
from glassloop.core.errors import BadArguments
from glassloop.core.loop.approvals.grants import grant_kind
from glassloop.projections.pending_approvals import pending, unanswered
from glassloop.projections.response import why_ended
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.assistants.assistant_files import is_path
from glassloop.runtime.assistants.result import Answer, Approval
from glassloop.runtime.attachments.parts import Question
from glassloop.runtime.durable.runtime import Runtime, SubmittedTurn
from glassloop.runtime.durable.submission import TurnOptions

COMPLETED, FAILED, BAD_INPUT, WAITING, REFUSED, CANCELLED = 0, 1, 2, 3, 4, 130


class Display(Protocol):
    """Entered for each stretch of a turn that runs without a person; shows the events of that stretch."""

    async def __aenter__(self) -> object: ...

    async def __aexit__(self, *_error: object) -> None: ...

    def show(self, event: e.Event) -> None: ...


class Decider(Protocol):
    """Decides about pending calls and answers questions; hears when a decision could not be used, and is then asked
    again. Of a question that it cannot answer it gives None.

    `grantable` are the tools that may be allowed as they are for the rest of the session. What a request offers to
    allow is allowed by that request.
    """

    def decide(self, requests: Sequence[e.ApprovalRequested], grantable: Container[str]) -> Sequence[Approval]: ...

    def answer(self, asked: e.QuestionAsked) -> Answer | None: ...

    def complain(self, problem: str) -> None: ...


class TurnOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a turn; without `finished` it waits for people who could not be asked. `refused`: a person declined
    something of it."""

    turn_id: str
    finished: e.TurnFinished | None
    waiting: tuple[e.ApprovalRequested, ...] = ()
    questions: tuple[e.QuestionAsked, ...] = ()
    refused: bool = False

    @property
    def exit_code(self) -> int:
        if self.finished is None:
            return WAITING
        if self.finished.error_type == "validation_error":
            return BAD_INPUT
        completed = REFUSED if self.refused else COMPLETED
        return {"completed": completed, "failed": FAILED, "cancelled": CANCELLED}[self.finished.status]


class JsonLines:
    """The event stream for programs. While a turn runs, what tools print goes to `other`: every line is an event."""

    def __init__(self, out: BinaryIO, other: TextIO) -> None:
        self._out = out
        self._elsewhere = redirect_stdout(other)

    async def __aenter__(self) -> Self:
        self._elsewhere.__enter__()
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._elsewhere.__exit__(None, None, None)

    def show(self, event: e.Event) -> None:
        self._out.write(plain_json(e.encode(event)) + b"\n")
        self._out.flush()


class TurnPlayer:
    """Plays turns, one after the other, on one event loop."""

    def __init__(self, runner: asyncio.Runner, runtime: Runtime) -> None:
        self._runner = runner
        self._runtime = runtime

    def play(
        self,
        question: Question,
        *,
        wanted: AgentKey,
        session_id: str,
        display: Display,
        decider: Decider | None,
        ask_user: bool = True,
        options: TurnOptions | None = None,
    ) -> TurnOutcome:
        """One turn; where `decider` is None, a turn that needs people stays where it is. `ask_user`: whether a person
        is there to answer the assistant."""
        submit = self._runtime.submit(
            question,
            session_id=session_id,
            user=USER,
            wanted=wanted,
            channel="cli",
            ask_user=ask_user,
            options=options,
        )
        return self.follow(self._runner.run(submit).turn_id, display=display, decider=decider)

    def play_version(
        self, version: Awaitable[SubmittedTurn], *, display: Display, decider: Decider | None
    ) -> TurnOutcome:
        """Another version of a turn."""

        async def submitted() -> str:
            return (await version).turn_id

        return self.follow(self._runner.run(submitted()), display=display, decider=decider)

    def follow(self, turn_id: str, *, display: Display, decider: Decider | None, after: int = 0) -> TurnOutcome:
        """A turn that was taken already, from the event after `after` on."""
        seen = list[e.Durable]()
        self._runner.run(self._watch(turn_id, display, seen, after))
        while not isinstance(seen[-1] if seen else None, e.TurnFinished):
            events = self._runner.run(self._runtime.store.turns.read(turn_id, skip_unknown=True))
            if decider is None:
                return outcome_of(turn_id, events)
            try:
                if not decide(self._runner, self._runtime, decider, events):
                    return outcome_of(turn_id, self._runner.run(self._runtime.store.turns.read(turn_id)))
            except KeyboardInterrupt:
                self._runner.run(self._runtime.cancel(turn_id))
            self._runner.run(self._watch(turn_id, display, seen, events[-1].seq))
        return outcome_of(turn_id, seen)

    async def _watch(self, turn_id: str, display: Display, seen: list[e.Durable], after: int) -> None:
        loop, stopping = asyncio.get_running_loop(), set[asyncio.Task[bool]]()

        def cancel() -> None:
            stopping.add(loop.create_task(self._runtime.cancel(turn_id)))

        async with display:
            with _interrupting(cancel):
                async for event in self._runtime.watch(turn_id, after=after):
                    if type(event) not in e.TRANSIENT:
                        seen.append(event)  # pyright: ignore[reportArgumentType]
                    display.show(event)
        await asyncio.gather(*stopping)


@contextmanager
def _interrupting(cancel: Callable[[], None]) -> Generator[None]:
    """Ctrl-C calls `cancel`, so that the turn still ends properly; a second one stops the program."""

    def interrupt() -> None:
        handlers.restore()
        cancel()

    handlers = LoopSignals((signal.SIGINT,), lambda _: interrupt())
    try:
        yield
    finally:
        handlers.restore()


def decide(runner: asyncio.Runner, runtime: Runtime, decider: Decider, events: Sequence[e.Durable]) -> bool:
    """Has what is pending decided and answered, and stores it; False where something stays open."""
    turn_id, requests, questions = events[0].turn_id, pending(events), unanswered(events)
    if requests:
        _decide(runner, runtime, decider, events, requests)
    for asked in questions:
        answer = decider.answer(asked)
        if answer is None:
            return False
        runner.run(runtime.answer(turn_id, answer.call_id, answer.text, by=answer.by))
    return bool(requests or questions)


def _decide(
    runner: asyncio.Runner,
    runtime: Runtime,
    decider: Decider,
    events: Sequence[e.Durable],
    requests: Sequence[e.ApprovalRequested],
) -> None:
    grantable = runner.run(grantable_tools(runtime, events[0]))
    while True:
        decisions = decider.decide(requests, grantable)
        try:
            runner.run(runtime.approve(events[0].turn_id, decisions))
        except BadArguments as error:
            decider.complain(str(error))
        else:
            return


async def grantable_tools(runtime: Runtime, started: e.Durable) -> frozenset[str]:
    """The tools of a turn that may be allowed as they are for the rest of the session."""
    if not isinstance(started, e.TurnStarted):
        return frozenset()
    specs = (await runtime.agents.for_turn(started)).tools.specs
    return frozenset(name for name, spec in specs.items() if grant_kind(spec) == "tool")


def outcome_of(turn_id: str, events: Sequence[e.Durable]) -> TurnOutcome:
    """The outcome of the turn with these events."""
    finished = next((event for event in reversed(events) if isinstance(event, e.TurnFinished)), None)
    refused = any(isinstance(event, e.ApprovalDecided) and not event.approved for event in events)
    waiting, questions = ((), ()) if finished is not None else (pending(events), unanswered(events))
    return TurnOutcome(turn_id=turn_id, finished=finished, waiting=waiting, questions=questions, refused=refused)


def choose_display(as_json: bool) -> Display:
    """Where the events of a turn go."""
    if as_json:
        return JsonLines(sys.stdout.buffer, sys.stderr)
    return trace_on(make_console())


def choose_decider(*, as_json: bool = False, yes: bool = False) -> Decider | None:
    """Who decides, if anybody; with `--json` people are spoken to on standard error."""
    shown = sys.stderr if as_json else sys.stdout
    if not yes and not can_ask(shown):
        return None
    console = make_console(shown)
    if yes:
        return approve_all(console, user=USER)
    return ApprovalPrompt(console, ask_aside if as_json else ask_line, user=USER)


def report(outcome: TurnOutcome, session_id: str, *, as_json: bool, assistant: str | None = None) -> int:
    """Tells how to get back to the turn, and what went wrong unless the same place has just shown it; the exit code.

    `assistant`: as a person chose it; a folder and an agent of a program have to be chosen again.
    """
    if not as_json and sys.stdout.isatty():
        ids = f"turn {safe_text(outcome.turn_id)}", f"session {safe_text(session_id)}"
        show_view(lambda terminal: Line((terminal.join(*ids), "faint")))
    if outcome.exit_code == WAITING:
        if not as_json:
            # Also where nobody can be asked: a person who reads it later must not decide blindly.
            cards = [*map(card, outcome.waiting), *map(question_card, outcome.questions)]
            show_view(lambda _: cards)
        complain(_waits_for(outcome, _chosen_again(assistant)))
    elif outcome.finished is not None and outcome.finished.status != "completed" and (as_json or not _same_place()):
        complain(why_ended(outcome.finished))
    return outcome.exit_code


def _chosen_again(assistant: str | None) -> str:
    """The option that names the assistant once more, where its name alone does not find it."""
    if assistant is None:
        return ""
    if is_target(assistant):
        return f" -a {shlex.quote(assistant)}"
    named = assistant_path(assistant)
    return f" -a {shlex.quote(named)}" if is_path(named) else ""


def _waits_for(outcome: TurnOutcome, again: str) -> str:
    tools = ", ".join(dict.fromkeys(one_line(request.call.tool, 60) for request in outcome.waiting))
    if tools or not outcome.questions:
        return (
            f"The turn is waiting for your approval of {tools}: run "
            f"`glassloop approve {outcome.turn_id}{again}`, with --yes or --no where there is no terminal."
        )
    return (
        f"The turn is waiting for your answer: run "
        f"`glassloop answer {outcome.turn_id}{again}`, with the answer after it where there is no terminal."
    )


def _same_place() -> bool:
    """Whether both streams end in one terminal, file or pipe, as with `2>&1`: nothing is told twice there."""
    try:
        out, err = os.fstat(sys.stdout.fileno()), os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):
        return False
    return (out.st_dev, out.st_ino) == (err.st_dev, err.st_ino)
