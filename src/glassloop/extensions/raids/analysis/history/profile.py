"""The profile of a player in a fight: the figures that are put side by side with those of others.

Rates of casts, global cooldown uptime and uptimes on the player are of the time alive, as in the tools of one fight;
DPS, HPS and what is on the boss are of the whole fight. Profiles of several kills are averaged. Abilities and auras of
logs in different languages are the same where a spell id is the same; ranks of a spell are one ability.
"""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Final, Literal

from glassloop.extensions.raids.analysis.auras import AuraInterval, aura_intervals, uptime_ms
from glassloop.extensions.raids.analysis.casts import starts_gcd
from glassloop.extensions.raids.analysis.efficiency.cooldowns import cooldown_uses
from glassloop.extensions.raids.analysis.efficiency.resources import resource_uses
from glassloop.extensions.raids.analysis.parses import metric, rate
from glassloop.extensions.raids.analysis.review.activity import casts_done
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.records import AbilityTotal, Performance, RaidRecord, Role

MAX_ABILITIES: Final = 12
MAX_UPTIMES: Final = 40
"""Kept, so that one of the few that are told is found in another profile, too."""
_LEAST_SHARE: Final = 1.0


class ProfileAbility(RaidRecord, frozen=True, kw_only=True):
    """An ability's part of the damage or healing, in per cent; casts where the log has casts of it."""

    name: str
    spells: tuple[int, ...]
    share: float
    per_second: float
    casts_per_minute: float
    critical: float


class ProfileCooldown(RaidRecord, frozen=True, kw_only=True):
    """Uses of a cooldown beside how many were possible."""

    name: str
    uses: float
    possible: float
    throughput: bool = True
    """Adds damage or healing; else it is kept for need."""

    @property
    def percent(self) -> float:
        return min(100.0, 100 * self.uses / self.possible) if self.possible else 0.0


class ProfileAura(RaidRecord, frozen=True, kw_only=True):
    """For how much of the time alive (`self`) or of the fight (`boss`) an aura was up, in per cent. The name
    is empty of one that no line of the log names."""

    name: str
    spells: tuple[int, ...]
    on: Literal["self", "boss"]
    percent: float
    own: bool = True
    """Whether the player brings it: neither a buff of others nor an effect that comes by chance."""


class PlayerProfile(RaidRecord, frozen=True, kw_only=True):
    """Figures of one kill, or averages of several (`kills`)."""

    role: Role
    kills: int = 1
    dps: float = 0.0
    gated_dps: float = 0.0
    """Of what the global cooldown gates: abilities that the player casts, and no swings, auto shots, pets and procs."""
    hps: float = 0.0
    overheal: float | None = None
    out_of_mana: float | None = None
    """Of healers: per cent of the time alive at zero, or with less mana than the usual heal costs; None where the log
    does not tell."""
    taken_per_second: float = 0.0
    deaths: float = 0.0
    length_s: float = 0.0
    alive_s: float = 0.0
    item_level: float = 0.0
    casts_per_minute: float = 0.0
    gcd_uptime: float = 0.0
    abilities: tuple[ProfileAbility, ...] = ()
    cooldowns: tuple[ProfileCooldown, ...] = ()
    auras: tuple[ProfileAura, ...] = ()
    buffs_known: bool = True
    """Whether the log tells what was on players before the pull; else a buff that is not among `auras` is unknown."""


def player_profile(view: FightView, player: int) -> PlayerProfile:
    """Everything of one player."""
    performance = view.performances.get(player) or Performance(actor=player)
    length, alive = view.length_ms, view.alive_ms(player)
    healed = performance.healing - performance.absorbs + performance.overheal
    return PlayerProfile(
        role=performance.role,
        dps=rate(performance.damage, length),
        gated_dps=rate(_gated_damage(view, player), length),
        hps=rate(performance.healing, length),
        overheal=100 * performance.overheal / healed if healed else None,
        out_of_mana=_out_of_mana(view, player) if performance.role == "healer" else None,
        taken_per_second=rate(performance.taken, length),
        deaths=performance.deaths,
        length_s=length / 1000,
        alive_s=alive / 1000,
        item_level=performance.item_level,
        casts_per_minute=casts_done(view, player) * 60_000 / alive,
        gcd_uptime=min(100.0, 100 * performance.active_ms / alive),
        abilities=_abilities(view, player, performance),
        cooldowns=tuple(
            ProfileCooldown(
                name=use.cooldown.name,
                uses=len(use.uses),
                possible=use.possible,
                throughput=use.cooldown.kind == "throughput",
            )
            for use in cooldown_uses(view, player)
            if use.sure and use.cooldown.kind in ("throughput", "defensive")
        ),
        auras=_auras(view, player),
        buffs_known=any(combatant.auras for combatant in view.record.combatants),
    )


