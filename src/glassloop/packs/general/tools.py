"""The general assistant's tools: arithmetic, units, time, notes and a list of things to do.

Owns the wording a model reads and the shape of the results. The work is done in the modules beside it.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from glassloop.core.ports import Clock
from glassloop.core.records import Json
from glassloop.packs.general.conversion import convert
from glassloop.packs.general.database import Database
from glassloop.packs.general.expression import evaluate
from glassloop.packs.general.notes import Notes, no_note
from glassloop.packs.general.number import show
from glassloop.packs.general.todos import Action, Todos
from glassloop.packs.general.zones import Zones
from glassloop.store.log.redaction import Redactor
from glassloop.tools.tool import Tool, ToolContext, tool


def make_tools(home: Path, clock: Clock = time.time, redact: Callable[[str], str] | None = None) -> Sequence[Tool]:
    """All of them, keeping what they keep in `notes.db` in the home folder; nothing is written before it is needed."""
    database, redact = Database(home), redact or Redactor().text
    notes, todos = Notes(database, clock, redact), Todos(database, redact)
    return (calculate, convert_units, _time_tool(clock), *_note_tools(notes), _todo_tool(todos))


@tool(effect="read", domain="general")
def calculate(expression: str) -> dict[str, Json]:
    """Work out an arithmetic expression exactly.

    Args:
        expression: Such as "15% of 230", "(3+4)^2", "sqrt(2)", "mean(1, 2, 6)". Angles in radians, or 30°.
    """
    shown = show(evaluate(expression))
    result: dict[str, Json] = {"expression": expression, "result": shown.value}
    if shown.exact:
        result["exact"] = shown.exact
    if shown.rounded:
        result["rounded"] = True
    return result


@tool(effect="read", domain="general")
def convert_units(value: float, from_unit: str, to_unit: str) -> dict[str, Json]:
    """Convert a value to another unit of measurement. No currencies.

    Args:
        value: The number to convert.
        from_unit: Its unit, such as "mile", "°F", "GB", "km/h", "square feet".
        to_unit: The unit wanted.
    """
    done = convert(value, from_unit, to_unit)
    sign = "≈" if done.value.rounded else "="
    return {
        "result": done.value.value,
        "unit": done.target.symbol,
        "text": f"{done.given.value} {done.source.symbol} {sign} {done.value.value} {done.target.symbol}",
        "from": done.source.name,
        "to": done.target.name,
    }


def _time_tool(clock: Clock) -> Tool:
    zones = Zones()

    @tool(effect="read", volatile=True, domain="general")
    def current_time(timezone: str = "UTC") -> dict[str, Json]:
        """The current time and date: what day it is today, in a time zone.

        Args:
            timezone: A time zone, city or offset: "Europe/Paris", "Tokyo", "+08:00" or "local".
        """
        return dict(zones.read(clock(), timezone))

    return current_time


def _note_tools(notes: Notes) -> Sequence[Tool]:
    def preview_forget(note_id: int, context: ToolContext) -> dict[str, Json]:
        note = notes.find(context.user, note_id)
        if note is None:
            raise no_note(note_id)
        return {"forget": dict(note)}

    @tool(effect="write", idempotent=True, domain="general")
    def remember(text: str, context: ToolContext, topic: str = "") -> dict[str, Json]:
        """Save a note or fact the user wants kept for later.

        Args:
            text: The fact to keep, as one full sentence.
            topic: A word to file it under.
        """
        return {"remembered": dict(notes.remember(context.user, _key(context), text, topic))}

    @tool(effect="read", volatile=True, domain="general")
    def recall(context: ToolContext, query: str = "", limit: int = 5) -> dict[str, Json]:
        """Recall notes you remember about the user.

        Args:
            query: Words to look for; empty for the latest.
            limit: How many at most.
        """
        found, known = notes.recall(context.user, query, limit)
        if not found:
            about = f" about {query[:100]!r}" if known and query.strip() else ""
            return {"notes": [], "known": known, "message": f"Nothing is known{about}."}
        return {"notes": [dict(note) for note in found], "known": known}

    @tool(effect="write", idempotent=True, confirm=True, preview=preview_forget, domain="general")
    def forget(note_id: int, context: ToolContext) -> dict[str, Json]:
        """Delete a note by its id.

        Args:
            note_id: The note's id, as recall gives it.
        """
        return {"forgotten": notes.forget(context.user, _key(context), note_id)}

    return remember, recall, forget


def _todo_tool(todos: Todos) -> Tool:
    @tool(effect="write", idempotent=True, volatile=True, domain="general")
    def todo(
        action: Action,
        context: ToolContext,
        text: str = "",
        item: Annotated[int, "The item's number, for done and remove."] = 0,
    ) -> dict[str, Json]:
        """Keep a todo list of tasks for this conversation; returns the list.

        Args:
            action: What to do with the list.
            text: The task, for add.
        """
        items = todos.change(context.session_id, _key(context), action, text, item)
        return {"items": [dict(one) for one in items], "open": sum(not one["done"] for one in items)}

    return todo


def _key(context: ToolContext) -> str:
    """Empty for a call made by hand, which is nobody's repetition."""
    return context.idempotency_key if context.call_id else ""
