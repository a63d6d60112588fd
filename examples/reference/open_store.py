"""open_store: the log of turns, to read what an agent wrote."""

import asyncio

from glassloop import Agent, ScriptedModel, open_store


async def main() -> None:
    async with await open_store("agent.db") as store:
        async with Agent(ScriptedModel(["Hello."]), store=store) as agent:
            result = await agent.run("Hi")
        print([event.type for event in await store.turns.read(result.turn_id)])


asyncio.run(main())
