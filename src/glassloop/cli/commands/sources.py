"""`glassloop sources`: where the figures of an answer came from, by step, tool and place in what it returned."""

from collections.abc import Sequence
from dataclasses import dataclass

import typer

from glassloop.cli.options import JsonOption, TurnArgument
from glassloop.cli.resources import find_turn, use_store
from glassloop.cli.ui.output import Line, TerminalStyle, show_result
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.cli.ui.trace_rows import evidence_summary, figures_to_tell
from glassloop.core.errors import UsageError
from glassloop.core.events import (
    AnswerEvaluated,
    ChildRecorded,
    Durable,
    HistoryLoaded,
    ToolCalled,
    ToolReturned,
    TurnStarted,
    innermost,
)
from glassloop.core.evidence.places import written_path
from glassloop.core.messages import ToolMessage
from glassloop.core.records import Figure

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class SourcedFigure:
    """A figure and its place. `step` is 0 where it is of no step of this turn, `tool` empty where it is of no call;
    `path` is empty where the value stands in a text, or was counted or worked out."""

    text: str
    kind: str
    start: int
    end: int
    source: str | None
    origin: str | None
    step: int
    tool: str
    path: str
    found: str | None


_ORIGINS = {
    "question": "the question",
    "context": "given with the question",
    "earlier_words": "an earlier message of yours",
    "earlier_answer": "an earlier answer",
    "earlier_call": "an earlier turn",
}


@app.command()
def sources(turn: TurnArgument, as_json: JsonOption = False) -> None:
    """Show where each figure in an answer came from.

    \b
    Examples:
      glassloop sources 0199c0de-0000-7000-8000-000000000001
      glassloop sources 0199c0de-0000-7000-8000-000000000001 --json
    """
    with use_store() as (runner, store):
        turn_id = runner.run(find_turn(store, turn)).id
        events = runner.run(store.turns.read(turn_id, skip_unknown=True))
    accepted = (event for event in reversed(events) if isinstance(event, AnswerEvaluated) and event.accepted)
    evidence = next((event.evidence for event in accepted), None)
    if evidence is None:
        raise UsageError(f"Turn {turn_id!r} has no answer with traced figures: `glassloop watch` shows the turn.")
    observed = any(isinstance(event, ToolReturned) and event.result.success for event in events)
    figures = figures_to_tell(evidence.figures, observed=observed)
    found = _sourced(events, figures)
    question = next((event.question for event in events if isinstance(event, TurnStarted)), "")
    summary = evidence_summary(question, figures)
    show_result(found, as_json, lambda terminal: _figure_lines(found, summary, terminal))


def _sourced(events: Sequence[Durable], told_figures: Sequence[Figure]) -> list[SourcedFigure]:
    called: dict[str, tuple[int, str]] = {}
    for event in events:
        # What a sub-agent called belongs to the step that asked it.
        if isinstance(told := innermost(event), ToolCalled):
            above = called.get(event.call_id) if isinstance(event, ChildRecorded) else None
            called[told.call.id] = (told.step, told.call.tool) if above is None else (above[0], told.call.tool)
    told = [message for event in events if isinstance(event, HistoryLoaded) for message in event.messages]
    earlier = {message.call_id: message.tool for message in told if isinstance(message, ToolMessage)}
    figures: list[SourcedFigure] = []
    for one in told_figures:
        source = one.source or ""
        step, tool = (0, earlier.get(source, "")) if one.origin == "earlier_call" else called.get(source, (0, ""))
        fields = {name: getattr(one, name) for name in ("text", "kind", "start", "end", "source", "origin", "found")}
        figures.append(SourcedFigure(step=step, tool=tool, path=written_path(one.path), **fields))
    return figures


def _figure_lines(figures: Sequence[SourcedFigure], summary: str, terminal: TerminalStyle) -> list[Line]:
    if not figures:
        return [Line(("The answer has no figures to trace.", "soft"))]
    lines: list[Line] = []
    for figure in figures:
        style = "trouble" if figure.source is None else "soft"
        where = terminal.join(*_place(figure))
        lines.append(Line((one_line(figure.text, 80), "act"), "  ", (safe_text(where), style)))
    return [*lines, Line((summary, "soft"))]


def _place(figure: SourcedFigure) -> list[str]:
    if figure.source is None:
        return ["no source found"]
    parts = [_ORIGINS.get(figure.origin or "", "") or (f"step {figure.step}" if figure.step else ""), figure.tool]
    found = one_line(figure.found or "", 80)
    if figure.origin == "computed":
        parts.append(f"computed from {found}")
    elif figure.origin == "asked":
        parts.append(f"given in the request, not observed: {found}")
    elif figure.tool:
        parts.append(" = ".join(part for part in (figure.path, found) if part))
    return [part for part in parts if part]
