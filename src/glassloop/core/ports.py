"""Ports of the core: Protocols that the layers above implement. No implementation lives here."""

from array import array
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Literal, Protocol, Self, runtime_checkable

import msgspec

from glassloop.core.call_terms import CallTerms, GrantKind
from glassloop.core.events import AnyEvent, Durable, ProtocolName, TurnStarted
from glassloop.core.labels import Labels
from glassloop.core.messages import Abilities, Chunk, Message, ModelRequest, Purpose, Reply, ToolSpec
from glassloop.core.records import Decision, Json, RouteDecision, ToolCall, ToolResult

Clock = Callable[[], float]
"""Seconds since the epoch."""

Ids = Callable[[], str]
"""A new unique id."""

Progress = Callable[[str, float | None], None]
"""What a running tool calls, on the event loop, to say how far it is: a message, and a fraction where it knows one."""


class Model(Protocol):
    """Anything that can continue a conversation."""

    @property
    def name(self) -> str:
        """As the user names it: `provider:model`."""
        ...

    @property
    def abilities(self) -> Abilities: ...

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        """What a call of this size would cost in US dollars; None where no price is known."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Chunks, then exactly one `Reply`; raises `ModelError` and nothing else."""
        ...


@runtime_checkable
class ReadsAhead(Protocol):
    """A model that can read the beginning of prompts before anybody asks, since reading is slow."""

    async def read_ahead(self, system: str) -> bool:
        """Whether prompts with that system prompt need not be read from their beginning any more; False where a
        question came first."""
        ...


class Embedder(Protocol):
    """Texts to vectors that are near one another where the texts mean the same."""

    @property
    def name(self) -> str:
        """Vectors of another name are not comparable with these."""
        ...

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None where that is known only once it has answered."""
        ...

    async def embed(self, texts: Sequence[str]) -> "Sequence[array[float]]":
        """One vector a text, in their order: float32 (type code `f`, so that `tobytes()` is what a store keeps and any
        library takes it as a buffer), of length one."""
        ...

    async def aclose(self) -> None: ...


TEMPORARY = "temporary"
"""In the settings of a turn of a temporary conversation: its tools keep nothing for later."""


class CallContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool call knows of the turn it runs in, and of what a call may follow from (`decided_from(call_id)`)."""

    turn_id: str
    session_id: str
    user: str
    call_id: str
    progress: Progress | None = None
    asked_at: float = 0.0
    deps: Any = None
    decided_from: Callable[[str], Labels] | None = None
    room: Callable[[], int] | None = None
    """How much of the result the model is shown for certain; None where that is not known."""
    temporary: bool = False

    @property
    def idempotency_key(self) -> str:
        """Stable over retry, approval and resume."""
        return f"{self.turn_id}:{self.call_id}"


class ToolExecutor(Protocol):
    """Runs tools. Total: whatever a tool does, a `ToolResult` comes back; only cancellation passes through."""

    @property
    def specs(self) -> Mapping[str, ToolSpec]: ...

    async def execute_tool(self, call: ToolCall, context: CallContext) -> ToolResult: ...

    async def preview(self, call: ToolCall, context: CallContext) -> Json:
        """What the call would do, exactly, for the person who must approve it. Never has an effect.

        Raises `BadArguments` where the tool sees that the call cannot work: then nobody is asked.
        """
        ...

    async def terms(self, call: ToolCall, context: CallContext) -> CallTerms:
        """What the tool says of this call; asked only of tools that have terms. A failure asks a person."""
        ...

    def check(self, call: ToolCall) -> str | None:
        """Why these arguments cannot be used, or None. Called before a person is asked to approve them."""
        ...


class Delta(msgspec.Struct, frozen=True, gc=False):
    """A readable piece of a reply while it streams: `kind` is thought, text or arguments."""

    kind: str
    text: str
    tool: str = ""


class StreamReader(Protocol):
    """Reads one reply as it streams. Total: no input raises, memory is bounded by the reply."""

    def feed(self, text: str) -> Sequence[Delta]: ...

    def finish(self, reply: Reply) -> tuple[Sequence[Delta], Decision]:
        """What was still held back, and what the whole reply comes down to. The decision depends only on `reply`."""
        ...


class Framing(msgspec.Struct, frozen=True, kw_only=True):
    """How a protocol asks: the system prompt, the tools sent natively, the schema the reply must fit.

    `closing` is the schema of a last answer, for models to whom the prompt stays the same when no step is left: what
    they have read of it then needs no second reading.
    """

    system: str
    tools: Sequence[ToolSpec] = ()
    schema: dict[str, Json] | None = None
    closing: dict[str, Json] | None = None
    answer_schema: bool = False


class DecisionProtocol(Protocol):
    """How a model's output becomes a thought, calls or an answer."""

    @property
    def name(self) -> ProtocolName: ...

    def frame(self, prompt: str, tools: Mapping[str, ToolSpec], shortlist: Sequence[str] | None = None) -> Framing:
        """The tools in their order, which never depends on a question. With a shortlist only those are offered."""
        ...

    def render(self, message: Message) -> Message:
        """A transcript message as this protocol shows it to the model, observations shortened."""
        ...

    def reader(self, tools: Mapping[str, ToolSpec]) -> StreamReader: ...


Ask = Callable[[Purpose, str, str, dict[str, Json] | None], Awaitable[str | None]]
"""A question beside the loop (purpose, system, content, schema): the model's text, or None when it cannot be had."""