def average_profile(profiles: Sequence[PlayerProfile]) -> PlayerProfile:
    """Of at least one. An ability, aura or cooldown that a profile lacks counts as none there."""
    count = len(profiles)
    levels = [one.item_level for one in profiles if one.item_level > 0]
    overheals = [one.overheal for one in profiles if one.overheal is not None]
    dry = [one.out_of_mana for one in profiles if one.out_of_mana is not None]
    return PlayerProfile(
        role=profiles[0].role,
        kills=sum(one.kills for one in profiles),
        dps=fmean(one.dps for one in profiles),
        gated_dps=fmean(one.gated_dps for one in profiles),
        hps=fmean(one.hps for one in profiles),
        overheal=fmean(overheals) if overheals else None,
        out_of_mana=fmean(dry) if dry else None,
        taken_per_second=fmean(one.taken_per_second for one in profiles),
        deaths=fmean(one.deaths for one in profiles),
        length_s=fmean(one.length_s for one in profiles),
        alive_s=fmean(one.alive_s for one in profiles),
        item_level=fmean(levels) if levels else 0.0,
        casts_per_minute=fmean(one.casts_per_minute for one in profiles),
        gcd_uptime=fmean(one.gcd_uptime for one in profiles),
        abilities=_mean_abilities([ability for one in profiles for ability in one.abilities], count),
        cooldowns=_mean_cooldowns([cooldown for one in profiles for cooldown in one.cooldowns]),
        auras=_mean_auras(profiles),
        buffs_known=any(one.buffs_known for one in profiles),
    )


def _gated_damage(view: FightView, player: int) -> int:
    mine = (one for one in view.record.abilities if one.actor == player and one.kind == "damage" and one.casts)
    return sum(one.total for one in mine if starts_gcd(view, one.spell))


def _out_of_mana(view: FightView, player: int) -> float | None:
    return next((use.short_percent for use in resource_uses(view, player) if use.power == "mana"), None)


def same_thing(one: ProfileAbility | ProfileAura, other: ProfileAbility | ProfileAura) -> bool:
    """Whether two logs mean the same ability or aura."""
    return (one.name == other.name != "") or not set(one.spells).isdisjoint(other.spells)


def _abilities(view: FightView, player: int, performance: Performance) -> tuple[ProfileAbility, ...]:
    kind = "healing" if performance.role == "healer" else "damage"
    members = {player, *view.pets_of(player)}
    groups = dict[str, list[AbilityTotal]]()
    for total in view.record.abilities:
        if total.kind == kind and total.actor in members:
            name = view.spell_name(total.spell)
            groups.setdefault(name if total.actor == player else f"{name} (pet)", []).append(total)
    whole = metric(performance, view.length_ms) or 1.0
    found = [
        ProfileAbility(
            name=name,
            spells=tuple(sorted({view.spell_id(one.spell) for one in totals} - {0})),
            share=100 * rate(sum(one.total for one in totals), view.length_ms) / whole,
            per_second=rate(sum(one.total for one in totals), view.length_ms),
            casts_per_minute=sum(one.casts for one in totals) * 60_000 / view.alive_ms(player),
            critical=100 * sum(one.criticals for one in totals) / max(1, sum(one.hits for one in totals)),
        )
        for name, totals in groups.items()
    ]
    return _largest_abilities(found)


def _auras(view: FightView, player: int) -> tuple[ProfileAura, ...]:
    """Own buffs, raid buffs and procs on the player; what the player put on the boss."""
    groups = dict[tuple[Literal["self", "boss"], str, int], list[AuraInterval]]()
    times = {"self": view.alive_ms(player), "boss": view.length_ms}
    for aura in aura_intervals(view, target=player):
        known = view.knowledge.buff_of(aura.spell_id) or view.knowledge.proc_of(aura.spell_id)
        if aura.buff and (known is not None or aura.source == player):
            name = known.name if known is not None else _name(view, aura)
            groups.setdefault(("self", name, 0 if name else aura.spell_id), []).append(aura)
    # Boss by boss: most auras of a fight are on others.
    for aura in (one for boss in view.bosses() for one in aura_intervals(view, target=boss)):
        if aura.source == player and not aura.buff:
            name = _name(view, aura)
            groups.setdefault(("boss", name, 0 if name else aura.spell_id), []).append(aura)
    found = [
        ProfileAura(
            name=name,
            spells=tuple(sorted({aura.spell_id for aura in intervals})),
            on=on,
            percent=min(100.0, 100 * uptime_ms(intervals) / times[on]),
            own=on == "boss" or _is_own(view, player, intervals),
        )
        for (on, name, _), intervals in groups.items()
    ]
    return _longest_auras(found)


