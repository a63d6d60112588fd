"""A web app whose agent asks before it pays money back: `uvicorn approval_app:app`."""

import os
from typing import Any

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from glassloop import Agent, Approval, TurnPaused, TurnStream, UsageError, tool

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
    except TurnPaused as turn:
        asked = [
            {"call_id": it.call.id, "digest": it.digest, "args": it.call.args, "doubt": it.doubt} for it in turn.pending
        ]
        return {"run": turn.turn_id, "asked": asked}


@app.post("/ask")
async def ask(question: str) -> dict[str, object]:
    return await reply(agent.stream(question))


@app.post("/decide/{run}")
async def decide(run: str, decisions: list[dict[str, Any]]) -> dict[str, object]:
    return await reply(agent.resume(run, [Approval(**decision) for decision in decisions]))


@app.exception_handler(UsageError)
def refused(_: Request, error: UsageError) -> JSONResponse:
    return JSONResponse({"error": str(error)}, 409)
