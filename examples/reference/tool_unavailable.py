"""ToolUnavailable: a failure that may pass; a tool that only reads is tried again."""

from glassloop import Agent, ScriptedModel, ToolUnavailable, call, tool

tries = 0


@tool(effect="read")
def price_of(sku: str) -> float:
    """The price of an item."""
    global tries
    tries += 1
    if tries == 1:
        raise ToolUnavailable("The price list is being written.")
    return 4.5


print(Agent(ScriptedModel([call("price_of", sku="BRG-6204"), "4.50."]), [price_of]).run_sync("What is it?").text, tries)
