"""The rule of suppression in plain Python, beside the generator's own: which rows of a data set are not to be shown."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = dict[str, Any]
ENOUGH = 5
KEYS = {
    "poi_visits_daily": (), "poi_hours": (), "poi_dwell": ("place_id", "month"), "poi_homes": ("place_id", "month"),
    "poi_flows": ("place_id", "month", "direction"),
}  # fmt: skip
"""What the rows of a view are parts of; days and hours come in steps and are parts of nothing."""


def mark_suppressed(tables: Mapping[str, Sequence[Row]]) -> None:
    """Sets `suppressed` of every row that has figures."""
    panel = {(row["place_id"], row["month"]): row["panel_visitors"] for row in tables["poi_visits_monthly"]}
    for row in tables["poi_visits_monthly"]:
        row["suppressed"] = row["panel_visitors"] < ENOUGH
    for view, keys in KEYS.items():
        groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in tables[view]:
            row["suppressed"] = row["panel_visitors"] < ENOUGH
            groups[tuple(row[key] for key in keys)].append(row)
        for key, rows in groups.items() if keys else ():
            _hide_one_more(rows, panel[key] if view == "poi_homes" else None)
    for row in tables["poi_overlap"]:
        ends = [panel.get((row[end], row["month"]), 0) for end in ("place_id", "other_id")]
        row["suppressed"] = any(few(number) for number in _pair_parts(row["panel_visitors"], ends))


def few(number: int) -> bool:
    return 0 < number < ENOUGH


def _pair_parts(shared: int, ends: Iterable[int]) -> Iterable[int]:
    yield min(shared, ENOUGH) or 1
    for end in ends:
        yield end or 1
        yield end - shared


def _hide_one_more(rows: list[Row], whole: int | None) -> None:
    """Where what is hidden could be worked out: the first of the smallest."""
    hidden = [row for row in rows if row["suppressed"]]
    if whole is None:
        alone = bool(hidden)
    else:
        alone = few(whole - sum(row["panel_visitors"] for row in rows if not row["suppressed"]))
    shown = [row for row in rows if not row["suppressed"]]
    if alone and shown:
        min(shown, key=lambda row: row["panel_visitors"])["suppressed"] = True
