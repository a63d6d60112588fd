"""`todo`: the assistant's own list of things to do, one per session, as a tool for any assistant.

Owns the list and what can be done with it. Items keep their number for good: `remove 2` said twice removes one item.
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, cast

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.labels import Integrity
from glassloop.core.records import Json, ToolResult
from glassloop.runtime.tools.notes import labelled, mark
from glassloop.runtime.tools.notes_file import NotesFile, context_key, next_number
from glassloop.store.log.redaction import Redactor
from glassloop.tools.tool import Tool, ToolContext, tool

MAX_TEXT_CHARS = 300
MAX_ITEMS = 100
TODO = "todo"
"""The tool's name."""

Action = Literal["add", "list", "done", "remove", "clear"]
Item = dict[str, str | int | bool]


class Todos:
    """The lists of all sessions in one file."""

    def __init__(self, database: NotesFile, redact: Callable[[str], str]) -> None:
        self._database = database
        self._redact = redact

    def change(
        self, session: str, key: str, action: Action, text: str, item: int, integrity: Integrity = "trusted"
    ) -> list[Item]:
        """Do what `action` says, once per key, and return the list as it stands afterwards."""
        if action == "list":
            return self.items(session)
        text = text.strip()
        if action == "add" and not 0 < len(text) <= MAX_TEXT_CHARS:
            raise BadArguments(f"To add an item, give its text, 1 to {MAX_TEXT_CHARS} characters, not {len(text):,}.")
        text = self._redact(text)

        def effect(connection: sqlite3.Connection) -> None:
            if action == "add":
                _add(connection, session, text, integrity)
            elif action == "clear":
                connection.execute("DELETE FROM todos WHERE owner = ?", (session,))
            else:
                _mark(connection, session, action, _meant(connection, session, text, item))

        self._database.apply(session, key, effect)
        return self.items(session)

    def items(self, session: str) -> list[Item]:
        with self._database.reading() as connection:
            return _items(connection, session)


def _items(connection: sqlite3.Connection, session: str) -> list[Item]:
    rows = connection.execute(
        "SELECT number, text, done, integrity FROM todos WHERE owner = ? ORDER BY number", (session,)
    )
    return [
        {"item": number, "text": text, "done": bool(done), **mark(integrity)} for number, text, done, integrity in rows
    ]


def _add(connection: sqlite3.Connection, session: str, text: str, integrity: Integrity) -> None:
    (count,) = connection.execute("SELECT count(*) FROM todos WHERE owner = ?", (session,)).fetchone()
    if count >= MAX_ITEMS:
        raise BadArguments(f"The list has {count} items, which is the limit: remove some first.")
    connection.execute(
        "INSERT INTO todos (owner, number, text, done, integrity) VALUES (?, ?, ?, 0, ?)",
        (session, next_number(connection, session, "todo"), text, integrity),
    )


def _mark(connection: sqlite3.Connection, session: str, action: Literal["done", "remove"], number: int) -> None:
    if action == "done":
        connection.execute("UPDATE todos SET done = 1 WHERE owner = ? AND number = ?", (session, number))
    else:
        connection.execute("DELETE FROM todos WHERE owner = ? AND number = ?", (session, number))


def _meant(connection: sqlite3.Connection, session: str, text: str, item: int) -> int:
    """The item by its number, or by its text where exactly one has it."""
    items = _items(connection, session)
    if item:
        found = [one["item"] for one in items if one["item"] == item]
    else:
        found = [one["item"] for one in items if text and text.lower() in str(one["text"]).lower()]
    if len(found) == 1:
        return int(found[0])
    numbers = ", ".join(str(one["item"]) for one in items) or "none: the list is empty"
    raise BadArguments(f"Say which item by its number; {item or text!r} is not one item. The numbers are {numbers}.")


def as_list(data: Json) -> list[Item] | None:
    """The list that a result of the tool holds; None for anything else."""
    found = cast("dict[str, Json]", data).get("items") if isinstance(data, dict) else None
    return cast("list[Item]", found) if isinstance(found, list) else None


def as_text(items: Sequence[Item], *, everything: bool = False) -> str:
    """The list in short: what is still open with its numbers, or `everything`, and how many are done."""
    lines = [
        f"{one['item']}. [{'x' if one['done'] else ' '}] {one['text']}"
        for one in items
        if everything or not one["done"]
    ]
    done = sum(bool(one["done"]) for one in items)
    return "\n".join([*lines, f"{done} of {len(items)} done"]) if items else "The list is empty."


def make_tools(home: Path, redact: Callable[[str], str] | None = None) -> Sequence[Tool]:
    """The one tool, over `notes.db` in the home folder."""
    todos = Todos(NotesFile(home), redact or Redactor().text)

    @tool(name=TODO, effect="write", idempotent=True, volatile=True, integrity="trusted")
    def todo(
        action: Action,
        context: ToolContext,
        text: str = "",
        item: Annotated[int, "The item's number, for done and remove."] = 0,
    ) -> ToolResult:
        """Keep a todo list of tasks for this conversation; returns the list.

        Args:
            action: What to do with the list.
            text: The task, for add.
        """
        key, integrity = context_key(context), context.labels.integrity
        items = todos.change(context.session_id, key, action, text, item, integrity)
        told = labelled({"items": [dict(one) for one in items], "open": sum(not one["done"] for one in items)}, items)
        return msgspec.structs.replace(told, output=as_text(items, everything=action == "list"))

    return (todo,)
