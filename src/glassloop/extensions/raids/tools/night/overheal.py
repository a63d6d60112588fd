"""Overheal over a whole night: of one healer or of all, one row per player and fight."""

from collections.abc import Sequence

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.efficiency import overheal
from glassloop.extensions.raids.analysis.grades import OVERHEAL
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.tools.attempts import stored_fights
from glassloop.extensions.raids.tools.night.fights import NightFights, chosen_names, fight_label
from glassloop.extensions.raids.tools.player_title import performance_of
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.extensions.raids.tools.result import raid_result


async def night_overheal(reader: RaidReader, user: str, night: NightFights, player_name: str) -> ToolResult:
    """From the stored totals; no events are read."""
    fights = await stored_fights(reader, user, night.rows)
    views = [FightView(one.record, FightLog(), one.actors, one.spells, reader.knowledge) for one in fights]
    everybody = {view.full_name(player) for view in views for player in view.players()}
    names = await chosen_names(reader, user, everybody, player_name)
    labels = [fight_label(reader, fight.row) for fight in fights]
    rows = [row for view, label in zip(views, labels, strict=True) for row in _overheal_rows(view, label, names)]
    heading = night.heading() | ({"player": ", ".join(sorted(names))} if names is not None else {})
    effective, over = (sum(int(str(row[name])) for row in rows) for name in ("_could_overheal", "overheal"))
    for row in rows:
        del row["_could_overheal"]
    figures: dict[str, Json] = {
        "overheal_percent": overheal.overheal_percent(effective, over) if rows else None,
        "by_fight": sorted(rows, key=lambda row: -float(str(row["overheal_percent"]))),
    }
    notes = [*night.notes(), "Shields cannot overheal and are left out of the per cent."]
    if not rows:
        notes.append("None of these players healed anybody in this night.")
    missing = list(dict.fromkeys(text for view in views for text in view.fight.missing))
    return raid_result(heading, figures, missing=missing, notes=notes)


def _overheal_rows(view: FightView, label: str, names: set[str] | None) -> Sequence[dict[str, Json]]:
    """Of these players, or of all healers."""
    rows = list[dict[str, Json]]()
    for player in view.players():
        one = performance_of(view, player)
        if one.role != "healer" if names is None else view.full_name(player) not in names:
            continue
        found = overheal.analyse_overheal(view, player)
        if not found.effective and not found.overheal:
            continue
        rows.append({
            "player": view.full_name(player),
            "fight": label,
            "spec": " ".join(part for part in (one.spec, one.class_name) if part) or "unknown",
            "hps": found.effective * 1000 / view.length_ms,
            "effective_healing": found.effective,
            "overheal": found.overheal,
            "overheal_percent": found.percent,
            "target_percent": found.target,
            "flagged": OVERHEAL.grade(found.percent) == "flagged",
            "_could_overheal": found.effective - found.absorbs,
        })  # fmt: skip
    return rows
