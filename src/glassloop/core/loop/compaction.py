"""Compaction: keeps the transcript within the model's context window.

The oldest messages are replaced by a summary; the log keeps them. A call is never separated from its result.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from glassloop.core import events as e
from glassloop.core.evidence import sourced_in
from glassloop.core.loop.state import message_tokens
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, note
from glassloop.core.protocols.transcript import shorten_observation

_SYSTEM = (
    "Summarize the conversation so that it can go on without the original: what was asked, what was found (keep "
    "figures, names, dates and identifiers exactly), what was decided, what is open. At most 300 words."
)
SUMMARY_CHARS = 6000
_SHOWN_CHARS = 1500

Summarize = Callable[[Sequence[Message]], Awaitable[str | None]]


def cut_point(messages: Sequence[Message], keep_recent: int) -> int:
    """How many of the oldest messages may leave: all but the last `keep_recent`, moved back to a step's beginning."""
    cut = len(messages) - keep_recent
    while cut > 0 and isinstance(messages[cut], ToolMessage):
        cut -= 1
    return max(cut, 0)


def can_compact(messages: Sequence[Message], keep_recent: int) -> bool:
    """Whether more than a summary could leave the context."""
    return cut_point(messages, keep_recent) > 1


async def compress_if_needed(
    messages: Sequence[Message], summarize: Summarize, token_budget: int = 6000, keep_recent: int = 4
) -> Sequence[Message]:
    """The messages as they are, or over budget all but the last few as one summary.

    When the summary cannot be made, a note says how many messages were left out.
    """
    if len(messages) <= keep_recent or sum(map(message_tokens, messages)) <= token_budget:
        return messages
    cut = cut_point(messages, keep_recent)
    if cut < 1:
        return messages
    summary = await summarize(messages[:cut]) or omission_note(cut)
    sourced = await asyncio.to_thread(sourced_in, summary, messages[:cut])
    return (note("summary", f"Summary of the conversation so far:\n{summary}", sourced), *messages[cut:])


def paired(messages: Sequence[Message]) -> Sequence[Message]:
    """A transcript from outside, made valid: calls without results and results without calls are left out."""
    answered = {message.call_id for message in messages if isinstance(message, ToolMessage)}
    asked: set[str] = set()
    kept: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage) and message.calls:
            calls = tuple(call for call in message.calls if call.id in answered and call.id not in asked)
            asked.update(call.id for call in calls)
            kept.append(AssistantMessage(text=message.text or ("" if calls else "…"), calls=calls))
        elif not isinstance(message, ToolMessage) or message.call_id in asked:
            kept.append(message)
    return kept


def omission_note(count: int) -> str:
    return f"({count} earlier messages were left out.)"


def as_text(messages: Sequence[Message]) -> str:
    """A transcript for the summarizer, each message bounded."""
    lines: list[str] = []
    for message in messages:
        match message:
            case UserMessage(content, author):
                lines.append(f"{'User' if author == 'person' else 'Note'}: {content[:_SHOWN_CHARS]}")
            case AssistantMessage(text=text, calls=calls):
                wanted = "".join(f" [calls {call.tool} {str(call.args)[:300]}]" for call in calls)
                lines.append(f"Assistant: {text[:_SHOWN_CHARS]}{wanted}")
            case ToolMessage(tool=tool, content=content):
                lines.append(f"Result of {tool}: {content[:_SHOWN_CHARS]}")
    return "\n".join(lines)


async def compact(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Replaces the oldest part of the running turn's transcript by a summary, as an event."""
    state = turn.state
    cut = cut_point(state.messages, turn.profile.keep_recent)
    before = state.tokens
    summary = await turn.ask("summarize", _SYSTEM, as_text(state.messages[:cut]))
    summary = (summary or "").strip()[:SUMMARY_CHARS] or omission_note(cut)
    if not any(
        isinstance(message, UserMessage) and message.content == state.question for message in state.messages[cut:]
    ):
        summary += f"\nThe question to answer: {state.question[:SUMMARY_CHARS]}"
    # What the summary makes up is no source later.
    gone = [shorten_observation(message, turn.observation_limit) for message in state.messages[:cut]]
    sourced = await asyncio.to_thread(sourced_in, summary, gone, state.question)
    after = message_tokens(UserMessage(summary)) + sum(map(message_tokens, state.messages[cut:]))
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
