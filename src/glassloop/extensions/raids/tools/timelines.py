"""Timelines of a fight beside figures: its phases, a player's cooldowns, a player's DoTs."""

from collections.abc import Sequence

from glassloop.core.charts import Mark, Span, Timeline, fit_timeline
from glassloop.extensions.raids.analysis.efficiency.cooldowns import CooldownUse
from glassloop.extensions.raids.analysis.efficiency.dots import DotUse
from glassloop.extensions.raids.analysis.phases import PhaseSpan, phases_of
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.tools.fight.activity import timeline_marks

LEAST_MS = 1000
"""What has no length is drawn as long as this."""


def phase_timeline(view: FightView, spans: Sequence[PhaseSpan]) -> Timeline | None:
    """With the deaths of everybody."""
    title = f"Phases of {view.fight.name or 'the fight'}"
    return fit_timeline(title, view.length_ms / 1000, [_phases(spans)], timeline_marks(view))


def cooldown_timeline(view: FightView, player: int, uses: Sequence[CooldownUse]) -> Timeline | None:
    """Every use for as long as it lasts, below the phases."""
    rows = [
        (use.cooldown.name, [_span(at, at + round(use.cooldown.duration_s * 1000), "buff") for at in use.uses])
        for use in uses
        if use.uses
    ]
    if not rows:
        return None
    title = f"Cooldowns of {view.name_of(player)}"
    return fit_timeline(title, view.length_ms / 1000, [*_told(view), *rows], timeline_marks(view, player))


def dot_timeline(view: FightView, player: int, uses: Sequence[DotUse]) -> Timeline | None:
    """When each was on anything; early renewals are marked."""
    rows = [(use.name, [_span(begin, end, "debuff") for begin, end in use.spans]) for use in uses if use.spans]
    if not rows:
        return None
    marks = timeline_marks(view, player)
    for use in uses:
        marks += [Mark(at=one.at / 1000, label=f"{use.name} renewed early") for one in use.renewals if one.early]
    marks.sort(key=lambda mark: mark.at)
    return fit_timeline(f"DoTs of {view.name_of(player)}", view.length_ms / 1000, [*_told(view), *rows], marks)


def _told(view: FightView) -> list[tuple[str, list[Span]]]:
    """The row of phases, where there are several."""
    spans = phases_of(view)
    return [_phases(spans)] if len(spans) > 1 else []


def _phases(spans: Sequence[PhaseSpan]) -> tuple[str, list[Span]]:
    return "Phases", [
        Span(
            begin=span.begin / 1000, end=span.end / 1000, label=span.name, kind="downtime" if span.downtime else "phase"
        )
        for span in spans
    ]


def _span(begin: int, end: int, kind: str) -> Span:
    return Span(begin=max(0, begin) / 1000, end=max(begin + LEAST_MS, end, 0) / 1000, kind=kind)
