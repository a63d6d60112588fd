"""`RaidStore`: reports with their fights, events and performances, and the characters of users.

In the store's own database. Whoever reads names the user first: one's own reports are seen, shared ones, and
references. Large bodies are unpacked in threads.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Literal

from glassloop.core.errors import UnknownName, UsageError
from glassloop.extensions.raids.analysis.parses import ParseValue
from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.names import split_realm
from glassloop.extensions.raids.records import FightRecord, ReportRecord
from glassloop.extensions.raids.storage import changes, queries, totals
from glassloop.extensions.raids.storage.rows import (
    CharacterRow,
    FightFalls,
    FightRow,
    FightTotals,
    PerformanceRow,
    PlayerRow,
    ReportRow,
    StoredFight,
    StoredReport,
    player_key,
)
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.store import Store

MAX_CHARACTERS = 50
MAX_PERFORMANCES = 20_000
MAX_FIGHTS = 1000
KEPT_REPORTS = 8
"""So many reports' actors and spells are kept in memory: several tools of a turn read the same one."""
LEFT_BEHIND_S = 60.0

Order = Literal["newest", "dps", "hps"]
_ORDERS: dict[Order, str] = {
    "newest": "p.started_at DESC, p.report_id DESC, p.number DESC",
    "dps": "p.damage * 1.0 / p.length_ms DESC, p.started_at DESC",
    "hps": "p.healing * 1.0 / p.length_ms DESC, p.started_at DESC",
}
_CHARACTERS = "SELECT id, name, realm, class_name, spec FROM raids_characters WHERE user_id = :user ORDER BY created_at"
_ADD = """INSERT INTO raids_characters (id, user_id, name, realm, player_key, class_name, spec, created_at)
 VALUES (:id, :user, :name, :realm, :key, :class_name, :spec, :at)"""


_BENCHMARK = "SELECT body FROM raids_benchmarks WHERE encounter_id = :encounter AND name = :name"
_KEEP_BENCHMARK = """INSERT INTO raids_benchmarks (encounter_id, name, created_at, body)
 VALUES (:encounter, :name, :at, :body) ON CONFLICT (encounter_id, name) DO UPDATE SET body = excluded.body,
 created_at = excluded.created_at"""


