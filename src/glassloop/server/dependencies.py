"""Parameters of routes: the runtime, the settings, the session that a path names; and bodies, checked first."""

from typing import Annotated, Any, Literal

import msgspec
from fastapi import Depends, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from glassloop.core.errors import UsageError
from glassloop.core.events import ProtocolName
from glassloop.core.loop.approvals.modes import Mode
from glassloop.core.loop.inbox import MAX_MESSAGE_CHARS
from glassloop.core.loop.user_question import MAX_ANSWER_CHARS
from glassloop.core.records import MAX_DISPLAY_CHARS
from glassloop.models.provider_kit.effort import Effort
from glassloop.runtime import ids
from glassloop.runtime.assistants.access_checks import resolve_assistant
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.assistants.assistant_files import default_assistant
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.submission import MAX_ITERATIONS, TurnOptions
from glassloop.runtime.settings import Settings
from glassloop.server.attachments import NewAttachments
from glassloop.server.auth.identity import Admin, Caller, User
from glassloop.server.http.errors import SwitchedOff
from glassloop.store.records import Session
from glassloop.store.tables.sessions import MAX_FOLDER_CHARS
from glassloop.store.tables.users import check_display_name

Ident = Annotated[str, Field(min_length=1, max_length=ids.MAX_ID_CHARS, pattern=ids.FORM)]
"""An id of a session, turn, call or job."""

Name = Annotated[str, Field(min_length=1, max_length=200)]
FolderName = Annotated[str, Field(min_length=1, max_length=4_096)]
Text = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
Note = Annotated[str, Field(max_length=10_000)]
Flag = Annotated[bool | None, AfterValidator(bool)]
"""Null is false: many clients write every field they know."""
MAX_METADATA = 10_000


def _short(value: dict[str, Any]) -> dict[str, Any]:
    """Lists show it with every session: it is a label, not a store."""
    size = len(msgspec.json.encode(value))
    if size > MAX_METADATA:
        raise ValueError(f"it has {size:,} bytes as JSON, and {MAX_METADATA:,} are taken")
    return value


def _display_name(value: str) -> str:
    try:
        return check_display_name(value)
    except UsageError as error:
        raise ValueError(str(error)) from None


class Body(BaseModel):
    """Unknown fields are refused: a misspelt one must not be silently left out."""

    model_config = ConfigDict(extra="forbid")


class NewTurn(Body):
    """A question, or another version of a turn: `replaces` answers anew, `continues` goes on with its answer."""

    question: Text | None = Field(None, description="Default: the question of the turn this one replaces or continues.")
    session_id: Ident | None = Field(None, description="The session to continue. Omit it to start a new one.")
    previous_turn_id: Ident | None = Field(None, description="The turn it follows. Default: the newest.")
    replaces: Ident | None = Field(None, description="The turn to replace with a new version, in the same session.")
    continues: Ident | None = Field(None, description="The turn whose stopped answer to continue.")
    assistant: Name | None = Field(None, description="The assistant. Default: that of `GET /api/assistants`.")
    model: Name | None = Field(None, description="A model to use instead of the assistant's, as `provider:model`.")
    effort: Effort | None = Field(None, description="Reasoning effort, for models that support it.")
    supersedes: Flag = Field(False, description="Cancel the turn of this session that runs or waits.")
    attachments: NewAttachments | None = None
    background: Flag = Field(False, description="Run in the background; the result appears in your inbox.")
    workspace: FolderName | None = Field(None, description="The folder the session works in from now on.")
    context_name: Name | None = Field(None, description="The index that the session searches.")
    mode: Mode | None = Field(None, description="How much may be changed. Default: the session's last value.")
    preset: Name | None = Field(None, description="`speed`, `balanced` or `quality`. Default: the assistant's.")
    max_iterations: Annotated[int, Field(ge=1, le=MAX_ITERATIONS)] | None = Field(
        None, description="Maximum number of steps."
    )
    protocol: ProtocolName | None = Field(None, description="How the model writes decisions.")
    retrieves: Flag = Field(False, description="Add passages from the session's index to the question.")
    collections: Annotated[tuple[Name, ...], Field(max_length=20)] | None = Field(
        None, description="Collections to answer from, by name or id. Default: those of the assistant."
    )

    @model_validator(mode="after")
    def one_thing(self) -> "NewTurn":
        if self.continues is not None and (self.question or self.replaces or self.attachments):
            raise ValueError("'continues' cannot be combined with 'question', 'replaces' or 'attachments': omit them")
        if self.previous_turn_id is not None and (self.replaces or self.continues):
            raise ValueError("'replaces' already determines the previous turn: omit 'previous_turn_id'")
        if self.question is None and self.replaces is None and self.continues is None:
            raise ValueError("give 'question', or the turn that this one 'replaces' or 'continues'")
        return self

    @property
    def options(self) -> TurnOptions:
        return TurnOptions(
            **{name: getattr(self, name) for name in TurnOptions.__struct_fields__ if hasattr(self, name)}
        )


