"""open_runtime: durable turns, on the store of the settings."""

import asyncio

from glassloop import load_settings, open_runtime
from glassloop.core.events import AnswerGiven


async def main() -> None:
    async with await open_runtime(load_settings(model="reflex")) as runtime:
        taken = await runtime.submit("What is 18% of 2,450?", user="ann")
        async for event in runtime.watch(taken.turn_id):
            if isinstance(event, AnswerGiven):
                print(event.text)
        print((await runtime.turn(taken.turn_id, "ann")).status)


asyncio.run(main())
