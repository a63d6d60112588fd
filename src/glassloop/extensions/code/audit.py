"""The audit of this pack's calls: which file or command, whose, and what became of it, as rows of the kind `code`.

A call that is refused before anybody is asked is recorded too. That a row cannot be written stops no call.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any, cast

from glassloop.core.call_terms import CallTerms
from glassloop.core.errors import GlassloopError, ToolError, ToolUnavailable
from glassloop.core.ports import CallContext
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.code.access import shown
from glassloop.store.store import Store
from glassloop.store.tables.governance.operations import Outcome, ToolOperation
from glassloop.tools.result import to_result
from glassloop.tools.tool import Tool, ToolContext

KIND = "code"
MAX_ROWS = 1_000_000
KEEP_DAYS = 90.0
DAY_S = 86_400.0
MAX_WAITING = 1_000
"""Rows of cancelled calls that are being written at a time."""

_log = logging.getLogger("glassloop.code")
_writing: set[asyncio.Task[None]] = set()


def audited(tools: Iterable[Tool], store: Store | None) -> Sequence[Tool]:
    """The tools with their calls recorded; as they are where there is no store."""
    return tuple(tools) if store is None else tuple(AuditedTool(each, store) for each in tools)


async def prune(store: Store) -> int:
    """Removes rows that are too old, and the oldest of too many; how many."""
    return await store.operations.prune(KIND, store.engine.clock() - KEEP_DAYS * DAY_S, MAX_ROWS)


class AuditedTool(Tool):
    """A tool whose calls are recorded; in all else the tool itself."""

    def __init__(self, inner: Tool, store: Store) -> None:
        for name in Tool.__annotations__:
            setattr(self, name, getattr(inner, name))
        self.spec, self.validate = inner.spec, inner.validate
        self._inner = inner
        self._store = store

    @property
    def has_terms(self) -> bool:
        return self._inner.has_terms

    async def terms(self, input: Any, context: ToolContext, /) -> bool | CallTerms | None:  # noqa: A002
        try:
            return await self._inner.terms(input, context)
        except ToolError as error:
            await self._write(self._operation(input, context, outcome_of(error), why=str(error)))
            raise

    async def preview(self, input: Any, context: ToolContext, /) -> Any:  # noqa: A002
        try:
            return await self._inner.preview(input, context)
        except ToolError as error:
            await self._write(self._operation(input, context, outcome_of(error), why=str(error)))
            raise

    async def execute(self, input: Any, context: ToolContext, /) -> Any:  # noqa: A002
        return await self._recorded(self._inner.execute(input, context), input, context)

    def start(self, input: Any, context: CallContext) -> Coroutine[Any, Any, Any]:  # noqa: A002
        return self._recorded(self._inner.start(input, context), input, context)

    async def _recorded(
        self, work: Coroutine[Any, Any, Any], given: Any, context: CallContext | ToolContext
    ) -> ToolResult:
        try:
            result = to_result(await work)
        except asyncio.CancelledError:
            # Nobody waits here any more: the row is written by itself.
            self._write_later(self._operation(given, context, "failed", why="cancelled, or out of time"))
            raise
        except Exception as error:
            await self._write(self._operation(given, context, outcome_of(error), why=str(error)))
            raise
        outcome: Outcome = "done" if result.success else "failed"
        await self._write(self._operation(given, context, outcome, result, result.error or ""))
        return result

    def _operation(
        self,
        given: Any,
        context: CallContext | ToolContext,
        outcome: Outcome,
        result: ToolResult | None = None,
        why: str = "",
    ) -> ToolOperation:
        told: Mapping[str, Json] = {} if result is None else result.metadata
        return ToolOperation(
            kind=KIND,
            user_id=context.user,
            session_id=context.session_id,
            turn_id=context.turn_id,
            call_id=context.call_id,
            tool=self.name,
            path=_told_path(told) or _given_path(given),
            operation=str(told.get("change_type") or self.effect),
            bytes=_bytes(result),
            outcome=outcome,
            why=why,
        )

    async def _write(self, operation: ToolOperation) -> None:
        try:
            await self._store.operations.record(operation)
        except GlassloopError as error:
            _log.warning("a call of %s is not in the audit: %s", self.name, error)

    def _write_later(self, operation: ToolOperation) -> None:
        if len(_writing) >= MAX_WAITING:
            _log.warning("a cancelled call of %s is not in the audit: too many are being written", self.name)
            return
        task = asyncio.get_running_loop().create_task(self._write(operation))
        _writing.add(task)
        task.add_done_callback(_writing.discard)


def outcome_of(error: BaseException) -> Outcome:
    """A tool that says no did nothing; whatever else ends a call is a failure."""
    return "refused" if isinstance(error, ToolError) and not isinstance(error, ToolUnavailable) else "failed"


def _told_path(told: Mapping[str, Json]) -> str:
    paths = told.get("paths")
    return ", ".join(map(str, cast("list[Json]", paths))) if isinstance(paths, list) else str(told.get("path") or "")


def _given_path(given: Any) -> str:
    """The path as the model gave it, fit to be shown."""
    values: dict[str, Any] = getattr(given, "__dict__", {})
    edits = cast("Sequence[Any]", values.get("edits") or ())
    path = values.get("path") or values.get("source") or (getattr(edits[0], "path", "") if edits else "")
    return shown(path).strip("'") if isinstance(path, str) and path else ""


def _bytes(result: ToolResult | None) -> int:
    """What was read, or what the files that were written have now."""
    if result is None:
        return 0
    if isinstance(size := result.metadata.get("size"), int):
        return size
    data = cast("dict[str, Json]", result.data) if isinstance(result.data, dict) else {}
    changes = cast("list[dict[str, Json] | None]", data.get("changes") or [data.get("change")])
    after = [cast("dict[str, Json] | None", each.get("after")) for each in changes if each]
    return sum(int(each.get("size") or 0) for each in after if each)
