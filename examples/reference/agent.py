"""Agent: a model with tools, asked a question."""

from glassloop import Agent, ScriptedModel, call, tool


@tool(effect="read")
def stock_of(sku: str) -> int:
    """Units on hand of an item (such as BRG-6204)."""
    return {"BRG-6204": 140}.get(sku, 0)


# A name such as "anthropic:claude-sonnet-5-5" goes in place of the script.
model = ScriptedModel([call("stock_of", sku="BRG-6204"), "There are 140."])
agent = Agent(model, tools=[stock_of], prompt="You answer questions about the stock.")
print(agent.run_sync("How many BRG-6204 do we have?").text)
