"""Statements that store reports and delete them, each inside a transaction of the caller's.

A report has no code until it is complete, and nobody reads one without. What an import that was cut off has left is
deleted by `delete_incomplete`.
"""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from glassloop.core.errors import StoreError
from glassloop.extensions.raids.records import FightRecord, Performance, ReportRecord
from glassloop.extensions.raids.storage.rows import player_key
from glassloop.store.engine.database import SqlConnection, column_text

PARTS = ("raids_events", "raids_performances", "raids_fights")
"""Tables with rows of a report."""

_BEGIN = """INSERT INTO raids_reports (user_id, job_id, name, shared, reference, created_at, title, zone, source,
 started_at, ended_at, lines, taken, bad, outside) VALUES (:user, :job, :name, :shared, :reference, :at, '', '', '',
 0, 0, 0, 0, 0, 0) RETURNING id"""
_FIGHT = """INSERT INTO raids_fights (report_id, number, encounter_id, name, kind, started_at, ended_at, kill,
 boss_health, size, players, deaths, spirits, damage, body) VALUES (:report, :number, :encounter, :name, :kind,
 :started, :ended, :kill, :boss_health, :size, :players, :deaths, :spirits, :damage, :body)"""
_EVENTS = "INSERT INTO raids_events (report_id, number, body) VALUES (:report, :number, :body)"
_COLUMNS = Performance.__struct_fields__
_PERFORMANCE = f"""INSERT INTO raids_performances (report_id, number, player_key, name, realm, encounter_id, started_at,
 length_ms, kill, {", ".join(_COLUMNS)}) VALUES (:report, :number, '', '', '', :encounter, :started, :length, :kill,
 {", ".join(f":{name}" for name in _COLUMNS)})"""  # noqa: S608
_NAME = """UPDATE raids_performances SET player_key = :key, name = :name, realm = :realm
 WHERE report_id = :report AND actor = :actor"""
_NEAREST = """SELECT class_name, spec, role FROM raids_performances
 WHERE report_id = :report AND actor = :actor AND class_name <> '' ORDER BY abs(number - :number), number LIMIT 1"""
_CLASS = """UPDATE raids_performances SET class_name = :class_name, spec = :spec, role = :role
 WHERE report_id = :report AND number = :number AND actor = :actor"""
_COMPLETE = """UPDATE raids_reports SET code = :code, shared = :shared, title = :title, zone = :zone, source = :source,
 started_at = :started, ended_at = :ended, lines = :lines, taken = :taken, bad = :bad, outside = :outside, body = :body
 WHERE id = :report"""
_SAME = "SELECT id, shared FROM raids_reports WHERE user_id = :user AND code = :code"
_LEFT = """SELECT id FROM raids_reports WHERE code IS NULL AND NOT EXISTS (SELECT 1 FROM jobs
 WHERE jobs.id = raids_reports.job_id AND jobs.status IN ('queued', 'running')) AND created_at < :before"""


class NewReport(NamedTuple):
    """A report that is being imported, by which job and from which file."""

    user: str
    job: str
    name: str
    reference: bool
    shared: bool
    at: float


def begin(db: SqlConnection, new: NewReport) -> int:
    """A report without a fight, which nobody sees; its id. What the same job has begun before is deleted."""
    if new.job:
        for (report,) in db.run("SELECT id FROM raids_reports WHERE job_id = :job AND code IS NULL", job=new.job):
            delete(db, report)
    texts = {"user": column_text(new.user), "name": column_text(new.name), "job": new.job}
    return int(db.run(_BEGIN, **texts, shared=new.shared, reference=new.reference, at=new.at)[0][0])


def fight_body(record: FightRecord) -> bytes:
    """What of a fight has no columns of its own."""
    return pack(msgspec.structs.replace(record, performances=(), events=b""))


