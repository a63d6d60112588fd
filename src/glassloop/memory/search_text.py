"""Search text of a turn: what was said, and what its steps saw where these left the context. Pure.

Knows nothing of indexes. Long text is cut for the search only; the log has everything.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec

from glassloop.core import events as e
from glassloop.core.evidence import sourced_in
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from glassloop.memory.working_memory import cut

SEARCH = "search_past_conversations"
"""The tool that finds these. What it showed is not kept again."""

MAX_QUERY = 2_000
TITLE_CHARS = 120
QUESTION_CHARS = 8_000
ANSWER_CHARS = 40_000
STEP_CHARS = 20_000
STEPS_CHARS = 500_000


class SearchableTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as it is kept for searching. `steps` is empty unless its context was compacted; `ended`: all of it."""

    turn_id: str
    title: str
    said: str
    steps: str = ""
    ended: bool = True


def searchable_turn(events: Sequence[e.Durable]) -> SearchableTurn | None:
    """None for what is not to be found again: commands, and turns that neither ended nor lost anything so far."""
    started = events[0] if events else None
    if not isinstance(started, e.TurnStarted) or any(isinstance(event, e.CommandRead) for event in events):
        return None
    ended = any(isinstance(event, e.TurnFinished) for event in events)
    compacted = any(isinstance(event, e.ContextCompacted) for event in events)
    if not ended and not compacted:
        return None
    return SearchableTurn(
        turn_id=started.turn_id,
        title=" ".join(started.question[: 4 * TITLE_CHARS].split())[:TITLE_CHARS],
        said=_said(started, events) if ended else "",
        steps=_steps(events) if compacted else "",
        ended=ended,
    )


def tools_used(events: Sequence[e.Durable]) -> Sequence[str]:
    """Each once, in the order of their first call."""
    return tuple(dict.fromkeys(event.call.tool for event in events if isinstance(event, e.ToolCalled)))


def words_about(at: float, assistant: str, tools: Sequence[str]) -> str:
    """What a turn is found by beside what was said: for the index, not for people."""
    return " ".join((datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %B"), assistant, *tools))


def sourced_passage(passage: str, events: Sequence[e.Durable]) -> tuple[str, ...]:
    """The figures of a passage that the turn's person said, its tools returned or its answer had a source for."""
    messages: list[Message] = []
    for event in events:
        match event:
            case e.TurnStarted(question=question):
                messages.append(UserMessage(question))
            case e.HistoryLoaded(messages=told):
                messages += told
            case e.ToolCalled(call=call):
                messages.append(AssistantMessage(calls=(call,)))
            case e.ToolReturned(call_id=call_id, result=result):
                text = result.output or result.error or ""
                failed = not result.success
                messages.append(
                    ToolMessage(call_id=call_id, tool="", content=text, is_error=failed, sourced=result.sourced)
                )
            case e.AnswerEvaluated(accepted=True, evidence=evidence):
                messages.append(AssistantMessage(text=passage, sourced=evidence.sourced_texts))
            case _:
                pass
    return sourced_in(passage, messages)


def _said(started: e.TurnStarted, events: Sequence[e.Durable]) -> str:
    answers = [event.text for event in events if isinstance(event, e.AnswerGiven)]
    errors = [event.error for event in events if isinstance(event, e.TurnFinished) and event.error]
    said = (answers or errors or [""])[-1]
    about = words_about(started.at, started.assistant, tools_used(events))
    return f"{cut(started.question, QUESTION_CHARS)}\n\n{cut(said, ANSWER_CHARS)}\n\n{about}"


def _steps(events: Sequence[e.Durable]) -> str:
    """What the model was told and saw, in order; of too much, the first: the last is what stays in the context."""
    parts: list[str] = []
    room = STEPS_CHARS
    for part in _seen(events):
        if room < len(part):
            break
        parts.append(part)
        room -= len(part)
    return "\n\n".join(parts)


def _seen(events: Sequence[e.Durable]) -> Iterator[str]:
    searches = {event.call.id for event in events if isinstance(event, e.ToolCalled) and event.call.tool == SEARCH}
    for event in events:
        match event:
            case e.HistoryLoaded(messages=messages):
                yield from (told for message in messages if (told := _told(message)))
            case e.ThoughtRecorded(text=text, implied=False):
                yield cut(text, STEP_CHARS)
            case e.ToolCalled(call=call):
                yield cut(f"{call.tool} {msgspec.json.encode(call.args).decode()}", STEP_CHARS)
            case e.ToolReturned(call_id=call_id, result=result) if call_id not in searches:
                yield cut(result.output or result.error or "", STEP_CHARS)
            case _:
                pass


def _told(message: Message) -> str:
    """Of a conversation that the caller keeps, or of the session: what leaves the context with the rest."""
    if isinstance(message, UserMessage):
        return cut(message.content, STEP_CHARS)
    return cut(message.text, STEP_CHARS) if isinstance(message, AssistantMessage) else ""
