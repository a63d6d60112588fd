from langchain.agents import create_agent
from langchain_core.callbacks import get_usage_metadata_callback

STOCK, PRICES = {"BRG-6204": 140}, {"BRG-6204": 4.5}


def stock_of(sku: str) -> int:
    """Units on hand of an item."""
    return STOCK[sku]


def price_of(sku: str) -> float:
    """The price of an item in euros."""
    return PRICES[sku]


storekeeper = create_agent("openai:gpt-5.2", tools=[stock_of])
buyer = create_agent("openai:gpt-5.2", tools=[price_of])


def ask_storekeeper(question: str) -> str:
    """Knows what is in stock."""
    return storekeeper.invoke({"messages": [{"role": "user", "content": question}]})["messages"][-1].text


def ask_buyer(question: str) -> str:
    """Knows what things cost."""
    return buyer.invoke({"messages": [{"role": "user", "content": question}]})["messages"][-1].text


clerk = create_agent("openai:gpt-5.2", tools=[ask_storekeeper, ask_buyer])
with get_usage_metadata_callback() as usage:
    result = clerk.invoke({"messages": [{"role": "user", "content": "Is BRG-6204 in stock, and what does it cost?"}]})
print(result["messages"][-1].text, sum(used["total_tokens"] for used in usage.usage_metadata.values()))
