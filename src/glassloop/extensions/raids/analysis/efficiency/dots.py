"""Damage over time: how it was kept up, and what was lost by renewing it too early.

There is no pandemic window: a DoT that is renewed before it ran out loses what was left of it. *Early* is with more
than 30 % of its duration left; lost ticks are counted for every renewal.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from glassloop.extensions.raids.analysis.auras import aura_intervals, merged, uptime_ms
from glassloop.extensions.raids.analysis.grades import RENEWALS, Grade
from glassloop.extensions.raids.analysis.review.activity import overlap_ms
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Dot
from glassloop.extensions.raids.records import RaidRecord

EARLY: Final = 0.3
SPECS: Final = {"Warlock": (), "Priest": ("Shadow",), "Druid": ("Balance",)}
"""Whose DoTs are judged: empty is every spec of the class."""
_SAME_MOMENT_MS: Final = 100
"""Some renewals are logged as a removal and an application at once."""
_JITTER_MS: Final = 400
"""Ticks and removals come a little late."""


class Renewal(RaidRecord, frozen=True, kw_only=True):
    """One that cut a running DoT short. Times are in ms."""

    at: int
    target: int
    left: int
    lost_ticks: int
    lost_damage: int
    early: bool


class DotUse(RaidRecord, frozen=True, kw_only=True):
    """A DoT of a player in a fight, all ranks and targets together."""

    name: str
    duration: int
    """In ms, as learnt from the log."""
    casts: int
    applications: int
    """New ones and renewals."""
    renewals: tuple[Renewal, ...] = ()
    """Those before its end."""
    ticks: int = 0
    damage: int = 0
    """Of its ticks."""
    spans: tuple[tuple[int, int], ...] = ()
    """When at least one target had it."""
    main_target: int | None = None
    main_uptime: int = 0

    @property
    def uptime(self) -> int:
        """In ms."""
        return sum(end - begin for begin, end in self.spans)

    @property
    def early(self) -> int:
        return sum(one.early for one in self.renewals)

    @property
    def lost_ticks(self) -> int:
        return sum(one.lost_ticks for one in self.renewals)

    @property
    def lost_damage(self) -> int:
        return sum(one.lost_damage for one in self.renewals)

    @property
    def early_percent(self) -> float:
        """Of all times it was put on."""
        return early_percent(self.early, self.applications)

    @property
    def grade(self) -> Grade:
        return RENEWALS.grade(self.early_percent)


def early_percent(early: int, applications: int) -> float:
    return 100 * early / applications if applications else 0.0


def is_judged(class_name: str, spec: str) -> bool:
    """An unknown spec of a class that may be is judged."""
    specs = SPECS.get(class_name)
    return specs is not None and (not specs or not spec or spec in specs)


def dot_uses(view: FightView, player: int) -> list[DotUse]:
    """Of every DoT of the player's class that was used, most damage first."""
    dots = [dot for dot in view.knowledge.dots if dot.class_name == view.class_of(player)]
    found = [use for dot in dots if (use := _use(view, player, dot)) is not None]
    return sorted(found, key=lambda use: -use.damage)


def fought_ms(view: FightView, player: int, target: int) -> int:
    """For how long a target was fought, from the first damage to the last, while the player was alive."""
    rows = view.rows_of(target, {Kind.DAMAGE}, as_target=True)
    if not rows:
        return 0
    begin, end = max(0, view.log.at[rows[0]]), min(view.log.at[rows[-1]], view.length_ms)
    return max(0, end - begin - overlap_ms(begin, end, view.dead_spans(player)))


class _Ticks:
    """Of one DoT: their times by target, and what they did."""

    def __init__(self, view: FightView, player: int, spells: set[int]) -> None:
        log = view.log
        self.times = defaultdict[int, list[int]](list)
        self.amounts = defaultdict[int, list[int]](list)
        for row in view.rows_of(player, {Kind.DAMAGE, Kind.MISS}):
            if log.spell[row] in spells and log.flags[row] & Flag.PERIODIC:
                self.times[log.target[row]].append(log.at[row])
                self.amounts[log.target[row]].append(log.amount[row] if log.kind[row] == Kind.DAMAGE else 0)
        self.count = sum(map(len, self.times.values()))
        self.damage = sum(map(sum, self.amounts.values()))

    def between(self, target: int, begin: int, end: int) -> Sequence[int]:
        """What those of one run did. A tick right after a renewal is the last one of the run before."""
        times = self.times[target]
        return self.amounts[target][bisect_right(times, begin + _JITTER_MS) : bisect_right(times, end + _JITTER_MS)]


