"""Files and commands of turns that ended before they had an answer, for the question after them.

Files are told by what is kept of their changes, which knows also those of a call that was stopped; commands by the log.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from glassloop.core import events as e
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.code.undo.kept_store import KeptChange
from glassloop.store.records import TurnRow
from glassloop.store.store import Store

MAX_STOPPED = 5
"""Turns in a row that are told, the newest."""
MAX_FILES = 50
MAX_COMMANDS = 20
QUESTION_CHARS = 200
COMMAND_CHARS = 300
COMMAND_TOOL = "run_command"
NOTE = (
    "Your last turn ended before it had an answer (cancelled by the user, or failed). What it did is done: look at it "
    "before you go on, and do not do it twice."
)


async def tell_stopped(
    store: Store, turns: Sequence[TurnRow], changes: Sequence[KeptChange], undone: Sequence[Json]
) -> dict[str, Json] | None:
    """Files and commands of the last turns of a session up to one that was answered; None where there is nothing to
    tell. `changes` are the session's, `undone` paths that the user took back."""
    stopped = _last_stopped(turns)
    ids = {each.id for each in stopped}
    files = dict.fromkeys(each.change.path for each in changes if each.origin.turn_id in ids)
    commands = [each for row in stopped for each in _commands(await store.turns.read(row.id, skip_unknown=True))]
    left = [path for path in files if path not in undone]
    if not left and not commands:
        return None
    told: dict[str, Json] = {"note": NOTE, "question": stopped[-1].question[:QUESTION_CHARS]}
    if left:
        told["files_changed"] = cast("list[Json]", left[-MAX_FILES:])
    if commands:
        told["commands_run"] = commands[-MAX_COMMANDS:]
    return told


def _last_stopped(turns: Sequence[TurnRow]) -> list[TurnRow]:
    found: list[TurnRow] = []
    for row in reversed(turns):
        if row.status not in ("cancelled", "failed") or len(found) >= MAX_STOPPED:
            break
        found.append(row)
    return found[::-1]


def _commands(events: Sequence[e.Durable]) -> list[Json]:
    """Those that were started, each with how it ended."""
    called = {each.call.id: each.call for each in events if isinstance(each, e.ToolCalled)}
    results = {each.call_id: each.result for each in events if isinstance(each, e.ToolReturned)}
    return [
        {"command": str(call.args.get("command", ""))[:COMMAND_CHARS], "ended": _end_of(results.get(ident))}
        for ident, call in called.items()
        if call.tool == COMMAND_TOOL
    ]


def _end_of(result: ToolResult | None) -> str:
    data = result.data if result is not None else None
    code = cast("Mapping[str, Json]", data).get("exit_code") if isinstance(data, dict) else None
    return "stopped before its end" if code is None else f"exit code {code}"
