"""A model of what Glassloop carries: our measured constants, walls by arithmetic, delays by a small simulation.

    python bench/capacity.py [--json] [--turns-a-second X] [--seed N] [--CONSTANT VALUE ...]

Says what one process carries and which wall comes first, how late events are as it fills up, and the same for 10, 100
and 1,000 times the load. Every constant is an option; docs/scale.md says where each was measured. `--burst` simulates
1,000 turns at once instead, which `bench/sse.py` measures: docs/scale.md sets the two side by side.

The simulation is one event loop that does one thing after the other. Turns come by chance; a model takes its time, then
its tokens come one by one; each costs the loop a little, and those of 40 ms go out together. What waits for the
loop is late. The database is a writer that commits whatever waits, together.
"""

import argparse
import heapq
import json
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

MEASURED: dict[str, float] = json.loads(Path(__file__).with_name("constants.json").read_text("utf-8"))["values"]
"""By `bench/served.py`; `make bench ARGS=--markdown` writes them."""
DAY_S = 86_400
TIMES = (1, 10, 100, 1000)
FULL = 0.7
"""How much of a core, or of a database, one plans with: beyond that waiting grows faster than the load."""


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The load, what we measured, and the limits that are set; the comment is what `--help` says."""

    steps: int = 2  # calls of tools a turn
    tokens: int = 200  # tokens of an answer
    model_s: float = 3.0  # seconds of a model call; the answer's tokens come in that time
    tool_s: float = 0.3  # seconds of a tool call
    turn_us: float = MEASURED["turn_us"]  # CPU of a turn without steps, on SQLite: two requests, begin, end
    step_us: float = MEASURED["step_us"]  # CPU of a step, on SQLite
    postgres_turn_us: float = MEASURED["postgres_turn_us"]  # the same on PostgreSQL, of all processes in it
    postgres_step_us: float = MEASURED["postgres_step_us"]  # the same of a step
    token_us: float = MEASURED["token_us"]  # CPU of a token, from the model to a stream, its share of a write with it
    gather_ms: float = 40.0  # how long tokens are gathered for one write
    stream_mb: float = 0.07  # memory of a turn and its stream
    process_mb: float = MEASURED["process_mb"]  # memory of a process before its first turn
    turn_kib: float = 1.3  # kept of a turn without steps
    step_kib: float = 0.6  # kept of a step
    queue_ms: float = 5.5  # from a question to its first step on another process
    commit_ms: float = MEASURED["commit_ms"]  # one commit of PostgreSQL, with its flush
    commits: float = MEASURED["commits"]  # commits a second that one PostgreSQL takes, grouped
    model_calls: int = 64  # GLASSLOOP_MAX_MODEL_CALLS, of one process
    turns_at_once: int = 1000  # GLASSLOOP_MAX_TURNS, of one process
    connections: int = 10_000  # GLASSLOOP_MAX_CONNECTIONS, of one process
    database_connections: int = 100  # max_connections of PostgreSQL
    process_connections: int = 10  # of one server or worker
    memory_gb: float = 8.0  # of one machine
    disk_gb: float = 1000.0  # of the database
    kept_days: float = 90.0  # GLASSLOOP_RETENTION_DAYS

    @property
    def calls(self) -> int:
        """Model calls of a turn: one for each step, one for the answer."""
        return self.steps + 1

    @property
    def turn_s(self) -> float:
        return self.calls * self.model_s + self.steps * self.tool_s

    @property
    def postgres_cpu_s(self) -> float:
        """CPU of a turn on PostgreSQL, without PostgreSQL's own."""
        return (self.postgres_turn_us + self.steps * self.postgres_step_us + self.tokens * self.token_us) / 1e6

    @property
    def cpu_s(self) -> float:
        """CPU of a turn in one process, on SQLite."""
        return (self.turn_us + self.steps * self.step_us + self.tokens * self.token_us) / 1e6

    @property
    def commits_a_turn(self) -> int:
        """Begin, one a step, and the end."""
        return self.steps + 2

    @property
    def kib(self) -> float:
        return self.turn_kib + self.steps * self.step_kib


