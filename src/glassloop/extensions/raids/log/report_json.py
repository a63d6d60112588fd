"""The parts of a Warcraft Logs export: the report, its actors and abilities, events and rankings.

An export is what somebody's query of the API answered, so that the parts lie wherever that query put them, several
files together may hold one report, and the same events may come twice. The parts are told by their form.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, TypeGuard, final

import msgspec

from glassloop.core.errors import UsageError
from glassloop.extensions.raids.log.source import LogSource

MAX_JSON: Final = 200 << 20
MAX_DEPTH: Final = 12

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*+[{\[]\s*+[\"{\[}\]]")

JsonObject = Mapping[str, object]


def is_json(source: LogSource) -> bool:
    """By how it begins: a combat log does so with a date, a damaged one with anything but two signs of JSON."""
    for stream in source.streams():
        return _JSON.match(source.read(stream, 256)) is not None
    return False


def is_object(value: object) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def objects(value: object) -> Iterator[JsonObject]:
    """Those of a list; nothing else."""
    if is_list(value):
        yield from (item for item in value if is_object(item))


def number(item: JsonObject, key: str, otherwise: int = 0, *, greatest: int = 0x7FFFFFFF) -> int:
    """A whole number; `otherwise` where it is none or out of range."""
    value = item.get(key)
    if isinstance(value, float) and value == value and abs(value) <= greatest:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= greatest else otherwise


def text(item: JsonObject, key: str) -> str:
    value = item.get(key)
    return value[:100] if isinstance(value, str) else ""


@final
class ReportJson:
    """Everything of an export, whatever file it was in."""

    def __init__(self) -> None:
        self.report: JsonObject = {}
        self.fights: dict[int, JsonObject] = {}
        self.actors: dict[int, JsonObject] = {}
        self.abilities: dict[int, JsonObject] = {}
        self.rankings: list[JsonObject] = []
        self._lists: list[list[JsonObject]] = []
        self.not_events = 0
        """Items of lists of events that are none."""

    @classmethod
    def read(cls, source: LogSource) -> "ReportJson":
        """Raises `UsageError` for what is no JSON, or too much of it."""
        whole = cls()
        size = 0
        for stream in source.streams():
            parts: list[bytes] = []
            while data := source.read(stream):
                size += len(data)
                if size > MAX_JSON:
                    raise UsageError(
                        f"The JSON has more than {MAX_JSON >> 20} MB. Export fewer fights at a time, "
                        "or give the game's own log, which may be of any size."
                    )
                parts.append(data)
            try:
                value: object = msgspec.json.decode(b"".join(parts).removeprefix(b"\xef\xbb\xbf"))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise UsageError(f"The JSON cannot be read ({error}). Export it from Warcraft Logs again.") from error
            whole.take(value)
        return whole

    def take(self, value: object, depth: int = 0) -> None:
        """The parts of a value, and of all values in it."""
        if depth > MAX_DEPTH:
            return
        if is_object(value):
            self._take_object(value)
            for inner in value.values():
                self.take(inner, depth + 1)
        elif is_list(value):
            if _are_events(value):
                events = [item for item in value if is_object(item) and _is_event(item)]
                self.not_events += len(value) - len(events)
                self._lists.append(events)
            else:
                for inner in value:
                    self.take(inner, depth + 1)

    def events(self) -> list[JsonObject]:
        """In the order of time, each as often as the list that has it most often."""
        if len(self._lists) == 1:
            found = self._lists[0]
        else:
            most: Counter[bytes] = Counter()
            by_form: dict[bytes, JsonObject] = {}
            for events in self._lists:
                counts: Counter[bytes] = Counter()
                for event in events:
                    form = msgspec.json.encode(event, order="sorted")
                    counts[form] += 1
                    by_form[form] = event
                most |= counts
            found = [by_form[form] for form, count in most.items() for _ in range(count)]
        return sorted(found, key=lambda event: number(event, "timestamp"))

    def _take_object(self, value: JsonObject) -> None:
        if any("startTime" in fight or "start_time" in fight for fight in objects(value.get("fights"))):
            self.report = value
            for fight in objects(value.get("fights")):
                self.fights[number(fight, "id")] = fight
        for actor in objects(value.get("actors")):
            self.actors[number(actor, "id")] = actor
        for ability in objects(value.get("abilities")):
            if "gameID" in ability:
                self.abilities[number(ability, "gameID")] = ability
        if "fightID" in value and is_object(value.get("roles")):
            self.rankings.append(value)


def _are_events(items: list[object]) -> bool:
    return any(is_object(item) and _is_event(item) for item in items[:3])


def _is_event(item: JsonObject) -> bool:
    return isinstance(item.get("type"), str) and number(item, "timestamp", -1) >= 0
