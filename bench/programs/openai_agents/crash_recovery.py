import asyncio
import os

import httpx
from agents import Agent, Runner, SQLiteSession, function_tool

SHOP = os.environ["SHOP_URL"]


@function_tool
def charge(order: str) -> str:
    """Charges an order."""
    httpx.post(f"{SHOP}/charge", json={"order": order})
    return f"Order {order} is charged."


async def main() -> None:
    agent = Agent(name="billing", model="gpt-5.2", tools=[charge])
    session = SQLiteSession("charge-open-orders", "billing.db")
    question = [] if await session.get_items() else "Charge A-1, A-2 and A-3, one by one."
    print((await Runner.run(agent, question, session=session)).final_output)


asyncio.run(main())
