import os
from pathlib import Path
from uuid import uuid4

import httpx
from fastapi import FastAPI
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelMessagesTypeAdapter, Tool
from pydantic_ai.agent import AgentRunResult

SHOP, RUNS = os.environ["SHOP_URL"], Path("runs")


def refund(order: str, amount: float) -> str:
    """Pays money back to the customer."""
    httpx.post(f"{SHOP}/refund", json={"order": order, "amount": amount})
    return f"{amount} euros of order {order} are paid back."


tools = [Tool(refund, requires_approval=True)]
agent = Agent("openai-chat:gpt-5.2", tools=tools, output_type=[str, DeferredToolRequests])
app = FastAPI()


def reply(result: AgentRunResult[str | DeferredToolRequests]) -> dict[str, object]:
    if isinstance(result.output, str):
        return {"answer": result.output}
    RUNS.mkdir(exist_ok=True)
    run = uuid4().hex
    (RUNS / run).write_bytes(result.all_messages_json())
    asked = [{"id": call.tool_call_id, "tool": call.tool_name, "args": call.args} for call in result.output.approvals]
    return {"run": run, "asked": asked}


@app.post("/ask")
async def ask(question: str) -> dict[str, object]:
    return reply(await agent.run(question))


@app.post("/decide/{run}")
async def decide(run: str, decisions: dict[str, bool]) -> dict[str, object]:
    messages = ModelMessagesTypeAdapter.validate_json((RUNS / run).read_bytes())
    decided = DeferredToolResults(approvals=decisions)
    return reply(await agent.run(message_history=messages, deferred_tool_results=decided))
