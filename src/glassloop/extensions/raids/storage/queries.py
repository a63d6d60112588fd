"""Statements that read reports, fights and performances: one's own, shared ones and references, complete ones only."""

import zlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

import msgspec

from glassloop.extensions.raids.records import Death, Fight, FightRecord, Performance, ReportRecord
from glassloop.extensions.raids.storage.rows import FightRow, PerformanceRow, PlayerRow, ReportRow
from glassloop.store.engine.database import SqlConnection

MAX_LISTED = 1000
SHARE_IN_COMMON = 0.5
"""Two logs that overlap in time are of the same night where they have so many of the players in common."""

R = TypeVar("R", bound=msgspec.Struct)

VISIBLE = "r.code IS NOT NULL AND (r.user_id = :user OR r.shared OR r.reference)"
_OWN_FIRST = "CASE WHEN r.user_id = :user THEN 0 ELSE 1 END"
_REPORT_COLUMNS = """r.code, r.title, r.zone, r.name, r.source, r.started_at, r.ended_at, r.created_at, r.lines,
 r.taken, r.bad, r.outside, r.user_id = :user, r.shared, r.reference,
 (SELECT count(*) FROM raids_fights f WHERE f.report_id = r.id AND f.kind = 'fight'),
 (SELECT count(*) FROM raids_fights f WHERE f.report_id = r.id AND f.kind = 'fight' AND f.kill),
 (SELECT coalesce(max(f.players), 0) FROM raids_fights f WHERE f.report_id = r.id)"""
_FIGHT_COLUMNS = """r.code, f.number, f.encounter_id, f.name, f.kind, f.started_at, f.ended_at, f.kill, f.boss_health,
 f.size, f.players, f.deaths, f.spirits, f.damage, r.reference, r.user_id = :user"""
_PERFORMANCES = Performance.__struct_fields__
_WHERE_AND_WHO = (
    "p.name", "p.realm", "r.code", "p.number", "p.encounter_id", "p.started_at", "p.length_ms", "p.kill",
    "r.reference", "r.user_id = :user", "r.zone",
)  # fmt: skip
_PERFORMANCE_COLUMNS = ", ".join((*(f"p.{name}" for name in _PERFORMANCES), *_WHERE_AND_WHO))

_FLAGS = frozenset({"own", "shared", "reference", "kill"})
_ALIASES = {"r.created_at": "imported_at", "r.user_id = :user": "own"}


def reports(db: SqlConnection, user: str, where: str, limit: int, **values: object) -> list[ReportRow]:
    """Newest first."""
    sql = f"SELECT {_REPORT_COLUMNS} FROM raids_reports r WHERE {VISIBLE} AND {where}"  # noqa: S608
    rows = db.run(f"{sql} ORDER BY r.started_at DESC, r.id DESC LIMIT :most", user=user, most=limit, **values)
    return [_made(ReportRow, ReportRow.__struct_fields__, row) for row in rows]


def report_id(db: SqlConnection, user: str, code: str) -> int | None:
    """Of several with the same content, one's own."""
    sql = f"SELECT r.id FROM raids_reports r WHERE {VISIBLE} AND r.code = :code ORDER BY {_OWN_FIRST}, r.id LIMIT 1"  # noqa: S608
    found = db.run(sql, user=user, code=code)
    return int(found[0][0]) if found else None


def report_record(db: SqlConnection, report: int) -> ReportRecord:
    body = db.run("SELECT body FROM raids_reports WHERE id = :report", report=report)[0][0]
    return msgspec.msgpack.decode(zlib.decompress(body), type=ReportRecord)


def fights(db: SqlConnection, user: str, where: str, order: str, limit: int, **values: object) -> list[FightRow]:
    sql = f"""SELECT {_FIGHT_COLUMNS} FROM raids_fights f JOIN raids_reports r ON r.id = f.report_id
 WHERE {VISIBLE} AND {where} ORDER BY {order} LIMIT :most"""  # noqa: S608
    rows = db.run(sql, user=user, most=limit, **values)
    return [_made(FightRow, FightRow.__struct_fields__, row) for row in rows]


def fight_record(db: SqlConnection, report: int, number: int) -> FightRecord:
    """Without its events."""
    where = {"report": report, "number": number}
    body = db.run("SELECT body FROM raids_fights WHERE report_id = :report AND number = :number", **where)[0][0]
    sql = f"""SELECT {", ".join(_PERFORMANCES)} FROM raids_performances WHERE report_id = :report AND number = :number
 ORDER BY damage DESC, actor"""  # noqa: S608
    performances = tuple(_made(Performance, _PERFORMANCES, row) for row in db.run(sql, **where))
    record = msgspec.msgpack.decode(zlib.decompress(body), type=FightRecord)
    return msgspec.structs.replace(record, performances=performances)


