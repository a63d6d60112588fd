"""events: the types of what a turn yields, to tell them apart."""

import asyncio

from glassloop import Agent, ScriptedModel, call, events


def today() -> str:
    """The day."""
    return "Monday"


async def main() -> None:
    async for event in Agent(ScriptedModel([call("today"), "It is Monday."]), [today]).stream("Which day is it?"):
        match event:
            case events.ToolReturned():
                print("observed", event.result.text)
            case events.AnswerGiven():
                print("answered", event.text)
            case _:
                pass


asyncio.run(main())
