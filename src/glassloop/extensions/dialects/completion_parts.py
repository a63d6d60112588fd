"""Parts shared by the dialects of chat completions: the conversation that comes in, and the tokens it took."""

from collections.abc import Sequence
from typing import Protocol

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.messages import AssistantMessage, Message, UserMessage, note

MAX_MESSAGES = 1_000


class ConversationMessage(Protocol):
    """A message, however strictly it was read."""

    @property
    def role(self) -> str: ...

    @property
    def text(self) -> str: ...


def split(said: Sequence[ConversationMessage]) -> tuple[str, list[Message]]:
    """The question, which is the last thing the user said, and what was said before it."""
    last = next((place for place in range(len(said) - 1, -1, -1) if said[place].role == "user"), None)
    if last is None or not said[last].text.strip():
        raise UsageError("There is no question: the last message of the role 'user' must say something.")
    history: list[Message] = []
    for message in said[:last]:
        if message.role == "assistant":
            history.append(AssistantMessage(text=message.text or "…"))
        elif message.role == "user":
            history.append(UserMessage(message.text or "…"))
        elif message.role in ("system", "developer"):
            history.append(note("context", f"Instructions of the client:\n{message.text}"))
    return said[last].text, history


def usage_of(end: e.AnyEvent) -> dict[str, int]:
    """The tokens of the whole turn; none are told while it waits for people."""
    read, written = (end.input_tokens, end.output_tokens) if isinstance(end, e.TurnFinished) else (0, 0)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
