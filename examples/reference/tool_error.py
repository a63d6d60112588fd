"""ToolError, ToolResult, ToolCall: a call that fails becomes an observation, and the model goes on."""

from glassloop import Agent, ScriptedModel, ToolCall, ToolError, ToolResult, tool


@tool(effect="read")
def price_of(sku: str) -> float:
    """The price of an item."""
    if sku != "BRG-6204":
        raise ToolError(f"There is no item {sku!r}: there is BRG-6204.")
    return 4.5


calls = [ToolCall(id="", tool="price_of", args={"sku": sku}) for sku in ("BRG-1", "BRG-6204")]
result = Agent(ScriptedModel([*calls, "It costs 4.50."]), [price_of]).run_sync("What does the bearing cost?")
for step in result.steps:
    for made in step.calls:
        observed = made.observation or ToolResult(success=False)
        print(made.action.args, observed.success, observed.text)
