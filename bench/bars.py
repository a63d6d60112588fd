"""The bars Glassloop must clear, and the summary that says whether it does.

Pure: figures in, rows and verdicts out. How a figure was measured is the business of the modules that bring it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

OURS = "glassloop"
FLOOR = "floor"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One figure per peer with the most it may be; `limit` None: shown, not judged."""

    title: str
    limit: float | None
    figures: Mapping[str, float]
    unit: str = "x"

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
        if value is None:
            return "no figure"
        return f"{value:.2f}{self.unit}" if value < 10 else f"{value:,.0f}{self.unit}"


def to_floor(title: str, limit: float, seconds: Mapping[str, float]) -> Bar:
    """A bar on the ratio to the floor, with every peer's figure turned into its ratio."""
    floor = seconds.get(FLOOR)
    ratios = {peer: value / floor for peer, value in seconds.items()} if floor else {}
    return Bar(title=title, limit=limit, figures=ratios)


def iteration_calls(figures: Mapping[str, float]) -> Bar:
    return Bar(title="function calls per iteration (N=20, marginal)", limit=200, unit=" calls", figures=figures)


def long_run(figures: Mapping[str, float]) -> Bar:
    return Bar(title="one more iteration at N=1000, to N=20", limit=1.3, figures=figures)


def together(wall: Mapping[str, float], cpu: Mapping[str, float]) -> list[Bar]:
    """Wall time is judged; CPU time beside it tells how much of that was a busy machine's."""
    return [
        Bar(title="1,000 concurrent runs, wall time to the ideal", limit=3, figures=wall),
        Bar(title="1,000 concurrent runs, CPU time to the ideal", limit=None, figures=cpu),
    ]


def import_ratio(statement: str, base: str, figures: Mapping[str, float]) -> Bar:
    return Bar(title=f"`{statement}`, to `{base}`", limit=1.3, figures=figures)


HEAD = ("what", "bar", "Glassloop", "best peer", "its figure", "verdict")


def rows(bars: Sequence[Bar]) -> list[tuple[str, ...]]:
    """The summary's table, one bar a row."""
    return [
        (
            bar.title,
            "" if bar.limit is None else f"≤ {bar.limit:g}{bar.unit}",
            bar.shown(bar.ours),
            bar.best_peer or "",
            bar.shown(bar.figures[bar.best_peer]) if bar.best_peer else "",
            bar.verdict,
        )
        for bar in bars
    ]


def failed(bars: Sequence[Bar]) -> list[str]:
    return [bar.title for bar in bars if bar.verdict == "FAIL"]
