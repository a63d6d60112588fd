"""The page of `make bench` and the tables of docs/benchmarks.md. Pure: what was measured in, text out."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import bars
from machine import Machine
from parts import PARTS

COLUMNS = 110
WIDTHS = (46, 11, 4, 9, 10, 20)
"""Of all columns but the verdict's; with the spaces between them 110."""

NOISE = (
    "Noise: we, the floor and the peers are asked in turn, so that a busy moment hits all; one part runs at a time. A "
    "figure is the median of its rounds, or the p95, p99 or slowest it names; only imports and the long run are the "
    "best round. `rounds`: the least and the most of ours. CPU is process time, garbage collection is on. Ratios and "
    "counts hold on another day and machine; times move with both."
)
BARS = (
    "Bars: `#2` is issue 2, `spec` the specification, `own` ours; without one a row is shown, not judged. Method, what "
    'the peers do, what is unfair to whom: docs/benchmarks.md. One part again: make bench ARGS="NAME", the name in '
    "brackets. Whole outputs: .bench/logs/NAME.log."
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """All that one `make bench` found. `broken`: parts that ended without rows, and why."""

    machine: Machine
    reports: Mapping[str, bars.Report]
    broken: Mapping[str, str]
    seconds: float
    peers: Sequence[str] = ()
    quick: bool = False

    @property
    def rows(self) -> list[bars.Bar]:
        return [bar for report in self.reports.values() for bar in report.rows]

    @property
    def groups(self) -> dict[str, list[str]]:
        """The parts that have rows, by where these stand."""
        found: dict[str, list[str]] = {}
        for name, report in self.reports.items():
            if report.rows:
                found.setdefault(PARTS[name].group, []).append(name)
        return found

    @property
    def left_out(self) -> list[str]:
        """What was not measured and why, each said once."""
        said = [reason for report in self.reports.values() for reason in report.left_out]
        said += [f"{name}: {reason}" for name, reason in self.broken.items()]
        if unasked := [name for name in PARTS if name not in self.reports and name not in self.broken]:
            said.append(f"{', '.join(unasked)}: not asked for")
        return list(dict.fromkeys(said))

    @property
    def failed(self) -> bool:
        return bool(self.broken or bars.failed(self.rows))

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "left_out": self.left_out, "failed": self.failed}


def page(run: Run) -> str:
    lines = [*head(run), "", line((*bars.HEAD[:-1], ""))]
    for group, names in run.groups.items():
        lines.append(f"{group} [{', '.join(names)}]")
        rows = [bar.cells() for name in names for bar in run.reports[name].rows]
        lines += [line((f"  {cells[0]}", *cells[1:])) for cells in rows]
    lines += ["", *wrapped(verdict(run))]
    if run.left_out:
        lines += wrapped(f"Not measured: {'; '.join(run.left_out)}.")
    return "\n".join([*lines, *wrapped(NOISE), *wrapped(BARS)])


def head(run: Run) -> Iterator[str]:
    m = run.machine
    yield f"Glassloop, {m.state}, {m.date}, took {run.seconds / 60:.0f} min"
    yield f"{m.cpu}, {m.cores} cores, {m.memory_gb:.0f} GB, {m.system}, Python {m.python}; {loads(m)}"
    if run.peers:
        yield from wrapped(f"Peers: {', '.join(run.peers)}")
    if m.busy:
        yield "THE MACHINE WAS BUSY: times are too high, and bars on them may be missed for that alone."
    if run.quick:
        yield "QUICK: few rounds, small sizes, no peers. A first impression: trust `make bench` without --quick."


def loads(m: Machine) -> str:
    return f"load {m.load:.1f} before, {m.load_after:.1f} after"


def line(cells: Sequence[str]) -> str:
    cut = [shortened(cell, width).ljust(width) for cell, width in zip(cells, WIDTHS, strict=False)]
    return " ".join([*cut, cells[-1]]).rstrip()


def shortened(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, subsequent_indent="  ", break_on_hyphens=False)


def verdict(run: Run) -> str:
    judged = [bar for bar in run.rows if bar.verdict]
    missed = bars.failed(judged)
    said = f"{len(judged) - len(missed)} of {len(judged)} bars are met."
    return f"{said} Missed: {'; '.join(missed)}." if missed else said


def markdown(run: Run) -> str:
    """What stands between the markers of docs/benchmarks.md."""
    m = run.machine
    parts = [f"{m.cpu}, {m.cores} cores, {m.memory_gb:.0f} GB, {m.system}, Python {m.python}, {loads(m)}; "
             f"{m.state}, {m.date}, {run.seconds / 60:.0f} minutes. {verdict(run)}"]  # fmt: skip
    if m.busy:
        parts.append("The machine was busy: times are too high.")
    if run.peers:
        parts.append(f"Peers: {', '.join(run.peers)}.")
    for group, names in run.groups.items():
        rows = [bar.cells() for name in names for bar in run.reports[name].rows]
        again = ", ".join(f'`make bench ARGS="{name}"`' for name in names)
        parts += [f"### {group[0].upper()}{group[1:]}\n\n{again}", grid(bars.HEAD, rows)]
    if run.left_out:
        parts.append("### Not measured\n\n" + "\n".join(f"- {reason}" for reason in run.left_out))
    for report in run.reports.values():
        for title, columns, rows in report.tables:
            parts += [f"### {title}", grid(columns, rows)]
    return "\n\n".join(parts)


def grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def between(text: str, name: str, new: str) -> str:
    """The text with what stands between the markers called `name` replaced."""
    begin, end = (f"<!-- {name}: {edge} -->" for edge in ("begin", "end"))
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"The markers {begin} and {end} are not there: put them where the figures belong.")
    return f"{before}{begin}\n{new}\n{end}{after}"
