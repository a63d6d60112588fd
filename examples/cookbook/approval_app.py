"""A web app whose agent asks before it pays money back: `uvicorn approval_app:app`."""

import os
from typing import Any

import httpx
from fastapi import FastAPI

from glassloop import Agent, Approval, TurnPaused, TurnStream, tool

SHOP = os.environ["SHOP_URL"]


@tool(confirm=True)
def refund(order: str, amount: float) -> str:
    """Pays money back to the customer."""
    httpx.post(f"{SHOP}/refund", json={"order": order, "amount": amount})
    return f"{amount} euros of order {order} are paid back."


agent = Agent("openai:gpt-5.2", tools=[refund], store="support.db")
app = FastAPI()


async def reply(stream: TurnStream[str]) -> dict[str, object]:
    try:
        return {"answer": (await stream.result()).text}
    except TurnPaused as paused:
        asked = [{"call_id": one.call.id, "digest": one.digest, "args": one.call.args} for one in paused.pending]
        return {"run": paused.turn_id, "asked": asked}


@app.post("/ask")
async def ask(question: str) -> dict[str, object]:
    return await reply(agent.stream(question))


@app.post("/decide/{run}")
async def decide(run: str, decisions: list[dict[str, Any]]) -> dict[str, object]:
    return await reply(agent.resume(run, [Approval(**decision) for decision in decisions]))
