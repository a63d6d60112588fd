import asyncio
import os

import httpx
from dbos import DBOS, DBOSConfig, SetWorkflowID
from pydantic_ai import Agent
from pydantic_ai.durable_exec.dbos import DBOSAgent

SHOP = os.environ["SHOP_URL"]


@DBOS.step()
def charge(order: str) -> str:
    """Charges an order."""
    httpx.post(f"{SHOP}/charge", json={"order": order})
    return f"Order {order} is charged."


agent = DBOSAgent(Agent("openai-chat:gpt-5.2", name="billing", tools=[charge]))


async def main() -> None:
    DBOS(config=DBOSConfig(name="billing", system_database_url="sqlite:///billing.db"))
    DBOS.launch()
    with SetWorkflowID("charge-open-orders"):
        print((await agent.run("Charge A-1, A-2 and A-3, one by one.")).output)


asyncio.run(main())
