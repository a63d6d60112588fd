"""Size of a remembered turn, and the same turn cut to less.

Sizes are those of its JSON: near enough to keep working memory bounded, and cheap. Only working memory is cut; the log
has everything.
"""

from typing import Any

import msgspec

from glassloop.core.records import ConversationTurn, Json, ReActStep, ToolCall, ToolResult

_UNKNOWN_BYTES = 1_000_000


def size_of(value: Any) -> int:
    """In bytes; a value that JSON cannot hold counts as a large one."""
    try:
        return len(msgspec.json.encode(value))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _UNKNOWN_BYTES


def shortened(turn: ConversationTurn, budget: int) -> ConversationTurn:
    """The turn within about `budget` bytes: observations first, then the steps as a whole, then what was said."""
    if size_of(turn) <= budget:
        return turn
    share = budget // (2 * max(len(turn.steps), 1))
    turn = msgspec.structs.replace(turn, steps=tuple(_short_step(step, share) for step in turn.steps))
    if size_of(turn) <= budget:
        return turn
    turn = msgspec.structs.replace(turn, steps=(), plan=None)
    if size_of(turn) <= budget:
        return turn
    part = budget / (size_of(turn) + 500)
    return msgspec.structs.replace(
        turn,
        user_query=cut(turn.user_query, int(len(turn.user_query) * part)),
        agent_response=cut(turn.agent_response, int(len(turn.agent_response) * part)),
        evaluation=None,
    )


def cut(text: str, room: int) -> str:
    """The beginning of a text that is longer than `room` characters, with a note of what is missing.

    The note is ASCII, so that it does not change what the rest is estimated at in tokens.
    """
    return text if len(text) <= room else f"{text[:room]}... ({len(text) - room:,} characters left out)"


def _short_step(step: ReActStep, share: int) -> ReActStep:
    if size_of(step) <= share:
        return step
    room = share // 4
    action, observation = step.action, step.observation
    return msgspec.structs.replace(
        step,
        thought=cut(step.thought, room),
        action=_short_call(action, room) if action else None,
        observation=_short_result(observation, room) if observation else None,
    )


def _short_call(call: ToolCall, room: int) -> ToolCall:
    if size_of(call.args) <= room:
        return call
    each = room // len(call.args)
    args: dict[str, Json] = {}
    for name, value in call.args.items():
        args[name] = cut(value, each) if isinstance(value, str) else value if size_of(value) <= each else None
    return msgspec.structs.replace(call, args=args)


def _short_result(result: ToolResult, room: int) -> ToolResult:
    return msgspec.structs.replace(
        result,
        output=cut(result.output, room),
        error=cut(result.error, room) if result.error else result.error,
        data=result.data if size_of(result.data) <= room else None,
        metadata=result.metadata if size_of(result.metadata) <= room else {},
    )
