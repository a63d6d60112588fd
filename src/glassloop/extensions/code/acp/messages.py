"""The messages of the Agent Client Protocol that are used here, version 1.

What clients send is read into these, and anything else in it is left alone; see https://agentclientprotocol.com.
"""

from typing import Annotated, Literal

import msgspec

from glassloop.core.records import Json

PROTOCOL_VERSION = 1
MAX_BLOCKS = 200
"""Of one prompt."""

StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
ToolKind = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]
ToolStatus = Literal["pending", "in_progress", "completed", "failed"]
OptionKind = Literal["allow_once", "allow_always", "reject_once"]
ShortText = Annotated[str, msgspec.Meta(max_length=200)]
PathText = Annotated[str, msgspec.Meta(max_length=4_096)]


class AcpValue(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The base of what is sent and received."""


class InitializeParams(AcpValue, frozen=True, kw_only=True):
    protocol_version: int | str


class NewSessionParams(AcpValue, frozen=True, kw_only=True):
    cwd: PathText
    mcp_servers: list[Json] = []


class LoadSessionParams(NewSessionParams, frozen=True, kw_only=True):
    session_id: ShortText


class SessionParams(AcpValue, frozen=True, kw_only=True):
    session_id: ShortText


class ListSessionsParams(AcpValue, frozen=True, kw_only=True):
    """`cursor` is what the list before said."""

    cwd: PathText | None = None
    cursor: ShortText | None = None


class SetModeParams(SessionParams, frozen=True, kw_only=True):
    mode_id: ShortText


class TextBlock(AcpValue, frozen=True, kw_only=True, tag_field="type", tag="text"):
    text: str


class ImageBlock(AcpValue, frozen=True, kw_only=True, tag_field="type", tag="image"):
    """`data` is base64."""

    data: str
    mime_type: str = ""


class LinkBlock(AcpValue, frozen=True, kw_only=True, tag_field="type", tag="resource_link"):
    uri: PathText
    name: str = ""


class ResourceContents(AcpValue, frozen=True, kw_only=True):
    """A text, or bytes as base64."""

    uri: PathText
    text: str | None = None
    blob: str | None = None


class ResourceBlock(AcpValue, frozen=True, kw_only=True, tag_field="type", tag="resource"):
    resource: ResourceContents


ContentBlock = TextBlock | ImageBlock | LinkBlock | ResourceBlock


class PromptParams(SessionParams, frozen=True, kw_only=True):
    prompt: Annotated[list[ContentBlock], msgspec.Meta(max_length=MAX_BLOCKS)]


class ContentPart(AcpValue, frozen=True, kw_only=True, tag_field="type", tag="content"):
    content: TextBlock


class DiffPart(AcpValue, frozen=True, kw_only=True, tag_field="type", tag="diff"):
    """What becomes of a file; `old_text` is None where it is new. `path` is absolute."""

    path: str
    old_text: str | None = None
    new_text: str


ToolContent = ContentPart | DiffPart


class Location(AcpValue, frozen=True, kw_only=True):
    """A place in a file, which editors may follow. `path` is absolute."""

    path: str
    line: int | None = None


class ToolCallFields(AcpValue, frozen=True, kw_only=True):
    """A call as it stands; what is None has not changed."""

    tool_call_id: str
    title: str | None = None
    kind: ToolKind | None = None
    status: ToolStatus | None = None
    content: list[ToolContent] | None = None
    locations: list[Location] | None = None
    raw_input: Json = None


class ToolCallStarted(ToolCallFields, frozen=True, kw_only=True, tag_field="sessionUpdate", tag="tool_call"):
    """The first that is told of a call."""


class ToolCallChanged(ToolCallFields, frozen=True, kw_only=True, tag_field="sessionUpdate", tag="tool_call_update"):
    """What became of it."""


class UserMessageChunk(AcpValue, frozen=True, kw_only=True, tag_field="sessionUpdate", tag="user_message_chunk"):
    content: TextBlock


class AgentMessageChunk(AcpValue, frozen=True, kw_only=True, tag_field="sessionUpdate", tag="agent_message_chunk"):
    content: TextBlock


class AgentThoughtChunk(AcpValue, frozen=True, kw_only=True, tag_field="sessionUpdate", tag="agent_thought_chunk"):
    content: TextBlock


class AcpPlanEntry(AcpValue, frozen=True, kw_only=True, omit_defaults=False):
    content: str
    status: Literal["pending", "in_progress", "completed"]
    priority: Literal["high", "medium", "low"] = "medium"


class PlanUpdate(AcpValue, frozen=True, kw_only=True, tag_field="sessionUpdate", tag="plan"):
    """The whole list, each time."""

    entries: list[AcpPlanEntry]


SessionUpdate = (
    UserMessageChunk | AgentMessageChunk | AgentThoughtChunk | ToolCallStarted | ToolCallChanged | PlanUpdate
)


class SessionNotification(AcpValue, frozen=True, kw_only=True):
    """The parameters of `session/update`."""

    session_id: str
    update: SessionUpdate


class PermissionOption(AcpValue, frozen=True, kw_only=True):
    option_id: str
    name: str
    kind: OptionKind


class PermissionParams(AcpValue, frozen=True, kw_only=True):
    """The parameters of `session/request_permission`."""

    session_id: str
    tool_call: ToolCallFields
    options: list[PermissionOption]


class PermissionOutcome(AcpValue, frozen=True, kw_only=True):
    outcome: Literal["selected", "cancelled"]
    option_id: ShortText = ""


class PermissionResult(AcpValue, frozen=True, kw_only=True):
    outcome: PermissionOutcome


class SessionMode(AcpValue, frozen=True, kw_only=True):
    id: str
    name: str
    description: str


class SessionModes(AcpValue, frozen=True, kw_only=True):
    current_mode_id: str
    available_modes: list[SessionMode]


class SessionResult(AcpValue, frozen=True, kw_only=True):
    """The result of `session/new`, and without an id that of `session/load`."""

    session_id: str | None = None
    modes: SessionModes


class EditorSessionInfo(AcpValue, frozen=True, kw_only=True):
    """A session that can be loaded."""

    session_id: str
    cwd: str
    title: str
    updated_at: str


class SessionList(AcpValue, frozen=True, kw_only=True, omit_defaults=True):
    """The result of `session/list`; with a cursor there may be more."""

    sessions: list[EditorSessionInfo]
    next_cursor: str | None = None


class PromptResult(AcpValue, frozen=True, kw_only=True):
    stop_reason: StopReason


class PromptCapabilities(AcpValue, frozen=True, kw_only=True, omit_defaults=False):
    image: bool = True
    audio: bool = False
    embedded_context: bool = True


class SessionCapabilities(AcpValue, frozen=True, kw_only=True, omit_defaults=False):
    """Each with its options, of which there are none."""

    list: dict[str, Json] = {}


class AgentCapabilities(AcpValue, frozen=True, kw_only=True, omit_defaults=False):
    load_session: bool = True
    prompt_capabilities: PromptCapabilities = PromptCapabilities()
    session_capabilities: SessionCapabilities = SessionCapabilities()


class AgentInfo(AcpValue, frozen=True, kw_only=True):
    name: str
    title: str
    version: str


class InitializeResult(AcpValue, frozen=True, kw_only=True, omit_defaults=False):
    protocol_version: int = PROTOCOL_VERSION
    agent_capabilities: AgentCapabilities = AgentCapabilities()
    auth_methods: list[Json] = []
    agent_info: AgentInfo
