"""Mana, rage and energy of a player over a fight, as far as the log tells them.

The log tells a player's power with each of its casts (before the cost is paid) and with what is done to it. What a
spell costs is learnt from the readings after its casts; between readings power is taken to change evenly. Without
advanced data there is nothing to tell.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from glassloop.extensions.raids.analysis.auras import aura_intervals, merged, without
from glassloop.extensions.raids.analysis.review.activity import overlap_ms
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, Kind
from glassloop.extensions.raids.records import RaidRecord

PowerName = Literal["mana", "rage", "energy"]

POWER_TYPES: Final[dict[int, PowerName]] = {0: "mana", 1: "rage", 3: "energy"}
EMPTY_PERCENT: Final[dict[PowerName, float]] = {"mana": 2.0, "rage": 2.0, "energy": 10.0}
"""At or below this nothing can be done: it counts as zero."""
MANA_HELP: Final = ("Innervate", "Mana Tide Totem")
OFTEN_PERCENT: Final = 30.0
"""Energy and rage come back all the time: they are short from here on."""
_SOON_MS: Final = 6_000
_MAX_SHORT: Final = 0.05
"""More casts than this that seem to cost more than there was: free ones are fewer."""
_POTIONS: Final = ("mana potion", "rune", "potion")


class Fall(RaidRecord, frozen=True, kw_only=True):
    """From a high to the low that followed, in ms and in units of power."""

    begin: int
    end: int
    high: int
    low: int


class Gain(RaidRecord, frozen=True, kw_only=True):
    """Power that a spell gave back."""

    spell: str
    source: str
    total: int
    times: int


class MomentOf(RaidRecord, frozen=True, kw_only=True):
    """Something that brings power: a potion, a rune, Innervate, Mana Tide."""

    name: str
    at: int
    source: str = ""


class ResourceUse(RaidRecord, frozen=True, kw_only=True):
    """Of one kind of power. `average` is by time; `points` are (ms, power) for a picture."""

    power: PowerName
    maximum: int
    lowest: int
    lowest_at: int
    highest: int
    average: float
    at_zero_ms: int
    first_zero_at: int | None = None
    """When it first ran dry, in ms."""
    usual_heal: str = ""
    """Of healers: the heal that was cast most, of those whose cost is known."""
    usual_cost: int = 0
    short_spans: tuple[tuple[int, int], ...] = ()
    """When there was less than the usual heal costs, in ms; time dead apart."""
    alive_ms: int
    samples: int
    falls: tuple[Fall, ...] = ()
    spent: tuple[tuple[str, int], ...] = ()
    """By spell, by its casts and what one cost as far as the readings tell; most first."""
    gains: tuple[Gain, ...] = ()
    spent_total: int = 0
    gained_total: int = 0
    change: int = 0
    """From the first reading to the last."""
    points: tuple[tuple[int, int], ...] = ()

    @property
    def zero_percent(self) -> float:
        return 100 * self.at_zero_ms / self.alive_ms if self.alive_ms else 0.0

    @property
    def regained(self) -> int:
        """What came back and no line of the log names: regeneration, by what was spent, gained and is left."""
        return max(0, self.change + self.spent_total - self.gained_total)

    @property
    def short_ms(self) -> int:
        """At zero, or with less than the usual heal costs."""
        return max(self.at_zero_ms, sum(end - begin for begin, end in self.short_spans))

    @property
    def short_percent(self) -> float:
        return 100 * self.short_ms / self.alive_ms if self.alive_ms else 0.0


class _Series:
    """Readings of one kind of power. `spell` is the one whose cast told it, `NO_SPELL` of other readings."""

    def __init__(self) -> None:
        self.at = array("i")
        self.value = array("i")
        self.spell = array("H")
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
    found = dict[PowerName, _Series]()
    for row in view.rows_about(player):
        power = POWER_TYPES.get(log.power_type[row])
        if power is None or log.power[row] < 0 or log.max_power[row] <= 0:
            continue
        # The client writes rage in tenths.
        scale = 10 if power == "rage" and log.max_power[row] >= 1000 else 1
        series = found.setdefault(power, _Series())
        # A clock that went back is a log's own matter: time here only goes on.
        series.at.append(min(max(log.at[row], series.at[-1] if series.at else 0), view.length_ms))
        series.value.append(min(log.power[row], log.max_power[row]) // scale)
        own = log.kind[row] == Kind.CAST and log.source[row] == player
        series.spell.append(log.spell[row] if own else NO_SPELL)
        series.maximum = max(series.maximum, log.max_power[row] // scale)
    return found


def _use(view: FightView, player: int, power: PowerName, series: _Series) -> ResourceUse:
    costs = _Costs(view, series)
    empty = series.maximum * EMPTY_PERCENT[power] / 100
    course, dead = _course(series, costs, view.length_ms), view.dead_spans(player)
    total, at_zero, alive = _weigh(course, dead, empty)
    low = min(range(len(series.value)), key=series.value.__getitem__)
    heal, cost = _usual_heal(view, player, series, costs) if power == "mana" else ("", 0)
    spent, gains = _spent(view, series, costs), _gains(view, player, power)
    return ResourceUse(
        power=power,
        maximum=series.maximum,
        lowest=series.value[low],
        lowest_at=series.at[low],
        highest=max(series.value),
        average=total / alive if alive else float(series.value[0]),
        at_zero_ms=round(at_zero),
        first_zero_at=_first_empty(course, dead, empty),
        usual_heal=heal,
        usual_cost=cost,
        short_spans=tuple(without(_spans_below(course, cost), dead)) if cost else (),
        alive_ms=alive,
        samples=len(series.at),
        falls=tuple(_falls(series)),
        spent=tuple(spent.most_common(10)),
        gains=tuple(gains[:15]),
        spent_total=spent.total(),
        gained_total=sum(gain.total for gain in gains),
        change=series.value[-1] - series.value[0],
        points=tuple(_thinned(series)),
    )


class _Costs:
    """What casts cost at least, by spell: the largest fall from its reading to one soon after, with no cast between.

    Clients tell the power before the cost. A log in which spells are cast with less than they cost tells it after: then
    the fall is the one to the reading."""

    def __init__(self, view: FightView, series: _Series) -> None:
        self.by_spell = self._learn(view, series, 0)
        casts = [(value, spell) for value, spell in zip(series.value, series.spell, strict=True) if spell != NO_SPELL]
        short = sum(value < 0.9 * self.by_spell.get(spell, 0) for value, spell in casts)
        self.paid = short > _MAX_SHORT * len(casts)
        if self.paid:
            self.by_spell = self._learn(view, series, 1)

    @staticmethod
    def _learn(view: FightView, series: _Series, place: int) -> dict[int, int]:
        costs = dict[int, int]()
        for number in range(len(series.at) - 1):
            spell = series.spell[number + place]
            less = series.value[number] - series.value[number + 1]
            soon = series.at[number + 1] - series.at[number] <= _SOON_MS
            if spell != NO_SPELL and soon and less > costs.get(spell, 0) and not _is_consumable(view, spell):
                costs[spell] = less
        return costs

    def around(self, value: int, spell: int) -> tuple[int, int]:
        """Before and after the cast."""
        cost = self.by_spell.get(spell, 0)
        return (value + cost, value) if self.paid else (value, max(0, value - cost))


def _usual_heal(view: FightView, player: int, series: _Series, costs: _Costs) -> tuple[str, int]:
    """The heal that a healer cast most and what one cost; nothing where the log does not tell."""
    performance = view.performances.get(player)
    if performance is None or performance.role != "healer":
        return "", 0
    heals = {one.spell for one in view.record.abilities if one.actor == player and one.kind == "healing"}
    casts = Counter(spell for spell in series.spell if spell in heals and costs.by_spell.get(spell))
    if not casts:
        return "", 0
    spell = casts.most_common(1)[0][0]
    return view.spell_name(spell), costs.by_spell[spell]


def _spans_below(points: Sequence[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    """When a course is below a limit, between its points evenly."""
    spans = list[tuple[int, int]]()
    for (at, value), (until, then) in pairwise(points):
        if until <= at or min(value, then) >= limit:
            continue
        turn = at if value == then else round(at + (until - at) * (value - limit) / (value - then))
        spans.append((at if value < limit else turn, until if then < limit else turn))
    return merged(spans)


def _is_consumable(view: FightView, spell: int) -> bool:
    return view.knowledge.consumable_of_cast(view.spell_id(spell)) is not None


def _course(series: _Series, costs: _Costs, end: int) -> list[tuple[int, int]]:
    """Points (ms, power) to join by lines: the readings, of casts before and after the cost."""
    points = list[tuple[int, int]]()
    for at, value, spell in zip(series.at, series.value, series.spell, strict=True):
        before, after = costs.around(value, spell)
        points += [(at, before)] if before == after else [(at, before), (at, after)]
    return [*points, (end, points[-1][1])]


def _weigh(
    points: Sequence[tuple[int, int]], dead: Sequence[tuple[int, int]], empty: float
) -> tuple[float, float, int]:
    """Power times ms, ms at zero, ms alive and known: from the first reading on."""
    total = at_zero = 0.0
    alive = 0
    for (at, value), (until, then) in pairwise(points):
        lasted = max(0, until - at - overlap_ms(at, until, dead))
        low, high = min(value, then), max(value, then)
        share = 0.0 if low > empty else 1.0 if high <= empty else (empty - low) / (high - low)
        total += lasted * (value + then) / 2
        at_zero += lasted * share
        alive += lasted
    return total, at_zero, alive


def _first_empty(points: Sequence[tuple[int, int]], dead: Sequence[tuple[int, int]], empty: float) -> int | None:
    for (at, value), (until, then) in pairwise(points):
        if min(value, then) > empty or until - at <= overlap_ms(at, until, dead):
            continue
        return at if value <= empty else round(at + (until - at) * (value - empty) / (value - then))
    return None


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


def _spent(view: FightView, series: _Series, costs: _Costs) -> Counter[str]:
    spent = Counter[str]()
    for spell in series.spell:
        if cost := costs.by_spell.get(spell, 0):
            spent[view.spell_name(spell)] += cost
    return spent


def _gains(view: FightView, player: int, power: PowerName) -> list[Gain]:
    log, totals = view.log, dict[tuple[str, str], list[int]]()
    for row in view.rows_of(player, {Kind.ENERGIZE}, as_target=True):
        if POWER_TYPES.get(log.extra[row]) == power:
            key = view.spell_name(log.spell[row]), view.name_of(view.owner_of(log.source[row]))
            totals.setdefault(key, []).append(log.amount[row])
    gains = [Gain(spell=spell, source=who, total=sum(all_), times=len(all_)) for (spell, who), all_ in totals.items()]
    return sorted(gains, key=lambda gain: -gain.total)


def _thinned(series: _Series, most: int = 120) -> list[tuple[int, int]]:
    """Few enough to draw: the last reading of each of `most` equal parts of the time."""
    last = dict[int, tuple[int, int]]()
    whole = max(1, series.at[-1] + 1)
    for at, value in zip(series.at, series.value, strict=True):
        last[at * most // whole] = (at, value)
    return list(last.values())
