"""A question that is asked on every working day at nine; the answers wait for their reader."""

import asyncio

from glassloop import Agent, Runtime, load_settings, open_runtime

STOCK = {"BRG-6204": 140, "INS-PA66": 12}


def low_items(below: int) -> list[str]:
    """Items of which fewer units than this are left."""
    return [sku for sku, units in STOCK.items() if units < below]


reporter = Agent("openai:gpt-5.2", tools=[low_items], name="reporter")


async def plan(runtime: Runtime) -> None:
    if not await runtime.schedules.list("ann"):
        question, zone = "Which items are below 50 units?", "Europe/Berlin"
        await runtime.schedules.add(question, user="ann", every="0 9 * * 1-5", timezone=zone)


async def main() -> None:
    async with await open_runtime(load_settings(), agents=[reporter]) as runtime:
        await plan(runtime)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
