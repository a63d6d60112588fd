"""The parts of `make bench`: which script, how it is asked, how long it takes, and where its rows stand on the page."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Part:
    """`seconds` and `quick_seconds`: about, on two quiet cores. `quick`: what a first impression is asked with."""

    name: str
    group: str
    script: str
    seconds: int
    quick: tuple[str, ...]
    quick_seconds: int

    def arguments(self, rounds: int | None, *, quick: bool) -> list[str]:
        """A given number of rounds wins: of two the last one counts."""
        return [*(self.quick if quick else ()), *(("--rounds", str(rounds)) if rounds else ())]


PARTS = {
    part.name: part
    for part in (
        Part(name="loop", group="the loop", script="compare.py", seconds=720, quick_seconds=35,
             quick=("--rounds", "2", "--peer", "floor", "glassloop")),
        Part(name="store", group="the log", script="store.py", seconds=80, quick_seconds=8,
             quick=("--rounds", "3", "--no-peers")),
        Part(name="durable", group="durability (PostgreSQL)", script="durable.py", seconds=65, quick_seconds=15,
             quick=("--rounds", "10", "--takeovers", "1")),
        Part(name="sse", group="serving", script="sse.py", seconds=60, quick_seconds=15,
             quick=("--rounds", "1", "--turns", "300")),
        Part(name="served", group="serving", script="served.py", seconds=85, quick_seconds=25,
             quick=("--rounds", "1", "--turns", "200", "--crowd", "300")),
        Part(name="sessions", group="sessions and figures", script="sessions.py", seconds=100, quick_seconds=15,
             quick=("--rounds", "10", "--sessions", "10000")),
        Part(name="retrieval", group="retrieval", script="retrieval.py", seconds=130, quick_seconds=25,
             quick=("--rounds", "5", "--files", "1000", "--only", "speed")),
        Part(name="code_index", group="retrieval", script="code_index.py", seconds=45, quick_seconds=15,
             quick=("--rounds", "2", "--files", "1000")),
        Part(name="code_tools", group="the code assistant", script="code_tools.py", seconds=120, quick_seconds=60,
             quick=("--rounds", "3")),
        Part(name="business", group="business", script="business.py", seconds=110, quick_seconds=8,
             quick=("--rounds", "3", "--scale", "1")),
        Part(name="raids", group="raids", script="raids.py", seconds=90, quick_seconds=15,
             quick=("--rounds", "1", "--lines", "50000")),
        Part(name="raid_tools", group="raids", script="raid_tools.py", seconds=180, quick_seconds=60,
             quick=("--rounds", "2", "--reports", "0")),
        Part(name="places_import", group="places", script="places_import.py", seconds=160, quick_seconds=20,
             quick=("--rounds", "1", "--rows", "100000")),
        Part(name="places", group="places", script="places.py", seconds=300, quick_seconds=60,
             quick=("--rounds", "1", "--inputs", "5", "--places", "0")),
        Part(name="embedded", group="the embedded model", script="embedded.py", seconds=60, quick_seconds=5,
             quick=("--rounds", "1", "--tokens", "16")),
    )
}  # fmt: skip
