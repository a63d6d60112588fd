"""Approval, TurnPaused: a call that waits for a person, and goes on with the decision."""

import asyncio

from glassloop import Agent, Approval, ScriptedModel, TurnPaused, call, tool


@tool(effect="external", confirm=True)
def refund(order: str, amount: float) -> str:
    """Pays money back."""
    return f"{amount} of {order} paid back"


async def main() -> None:
    agent = Agent(ScriptedModel([call("refund", order="A-17", amount=30.0), "Done: 30 are paid back."]), [refund])
    try:
        await agent.run("Refund 30 of order A-17.")
    except TurnPaused as paused:
        (asked,) = paused.pending
        print("asks:", asked.call.tool, asked.call.args)
        print((await agent.resume(paused.events, [Approval.of(asked, True, by="ann")]).result()).text)


asyncio.run(main())
