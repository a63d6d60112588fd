"""The rows that every benchmark tells, each with its bar, and the one way to tell them.

How a figure was measured is the business of the modules that bring it. `tell` ends each of them: it prints the rows,
writes them for `bench/page.py`, and says by the exit code whether a bar was missed.
"""

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

OURS = "glassloop"
FLOOR = "floor"
OWN = "own"
"""A bar that nobody asked for: we set it, to see when something gets worse."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One figure per peer with the most it may be; `limit` None: shown, not judged.

    `source` says who set the limit; `spread` is the least and the most of our figure over the rounds.
    """

    title: str
    figures: Mapping[str, float]
    limit: float | None = None
    unit: str = "x"
    source: str = ""
    spread: tuple[float, float] | None = None

    @property
    def ours(self) -> float | None:
        return self.figures.get(OURS)

    @property
    def best_peer(self) -> str | None:
        peers = [peer for peer in self.figures if peer not in (OURS, FLOOR)]
        return min(peers, key=lambda peer: self.figures[peer], default=None)

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "PASS" if self.ours is not None and self.ours <= self.limit else "FAIL"

    def shown(self, value: float | None) -> str:
        return "no figure" if value is None else f"{number(value)}{self.unit}"

    def cells(self) -> tuple[str, ...]:
        """As `HEAD` names them."""
        return (
            self.title,
            "" if self.limit is None else f"≤ {self.limit:g}{self.unit}",
            self.source if self.limit is not None else "",
            self.shown(self.ours),
            "–".join(map(number, self.spread)) if self.spread else "",
            f"{self.best_peer} {self.shown(self.figures[self.best_peer])}" if self.best_peer else "",
            self.verdict,
        )


HEAD = ("what", "bar", "from", "measured", "rounds", "best peer", "verdict")


@dataclass(frozen=True, kw_only=True)
class Report:
    """What one benchmark has to tell. `tables`: title, head and rows, for whoever wants more than the bars."""

    rows: Sequence[Bar] = ()
    left_out: Sequence[str] = ()
    tables: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = ()
    constants: Mapping[str, float] = field(default_factory=dict)


def read(path: Path) -> Report:
    told: dict[str, Any] = json.loads(path.read_text("utf-8"))
    rows = [Bar(**{**row, "spread": tuple(row["spread"]) if row["spread"] else None}) for row in told.pop("rows")]
    return Report(rows=rows, **told)


def number(value: float) -> str:
    if value == int(value) or abs(value) >= 10:
        return f"{value:,.0f}"
    return f"{value:.2f}"


def span(values: Iterable[float]) -> tuple[float, float] | None:
    """The least and the most; nothing of a single round."""
    seen = list(values)
    return (min(seen), max(seen)) if len(seen) > 1 else None


def ratios(values: Sequence[float], to: Sequence[float]) -> list[float]:
    """Round by round: what slows the machine for a while slows both."""
    return [one / other for one, other in zip(values, to, strict=False)]


def to_floor(title: str, limit: float, rounds: Mapping[str, Sequence[float]], seconds: Mapping[str, float]) -> Bar:
    """A bar on the ratio to the floor, with every peer's figure turned into its ratio."""
    floor = seconds.get(FLOOR)
    figures = {peer: value / floor for peer, value in seconds.items()} if floor else {}
    spread = span(ratios(rounds.get(OURS, ()), rounds.get(FLOOR, ())))
    return Bar(title=title, limit=limit, figures=figures, spread=spread)


def asked_by(source: str, rows: Iterable[Bar]) -> list[Bar]:
    """The rows, with who set those limits that do not say so themselves."""
    return [replace(bar, source=bar.source or source) for bar in rows]


def p95(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def options(description: str, rounds: int, **more: Any) -> argparse.ArgumentParser:
    """What every benchmark can be asked."""
    parser = argparse.ArgumentParser(description=description, **more)
    parser.add_argument("--rounds", type=int, default=rounds, help="how often each thing is measured")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    return parser


def tell(report: Report, path: Path | None) -> int:
    """Prints the rows, writes them to `path`; the exit code."""
    widths = [max(len(row[column]) for row in table(report.rows)) for column in range(len(HEAD))]
    for row in table(report.rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for reason in report.left_out:
        print(f"Not measured: {reason}")
    if path:
        path.write_text(json.dumps(asdict(report), indent=1, ensure_ascii=False), "utf-8")
    missed = failed(report.rows)
    if missed:
        print(f"Missed: {'; '.join(missed)}.")
    return 1 if missed else 0


def table(rows: Sequence[Bar]) -> list[tuple[str, ...]]:
    return [HEAD, *(bar.cells() for bar in rows)]


def failed(rows: Sequence[Bar]) -> list[str]:
    return [bar.title for bar in rows if bar.verdict == "FAIL"]
