"""Parses: the percentile of a kill among all kills of the same encounter, spec and role in this store, by mid-rank.

Healers by HPS, everybody else by DPS. Of a wipe there is none. The same kill out of two players' logs counts once.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.raids.records import Performance, Role

MIN_KILLS: Final = 10
"""With fewer no percentile is given."""
LEVEL_SPAN: Final = 5.0
"""The item level parse is among those of so many levels more or less."""
SAME_KILL_MS: Final = 60_000
"""Two logs of one kill begin within this time of one another."""
PARSE_NOTE: Final = (
    "A parse is the percentile among kills of the same boss and spec in this store (references and imported kills; "
    f"`parse_of` says how many; below {MIN_KILLS} none is given). It is not Warcraft Logs' own."
)
THEIR_PARSE_NOTE: Final = "`warcraft_logs_parse` is Warcraft Logs' own percentile, as its export has it."


class ParseValue(NamedTuple):
    """A kill of somebody, as little of it as parses need."""

    encounter_id: int
    class_name: str
    spec: str
    role: str
    player_key: str
    started_at: int
    damage: int
    healing: int
    length_ms: int
    item_level: float
    realm: str = ""


class Parse(msgspec.Struct, frozen=True, kw_only=True):
    """Percentiles, None where there are too few kills to say; `of` counts the kills they are among."""

    percentile: float | None = None
    of: int = 0
    item_level_percentile: float | None = None
    item_level_of: int = 0
    theirs: float | None = None
    """Warcraft Logs' own, where its JSON brought one."""

    def told(self) -> dict[str, Json]:
        """For the rows of tools. Beside no percentile the number of kills would be read as one."""
        told: dict[str, Json] = {
            "parse": self.percentile,
            "parse_of": self.of if self.percentile is not None else None,
            "item_level_parse": self.item_level_percentile,
            "item_level_parse_of": self.item_level_of if self.item_level_percentile is not None else None,
        }
        if self.theirs is not None:
            told["warcraft_logs_parse"] = self.theirs
        return told


_Group = tuple[int, str, str, str]


class ParsePopulation:
    """The kills that others are compared with."""

    def __init__(self, values: Iterable[ParseValue]) -> None:
        groups: defaultdict[_Group, list[tuple[float, float]]] = defaultdict(list)
        for one in _distinct(values):
            amount = one.healing if one.role == "healer" else one.damage
            group = (one.encounter_id, one.class_name, one.spec, one.role)
            groups[group].append((rate(amount, one.length_ms), one.item_level))
        self._groups: Mapping[_Group, tuple[list[float], list[float]]] = {
            group: ([value for value, _ in ordered], [level for _, level in ordered])
            for group, members in groups.items()
            if (ordered := sorted(members))
        }

    def parse(self, performance: Performance, encounter_id: int, length_ms: int, *, kill: bool) -> Parse:
        """Of somebody's kill; of a wipe, and of an unknown spec, there is none."""
        theirs = performance.their_parse
        if not kill or not performance.spec:
            return Parse(theirs=theirs)
        group = (encounter_id, performance.class_name, performance.spec, performance.role)
        values, levels = self._groups.get(group, ([], []))
        value, level = metric(performance, length_ms), performance.item_level
        near: list[float] = []
        if level > 0:
            least, most = max(level - LEVEL_SPAN, 1e-6), level + LEVEL_SPAN
            near = [one for one, other in zip(values, levels, strict=True) if least <= other <= most]
        return Parse(
            percentile=percentile(values, value),
            of=len(values),
            item_level_percentile=percentile(near, value),
            item_level_of=len(near),
            theirs=theirs,
        )


def metric(performance: Performance, length_ms: int) -> float:
    """HPS of healers, DPS of others."""
    return rate(performance.healing if performance.role == "healer" else performance.damage, length_ms)


def metric_name(role: Role | str) -> str:
    """The figure that a role is ranked by."""
    return "hps" if role == "healer" else "dps"


def judged_by(role: Role | str) -> str:
    """What counts of a role, in words."""
    return {"healer": "HPS", "tank": "survival"}.get(role, "DPS")


def rate(amount: float, length_ms: int) -> float:
    """A second."""
    return amount * 1000 / length_ms if length_ms > 0 else 0.0


def percentile(ranked: Sequence[float], value: float) -> float | None:
    """Mid-rank among values in rising order: those below, and half of those that are equal."""
    if len(ranked) < MIN_KILLS:
        return None
    below, not_above = bisect_left(ranked, value), bisect_right(ranked, value)
    return round((below + not_above) / 2 / len(ranked) * 100, 1)


def _distinct(values: Iterable[ParseValue]) -> Iterable[ParseValue]:
    """One of each kill. Players of different realms are two; logs of one realm name none."""
    last: dict[tuple[str, str, int], list[ParseValue]] = {}
    for one in sorted(values, key=attrgetter("started_at")):
        whose = (one.player_key, one.class_name, one.encounter_id)
        before = last.get(whose)
        if before is None or one.started_at - before[-1].started_at > SAME_KILL_MS:
            last[whose] = [one]
        elif any(_same_kill(one, other) for other in before):
            continue
        else:
            before.append(one)
        yield one


def _same_kill(one: ParseValue, other: ParseValue) -> bool:
    same_realm = not one.realm or not other.realm or one.realm.lower() == other.realm.lower()
    return same_realm and one.started_at - other.started_at <= SAME_KILL_MS
