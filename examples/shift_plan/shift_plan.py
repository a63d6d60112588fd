"""An example extension: a tool for the business assistant, and hooks that watch how much work a turn was."""

import logging
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from glassloop import Extension, HookedTurn, Plugin, ReactResponse, Tool, ToolCall, ToolError, ToolResult, tool

CREWS = ("Jade", "Pearl", "Harbor")
HOURS = {"early": "06:00–14:00", "late": "14:00–22:00", "night": "22:00–06:00"}
EXPECTED_CALLS = 5

log = logging.getLogger("shift_plan")


@tool(effect="read", domain="oa")
def get_shift_plan(
    day: Annotated[str, "The day, as 2026-03-31."],
    shift: Annotated[Literal["any", "early", "late", "night"], "Only this shift."] = "any",
) -> dict[str, Any]:
    """The shift plan of production (排班): which crew works early, late and at night on a day."""
    try:
        week = date.fromisoformat(day).isocalendar().week
    except ValueError:
        raise ToolError(f"{day[:40]!r} is no day: write it as 2026-03-31.") from None
    wanted = [name for name in HOURS if shift in ("any", name)]
    rows = [
        {"shift": name, "hours": HOURS[name], "crew": CREWS[(week + number) % len(CREWS)]}
        for number, name in enumerate(HOURS)
        if name in wanted
    ]
    return {"day": day, "rows": rows}


class ShiftPlan(Plugin):
    """The crews rotate every week. Turns that take many tool calls are told of in the log."""

    name: ClassVar[str] = "shift_plan"
    assistants: ClassVar[tuple[str, ...]] = ("business",)

    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:
        return [get_shift_plan]

    async def after_tool_call(self, turn: HookedTurn, call: ToolCall, result: ToolResult) -> None:
        turn.data.setdefault("calls", []).append(f"{call.tool}: {'ok' if result.success else 'failed'}")

    async def turn_end(self, turn: HookedTurn, response: ReactResponse) -> None:
        calls = turn.data.get("calls", [])
        if len(calls) > EXPECTED_CALLS:
            log.warning("turn %s took %d tool calls: %s", turn.turn_id, len(calls), ", ".join(calls))


class ShiftPlanExtension(Extension):
    name: ClassVar[str] = "shift_plan"

    def plugins(self) -> Sequence[type[Plugin]]:
        return (ShiftPlan,)
