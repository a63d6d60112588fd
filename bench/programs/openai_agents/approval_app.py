import os
from pathlib import Path
from uuid import uuid4

import httpx
from agents import Agent, Runner, RunResult, RunState, function_tool
from fastapi import FastAPI

SHOP, RUNS = os.environ["SHOP_URL"], Path("runs")


@function_tool(needs_approval=True)
def refund(order: str, amount: float) -> str:
    """Pays money back to the customer."""
    httpx.post(f"{SHOP}/refund", json={"order": order, "amount": amount})
    return f"{amount} euros of order {order} are paid back."


agent = Agent(name="support", model="gpt-5.2", tools=[refund])
app = FastAPI()


def reply(result: RunResult) -> dict[str, object]:
    if not result.interruptions:
        return {"answer": result.final_output}
    RUNS.mkdir(exist_ok=True)
    run = uuid4().hex
    (RUNS / run).write_text(result.to_state().to_string())
    asked = [{"id": item.call_id, "tool": item.name, "args": item.arguments} for item in result.interruptions]
    return {"run": run, "asked": asked}


@app.post("/ask")
async def ask(question: str) -> dict[str, object]:
    return reply(await Runner.run(agent, question))


@app.post("/decide/{run}")
async def decide(run: str, decisions: dict[str, bool]) -> dict[str, object]:
    state = await RunState.from_string(agent, (RUNS / run).read_text())
    for item in state.get_interruptions():
        state.approve(item) if decisions[item.call_id] else state.reject(item)
    return reply(await Runner.run(agent, state))
