"""ReactResponse: a turn as the HTTP API gives it."""

import asyncio

from glassloop import Agent, ReactResponse, ScriptedModel


async def main() -> None:
    response: ReactResponse = await Agent(ScriptedModel(["Hello."])).stream("Hi").drain()
    print(response.success, response.response, len(response.steps))


asyncio.run(main())
