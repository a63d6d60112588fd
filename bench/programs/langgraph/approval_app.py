import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import httpx
from fastapi import FastAPI
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

SHOP = os.environ["SHOP_URL"]


def refund(order: str, amount: float) -> str:
    """Pays money back to the customer."""
    httpx.post(f"{SHOP}/refund", json={"order": order, "amount": amount})
    return f"{amount} euros of order {order} are paid back."


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with AsyncSqliteSaver.from_conn_string("support.db") as saver:
        ask_first = HumanInTheLoopMiddleware(interrupt_on={"refund": True})
        app.state.agent = create_agent("openai:gpt-5.2", [refund], middleware=[ask_first], checkpointer=saver)
        yield


app = FastAPI(lifespan=lifespan)


async def go_on(given: object, run: str) -> dict[str, object]:
    result = await app.state.agent.ainvoke(given, {"configurable": {"thread_id": run}})
    if "__interrupt__" not in result:
        return {"answer": result["messages"][-1].text}
    requests = result["__interrupt__"][0].value["action_requests"]
    return {"run": run, "asked": [{"tool": one["name"], "args": one["args"]} for one in requests]}


@app.post("/ask")
async def ask(question: str) -> dict[str, object]:
    return await go_on({"messages": [{"role": "user", "content": question}]}, uuid4().hex)


@app.post("/decide/{run}")
async def decide(run: str, decisions: list[bool]) -> dict[str, object]:
    words = [{"type": "approve"} if yes else {"type": "reject"} for yes in decisions]
    return await go_on(Command(resume={"decisions": words}), run)
