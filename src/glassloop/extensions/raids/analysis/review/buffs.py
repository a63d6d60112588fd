"""Uptimes of buffs and debuffs: of a player, and of what covers the raid.

Ranks of a spell are one aura. What a player lacks is told of buffs that the raid has a class for.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from glassloop.extensions.raids.analysis.auras import AuraInterval, aura_intervals, aura_name, uptime_ms
from glassloop.extensions.raids.analysis.grades import COVERAGE, MAJOR_BUFF
from glassloop.extensions.raids.analysis.review.buff_scope import bringers, left_no_room, serves
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Kind
from glassloop.extensions.raids.knowledge.facts import Proc, RaidBuff
from glassloop.extensions.raids.records import RaidRecord

COVERED_PERCENT: Final = 50.0
"""Of the time alive that a buff must be on somebody for it to count as covered."""

_SAME_MOMENT_MS: Final = 1_500

AuraKind = Literal["raid buff", "consumable", "proc", "cooldown", "other"]


class AuraUptime(RaidRecord, frozen=True, kw_only=True):
    """An aura by name. `percent` is of the player's time alive, or of the fight."""

    name: str
    spell_ids: tuple[int, ...]
    kind: AuraKind
    percent: float
    uptime_ms: int
    applied: int
    """How often, from before the fight included; renewals while it was on apart."""
    stacks: int
    from_before: bool
    sources: tuple[int, ...]
    targets: int
    by_target: tuple["TargetUptime", ...] = ()
    """Of what a player kept on enemies: each of them, bosses first, the longest first."""
    major: bool = False


class TargetUptime(RaidRecord, frozen=True, kw_only=True):
    """A debuff on one enemy. `percent` is of the time from the first hit on it to its death or the end."""

    target: int
    uptime_ms: int
    applied: int
    first_hit: int
    percent: float


class ProcUptime(RaidRecord, frozen=True, kw_only=True):
    """An effect of a trinket or weapon beside what is expected of it."""

    proc: Proc
    percent: float
    applied: int
    worn: bool
    """By COMBATANT_INFO; else seen by its effect alone."""


class PartialCoverage(RaidRecord, frozen=True, kw_only=True):
    """A player who had a buff for a part of the time alive only, from `begin` to `end` in ms."""

    player: int
    percent: float
    begin: int
    end: int


class BuffCoverage(RaidRecord, frozen=True, kw_only=True):
    """A buff over the whole raid; of debuffs the uptime on the bosses."""

    buff: RaidBuff
    covered: tuple[int, ...]
    """Players who had it for at least half of their time alive."""
    without: tuple[int, ...]
    """The others that gain by it: missing means the same everywhere."""
    unknown: tuple[int, ...] = ()
    """Of those without, who may have had it all the time from before the pull: the log does not tell."""
    partial: tuple[PartialCoverage, ...] = ()
    """Of both, those who had it at some time and for less than nine tenths; not of one that lasts for seconds."""
    percent: float
    """Average over the players that gain by it; of a debuff its uptime."""
    casters: tuple[int, ...]
    bringers: tuple[int, ...]
    """Players who can bring it."""
    crowded_out: bool = False
    """Whether others that exclude it were there instead."""
    begun: tuple[int, ...] = ()
    """Of one that lasts for seconds by a cooldown: when it came, in ms. Covered is whoever had it at all."""

    @property
    def issue(self) -> bool:
        """Below half of the raid, or of the fight: of those that matter most, and of those that somebody began."""
        if not self.told or self.crowded_out:
            return False
        if self.buff.debuff:
            return COVERAGE.grade(self.percent) == "issue"
        return self.buff.covers == "raid" and len(self.covered) < len(self.without) - len(self.unknown)

    @property
    def responsible(self) -> tuple[int, ...]:
        """Players to ask where somebody is without it: who cast it, else who can bring it."""
        return self.casters or self.bringers

    @property
    def told(self) -> bool:
        """Whether there is something to say of it."""
        wanted = bool(self.bringers) and self.buff.major and not self.crowded_out
        return self.percent > 0 or (wanted and not self.buff.hidden and not self.out_of_sight)

    @property
    def out_of_sight(self) -> bool:
        """Whether it was on nobody as far as the log tells, and the log would not tell."""
        return not self.buff.debuff and not self.percent and len(self.unknown) == len(self.without)


def buffs_on(view: FightView, player: int) -> list[AuraUptime]:
    """The player's buffs, the longest first."""
    own = (one for one in aura_intervals(view, target=player) if one.buff)
    return _uptimes(view, own, view.alive_ms(player), player)


def debuffs_on(view: FightView, player: int) -> list[AuraUptime]:
    """What afflicted the player, the longest first."""
    return _uptimes(view, (one for one in aura_intervals(view, target=player) if not one.buff), view.alive_ms(player))


