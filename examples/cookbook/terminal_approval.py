"""An assistant in the terminal that asks before it pays money back. Whenever it was killed, start it again."""

import asyncio
import os

import httpx

from glassloop import Agent, Approval, TurnPaused, TurnStream, events, tool

SHOP = os.environ["SHOP_URL"]


@tool(confirm=True)
def refund(order: str, amount: float) -> str:
    """Pays money back to the customer."""
    httpx.post(f"{SHOP}/refund", json={"order": order, "amount": amount}).raise_for_status()
    return f"{amount} euros of order {order} are paid back."


def show(event: events.Event) -> None:
    match event:
        case events.ToolCalled():
            print(f"  → {event.call.tool} {event.call.args}")
        case events.ToolReturned():
            print(f"  ← {event.result.text}")
        case events.ApprovalDecided():
            print(f"  {'approved' if event.approved else 'refused'} by {event.by}")
        case _:
            pass


def ask(prompt: str) -> str:
    """What the person types; Ctrl-D leaves. Nothing else runs meanwhile, and a turn that waits is in the store."""
    try:
        return input(prompt).strip()
    except EOFError:
        raise SystemExit from None


def decide(request: events.ApprovalRequested) -> Approval:
    if request.doubt:
        print(f"  It may have taken place: {request.doubt}")
    yes = ask(f"May I {request.call.tool} {request.call.args}? [y/n] ").lower() == "y"
    return Approval.of(request, yes, by="clerk", reason="" if yes else "The clerk said no.")


async def follow(agent: Agent, stream: TurnStream[str]) -> str:
    """The answer. Shows each step once: first those of an earlier process, which a resumed stream has in `events`."""
    shown = 0
    while True:
        async for _ in stream:
            for event in stream.events[shown:]:
                show(event)
            shown = len(stream.events)
        try:
            return (await stream.result()).text
        except TurnPaused as paused:
            if not paused.pending:
                raise
            stream = agent.resume(paused.turn_id, [decide(request) for request in paused.pending])


async def main() -> None:
    async with Agent("openai:gpt-5.2", tools=[refund], store="clerk.db") as agent:
        for left in await agent.unfinished():
            print(f"Going on with: {left.question}")
            print(await follow(agent, agent.resume(left.turn_id)))
        while question := ask("> "):
            print(await follow(agent, agent.stream(question, session_id="desk")))


asyncio.run(main())
