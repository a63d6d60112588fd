"""`Plugin`: tools, router domains, guardrails and hooks that are added to an assistant as one piece.

Owns what a plugin is and what its hooks are shown. Finding plugins and calling their hooks is the runtime's business.
Hooks look on, guardrails steer: what these decide is recorded, so that a turn replays from its log alone.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, cast, get_args

import msgspec

from glassloop.core.messages import ModelRequest, Reply
from glassloop.core.planning.router import Domain
from glassloop.core.records import Json, ReactResponse, RouteDecision, ToolCall, ToolResult
from glassloop.tools.context import DepsT
from glassloop.tools.tool import Tool

if TYPE_CHECKING:
    from glassloop.tools.guardrail import Guardrail

HookPoint = Literal[
    "before_route",
    "after_route",
    "before_model_call",
    "after_model_call",
    "before_tool_call",
    "after_tool_call",
    "turn_end",
]
HOOK_POINTS: tuple[HookPoint, ...] = get_args(HookPoint)

MAX_RESULTS = 200
"""Of the tool results in a `PluginContext`: beyond that the oldest are forgotten."""


class PluginContext(msgspec.Struct, kw_only=True):
    """What plugins know of a turn while it runs. Each plugin's own data is in `hook_data` under its name.

    After a pause or a takeover `tool_results` are those of the log; `hook_data` begins anew.
    """

    active_plugins: tuple[str, ...] = ()
    tool_results: dict[str, ToolResult] = {}
    hook_data: dict[str, dict[str, Any]] = {}

    def keep(self, call_id: str, result: ToolResult) -> None:
        self.tool_results[call_id] = result
        while len(self.tool_results) > MAX_RESULTS:
            del self.tool_results[next(iter(self.tool_results))]


class HookedTurn(msgspec.Struct, Generic[DepsT], frozen=True, kw_only=True):
    """The turn a hook or a guardrail is called for. `data` is the plugin's own, or the guardrail's, for as long as the
    turn runs here. Guardrails also have `deps`, and `call` where they look at a call or its result."""

    turn_id: str
    """Its id."""
    session_id: str
    """The conversation it belongs to."""
    user: str
    """Who asked."""
    assistant: str
    """Who was asked."""
    question: str
    """What was asked."""
    settings: Mapping[str, Json]
    """What the turn was started with."""
    plugin_context: PluginContext
    """What all plugins of the turn share."""
    data: dict[str, Any]
    deps: DepsT = cast("DepsT", None)
    call: ToolCall | None = None


class Plugin:
    """Subclass it and override what is needed. One is made for each agent and closed with it.

    `assistants`: the names of those it is for; empty is all of them.
    """

    name: ClassVar[str] = ""
    """Unique among the plugins of an agent."""
    assistants: ClassVar[tuple[str, ...]] = ()
    domains: ClassVar[Sequence[Domain]] = ()
    """Domains that a router may send questions to."""
    guardrails: "ClassVar[Sequence[Guardrail]]" = ()
    """Guardrails that it adds."""

    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:  # noqa: ARG002
        """The tools it adds. `offered` are the settings that tools may ask for, by name."""
        return ()

    async def prompt_facts(self, user: str) -> Mapping[str, str]:  # noqa: ARG002
        """What `{extension.fact}` in the assistant's prompt stands for, by that name, where the plugin's tools have
        other data than the extension's own. Asked when a turn of this user starts, and kept with the turn."""
        return {}

    async def before_route(self, turn: HookedTurn, question: str) -> None:
        """A question is about to be given to a domain."""

    async def after_route(self, turn: HookedTurn, route: RouteDecision) -> None:
        """It was."""

    async def before_model_call(self, turn: HookedTurn, request: ModelRequest) -> None:
        """The model is about to be asked."""

    async def after_model_call(self, turn: HookedTurn, reply: Reply) -> None:
        """It replied."""

    async def before_tool_call(self, turn: HookedTurn, call: ToolCall) -> None:
        """A call is about to run; of an effect the intent is stored, and whoever must agree has agreed."""

    async def after_tool_call(self, turn: HookedTurn, call: ToolCall, result: ToolResult) -> None:
        """It ran, well or not."""

    async def turn_end(self, turn: HookedTurn, response: ReactResponse) -> None:
        """The turn is over: completed, failed or cancelled. A turn that waits for people is not."""

    async def aclose(self) -> None:
        """No turn of its agent runs any more."""
