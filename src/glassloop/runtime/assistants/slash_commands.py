"""Slash commands: read here, never by a model; their calls go through the same policy as everything else."""

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

from glassloop.core.errors import BadArguments, UnknownName, UsageError
from glassloop.core.loop.side_questions import ask_in_context
from glassloop.core.loop.turn import Turn
from glassloop.core.planning.planner import Planner, describe_plan
from glassloop.core.planning.references import resolve_parameters
from glassloop.core.records import Decision, ToolCall
from glassloop.memory.conversation import ConversationMemory

Command = Callable[[str, Turn], Awaitable[Decision]]


class SlashCommands:
    """The commands every assistant has."""

    def __init__(self, memory: ConversationMemory) -> None:
        self._memory = memory
        self._commands: dict[str, tuple[str, Command]] = {
            "help": ("/help: this list", self._help),
            "tools": ("/tools: the tools and their parameters", self._tools),
            "tool": ('/tool NAME {"arg": value}: run one tool', self._tool),
            "plan": ("/plan QUESTION: show a plan for the question without answering it", self._plan),
            "history": ("/history: the conversation so far", self._history),
            "clear": ("/clear: forget the conversation so far", self._clear),
        }

    async def read(self, line: str, turn: Turn) -> Decision:
        """What a line that starts with `/` comes down to: a call or an answer; raises `UsageError` otherwise."""
        name, _, rest = line[1:].strip().partition(" ")
        entry = self._commands.get(name.lower())
        if entry is None:
            raise UnknownName(f"There is no command {f'/{name}'[:40]!r}: /help lists all commands.")
        return await entry[1](rest.strip(), turn)

    async def _help(self, _rest: str, _turn: Turn) -> Decision:
        return Decision(answer="\n".join(usage for usage, _ in self._commands.values()))

    async def _tools(self, _rest: str, turn: Turn) -> Decision:
        lines = [
            f"{spec.name}({', '.join(spec.parameters.get('properties', {}))}): {spec.description.split(chr(10), 1)[0]}"
            + (" (asks first)" if spec.confirm else "")
            for spec in turn.ports.tools.specs.values()
        ]
        return Decision(answer="\n".join(lines) or "This assistant has no tools.")

    async def _tool(self, rest: str, turn: Turn) -> Decision:
        name, _, raw = rest.partition(" ")
        if name not in turn.ports.tools.specs:
            raise UnknownName(f"There is no tool {name[:60]!r}: /tools lists all tools.")
        try:
            args: Any = json.loads(raw) if raw.strip() else {}
        except (ValueError, RecursionError) as error:
            raise UsageError(f'The arguments are not JSON ({error}): write /tool {name} {{"arg": value}}.') from None
        if not isinstance(args, dict):
            raise UsageError(f'The arguments must be a JSON object: write /tool {name} {{"arg": value}}.')
        call = ToolCall(id="call_1", tool=name, args=cast("dict[str, Any]", args))
        _check(call, turn)
        return Decision(thought="Asked for by command.", calls=(call,))

    async def _plan(self, rest: str, turn: Turn) -> Decision:
        if not rest:
            raise UsageError("No question to plan: write /plan QUESTION.")
        plan = await Planner(turn.ports.tools.specs, partial(ask_in_context, turn)).create_plan(rest)
        steps = describe_plan(plan) or "No detailed plan is needed."
        return Decision(answer=f"{plan.complexity}, about {plan.estimated_iterations} iterations\n{steps}")

    async def _history(self, _rest: str, turn: Turn) -> Decision:
        session_id, user = _session(turn)
        turns = await self._memory.get_history(session_id, user=user)
        told = "\n\n".join(f"> {t.user_query}\n{t.agent_response[:500]}" for t in turns)
        return Decision(answer=told or "The conversation is empty.")

    async def _clear(self, _rest: str, turn: Turn) -> Decision:
        session_id, user = _session(turn)
        await self._memory.forget(session_id, user=user)
        return Decision(answer="Conversation cleared. The log still has it.")


def _check(call: ToolCall, turn: Turn) -> None:
    """Refuses arguments that cannot work, here where a person can mend them."""
    try:
        resolve_parameters(call.args, {})
    except BadArguments as error:
        raise UsageError(str(error)) from None
    if (problem := turn.ports.tools.check(call)) is not None:
        raise UsageError(problem)


def _session(turn: Turn) -> tuple[str, str]:
    started = turn.state.started
    return (started.session_id, started.user) if started else ("", "")
