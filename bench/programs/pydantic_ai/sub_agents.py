from pydantic_ai import Agent, RunContext

STOCK, PRICES = {"BRG-6204": 140}, {"BRG-6204": 4.5}


def stock_of(sku: str) -> int:
    """Units on hand of an item."""
    return STOCK[sku]


def price_of(sku: str) -> float:
    """The price of an item in euros."""
    return PRICES[sku]


storekeeper = Agent("openai-chat:gpt-5.2", tools=[stock_of])
buyer = Agent("openai-chat:gpt-5.2", tools=[price_of])
clerk = Agent("openai-chat:gpt-5.2")


@clerk.tool
async def ask_storekeeper(ctx: RunContext[None], question: str) -> str:
    """Knows what is in stock."""
    return (await storekeeper.run(question, usage=ctx.usage)).output


@clerk.tool
async def ask_buyer(ctx: RunContext[None], question: str) -> str:
    """Knows what things cost."""
    return (await buyer.run(question, usage=ctx.usage)).output


result = clerk.run_sync("Is BRG-6204 in stock, and what does it cost?")
print(result.output, result.usage.total_tokens)
