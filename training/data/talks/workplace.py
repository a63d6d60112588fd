"""Kinds of work with tools of their own, under other names than those of this repository's assistants."""

from typing import Protocol

from training.data.catalogue import Tool
from training.data.conversation import Conversation, Exchange, Step


class Workplace(Protocol):
    """Tools, a prompt, and conversations over them."""

    tools: list[Tool]
    prompt: str

    def talk(self) -> Conversation: ...


def asked(kind: str, question: str, *steps: Step) -> Conversation:
    return Conversation(kind, (Exchange(question, steps),))
