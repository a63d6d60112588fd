"""Lines that were changed at random: nothing breaks the reader, and no line is lost."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.records import FightRecord
from glassloop.extensions.raids.sample.raid import make_raid

Mutation = Callable[[random.Random, str], str]

STRANGE = (
    "nil", "-1", "0", "", "99999999999999999999", "-2147483649", "1e9", "0x", "NaN", '"', '""', "[", ")", "\x00", "\r",
    "0000000000000000", "Player-", "Creature-0-1-532-1-15691-0000000001", "٣", "\ufffd", "1_000", " 7", "x" * 300,
    "ENCOUNTER_START", "ENCOUNTER_END", "SPELL_DAMAGE", "SWING_DAMAGE_LANDED", "SPELL_ABSORBED", "COMBATANT_INFO",
)  # fmt: skip


def change_field(rng: random.Random, line: str) -> str:
    fields = line.split(",")
    fields[rng.randrange(len(fields))] = rng.choice(STRANGE)
    return ",".join(fields)


def drop_fields(rng: random.Random, line: str) -> str:
    fields = line.split(",")
    at = rng.randrange(len(fields))
    return ",".join(fields[:at] + fields[at + rng.randint(1, 3) :])


def add_fields(rng: random.Random, line: str) -> str:
    fields = line.split(",")
    at = rng.randrange(len(fields) + 1)
    return ",".join([*fields[:at], *rng.choices(STRANGE, k=rng.randint(1, 3)), *fields[at:]])


def swap_fields(rng: random.Random, line: str) -> str:
    fields = line.split(",")
    one, other = rng.randrange(len(fields)), rng.randrange(len(fields))
    fields[one], fields[other] = fields[other], fields[one]
    return ",".join(fields)


def cut(rng: random.Random, line: str) -> str:
    return line[: rng.randrange(len(line) + 1)]


def change_event(rng: random.Random, line: str) -> str:
    head, comma, rest = line.partition(",")
    return head.partition("  ")[0] + "  " + rng.choice(STRANGE[-6:]) + comma + rest


def change_characters(rng: random.Random, line: str) -> str:
    characters = list(line)
    for _ in range(rng.randint(1, 4)):
        if characters:
            characters[rng.randrange(len(characters))] = chr(
                rng.choice((rng.randrange(32, 127), rng.randrange(1, 3000), 10))
            )
    return "".join(characters)


def change_time(rng: random.Random, line: str) -> str:
    day = f"{rng.randint(0, 14)}/{rng.randint(0, 33)}"
    return f"{day} {rng.randint(0, 25)}:{rng.randint(0, 61):02}{line[line.find(':', 6) :]}"


MUTATIONS: tuple[Mutation, ...] = (
    change_field, drop_fields, add_fields, swap_fields, cut, change_event, change_characters, change_time,
)  # fmt: skip


def check(seed: int, lines: list[str], path: Path, share: float) -> int:
    """Mutates that share of the lines; how many they were."""
    rng = random.Random(seed)
    mutated = 0
    written: list[str] = []
    for line in lines:
        if rng.random() < share:
            mutated += 1
            written.append(rng.choice(MUTATIONS)(rng, line))
        else:
            written.append(line)
    # Surrogates do not occur in files; a lone end of line makes two lines of one.
    data = "\n".join(written).encode("utf-8", "replace") + b"\n"
    path.write_bytes(data)
    found: list[FightRecord] = []
    report = read_log(path, found=found.append, year=2026)
    assert report.lines == data.count(b"\n")
    assert report.lines == report.taken + report.bad + report.outside
    assert min(report.taken, report.bad, report.outside) >= 0
    assert report.bad == sum(bad.count for bad in report.bad_lines)
    for record in found:
        log = FightLog.unpack(record.events)
        assert len(log)
        assert min(log.at) >= 0
        assert min(log.amount) >= 0
    return mutated


def generated(seed: int) -> list[str]:
    return [line.rstrip("\r\n") for line in make_raid(seed, varied=seed % 2 == 1, health=0.1).lines()]


@pytest.mark.parametrize("seed", [1, 2])
def test_mutated_lines_break_nothing_and_none_is_lost(seed: int, tmp_path: Path) -> None:
    assert check(seed, generated(seed), tmp_path / "log.txt", 0.5) > 100


@pytest.mark.slow
def test_a_million_mutated_lines_break_nothing_and_none_is_lost(tmp_path: Path) -> None:
    logs = [generated(seed) for seed in range(8)]
    mutated, seed = 0, 0
    while mutated < 1_000_000:
        mutated += check(seed, logs[seed % len(logs)], tmp_path / "log.txt", (0.1, 0.5, 0.9)[seed % 3])
        seed += 1
