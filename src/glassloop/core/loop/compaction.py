"""Compaction: keeps the transcript within the model's context window.

Old results are cleared first, all at once; where that is not enough the oldest messages are replaced by a summary. The
log keeps everything. A call is never separated from its result.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from glassloop.core import events as e
from glassloop.core.evidence import sourced_in
from glassloop.core.loop.fold import carried_attachments
from glassloop.core.loop.observations import CLEARED_TOKENS, MIN_SHOWN_CHARS
from glassloop.core.loop.side_questions import ask
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import (
    AssistantMessage,
    Message,
    ToolMessage,
    UserMessage,
    message_tokens,
    note,
    without_attachments,
)
from glassloop.core.ports import Ask
from glassloop.core.protocols.result_pages import shown_page
from glassloop.core.protocols.transcript import shown_content
from glassloop.core.records import ToolCall

SUMMARIZE = (
    "Summarize the conversation so that it can go on without the original: what was asked, what was found (keep "
    "figures, names, dates and identifiers exactly), what the user wishes from now on, what was decided, what is open. "
    "At most 300 words."
)
SUMMARY_CHARS = 6000
MIN_CLEARED = 0.25
"""Clearing is worth it where it frees that part of the transcript."""

MAX_PARTS = 8
"""Parts that a long conversation is summarised in: beyond, its messages are shortened."""

Summarize = Callable[[Sequence[Message]], Awaitable[str | None]]
_Group = tuple[Message, list[tuple[ToolCall, ToolMessage | None]]]
"""A message and its calls, each with its result."""


def is_pinned(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.is_pinned


def cut_point(messages: Sequence[Message], keep_recent: int) -> int:
    """How many of the oldest messages may leave: all but the last `keep_recent`, moved back to a step's beginning."""
    cut = len(messages) - keep_recent
    while cut > 0 and isinstance(messages[cut], ToolMessage):
        cut -= 1
    return max(cut, 0)


def can_compact(messages: Sequence[Message], keep_recent: int) -> bool:
    """Whether more than a summary could leave the context."""
    cut = cut_point(messages, keep_recent)
    return cut - sum(map(is_pinned, messages[:cut])) > 1


async def compress_if_needed(
    messages: Sequence[Message], summarize: Summarize, token_budget: int = 6000, keep_recent: int = 4
) -> Sequence[Message]:
    """The messages as they are, or over budget all but the last few as one summary. Instructions stay whole.

    When the summary cannot be made, a note says how many messages were left out.
    """
    if len(messages) <= keep_recent or sum(map(message_tokens, messages)) <= token_budget:
        return messages
    cut = cut_point(messages, keep_recent)
    old = [message for message in messages[:cut] if not is_pinned(message)]
    if not old:
        return messages
    summary = await summarize(old) or omission_note(len(old))
    sourced = await asyncio.to_thread(sourced_in, summary, old)
    pinned = filter(is_pinned, messages[:cut])
    return (*pinned, note("summary", f"Summary of the conversation so far:\n{summary}", sourced), *messages[cut:])


def paired(messages: Sequence[Message]) -> Sequence[Message]:
    """A transcript from outside, made valid: each result follows its call, and calls without results and results
    without calls are left out. Ids may repeat between messages, as some servers number the calls of each reply anew: a
    result belongs to the newest call before it, and all get ids that no call of this turn has."""
    if not any(isinstance(message, ToolMessage) or getattr(message, "calls", ()) for message in messages):
        return messages
    groups: list[_Group] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            _answer(groups, message)
        else:
            calls = message.calls if isinstance(message, AssistantMessage) else ()
            groups.append((message, [(call, None) for call in calls]))
    return list(_renumbered(groups))


def _answer(groups: Sequence[_Group], result: ToolMessage) -> None:
    """Gives a result to the newest message that has an open call of its id; of several in it, to the first."""
    for _, calls in reversed(groups):
        for place, (call, answered) in enumerate(calls):
            if answered is None and call.id == result.call_id:
                calls[place] = call, result
                return


