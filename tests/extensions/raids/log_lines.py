"""Lines of a combat log as the game writes them, for tests: build 2.5.1, an advanced block of 16 fields."""

from pathlib import Path

from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.log.source import ReadLimits
from glassloop.extensions.raids.records import FightRecord, ReportRecord

ULF = 'Player-1-0000000A,"Ulf-Everlook",0x512,0x0'
ANNA = 'Player-1-0000000B,"Anna",0x512,0x0'
CURATOR = 'Creature-0-1-532-1-15691-0000000001,"The Curator",0x10a48,0x0'
NOBODY = "0000000000000000,nil,0x80000000,0x80000000"
ZEROS = "0000000000000000,0000000000000000,0,0,0,0,0,-1,0,0,0,0.00,0.00,0,0.0000,0"
HEADER = "COMBAT_LOG_VERSION,9,ADVANCED_LOG_ENABLED,1,BUILD_VERSION,2.5.1,PROJECT_ID,5"
START = 'ENCOUNTER_START,656,"Der Kurator",3,10,532,5'


def state(unit: str, health: int = 80, power: int = 1200, owner: str = "0000000000000000") -> str:
    """An advanced block about a unit."""
    return f"{unit.partition(',')[0]},{owner},{health},100,38,368,1561,0,{power},4803,0,4034.74,2953.27,0,4.6407,59"


def damage(amount: int = 500, overkill: int = -1, absorbed: int = 0, critical: str = "nil") -> str:
    return f"{amount},{amount},{overkill},16,0,0,{absorbed},{critical},nil,nil"


def frostbolt(source: str = ULF, target: str = CURATOR, payload: str = "", about: str = "") -> str:
    return f'SPELL_DAMAGE,{source},{target},25304,"Frostbolt",0x10,{about or state(target)},{payload or damage()}'


def end(success: int = 1) -> str:
    return f'ENCOUNTER_END,656,"Der Kurator",3,10,{success}'


def died(who: str) -> str:
    return f"UNIT_DIED,{NOBODY},{who}"


def night(*events: str, step_ms: int = 500, day: str = "5/24", header: str = HEADER) -> list[str]:
    """Events half a second apart, after a header."""
    return [at(place * step_ms, event, day) for place, event in enumerate((header, *events))]


def fight(*events: str, success: int = 1, step_ms: int = 500) -> list[str]:
    """Between the marks of a fight, with a hit at either end so that it has a length."""
    return night(START, frostbolt(), *events, frostbolt(), end(success), step_ms=step_ms)


def at(ms: int, event: str, day: str = "5/24") -> str:
    seconds, fraction = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    return f"{day} {20 + minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{fraction:03}  {event}"


def read(path: Path, lines: list[str], *, year: int = 2026) -> tuple[ReportRecord, list[FightRecord]]:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_file(path, year=year)


def read_file(path: Path, *, year: int = 2026, **limits: int) -> tuple[ReportRecord, list[FightRecord]]:
    found: list[FightRecord] = []
    report = read_log(path, found=found.append, year=year, limits=ReadLimits(**limits))
    assert report.lines == report.taken + report.bad + report.outside
    assert report.bad == sum(bad.count for bad in report.bad_lines)
    return report, found


def rows(record: FightRecord) -> FightLog:
    return FightLog.unpack(record.events)
