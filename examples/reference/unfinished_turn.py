"""UnfinishedTurn: what an agent with a store has left, after a restart too."""

import asyncio

from glassloop import Agent, Approval, ScriptedModel, TurnPaused, call, tool


@tool(effect="external", confirm=True)
def refund(order: str) -> str:
    """Pays money back."""
    return f"{order} is paid back"


async def main() -> None:
    async with Agent(ScriptedModel([call("refund", order="A-17")]), [refund], store="agent.db") as agent:
        try:
            await agent.run("Refund A-17.")
        except TurnPaused:
            pass
    # Another program, or the same one days later.
    async with Agent(ScriptedModel(["Done."]), [refund], store="agent.db") as agent:
        (left,) = await agent.unfinished()
        print(left.status, left.question)
        try:
            await agent.resume(left.turn_id).result()
        except TurnPaused as paused:
            decided = [Approval.of(request, True) for request in paused.pending]
            print((await agent.resume(left.turn_id, decided).result()).text)


asyncio.run(main())
