"""The person's last question, what tools returned since, and what was asked before it. Pure."""

from collections.abc import Sequence

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from glassloop.extensions.embedded.language.tool_choice import EarlierQuestion

_REMEMBERED = 3
"""Earlier questions that a short one may go on from."""


def since_question(messages: Sequence[Message]) -> tuple[str, list[ToolMessage], EarlierQuestion]:
    """The question, the observations since, and the questions before."""
    observations: list[ToolMessage] = []
    asked: list[str] = []
    said = ""
    for message in reversed(messages):
        if isinstance(message, ToolMessage) and not asked:
            observations.insert(0, message)
        elif isinstance(message, AssistantMessage) and len(asked) == 1:
            said = said or message.text
        elif isinstance(message, UserMessage) and message.author == "person":
            asked.append(message.content)
            if len(asked) > _REMEMBERED:
                break
    before = EarlierQuestion(tuple(reversed(asked[1:])), _was_asked_back(said))
    return asked[0] if asked else "", observations, before


def _was_asked_back(text: str) -> bool:
    """Whether an earlier answer ended in a question."""
    lines = [line for line in text[-1000:].splitlines() if line.strip() and not line.startswith("_")]
    return bool(lines) and ("?" in lines[-1] or "？" in lines[-1])
