"""An agent that asks other agents."""

from glassloop import Agent

STOCK, PRICES = {"BRG-6204": 140}, {"BRG-6204": 4.5}


def stock_of(sku: str) -> int:
    """Units on hand of an item."""
    return STOCK[sku]


def price_of(sku: str) -> float:
    """The price of an item in euros."""
    return PRICES[sku]


storekeeper = Agent("openai:gpt-5.2", tools=[stock_of])
buyer = Agent("openai:gpt-5.2", tools=[price_of])
experts = [
    storekeeper.as_tool("ask_storekeeper", "Knows what is in stock."),
    buyer.as_tool("ask_buyer", "Knows what things cost."),
]
clerk = Agent("openai:gpt-5.2", tools=experts)
result = clerk.run_sync("Is BRG-6204 in stock, and what does it cost?")
print(result.text, result.usage.input_tokens + result.usage.output_tokens)
