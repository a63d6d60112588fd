"""A conversation as messages for the model that answers, or as text for the model that summarises. Pure."""

from collections.abc import Sequence

import msgspec

from glassloop.core.labels import UNKNOWN, Labels, lowest
from glassloop.core.loop.compaction import as_text
from glassloop.core.messages import (
    READ_ATTACHMENT,
    AssistantMessage,
    Message,
    ToolMessage,
    UserMessage,
    message_tokens,
    note,
    said_with,
    without_attachments,
)
from glassloop.core.records import Attachment, ConversationTurn, Json, ToolCall
from glassloop.memory.working_memory import NEWEST, ConversationSummary, WorkingMemory, cut

SUMMARIZED_CHARS = 48_000
RESULT_CHARS = 16_000
"""Of each result of an earlier turn."""
FILE_CHARS = 50_000
"""Of each file of an earlier turn that was read as text."""
SHOWN_AGAIN, SHOWN_AGAIN_BYTES = 10, 20_000_000
"""Images and files of earlier turns that the model is shown again."""
CLEARED = "[cleared to save room: call the tool again where it is needed]"
_MIN_CHARS = 200
BRIEF_CHARS = 200
"""Of each question, answer, argument and result of an earlier turn, for small models that write their calls as text."""


def history_messages(conversation: WorkingMemory, missing: int = 0, *, cleared: bool = False) -> Sequence[Message]:
    """The summary and the turns after it, with their calls and results; `missing` of them are left out with a note.
    `cleared`: only the newest turns have their results."""
    summary, messages = conversation.summary, list[Message]()
    lines = [summary.text] if summary else []
    if missing:
        lines.append(f"({missing} earlier turns were left out.)")
    if lines:
        sourced = (summary.sourced or ()) if summary else ()
        text = "Summary of the conversation so far:\n" + "\n".join(lines)
        messages.append(note("summary", text, sourced, _summary_labels(conversation)))
    turns = conversation.turns
    for place in range(conversation.summarized + missing, len(turns)):
        _add_turn(messages, turns[place], cleared=cleared and place < len(turns) - NEWEST)
    if any(turn.attachments for turn in turns):
        _bound_attachments(messages)
    return messages


def _summary_labels(conversation: WorkingMemory) -> Labels:
    """Those of the turns that it tells of; unknown where not all of them are here any more."""
    told = conversation.turns[: conversation.summarized]
    known = told and not conversation.is_incomplete
    return lowest(turn.labels or UNKNOWN for turn in told) if known else UNKNOWN


def _bound_attachments(messages: list[Message]) -> None:
    """The newest images and files of the conversation are shown again; of the others the model is told."""
    count, size = SHOWN_AGAIN, SHOWN_AGAIN_BYTES
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, UserMessage) and message.attachments:
            count -= len(message.attachments)
            size -= sum(each.size for each in message.attachments)
            if count < 0 or size < 0:
                messages[place] = without_attachments(message)


def summarized_messages(conversation: WorkingMemory) -> Sequence[Message]:
    """What the summary stands for."""
    messages: list[Message] = []
    for turn in conversation.turns[: conversation.summarized]:
        _add_turn(messages, turn, cleared=False)
    return messages


def _add_turn(messages: list[Message], turn: ConversationTurn, *, cleared: bool) -> None:
    messages += _question(turn, cleared=cleared) if turn.attachments else (UserMessage(turn.user_query),)
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
                    labels=result.told_labels,
                )
            )
        if calls:
            messages += (AssistantMessage(calls=tuple(calls)), *results)
    labels = turn.labels or UNKNOWN
    messages.append(AssistantMessage(text=turn.agent_response or "(no answer)", sourced=turn.sourced, labels=labels))


def _question(turn: ConversationTurn, *, cleared: bool) -> Sequence[Message]:
    given = [msgspec.structs.replace(each, text=cut(each.text, FILE_CHARS)) for each in turn.attachments]
    *files, question = said_with(turn.user_query, given)
    if not cleared:
        return (*files, question)
    told = [f"[{each.label}: left out to save room{_read_again(each)}]" for each in given if each.text]
    shown = without_attachments(question) if question.attachments else question
    return (msgspec.structs.replace(shown, content="\n\n".join((shown.content, *told))),)


def _read_again(file: Attachment) -> str:
    return f"; {READ_ATTACHMENT} shows it" if file.chars else ""


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


def brief_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Earlier turns as a small model is told them: their questions, answers, calls and results by their beginnings."""
    return [_brief_message(message) for message in messages]


def _brief_message(message: Message) -> Message:
    if isinstance(message, AssistantMessage):
        calls = tuple(msgspec.structs.replace(call, args=_brief_args(call.args)) for call in message.calls)
        return msgspec.structs.replace(message, text=cut(message.text, BRIEF_CHARS), calls=calls)
    if isinstance(message, UserMessage) and message.note is not None:
        return message
    return msgspec.structs.replace(message, content=cut(message.content, BRIEF_CHARS))


def _brief_args(args: dict[str, Json]) -> dict[str, Json]:
    """Values that are longer as texts are told by their beginnings, too."""
    brief: dict[str, Json] = {}
    for name, value in args.items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        brief[name] = value if len(text) <= BRIEF_CHARS else cut(text, BRIEF_CHARS)
    return brief


def _short_message(message: Message, part: float) -> Message:
    if isinstance(message, AssistantMessage):
        return msgspec.structs.replace(message, text=_part_of(message.text, part))
    if isinstance(message, UserMessage) and message.attachments:
        message = without_attachments(message)
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
            said = (next(one for one in messages if isinstance(one, UserMessage) and one.note is None), messages[-1])
            text = as_text([_short_message(message, each / len(text)) for message in said])
        text = cut(text, each)
        room -= len(text) + 1
        if room < 0:
            lines.append(f"({len(fresh) - len(lines)} turns before these are left out.)")
            break
        lines.append(text)
    return before + "\n".join(reversed(lines))
