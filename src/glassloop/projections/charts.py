"""The charts of a turn: those in the data of its tool results that can be drawn, in order. Pure."""

from collections.abc import Iterable, Sequence

import msgspec

from glassloop.core import events as e
from glassloop.core.charts import Chart, chart_in

MOST_CHARTS = 20


class CallChart(msgspec.Struct, frozen=True, kw_only=True):
    """A chart and the call whose result has it."""

    call_id: str
    chart: Chart


def charts_of(events: Iterable[e.Event]) -> Sequence[CallChart]:
    found: list[CallChart] = []
    for event in events:
        if isinstance(event, e.ToolReturned) and event.result.success:
            chart = chart_in(event.result.data)
            if chart is not None and len(found) < MOST_CHARTS:
                found.append(CallChart(call_id=event.call_id, chart=chart))
    return found
