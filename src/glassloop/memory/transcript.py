"""A conversation as messages for the model that answers, or as text for the model that summarises. Pure."""

from collections.abc import Sequence

import msgspec

from glassloop.core.loop.compaction import as_text
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, message_tokens, note
from glassloop.core.records import ConversationTurn, ToolCall
from glassloop.memory.working_memory import NEWEST, ConversationSummary, WorkingMemory, cut

SUMMARIZED_CHARS = 48_000
RESULT_CHARS = 16_000
"""Of each result of an earlier turn."""
CLEARED = "[cleared to save room: call the tool again where it is needed]"
_MIN_CHARS = 200


def history_messages(conversation: WorkingMemory, missing: int = 0, *, cleared: bool = False) -> Sequence[Message]:
    """The summary and the turns after it, with their calls and results; `missing` of them are left out with a note.
    `cleared`: only the newest turns have their results."""
    summary, messages = conversation.summary, list[Message]()
    lines = [summary.text] if summary else []
    if missing:
        lines.append(f"({missing} earlier turns were left out.)")
    if lines:
        sourced = (summary.sourced or ()) if summary else ()
        messages.append(note("summary", "Summary of the conversation so far:\n" + "\n".join(lines), sourced))
    turns = conversation.turns
    for place in range(conversation.summarized + missing, len(turns)):
        _add_turn(messages, turns[place], cleared=cleared and place < len(turns) - NEWEST)
    return messages


def summarized_messages(conversation: WorkingMemory) -> Sequence[Message]:
    """What the summary stands for."""
    messages: list[Message] = []
    for turn in conversation.turns[: conversation.summarized]:
        _add_turn(messages, turn, cleared=False)
    return messages


def _add_turn(messages: list[Message], turn: ConversationTurn, *, cleared: bool) -> None:
    messages.append(UserMessage(turn.user_query))
    count = 0
    for step in turn.steps:
        results: list[Message] = []
        calls: list[ToolCall] = []
        for done in step.calls:
            if (result := done.observation) is None:
                continue
            # Ids of other turns may be the same: these are unique in the transcript, and the same in every request.
            count += 1
            call = msgspec.structs.replace(done.action, id=f"{turn.id[-12:]}_{count}")
            text = result.text
            content = CLEARED if cleared and len(text) > len(CLEARED) else cut(text, RESULT_CHARS)
            calls.append(call)
            results.append(
                ToolMessage(
                    call_id=call.id,
                    tool=call.tool,
                    content=content,
                    is_error=not result.success,
                    sourced=result.sourced,
                )
            )
        if calls:
            messages += (AssistantMessage(calls=tuple(calls)), *results)
    messages.append(AssistantMessage(text=turn.agent_response or "(no answer)", sourced=turn.sourced))


def tokens(messages: Sequence[Message]) -> int:
    return sum(map(message_tokens, messages))


def fit_messages(messages: Sequence[Message], token_budget: int, keep: int) -> Sequence[Message]:
    """The messages with all but the last `keep` turns and the summary shortened, in proportion, to what is left for
    them."""
    asked = [at for at, message in enumerate(messages) if isinstance(message, UserMessage) and message.note is None]
    first = asked[0] if asked else 0
    until = asked[-keep] if len(asked) >= keep else first
    if until == first:
        return messages
    room = token_budget - tokens(messages[:first]) - tokens(messages[until:])
    part = max(room, 0) / tokens(messages[first:until])
    short = (_short_message(message, part) for message in messages[first:until])
    return (*messages[:first], *short, *messages[until:])


def _short_message(message: Message, part: float) -> Message:
    if isinstance(message, AssistantMessage):
        return msgspec.structs.replace(message, text=_part_of(message.text, part))
    return msgspec.structs.replace(message, content=_part_of(message.content, part))


def _part_of(text: str, part: float) -> str:
    return cut(text, max(int(len(text) * part), _MIN_CHARS))


def summary_text(summary: ConversationSummary | None, fresh: Sequence[ConversationTurn]) -> str:
    """What the model reads to write a summary, within `SUMMARIZED_CHARS`; of too many turns, the newest."""
    before = f"Summary so far:\n{summary.text}\n\nThen:\n" if summary else ""
    room = SUMMARIZED_CHARS - len(before) - 100
    each = max(room // len(fresh) - 60, _MIN_CHARS)
    lines: list[str] = []
    for turn in reversed(fresh):
        messages = list[Message]()
        _add_turn(messages, turn, cleared=False)
        text = as_text(messages)
        if len(text) > each:
            # What was said counts more than what tools returned.
            text = as_text([_short_message(message, each / len(text)) for message in (messages[0], messages[-1])])
        text = cut(text, each)
        room -= len(text) + 1
        if room < 0:
            lines.append(f"({len(fresh) - len(lines)} turns before these are left out.)")
            break
        lines.append(text)
    return before + "\n".join(reversed(lines))
