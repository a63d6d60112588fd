"""Events that are shown and never stored: pieces of text, progress, delays."""

from glassloop.core.events.base import Event


class TextDelta(Event, frozen=True, kw_only=True, tag="text_delta"):
    """A piece of answer text; while `draft`, it may still turn out to be a thought or be taken back. `reviewed`: rules
    look at the reply first, and often send it back."""

    block: int
    offset: int
    text: str
    draft: bool = True
    reviewed: bool = False


class ThoughtDelta(Event, frozen=True, kw_only=True, tag="thought_delta"):
    """A piece of reasoning."""

    block: int
    offset: int
    text: str


class ArgumentsDelta(Event, frozen=True, kw_only=True, tag="arguments_delta"):
    """A piece of a call's arguments as the model writes them."""

    block: int
    offset: int
    index: int
    tool: str
    text: str


class ModelRetried(Event, frozen=True, kw_only=True, tag="model_retried"):
    """A model call failed and is made again; its block is void."""

    block: int
    attempt: int
    wait_s: float
    reason: str
    model: str


class ToolProgressed(Event, frozen=True, kw_only=True, tag="tool_progressed"):
    """A running tool says how far it is."""

    call_id: str
    message: str
    fraction: float | None = None


class LogDelayed(Event, frozen=True, kw_only=True, tag="log_delayed"):
    """The log could not be written: the turn goes on in memory, without effects, and is stored when it can be."""

    reason: str


class QueueProgressed(Event, frozen=True, kw_only=True, tag="queue_progressed"):
    """The turn waits for its place."""

    position: int


class PromptProgressed(Event, frozen=True, kw_only=True, tag="prompt_progressed"):
    """A slow model reads what it is asked; of `total` tokens it has read so many."""

    read: int
    total: int
