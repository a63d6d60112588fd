"""Answer: what a person says to a question of the assistant's."""

import asyncio

from glassloop import Agent, Answer, ScriptedModel, TurnPaused, call


async def main() -> None:
    asked = call("ask_user", question="Which warehouse?", options=["North", "South"])
    agent = Agent(ScriptedModel([asked, "North has 140 units."]), ask_user=True)
    try:
        await agent.run("How many bearings are there?")
    except TurnPaused as paused:
        (question,) = paused.questions
        print(question.question, question.options)
        said = Answer(question.call_id, "North")
        print((await agent.resume(paused.events, answers=[said]).result()).text)


asyncio.run(main())
