"""`ask` over real stdio: answers, progress, mistakes, two at once, cancelling."""

import asyncio

from mcp_server.conftest import SHARED, text_of
from waiting import until

pytestmark = SHARED


async def test_a_question_is_answered_with_its_steps_its_evidence_and_progress(talk):
    told = []

    async def hear(progress, _total, message):
        told.append((progress, message))

    result = await talk.client.call_tool("ask", {"question": "What is 18% of 2,450?"}, progress_callback=hear)
    assert not result.is_error
    assert "441" in text_of(result)
    found = result.structured_content
    assert found["answer"] == text_of(result)
    assert (found["status"], found["error"], found["waiting"]) == ("completed", None, [])
    assert found["evidence"] == {"figures": 3, "sourced": 3, "unsourced": []}
    assert [step["type"] for step in found["steps"]] == ["think", "act", "observe", "think", "answer"]
    assert found["session_id"] in result.content[1].text
    assert [message.partition(":")[0] for _, message in told] == ["think", "act", "observe", "answer"]
    assert told[1][1] == 'act: calculate {"expression":"18% of 2,450"}'
    assert [number for number, _ in told] == sorted({number for number, _ in told})


async def test_a_follow_up_goes_into_the_same_session(talk):
    first = (await talk.ask("What is 2 + 2?")).structured_content
    second = (await talk.ask("What is 3 + 3?", session_id=first["session_id"])).structured_content
    assert second["session_id"] == first["session_id"]
    assert second["turn_id"] != first["turn_id"]
    shown = await talk.client.call_tool("show_session", {"session_id": first["session_id"]})
    assert [said["role"] for said in shown.structured_content["messages"]] == ["user", "assistant"] * 2


async def test_two_questions_at_once_do_not_wait_for_one_another(talk):
    held = asyncio.ensure_future(talk.ask('/tool wait_at_door {"door": "both"}', assistant="porter"))
    await until(lambda: talk.place.at_door("both"), "the first question")
    quick = await talk.ask("What is 2 + 2?")
    assert "4" in text_of(quick)
    assert not held.done()
    talk.place.open_door("both")
    assert "the door is open" in text_of(await held)


async def test_cancelling_the_call_cancels_the_turn_and_the_server_goes_on(talk):
    held = asyncio.ensure_future(talk.ask('/tool wait_at_door {"door": "cancelled"}', assistant="porter"))
    await until(lambda: talk.place.at_door("cancelled"), "the question")
    held.cancel()
    await asyncio.gather(held, return_exceptions=True)

    async def stopped():
        return await talk.place.statuses('"cancelled"') == ["cancelled"]

    await until(stopped, "the end of the turn")
    assert "4" in text_of(await talk.ask("What is 2 + 2?"))


async def test_every_mistake_is_an_answer_that_says_what_to_do(talk):
    async def refusal(**arguments):
        result = await talk.client.call_tool("ask", arguments)
        assert result.is_error
        return text_of(result)

    assert "did you mean 'general'" in await refusal(question="Hi", assistant="generol")
    assert "There is no assistant" in await refusal(question="Hi", assistant="./porter")
    assert "question: Field required" in await refusal()
    assert "question: String should have at least 1" in await refusal(question="")
    assert "The question is empty" in await refusal(question="  \n")
    assert "questoin: Extra inputs" in await refusal(questoin="Hi", question="Hi")
    assert "session_id: String should match" in await refusal(question="Hi", session_id="../etc")
    assert "question: String should have at most" in await refusal(question="x" * 200_001)
    assert "/help lists" in await refusal(question="/nonsense")
    assert await talk.place.statuses("Hi") == []
    assert await talk.place.statuses("/nonsense") == ["failed"]


async def test_a_tool_that_breaks_fails_its_step_and_tells_no_stack(talk):
    result = await talk.ask("/tool die", assistant="porter")
    (seen,) = [step for step in result.structured_content["steps"] if step["type"] == "observe"]
    assert "RuntimeError" in seen["content"]
    assert "Traceback" not in str(result)


async def test_what_a_tool_prints_or_reads_never_touches_the_protocol(talk):
    result = await talk.ask("/tool shout", assistant="porter")
    assert "read ''" in text_of(result)
    assert "4" in text_of(await talk.ask("What is 2 + 2?"))
    assert "printed by a tool" in talk.place.told()