class ApprovalDecision(Body):
    """A person's decision about one pending call, bound by its digest to what was shown."""

    call_id: Ident
    digest: Annotated[str, Field(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
    approved: bool
    reason: Annotated[Note | None, AfterValidator(lambda note: note or "")] = ""
    args: dict[str, Any] | None = Field(None, description="Edited arguments, if different from those shown.")
    for_session: Flag = Field(False, description="Approve the tool for the rest of this session.")


class ApprovalDecisions(Body):
    """Decisions about pending calls of one turn: all are stored, or none."""

    decisions: Annotated[list[ApprovalDecision], Field(min_length=1, max_length=64)]


class QuestionAnswer(Body):
    """A person's answer to a question of the assistant's: one of its options, or their own words."""

    call_id: Ident
    text: Annotated[str, Field(min_length=1, max_length=MAX_ANSWER_CHARS)]


class TurnMessage(Body):
    """A further message to a turn that runs or waits."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE_CHARS)]


class Fork(Body):
    """Where to go on from, and with what changed."""

    step: Annotated[int, Field(ge=1, le=10_000)]
    model: Name | None = None
    edits: Annotated[dict[Name, Note], Field(max_length=20)] | None = None


class NewSession(Body):
    """An empty session."""

    metadata: Annotated[dict[str, Any], Field(max_length=50), AfterValidator(_short)] | None = None
    temporary: Flag = Field(False, description="Listed nowhere, remembered nowhere, and deleted after a day.")


class SessionChange(Body):
    """A session's new title, that it is over (a question opens it again), or where it is listed."""

    title: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")] | None = None
    status: Literal["active", "completed"] | None = None
    pinned: bool | None = None
    archived: bool | None = Field(None, description="An archived session is not pinned.")
    folder: Annotated[str, Field(max_length=MAX_FOLDER_CHARS)] | None = Field(None, description="Empty is none.")

    @model_validator(mode="after")
    def something(self) -> "SessionChange":
        if all(getattr(self, name) is None for name in type(self).model_fields):
            raise ValueError("give 'title', 'status', 'pinned', 'archived' or 'folder'")
        return self


class ConversationFile(Body):
    """An upload of yours with conversations of another chat."""

    upload_id: Ident


class FolderChange(Body):
    """A folder's new name; empty takes its sessions out of it."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_FOLDER_CHARS)]
    new_name: Annotated[str, Field(max_length=MAX_FOLDER_CHARS)]


class NewRating(Body):
    """What a reviewer thinks of a session."""

    rating: str = Field(max_length=100, description="`good` or `bad`")
    note: Note | None = None


class MeChange(Body):
    """What to call the caller; null is nothing in particular."""

    display_name: Annotated[str, Field(max_length=MAX_DISPLAY_CHARS), AfterValidator(_display_name)] | None


class SignIn(Body):
    """A key, or the admin token, once; the answer sets a cookie."""

    key: Annotated[str, Field(min_length=1, max_length=500)]


def runtime_of(request: Request) -> Runtime:
    return request.app.state.runtime


def settings_of(request: Request) -> Settings:
    return request.app.state.settings


async def wanted_of(
    request: Request, assistant: str | None, model: str | None = None, effort: Effort | None = None
) -> AgentKey:
    """Which agent is to answer; raises `UnknownName` where there is no such assistant."""
    settings = settings_of(request)
    return await resolve_assistant(
        runtime_of(request).agents, settings, assistant or default_assistant(settings), model, effort
    )


async def _own_session(request: Request, session_id: Ident, caller: User) -> Session:
    """The session, if the caller may see it, or 404."""
    return await runtime_of(request).session(session_id, caller.scope)


async def _reviewer(request: Request, caller: Admin) -> Caller:
    """An operator, where there is anything to review, or 503."""
    if not settings_of(request).session_store_enabled:
        raise SwitchedOff("Sessions are only kept in memory: set SESSION_STORE_ENABLED=true to review them.")
    return caller


OwnSession = Annotated[Session, Depends(_own_session)]
Reviewer = Annotated[Caller, Depends(_reviewer)]
