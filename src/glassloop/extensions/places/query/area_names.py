"""Names of areas in a data set: its cities, metros, states, ZIP codes and neighborhoods, and what a text means."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.extensions.places.query.names import fold, list_names, nearest_names, quote_name
from glassloop.extensions.places.query.states import STATES, state_code

AreaKind = Literal["city", "metro", "state", "zip", "neighborhood"]
KINDS: Final[tuple[AreaKind, ...]] = ("city", "metro", "state", "zip", "neighborhood")
EVERYWHERE: Final = frozenset(
    ("all", "everywhere", "anywhere", "united states", "united states of america", "usa", "us", "u s", "u s a",
     "america", "nationwide", "national", "country", "the united states", "whole country", "all metros")
)  # fmt: skip
_SHORT: Final = {
    "sf": "San Francisco", "san fran": "San Francisco", "bay area": "San Francisco metro",
    "san francisco bay area": "San Francisco metro", "la": "Los Angeles", "nyc": "New York",
    "new york city": "New York", "atl": "Atlanta", "philly": "Philadelphia", "vegas": "Las Vegas",
    "chi": "Chicago", "chicagoland": "Chicago metro", "dc": "Washington", "washington dc": "Washington",
    "phx": "Phoenix", "dfw": "Dallas metro", "greater los angeles": "Los Angeles metro",
}  # fmt: skip
_METRO_ENDINGS: Final = (" metropolitan area", " metro area", " msa", " metro", " area", " region")


class NamedArea(msgspec.Struct, frozen=True, kw_only=True):
    """A city has its `state`; a neighborhood the city or metro it lies in as `within`, and `full`, the name of its
    areas in the data."""

    kind: AreaKind
    name: str
    state: str = ""
    within: str = ""
    full: str = ""

    @property
    def label(self) -> str:
        tail = self.state if self.kind == "city" else self.within if self.kind == "neighborhood" else ""
        return f"{self.name}, {tail} ({self.kind})" if tail else f"{self.name} ({self.kind})"


class AreaNames:
    """All named areas, by kind and folded name."""

    def __init__(self, areas: Iterable[NamedArea]) -> None:
        self._areas: dict[AreaKind, dict[str, list[NamedArea]]] = {kind: {} for kind in KINDS}
        for area in areas:
            same = self._areas[area.kind].setdefault(fold(area.name), [])
            if area not in same:
                same.append(area)

    def names(self, kind: AreaKind) -> list[str]:
        return sorted({area.name for found in self._areas[kind].values() for area in found})

    def city(self, name: str, state: str | None = None) -> NamedArea:
        name, written = _split_state(name)
        wanted = state_code(state or written) if state or written else ""
        found = self._areas["city"].get(fold(name)) or self._areas["city"].get(fold(_SHORT.get(fold(name), name)), [])
        fitting = [area for area in found if not wanted or area.state == wanted]
        if found and not fitting:
            raise BadArguments(f"There is no {quote_name(name)} in {wanted}: there is {_labels(found)}.")
        return self._only(fitting, name, "city")

    def metro(self, name: str) -> NamedArea:
        return self._only(self._metros(name), name, "metro")

    def state(self, text: str) -> NamedArea:
        code = state_code(text)
        return self._only(self._areas["state"].get(fold(code), []), text, "state")

    def zips(self, codes: Sequence[str]) -> list[NamedArea]:
        return [self._only(self._areas["zip"].get(fold(code[:5]), []), code, "zip") for code in codes]

    def neighborhood(self, name: str, city: str | None = None) -> NamedArea:
        found = self._areas["neighborhood"].get(fold(name), [])
        if city and len(found) > 1:
            near = {fold(area.name) for area in self._metros(city)} | {fold(city)}
            found = [area for area in found if fold(area.within) in near] or found
        return self._only(found, name, "neighborhood")

    def find(self, text: str) -> NamedArea | None:
        """What a text means: a city before a metro, a state, a ZIP code, a neighborhood; None for everywhere."""
        folded = fold(text)
        if folded in EVERYWHERE:
            return None
        name, state = _split_state(text)
        if state and (found := [area for area in self._areas["city"].get(fold(name), []) if area.state == state]):
            return found[0]
        short = _SHORT.get(folded)
        for wanted in (text, *((short,) if short else ())):
            for kind in KINDS:
                if found := self._of_kind(kind, wanted):
                    return self._only(found, text, kind)
        every = [name for kind in ("city", "metro", "neighborhood") for name in self.names(kind)]
        near = nearest_names(text, every)
        if near:
            raise BadArguments(f"There is no area called {quote_name(text)} in the data. Nearest: {list_names(near)}.")
        metros = list_names(self.names("metro")) or list_names(self.names("city"))
        raise BadArguments(f"There is no area called {quote_name(text)} in the data. It has: {metros}.")

    def other_reading(self, text: str) -> NamedArea | None:
        """The metro that has the name of a city, where a text means the city."""
        found = self.find(text)
        metros = self._metros(found.name) if found is not None and found.kind == "city" else []
        return metros[0] if len(metros) == 1 else None

    def _of_kind(self, kind: AreaKind, text: str) -> list[NamedArea]:
        if kind == "metro":
            return self._metros(text)
        if kind == "state":
            known = fold(text) in {fold(name) for name in STATES.values()} or text.strip().upper() in STATES
            return self._areas["state"].get(fold(state_code(text)), []) if known else []
        return self._areas[kind].get(fold(text), [])

    def _metros(self, text: str) -> list[NamedArea]:
        """Also by the first of its cities, as in `Atlanta` for `Atlanta-Sandy Springs, GA`."""
        name = fold(text)
        for ending in _METRO_ENDINGS:
            name = name.removesuffix(ending)
        name = fold(_SHORT.get(name, name)).removesuffix(" metro")
        metros = self._areas["metro"]
        if name in metros:
            return metros[name]
        return [area for known, found in metros.items() if known.startswith(f"{name} ") for area in found]

    def _only(self, found: Sequence[NamedArea], text: str, kind: AreaKind) -> NamedArea:
        if len(found) == 1:
            return found[0]
        if found:
            raise BadArguments(f"{quote_name(text)} could be {_labels(found)}: ask which one is meant.")
        near = nearest_names(text, self.names(kind))
        there = f"Nearest: {list_names(near)}." if near else f"There are: {list_names(self.names(kind)) or 'none'}."
        raise BadArguments(f"There is no {kind} {quote_name(text)} in the data. {there}")


def _split_state(text: str) -> tuple[str, str]:
    """`Portland, OR` as its two parts."""
    name, comma, tail = text.rpartition(",")
    code = state_code(tail) if comma else ""
    return (name.strip(), code) if code in STATES else (text, "")


def _labels(found: Sequence[NamedArea]) -> str:
    return list_names(area.label for area in found)
