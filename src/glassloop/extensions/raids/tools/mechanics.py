"""The tool about what killed and hurt players on a boss, over its attempts."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Annotated, Final, Literal

from glassloop.core.errors import ToolError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis import mechanics
from glassloop.extensions.raids.analysis.totals.deaths import falls
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.knowledge.facts import Encounter, Mechanic
from glassloop.extensions.raids.names import name_list
from glassloop.extensions.raids.records import Blow
from glassloop.extensions.raids.storage.rows import FightRow, StoredFight
from glassloop.extensions.raids.tools.attempts import (
    actor_name,
    cause_of,
    counted,
    no_attempts,
    show_outcomes,
    spell_name,
    stored_fights,
)
from glassloop.extensions.raids.tools.fight.falls import deaths_and_spirits, fall_name
from glassloop.extensions.raids.tools.parameters import ALL_NIGHTS, EncounterName
from glassloop.extensions.raids.tools.player_title import seconds
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader, boss_fights, show_outcome, show_time
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_length
from glassloop.tools.tool import Tool, ToolContext

MAX_FIGHTS: Final = 20
"""Newest ones that are looked through for deaths and avoidable damage."""
LEAST_STRUCK: Final = 5
MOST: Final = 0.6
"""Of the players: what strikes so many is told once, and not by player."""
FAR_ABOVE: Final = 2.0
"""Times the median."""
LEAST_ALIKE: Final = 5
"""Players with the same number of deaths: so many are one line."""
MAX_NAMED: Final = 8
MAX_HITS: Final = 4
MAX_MECHANICS: Final = 3
SOON_MS: Final = 5_000
"""Deaths within this time of the first are one event."""
MAX_READ: Final = 6
"""Newest ones whose events are read for interrupts and dispels."""

OptionalReport = Annotated[str, "Only this report (code or 'last'); leave out for the newest attempts of all reports."]


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_deaths_and_mechanics(
        encounter_name: EncounterName, context: ToolContext, report_code: OptionalReport = ""
    ) -> ToolResult:
        """What killed and hurt the raid on one boss, over its attempts: deaths by cause and by player, avoidable damage
        taken, interrupts and dispels that were missed. For "why do we die on …?" and "who stands in fire?"."""
        encounter = await reader.encounter(encounter_name)
        rows = await _attempts(reader, context.user, encounter, report_code)
        fights = await stored_fights(reader, context.user, rows[:MAX_FIGHTS])
        views = [await reader.fight(context.user, row.code, row.number) for row in rows[:MAX_READ]]
        chances = await asyncio.to_thread(_chances, views, encounter)
        return mechanics_answer(encounter, fights, chances, len(views))

    return [get_deaths_and_mechanics]


async def _attempts(reader: RaidReader, user: str, encounter: Encounter, report_code: str) -> list[FightRow]:
    """Newest first."""
    if report_code.strip().casefold() not in ("", *ALL_NIGHTS):
        report = await reader.report(user, report_code)
        fights = boss_fights(report.fights)
        rows = [row for row in fights if row.encounter_id == encounter.id][::-1]
        if not rows:
            raise ToolError(no_attempts(reader, encounter, report.row.code, fights))
        return rows
    rows = await reader.store.search(user, encounter_id=encounter.id, limit=MAX_FIGHTS)
    if not rows:
        raise ToolError(f"No attempt at {encounter.name} was imported. `search_fights` lists the fights there are.")
    return rows


def _chances(views: Sequence[FightView], encounter: Encounter) -> list[mechanics.MissedChance]:
    """Of all fights together."""
    sums = dict[tuple[str, str], list[int]]()
    for view in views:
        for one in (*mechanics.missed_interrupts(view, encounter), *mechanics.missed_dispels(view, encounter)):
            each = sums.setdefault((one.mechanic, one.kind), [0, 0, 0, 0])
            for place, value in enumerate((one.chances, one.done, one.lasted_ms, one.shielded)):
                each[place] += value
    return [
        mechanics.MissedChance(
            mechanic=name, kind=kind, chances=chances, done=done, lasted_ms=lasted, shielded=shielded
        )
        for (name, kind), (chances, done, lasted, shielded) in sums.items()
    ]


def mechanics_answer(
    encounter: Encounter, fights: Sequence[StoredFight], chances: Sequence[mechanics.MissedChance], read: int
) -> ToolResult:
    causes, players = _deaths(fights)
    avoidable_ids = mechanics.mechanics_by_spell(encounter, "avoidable")
    advice = {one.name: one.advice for one in encounter.mechanics}
    kills = sum(fight.record.fight.kill for fight in fights)
    codes = list(dict.fromkeys(fight.row.code for fight in fights))
    heading: dict[str, Json] = {
        "encounter": encounter.name,
        "reports": ", ".join(codes[:5]) + (" …" if len(codes) > 5 else ""),
        "fights": len(fights),
        "result": show_outcomes(kills, len(fights) - kills),
        "length": show_length(sum(fight.row.length_ms for fight in fights)),
        "from": show_time(min(fight.row.started_at for fight in fights)),
        "to": show_time(max(fight.row.started_at for fight in fights)),
    }
    to_most, avoidable = _avoidable(encounter, fights)
    spirits = sum(one.spirits for fight in fights for one in fight.record.performances)
    figures: dict[str, Json] = {
        "deaths": sum(causes.values()),
        "fell": deaths_and_spirits(sum(causes.values()), spirits) if spirits else None,
        "deaths_per_fight": sum(causes.values()) / len(fights),
        "deaths_of_avoidable_spells": sum(_killed_by(fight, avoidable_ids) for fight in fights),
        "first_deaths": _first_death_rows(fights),
        "first_deaths_by_cause": counted(_first_deaths(fights)),
        "deaths_by_cause": counted(causes),
        **_avoidable_figures(to_most, avoidable),
        "struck_nobody": _struck_nobody(encounter, fights),
        **({"by_fight": _by_fight(encounter, fights)} if len(fights) > 1 else {}),
        **_chance_figures(encounter, chances, read, len(fights)),
        "advice": _advice(encounter, (*to_most, *avoidable), chances, advice),
        **_by_player(players),
    }
    missing = list(dict.fromkeys(text for fight in fights for text in fight.record.fight.missing))
    notes = list[str]()
    if kills < len(fights):
        notes.append("When a raid wipes all die in the end: the first death of each fight tells more than the number.")
    if any(one.kind == "dispel" and one.missed for one in chances):
        notes.append("A missed dispel may have ended by itself, or broken as a shield does: see how long it was on.")
    if any(one.shielded for one in chances):
        notes.append("Behind a shield that forbids it nothing can be interrupted: those casts are no missed chances.")
    if any(row["far_above"] for row in to_most):
        notes.append(f"Far above: more than {FAR_ABOVE:g} times the median of those who were struck.")
    if any(row["role"] == "tank" for row in avoidable):
        notes.append("Tanks cannot avoid everything that others can.")
    if not encounter.mechanics:
        notes.append("No mechanics of this encounter are known: avoidable damage cannot be told apart.")
    chart = bar_chart("Deaths by cause", [(cause, float(times)) for cause, times in causes.most_common()], "Deaths")
    return raid_result(heading, figures, missing=missing, notes=notes, chart=chart)


def _deaths(fights: Sequence[StoredFight]) -> "tuple[Counter[str], Mapping[str, Counter[str]]]":
    causes, players = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for fight in fights:
        for death in fight.record.deaths:
            if not death.feigned:
                cause = cause_of(death, fight.actors, fight.spells)
                causes[cause] += 1
                players[actor_name(fight.actors, death.actor)][cause] += 1
    return causes, players


def _by_player(players: "Mapping[str, Counter[str]]") -> dict[str, Json]:
    """Those who died most first. Who died as often as the most usual number is one line, where many did."""
    counts = Counter(sum(of.values()) for of in players.values())
    usual, many = counts.most_common(1)[0] if counts else (0, 0)
    alike = usual if many >= LEAST_ALIKE and usual == min(counts) else 0
    rows: list[Json] = [
        {"player": name, "deaths": sum(of.values()), "mostly_of": of.most_common(1)[0][0]}
        for name, of in sorted(players.items(), key=lambda item: -sum(item[1].values()))
        if sum(of.values()) != alike
    ]
    others = "players" if not rows else "others"
    line = f"{many} {others} died {'once' if alike == 1 else f'{alike} times'} each" if alike else None
    return {"deaths_alike": line, "deaths_by_player": rows} if rows or not alike else {"deaths_alike": line}


def _first_death_rows(fights: Sequence[StoredFight]) -> list[Json]:
    """Of each fight who fell first with the hits before it; those that followed are added up."""
    rows = list[Json]()
    for fight in fights:
        fallen = falls(fight.record.deaths)
        if not fallen:
            continue
        first, *others = fallen
        hits = [blow for blow in first.blows if blow.kind == "damage"][-MAX_HITS:]
        soon = sum(one.at - first.at <= SOON_MS for one in others)
        after = f"after {seconds(others[-1].at - first.at):g} s" if others else ""
        later = f"{len(others)} more, the last {after}" if len(others) > 1 else f"1 more {after}" if others else None
        rows.append({
            "report": fight.row.code,
            "fight": fight.row.number,
            "result": "kill" if fight.row.kill else "wipe",
            "player": fall_name(actor_name(fight.actors, first.actor), first),
            "at": show_length(first.at),
            "killed_by": cause_of(first, fight.actors, fight.spells),
            "last_hits": "; ".join(_hit(fight, blow) for blow in hits) or None,
            "then": f"{soon} more within {SOON_MS // 1000} s" if soon and soon == len(others) else later,
        })  # fmt: skip
    return rows


def _hit(fight: StoredFight, blow: Blow) -> str:
    left = f" ({blow.health:,} left)" if blow.health >= 0 else ""
    return f"{spell_name(blow.spell, fight.spells)} {blow.amount:,} at {show_length(blow.at)}{left}"


def _avoidable_figures(to_most: list[dict[str, Json]], others: list[dict[str, Json]]) -> dict[str, Json]:
    """Next to what struck most of the raid "none" of the others would be read as none at all."""
    if not to_most:
        return {"avoidable_damage": list(others)}
    rest: dict[str, Json] = {"avoidable_damage": list(others)} if others else {}
    return {"avoidable_damage_to_most": list(to_most), **rest}


def _first_deaths(fights: Sequence[StoredFight]) -> "Counter[str]":
    causes = Counter[str]()
    for fight in fights:
        if fallen := falls(fight.record.deaths):
            causes[cause_of(fallen[0], fight.actors, fight.spells)] += 1
    return causes


def _killed_by(fight: StoredFight, spells: Mapping[int, Mechanic]) -> int:
    """How many players were killed by one of these spells; tanks by what they have to take are not counted."""
    tanks = {one.actor for one in fight.record.performances if one.role == "tank"}
    count = 0
    for death in fight.record.deaths:
        if death.feigned or death.cause is None or not 0 <= death.cause < len(death.blows):
            continue
        spell = death.blows[death.cause].spell
        mechanic = spells.get(fight.spells[spell].id) if spell < len(fight.spells) else None
        count += mechanic is not None and not (mechanic.tank_takes and death.actor in tanks)
    return count


def _avoidable(
    encounter: Encounter, fights: Sequence[StoredFight]
) -> tuple[list[dict[str, Json]], list[dict[str, Json]]]:
    """Mechanics that struck most of the players, one row each; and the others by player."""
    sums, roles = dict[tuple[str, str], list[int]](), dict[str, str]()
    for fight in fights:
        roles |= {actor_name(fight.actors, one.actor): one.role for one in fight.record.performances}
        for one in mechanics.avoidable_damage(fight.record, fight.spells, encounter):
            each = sums.setdefault((one.mechanic, actor_name(fight.actors, one.player)), [0, 0])
            each[0] += one.damage
            each[1] += one.hits
    struck = defaultdict[str, dict[str, tuple[int, int]]](dict)
    for (mechanic, player), (damage, hits) in sums.items():
        struck[mechanic][player] = damage, hits
    most = {name: taken for name, taken in struck.items() if len(taken) >= max(LEAST_STRUCK, MOST * len(roles))}
    to_most = [_to_most(name, taken, len(roles)) for name, taken in most.items()]
    ordered = sorted(sums.items(), key=lambda item: -item[1][0])
    return to_most, [
        {"mechanic": mechanic, "player": player, "role": roles.get(player), "damage": damage, "hits": hits}
        for (mechanic, player), (damage, hits) in ordered
        if mechanic not in most
    ]


def _struck_nobody(encounter: Encounter, fights: Sequence[StoredFight]) -> str | None:
    """What can be avoided, by moving or by standing still, and did no damage: it was avoided, or did not come."""
    struck = {
        fight.spells[one.spell].id
        for fight in fights
        for one in fight.record.abilities
        if one.kind == "taken" and one.spell < len(fight.spells) and one.hits + one.ticks
    }
    known = [one for one in encounter.mechanics if one.kind in ("avoidable", "stay still")]
    return name_list([one.name for one in known if struck.isdisjoint(one.spells)], MAX_NAMED) or None


def _by_fight(encounter: Encounter, fights: Sequence[StoredFight]) -> list[Json]:
    """Avoidable damage of each attempt, newest first, so that two of them can be compared."""
    rows = list[Json]()
    for fight in fights:
        sums = Counter[str]()
        found = mechanics.avoidable_damage(fight.record, fight.spells, encounter)
        for one in found:
            sums[one.mechanic] += one.damage
        rows.append({
            "report": fight.row.code,
            "fight": fight.row.number,
            "result": show_outcome(fight.row.kill, fight.row.boss_health),
            "length": show_length(fight.row.length_ms),
            "deaths": sum(not death.feigned for death in fight.record.deaths),
            "avoidable_damage": sum(sums.values()),
            "avoidable_hits": sum(one.hits for one in found),
            "mostly": ", ".join(f"{name} {damage:,}" for name, damage in sums.most_common(MAX_MECHANICS)) or None,
        })  # fmt: skip
    return rows


def _to_most(mechanic: str, struck: Mapping[str, tuple[int, int]], players: int) -> dict[str, Json]:
    taken = {name: damage for name, (damage, _) in struck.items()}
    usual = median(taken.values())
    ordered = sorted(taken.items(), key=lambda item: -item[1])
    above = [f"{name} {damage:,}" for name, damage in ordered if damage > FAR_ABOVE * usual]
    return {
        "mechanic": mechanic,
        "players_hit": len(taken),
        "of": players,
        "damage": sum(taken.values()),
        "hits": sum(hits for _, hits in struck.values()),
        "median_hits": median(hits for _, hits in struck.values()),
        "median_damage": usual,
        "most_damage": ordered[0][1],
        "most_on": ordered[0][0],
        "far_above": name_list(above, MAX_NAMED) or None,
    }


def _chance_figures(
    encounter: Encounter, chances: Sequence[mechanics.MissedChance], read: int, fights: int
) -> dict[str, Json]:
    """Interrupts and dispels. "None" alone would be read as none missed where there was nothing to do."""
    figures: dict[str, Json] = {}
    if read < fights and chances:
        figures["interrupts_and_dispels_of"] = f"the newest {read} of these {fights} fights"
    of: Sequence[tuple[Literal["interrupt", "dispel"], str]] = (("interrupt", "interrupted"), ("dispel", "dispelled"))
    for kind, done in of:
        known = [one.name for one in encounter.mechanics if one.kind == kind]
        if rows := [_chance_row(one) for one in chances if one.kind == kind]:
            figures[f"missed_{kind}s"] = list(rows)
        elif known:
            fewer = f"the newest {read} of these {fights} fights" if read < fights else "these fights"
            figures[f"{kind}s"] = f"nothing to miss: {name_list(known, MAX_NAMED)} did not come in {fewer}"
        else:
            figures[f"{kind}s"] = f"does not apply: nothing of {encounter.name} is known that has to be {done}"
    return figures


def _chance_row(one: mechanics.MissedChance) -> dict[str, Json]:
    word = "interrupted" if one.kind == "interrupt" else "dispelled"
    row: dict[str, Json] = {"mechanic": one.mechanic, "chances": one.chances, word: one.done, "missed": one.missed}
    if one.shielded:
        row["shielded"] = one.shielded
    if one.kind == "dispel":
        row["average_on_s"] = seconds(one.lasted_ms / one.chances) if one.chances else None
    return row


def _advice(
    encounter: Encounter,
    avoidable: Sequence[Mapping[str, Json]],
    chances: Sequence[mechanics.MissedChance],
    advice: Mapping[str, str],
) -> list[Json]:
    """Of the mechanics that went wrong."""
    wrong = {str(row["mechanic"]) for row in avoidable}
    wrong |= {one.mechanic for one in chances if one.missed}
    return [f"{one.name}: {advice[one.name]}" for one in encounter.mechanics if one.name in wrong]
