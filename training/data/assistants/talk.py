"""Talks with an assistant: what is asked, what is called, what is answered from that.

A talk is a generator. It yields `Ask`, then calls, each of which is answered with a `Seen`, then an `Answer`; after
that it may ask again in the same session.
"""

from collections.abc import Callable, Generator
from typing import Any

import msgspec

from training.data.conversation import Answer, Call, Language
from training.data.values import Rng


class Ask(msgspec.Struct, frozen=True):
    """The next question of the session. `route`: where the business assistant sends it, if its words do not say so."""

    question: str
    route: str = ""


class Seen(msgspec.Struct, frozen=True):
    """What a call returned: `text` as the model sees it, cut where it is long, and `data`, the value itself."""

    text: str
    data: Any
    failed: bool


Step = Ask | Call | Answer
Talk = Generator[Step, Seen | None, None]
"""Yields a question, calls and an answer, again and again; a call is answered with what the tool returned."""
MakeTalk = Callable[[Rng, Language], Talk]


class Dropped(Exception):
    """A talk that went another way than it was written, or that may not be learned."""


def call(thought: str, tool: str, /, **args: Any) -> Call:
    """A call whose result is not known yet."""
    return Call(thought, tool, args, "")


def mistake(thought: str, tool: str, /, **args: Any) -> Call:
    """A call that is played and not learned; what follows it is."""
    return Call(thought, tool, args, "", learned=False)
