"""Plugin, HookedTurn: hooks that look on while a turn runs."""

from glassloop import Agent, HookedTurn, Plugin, ReactResponse, ScriptedModel, ToolCall, ToolResult, call, tool


@tool(effect="read")
def today() -> str:
    """The day."""
    return "Monday"


class Audit(Plugin):
    name = "audit"

    async def after_tool_call(self, turn: HookedTurn, call: ToolCall, result: ToolResult) -> None:
        turn.data.setdefault("calls", []).append(call.tool)

    async def turn_end(self, turn: HookedTurn, response: ReactResponse) -> None:
        print(turn.user, "asked", repr(turn.question), "calls:", turn.data.get("calls", []))


agent = Agent(ScriptedModel([call("today"), "It is Monday."]), [today], plugins=[Audit()])
print(agent.run_sync("Which day is it?", user="ann").text)
