"""Deaths of players: the blow that killed, the hits and heals before it, and deaths that were none.

A hunter that feigns and a priest that becomes a Spirit of Redemption are logged as dead; the priest dies when the
spirit ends.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from glassloop.extensions.raids.analysis.view import kind_rows
from glassloop.extensions.raids.fight_log import FightLog, Flag, Kind
from glassloop.extensions.raids.records import Actor, Blow, Death, Spell

MAX_BLOWS: Final = 10
MAX_DEATHS: Final = 2_000
"""Of a fight: forty players that die fifty times. More are left out."""
_LOOK_BACK: Final = 200
_CRITICAL: Final = int(Flag.CRITICAL)
_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)
FEIGN_DEATH: Final = 5384
SPIRIT_OF_REDEMPTION: Final = 27827
SPIRIT: Final = "Spirit of Redemption"
"""As `feigned` has it: the priest is dead all the same, once the spirit ends."""
_NAMES: Final = {FEIGN_DEATH: "Feign Death", SPIRIT_OF_REDEMPTION: SPIRIT}
_NEAR_MS: Final = 1000
_SPIRIT_MS: Final = 20_000
_LATE_MS: Final = 100
"""The killing blow may be written just after the death."""
_CAUSE_MS: Final = 10_000
"""Damage longer ago than that is not what killed, unless it made a spirit."""


def find_deaths(log: FightLog, actors: Sequence[Actor], spells: Sequence[Spell]) -> tuple[Death, ...]:
    """Those of players, in order; feigned ones have `feigned`."""
    rows = [row for row in kind_rows(log, (Kind.DEATH,)) if _is_player(log.target[row], actors)]
    if not rows:
        return ()
    blows = _rows_about(log, {log.target[row] for row in rows})
    marks = _marks(log, spells)
    deaths, last = list[Death](), dict[int, int]()
    for row in rows[:MAX_DEATHS]:
        actor, at = log.target[row], log.at[row]
        position = bisect_left(blows[actor], row)
        near = blows[actor][max(0, position - _LOOK_BACK) : position + MAX_BLOWS]
        feigned, since = _feigned(log, row, marks, near)
        before = _blows_before(log, row, near, last.get(actor, -1), since)
        if deaths and actor in last and at - log.at[last[actor]] < _NEAR_MS and not feigned:
            continue  # Written twice, as some logs do.
        chosen = tuple(blow_of(log, blow) for blow in before)
        cause = None if feigned == _NAMES[FEIGN_DEATH] else _cause(log, before, at, spirit=since is not None)
        deaths.append(Death(actor=actor, at=at, blows=chosen, cause=cause, feigned=feigned))
        if not feigned:
            last[actor] = row
    return tuple(deaths)


def falls(deaths: Iterable[Death]) -> list[Death]:
    """Everybody who fell, in order: deaths, and Spirits of Redemption instead of the deaths that end them."""
    fallen, spirits = list[Death](), dict[int, int]()
    for death in sorted((one for one in deaths if one.feigned in ("", SPIRIT)), key=lambda one: one.at):
        if death.feigned:
            spirits[death.actor] = death.at
        elif death.actor in spirits and death.at - spirits.pop(death.actor) <= _SPIRIT_MS:
            continue
        fallen.append(death)
    return fallen


def spirits_alone(deaths: Sequence[Death]) -> list[Death]:
    """Spirits of Redemption that the end of the fight came before the end of: no death counts them."""
    real = [one for one in deaths if not one.feigned]
    return [
        one
        for one in falls(deaths)
        if one.feigned and not any(end.actor == one.actor and 0 < end.at - one.at <= _SPIRIT_MS for end in real)
    ]


def _is_player(index: int, actors: Sequence[Actor]) -> bool:
    return index < len(actors) and actors[index].kind == "player"


def _rows_about(log: FightLog, dead: set[int]) -> dict[int, list[int]]:
    """Hits and heals that each of them got."""
    rows = defaultdict[int, list[int]](list)
    targets = log.target
    for row in kind_rows(log, (Kind.DAMAGE, Kind.HEAL)):
        if targets[row] in dead:
            rows[targets[row]].append(row)
    return rows


def _marks(log: FightLog, spells: Sequence[Spell]) -> dict[tuple[int, int], list[int]]:
    """When who cast Feign Death or became a spirit: by player and the spell's id."""
    wanted = {index: spell.id for index, spell in enumerate(spells) if spell.id in _NAMES}
    marks = defaultdict[tuple[int, int], list[int]](list)
    if wanted:
        column = log.spell
        for row in kind_rows(log, (Kind.CAST, Kind.AURA_ON)):
            if (spell := column[row]) in wanted:
                who = log.target[row] if log.kind[row] == Kind.AURA_ON else log.source[row]
                marks[who, wanted[spell]].append(log.at[row])
    return marks


