"""TurnStream: the events of a turn as they happen, or only its text."""

import asyncio

from glassloop import Agent, ScriptedModel


async def main() -> None:
    agent = Agent(ScriptedModel(["Forty-two.", "The answer is 42."]))
    async for event in agent.stream("What is 6 × 7?"):
        print(event.seq, event.type)
    stream = agent.stream("In a sentence?")
    print([piece async for piece in stream.text()])
    print((await stream.result()).stop_reason)


asyncio.run(main())