class AskInContext(Protocol):
    """A question beside the loop about what the decider sees: asked after the same prompt, tools and transcript and,
    where there is one, the draft of an answer. The model's text, or None when it cannot be had."""

    def __call__(
        self, purpose: Purpose, question: str, schema: dict[str, Json] | None = None, draft: str | None = None
    ) -> Coroutine[Any, Any, str | None]: ...


Recall = Callable[[TurnStarted, Ask], Coroutine[Any, Any, Sequence[Message]]]
"""What the history of the turn's session tells the model; long ones are summarised by asking it."""

Remember = Callable[[Sequence[Durable]], Awaitable[None]]
"""What becomes of a turn that has an answer."""

Granted = Callable[[TurnStarted, ToolSpec, GrantKind, Sequence[str]], Coroutine[Any, Any, str | None]]
"""Who allowed this tool, as it is, for the rest of the turn's session and for these scopes; None: a person must be
asked."""


class Router(Protocol):
    """Gives a question to a domain."""

    async def route(self, question: str, messages: Sequence[Message], ask: AskInContext) -> RouteDecision: ...

    def recommended(self, route: RouteDecision, tools: Mapping[str, ToolSpec]) -> Sequence[str]:
        """The tools of the route's domains, best first."""
        ...

    def farewell(self, question: str, route: RouteDecision) -> str | None:
        """What to answer without the loop, for what is none of our business."""
        ...


class Shortlist(Protocol):
    """Finds the tools that a question may need, where there are more than can be offered."""

    async def choose(
        self,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        most: int,
        keep: Sequence[str] = (),
    ) -> Sequence[str]:
        """At most so many, those to keep among them, in the order of `tools`. Never raises for what is asked."""
        ...


class OutputSchema(Protocol):
    """The form that an answer must have: a JSON object of this schema."""

    @property
    def schema(self) -> dict[str, Json]: ...

    @property
    def instructions(self) -> str:
        """What the model is told of it."""
        ...

    def problem(self, text: str) -> str | None:
        """Why an answer does not have it, in words that the model can act on; None where it does."""
        ...


class TurnObserver(Protocol):
    """The plugins of a turn, with their hooks. What the turn becomes does not depend on it."""

    @property
    def context(self) -> object:
        """What plugins keep of the turn."""
        ...

    async def ended(self, log: Sequence[Durable]) -> None:
        """The turn is over, and these are its events."""
        ...


class EventStore(Protocol):
    """The log. `append` returns when the events are stored, in one commit; a taken `(turn_id, seq)` is refused."""

    def append_now(self, turn_id: str, events: Sequence[Durable]) -> bool:
        """Stores the events if that can be done without waiting; False leaves nothing behind: `append` them then."""
        ...

    async def append(self, turn_id: str, events: Sequence[Durable], *, sync: bool = False) -> None:
        """`sync`: on disk for certain before this returns, as the intent of an effect must be."""
        ...


class Nudge(msgspec.Struct, frozen=True, gc=False):
    """Something of this turn or job was stored, up to `number`: whoever wants it reads it from the store."""

    topic: str
    number: int = 0


class Subscription(Protocol):
    """What happens to one turn or job from now on, in order. Bounded: a slow reader loses transients, and gets a
    `Nudge` in place of durable events that did not fit."""

    def __aiter__(self) -> Self: ...

    async def __anext__(self) -> AnyEvent | Nudge: ...

    async def wait(self, seconds: float) -> bool:
        """Until something is `ready`, at most so long; whether anything can still come."""
        ...

    def ready(self) -> Sequence[AnyEvent | Nudge]:
        """Everything that can be had without waiting."""
        ...

    def close(self) -> None:
        """Ends the iteration; closing twice is fine."""
        ...


Hear = Callable[[str, str], None]
"""Called on the event loop with a signal and its topic: `("cancel", turn_id)`."""


class EventBus(Protocol):
    """Who runs a turn tells those who watch it, in this process and in others. Never waits, never fails."""

    poll_s: float | None
    """How often a watcher looks into the store, where other processes cannot be heard; None where they can."""

    def publish(self, event: AnyEvent) -> None:
        """A durable event only after it is stored. To other processes durable events go as nudges."""
        ...

    def nudge(self, topic: str, number: int = 0) -> None: ...

    def signal(self, what: str, topic: str) -> None:
        """To every process, this one included."""
        ...

    def listen(self, hear: Hear) -> None:
        """Calls `hear` for every signal from now on."""
        ...

    def subscribe(self, topic: str) -> Subscription:
        """From now on. Where a block of text is open, the first thing that comes is all of it so far."""
        ...

    async def aclose(self) -> None: ...


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a document that was found. Lines and pages count from 1; 0 is none.

    `relevance` (0 to 1) compares over questions, `score` only within one. `also`: documents with the same text.
    """

    document: str
    text: str
    title: str = ""
    domain: str = ""
    headings: tuple[str, ...] = ()
    first_line: int = 0
    last_line: int = 0
    page: int = 0
    score: float
    relevance: float
    why: Literal["lexical", "dense", "both"]
    tokens: int
    also: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where in the document, as one cites it; empty where nobody can tell."""
        if self.page:
            return f"page {self.page}"
        if self.first_line and self.last_line > self.first_line:
            return f"lines {self.first_line}-{self.last_line}"
        return f"line {self.first_line}" if self.first_line else ""
