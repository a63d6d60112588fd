"""Arguments and results of the server's tools: their schemas, and turns and sessions rendered as them.

Pure, and bounded: what is cut says so.
"""

import unicodedata
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.labels import why_asked
from glassloop.core.records import Evidence, Json, ReasoningStep
from glassloop.memory.search_text import MAX_QUERY
from glassloop.projections.pending_approvals import pending, unanswered
from glassloop.projections.reasoning_trace import Reasoning
from glassloop.projections.response import why_ended
from glassloop.runtime import ids
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS
from glassloop.store.records import Session, SessionMessage
from glassloop.store.tables.search import MAX_FOUND

Ident = Annotated[str, Field(min_length=1, max_length=ids.MAX_ID_CHARS, pattern=ids.FORM)]


class ToolArguments(BaseModel):
    """Unknown names are refused: a misspelt one must not be silently left out."""

    model_config = ConfigDict(extra="forbid")


Kind = TypeVar("Kind", bound=ToolArguments)


class Ask(ToolArguments):
    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARS, description="What to answer, in any language.")
    assistant: str = Field("general", min_length=1, max_length=200, description="Who answers; see list_assistants.")
    session_id: Ident | None = Field(None, description="The conversation to go on with. Else a new one.")


class ListAssistants(ToolArguments):
    pass


class SearchSessions(ToolArguments):
    query: str = Field(
        min_length=1,
        max_length=MAX_QUERY,
        description="Words, parts of words, or what it was about.",
    )
    limit: int = Field(20, ge=1, le=MAX_FOUND, description="At most so many sessions, best first.")


class ShowSession(ToolArguments):
    session_id: Ident = Field(description="The session's id, as search_sessions and ask tell it.")


class StepView(BaseModel):
    type: Literal["think", "act", "observe", "answer"]
    content: str
    tool: str | None = None


class EvidenceCounts(BaseModel):
    figures: int = Field(description="Figures, dates, identifiers and names in the answer.")
    sourced: int = Field(description="How many of them were found in what tools returned, or in the question.")
    unsourced: list[str] = Field(description="Those that were not, as they stand in the answer.")


class PendingCallView(BaseModel):
    call_id: str
    tool: str
    args: dict[str, Any]
    digest: str
    doubt: str = Field("", description="Why it is unknown whether it took effect, where that is asked.")


class PendingQuestionView(BaseModel):
    call_id: str
    question: str
    options: list[str]


class AskResult(BaseModel):
    answer: str
    status: Literal["completed", "failed", "cancelled", "waiting"]
    session_id: str
    turn_id: str
    evidence: EvidenceCounts | None = Field(None, description="Null when the answer was not checked.")
    steps: list[StepView] = []
    waiting: list[PendingCallView] = Field([], description="What a person must decide before the turn goes on.")
    questions: list[PendingQuestionView] = Field([], description="What a person must answer before the turn goes on.")
    error: str | None = None


class AssistantLine(BaseModel):
    name: str
    description: str
    questions: list[str] = Field(description="Questions it can answer.")


class Assistants(BaseModel):
    assistants: list[AssistantLine]


class SessionLine(BaseModel):
    session_id: str
    title: str
    assistant: str
    status: str
    last_active: str
    excerpt: str
    turn_id: str | None = None


class Sessions(BaseModel):
    sessions: list[SessionLine]


class MessageView(BaseModel):
    role: str
    content: str
    created_at: str
    turn_id: str | None = None
    steps: list[StepView] = []


class SessionShown(BaseModel):
    session_id: str
    title: str
    assistant: str
    status: str
    started_at: str
    messages: list[MessageView]
    left_out: int = Field(0, description="Older messages that did not fit.")


def read(kind: type[Kind], given: dict[str, Any] | None) -> Kind:
    """The arguments, checked; raises `UsageError` that names each one at fault."""
    try:
        return kind.model_validate(given or {})
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors()[:10]]
        raise UsageError(f"The arguments do not fit: {'; '.join(problems)}. Its schema says what does.") from None


STEP_CHARS = 2_000
MAX_STEPS = 200
MESSAGE_CHARS = 20_000
SESSION_CHARS = 60_000
CARD_CHARS = 8_000
LINE_CHARS = 160
_UNSEEN = ("Cc", "Cf", "Cs", "Co")


