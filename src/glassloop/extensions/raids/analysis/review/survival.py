"""Survival of players: lowest health, how swings at them ended, and damage taken by its source.

Health is as the log tells it: with what is done to a player, and with its own casts. Without advanced data there is
none.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from glassloop.extensions.raids.analysis.totals.deaths import MAX_BLOWS, SPIRIT, blow_of
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, Flag, Kind, Miss
from glassloop.extensions.raids.records import Blow, RaidRecord


class LowestHealth(RaidRecord, frozen=True, kw_only=True):
    """The lowest reading of a player's health, and the damage that brought it there, where a hit tells it."""

    player: int
    at: int
    health: int
    maximum: int
    hit: str = ""
    amount: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.health / self.maximum


class SwingOutcomes(RaidRecord, frozen=True, kw_only=True):
    """Melee swings of creatures at a player. `blocked` ones came through in part, or not at all."""

    player: int
    swings: int
    hits: int
    """That did damage, blocked and crushing ones among them."""
    missed: int
    dodged: int
    parried: int
    blocked: int | None
    """None where no hit of the fight tells of a block."""
    absorbed: int
    """Wholly, by a shield of magic."""
    crushing: int
    critical: int
    damage: int
    largest: int

    @property
    def avoided_percent(self) -> float:
        return 100 * (self.missed + self.dodged + self.parried) / self.swings if self.swings else 0.0


class TakenFrom(RaidRecord, frozen=True, kw_only=True):
    """Damage that a player took of one ability of one source; `school` as the game has it, 0 where unknown."""

    source: str
    ability: str
    school: int
    damage: int
    absorbed: int
    hits: int
    largest: int


def lowest_health(view: FightView, player: int) -> LowestHealth | None:
    """None where the log tells no health of the player."""
    log = view.log
    known = [row for row in view.rows_about(player) if log.health[row] >= 0 and log.max_health[row] > 0]
    if not known:
        return None
    row = min(known, key=lambda row: (log.health[row] / log.max_health[row], row))
    struck = log.kind[row] == Kind.DAMAGE and log.target[row] == player
    return LowestHealth(
        player=player,
        at=max(0, log.at[row]),
        health=log.health[row],
        maximum=log.max_health[row],
        hit=f"{view.spell_name(log.spell[row])} of {view.name_of(log.source[row])}" if struck else "",
        amount=log.amount[row] if struck else 0,
    )


class LowMoments(RaidRecord, frozen=True, kw_only=True):
    """Hits that left a player below a part of its health; times in ms."""

    hits: int
    first_at: int
    last_at: int


def low_moments(view: FightView, player: int, below_percent: float) -> LowMoments | None:
    """None where no hit left the player with so little."""
    log, about_source = view.log, int(Flag.ABOUT_SOURCE)
    times = [
        max(0, log.at[row])
        for row in view.rows_of(player, {Kind.DAMAGE}, as_target=True)
        if not log.flags[row] & about_source
        and log.health[row] >= 0
        and log.max_health[row] > 0
        and 100 * log.health[row] < below_percent * log.max_health[row]
    ]
    return LowMoments(hits=len(times), first_at=times[0], last_at=times[-1]) if times else None


def survivors(view: FightView) -> list[int]:
    """Players who never died, and were no Spirit of Redemption at the end."""
    spirits = {death.actor for death in view.record.deaths if death.feigned == SPIRIT}
    return [one.actor for one in view.record.performances if not one.deaths and one.actor not in spirits]


def blows_before(view: FightView, player: int, at: int, within_ms: int) -> list[Blow]:
    """The last hits and heals that a player got until a moment, without heals of nothing."""
    log = view.log
    rows = [
        row
        for row in view.rows_of(player, {Kind.DAMAGE, Kind.HEAL}, as_target=True)
        if at - within_ms <= log.at[row] <= at
    ]
    blows = (blow_of(log, row) for row in rows)
    return [blow for blow in blows if blow.kind == "damage" or blow.amount][-MAX_BLOWS:]


def swing_outcomes(view: FightView, player: int) -> SwingOutcomes:
    """Of creatures' swings alone: those of players under mind control are no measure of a tank."""
    log = view.log
    rows = [
        row
        for row in view.rows_of(player, {Kind.DAMAGE, Kind.MISS}, as_target=True)
        if log.spell[row] == NO_SPELL and log.source[row] < len(view.actors)
        and log.flags[row] & Flag.SOURCE_HOSTILE and not view.is_player(log.source[row])
    ]  # fmt: skip
    misses = Counter(log.extra[row] for row in rows if log.kind[row] == Kind.MISS)
    hits = [row for row in rows if log.kind[row] == Kind.DAMAGE]

    def marked(flag: Flag) -> int:
        return sum(bool(log.flags[row] & flag) for row in hits)

    return SwingOutcomes(
        player=player,
        swings=len(rows),
        hits=len(hits),
        missed=misses[Miss.MISS],
        dodged=misses[Miss.DODGE],
        parried=misses[Miss.PARRY],
        blocked=misses[Miss.BLOCK] + marked(Flag.BLOCKED) if _tells_blocks(view) else None,
        absorbed=misses[Miss.ABSORB],
        crushing=marked(Flag.CRUSHING),
        critical=marked(Flag.CRITICAL),
        damage=sum(log.amount[row] for row in hits),
        largest=max((log.amount[row] for row in hits), default=0),
    )


def _tells_blocks(view: FightView) -> bool:
    """Whether any hit was blocked: fights that were imported earlier do not tell."""
    found = view.derived.get("tells blocks")
    if found is None:
        flags, blocked = view.log.flags, int(Flag.BLOCKED)
        misses = (view.log.extra[row] for row in view.rows_of_kind({Kind.MISS}))
        found = any(one & blocked for one in flags) or Miss.BLOCK in misses
        view.derived["tells blocks"] = found
    return bool(found)


def damage_taken(view: FightView, player: int) -> Sequence[TakenFrom]:
    """By source and ability, the most first. Creatures of the same name are one source."""
    log, groups = view.log, defaultdict[tuple[str, int], list[int]](list)
    for row in view.rows_of(player, {Kind.DAMAGE}, as_target=True):
        groups[view.name_of(log.source[row]), log.spell[row]].append(row)
    found = [
        TakenFrom(
            source=source,
            ability=view.spell_name(spell),
            school=view.spells[spell].school if spell < len(view.spells) else int(spell == NO_SPELL),
            damage=sum(log.amount[row] for row in rows),
            absorbed=sum(log.extra[row] for row in rows),
            hits=len(rows),
            largest=max(log.amount[row] for row in rows),
        )
        for (source, spell), rows in groups.items()
    ]
    return sorted(found, key=lambda one: -one.damage)