def add_fight(db: SqlConnection, report: int, record: FightRecord, body: bytes) -> None:
    """Stores a fight. Raises `StoreError` where the report is complete or gone: another worker has taken it over."""
    _owner(db, report)
    fight = record.fight
    db.run(
        _FIGHT, report=report, number=fight.number, encounter=fight.encounter_id, name=column_text(fight.name),
        kind=fight.kind, started=fight.started_at, ended=fight.ended_at, kill=fight.kill,
        boss_health=fight.boss_health, size=fight.size, players=len(record.performances),
        deaths=sum(each.deaths for each in record.performances),
        spirits=sum(each.spirits for each in record.performances),
        damage=sum(each.damage for each in record.performances), body=body,
    )  # fmt: skip
    db.run(_EVENTS, report=report, number=fight.number, body=record.events)
    where = {"report": report, "number": fight.number, "encounter": fight.encounter_id, "kill": fight.kill}
    times = {"started": fight.started_at, "length": fight.ended_at - fight.started_at}
    for performance in record.performances:
        db.run(_PERFORMANCE, **where, **times, **msgspec.structs.asdict(performance))


def complete(db: SqlConnection, report: int, record: ReportRecord) -> None:
    """Gives the report its code: from now on it is there. One of the same user and content is replaced."""
    user, reference, shared = _owner(db, report)
    for other, was_shared in db.run(_SAME, user=user, code=record.code):
        shared = shared or bool(was_shared)
        delete(db, other)
    found = db.run("SELECT DISTINCT actor FROM raids_performances WHERE report_id = :report", report=report)
    numbers = {int(row[0]) for row in found}
    for number, actor in enumerate(record.actors):
        if number in numbers:
            names = {"name": column_text(actor.name), "realm": column_text(actor.realm)}
            db.run(_NAME, report=report, actor=number, key=column_text(player_key(actor.name)), **names)
    _tell_classes(db, report)
    db.run(
        _COMPLETE, report=report, code=record.code, shared=shared, title=column_text(record.title),
        zone=column_text(record.zone), source=record.source, started=record.started_at, ended=record.ended_at,
        lines=record.lines, taken=record.taken, bad=record.bad, outside=record.outside, body=pack(record),
    )  # fmt: skip
    if reference:
        db.run("DELETE FROM raids_benchmarks")


def _tell_classes(db: SqlConnection, report: int) -> None:
    """Who did nothing in a fight that tells the class has that of the nearest fight which does."""
    unknown = "SELECT number, actor FROM raids_performances WHERE report_id = :report AND class_name = ''"
    for number, actor in db.run(unknown, report=report):
        where = {"report": report, "number": number, "actor": actor}
        for class_name, spec, role in db.run(_NEAREST, **where):
            db.run(_CLASS, **where, class_name=class_name, spec=spec, role=role)


def delete(db: SqlConnection, report: int) -> None:
    """A report with everything in it."""
    for table in PARTS:
        db.run(f"DELETE FROM {table} WHERE report_id = :report", report=report)  # noqa: S608
    gone = db.run("DELETE FROM raids_reports WHERE id = :report RETURNING reference", report=report)
    if gone and gone[0][0]:
        db.run("DELETE FROM raids_benchmarks")


def delete_incomplete(db: SqlConnection, before: float) -> int:
    """Deletes what imports have begun before that moment and will not end; how many."""
    return _delete_all(db, db.run(_LEFT, before=before))


def delete_of_user(db: SqlConnection, user: str) -> tuple[int, int]:
    """Everything of a user; how many reports and characters."""
    reports = _delete_all(db, db.run("SELECT id FROM raids_reports WHERE user_id = :user", user=column_text(user)))
    gone = db.run("DELETE FROM raids_characters WHERE user_id = :user RETURNING id", user=column_text(user))
    return reports, len(gone)


def pack(record: msgspec.Struct) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(record), 6)


def _delete_all(db: SqlConnection, found: Sequence[tuple[int]]) -> int:
    for (report,) in found:
        delete(db, report)
    return len(found)


def _owner(db: SqlConnection, report: int) -> tuple[str, bool, bool]:
    """Of a report that is not complete yet: whose it is, whether it is a reference, and whether it is shared."""
    found = db.run("SELECT user_id, reference, shared, code FROM raids_reports WHERE id = :report", report=report)
    if not found or found[0][3] is not None:
        raise StoreError(f"The import {report} was ended meanwhile: import the log again.")
    return found[0][0], bool(found[0][1]), bool(found[0][2])
