"""Conversations to learn from: what is asked, which calls follow, what they return, what is answered."""

from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec

Json = dict[str, Any]
Language = Literal["en", "de", "zh"]


class Call(msgspec.Struct, frozen=True, tag="call"):
    """A decision to call a tool, with what the tool will return. A mistake is played and not learned."""

    thought: str
    tool: str
    args: Json
    observation: str
    failed: bool = False
    learned: bool = True


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call that cannot be made: what is said, and which arguments are missing if not all other required ones.

    `way` has the calls up to it where the first of them lacks what was not said (`NEVER` in its place).
    """

    tool: str
    args: Json
    missing: tuple[str, ...] = ()
    way: tuple[Call, ...] = ()


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """A decision to answer. `wants` where it asks for what a call needs."""

    thought: str
    text: str
    wants: Wanted | None = None


Step = Call | Answer


class Exchange(msgspec.Struct, frozen=True):
    """One question with the steps to its answer.

    `rejected` is a decision that the review sends back; it is played before step `rejected_at` and never learned.
    A conversation whose last exchange ends in a call (public sets have no observations) stops there.
    """

    question: str
    steps: tuple[Step, ...]
    rejected: Step | None = None
    rejected_at: int = 0


class Conversation(msgspec.Struct, frozen=True):
    """Exchanges of one session. `kind` groups them in reports."""

    kind: str
    exchanges: tuple[Exchange, ...]
    language: Language = "en"


class ToolText(msgspec.Struct, frozen=True):
    """A tool as a model is told about it."""

    name: str
    description: str
    parameters: Json
    effect: Literal["read", "write"] = "read"


class Group(msgspec.Struct, frozen=True):
    """Conversations over one catalogue and one prompt, so that they share a prefix."""

    prompt: str
    tools: tuple[ToolText, ...]
    conversations: tuple[Conversation, ...]
    steps: int = 8
    """How many steps a turn may take."""
    day: float = 0.0
    """When the turns start, in seconds since 1970."""
    source: str = "generated"


def tools_used(conversations: Iterable[Conversation]) -> set[str]:
    """The tools that are called, and those whose call lacks something."""
    steps = (step for each in conversations for exchange in each.exchanges for step in exchange.steps)
    found: set[str] = set()
    for step in steps:
        if isinstance(step, Call):
            found.add(step.tool)
        elif step.wants is not None:
            found.update((step.wants.tool, *(call.tool for call in step.wants.way)))
    return found


NEVER: Final = "This call is never made."
"""What a rejected call would return: no request may contain it."""


_EFFECTS: Final = frozenset({
    "acknowledge", "add", "advance", "announce", "apply", "approve", "ask", "assign", "attach", "block",
    "book", "call", "cancel", "change", "close", "compile", "confirm", "create", "enrol", "enter",
    "excuse", "extend", "fix", "give", "grant", "hand", "have", "hire", "hold", "invite", "issue",
    "keep", "lay", "lend", "let", "lock", "lodge", "log", "make", "mark", "merge", "move", "note",
    "open", "order", "pause", "plan", "post", "print", "prolong", "put", "record", "register",
    "release", "renew", "rent", "replace", "report", "request", "reserve", "restart", "roll", "run",
    "save", "sell", "send", "set", "sign", "start", "stop", "submit", "summon", "swap", "switch",
    "take", "tick", "turn", "withdraw", "write",
})  # fmt: skip
"""What the description of a tool begins with that changes something."""


_MAY_READ: Final = frozenset(
    {"call", "compile", "give", "have", "keep", "let", "note", "plan", "print", "record", "report"}
)
"""Those that a description of a report may begin with, too."""


def may_change(description: str) -> bool:
    """Whether a tool may change something, as its description begins."""
    return description.split()[0].lower() in _EFFECTS


def effect_of(description: str) -> Literal["read", "write"]:
    """Whether a tool surely does."""
    return "write" if may_change(description) and description.split()[0].lower() not in _MAY_READ else "read"
