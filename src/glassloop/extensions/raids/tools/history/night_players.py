"""Players of one raid night, and of two nights side by side."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.parses import judged_by, metric
from glassloop.extensions.raids.storage.rows import PerformanceRow
from glassloop.extensions.raids.tools.history.namesakes import NameLabels
from glassloop.extensions.raids.tools.history.player_rows import spec_label

OF_PLAYERS: Final = (
    "Players are compared over the kills of bosses that they killed in both nights in the same role, those who lost "
    "most first: damage dealers and tanks by DPS, healers by HPS, which falls where less has to be healed."
)


def night_players(rows: Sequence[PerformanceRow], parses: Mapping[tuple[int, int], float | None]) -> list[Json]:
    """Everybody of the night: those who died most often first, then damage dealers, healers and tanks by their own
    figures."""
    names = NameLabels(rows)
    groups: defaultdict[tuple[str, str], list[PerformanceRow]] = defaultdict(list)
    for row in rows:
        groups[names.key(row)].append(row)
    told: list[dict[str, Json]] = []
    for fights in groups.values():
        kills = [row for row in fights if row.kill]
        ranked = [row for row in kills if row.role != "tank"]
        ranks = [rank for row in ranked if (rank := parses[row.number, row.actor]) is not None]
        roles = [row.role for row in fights]
        role = max(set(roles), key=roles.count)
        in_role = [row for row in kills if row.role == role]
        whole = sum(row.length_ms for row in in_role)
        amount = sum(metric(row, row.length_ms) * row.length_ms for row in in_role)
        told.append({
            "player": names.of(fights[0]),
            "spec": spec_label(fights[-1].class_name, fights[-1].spec),
            "role": role,
            "fights": len(fights),
            "kills": len(kills),
            "judged_by": judged_by(role),
            "dps_or_hps_in_kills": round(amount / whole, 1) if whole else None,
            "median_parse": median(ranks) if ranks else None,
            "deaths": sum(row.deaths for row in fights),
            "spirits_of_redemption": sum(row.spirits for row in fights) or None,
            "interrupts": sum(row.interrupts for row in fights),
            "dispels": sum(row.dispels for row in fights),
        })  # fmt: skip
    order = ("damage", "healer", "tank")

    def place(row: dict[str, Json]) -> tuple[int, int, float, str]:
        rate = row["dps_or_hps_in_kills"]
        return -int(str(row["deaths"])), order.index(str(row["role"])), -float(str(rate or 0)), str(row["player"])

    return list[Json](sorted(told, key=place))


def players_of_both(first: Sequence[PerformanceRow], second: Sequence[PerformanceRow]) -> list[Json]:
    """A row a player who killed the same boss in both nights in the same role, the largest loss first."""
    names = NameLabels([*first, *second])
    mine, theirs = _kills_by_player(first, names), _kills_by_player(second, names)
    rows = list[dict[str, Json]]()
    for key, before in mine.items():
        pairs = [(one, other) for boss, one in before.items() if (other := theirs.get(key, {}).get(boss)) is not None]
        roles = [other.role for _, other in pairs]
        if not roles:
            continue
        role = max(sorted(set(roles)), key=roles.count)
        same = [(one, other) for one, other in pairs if one.role == other.role == role]
        if same:
            rows.append(_player_of_both(names.of(same[-1][1]), same))
    return list[Json](sorted(rows, key=lambda row: (float(str(row["change_percent"] or 0)), str(row["player"]))))


def _kills_by_player(
    rows: Sequence[PerformanceRow], names: NameLabels
) -> Mapping[tuple[str, str], dict[int, PerformanceRow]]:
    """The first kill of each boss by each player."""
    found: defaultdict[tuple[str, str], dict[int, PerformanceRow]] = defaultdict(dict)
    for row in sorted(rows, key=lambda one: one.started_at):
        if row.kill:
            found[names.key(row)].setdefault(row.encounter_id, row)
    return found


def _player_of_both(name: str, pairs: Sequence[tuple[PerformanceRow, PerformanceRow]]) -> dict[str, Json]:
    sides = ([one for one, _ in pairs], [other for _, other in pairs])
    before, after = (
        sum(metric(row, row.length_ms) * row.length_ms for row in rows) / sum(row.length_ms for row in rows)
        for rows in sides
    )
    last = pairs[-1][1]
    return {
        "player": name,
        "spec": spec_label(last.class_name, last.spec),
        "role": last.role,
        "bosses": len(pairs),
        "judged_by": judged_by(last.role),
        "dps_or_hps_a": round(before, 1),
        "dps_or_hps_b": round(after, 1),
        "change_percent": round((after / before - 1) * 100, 1) if before else None,
        "deaths_a": sum(row.deaths + row.spirits for row in sides[0]),
        "deaths_b": sum(row.deaths + row.spirits for row in sides[1]),
    }
