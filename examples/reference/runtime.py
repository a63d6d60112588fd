"""Runtime: turns that run whether anybody waits or not, and wait for people for weeks."""

import asyncio

from glassloop import Agent, Approval, ScriptedModel, call, events, load_settings, open_runtime, tool


@tool(effect="external", confirm=True)
def refund(order: str) -> str:
    """Pays money back."""
    return f"{order} is paid back"


async def main() -> None:
    agent = Agent(ScriptedModel([call("refund", order="A-17"), "Done."]), [refund], name="support")
    async with await open_runtime(load_settings(), agents=[agent]) as runtime:
        taken = await runtime.submit("Refund A-17.", user="ann")
        async for event in runtime.watch(taken.turn_id, through_pauses=True):
            match event:
                case events.ApprovalRequested():
                    decided = [Approval.of(event, True, by="ann")]
                    print("goes on:", await runtime.approve(taken.turn_id, decided, user="ann"))
                case events.AnswerGiven():
                    print(event.text)
                case _:
                    pass


asyncio.run(main())
