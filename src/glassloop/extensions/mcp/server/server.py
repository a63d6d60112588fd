"""MCP server: its tools, resources and prompts, and the handlers that answer them.

Every mistake of a caller is an answer that a model can read and mend; of anything else only a reference is told.
"""

import logging
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from pydantic import BaseModel

from glassloop import __version__
from glassloop.core.errors import GlassloopError
from glassloop.extensions.mcp.server import rendering as a
from glassloop.extensions.mcp.server.ask_tool import AskTool
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS
from glassloop.runtime.assistants.assistant_files import Assistant
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings

_log = logging.getLogger(__name__)

NAME = "glassloop"
SESSIONS = "glassloop://sessions/"
LISTED = 50
DECISION_S = 86_400.0
"""How long a client may take to come back with a decision; the turn itself waits for ever."""

_INSTRUCTIONS = (
    "Glassloop answers questions with assistants that use tools and show every step. `ask` asks one; pass its "
    "session_id again for a follow-up. Figures without a source are named after the answer: do not rely on them."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ACTS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)

Context = ServerRequestContext
Given = dict[str, Any] | None
Result = CallToolResult | InputRequiredResult


class RequestHandler:
    """Answers the requests of one client, on behalf of one user."""

    def __init__(self, runtime: Runtime, settings: Settings, user: str) -> None:
        self._runtime = runtime
        self._settings = settings
        self._user = user
        self.asking = AskTool(runtime, settings, user)
        self._tools: dict[str, Callable[[Context, CallToolRequestParams], Awaitable[Result]]] = {
            "ask": self._ask,
            "list_assistants": self._list_assistants,
            "search_sessions": self._search_sessions,
            "show_session": self._show_session,
        }

    def server(self) -> Server[Any]:
        made: Server[Any] = Server(
            NAME,
            version=__version__,
            title="Glassloop",
            instructions=_INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
        )
        made.middleware.append(
            RequestStateBoundary(RequestStateSecurity.ephemeral(ttl=DECISION_S), default_audience=NAME)
        )
        return made

    async def list_tools(self, _context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                _tool("ask", "Ask an assistant. It thinks, uses its tools and answers; progress tells each step.",
                      a.Ask, a.AskResult, _ACTS),
                _tool("list_assistants", "The assistants that can be asked, with questions they can answer.",
                      a.ListAssistants, a.Assistants, _READS),
                _tool("search_sessions", "Find earlier conversations by their words or by their meaning, best first.",
                      a.SearchSessions, a.Sessions, _READS),
                _tool("show_session", "A conversation with its questions, answers and steps.",
                      a.ShowSession, a.SessionShown, _READS),
            ]
        )  # fmt: skip

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> Result:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(
                INVALID_PARAMS, f"There is no tool {params.name[:60]!r}: there are {', '.join(self._tools)}."
            )
        try:
            return await tool(context, params)
        except GlassloopError as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        except MCPError:
            raise
        except Exception as error:
            reference = uuid.uuid4().hex[:12]
            _log.error("the tool %s failed, reference %s", params.name, reference, exc_info=error)
            told = f"Something went wrong inside: `glassloop --debug mcp` logs it; the reference is {reference}."
            return CallToolResult(content=[TextContent(text=told)], is_error=True)

    async def _ask(self, context: Context, params: CallToolRequestParams) -> Result:
        return await self.asking.call(context, a.read(a.Ask, params.arguments), params)

    async def _list_assistants(self, _context: Context, params: CallToolRequestParams) -> Result:
        a.read(a.ListAssistants, params.arguments)
        found = [
            a.AssistantLine(name=one.name, description=one.description, questions=list(one.questions))
            for one in await self._assistants()
        ]
        return _told("\n".join(f"{one.name}: {one.description}" for one in found), a.Assistants(assistants=found))

    async def _search_sessions(self, _context: Context, params: CallToolRequestParams) -> Result:
        given = a.read(a.SearchSessions, params.arguments)
        found = [
            a.SessionLine(
                session_id=session.id,
                title=session.title,
                assistant=session.assistant,
                status=session.status,
                last_active=session.last_active,
                excerpt=hit.passage,
                turn_id=hit.turn_id,
            )
            for session, hit in await self._runtime.conversation_search.sessions(
                given.query, user=self._user, limit=given.limit
            )
        ]
        lines = [f"{one.session_id}  {one.last_active}  {one.title}\n  {one.excerpt}" for one in found]
        nothing = f"No session is about {given.query[:200]!r}: try fewer words, or parts of them."
        return _told("\n".join(lines) or nothing, a.Sessions(sessions=found))

    async def _show_session(self, _context: Context, params: CallToolRequestParams) -> Result:
        shown = await self._shown(a.read(a.ShowSession, params.arguments).session_id)
        return _told(a.as_markdown(shown), shown)

    async def _shown(self, session_id: str) -> a.SessionShown:
        session = await self._runtime.session(session_id, self._user)
        return a.session_shown(session, await self._runtime.store.sessions.messages(session_id))

    async def list_resources(self, _context: Context, _params: PaginatedRequestParams | None) -> ListResourcesResult:
        sessions = await self._runtime.store.sessions.list(LISTED, user_id=self._user)
        return ListResourcesResult(
            resources=[
                Resource(
                    uri=f"{SESSIONS}{one.id}",
                    name=one.title or one.id,
                    description=f"A conversation with {one.assistant or 'nobody yet'}, {one.last_active}",
                    mime_type="text/markdown",
                )
                for one in sessions
            ]
        )

    async def list_templates(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        template = ResourceTemplate(
            uri_template=f"{SESSIONS}{{id}}",
            name="session",
            description="A conversation by its id, as search_sessions tells it.",
            mime_type="text/markdown",
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, _context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        if not params.uri.startswith(SESSIONS):
            raise MCPError(INVALID_PARAMS, f"There is no resource {params.uri[:200]!r}: sessions are {SESSIONS}ID.")
        try:
            shown = await self._shown(params.uri.removeprefix(SESSIONS)[:200])
        except GlassloopError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None
        text = TextResourceContents(uri=params.uri, mime_type="text/markdown", text=a.as_markdown(shown))
        return ReadResourceResult(contents=[text])

    async def list_prompts(self, _context: Context, _params: PaginatedRequestParams | None) -> ListPromptsResult:
        question = PromptArgument(name="question", description="What to ask it.", required=True)
        return ListPromptsResult(
            prompts=[
                Prompt(name=one.name, title=one.title or None, description=one.description, arguments=[question])
                for one in await self._assistants()
            ]
        )

    async def get_prompt(self, _context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        names = [one.name for one in await self._assistants()]
        if params.name not in names:
            raise MCPError(INVALID_PARAMS, f"There is no assistant {params.name[:60]!r}: there are {', '.join(names)}.")
        question = (params.arguments or {}).get("question", "").strip()
        if not 0 < len(question) <= MAX_QUESTION_CHARS:
            raise MCPError(
                INVALID_PARAMS, f"`question` must have 1 to {MAX_QUESTION_CHARS:,} characters: say what to ask."
            )
        text = f"Ask Glassloop's assistant {params.name!r} with the tool `ask`, and tell its answer:\n\n{question}"
        return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text=text))])

    async def _assistants(self) -> Sequence[Assistant]:
        return await self._runtime.access.assistants(self._user)


def _tool(name: str, description: str, takes: type[BaseModel], gives: type[BaseModel], hints: ToolAnnotations) -> Tool:
    return Tool(
        name=name,
        description=description,
        input_schema=takes.model_json_schema(),
        output_schema=gives.model_json_schema(mode="serialization"),
        annotations=hints,
    )


def _told(text: str, value: BaseModel) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], structured_content=value.model_dump(mode="json"))
