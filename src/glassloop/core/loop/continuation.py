"""Continuation of an answer that was cut short: what is kept of it, what is told to the model, how both are joined."""

from typing import Final

from glassloop.core import events as e
from glassloop.core.loop.state import TurnState
from glassloop.core.messages import AssistantMessage, estimate_tokens, note

MAX_WORD_CHARS: Final = 60
"""How far back the last whole word is looked for: some languages have no spaces."""
MIN_REPEATED, MAX_REPEATED = 20, 400
"""Characters of what is kept that a model may say again."""

GO_ON: Final = (
    "Your answer was cut off there. Go on exactly where it ends: what you write is appended to it as it is. Repeat "
    "nothing of it, do not begin again, and do not speak of the interruption."
)


def kept_of(text: str) -> str:
    """What is kept of a text that breaks off: without its last word, which may be half of one."""
    end = max(text.rfind(" "), text.rfind("\n"))
    return text[: end + 1] if end >= len(text) - MAX_WORD_CHARS else text


def joined(kept: str, more: str) -> str:
    """The text with what followed; what the model said again of its end is left out."""
    begun = more.lstrip()
    if begun.startswith(kept):
        return begun
    for size in range(min(len(kept), MAX_REPEATED), MIN_REPEATED - 1, -1):
        if begun.startswith(kept[-size:]):
            return kept + begun[size:]
    return kept + (more.lstrip(" ") if kept.endswith(" ") else more)


def continue_answer(state: TurnState, event: e.AnswerContinued) -> None:
    """The transcript with what is kept, and a note to go on."""
    state.continued = event.text
    state.say(AssistantMessage(text=event.text), estimate_tokens(event.text))
    state.say(note("incomplete", GO_ON), estimate_tokens(GO_ON))


def whole_draft(state: TurnState, text: str | None) -> str | None:
    """A draft after what is kept. A further one, where this is sent back, is the whole answer."""
    kept, state.continued = state.continued, ""
    return joined(kept, text) if kept and text is not None else text