def answer_of(events: Sequence[e.AnyEvent]) -> AskResult:
    """A turn that is over, or waits, as the result of `ask`."""
    started = next(event for event in events if isinstance(event, e.TurnStarted))
    given = next((event for event in reversed(events) if isinstance(event, e.AnswerGiven)), None)
    end = next((event for event in reversed(events) if isinstance(event, e.TurnFinished)), None)
    checked = next((event for event in reversed(events) if isinstance(event, e.AnswerEvaluated)), None)
    fold = Reasoning()
    steps = [step for event in events if (step := fold.step(event)) is not None]
    return AskResult(
        answer=given.text if given else "",
        status=end.status if end else "waiting",
        session_id=started.session_id,
        turn_id=started.turn_id,
        evidence=counts(checked.evidence) if given and checked else None,
        steps=[step_of(step) for step in steps[:MAX_STEPS]],
        waiting=[
            PendingCallView(
                call_id=one.call.id,
                tool=one.call.tool,
                args=dict(one.call.args),
                digest=one.digest,
                doubt=shortened(one.doubt, STEP_CHARS),
            )
            for one in (() if end else pending(events))
        ],
        questions=[
            PendingQuestionView(call_id=one.call_id, question=one.question, options=list(one.options))
            for one in (() if end else unanswered(events))
        ],
        error=why_ended(end) if end and end.status != "completed" else None,
    )


def counts(evidence: Evidence) -> EvidenceCounts:
    missing = dict.fromkeys(figure.text for figure in evidence.unsupported)
    return EvidenceCounts(figures=len(evidence.figures), sourced=evidence.sourced, unsourced=list(missing)[:50])


def step_of(step: ReasoningStep) -> StepView:
    text = step.content
    if step.type == "act" and step.tool_args:
        text = f"{text} with {compact(step.tool_args)}"
    return StepView(type=step.type, content=shortened(text, STEP_CHARS), tool=step.tool_name)


def footer(answer: AskResult) -> str:
    """What a model that sees only text must know besides: where to go on, and what to trust."""
    parts = [f"session_id: {answer.session_id}", f"turn_id: {answer.turn_id}"]
    if answer.evidence is not None and answer.evidence.figures:
        parts.append(f"{answer.evidence.sourced} of {answer.evidence.figures} figures come from what tools returned")
        if answer.evidence.unsourced:
            parts.append(f"without a source: {', '.join(answer.evidence.unsourced[:20])}")
    return "; ".join(parts)


def pending_text(answer: AskResult) -> str:
    """For clients that cannot ask their person: what waits, and how it is decided."""
    if answer.questions and not answer.waiting:
        asked = "; ".join(_asked(one) for one in answer.questions)
        return (
            f"The turn waits for the user to answer: {asked}. Ask them, then `glassloop answer {answer.turn_id} TEXT` "
            f"in a terminal tells it; afterwards show_session with session_id {answer.session_id!r} has the answer."
        )
    tools = ", ".join(dict.fromkeys(one.tool for one in answer.waiting)) or "a tool"
    doubts = "; ".join(f"{one.tool} may have run already ({one.doubt})" for one in answer.waiting if one.doubt)
    return (
        f"The turn waits for a person to decide about {tools}: {doubts or 'nothing of it was done yet'}. "
        f"`glassloop approve {answer.turn_id}` in a terminal shows what would happen and asks; "
        f"afterwards show_session with session_id {answer.session_id!r} has the answer."
    )


def _asked(question: PendingQuestionView) -> str:
    options = f" ({' / '.join(question.options)})" if question.options else ""
    return f"{question.question}{options}"


