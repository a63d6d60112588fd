"""Where the figures of an answer came from: the step, the tool and the place in what it returned."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, cast

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.latest import find_turn
from glassloop.cli.look import Look
from glassloop.cli.running import storing
from glassloop.cli.tally import QUESTION, tally
from glassloop.cli.tell import tell
from glassloop.cli.untrusted import inert, one_line
from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.records import Evidence, Figure, Json, ToolResult

MOST_VALUES = 200_000
MOST_PATH = 120


class SourcedFigure(msgspec.Struct, frozen=True, kw_only=True):
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


def show_sources(turn_id: str, *, as_json: bool) -> None:
    """Every figure of the turn's answer."""
    with storing(load_settings()) as (runner, store):
        turn_id = runner.run(find_turn(store, turn_id)).id
        events = runner.run(store.turns.read(turn_id, skip_unknown=True))
    evidence = _evidence(events)
    if evidence is None:
        raise UsageError(f"Turn {turn_id!r} has no answer whose figures were looked up: `glassloop watch` shows it.")
    found = _sourced(events, evidence)
    question = next((event.question for event in events if isinstance(event, e.TurnStarted)), "")
    told = tally(question, evidence.figures)
    tell(found, as_json, lambda look: _shown(found, told, look))


def _evidence(events: Sequence[e.Durable]) -> Evidence | None:
    told = (event for event in reversed(events) if isinstance(event, e.AnswerEvaluated) and event.accepted)
    return next((event.evidence for event in told), None)


def _sourced(events: Sequence[e.Durable], evidence: Evidence) -> list[SourcedFigure]:
    called = {event.call.id: (event.step, event.call.tool) for event in events if isinstance(event, e.ToolCalled)}
    returned = {event.call_id: event.result for event in events if isinstance(event, e.ToolReturned)}
    places = {call_id: _places(result) for call_id, result in returned.items()}
    told: list[SourcedFigure] = []
    for figure in evidence.figures:
        step, tool = called.get(figure.source or "", (0, ""))
        path = _nearest(places.get(figure.source or "", {}).get(figure.found or "", ()), told)
        told.append(_placed(figure, step, tool, path))
    return told


def _placed(figure: Figure, step: int, tool: str, path: str) -> SourcedFigure:
    fields = {name: getattr(figure, name) for name in ("text", "kind", "start", "end", "source", "found")}
    return SourcedFigure(step=step, tool=tool, path=path, **fields)


def _nearest(paths: Sequence[str], told: Sequence[SourcedFigure]) -> str:
    """Of the places of one value the first in the row that the answer speaks of, else the first of all."""
    row = told[-1].path.rpartition(".")[0] if told else ""
    return next((path for path in paths if row and path.startswith(f"{row}.")), paths[0] if paths else "")


def _places(result: ToolResult) -> dict[str, list[str]]:
    """Where each value of a result stands."""
    found: dict[str, list[str]] = {}
    for path, value in islice(_leaves(result.data, ""), MOST_VALUES):
        found.setdefault(value if isinstance(value, str) else msgspec.json.encode(value).decode(), []).append(path)
    return found


def _leaves(data: Json, path: str) -> Iterator[tuple[str, Json]]:
    """Every plain value with its path, such as `rows[3].total`; without recursion, as nesting is not ours to choose."""
    left: list[tuple[str, Any]] = [(path, data)]
    while left:
        path, value = left.pop()
        if len(path) > MOST_PATH:
            continue
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value).items()
            left += reversed([(f"{path}.{name}".lstrip("."), each) for name, each in fields])
        elif isinstance(value, list):
            left += reversed([(f"{path}[{place}]", each) for place, each in enumerate(cast("list[Any]", value))])
        elif value is not None:
            yield path, value


def _shown(figures: Sequence[SourcedFigure], told: str, look: Look) -> RenderableType:
    if not figures:
        return Text("The answer has no figures.", "soft")
    parts: list[RenderableType] = []
    for figure in figures:
        if figure.source is None:
            where, style = "no source found", "trouble"
        elif figure.source == QUESTION:
            where, style = "the question", "soft"
        else:
            place = " = ".join(part for part in (figure.path, one_line(figure.found or "", 80)) if part)
            where, style = look.join(f"step {figure.step}", figure.tool, place), "soft"
        parts.append(Text.assemble((one_line(figure.text, 80), "act"), "  ", (inert(where), style), overflow="fold"))
    parts.append(Text(told, "soft"))
    return Group(*parts)
