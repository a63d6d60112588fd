"""A program that goes on where it was killed: start it again."""

import asyncio
import os

import httpx

from glassloop import Agent, tool


@tool(effect="external", integrity="trusted", confidentiality="public")
def charge(order: str) -> str:
    """Charges an order."""
    httpx.post(f"{os.environ['SHOP_URL']}/charge", json={"order": order})
    return f"Order {order} is charged."


async def main() -> None:
    async with Agent("openai:gpt-5.2", tools=[charge], store="billing.db") as agent:
        left = await agent.unfinished()
        stream = agent.resume(left[0].turn_id) if left else agent.stream("Charge A-1, A-2 and A-3, one by one.")
        print((await stream.result()).text)


asyncio.run(main())
