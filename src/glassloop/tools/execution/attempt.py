"""One attempt at a call: arguments checked, work done within its time, whatever comes of it put into a result.

Total: only cancellation passes through. Whether to try again, and what may be remembered, is the orchestrator's.
"""

import asyncio
import logging
import re
from collections.abc import Coroutine
from typing import Any

import msgspec

from glassloop.core.call_terms import CallTerms
from glassloop.core.errors import BadArguments, ToolError, ToolTimedOut, ToolUnavailable, text_for_users
from glassloop.core.labels import OWN, UNKNOWN, lowest
from glassloop.core.ports import CallContext, Clock
from glassloop.core.records import Cause, Json, ToolResult
from glassloop.tools.context import ToolContext
from glassloop.tools.result import failure, to_json, to_result
from glassloop.tools.tool import Tool

REASON_CHARS = 500
_FOLDERS = re.compile(r"""(?<![\w/:.\\])/(?:[^\s/'"<>:,;()]++/)++|(?<!\w)[A-Za-z]:\\(?:[^\s\\'"<>:,;()]++\\)*+""")

logger = logging.getLogger("glassloop.tools")
# Without a handler of its own a library's records would land on the user's terminal.
logger.addHandler(logging.NullHandler())


async def attempt(
    tool: Tool, args: Any, context: CallContext, clock: Clock, limit_s: float | None = None
) -> tuple[ToolResult, bool]:
    """The result, and whether it is a failure that may pass by itself. `limit_s`: what is left of the tool's time."""
    started = clock()
    try:
        checked = tool.validate(args)
    except Exception as error:
        return failure(_explain(tool, error), _since(started, clock), labels=OWN), False
    try:
        work = tool.start(checked, context)
        value = await (_within(limit_s or tool.spec.timeout_s, work) if tool.spec.waits else work)
    except _OutOfTime:
        return _timed_out(tool, _since(started, clock)), False
    except asyncio.CancelledError as error:
        if _cancelled_from_outside():
            raise
        return failure(f"{describe(error)}: what the tool waited for was cancelled.", _since(started, clock)), False
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        return _failed(tool, args, error, _since(started, clock))
    taken = clock() - started
    result = to_result(value, taken * 1000.0 if taken > 0.0 else 0.0)
    # What declares nothing has no labels of its own: it costs nothing, and counts as untrusted.
    return result if tool.spec.labels == UNKNOWN and result.labels is None else _labelled(tool, result), False


async def show(tool: Tool, args: Any, context: CallContext) -> Json:
    """The preview of a call as plain JSON; a failure becomes `{"error": reason}`, for the person to see.

    A `ToolError` from the preview is passed on: the call cannot work, and there is nothing to approve.
    """
    try:
        checked = tool.validate(args)
    except Exception as error:
        return {"error": _explain(tool, error)}
    try:
        async with asyncio.timeout(tool.spec.timeout_s):
            shown = await tool.preview(checked, ToolContext.of(context))
        return to_json(shown)
    except (KeyboardInterrupt, GeneratorExit, ToolError):
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _cancelled_from_outside():
            raise
        logger.warning("preview of tool %s failed", tool.name, exc_info=error, extra={"arguments": args})
        return {"error": f"The preview could not be made: {describe(error)}"}


async def terms_of(tool: Tool, args: Any, context: CallContext) -> CallTerms:
    """On which terms a call runs. A `ToolError` is passed on: the call cannot work. Any other failure asks."""
    try:
        async with asyncio.timeout(tool.spec.timeout_s):
            said = await tool.terms(tool.validate(args), ToolContext.of(context))
    except (KeyboardInterrupt, GeneratorExit, ToolError):
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _cancelled_from_outside():
            raise
        logger.warning("terms of tool %s failed", tool.name, exc_info=error, extra={"arguments": args})
        return CallTerms(asks=True, grant="never")
    return said if isinstance(said, CallTerms) else CallTerms(asks=None if said is None else bool(said))


class _OutOfTime(Exception):
    """The work did not end within its time, and was cancelled."""


async def _within(seconds: float, work: Coroutine[Any, Any, Any]) -> Any:
    """What the work returns or raises; `_OutOfTime` where it takes longer, whatever it raised on its way out."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await work
    except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        if limit.expired():
            raise _OutOfTime from error
        raise


def _timed_out(tool: Tool, duration_ms: float) -> ToolResult:
    """Past its time. Whether an effect took place is then unknown, unless doing it twice does no harm."""
    limit = tool.spec.timeout_s
    logger.warning("tool %s timed out after %g s", tool.name, limit)
    return failure(f"{tool.name!r} timed out after {limit:g} s.", duration_ms, cause=_cut_off(tool), labels=OWN)


def _labelled(tool: Tool, result: ToolResult) -> ToolResult:
    """The result with the tool's labels, or lower ones where it says so itself."""
    declared = tool.spec.labels
    labels = declared if result.labels is None else lowest((declared, result.labels))
    return msgspec.structs.replace(result, labels=labels)


def describe(error: BaseException) -> str:
    """A short reason in one line's length: for a `ToolError` its words, else type and message, files without the
    folders they lie in; never a stack."""
    try:
        message = text_for_users(error).strip()
    except Exception:
        message = ""
    kind = type(error).__name__
    if isinstance(error, ToolError):
        return message or kind
    text = f"{kind}: {_FOLDERS.sub('', message)}" if message else kind
    return text if len(text) <= REASON_CHARS else f"{text[: REASON_CHARS - 1]}…"


def _failed(tool: Tool, args: Any, error: BaseException, duration_ms: float) -> tuple[ToolResult, bool]:
    passing = isinstance(error, (ToolUnavailable, ConnectionError, TimeoutError, *tool.retry_on))
    passing = passing and not isinstance(error, BadArguments)
    if isinstance(error, ToolError):
        logger.info("tool %s failed: %s", tool.name, type(error).__name__)
    else:
        # The words of the error may hold what the tool was given: the log looks there for what it must leave out.
        given = {"arguments": args}
        logger.error("tool %s raised %s", tool.name, type(error).__name__, exc_info=error, extra=given)
    cause: Cause = _cut_off(tool) if isinstance(error, ToolTimedOut) else "ran"
    return _labelled(tool, failure(describe(error), duration_ms, cause=cause)), passing


def _cut_off(tool: Tool) -> Cause:
    """What is known of work that was stopped in the middle."""
    return "in_doubt" if tool.spec.effect != "read" and not tool.spec.idempotent else "ran"


def _explain(tool: Tool, error: Exception) -> str:
    try:
        return tool.explain(error)
    except Exception:
        logger.exception("the faults of a call of %s could not be put into words", tool.name)
        return f"Bad arguments for {tool.name!r}: {describe(error)}"


def _cancelled_from_outside() -> bool:
    """Whether someone cancelled this task, and not merely something that the tool was waiting for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _since(started: float, clock: Clock) -> float:
    return max(0.0, (clock() - started) * 1000.0)
