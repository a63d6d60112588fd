"""`report_condition`: how the assistant says whether the condition of a schedule holds, as a tool of its runs only."""

from collections.abc import Iterable
from typing import Annotated

import msgspec

from glassloop.core import events as e
from glassloop.core.records import Json, Record
from glassloop.tools.tool import tool

MAX_WHY_CHARS = 500


class ConditionReport(Record, frozen=True, kw_only=True):
    """Whether a condition holds, and what showed it."""

    met: bool
    why: str


@tool(effect="read", volatile=True, integrity="trusted", confidentiality="public")
async def report_condition(
    met: Annotated[bool, "Whether the condition holds now."],
    why: Annotated[str, "What shows it, in one sentence."],
) -> dict[str, Json]:
    """Report whether the condition that the user waits for holds. Call it once, before you answer."""
    return {"met": met, "why": " ".join(why.split())[:MAX_WHY_CHARS]}


def reported_condition(events: Iterable[e.Durable]) -> ConditionReport | None:
    """The last report of a turn; None where it made none."""
    calls: set[str] = set()
    found: ConditionReport | None = None
    for event in events:
        if isinstance(event, e.ToolCalled) and event.call.tool == report_condition.name:
            calls.add(event.call.id)
        elif isinstance(event, e.ToolReturned) and event.call_id in calls and event.result.success:
            try:
                found = msgspec.convert(event.result.data, ConditionReport)
            except msgspec.ValidationError:
                # An assistant's own tool has that name.
                continue
    return found