def debuffs_by(view: FightView, player: int) -> list[AuraUptime]:
    """What the player kept on hostile creatures: on bosses where any of it is there, else on any."""
    bosses = set(view.bosses())
    own = [one for one in aura_intervals(view, source=player) if not one.buff and not view.is_player(one.target)]
    on_bosses = {aura_name(view, one) for one in own if one.target in bosses}
    kept = (one for one in own if one.target in bosses or aura_name(view, one) not in on_bosses)
    by_name = defaultdict[str, defaultdict[int, list[AuraInterval]]](lambda: defaultdict(list))
    for one in own:
        by_name[aura_name(view, one)][one.target].append(one)
    return [
        msgspec.structs.replace(one, by_target=_by_target(view, by_name[one.name]))
        for one in _uptimes(view, kept, view.length_ms)
    ]


def _by_target(view: FightView, intervals: Mapping[int, Sequence[AuraInterval]]) -> tuple[TargetUptime, ...]:
    found = list[TargetUptime]()
    for target, some in intervals.items():
        begin, end = _reachable(view, target, min(one.begin for one in some))
        up = uptime_ms(some)
        percent = _percent(up, max(1, end - begin))
        found.append(TargetUptime(target=target, uptime_ms=up, applied=len(some), first_hit=begin, percent=percent))
    bosses = view.bosses()
    return tuple(sorted(found, key=lambda one: (one.target not in bosses, -one.uptime_ms, one.target)))


def _reachable(view: FightView, target: int, begin: int) -> tuple[int, int]:
    """From the first hit on a creature, or the debuff where that came first, to its death or the end."""
    hits = view.rows_of(target, {Kind.DAMAGE}, as_target=True)
    first = min(begin, max(0, view.log.at[hits[0]])) if hits else begin
    died = [view.log.at[row] for row in view.rows_of(target, {Kind.DEATH}, as_target=True)]
    return first, min([at for at in died if at > first] or [view.length_ms])


def any_debuffs(view: FightView) -> bool:
    """Whether the log has any debuff on a hostile creature."""
    return any(not one.buff and not view.is_player(one.target) for one in aura_intervals(view))


def procs_of(view: FightView, player: int) -> list[ProcUptime]:
    """Of what the player wears, or was seen to have. What is used on purpose is a cooldown and no proc."""
    combatant = view.combatants.get(player)
    worn = {item.item_id for item in combatant.gear} if combatant is not None else set[int]()
    procs = [one for one in view.knowledge.procs if not any(map(view.knowledge.cooldown_of, one.auras))]
    known = {spell for proc in procs for spell in proc.auras}
    own = aura_intervals(view, target=player, spell_ids=known)
    found = list[ProcUptime]()
    for proc in procs:
        intervals = [one for one in own if one.spell_id in proc.auras]
        wears = not worn.isdisjoint(proc.items)
        if intervals or wears:
            percent = _percent(uptime_ms(intervals), view.alive_ms(player))
            found.append(ProcUptime(proc=proc, percent=percent, applied=len(intervals), worn=wears))
    return found


def missing_buffs(view: FightView, player: int, covers: Literal["raid", "group"] = "raid") -> list[BuffCoverage]:
    """Buffs for the whole raid, or for a group, that the player is without as far as the log can tell, though others
    had them or somebody could have brought them."""
    return [
        one
        for one in raid_coverage(view)
        if one.buff.covers == covers and player in one.without and player not in one.unknown and not one.crowded_out
    ]


def raid_coverage(view: FightView) -> list[BuffCoverage]:
    """Every raid buff that was there or could have been, those with issues first."""
    kept = [one for one in _every_coverage(view) if one.told]
    return sorted(kept, key=lambda one: (not one.issue, -one.percent, one.buff.name))


def unseen_buffs(view: FightView) -> list[BuffCoverage]:
    """Buffs that somebody could have brought and that the log shows nothing of, though they may have been there."""
    return [
        one
        for one in _every_coverage(view)
        if one.bringers and not one.told and not one.crowded_out
        and (one.buff.hidden or (one.buff.major and one.out_of_sight))
    ]  # fmt: skip


def _every_coverage(view: FightView) -> list[BuffCoverage]:
    found = view.derived.get("raid coverage")
    if found is None:
        known = {spell for buff in view.knowledge.raid_buffs for spell in buff.auras}
        by_spell = defaultdict[int, list[AuraInterval]](list)
        for one in aura_intervals(view, spell_ids=known):
            by_spell[one.spell_id].append(one)
        covers = [
            _coverage(view, buff, [one for spell in buff.auras for one in by_spell[spell]])
            for buff in view.knowledge.raid_buffs
        ]
        crowded = left_no_room(view, {one.buff: one.percent for one in covers})
        found = [msgspec.structs.replace(one, crowded_out=one.buff in crowded) for one in covers]
        view.derived["raid coverage"] = found
    return found


