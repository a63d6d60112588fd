"""open_runtime: agents of a program, durable and by name."""

import asyncio

from glassloop import Agent, ScriptedModel, load_settings, open_runtime


async def main() -> None:
    agent = Agent(ScriptedModel(["Hello, Ann."]), name="greeter")
    async with await open_runtime(load_settings(), agents=[agent]) as runtime:
        response = await runtime.ask("Hello?", user="ann")
        print(response.success, response.response)


asyncio.run(main())
