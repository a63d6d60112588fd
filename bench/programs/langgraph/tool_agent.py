from langchain.agents import create_agent

STOCK = {"BRG-6204": 140, "INS-PA66": 820}


def stock_of(sku: str) -> int:
    """Units on hand of an item, such as BRG-6204."""
    return STOCK[sku]


agent = create_agent("openai:gpt-5.2", tools=[stock_of])
result = agent.invoke({"messages": [{"role": "user", "content": "How many BRG-6204 do we have?"}]})
print(result["messages"][-1].text)
