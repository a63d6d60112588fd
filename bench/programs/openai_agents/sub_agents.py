from agents import Agent, Runner, function_tool

STOCK, PRICES = {"BRG-6204": 140}, {"BRG-6204": 4.5}


@function_tool
def stock_of(sku: str) -> int:
    """Units on hand of an item."""
    return STOCK[sku]


@function_tool
def price_of(sku: str) -> float:
    """The price of an item in euros."""
    return PRICES[sku]


storekeeper = Agent(name="storekeeper", model="gpt-5.2", tools=[stock_of])
buyer = Agent(name="buyer", model="gpt-5.2", tools=[price_of])
experts = [
    storekeeper.as_tool("ask_storekeeper", "Knows what is in stock."),
    buyer.as_tool("ask_buyer", "Knows what things cost."),
]
clerk = Agent(name="clerk", model="gpt-5.2", tools=experts)
result = Runner.run_sync(clerk, "Is BRG-6204 in stock, and what does it cost?")
print(result.final_output, result.context_wrapper.usage.total_tokens)