def _is_own(view: FightView, player: int, auras: Sequence[AuraInterval]) -> bool:
    knowledge = view.knowledge
    by_chance = (knowledge.proc_of(one.spell_id) and not knowledge.cooldown_of(one.spell_id) for one in auras)
    return all(one.source == player for one in auras) and not any(by_chance)


def _name(view: FightView, aura: AuraInterval) -> str:
    """Of one that only COMBATANT_INFO names, nothing is known but its id."""
    return view.spells[aura.spell].name if 0 <= aura.spell < len(view.spells) else ""


def _mean_abilities(abilities: Iterable[ProfileAbility], count: int) -> tuple[ProfileAbility, ...]:
    return _largest_abilities([
        ProfileAbility(
            name=group[0].name,
            spells=tuple(sorted({spell for one in group for spell in one.spells})),
            share=sum(one.share for one in group) / count,
            per_second=sum(one.per_second for one in group) / count,
            casts_per_minute=sum(one.casts_per_minute for one in group) / count,
            critical=fmean(one.critical for one in group),
        )
        for group in _grouped_abilities(abilities)
    ])  # fmt: skip


def _grouped_abilities(abilities: Iterable[ProfileAbility]) -> list[list[ProfileAbility]]:
    groups = list[list[ProfileAbility]]()
    for ability in abilities:
        found = next((group for group in groups if any(same_thing(ability, one) for one in group)), None)
        if found is None:
            groups.append([ability])
        else:
            found.append(ability)
    return groups


def _mean_auras(profiles: Sequence[PlayerProfile]) -> tuple[ProfileAura, ...]:
    """A buff that a log without COMBATANT_INFO does not name may have been there: that log is not counted."""
    groups = list[list[tuple[int, ProfileAura]]]()
    for number, aura in ((number, aura) for number, one in enumerate(profiles) for aura in one.auras):
        of_kind = (group for group in groups if group[0][1].on == aura.on)
        found = next((group for group in of_kind if any(same_thing(aura, one) for _, one in group)), None)
        if found is None:
            groups.append([(number, aura)])
        else:
            found.append((number, aura))
    means = list[ProfileAura]()
    for group in groups:
        on, seen = group[0][1].on, {number for number, _ in group}
        counted = sum(on == "boss" or one.buffs_known or number in seen for number, one in enumerate(profiles))
        means.append(
            ProfileAura(
                name=next((one.name for _, one in group if one.name), ""),
                spells=tuple(sorted({spell for _, one in group for spell in one.spells})),
                on=on,
                percent=sum(one.percent for _, one in group) / counted,
                own=all(one.own for _, one in group),
            )
        )
    return _longest_auras(means)


def _mean_cooldowns(cooldowns: Iterable[ProfileCooldown]) -> tuple[ProfileCooldown, ...]:
    groups = dict[str, list[ProfileCooldown]]()
    for cooldown in cooldowns:
        groups.setdefault(cooldown.name, []).append(cooldown)
    return tuple(
        ProfileCooldown(
            name=name,
            uses=fmean(one.uses for one in group),
            possible=fmean(one.possible for one in group),
            throughput=group[0].throughput,
        )
        for name, group in groups.items()
    )


def _largest_abilities(abilities: Iterable[ProfileAbility]) -> tuple[ProfileAbility, ...]:
    ordered = sorted(abilities, key=lambda one: -one.share)
    return tuple(one for one in ordered if one.share >= _LEAST_SHARE)[:MAX_ABILITIES]


def _longest_auras(auras: Iterable[ProfileAura]) -> tuple[ProfileAura, ...]:
    ordered = sorted(auras, key=lambda one: (one.on, -one.percent, one.name))
    kept = [one for one in ordered if one.percent > 0]
    bosses = [one for one in kept if one.on == "boss"][:MAX_UPTIMES]
    return (*bosses, *(one for one in kept if one.on == "self"))[:MAX_UPTIMES]
