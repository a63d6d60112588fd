"""Statements that read many performances at once, and of each only the few columns that totals and parses need."""

from collections.abc import Collection
from string import ascii_lowercase

from glassloop.extensions.raids.analysis.parses import ParseValue
from glassloop.extensions.raids.storage.queries import VISIBLE
from glassloop.extensions.raids.storage.rows import FightTotals
from glassloop.store.engine.database import SqlConnection

MAX_VALUES = 200_000
_VALUES = ", ".join(f"p.{name}" for name in ParseValue._fields)


def parse_values(
    db: SqlConnection, user: str, encounters: Collection[int], specs: Collection[tuple[str, str]] = ()
) -> list[ParseValue]:
    """Kills of these encounters that the user sees, in no order; by these classes and specs where a few are given."""
    values: dict[str, object] = {"user": user, "most": MAX_VALUES}
    terms: list[str] = []
    few = sorted(specs) if len(specs) <= len(ascii_lowercase) else []
    for letter, (class_name, spec) in zip(ascii_lowercase, few, strict=False):
        # Names of values have no digits on PostgreSQL.
        terms.append(f"p.class_name = :class_{letter} AND p.spec = :spec_{letter}")
        values |= {f"class_{letter}": class_name, f"spec_{letter}": spec}
    of_specs = f" AND ({' OR '.join(terms)})" if terms else ""
    sql = f"""SELECT {_VALUES} FROM raids_performances p
 WHERE p.report_id IN (SELECT r.id FROM raids_reports r WHERE {VISIBLE}) AND p.kill AND p.length_ms > 0
 AND p.encounter_id IN ({_numbers(encounters)}){of_specs} LIMIT :most"""  # noqa: S608
    return list(map(ParseValue._make, db.run(sql, **values)))


def fight_totals(db: SqlConnection, user: str, where: str, **values: object) -> list[FightTotals]:
    """Sums over the players of each fight."""
    sql = f"""SELECT r.code, p.number, p.encounter_id, p.started_at, p.length_ms, p.kill, count(*), sum(p.damage),
 sum(p.healing), sum(p.deaths), sum(p.spirits), sum(p.interrupts), sum(p.dispels), sum(p.active_ms), min(p.died_at)
 FROM raids_performances p JOIN raids_reports r ON r.id = p.report_id WHERE {VISIBLE} AND p.length_ms > 0 AND {where}
 GROUP BY r.id, r.code, p.number, p.encounter_id, p.started_at, p.length_ms, p.kill
 ORDER BY p.started_at, p.number LIMIT :most"""  # noqa: S608
    rows = db.run(sql, user=user, most=MAX_VALUES, **values)
    return [
        FightTotals(
            code=code, number=number, encounter_id=encounter, started_at=started_at, length_ms=length_ms,
            kill=bool(kill), players=players, damage=int(damage), healing=int(healing), deaths=int(deaths),
            spirits=int(spirits), interrupts=int(interrupts), dispels=int(dispels), active_ms=int(active_ms),
            first_death_at=died_at,
        )
        for code, number, encounter, started_at, length_ms, kill, players, damage, healing, deaths, spirits, interrupts,
        dispels, active_ms, died_at in rows
    ]  # fmt: skip


def in_encounters(encounters: Collection[int]) -> str:
    """A condition on the encounter."""
    return f"p.encounter_id IN ({_numbers(encounters)})"


def _numbers(encounters: Collection[int]) -> str:
    return ", ".join(str(int(number)) for number in sorted(set(encounters))) or "NULL"
