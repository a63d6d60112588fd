"""Differences between two events, in text short enough to read.

Owns how values are compared and shown, and when a replay has seen enough. `replay` decides what is compared.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NoReturn, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.messages import Purpose
from glassloop.core.records import REDACTED, Json

MAX_DIFFERENCES = 20
SHOWN_CHARS = 80
FIELD_CHARS = 200

_ENVELOPE = frozenset({"turn_id", "seq", "at"})
_ABSENT = object()


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One field that came out otherwise. `field` is a path (`decision.calls[0].args.city`), `type` the kind itself."""

    seq: int
    kind: str
    field: str
    recorded: str
    replayed: str


class ReplayHalted(BaseException):
    """Nothing more is to be replayed here. Not an `Exception`: the loop must not take it for a failure of the turn."""


class EventDiff:
    """What a replay has found so far."""

    def __init__(self) -> None:
        self.compared = 0
        self.differences: list[Difference] = []
        self.enough = False

    def compare(self, recorded: e.Durable, replayed: e.Event, ignored: Collection[str]) -> None:
        """Notes where the events differ; raises `ReplayHalted` when they are of different kinds or it is enough."""
        self.compared += 1
        if type(recorded) is not type(replayed):
            self.stray(recorded, kind_of(replayed))
        for name in recorded.__struct_fields__:
            if name in _ENVELOPE:
                continue
            for path, before, after in _differing(getattr(recorded, name), getattr(replayed, name), name):
                if _is_within(path, ignored):
                    continue
                first, second = _shown(before, after)
                found = Difference(
                    seq=recorded.seq, kind=kind_of(recorded), field=path[:FIELD_CHARS], recorded=first, replayed=second
                )
                if len(self.differences) + 1 >= MAX_DIFFERENCES:
                    self._last(found)
                self.differences.append(found)

    def stray(self, recorded: e.Durable, replayed: str) -> NoReturn:
        """The replay did something else altogether: what comes after cannot be compared."""
        self._last(
            Difference(
                seq=recorded.seq, kind=(kind := kind_of(recorded)), field="type", recorded=kind, replayed=replayed
            )
        )

    def other_purpose(self, recorded: e.ModelResponded, asked: Purpose) -> NoReturn:
        """The replay asked the model for something else."""
        self._last(
            Difference(
                seq=recorded.seq, kind=kind_of(recorded), field="purpose", recorded=recorded.purpose, replayed=asked
            )
        )

    def missing_agent(self, recorded: e.Durable, tool: str) -> None:
        """A child turn whose agent is not there any more."""
        self._note(
            Difference(seq=recorded.seq, kind=kind_of(recorded), field="agent", recorded=tool, replayed="nothing")
        )

    def add_child(self, call_id: str, compared: int, differences: Sequence[Difference]) -> None:
        """What the replay of a child turn has found."""
        self.compared += compared
        for found in differences:
            self._note(msgspec.structs.replace(found, field=f"{call_id}: {found.field}"[:FIELD_CHARS]))

    def _note(self, found: Difference) -> None:
        if not self.enough:
            self.differences.append(found)
            self.enough = len(self.differences) >= MAX_DIFFERENCES

    def surplus(self, replayed: e.Event) -> NoReturn:
        """The replay went on where the log was at its end."""
        kind = kind_of(replayed)
        self._last(Difference(seq=replayed.seq, kind=kind, field="type", recorded="nothing", replayed=kind))

    def _last(self, found: Difference) -> NoReturn:
        self.differences.append(found)
        self.enough = True
        raise ReplayHalted


def kind_of(event: e.Event) -> str:
    return str(type(event).__struct_config__.tag)


def _is_missing(value: Json) -> bool:
    """Whether a secret stood in this text, or in what it was made of."""
    return isinstance(value, str) and REDACTED in value


def is_redacted(event: e.Event) -> bool:
    """Whether a secret was taken out of it when it was stored."""
    return REDACTED.encode() in e.encode(event)


def _is_within(path: str, ignored: Collection[str]) -> bool:
    return any(path == name or path.startswith((f"{name}.", f"{name}[")) for name in ignored)


def _differing(recorded: Json, replayed: Json, path: str) -> Iterator[tuple[str, Json, Json]]:
    """The innermost values that differ. What was redacted can be anything."""
    if recorded is replayed or _is_missing(recorded) or _is_missing(replayed):
        return
    if isinstance(recorded, msgspec.Struct) and type(recorded) is type(replayed):
        for name in recorded.__struct_fields__:
            yield from _differing(getattr(recorded, name), getattr(replayed, name), f"{path}.{name}")
    elif isinstance(recorded, dict) and isinstance(replayed, dict):
        before, after = cast("dict[str, Json]", recorded), cast("dict[str, Json]", replayed)
        for key in {**before, **after}:
            yield from _differing(before.get(key, _ABSENT), after.get(key, _ABSENT), f"{path}.{key}")
    elif isinstance(recorded, list | tuple) and isinstance(replayed, list | tuple):
        before, after = cast("Sequence[Json]", recorded), cast("Sequence[Json]", replayed)
        for index in range(max(len(before), len(after))):
            yield from _differing(_at(before, index), _at(after, index), f"{path}[{index}]")
    elif recorded != replayed:
        yield path, recorded, replayed


def _at(items: Sequence[Json], index: int) -> Json:
    return items[index] if index < len(items) else _ABSENT


def _shown(before: Json, after: Json) -> tuple[str, str]:
    """Both values; of long texts the part where they begin to differ."""
    first, second = _text(before), _text(after)
    same = next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    start = max(0, same - SHOWN_CHARS // 4) if max(len(first), len(second)) > SHOWN_CHARS else 0
    return _window(first, start), _window(second, start)


def _text(value: Json) -> str:
    if value is _ABSENT:
        return "nothing"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _window(text: str, start: int) -> str:
    end = start + SHOWN_CHARS
    return f"{'…' if start else ''}{text[start:end]}{'…' if len(text) > end else ''}"
