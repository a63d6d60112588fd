import os

import httpx
from langchain.agents import create_agent
from langgraph.checkpoint.sqlite import SqliteSaver

SHOP = os.environ["SHOP_URL"]


def charge(order: str) -> str:
    """Charges an order."""
    httpx.post(f"{SHOP}/charge", json={"order": order})
    return f"Order {order} is charged."


with SqliteSaver.from_conn_string("billing.db") as saver:
    agent = create_agent("openai:gpt-5.2", tools=[charge], checkpointer=saver)
    config = {"configurable": {"thread_id": "charge-open-orders"}}
    question = {"messages": [{"role": "user", "content": "Charge A-1, A-2 and A-3, one by one."}]}
    result = agent.invoke(None if agent.get_state(config).next else question, config)
    print(result["messages"][-1].text)
