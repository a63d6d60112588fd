"""A conversation as messages for the model that answers, or as text for the model that summarises. Pure."""

from collections.abc import Sequence

import msgspec

from glassloop.core.evidence import sourced_in
from glassloop.core.loop.state import message_tokens
from glassloop.core.messages import AssistantMessage, Message, UserMessage, note
from glassloop.core.records import ConversationTurn
from glassloop.memory.turn_size import cut
from glassloop.memory.working_memory import ConversationSummary, WorkingMemory

SUMMARIZED_CHARS = 24_000
_MIN_CHARS = 200


def history_messages(conversation: WorkingMemory, missing: int = 0) -> Sequence[Message]:
    """The summary and the turns after it; `missing` of them are left out with a note."""
    summary, messages = conversation.summary, list[Message]()
    lines = [summary.text] if summary else []
    if missing:
        lines.append(f"({missing} earlier turns were left out.)")
    if lines:
        gone = [message for turn in conversation.turns[: conversation.summarized] for message in _said(turn)]
        sourced = sourced_in(summary.text, gone) if summary else ()
        messages.append(note("summary", "Summary of the conversation so far:\n" + "\n".join(lines), sourced))
    for turn in conversation.turns[conversation.summarized + missing :]:
        messages += _said(turn)
    return messages


def _said(turn: ConversationTurn) -> tuple[Message, Message]:
    answer = AssistantMessage(text=turn.agent_response or "(no answer)", sourced=turn.sourced)
    return UserMessage(turn.user_query), answer


def tokens(messages: Sequence[Message]) -> int:
    return sum(map(message_tokens, messages))


def fit_messages(messages: Sequence[Message], token_budget: int, keep: int) -> Sequence[Message]:
    """The messages with all but the last `keep` and the summary shortened, in proportion, to what is left for them."""
    first = 1 if len(messages) % 2 else 0
    until = max(len(messages) - keep, first)
    if until == first:
        return messages
    room = token_budget - tokens(messages[:first]) - tokens(messages[until:])
    part = max(room, 0) / tokens(messages[first:until])
    short = (_short_message(message, part) for message in messages[first:until])
    return (*messages[:first], *short, *messages[until:])


def _short_message(message: Message, part: float) -> Message:
    if isinstance(message, UserMessage):
        text = cut(message.content, max(int(len(message.content) * part), _MIN_CHARS))
        return msgspec.structs.replace(message, content=text)
    if isinstance(message, AssistantMessage):
        return msgspec.structs.replace(message, text=cut(message.text, max(int(len(message.text) * part), _MIN_CHARS)))
    return message


def summary_text(summary: ConversationSummary | None, fresh: Sequence[ConversationTurn]) -> str:
    """What the model reads to write a summary, within `SUMMARIZED_CHARS`; of too many turns, the newest."""
    before = f"Summary so far:\n{summary.text}\n\nThen:\n" if summary else ""
    room = SUMMARIZED_CHARS - len(before) - 100
    each = max(room // len(fresh) - 60, _MIN_CHARS)
    lines: list[str] = []
    for turn in reversed(fresh):
        text = f"User: {cut(turn.user_query, min(500, each // 3))}\nAssistant: "
        text += cut(turn.agent_response, min(1000, each * 2 // 3))
        room -= len(text) + 1
        if room < 0:
            lines.append(f"({len(fresh) - len(lines)} turns before these are left out.)")
            break
        lines.append(text)
    return before + "\n".join(reversed(lines))