class _Falls(msgspec.Struct, kw_only=True):
    """So much of a fight's body: the rest is passed over."""

    fight: Fight
    deaths: tuple[Death, ...] = ()


def fall_records(db: SqlConnection, report: int, numbers: Collection[int]) -> dict[int, FightRecord]:
    """Of these fights of a report: deaths, and who was there in which role."""
    players = defaultdict[int, list[Performance]](list)
    sql = "SELECT number, actor, role FROM raids_performances WHERE report_id = :report ORDER BY damage DESC, actor"
    for number, actor, role in db.run(sql, report=report):
        players[number].append(Performance(actor=actor, role=role))
    where = f"report_id = :report AND number IN ({', '.join(str(int(number)) for number in numbers) or 'NULL'})"
    records = dict[int, FightRecord]()
    for number, body in db.run(f"SELECT number, body FROM raids_fights WHERE {where}", report=report):  # noqa: S608
        read = msgspec.msgpack.decode(zlib.decompress(body), type=_Falls)
        records[number] = FightRecord(fight=read.fight, deaths=read.deaths, performances=tuple(players[number]))
    return records


def events(db: SqlConnection, report: int, number: int) -> bytes | None:
    where = {"report": report, "number": number}
    found = db.run("SELECT body FROM raids_events WHERE report_id = :report AND number = :number", **where)
    return bytes(found[0][0]) if found else None


def performances(
    db: SqlConnection, user: str, where: str, order: str, limit: int, **values: object
) -> list[PerformanceRow]:
    sql = f"""SELECT {_PERFORMANCE_COLUMNS} FROM raids_performances p JOIN raids_reports r ON r.id = p.report_id
 WHERE {VISIBLE} AND {where} ORDER BY {order} LIMIT :most"""  # noqa: S608
    rows = db.run(sql, user=user, most=limit, **values)
    names = (*_PERFORMANCES, *(_ALIASES.get(name, name.partition(".")[2]) for name in _WHERE_AND_WHO))
    return [_made(PerformanceRow, names, row) for row in rows]


def players(db: SqlConnection, user: str) -> list[PlayerRow]:
    """Everybody of the reports, whoever was there last first. References come after one's own."""
    sql = f"""SELECT p.name, p.realm, max(p.class_name), count(*), max(p.started_at),
 max(CASE WHEN r.user_id = :user AND NOT r.reference THEN 1 ELSE 0 END) AS own,
 min(CASE WHEN r.reference THEN 1 ELSE 0 END) AS only_reference
 FROM raids_performances p JOIN raids_reports r ON r.id = p.report_id WHERE {VISIBLE} AND p.name <> ''
 GROUP BY p.name, p.realm ORDER BY only_reference, own DESC, max(p.started_at) DESC LIMIT :most"""  # noqa: S608
    rows = db.run(sql, user=user, most=MAX_LISTED)
    return [_made(PlayerRow, PlayerRow.__struct_fields__, row) for row in rows]


def same_night(db: SqlConnection, user: str, report: int) -> tuple[str, ...]:
    """Codes of other reports with overlapping times and players."""
    sql = f"""SELECT r.id, r.code FROM raids_reports r, raids_reports own WHERE {VISIBLE} AND own.id = :report
 AND r.id <> own.id AND r.code <> own.code AND r.started_at <= own.ended_at AND r.ended_at >= own.started_at
 ORDER BY r.started_at, r.id LIMIT :most"""  # noqa: S608
    here = _player_keys(db, report)
    found: list[str] = []
    for other, code in db.run(sql, user=user, report=report, most=MAX_LISTED):
        there = _player_keys(db, other)
        least = min(len(here), len(there))
        if least and len(here & there) >= SHARE_IN_COMMON * least:
            found.append(code)
    return tuple(dict.fromkeys(found))


def _player_keys(db: SqlConnection, report: int) -> set[str]:
    sql = "SELECT DISTINCT player_key FROM raids_performances WHERE report_id = :report AND player_key <> ''"
    return {key for (key,) in db.run(sql, report=report)}


def _made(kind: type[R], names: Sequence[str], row: Sequence[object]) -> R:
    """SQLite has numbers for what is true or false."""
    values: dict[str, Any] = dict(zip(names, row, strict=True))
    for name in _FLAGS & values.keys():
        values[name] = bool(values[name])
    return kind(**values)
