"""`glassloop sources`: where the figures of an answer came from, by step, tool and place in what it returned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import msgspec
import typer

from glassloop.cli.options import JsonOption, TurnArgument
from glassloop.cli.resources import find_turn, use_store
from glassloop.cli.ui.output import Line, TerminalStyle, show_result
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.cli.ui.trace_rows import QUESTION, evidence_summary
from glassloop.core.errors import UsageError
from glassloop.core.events import AnswerEvaluated, Durable, ToolCalled, ToolReturned, TurnStarted
from glassloop.core.records import Evidence, Json, ToolResult

app = typer.Typer()

MAX_VALUES = 200_000
MAX_PATH_CHARS = 120


@dataclass(frozen=True, kw_only=True)
class SourcedFigure:
    """A figure and its place. `step` is 0 and `tool` empty where a person said it; `path` is empty where the value
    stands in a text, or was counted or added up."""

    text: str
    kind: str
    start: int
    end: int
    source: str | None
    step: int
    tool: str
    path: str
    found: str | None


@app.command()
def sources(turn: TurnArgument, as_json: JsonOption = False) -> None:
    """Show where each figure of an answer came from.

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
        raise UsageError(f"Turn {turn_id!r} has no answer whose figures were looked up: `glassloop watch` shows it.")
    found = _sourced(events, evidence)
    question = next((event.question for event in events if isinstance(event, TurnStarted)), "")
    summary = evidence_summary(question, evidence.figures)
    show_result(found, as_json, lambda terminal: _figure_lines(found, summary, terminal))


def _sourced(events: Sequence[Durable], evidence: Evidence) -> list[SourcedFigure]:
    called = {event.call.id: (event.step, event.call.tool) for event in events if isinstance(event, ToolCalled)}
    places = {event.call_id: _places(event.result) for event in events if isinstance(event, ToolReturned)}
    sourced: list[SourcedFigure] = []
    for figure in evidence.figures:
        step, tool = called.get(figure.source or "", (0, ""))
        path = _nearest(places.get(figure.source or "", {}).get(figure.found or "", ()), sourced)
        fields = {name: getattr(figure, name) for name in ("text", "kind", "start", "end", "source", "found")}
        sourced.append(SourcedFigure(step=step, tool=tool, path=path, **fields))
    return sourced


def _nearest(paths: Sequence[str], before: Sequence[SourcedFigure]) -> str:
    """Of the places of one value the first in the row that the answer speaks of, else the first of all."""
    row = before[-1].path.rpartition(".")[0] if before else ""
    return next((path for path in paths if row and path.startswith(f"{row}.")), paths[0] if paths else "")


def _places(result: ToolResult) -> dict[str, list[str]]:
    """Where each value of a result stands."""
    found: dict[str, list[str]] = {}
    for path, value in islice(_leaves(result.data), MAX_VALUES):
        found.setdefault(value if isinstance(value, str) else msgspec.json.encode(value).decode(), []).append(path)
    return found


def _leaves(data: Json) -> Iterator[tuple[str, Json]]:
    """Every plain value with its path, such as `rows[3].total`; without recursion, as nesting is not ours to choose."""
    left: list[tuple[str, Any]] = [("", data)]
    while left:
        path, value = left.pop()
        if len(path) > MAX_PATH_CHARS:
            continue
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value).items()
            left += reversed([(f"{path}.{name}".lstrip("."), each) for name, each in fields])
        elif isinstance(value, list):
            left += reversed([(f"{path}[{place}]", each) for place, each in enumerate(cast("list[Any]", value))])
        elif value is not None:
            yield path, value


def _figure_lines(figures: Sequence[SourcedFigure], summary: str, terminal: TerminalStyle) -> list[Line]:
    if not figures:
        return [Line(("The answer has no figures.", "soft"))]
    lines: list[Line] = []
    for figure in figures:
        style = "trouble" if figure.source is None else "soft"
        if figure.source is None:
            where = "no source found"
        elif figure.source == QUESTION:
            where = "the question"
        else:
            place = " = ".join(part for part in (figure.path, one_line(figure.found or "", 80)) if part)
            where = terminal.join(f"step {figure.step}", figure.tool, place)
        lines.append(Line((one_line(figure.text, 80), "act"), "  ", (safe_text(where), style)))
    return [*lines, Line((summary, "soft"))]
