"""Compaction: keeps the transcript within the model's context window.

Old results are cleared first, all at once; where that is not enough the oldest messages are replaced by a summary. The
log keeps everything. A call is never separated from its result.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

import msgspec
from msgspec.structs import replace

from glassloop.core import events as e
from glassloop.core.loop.observations import CLEARED_TOKENS, MIN_SHOWN_CHARS
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, message_tokens, note
from glassloop.core.protocols.transcript import shown_content

_SYSTEM = (
    "Summarize the conversation so that it can go on without the original: what was asked, what was found (keep "
    "figures, names, dates and identifiers exactly), what the user wishes from now on, what was decided, what is open. "
    "At most 300 words."
)
SUMMARY_CHARS = 6000
MIN_CLEARED = 0.25
"""Clearing is worth it where it frees that part of the transcript."""

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
    return (note("summary", f"Summary of the conversation so far:\n{summary}"), *messages[cut:])


def paired(messages: Sequence[Message]) -> Sequence[Message]:
    """A transcript from outside, made valid: calls without results and results without calls are left out.

    A call and its results belong together by their place, up to the assistant's next message: some servers number the
    calls of every message anew, so an id that was there before gets another name.
    """
    kept: list[Message] = []
    taken: set[str] = set()
    open_calls: dict[str, str] = {}
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.calls:
            answered = _answered(messages, at + 1)
            open_calls = {call.id: _free(call.id, taken) for call in message.calls if call.id in answered}
            taken.update(open_calls.values())
            asked = {call.id: replace(call, id=open_calls[call.id]) for call in message.calls if call.id in answered}
            calls = tuple(asked.values())
            kept.append(AssistantMessage(text=message.text or ("" if calls else "…"), calls=calls))
        elif not isinstance(message, ToolMessage):
            kept.append(message)
        elif message.call_id in open_calls:
            kept.append(replace(message, call_id=open_calls.pop(message.call_id)))
    return kept


def _answered(messages: Sequence[Message], start: int) -> set[str]:
    found: set[str] = set()
    for at in range(start, len(messages)):
        message = messages[at]
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, ToolMessage):
            found.add(message.call_id)
    return found


def _free(name: str, taken: set[str]) -> str:
    made, count = name, 2
    while made in taken:
        made, count = f"{name}_{count}", count + 1
    return made


def omission_note(count: int) -> str:
    return f"({count} earlier messages were left out.)"


def as_text(messages: Sequence[Message]) -> str:
    """A transcript for the summarizer: what the model that decides was shown."""
    lines: list[str] = []
    for message in messages:
        match message:
            case UserMessage(content, author):
                lines.append(f"{'User' if author == 'person' else 'Note'}: {content}")
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
    summary = await turn.ask("summarize", _SYSTEM, as_text(state.messages[:cut]))
    summary = (summary or "").strip()[:SUMMARY_CHARS] or omission_note(cut)
    if not any(
        isinstance(message, UserMessage) and message.content == state.question for message in state.messages[cut:]
    ):
        summary += f"\nThe question to answer: {state.question[:SUMMARY_CHARS]}"
    after = message_tokens(UserMessage(summary)) + sum(map(message_tokens, state.messages[cut:]))
    turn.record(
        e.ContextCompacted(**turn.stamp(), left_out=cut, summary=summary, tokens_before=before, tokens_after=after)
    )
    for event in await turn.commit():
        yield event
