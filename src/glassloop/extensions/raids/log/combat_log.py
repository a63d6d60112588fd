"""A log file to a report: fights as they end, then the report with its counts of lines."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from glassloop.core.errors import UsageError
from glassloop.extensions.raids.analysis.summary import summarise
from glassloop.extensions.raids.knowledge.loader import GameKnowledge, load_knowledge
from glassloop.extensions.raids.log.clock import Clock
from glassloop.extensions.raids.log.open_fight import ParsedFight
from glassloop.extensions.raids.log.parser import LogParser
from glassloop.extensions.raids.log.report_json import is_json
from glassloop.extensions.raids.log.shapes import is_act
from glassloop.extensions.raids.log.source import LogSource, ReadLimits
from glassloop.extensions.raids.log.warcraft_logs import read_export
from glassloop.extensions.raids.records import FightRecord, ReportRecord

_MAX_ZONES: Final = 3


def read_log(
    path: Path,
    *,
    found: Callable[[FightRecord], None],
    tell: Callable[[float], None] = lambda _: None,
    year: int | None = None,
    zone: str = "",
    limits: ReadLimits = ReadLimits(),  # noqa: B008
) -> ReportRecord:
    """Read a combat log (plain, `.gz` or `.zip`) or the JSON of Warcraft Logs. `found` gets each fight when it is over,
    `tell` the share that is read, from 0 to 1. Raises `UsageError` for a file that is no log at all."""
    knowledge = load_knowledge()
    zones: list[str] = []

    def ended(parsed: ParsedFight) -> None:
        record = summarise(
            parsed.fight, parsed.log, parser.tables.actors, parser.tables.spells, parsed.combatants, knowledge
        )
        for performance in record.performances:
            parser.tables.took_part(performance.actor, performance.class_name)
        zones.append(_zone(knowledge, parsed.fight.encounter_id) or parser.zone)
        found(record)

    if is_json(LogSource(path, limits)):
        return read_export(LogSource(path, limits), found=found, knowledge=knowledge, zone=zone)
    source = LogSource(path, limits)
    parser = LogParser(knowledge, Clock(year, source.written_at), ended)
    parse_lines(source, parser, tell)
    if not parser.counts.taken and not any(map(is_act, _lines(LogSource(path, limits)))):
        raise UsageError(
            f"{path.name} is no combat log: none of its {parser.counts.lines:,} lines tells what somebody did. "
            "Give the game's WoWCombatLog.txt, or a JSON export of Warcraft Logs."
        )
    return _report(source, parser, zone or _joined(zones) or parser.zone)


def _lines(source: LogSource) -> Iterator[str]:
    for lines in source.blocks():
        yield from lines


def parse_lines(source: LogSource, parser: LogParser, tell: Callable[[float], None] = lambda _: None) -> None:
    """The fights of a log without what they come to."""
    for lines in source.blocks():
        parser.clock.written(source.written_at)
        parser.read_block(lines)
        tell(source.progress)
    parser.close()


def _report(source: LogSource, parser: LogParser, zone: str) -> ReportRecord:
    counts, began = parser.counts, parser.first_at or 0
    day = datetime.fromtimestamp(began / 1000, UTC).strftime("%Y-%m-%d") if began else ""
    return ReportRecord(
        code=source.code,
        title=" ".join(part for part in (zone or "Raid", day) if part),
        zone=zone,
        started_at=began,
        ended_at=parser.last_at,
        lines=counts.lines,
        taken=counts.taken,
        bad=counts.bad,
        outside=counts.outside,
        bad_lines=counts.bad_lines(),
        advanced=parser.advanced,
        build=parser.build,
        turns_back=parser.turns_back,
        actors=tuple(parser.tables.resolved()),
        spells=tuple(parser.tables.spells),
    )


def _zone(knowledge: GameKnowledge, encounter_id: int) -> str:
    encounter = knowledge.encounters.get(encounter_id)
    return "" if encounter is None else encounter.zone


def _joined(zones: list[str]) -> str:
    """Each once, in the order of the night."""
    return ", ".join(list(dict.fromkeys(zone for zone in zones if zone))[:_MAX_ZONES])