def _use(view: FightView, player: int, dot: Dot) -> DotUse | None:
    spells = {number for number, spell in enumerate(view.spells) if spell.id in dot.spells}
    runs = _runs(view, player, spells)
    if not runs:
        return None
    ticks = _Ticks(view, player, spells)
    duration = _learn_duration(dot, runs)
    losses = _Losses(dot, duration, runs, ticks)
    intervals = aura_intervals(view, source=player, spell_ids=dot.spells)
    uptimes = {
        target: uptime_ms(one for one in intervals if one.target == target)
        for target in {one.target for one in intervals}
    }
    main = max(uptimes, key=lambda target: (uptimes[target], -target), default=None)
    return DotUse(
        name=dot.name,
        duration=duration,
        casts=sum(view.log.spell[row] in spells for row in view.rows_of(player, {Kind.CAST})),
        applications=sum(run.begin is not None for run in runs),
        renewals=tuple(losses.renewals()),
        ticks=ticks.count,
        damage=ticks.damage,
        spans=tuple(merged((one.begin, one.end) for one in intervals)),
        main_target=main,
        main_uptime=0 if main is None else uptimes[main],
    )


class _Run(RaidRecord, frozen=True, kw_only=True):
    """From one application to the next, or to its end. `begin` None: on from before the fight."""

    target: int
    begin: int | None
    end: int
    renewed: bool


def _runs(view: FightView, player: int, spells: set[int]) -> list[_Run]:
    """In the order of their ends."""
    log, runs = view.log, list[_Run]()
    running, ended = dict[int, int | None](), dict[int, _Run]()
    for row in view.rows_of(player, {Kind.AURA_ON, Kind.AURA_REFRESH, Kind.AURA_OFF}):
        if log.spell[row] not in spells:
            continue
        target, at = log.target[row], log.at[row]
        last = ended.pop(target, None)
        if log.kind[row] == Kind.AURA_OFF:
            ended[target] = _Run(target=target, begin=running.pop(target, None), end=at, renewed=False)
            runs.append(ended[target])
        elif last is not None and at - last.end <= _SAME_MOMENT_MS:
            runs[runs.index(last)] = _Run(target=target, begin=last.begin, end=at, renewed=True)
            running[target] = at
        else:
            if target in running or log.kind[row] == Kind.AURA_REFRESH:
                runs.append(_Run(target=target, begin=running.get(target), end=at, renewed=True))
            running[target] = at
    runs += [_Run(target=target, begin=at, end=view.length_ms, renewed=False) for target, at in running.items()]
    return runs


def _learn_duration(dot: Dot, runs: Sequence[_Run]) -> int:
    """In ms. Talents lengthen some: the longest run that fits says by how much, in whole ticks."""
    base, longest, tick = round(dot.duration_s * 1000), round(dot.longest_s * 1000), round(dot.tick_s * 1000)
    lengths = [run.end - run.begin for run in runs if run.begin is not None]
    fitting = [length for length in lengths if base < length <= longest + _JITTER_MS]
    if not fitting:
        return base
    whole = -(-(max(fitting) - _JITTER_MS - base) // tick)
    return min(longest, base + max(0, whole) * tick)


class _Losses:
    """What renewals of a DoT cost."""

    def __init__(self, dot: Dot, duration: int, runs: Sequence[_Run], ticks: _Ticks) -> None:
        self._tick = round(dot.tick_s * 1000)
        self._duration, self._runs, self._ticks = duration, runs, ticks
        self._typical = self._averages()

    def renewals(self) -> list[Renewal]:
        found = list[Renewal]()
        for run in self._runs:
            if not run.renewed or run.begin is None:
                continue
            left = run.begin + self._duration - run.end
            fallen = self._fallen(run)
            lost = max(0, self._duration // self._tick - fallen)
            if left <= 0 or (lost == 0 and left <= _JITTER_MS):
                continue
            found.append(
                Renewal(
                    at=run.end,
                    target=run.target,
                    left=left,
                    lost_ticks=lost,
                    lost_damage=round(sum(self._expected(number) for number in range(fallen, fallen + lost))),
                    early=left > EARLY * self._duration,
                )
            )
        return found

    def _fallen(self, run: _Run) -> int:
        """Ticks seen, or due where none are logged (an immune target)."""
        begin = run.begin or 0
        due = max(0, (run.end - begin - 1) // self._tick)
        return max(len(self._ticks.between(run.target, begin, run.end)), due)

    def _averages(self) -> Mapping[int, float]:
        """Average damage by a tick's place in its run: those of Curse of Agony grow."""
        places = defaultdict[int, list[int]](list)
        for run in self._runs:
            if run.begin is not None:
                for place, amount in enumerate(self._ticks.between(run.target, run.begin, run.end)):
                    places[place].append(amount)
        return {place: sum(amounts) / len(amounts) for place, amounts in places.items() if len(amounts) >= 3}

    def _expected(self, place: int) -> float:
        return self._typical.get(place, self._ticks.damage / self._ticks.count if self._ticks.count else 0.0)