@dataclass(frozen=True)
class Wall:
    """Something that carries so many turns a second and no more, and what moves it."""

    name: str
    turns: float
    way: str


def walls(c: Constants) -> list[Wall]:
    """What one process on one file stands before, nearest first."""
    found = [
        Wall(
            "model calls at once",
            c.model_calls / (c.calls * c.model_s),
            "GLASSLOOP_MAX_MODEL_CALLS",
        ),
        Wall("the event loop's core", 1 / c.cpu_s, "PostgreSQL, servers and workers"),
        Wall("turns at once", c.turns_at_once / c.turn_s, "GLASSLOOP_MAX_TURNS, or more processes"),
        Wall("connections", c.connections / c.turn_s, "GLASSLOOP_MAX_CONNECTIONS, or more servers"),
        Wall("memory", (c.memory_gb * 1024 - c.process_mb) / c.stream_mb / c.turn_s, "more machines"),
        Wall("disk", disk(c), "GLASSLOOP_RETENTION_DAYS, a larger disk"),
    ]
    return sorted(found, key=reach)


def walls_of_many(c: Constants) -> list[Wall]:
    """What any number of processes on one PostgreSQL stand before, nearest first."""
    each = FULL / c.postgres_cpu_s
    processes = c.database_connections // c.process_connections
    found = [
        Wall("connections of PostgreSQL", processes * each, "max_connections; fewer, fuller processes"),
        Wall("commits of PostgreSQL", c.commits / c.commits_a_turn, "a quicker disk; then shards by user"),
        Wall("disk", disk(c), "partitions by month, dropped whole; a larger disk"),
    ]
    return sorted(found, key=reach)


def reach(wall: Wall) -> float:
    return wall.turns


def disk(c: Constants) -> float:
    """Turns a second that fill the disk in the days they are kept."""
    return c.disk_gb * 2**20 / c.kib / (c.kept_days * DAY_S)


class Loop:
    """An event loop: what is ready first is done first, one thing at a time."""

    def __init__(self) -> None:
        self._ready: list[tuple[float, int, str, list[float]]] = []
        self._number = 0
        self.free = self.busy = 0.0

    def add(self, at: float, kind: str, thing: list[float]) -> None:
        self._number += 1
        heapq.heappush(self._ready, (at, self._number, kind, thing))

    def __bool__(self) -> bool:
        return bool(self._ready)

    def take(self) -> tuple[str, list[float]]:
        """What is next; the loop gets to it when it is free."""
        at, _, kind, thing = heapq.heappop(self._ready)
        self.free = max(self.free, at)
        return kind, thing

    def work(self, us: float) -> float:
        self.free += us / 1e6
        self.busy += us / 1e6
        return self.free


def simulate(
    c: Constants,
    starts: Sequence[float],
    pace: Sequence[float],
    chance: random.Random,
    first: str = "begin",
    seen: tuple[float, float] = (0.0, float("inf")),
) -> "Delays":
    """Turns that begin at these moments, each with its own seconds a token. What is late counts while `seen`."""
    loop, late = Loop(), Delays()
    for at, seconds in zip(starts, pace, strict=True):
        # A turn: steps left, tokens left, seconds a token, its first token's moment, those of tokens to be written.
        loop.add(at, first, [float(c.steps), float(c.tokens), seconds, -1.0])
    while loop and loop.free < seen[1]:
        kind, turn = loop.take()
        if kind == "begin":
            loop.add(loop.work(c.turn_us / 2) + wait(c.model_s, chance, c.steps), "step", turn)
        elif kind == "step" and turn[0] > 0:
            turn[0] -= 1
            loop.add(loop.work(c.step_us) + wait(c.model_s, chance, turn[0]) + c.tool_s, "step", turn)
        elif kind == "write":
            late.add(loop.free - at for at in turn[4:] if at >= seen[0])
            del turn[4:]
        elif turn[1] > 0:
            turn[1] -= 1
            done = loop.work(c.token_us)
            if turn[3] < 0:
                turn[3] = done
            if len(turn) == 4:
                loop.add(done + c.gather_ms / 1e3, "write", turn)
            turn.append(done)
            loop.add(done + turn[2], "token", turn)
        else:
            late.ended(loop.work(c.turn_us / 2), turn[3], c.tokens * turn[2])
    late.cpu_s = loop.busy
    return late


