"""Schemas of the server's tools: arguments as they are read, and results as clients are shown them."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from glassloop.core.errors import UsageError
from glassloop.memory.search_text import MAX_QUERY
from glassloop.runtime import ids
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS
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


class Answer(BaseModel):
    answer: str
    status: Literal["completed", "failed", "cancelled", "waiting"]
    session_id: str
    turn_id: str
    evidence: EvidenceCounts | None = Field(None, description="Null when the answer was not checked.")
    steps: list[StepView] = []
    waiting: list[PendingCallView] = Field([], description="What a person must decide before the turn goes on.")
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