def _coverage(view: FightView, buff: RaidBuff, intervals: Sequence[AuraInterval]) -> BuffCoverage:
    able = bringers(view, buff)
    casters = _casters(view, intervals)
    if buff.debuff:
        bosses = set(view.bosses())
        on_bosses = [one for one in intervals if one.target in bosses]
        percent = _percent(uptime_ms(on_bosses), view.length_ms)
        casters = _casters(view, on_bosses)
        return BuffCoverage(buff=buff, covered=(), without=(), percent=percent, casters=casters, bringers=able)
    by_target = defaultdict[int, list[AuraInterval]](list)
    for one in intervals:
        by_target[one.target].append(one)
        if buff.covers == "group" and (caster := view.owner_of(one.source)) != one.target:
            # Whose shout, totem or aura a group has is one of the group.
            by_target[caster].append(one)
    short = any(map(view.knowledge.cooldown_of, buff.auras))
    least = sys.float_info.min if short else COVERED_PERCENT
    percents = {
        player: _percent(uptime_ms(by_target[player]), view.alive_ms(player))
        for player in view.players()
        if serves(view, player, buff)
    }
    listed = {one.actor for one in view.record.combatants} if any(one.auras for one in view.record.combatants) else ()
    return BuffCoverage(
        buff=buff,
        covered=tuple(player for player, percent in percents.items() if percent >= least),
        without=tuple(player for player, percent in percents.items() if percent < least),
        unknown=tuple(one for one, percent in percents.items() if not (percent or short or one in listed)),
        partial=() if short else tuple(_partial(by_target, percents)),
        percent=sum(percents.values()) / len(percents) if percents else 0.0,
        casters=casters,
        bringers=able,
        begun=_moments(intervals) if short else (),
    )


def _casters(view: FightView, intervals: Sequence[AuraInterval]) -> tuple[int, ...]:
    return tuple(sorted({view.owner_of(one.source) for one in intervals if view.is_player(view.owner_of(one.source))}))


def _partial(
    by_target: Mapping[int, Sequence[AuraInterval]], percents: Mapping[int, float]
) -> Iterator[PartialCoverage]:
    for player, percent in percents.items():
        if percent > 0 and MAJOR_BUFF.grade(percent) != "good":
            spans = by_target[player]
            begin, end = min(one.begin for one in spans), max(one.end for one in spans)
            yield PartialCoverage(player=player, percent=percent, begin=begin, end=end)


def _moments(intervals: Sequence[AuraInterval]) -> tuple[int, ...]:
    """When they began: those on many players at once are one moment."""
    found = list[int]()
    for at in sorted(one.begin for one in intervals):
        if not found or at - found[-1] > _SAME_MOMENT_MS:
            found.append(at)
    return tuple(found)


def _uptimes(
    view: FightView, intervals: Iterable[AuraInterval], of_ms: int, player: int | None = None
) -> list[AuraUptime]:
    groups = defaultdict[str, list[AuraInterval]](list)
    for one in intervals:
        groups[aura_name(view, one)].append(one)
    found = list[AuraUptime]()
    for name, group in groups.items():
        up = uptime_ms(group)
        ids = tuple(sorted({one.spell_id for one in group}))
        buff = next((known for spell in ids if (known := view.knowledge.buff_of(spell)) is not None), None)
        found.append(
            AuraUptime(
                name=name, spell_ids=ids, kind=_kind(view, ids), percent=_percent(up, of_ms), uptime_ms=up,
                applied=len(group), stacks=max(one.stacks for one in group),
                from_before=any(one.from_before for one in group),
                sources=tuple(sorted({one.source for one in group})), targets=len({one.target for one in group}),
                major=_is_major(view, player, buff) or _is_flask(view, ids),
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: (-one.uptime_ms, one.name))


def _kind(view: FightView, spell_ids: Iterable[int]) -> AuraKind:
    knowledge = view.knowledge
    for spell in spell_ids:
        if knowledge.buff_of(spell) is not None:
            return "raid buff"
        if knowledge.consumable_of_aura(spell) is not None:
            return "consumable"
        if knowledge.cooldown_of(spell) is not None:
            return "cooldown"
        if knowledge.proc_of(spell) is not None:
            return "proc"
    return "other"


def _is_major(view: FightView, player: int | None, buff: RaidBuff | None) -> bool:
    return buff is not None and buff.major and (player is None or serves(view, player, buff))


def _is_flask(view: FightView, spell_ids: Iterable[int]) -> bool:
    return any(
        (known := view.knowledge.consumable_of_aura(spell)) is not None and known.kind == "flask" for spell in spell_ids
    )


def _percent(ms: int, of_ms: int) -> float:
    return min(100.0, 100 * ms / of_ms)