def wait(model_s: float, chance: random.Random, steps: float) -> float:
    """Seconds until a model has decided; the answer's are those of its tokens."""
    return model_s * chance.uniform(0.5, 1.5) if steps else 0.0


class Delays:
    """How late events were, and how busy the loop was."""

    def __init__(self) -> None:
        self._late: list[float] = []
        self._slower: list[float] = []
        self.over = self.cpu_s = 0.0

    def add(self, seconds: Iterable[float]) -> None:
        self._late.extend(seconds)

    def ended(self, at: float, begun: float, ideal_s: float) -> None:
        self.over = max(self.over, at)
        self._slower.append((at - begun) / ideal_s if ideal_s else 1.0)

    def slower(self) -> float:
        """How many times as long as the model alone the last quarter of the answers took."""
        last = self._slower[-max(1, len(self._slower) // 4) :]
        return sum(last) / len(last)

    def ms(self, share: float) -> float:
        late = sorted(self._late)
        return late[min(len(late) - 1, int(share * len(late)))] * 1e3


def arrivals(c: Constants, rate: float, seconds: float, chance: random.Random) -> tuple[list[float], list[float]]:
    starts, at = [], 0.0
    while (at := at + chance.expovariate(rate)) < seconds:
        starts.append(at)
    return starts, [c.model_s / max(1, c.tokens) * chance.uniform(0.5, 1.5) for _ in starts]


def commit_delays(c: Constants, rate: float, seconds: float, chance: random.Random) -> Delays:
    """A writer that commits what waits, together: at least one flush, at most the commits a second there are."""
    late, free, at = Delays(), 0.0, 0.0
    waiting: list[float] = []
    while at < seconds:
        at += chance.expovariate(rate)
        while waiting and free <= at:
            begin = max(free, waiting[0])
            if begin > at:
                break
            group = [one for one in waiting if one <= begin]
            free = begin + max(c.commit_ms / 1e3, len(group) / c.commits)
            late.add([free - one for one in group])
            del waiting[: len(group)]
        waiting.append(at)
    late.add([free - one + c.commit_ms / 1e3 for one in waiting] or [0.0])
    return late


def one_process(c: Constants, seconds: float, seed: int) -> list[dict[str, float]]:
    """How late events are as one process fills up; what comes while the first turns begin does not count."""
    most, warm = 1 / c.cpu_s, 1.3 * c.turn_s
    rows: list[dict[str, float]] = []
    for share in (0.5, 0.7, 0.9, 1.1) if seconds > 0 else ():
        chance = random.Random(seed)
        starts, pace = arrivals(c, share * most, warm + seconds, chance)
        seen = simulate(c, starts, pace, chance, seen=(warm, warm + seconds))
        rows.append(
            {
                "full": share,
                "turns": share * most,
                "p50_ms": seen.ms(0.5),
                "p99_ms": seen.ms(0.99),
                "slower": seen.slower(),
            }
        )
    return rows


def at_times(c: Constants, base: float, seed: int) -> list[dict[str, object]]:
    """What the load needs, and what breaks first, at each multiple of it."""
    rows: list[dict[str, object]] = []
    for times in TIMES:
        rate = base * times
        alone = rate * c.cpu_s <= FULL
        cores = rate * (c.cpu_s if alone else c.postgres_cpu_s)
        processes = 1 if alone else -(-cores // FULL)
        commits = rate * c.commits_a_turn
        room = commits < c.commits
        delay = commit_delays(c, commits, min(5.0, 20_000 / commits), random.Random(seed)).ms(0.99) if room else None
        standing = sorted((*walls(c), *walls_of_many(c)), key=reach)
        broken = list(dict.fromkeys(wall.name for wall in standing if wall.turns < rate))
        rows.append(
            {
                "times": times,
                "turns": rate,
                "turns_at_once": rate * c.turn_s,
                "model_calls": rate * c.calls * c.model_s,
                "cores": cores,
                "processes": int(processes),
                "first_step_ms": 0.0 if alone else c.queue_ms,
                "commits": commits,
                "commit_p99_ms": delay,
                "database_connections": int(processes) * c.process_connections,
                "gib_a_day": rate * DAY_S * c.kib / 2**20,
                "broken": broken,
            }
        )
    return rows


def burst(c: Constants, turns: int, seed: int) -> dict[str, float]:
    """As `bench/sse.py` does it: all at once, 100 tokens, about 10 ms apart."""
    chance = random.Random(seed)
    alike = Constants(**{**asdict(c), "steps": 0, "tokens": 100})
    pace = [0.01 * chance.uniform(0.5, 1.5) for _ in range(turns)]
    # Turns are open already when they may go: what their beginning costs is behind them.
    seen = simulate(alike, pace, pace, chance, "token")
    return {"turns": turns, "over_s": seen.over, "p50_ms": seen.ms(0.5), "p99_ms": seen.ms(0.99), "cpu_s": seen.cpu_s}


def told(found: dict[str, object]) -> str:
    one: list[Wall] = found["walls"]  # type: ignore[assignment]
    many: list[Wall] = found["walls_of_many"]  # type: ignore[assignment]
    lines = [f"A turn takes {found['turn_s']:.1f} s and {found['cpu_ms']:.1f} ms of CPU.", "", "One process, SQLite:"]
    lines += [f"  {wall.turns:>9,.1f} turns a second  {wall.name}: {wall.way}" for wall in one]
    lines += ["", "Any number of processes, one PostgreSQL:"]
    lines += [f"  {wall.turns:>9,.1f} turns a second  {wall.name}: {wall.way}" for wall in many]
    lines += ["", "One process as it fills up (simulated): turns a second, events late p50 and p99, answers"]
    for row in found["one_process"]:  # type: ignore[attr-defined]
        late = f"{row['p50_ms']:>5.0f} ms {row['p99_ms']:>5.0f} ms"
        lines.append(f"  {row['full']:>5.0%} {row['turns']:>7.1f} {late} {row['slower']:>5.2f}x as long as the model's")
    heads = ("load", "turns/s", "at once", "model calls", "cores", "processes", "commits/s", "commit p99", "GiB/day")
    lines += ["", "".join(f"{head:>12}" for head in heads)]
    for row in found["times"]:  # type: ignore[attr-defined]
        delay = f"{row['commit_p99_ms']:.1f} ms" if row["commit_p99_ms"] is not None else "no end"
        cells = [f"{row['times']:,}x", *(f"{row[key]:,.0f}" for key in ("turns", "turns_at_once", "model_calls"))]
        cells += [
            f"{row['cores']:.2f}",
            f"{row['processes']}",
            f"{row['commits']:,.0f}",
            delay,
            f"{row['gib_a_day']:.1f}",
        ]
        lines.append("".join(f"{cell:>12}" for cell in cells))
    for row in found["times"]:  # type: ignore[attr-defined]
        lines.append(f"  at {row['times']:,}x broken, in this order: {', '.join(row['broken']) or 'nothing'}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What Glassloop carries, by measured constants and a simulation.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--turns-a-second", type=float, default=1.0, help="the load that is multiplied")
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="that are simulated after turns have begun; 0 leaves that out"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--burst", type=int, metavar="TURNS", help="simulate so many turns at once, and nothing else")
    for field in fields(Constants):
        kind = type(field.default)
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, default=field.default)
    asked = vars(parser.parse_args(arguments))
    c = Constants(**{field.name: asked[field.name] for field in fields(Constants)})
    if asked["burst"]:
        print(json.dumps(burst(c, asked["burst"], asked["seed"]), indent=2))
        return 0
    found: dict[str, object] = {
        "constants": asdict(c),
        "turn_s": c.turn_s,
        "cpu_ms": c.cpu_s * 1e3,
        "walls": walls(c),
        "walls_of_many": walls_of_many(c),
        "one_process": one_process(c, asked["seconds"], asked["seed"]),
        "times": at_times(c, asked["turns_a_second"], asked["seed"]),
    }
    print(json.dumps(found, indent=2, default=asdict) if asked["json"] else told(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
