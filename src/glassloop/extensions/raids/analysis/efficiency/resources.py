"""Mana, rage and energy of a player over a fight, as far as the log tells them.

The log tells a player's power with each of its casts (before the cost is paid) and with what is done to it; in between
it is taken to be what it was last. Without advanced data there is nothing to tell.
"""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from glassloop.extensions.raids.analysis.auras import aura_intervals
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.records import Record

PowerName = Literal["mana", "rage", "energy"]

POWER_TYPES: Final[dict[int, PowerName]] = {0: "mana", 1: "rage", 3: "energy"}
EMPTY_PERCENT: Final[dict[PowerName, float]] = {"mana": 2.0, "rage": 2.0, "energy": 10.0}
"""At or below this nothing can be done: it counts as zero."""
OUT_OF_MANA_PERCENT: Final = 10.0
"""A healer at zero for more than this part of a fight is out of mana."""
MANA_HELP: Final = ("Innervate", "Mana Tide Totem")
_POTIONS: Final = ("mana potion", "rune", "potion")


class Fall(Record, frozen=True, kw_only=True):
    """From a high to the low that followed, in ms and in units of power."""

    begin: int
    end: int
    high: int
    low: int


class Gain(Record, frozen=True, kw_only=True):
    """Power that a spell gave back."""

    spell: str
    source: str
    total: int
    times: int


class MomentOf(Record, frozen=True, kw_only=True):
    """Something that brings power: a potion, a rune, Innervate, Mana Tide."""

    name: str
    at: int
    source: str = ""


class ResourceUse(Record, frozen=True, kw_only=True):
    """Of one kind of power. `average` is by time; `points` are (ms, power) for a picture."""

    power: PowerName
    maximum: int
    lowest: int
    lowest_at: int
    highest: int
    average: float
    at_zero_ms: int
    alive_ms: int
    samples: int
    falls: tuple[Fall, ...] = ()
    spent: tuple[tuple[str, int], ...] = ()
    """By spell, estimated from the readings before and after its casts; most first."""
    gains: tuple[Gain, ...] = ()
    points: tuple[tuple[int, int], ...] = ()

    @property
    def zero_percent(self) -> float:
        return 100 * self.at_zero_ms / self.alive_ms if self.alive_ms else 0.0


class _Series:
    """Readings of one kind of power."""

    def __init__(self) -> None:
        self.at = array("i")
        self.value = array("i")
        self.maximum = 0


def resource_uses(view: FightView, player: int) -> list[ResourceUse]:
    """Of each kind of power that was read, the one read most first (a druid has several)."""
    series = _series_of(view, player)
    found = [_use(view, player, power, one) for power, one in series.items()]
    return sorted(found, key=lambda use: -use.samples)


def mana_help(view: FightView, player: int) -> list[MomentOf]:
    """Potions and runes of the player, and Innervate and Mana Tide that it got, in order of time."""
    knowledge, log = view.knowledge, view.log
    found = list[MomentOf]()
    for row in view.rows_of(player, {Kind.CAST}):
        used = knowledge.consumable_of_cast(view.spell_id(log.spell[row]))
        if used is not None and used.kind in _POTIONS:
            found.append(MomentOf(name=used.name, at=log.at[row]))
    helpful = {spell: one.name for one in knowledge.cooldowns if one.name in MANA_HELP for spell in one.spells}
    for aura in aura_intervals(view, target=player, spell_ids=helpful.keys()):
        source = view.name_of(view.owner_of(aura.source))
        found.append(MomentOf(name=helpful[aura.spell_id], at=aura.begin, source=source))
    return sorted(found, key=lambda one: one.at)


