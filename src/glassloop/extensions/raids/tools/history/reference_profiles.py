"""Profiles of the best reference kills, worked out once and kept in the store until the references change."""

import asyncio
from collections.abc import Sequence
from statistics import fmean
from typing import Final

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.history.consumable_shares import consumable_shares
from glassloop.extensions.raids.analysis.history.profile import (
    PlayerProfile,
    ProfileAura,
    average_profile,
    player_profile,
)
from glassloop.extensions.raids.analysis.parses import metric, metric_name
from glassloop.extensions.raids.knowledge.facts import Encounter, Spec
from glassloop.extensions.raids.records import Role
from glassloop.extensions.raids.storage.rows import FightTotals, PerformanceRow
from glassloop.extensions.raids.tools.history.leaderboards import best_of_players, reference_rows
from glassloop.extensions.raids.tools.history.player_rows import PlayerChoice, distinct_fights
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.extensions.raids.tools.result import show_length

TOP_KILLS: Final = 3
"""So many of the best kills make up the top that others are compared with."""
LEAST_UPTIME: Final = 5.0
MAX_UPTIMES_TOLD: Final = 15
_VERSION: Final = 8
"""Of what is kept: one more whenever a profile is worked out in another way."""


class TopProfile(msgspec.Struct, frozen=True, kw_only=True):
    """`rows` are all kills that were ranked, best first; `profile` is of the best of them."""

    rows: Sequence[PerformanceRow]
    profile: PlayerProfile
    references: bool
    """Of references; else of imported kills, for want of references."""


async def top_profile(
    reader: RaidReader, user: str, encounter: Encounter, spec: Spec, role: Role, beside: PlayerChoice | None = None
) -> TopProfile | None:
    """The best kills of a spec in a role: of references, else of imported nights without the player `beside`. None
    where there are none."""
    rows = await reference_rows(reader, user, encounter.id, spec, role)
    if rows:
        name = f"profile {_VERSION} {spec.class_name} {spec.name} {role}"
        kept = await reader.store.benchmark(encounter.id, name)
        if kept is not None:
            return TopProfile(rows=rows, profile=msgspec.msgpack.decode(kept, type=PlayerProfile), references=True)
        profile = await _averaged(reader, user, best_of_players(rows)[:TOP_KILLS])
        await reader.store.keep_benchmark(encounter.id, name, msgspec.msgpack.encode(profile))
        return TopProfile(rows=rows, profile=profile, references=True)
    every = await reader.store.performances(
        user, encounter_id=encounter.id, class_name=spec.class_name, spec=spec.name, kills_only=True
    )
    others = [row for row in every if row.role == role and not (beside is not None and beside.is_of(row))]
    ranked = sorted(distinct_fights(others), key=lambda row: -metric(row, row.length_ms))
    if not ranked:
        return None
    profile = await _averaged(reader, user, best_of_players(ranked)[:TOP_KILLS])
    return TopProfile(rows=ranked, profile=profile, references=False)


async def profile_of(reader: RaidReader, user: str, row: PerformanceRow) -> PlayerProfile:
    """Of a player in a fight."""
    view = await reader.fight(user, row.code, row.number, graded=False)
    return await asyncio.to_thread(player_profile, view, row.actor)


async def reference_consumables(
    reader: RaidReader, user: str, encounter: Encounter, kills: Sequence[FightTotals]
) -> dict[str, float]:
    """Per cent of the players by kind of consumable, over some of the newest reference kills."""
    name = f"consumables {_VERSION}"
    kept = await reader.store.benchmark(encounter.id, name)
    if kept is not None:
        return msgspec.msgpack.decode(kept, type=dict[str, float])
    newest = sorted(kills, key=lambda kill: -kill.started_at)[:TOP_KILLS]
    shares: list[dict[str, float]] = []
    for kill in newest:
        view = await reader.fight(user, kill.code, kill.number, graded=False)
        shares.append(await asyncio.to_thread(consumable_shares, view))
    kinds = list(dict.fromkeys(kind for one in shares for kind in one))
    mean = {kind: fmean(one[kind] for one in shares if kind in one) for kind in kinds}
    if shares:
        await reader.store.keep_benchmark(encounter.id, name, msgspec.msgpack.encode(mean))
    return mean


async def _averaged(reader: RaidReader, user: str, rows: Sequence[PerformanceRow]) -> PlayerProfile:
    return average_profile([await profile_of(reader, user, row) for row in rows])


def told_auras(auras: Sequence[ProfileAura]) -> list[ProfileAura]:
    """The longest ones of those with a name."""
    return [one for one in auras if one.name and one.percent >= LEAST_UPTIME][:MAX_UPTIMES_TOLD]


def told_profile(profile: PlayerProfile) -> dict[str, Json]:
    """The main figures."""
    return {
        metric_name(profile.role): round(profile_value(profile), 1),
        "casts_per_minute": round(profile.casts_per_minute, 1),
        "gcd_uptime_percent": round(profile.gcd_uptime, 1),
        **(
            {"overheal_percent": round(profile.overheal, 1)}
            if profile.role == "healer" and profile.overheal is not None
            else {}
        ),
        "item_level": round(profile.item_level, 1) or None,
        "kill_time": show_length(profile.length_s * 1000),
        "performances": profile.kills,
    }


def profile_value(profile: PlayerProfile) -> float:
    """HPS of healers, DPS of others."""
    return profile.hps if profile.role == "healer" else profile.dps
