from pydantic_ai import Agent

STOCK = {"BRG-6204": 140, "INS-PA66": 820}


def stock_of(sku: str) -> int:
    """Units on hand of an item, such as BRG-6204."""
    return STOCK[sku]


agent = Agent("openai-chat:gpt-5.2", tools=[stock_of])
print(agent.run_sync("How many BRG-6204 do we have?").output)