class RaidStore:
    """The raids of all users."""

    def __init__(self, store: Store) -> None:
        self._engine = store.engine
        self._records: OrderedDict[int, ReportRecord] = OrderedDict()
        self._made_of: dict[tuple[int, str], tuple[int, int]] = {}

    async def begin(
        self, user: str, *, reference: bool = False, name: str = "", job: str = "", shared: bool = False
    ) -> int:
        """A new report's id; nobody sees it before it is complete. What the job began before is deleted."""
        new = changes.NewReport(user, job, name, reference, shared, self._engine.clock())
        return await self._engine.write(lambda db: changes.begin(db, new))

    async def add_fight(self, report_id: int, record: FightRecord) -> None:
        """A fight as the importer found it."""
        body = await asyncio.to_thread(changes.fight_body, record)
        await self._engine.write(lambda db: changes.add_fight(db, report_id, record, body))

    async def complete(self, report_id: int, report: ReportRecord) -> str:
        """Lets the report be seen, in the place of one with the same content; its code."""
        lock = (f"raids {report.code}",)
        await self._engine.write(lambda db: changes.complete(db, report_id, report), sync=True, locks=lock)
        return report.code

    async def discard(self, report_id: int) -> None:
        """Deletes a report, complete or not."""
        await self._engine.write(lambda db: changes.delete(db, report_id))

    async def code_of_job(self, job: str) -> str | None:
        """The code of the report that this job has completed."""
        sql = "SELECT code FROM raids_reports WHERE job_id = :job AND code IS NOT NULL"
        rows = await self._engine.read(lambda db: db.run(sql, job=job))
        return rows[0][0] if rows else None

    async def discard_incomplete(self) -> int:
        """Deletes what imports have left that were cut off and do not go on; how many."""
        before = self._engine.clock() - LEFT_BEHIND_S
        return await self._engine.write(lambda db: changes.delete_incomplete(db, before))

    async def reports(self, user: str, *, reference: bool = False, limit: int = MAX_FIGHTS) -> list[ReportRow]:
        """Newest first: one's own and shared ones, or the references."""
        where = "r.reference" if reference else "NOT r.reference"
        return await self._engine.read(lambda db: queries.reports(db, user, where, limit))

    async def report(self, user: str, code: str) -> StoredReport | None:
        def work(db: SqlConnection) -> tuple[int, StoredReport] | None:
            report = queries.report_id(db, user, column_text(code))
            if report is None:
                return None
            (row,) = queries.reports(db, user, "r.id = :report", 1, report=report)
            fights = queries.fights(db, user, "f.report_id = :report", "f.number", MAX_FIGHTS, report=report)
            record = self._records.get(report) or queries.report_record(db, report)
            same = queries.same_night(db, user, report)
            return report, StoredReport(row=row, record=record, fights=tuple(fights), same_night=same)

        found = await self._engine.read(work)
        if found is None:
            return None
        self._keep(found[0], found[1].record)
        return found[1]

    async def last_report(self, user: str) -> str | None:
        """The code of the newest report of one's own, else of the newest shared one."""
        rows = await self.reports(user, limit=50)
        return next((row.code for row in rows if row.own), rows[0].code if rows else None)

    async def fight(self, user: str, code: str, number: int) -> StoredFight | None:
        """A fight without its events."""

        def work(db: SqlConnection) -> tuple[int, ReportRecord, StoredFight] | None:
            report = queries.report_id(db, user, column_text(code))
            where = "f.report_id = :report AND f.number = :number"
            rows = [] if report is None else queries.fights(db, user, where, "1", 1, report=report, number=number)
            if report is None or not rows:
                return None
            record = self._records.get(report) or queries.report_record(db, report)
            return report, record, StoredFight(
                record=queries.fight_record(db, report, number),
                row=rows[0],
                report=queries.reports(db, user, "r.id = :report", 1, report=report)[0],
                actors=record.actors,
                spells=record.spells,
            )  # fmt: skip

        found = await self._engine.read(work)
        if found is None:
            return None
        self._keep(found[0], found[1])
        return found[2]

    async def falls(self, user: str, rows: Sequence[FightRow]) -> list[FightFalls]:
        """Of these fights, in their order; those that are gone are left out."""
        codes = dict[str, list[FightRow]]()
        for row in rows:
            codes.setdefault(row.code, []).append(row)

        def work(db: SqlConnection) -> dict[tuple[str, int], FightFalls]:
            found = dict[tuple[str, int], FightFalls]()
            for code, mine in codes.items():
                if (report := queries.report_id(db, user, column_text(code))) is None:
                    continue
                record = self._records.get(report) or queries.report_record(db, report)
                fights = queries.fall_records(db, report, [row.number for row in mine])
                found |= {
                    (code, row.number): FightFalls(
                        record=fights[row.number], row=row, actors=record.actors, spells=record.spells
                    )
                    for row in mine
                    if row.number in fights
                }
            return found

        found = await self._engine.read(work)
        return [found[row.code, row.number] for row in rows if (row.code, row.number) in found]

    async def events(self, user: str, code: str, number: int) -> FightLog | None:
        def work(db: SqlConnection) -> bytes | None:
            report = queries.report_id(db, user, column_text(code))
            return None if report is None else queries.events(db, report, number)

        body = await self._engine.read(work)
        return None if body is None else await asyncio.to_thread(FightLog.unpack, body)

    async def search(
        self,
        user: str,
        *,
        encounter_id: int | None = None,
        player: str = "",
        kill: bool | None = None,
        since: int | None = None,
        until: int | None = None,
        limit: int = 20,
        reference: bool | None = False,
    ) -> list[FightRow]:
        """Newest first. `since` and `until` in ms since 1970; `reference` None: both kinds of reports. Of a `player`
        with a realm (`Name-Realm`) no fights of a namesake elsewhere."""
        terms = Terms("f.kind = 'fight'")
        terms.add("f.encounter_id = :encounter", encounter=encounter_id)
        terms.add("f.kill = :kill", kill=kill)
        terms.add("f.started_at >= :since", since=since)
        terms.add("f.started_at <= :until", until=until)
        terms.add("r.reference = :reference", reference=reference)
        at = "p.report_id = f.report_id AND p.number = f.number AND p.player_key = :key"
        there = {"key": player_key(player) or None}
        if realm := split_realm(player)[1]:
            same = "lower(p.realm) = lower(CAST(:realm AS text))"
            at, there = f"{at} AND (p.realm = '' OR {same})", there | {"realm": column_text(realm)}
        terms.add(f"EXISTS (SELECT 1 FROM raids_performances p WHERE {at})", **there)  # noqa: S608
        order, most = "f.started_at DESC, f.report_id DESC", min(limit, MAX_FIGHTS)
        return await self._engine.read(lambda db: queries.fights(db, user, terms.sql, order, most, **terms.values))

    async def performances(
        self,
        user: str,
        *,
        encounter_id: int | None = None,
        player: str = "",
        class_name: str = "",
        spec: str = "",
        kills_only: bool = False,
        reference: bool | None = None,
        order: Order = "newest",
        limit: int = MAX_PERFORMANCES,
    ) -> list[PerformanceRow]:
        """Players in fights, newest or best first. `player` is matched without case, accents and realm; one with a
        realm (`Name-Realm`) only on that."""
        terms = Terms("p.length_ms > 0")
        terms.add("p.encounter_id = :encounter", encounter=encounter_id)
        terms.add("p.player_key = :key", key=player_key(player) or None)
        terms.add("lower(p.realm) = :realm", realm=split_realm(player)[1].lower() or None)
        terms.add("p.class_name = :class_name", class_name=class_name or None)
        terms.add("p.spec = :spec", spec=spec or None)
        terms.add("p.kill = :kill", kill=True if kills_only else None)
        terms.add("r.reference = :reference", reference=reference)
        by, most = _ORDERS[order], min(limit, MAX_PERFORMANCES)
        return await self._engine.read(lambda db: queries.performances(db, user, terms.sql, by, most, **terms.values))

    async def parse_values(
        self, user: str, encounters: Collection[int], specs: Collection[tuple[str, str]] = ()
    ) -> list[ParseValue]:
        """Kills of these encounters, as little of each as parses need: everybody's, or those by classes and specs."""
        return await self._engine.read(lambda db: totals.parse_values(db, user, encounters, specs))

    async def fight_totals(
        self, user: str, *, code: str = "", encounters: Collection[int] = (), reference: bool | None = None
    ) -> list[FightTotals]:
        """Sums over the players of each fight, of a report or of encounters, oldest first. Of several reports with the
        same content only one is read."""
        terms = Terms("r.code IS NOT NULL")
        terms.add("r.code = :code", code=column_text(code) or None)
        terms.add("r.reference = :reference", reference=reference)
        if encounters:
            terms.add(totals.in_encounters(encounters))
        rows = await self._engine.read(lambda db: totals.fight_totals(db, user, terms.sql, **terms.values))
        return list({(row.code, row.number): row for row in rows}.values())

    async def report_performances(self, user: str, code: str) -> list[PerformanceRow]:
        """Everybody in every fight of a report."""

        def work(db: SqlConnection) -> list[PerformanceRow]:
            report = queries.report_id(db, user, column_text(code))
            if report is None:
                return []
            where, order = "p.report_id = :report AND p.length_ms > 0", "p.number, p.damage DESC"
            return queries.performances(db, user, where, order, MAX_PERFORMANCES, report=report)

        return await self._engine.read(work)

    async def has_others(self, user: str) -> bool:
        """Whether there is a report of anybody else, complete or not."""
        sql = "SELECT 1 FROM raids_reports WHERE user_id <> :user LIMIT 1"
        return bool(await self._engine.read(lambda db: db.run(sql, user=user)))

    async def players(self, user: str) -> list[PlayerRow]:
        """Everybody in the reports that the user sees, for finding a name."""
        return await self._engine.read(lambda db: queries.players(db, user))

    async def characters(self, user: str) -> list[CharacterRow]:
        """In the order they were added."""
        rows = await self._engine.read(lambda db: db.run(_CHARACTERS, user=column_text(user)))
        return [CharacterRow(**dict(zip(CharacterRow.__struct_fields__, row, strict=True))) for row in rows]

    async def add_character(self, user: str, name: str, realm: str, class_name: str, spec: str) -> CharacterRow:
        """One of the same name and realm is replaced. Raises `UsageError` where there are too many."""
        made = CharacterRow(id=self._engine.new_id(), name=name, realm=realm, class_name=class_name, spec=spec)
        values = {field: column_text(getattr(made, field)) for field in CharacterRow.__struct_fields__}
        now, key = self._engine.clock(), column_text(player_key(name))

        def work(db: SqlConnection) -> None:
            there = db.run(_CHARACTERS, user=column_text(user))
            for old, old_name, old_realm, *_ in there:
                if player_key(old_name) == key and old_realm.lower() == realm.lower():
                    db.run("DELETE FROM raids_characters WHERE id = :id", id=old)
            if len(there) >= MAX_CHARACTERS:
                raise UsageError(f"You have {len(there)} characters, which is the limit: delete one first.")
            db.run(_ADD, **values, user=column_text(user), key=key, at=now)

        await self._engine.write(work, locks=(f"raids characters {user}",))
        return made

    async def delete_character(self, user: str, character_id: str) -> None:
        sql = "DELETE FROM raids_characters WHERE id = :id AND user_id = :user RETURNING id"
        values = {"id": column_text(character_id), "user": column_text(user)}
        if not await self._engine.write(lambda db: db.run(sql, **values)):
            raise UnknownName(f"There is no character {character_id!r}: GET /api/raids/characters lists yours.")

    async def delete_report(self, user: str | None, code: str) -> None:
        """Deletes a report of one's own with everything in it; None is anybody's."""
        terms = Terms("code = :code")
        terms.add("user_id = :user", user=None if user is None else column_text(user))

        def work(db: SqlConnection) -> None:
            sql = f"SELECT id FROM raids_reports WHERE {terms.sql}"  # noqa: S608
            found = db.run(sql, code=column_text(code), **terms.values)
            if not found:
                raise no_report(code)
            for (report,) in found:
                changes.delete(db, report)

        await self._engine.write(work, sync=True)

    async def share(self, code: str, shared: bool) -> None:
        """For operators: everybody sees the report, or only its owner does."""
        sql = "UPDATE raids_reports SET shared = :shared WHERE code = :code RETURNING id"
        if not await self._engine.write(lambda db: db.run(sql, shared=shared, code=column_text(code))):
            raise no_report(code)

    async def delete_user(self, user: str) -> tuple[int, int]:
        """Everything of a user, with no trace left in the database; how many reports and characters."""
        gone = await self._engine.write(lambda db: changes.delete_of_user(db, user), sync=True)
        if any(gone):
            await self._engine.write(lambda db: db.reclaim(), alone=True)
        return gone

    async def benchmark(self, encounter_id: int, name: str) -> bytes | None:
        """What was kept under that name, if no reference came or went since."""

        def work(db: SqlConnection) -> tuple[list[tuple[bytes]], tuple[int, int]]:
            return db.run(_BENCHMARK, encounter=encounter_id, name=name), _references(db)

        rows, references = await self._engine.read(work)
        if rows:
            return bytes(rows[0][0])
        self._made_of[encounter_id, name] = references
        return None

    async def keep_benchmark(self, encounter_id: int, name: str, body: bytes) -> None:
        """Keeps what was worked out of the references, which every user sees, until they change; nothing where they
        have changed since `benchmark` was asked for it."""
        made_of = self._made_of.pop((encounter_id, name), None)
        values = {"encounter": encounter_id, "name": name, "at": self._engine.clock(), "body": body}

        def work(db: SqlConnection) -> None:
            if made_of is None or made_of == _references(db):
                db.run(_KEEP_BENCHMARK, **values)

        await self._engine.write(work)

    def _keep(self, report: int, record: ReportRecord) -> None:
        self._records[report] = record
        self._records.move_to_end(report)
        while len(self._records) > KEPT_REPORTS:
            self._records.popitem(last=False)


class Terms:
    """Conditions of a query, each with its value; those without one are left out."""

    def __init__(self, *always: str) -> None:
        self._terms = list(always)
        self.values: dict[str, object] = {}

    def add(self, term: str, **value: object) -> None:
        if all(each is not None for each in value.values()):
            self._terms.append(term)
            self.values |= value

    @property
    def sql(self) -> str:
        return " AND ".join(self._terms)


def _references(db: SqlConnection) -> tuple[int, int]:
    """Other figures wherever a reference came or went."""
    sql = "SELECT count(*), coalesce(max(id), 0) FROM raids_reports WHERE reference AND code IS NOT NULL"
    found = db.run(sql)[0]
    return int(found[0]), int(found[1])


def no_report(code: str) -> UnknownName:
    return UnknownName(f"There is no report {code!r}: GET /api/raids/reports lists those you see.")