def _renumbered(groups: Sequence[_Group]) -> Iterator[Message]:
    count = 0
    for message, calls in groups:
        if not isinstance(message, AssistantMessage) or not calls:
            yield message
            continue
        renamed: list[ToolCall] = []
        results: list[ToolMessage] = []
        for call, result in calls:
            if result is not None:
                count += 1
                name = f"earlier_{count}"
                renamed.append(replace(call, id=name))
                results.append(replace(result, call_id=name, tool=call.tool))
        yield AssistantMessage(text=message.text or ("" if renamed else "…"), calls=tuple(renamed))
        yield from results


async def summarize_in_parts(ask: Ask, room: int, messages: Sequence[Message]) -> str | None:
    """A summary of a conversation that may be longer than the window: part by part, each with the summary before it."""
    summary: str | None = None
    for part in text_parts(messages, room):
        before = f"Summary of what came before:\n{summary}\n\nWhat followed:\n" if summary else ""
        summary = await ask("summarize", SUMMARIZE, before + part, None)
        if not summary:
            return None
    return summary


def text_parts(messages: Sequence[Message], room: int) -> Iterator[str]:
    """A transcript for the summarizer in parts of about `room` characters, at most `MAX_PARTS` of them."""
    each = max(room * MAX_PARTS // len(messages), 100)
    lines: list[str] = []
    size = 0
    for message in messages:
        line = shown_page(as_text((message,)), min(each, room))
        if size + len(line) > room and lines:
            yield "\n".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    yield "\n".join(lines)


def omission_note(count: int) -> str:
    return f"({count} earlier messages were left out.)"


def as_text(messages: Sequence[Message]) -> str:
    """A transcript for the summarizer: what the model that decides was shown."""
    lines: list[str] = []
    for message in messages:
        match message:
            case UserMessage():
                shown = without_attachments(message) if message.attachments else message
                lines.append(f"{'User' if message.author == 'person' else 'Note'}: {shown.content}")
            case AssistantMessage(text=text, calls=calls):
                wanted = "".join(f" [calls {call.tool} {msgspec.json.encode(call.args).decode()}]" for call in calls)
                lines.append(f"Assistant: {text}{wanted}")
            case ToolMessage(tool=tool):
                lines.append(f"Result of {tool}: {shown_content(message)}")
    return "\n".join(lines)


def _clearable(message: Message) -> int:
    """The tokens that clearing this message frees."""
    if not isinstance(message, ToolMessage) or len(message.content) <= MIN_SHOWN_CHARS:
        return 0
    return max(message_tokens(message) - CLEARED_TOKENS, 0)


async def compact(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Clears the old results of the running turn's transcript or replaces its oldest part by a summary, as an event."""
    state = turn.state
    cut = cut_point(state.messages, turn.profile.keep_recent)
    before = state.tokens
    freed = sum(_clearable(message) for message in state.messages[:cut])
    if freed >= MIN_CLEARED * before:
        turn.record(
            e.ContextCompacted(
                **turn.stamp(), left_out=0, cleared=cut, summary="", tokens_before=before, tokens_after=before - freed
            )
        )
        for event in await turn.commit():
            yield event
        return
    old = [message for message in state.messages[:cut] if not is_pinned(message)]
    summary = await ask(turn, "summarize", SUMMARIZE, as_text(old))
    summary = (summary or "").strip()[:SUMMARY_CHARS] or omission_note(len(old))
    if not any(
        isinstance(message, UserMessage) and message.content == state.question for message in state.messages[cut:]
    ):
        summary += f"\nThe question to answer: {state.question[:SUMMARY_CHARS]}"
    # What the summary makes up is no source later.
    sourced = await asyncio.to_thread(sourced_in, summary, turn.seen(old), state.question)
    pinned = filter(is_pinned, state.messages[:cut])
    told = UserMessage(summary, attachments=carried_attachments(state, cut))
    after = message_tokens(told) + sum(map(message_tokens, (*pinned, *state.messages[cut:])))
    turn.record(
        e.ContextCompacted(
            **turn.stamp(),
            left_out=cut,
            summary=summary,
            tokens_before=before,
            tokens_after=after,
            sourced=sourced,
        )
    )
    for event in await turn.commit():
        yield event
