"""`TurnStream`: the events and the result of a turn, for callers of an agent."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from functools import partial
from typing import Generic, Self

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.loop.inbox import MAX_MESSAGES, IncomingMessage, over, read_message, too_many
from glassloop.core.loop.turn import Turn
from glassloop.core.loop.turn_loop import run_turn
from glassloop.core.records import Json, ReactResponse
from glassloop.projections.answer_text import AnswerText
from glassloop.projections.response import respond
from glassloop.projections.turn_state import TurnStateView, turn_state
from glassloop.runtime.assistants.output_type import OutputT, OutputType
from glassloop.runtime.assistants.result import Result, result_of

HOLD_CHARS = 300
"""Of a reply: until it is so long, it may still be a thought before a call."""


class TurnStream(Generic[OutputT]):
    """A running turn: an async iterator of its events, that can be cancelled. Made by `Agent.stream`.

    `opening` makes the turn when the first event is asked for, where that takes more than `turn` has: events that lie
    in a store, tools of servers that are still to be started.
    """

    def __init__(
        self,
        turn: Turn,
        output: OutputType[OutputT] | None = None,
        opening: Callable[[], Awaitable[Turn]] | None = None,
    ) -> None:
        self._turn = turn
        self._output = output
        observer = turn.ports.observer
        self.plugin_context = observer.context if observer else None
        self._events = run_turn(turn) if opening is None else _OpenedEvents(partial(self._open, opening))

    def __repr__(self) -> str:
        return f"<TurnStream {self.turn_id!r}, {self._turn.state.status}>"

    @property
    def turn_id(self) -> str:
        """Known before the turn has begun."""
        return self._turn.state.turn_id

    @property
    def session_id(self) -> str:
        """The conversation it belongs to."""
        return self._turn.session

    @property
    def events(self) -> Sequence[e.Durable]:
        """The durable events so far: what `Agent.resume` takes."""
        return self._turn.log

    @property
    def paused(self) -> bool:
        """Whether it waits for people."""
        return self._turn.state.status == "paused"

    @property
    def pending(self) -> Sequence[e.ApprovalRequested]:
        """What people were asked and have not decided: each wants an `Approval`."""
        return self._turn.pending

    @property
    def questions(self) -> Sequence[e.QuestionAsked]:
        """What the assistant asks the person: each wants an `Answer`."""
        return self._turn.questions

    def steer(self, text: str, *, by: str = "anonymous") -> None:
        """Sends the turn a further message, told to the model before its next step. Where the answer is being written
        already, that is held back and the model goes on with the message. Raises `UsageError` where the turn is over,
        or has had too many."""
        turn, text = self._turn, read_message(text)
        if turn.state.status not in ("running", "paused"):
            raise over(self.turn_id, turn.state.status)
        number = turn.state.received + len(turn.sent) + 1
        if number > MAX_MESSAGES:
            raise too_many(self.turn_id)
        turn.sent.append(IncomingMessage(number=number, text=text, by=by))
        turn.has_messages = True

    def cancel(self) -> None:
        """Stops the turn at once, wherever it is; its last events still come."""
        self._turn.interrupt("cancelled")

    def response(self) -> ReactResponse:
        """The turn so far."""
        return respond(self._turn.log)

    def state(self) -> TurnStateView:
        """The turn so far as the business contract names it, with what plugins keep of it."""
        return turn_state(self._turn.log, self.plugin_context, self._turn.ports.tools.specs)

    async def drain(self) -> ReactResponse:
        """Runs the turn to its end or to a pause."""
        async for _ in self._events:
            pass
        return self.response()

    async def result(self) -> Result[OutputT]:
        """Runs the turn to its end. Raises `TurnFailed` where it has no answer, `TurnPaused` where it waits for
        people."""
        async for _ in self._events:
            pass
        turn = self._turn
        return result_of(turn.log, turn.pending, self._output, turn.questions)

    async def text(self) -> AsyncGenerator[str, None]:
        """The text of the answer while it is written. A new draft begins after a blank line."""
        answer = AnswerText(HOLD_CHARS)
        async for event in self._events:
            for piece in answer.pieces((event,)):
                if piece.appended:
                    yield piece.appended

    async def output(self) -> AsyncGenerator[Json, None]:
        """What can be read of the output so far, each time there is more of it; JSON, not yet of its type."""
        if self._output is None:
            raise UsageError("The agent has no output_type: iterate over `text()`.")
        written, last = "", None
        block = -1
        async for event in self._events:
            if not isinstance(event, e.TextDelta):
                continue
            written, block = (written if event.block == block else "") + event.text, event.block
            found = self._output.partial(written)
            if found is not None and found != last:
                last = found
                yield found

    async def _open(self, opening: Callable[[], Awaitable[Turn]]) -> AsyncGenerator[e.AnyEvent, None]:
        before, turn = self._turn, await opening()
        self._turn = turn
        if turn.ports.observer is not None:
            self.plugin_context = turn.ports.observer.context
        if before.interrupted is not None:
            turn.interrupt(before.interrupted)
        return run_turn(turn)

    def __aiter__(self) -> Self:
        return self

    def __anext__(self) -> Awaitable[e.AnyEvent]:
        return self._events.__anext__()

    async def aclose(self) -> None:
        """Ends the turn as cancelled if it still runs. While somebody else listens, they get its last events."""
        if getattr(self._events, "ag_running", False):
            self.cancel()
        else:
            await self._events.aclose()


class _OpenedEvents:
    """The events of a turn that is made when the first of them is asked for.

    No generator around that of the turn: of one within another, an event loop that ends closes both at once, and the
    second of the two fails.
    """

    def __init__(self, opening: Callable[[], Awaitable[AsyncGenerator[e.AnyEvent, None]]]) -> None:
        self._opening: Callable[[], Awaitable[AsyncGenerator[e.AnyEvent, None]]] | None = opening
        self._events: AsyncGenerator[e.AnyEvent, None] | None = None
        self._is_opening = False

    @property
    def ag_running(self) -> bool:
        """As of a generator: whether somebody waits for the next event."""
        return self._is_opening or getattr(self._events, "ag_running", False)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> e.AnyEvent:
        if self._events is None:
            self._events = await self._first()
        return await self._events.__anext__()

    async def _first(self) -> AsyncGenerator[e.AnyEvent, None]:
        if self._is_opening:
            raise UsageError("Another task already iterates over this turn: use one task per turn.")
        opening, self._opening = self._opening, None
        if opening is None:
            raise StopAsyncIteration
        self._is_opening = True
        try:
            return await opening()
        finally:
            self._is_opening = False

    async def aclose(self) -> None:
        self._opening = None
        if self._events is not None:
            await self._events.aclose()