def card(request: e.ApprovalRequested) -> str:
    """What will happen, exactly, for a person to decide."""
    lines = [f"{request.call.tool} wants to run with:"]
    if request.reason == "outcome_unknown":
        doubt = shortened(request.doubt, STEP_CHARS)
        lines = [f"{request.call.tool} may have run already. {doubt}".rstrip(), "It would run again with:"]
    lines += [f"  {name}: {compact(value)}" for name, value in request.call.args.items()]
    if request.preview is not None:
        preview: Json = request.preview
        lines += ["", preview if isinstance(preview, str) else compact(preview)]
    if request.why is not None and request.why.passage:
        lines += ["", why_asked(request.why), f"  {shortened(request.why.passage, STEP_CHARS)}"]
    text = spell_out("\n".join(lines))
    hidden = len(text) - CARD_CHARS
    if hidden > 0:
        text = f"{text[:CARD_CHARS]}\n({hidden:,} more characters are not shown: approve only if you know them.)"
    return text


def progress_of(event: e.AnyEvent) -> str | None:
    """An event as a line of progress, if it is worth one."""
    match event:
        case e.RouteDecided():
            return _line(f"route: {event.route.destination}")
        case e.PlanMade() | e.PlanAdjusted() if event.plan.steps:
            return _line(f"plan: {'; '.join(step.description for step in event.plan.steps)}")
        case e.ThoughtRecorded() if not event.implied:
            return _line(f"think: {event.text}")
        case e.ToolCalled():
            return _line(f"act: {event.call.tool} {compact(event.call.args)}")
        case e.ToolReturned() if event.result.cause != "planned":
            result = event.result
            return _line(f"observe: {result.output if result.success else result.error or 'it failed'}")
        case e.QuestionAsked():
            return _line(f"ask: {event.question}")
        case e.MessageReceived():
            return _line(f"message: {event.text}")
        case e.TurnWaiting():
            return "wait: a person must answer" if event.reason == "question" else "wait: a person must decide"
        case e.AnswerGiven():
            return "answer: written"
        case _:
            return None


def session_shown(session: Session, messages: Sequence[SessionMessage]) -> SessionShown:
    """A session with its newest messages, as many as fit."""
    kept: list[MessageView] = []
    left = SESSION_CHARS
    for message in reversed(messages):
        said = _said(message)
        left -= len(said.content) + sum(len(step.content) for step in said.steps)
        if kept and left < 0:
            break
        kept.insert(0, said)
    return SessionShown(
        session_id=session.id,
        title=session.title,
        assistant=session.assistant,
        status=session.status,
        started_at=session.started_at,
        messages=kept,
        left_out=len(messages) - len(kept),
    )


def as_markdown(shown: SessionShown) -> str:
    """The same to read."""
    lines = [f"# {shown.title or shown.session_id}", "", f"{shown.assistant}, {shown.started_at}, {shown.status}", ""]
    if shown.left_out:
        lines += [f"({shown.left_out} older messages are left out.)", ""]
    for said in shown.messages:
        lines += [f"## {said.role}", ""]
        for step in said.steps:
            if step.type != "answer":
                lines.append(f"- {step.type}: {_line(step.content)}")
        lines += ["", said.content, ""] if said.steps else [said.content, ""]
    return "\n".join(lines)


def _said(message: SessionMessage) -> MessageView:
    trace: Any = message.reasoning_trace
    steps: list[StepView] = []
    for raw in cast("list[Any]", trace)[:MAX_STEPS] if isinstance(trace, list) else ():
        try:
            step = step_of(msgspec.convert(raw, ReasoningStep, from_attributes=True))
        except msgspec.ValidationError:
            continue
        steps.append(StepView(type=step.type, content=shortened(step.content, LINE_CHARS * 3), tool=step.tool))
    return MessageView(
        role=message.role,
        content=shortened(message.content, MESSAGE_CHARS),
        created_at=message.created_at,
        turn_id=message.turn_id,
        steps=steps,
    )


def compact(value: Json) -> str:
    return msgspec.json.encode(value).decode()


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def spell_out(text: str) -> str:
    """The text with everything that cannot be seen, or turns the order of what is read, written out."""
    return "".join(_written(sign) for sign in text)


def _line(text: str) -> str:
    flat = " ".join(text[: 4 * LINE_CHARS].split())
    return flat if len(flat) <= LINE_CHARS else f"{flat[: LINE_CHARS - 1]}…"


def _written(sign: str) -> str:
    hidden = sign not in "\n\t" and unicodedata.category(sign) in _UNSEEN
    return f"\\u{ord(sign):04x}" if hidden else sign
