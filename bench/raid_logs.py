"""Combat logs to measure with, and the tight loop that reading them is compared with."""

from collections import defaultdict
from pathlib import Path

from glassloop.extensions.raids.sample.raid import make_raid

ENCOUNTERS = (649, 650, 651)
DAMAGE_AT = {"SPELL_DAMAGE": 28, "SPELL_PERIODIC_DAMAGE": 28, "RANGE_DAMAGE": 28, "SWING_DAMAGE": 25}
HEALING_AT = {"SPELL_HEAL": 28, "SPELL_PERIODIC_HEAL": 28}


def write_log(path: Path, lines: int) -> int:
    """Nights of 25 players, one after the other, of at least so many lines; how many there are."""
    written = seed = 0
    with path.open("w", encoding="utf-8") as file:
        while written < lines:
            seed += 1
            for line in make_raid(seed, encounters=ENCOUNTERS, size=25, health=1.0).lines():
                file.write(f"{line}\n")
                written += 1
    return written


def read_tightly(path: Path) -> int:
    """The least that reading a log takes in Python: lines split, told apart by event, and summed by who did it."""
    damage: defaultdict[str, int] = defaultdict(int)
    healing: defaultdict[str, int] = defaultdict(int)
    events: defaultdict[str, int] = defaultdict(int)
    with path.open(encoding="utf-8") as file:
        for line in file:
            fields = line.partition("  ")[2].split(",")
            event = fields[0]
            events[event] += 1
            if (at := DAMAGE_AT.get(event)) is not None:
                damage[fields[1]] += int(fields[at])
            elif (at := HEALING_AT.get(event)) is not None:
                healing[fields[1]] += int(fields[at]) - int(fields[at + 2])
    return sum(events.values())
