"""Messages of another chat as a tree, and the turns that they make: questions, each with an answer, in an order that
the log takes."""

import time
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from glassloop.core.records import Record

Role = Literal["user", "assistant", "other"]
Source = Literal["chatgpt", "open_webui"]

MAX_MESSAGES = 20_000
"""Of one conversation."""
MAX_ANSWER_PARTS = 200
"""Messages that one answer is put together from."""
MAX_TEXT_CHARS = 200_000
MIN_STEP_S = 0.001
"""Between two turns: the log orders them by time."""
OLDEST, YEAR_S = 946_684_800.0, 366 * 86_400.0
"""The year 2000: what claims to be older has no time."""
NO_QUESTION = "(The conversation begins with this answer.)"


class ForeignMessage(Record, frozen=True, kw_only=True):
    """A message; `parent` is the one that it follows. `at` is in seconds since the epoch, 0 where it is not known."""

    id: str
    parent: str
    role: Role
    text: str
    at: float = 0.0
    model: str = ""


class ForeignConversation(Record, frozen=True, kw_only=True):
    """A conversation; `current` is the message that its owner saw last."""

    source: Source
    id: str
    title: str
    at: float
    current: str
    messages: Mapping[str, ForeignMessage]
    archived: bool = False
    pinned: bool = False


class ForeignTurn(Record, frozen=True, kw_only=True):
    """A question with one of its answers, None where there is none. `previous` is the key of the turn that it follows,
    empty for the first; `last` the last of its messages."""

    key: str
    previous: str
    question: str
    answer: str | None
    at: float
    model: str
    last: str


class _Text(NamedTuple):
    """A text after another: a list that branches share."""

    text: str
    before: "_Text | None"
    number: int


class _OpenTurn(NamedTuple):
    """A question, and what was answered on the way to the message `last`."""

    user: str
    question: str
    at: float
    last: str
    answer: _Text | None = None
    model: str = ""


def moment(at: float) -> float:
    """A time that a calendar has, and that is not far ahead; else the oldest."""
    return at if OLDEST <= at <= time.time() + YEAR_S else OLDEST


def turns_of(conversation: ForeignConversation) -> Sequence[ForeignTurn]:
    """The turns by time, each after the one that it follows; the last is what the owner saw last."""
    turns = _ordered(_walk(conversation))
    last = _current(turns, conversation.current)
    ordered = [turn for turn in turns if turn is not last] + ([last] if last is not None else [])
    found: list[ForeignTurn] = []
    at = 0.0
    for turn in ordered:
        at = max(turn.at, at + MIN_STEP_S)
        found.append(_at(turn, at))
    return found


def _walk(conversation: ForeignConversation) -> Sequence[ForeignTurn]:
    messages = conversation.messages
    children: dict[str, list[str]] = {}
    for message in messages.values():
        parent = message.parent if message.parent in messages and message.parent != message.id else ""
        children.setdefault(parent, []).append(message.id)
    turns: dict[str, ForeignTurn] = {}
    stack: list[tuple[str, str, _OpenTurn | None]] = [(root, "", None) for root in reversed(children.get("", []))]
    while stack:
        ident, previous, opened = stack.pop()
        message = messages[ident]
        if message.role == "user":
            if opened is not None:
                previous = _close(turns, opened, previous)
            opened = _OpenTurn(ident, message.text, moment(message.at or conversation.at), ident)
        elif message.role == "assistant":
            opened = _answered(opened, message, conversation.at)
        following = children.get(ident, [])
        if not following and opened is not None:
            _close(turns, opened, previous)
        stack.extend((child, previous, opened) for child in reversed(following))
    return list(turns.values())


def _answered(opened: _OpenTurn | None, message: ForeignMessage, at: float) -> _OpenTurn:
    turn = opened or _OpenTurn(message.id, NO_QUESTION, moment(message.at or at), message.id)
    number = turn.answer.number if turn.answer else 0
    if not message.text or number >= MAX_ANSWER_PARTS:
        return turn._replace(last=message.id)
    answer = _Text(message.text, turn.answer, number + 1)
    return turn._replace(last=message.id, answer=answer, model=message.model or turn.model)


def _close(turns: dict[str, ForeignTurn], opened: _OpenTurn, previous: str) -> str:
    key = f"{opened.user} {opened.last}"
    if key not in turns:
        parts: list[str] = []
        part = opened.answer
        while part is not None:
            parts.append(part.text)
            part = part.before
        answer = "\n\n".join(reversed(parts))[:MAX_TEXT_CHARS] if parts else None
        question = opened.question[:MAX_TEXT_CHARS] or "(empty)"
        turns[key] = ForeignTurn(
            key=key, previous=previous, question=question, answer=answer, at=opened.at, model=opened.model,
            last=opened.last,
        )  # fmt: skip
    return key


def _ordered(turns: Sequence[ForeignTurn]) -> list[ForeignTurn]:
    """By time; none before the one that it follows, whatever the times say."""
    began: dict[str, float] = {}
    for turn in turns:
        began[turn.key] = max(turn.at, began.get(turn.previous, 0.0))
    return sorted((_at(turn, began[turn.key]) for turn in turns), key=lambda turn: turn.at)


def _current(turns: Sequence[ForeignTurn], message: str) -> ForeignTurn | None:
    found = next((turn for turn in turns if turn.last == message), None)
    newest = {turn.previous: turn for turn in turns}
    while found is not None and found.key in newest:
        found = newest[found.key]
    return found


def _at(turn: ForeignTurn, at: float) -> ForeignTurn:
    return ForeignTurn(
        key=turn.key, previous=turn.previous, question=turn.question, answer=turn.answer, at=at, model=turn.model,
        last=turn.last,
    )  # fmt: skip