def _feigned(
    log: FightLog, row: int, marks: dict[tuple[int, int], list[int]], blows: Sequence[int]
) -> tuple[str, int | None]:
    """Which false death it is, if any; and when the spirit came whose end a real one is."""
    actor, at = log.target[row], log.at[row]
    killed = any(log.overkill[blow] > 0 and -_NEAR_MS < log.at[blow] - at <= _LATE_MS for blow in blows)
    if not killed and _marks_near(marks.get((actor, FEIGN_DEATH), []), at - _NEAR_MS, at + _NEAR_MS):
        return _NAMES[FEIGN_DEATH], None
    for mark in _marks_near(marks.get((actor, SPIRIT_OF_REDEMPTION), []), at - _SPIRIT_MS, at + _NEAR_MS):
        if abs(at - mark) <= _NEAR_MS:
            return SPIRIT, None
        if 0 < at - mark <= _SPIRIT_MS:
            return "", mark
    return "", None


def _marks_near(marks: Sequence[int], begin: int, end: int) -> Sequence[int]:
    """Those between the two times, the last few first."""
    return marks[bisect_left(marks, begin) : bisect_right(marks, end)][: -MAX_BLOWS - 1 : -1]


def _blows_before(log: FightLog, row: int, blows: Sequence[int], last: int, spirit: int | None) -> list[int]:
    """The last ten since the death before."""
    at = log.at[row] if spirit is None else spirit
    found = [
        blow
        for blow in blows
        if blow > last and (blow < row or (log.at[blow] <= at + _LATE_MS and log.overkill[blow] > 0))
    ]
    if spirit is not None:
        found = [blow for blow in found if log.at[blow] <= spirit + _LATE_MS]
    return found[-MAX_BLOWS:]


def _cause(log: FightLog, blows: Sequence[int], at: int, *, spirit: bool) -> int | None:
    """The number of the killing blow: the last one that left no health, else the last one at all."""
    hits = [number for number, blow in enumerate(blows) if log.kind[blow] == Kind.DAMAGE]
    if not spirit:
        hits = [number for number in hits if at - log.at[blows[number]] <= _CAUSE_MS]
    fatal = [number for number in hits if log.overkill[blows[number]] > 0 or _health(log, blows[number]) == 0]
    return (fatal or hits or [None])[-1]


def blow_of(log: FightLog, row: int) -> Blow:
    """The hit or heal of a row."""
    heal = log.kind[row] == Kind.HEAL
    health = _health(log, row)
    return Blow(
        at=log.at[row],
        kind="heal" if heal else "damage",
        source=log.source[row],
        spell=log.spell[row],
        amount=log.amount[row] - log.extra[row] if heal else log.amount[row],
        overkill=log.overkill[row],
        absorbed=0 if heal else log.extra[row],
        critical=bool(log.flags[row] & _CRITICAL),
        health=health,
        max_health=log.max_health[row] if health >= 0 else -1,
    )


def _health(log: FightLog, row: int) -> int:
    """Of whoever was hit, after it; -1 where not told."""
    return -1 if log.flags[row] & _ABOUT_SOURCE else log.health[row]