def _series_of(view: FightView, player: int) -> dict[PowerName, _Series]:
    log = view.log
    rows = {row for row in view.rows_of(player, Kind) if log.flags[row] & Flag.ABOUT_SOURCE}
    rows |= {row for row in view.rows_of(player, Kind, as_target=True) if not log.flags[row] & Flag.ABOUT_SOURCE}
    found = dict[PowerName, _Series]()
    for row in sorted(rows):
        power = POWER_TYPES.get(log.power_type[row])
        if power is None or log.power[row] < 0 or log.max_power[row] <= 0:
            continue
        # The client writes rage in tenths.
        scale = 10 if power == "rage" and log.max_power[row] >= 1000 else 1
        series = found.setdefault(power, _Series())
        series.at.append(min(max(log.at[row], 0), view.length_ms))
        series.value.append(log.power[row] // scale)
        series.maximum = max(series.maximum, log.max_power[row] // scale)
    return found


def _use(view: FightView, player: int, power: PowerName, series: _Series) -> ResourceUse:
    dead = view.dead_spans(player)
    total, at_zero, alive = _weigh(series, dead, view.length_ms, series.maximum * EMPTY_PERCENT[power] / 100)
    low = min(range(len(series.value)), key=series.value.__getitem__)
    return ResourceUse(
        power=power,
        maximum=series.maximum,
        lowest=series.value[low],
        lowest_at=series.at[low],
        highest=max(series.value),
        average=total / alive if alive else float(series.value[0]),
        at_zero_ms=at_zero,
        alive_ms=alive,
        samples=len(series.at),
        falls=tuple(_falls(series)),
        spent=tuple(_spent(view, player, series).most_common(10)),
        gains=tuple(_gains(view, player, power)),
        points=tuple(_thinned(series)),
    )


def _weigh(series: _Series, dead: Sequence[tuple[int, int]], end: int, empty: float) -> tuple[int, int, int]:
    """Power times ms, ms at zero, ms alive and known: from the first reading on."""
    total = at_zero = alive = 0
    for number, (at, value) in enumerate(zip(series.at, series.value, strict=True)):
        until = series.at[number + 1] if number + 1 < len(series.at) else end
        away = sum(max(0, min(until, last) - max(at, first)) for first, last in dead)
        lasted = max(0, until - at - away)
        total += lasted * value
        alive += lasted
        at_zero += lasted if value <= empty else 0
    return total, at_zero, alive


def _falls(series: _Series, most: int = 5) -> list[Fall]:
    """The largest falls: each ends where a tenth of the maximum came back."""
    falls, back = list[Fall](), max(1, series.maximum // 10)
    high = low = 0
    for number in range(1, len(series.value)):
        if series.value[number] <= series.value[low]:
            low = number
        elif series.value[number] - series.value[low] >= back or series.value[number] >= series.value[high]:
            falls.append(_fall(series, high, low))
            high = low = number
    falls.append(_fall(series, high, low))
    falls = [fall for fall in falls if fall.high - fall.low >= back]
    return sorted(falls, key=lambda fall: fall.low - fall.high)[:most]


def _fall(series: _Series, high: int, low: int) -> Fall:
    return Fall(begin=series.at[high], end=series.at[low], high=series.value[high], low=series.value[low])


def _spent(view: FightView, player: int, series: _Series) -> Counter[str]:
    """What was less at a reading than at the one before, to the casts in between."""
    log, spent = view.log, Counter[str]()
    casts = [
        row
        for row in view.rows_of(player, {Kind.CAST})
        if view.knowledge.consumable_of_cast(view.spell_id(log.spell[row])) is None
    ]
    times = [log.at[row] for row in casts]
    for number in range(1, len(series.at)):
        less = series.value[number - 1] - series.value[number]
        if less <= 0:
            continue
        between = casts[bisect_right(times, series.at[number - 1] - 1) : bisect_right(times, series.at[number] - 1)]
        for row in between:
            spent[view.spell_name(log.spell[row])] += less // len(between)
    return spent


def _gains(view: FightView, player: int, power: PowerName) -> list[Gain]:
    log, totals = view.log, dict[tuple[str, str], list[int]]()
    for row in view.rows_of(player, {Kind.ENERGIZE}, as_target=True):
        if POWER_TYPES.get(log.extra[row]) == power:
            key = view.spell_name(log.spell[row]), view.name_of(view.owner_of(log.source[row]))
            totals.setdefault(key, []).append(log.amount[row])
    gains = [Gain(spell=spell, source=who, total=sum(all_), times=len(all_)) for (spell, who), all_ in totals.items()]
    return sorted(gains, key=lambda gain: -gain.total)[:15]


def _thinned(series: _Series, most: int = 120) -> list[tuple[int, int]]:
    """Few enough to draw: the last reading of each of `most` equal parts of the time."""
    last = dict[int, tuple[int, int]]()
    whole = max(1, series.at[-1] + 1)
    for at, value in zip(series.at, series.value, strict=True):
        last[at * most // whole] = (at, value)
    return list(last.values())
