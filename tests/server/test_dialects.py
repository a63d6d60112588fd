"""Other clients' shapes of the same turns: every name of their contracts."""

import pytest

from glassloop import ScriptedModel
from glassloop.core.messages import AssistantMessage, Reply
from glassloop.core.records import ReactResponse, ReActStep, ReasoningStep
from glassloop.extensions.dialects import DialectsSettings
from glassloop.models.scripted_model import call
from server.dialect_turns import FAILS, LOOKED, TRACE, WAITS, approve, chat, fields, is_error, said_to, scripted
from server.sse_client import events, read
from waiting import until

# /api/agent


async def test_execute_answers_with_the_whole_turn(serve):
    _, served = await scripted(serve, LOOKED)
    answer = (await served.client.post("/api/agent/execute", json={"query": "The cat?"})).json()
    assert set(answer) == fields(ReactResponse)
    assert (answer["success"], answer["response"], answer["error"]) == (True, "It is 42.", None)
    assert answer["plan"] is answer["evaluation"] is None
    assert answer["execution_time"] > 0
    assert [set(step) for step in answer["steps"]] == [fields(ReActStep)] * 2
    first, last = answer["steps"]
    assert (first["step_number"], first["status"], first["action"]["tool"]) == (1, "completed", "look")
    assert first["observation"]["output"] == "cat is 42"
    assert first["thought"] and last["thought"]
    assert last["action"] is None
    (session,) = await served.runtime.store.sessions.list()
    assert answer["session_id"] == session.id


async def test_execute_plans_and_evaluates_where_the_assistant_does(serve):
    script = ["It is five.", '{"completeness_score": 9, "quality_score": 8}']
    _, served = await scripted(serve, script, profile={"planner": True, "reflection": True})
    answer = (await served.client.post("/api/agent/execute", json={"query": "What is 2+3?"})).json()
    assert set(answer["plan"]) == {"query", "complexity", "steps", "estimated_iterations"}
    assert set(answer["evaluation"]) == {
        "completeness_score", "quality_score", "missing_info", "needs_retry", "suggestions",
    }  # fmt: skip


async def test_execute_goes_on_with_a_session_and_tells_the_context(serve):
    model, served = await scripted(serve, ["My name is Ann.", "Ann, as I said."])
    first = (await served.client.post("/api/agent/execute", json={"query": "Who are you?"})).json()
    more = {"query": "Again?", "session_id": first["session_id"], "context": {"city": "Ulm"}}
    second = (await served.client.post("/api/agent/execute", json=more)).json()
    assert second["session_id"] == first["session_id"]
    assert "My name is Ann." in said_to(model)
    assert "Ulm" in said_to(model)


async def test_execute_tells_a_failure_in_the_same_shape(serve):
    _, served = await scripted(serve, FAILS)
    answer = (await served.client.post("/api/agent/execute", json={"query": "Why?"})).json()
    assert set(answer) == fields(ReactResponse)
    assert answer["success"] is False
    assert "says no" in answer["error"]


async def test_agent_stream_tells_plan_steps_evaluation_and_response(serve):
    script = [*LOOKED, '{"completeness_score": 9, "quality_score": 8}']
    _, served = await scripted(serve, script, profile={"planner": True, "reflection": True})
    frames = await read(served.client, "/api/agent/stream", params={"query": "What is 2+3?"})
    assert frames[0].event == "plan"
    assert {frame.event for frame in frames} == {"plan", "step", "evaluation", "response"}
    steps = [frame.json for frame in events(frames, "step")]
    assert all(set(step) == fields(ReActStep) for step in steps)
    of_first = [step["status"] for step in steps if step["step_number"] == 1]
    assert (of_first[0], of_first[-1]) == ("pending", "completed")
    assert "running" in of_first
    assert frames[-1].event == "response"
    assert set(frames[-1].json) == fields(ReactResponse)
    assert frames[-1].json["response"] == "It is 42."


async def test_agent_stream_goes_on_with_a_session(serve):
    model, served = await scripted(serve, ["My name is Ann.", "Ann."])
    (*_, first) = await read(served.client, "/api/agent/stream", params={"query": "Who are you?"})
    given = {"query": "Again?", "session_id": first.json["session_id"]}
    (*_, second) = await read(served.client, "/api/agent/stream", params=given)
    assert second.json["session_id"] == first.json["session_id"]
    assert "My name is Ann." in said_to(model)


async def test_agent_stream_tells_a_failure_as_an_error_and_then_the_response(serve):
    _, served = await scripted(serve, FAILS)
    frames = await read(served.client, "/api/agent/stream", params={"query": "Why?"})
    assert [frame.event for frame in frames[-2:]] == ["error", "response"]
    error = frames[-2].json
    assert set(error) == {"success", "error", "error_type", "details", "suggestions", "timestamp"}
    assert (error["error_type"], error["success"]) == ("llm_error", False)
    assert frames[-1].json["success"] is False


async def test_agent_stream_tells_what_waits_for_people(serve):
    _, served = await scripted(serve, WAITS)
    frames = await read(served.client, "/api/agent/stream", params={"query": "Write a."})
    assert [frame.event for frame in frames[-2:]] == ["awaiting_approval", "response"]
    await approve(served.client, frames[-2].json)


async def test_any_assistant_can_be_had_by_its_name_and_no_other(serve):
    _, served = await scripted(serve, ["Here."])
    asked = {"query": "Who?", "assistant": "general"}
    assert (await served.client.post("/api/agent/execute", json=asked)).json()["response"] == "Here."
    answer = await served.client.post("/api/agent/execute", json={**asked, "assistant": "generl"})
    is_error(answer, 404, "validation_error", "generl", "did you mean 'general'?")


# awaiting approval


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/agent/execute", {"query": "Write a."}),
        ("/chat/react", {"messages": [{"role": "user", "content": "Write a."}]}),
        ("/api/analyze", {"question": "Write a."}),
    ],
)
async def test_a_turn_that_waits_for_approval_answers_202_and_can_be_approved(serve, path, body):
    _, served = await scripted(serve, WAITS)
    answer = await served.client.post(path, json=body)
    waits = answer.json()
    assert answer.status_code == 202
    assert set(waits) == {"status", "turn_id", "session_id", "approvals"}
    assert waits["status"] == "awaiting_approval"
    assert waits["approvals"][0]["call"]["args"] == {"text": "a"}
    await approve(served.client, waits)
    view = f"/api/turns/{waits['turn_id']}"

    async def is_written():
        return (await served.client.get(view)).json()["response"]["response"] == "Written."

    await until(is_written, "the answer after the approval")


# /chat/react


async def test_chat_react_answers_a_chat_completion_with_its_reasoning(serve):
    _, served = await scripted(serve, LOOKED)
    answer = (await served.client.post("/chat/react", json=chat("The cat?"))).json()
    assert set(answer) == {
        "id", "object", "created", "model", "choices", "usage", "reasoning_trace", "latency_ms", "session_id",
    }  # fmt: skip
    assert answer["object"] == "chat.completion"
    (choice,) = answer["choices"]
    assert choice == {"index": 0, "message": {"role": "assistant", "content": "It is 42."}, "finish_reason": "stop"}
    assert set(answer["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}
    assert answer["usage"]["total_tokens"] == answer["usage"]["prompt_tokens"] + answer["usage"]["completion_tokens"]
    assert [step["type"] for step in answer["reasoning_trace"]] == TRACE
    assert all(set(step) == fields(ReasoningStep) for step in answer["reasoning_trace"])
    assert all(isinstance(step["timestamp"], float) for step in answer["reasoning_trace"])
    assert answer["reasoning_trace"][1]["tool_args"] == {"word": "cat"}
    assert answer["latency_ms"] > 0


async def test_chat_react_streams_steps_while_they_happen_then_the_answer_then_done(serve):
    _, served = await scripted(serve, LOOKED)
    frames = await read(served.client, "/chat/react", method="POST", json=chat("The cat?", stream=True))
    assert frames[-1].data == "[DONE]"
    told = [frame.json for frame in frames[:-1]]
    assert [one["type"] for one in told] == ["reasoning_step"] * len(TRACE) + ["response.completed"]
    assert [one["step"]["type"] for one in told[:-1]] == TRACE
    assert told[-1]["content"] == "It is 42."
    assert told[-1]["reasoning_trace"] == [one["step"] for one in told[:-1]]
    assert {frame.event for frame in frames} == {"message"}


async def test_chat_react_tells_a_failure_then_done(serve):
    _, served = await scripted(serve, [*FAILS, *FAILS])
    frames = await read(served.client, "/chat/react", method="POST", json=chat("Why?", stream=True))
    assert [frame.data for frame in frames[-1:]] == ["[DONE]"]
    assert set(frames[-2].json) == {"type", "message"}
    assert frames[-2].json["type"] == "error"
    assert "says no" in frames[-2].json["message"]
    is_error(await served.client.post("/chat/react", json=chat("Why?")), 502, "llm_error", "says no")


async def test_chat_react_streams_what_waits_for_people(serve):
    _, served = await scripted(serve, WAITS)
    frames = await read(served.client, "/chat/react", method="POST", json=chat("Write a.", stream=True))
    assert frames[-1].data == "[DONE]"
    assert frames[-2].json["type"] == "awaiting_approval"
    await approve(served.client, frames[-2].json)


async def test_thread_id_goes_on_with_a_session_whatever_the_client_sends_along(serve):
    model, served = await scripted(serve, ["My name is Ann.", "Ann."])
    first = (await served.client.post("/chat/react", json=chat("Who are you?"))).json()
    again = chat("Who are you?", "I never said this.", "Again?", thread_id=first["session_id"])
    second = (await served.client.post("/chat/react", json=again)).json()
    assert second["session_id"] == first["session_id"]
    assert "My name is Ann." in said_to(model)
    assert "never said" not in said_to(model)


async def test_messages_without_a_thread_are_the_history(serve):
    model, served = await scripted(serve, ["Ann, as I said."])
    said = chat("Who are you?", "My name is Ann.", "Again?")
    said["messages"].insert(0, {"role": "system", "content": "Be brief."})
    answer = (await served.client.post("/chat/react", json=said)).json()
    for text in ("Be brief.", "Who are you?", "My name is Ann.", "Again?"):
        assert text in said_to(model)
    turns = await served.runtime.store.turns.of_session(answer["session_id"])
    assert [row.question for row in turns] == ["Again?"]


async def test_input_and_parts_are_read_as_messages_are(serve):
    model, served = await scripted(serve, ["Yes."])
    parts = [{"type": "text", "text": "Are you "}, {"type": "input_text", "text": "there?"}]
    answer = await served.client.post("/chat/react", json={"input": [{"role": "user", "content": parts}]})
    assert answer.status_code == 200
    assert "Are you there?" in said_to(model)


@pytest.mark.parametrize(
    "body",
    [{}, {"messages": []}, {"input": []}, {"messages": None}, {"messages": [{"role": "user"}]},
     {"messages": [{"role": "king", "content": "x"}]}, {"messages": "x"}],
)  # fmt: skip
async def test_no_messages_do_not_fit(serve, body):
    _, served = await scripted(serve, [])
    is_error(await served.client.post("/chat/react", json=body), 422, "validation_error", "does not fit")


@pytest.mark.parametrize("said", [chat(" "), {"messages": [{"role": "assistant", "content": "x"}]}])
async def test_messages_without_a_question_make_no_sense(serve, said):
    _, served = await scripted(serve, [])
    is_error(await served.client.post("/chat/react", json=said), 400, "validation_error", "no question")


async def test_chat_react_can_be_switched_off(serve, settings):
    _, served = await scripted(serve, [], settings=settings(DialectsSettings(react_enabled=False), request_rate=0))
    is_error(await served.client.post("/chat/react", json=chat("x")), 503, "system_error", "REACT_ENABLED=true")


async def test_another_model_than_the_assistants_is_asked_for_by_name(serve):
    wanted = []

    class Noting(ScriptedModel):
        pass

    served = await serve(script=Noting(["Yes."]))
    made = served.runtime.agents._make
    served.runtime.agents._make = lambda one: wanted.append(one.model) or made(one)
    await served.client.post("/chat/react", json=chat("x", model="openai:gpt-6"))
    assert wanted == ["openai:gpt-6"]


# /api/analyze


async def test_analyze_answers_and_nothing_else(serve):
    _, served = await scripted(serve, LOOKED)
    answer = await served.client.post("/api/analyze", json={"question": "The cat?"})
    assert answer.json() == {"answer": "It is 42."}


async def test_analyze_streams_tokens_of_the_answer_only_and_then_done(serve):
    reply = Reply(message=AssistantMessage(text="Let me look.", calls=(call("look", word="cat"),)), stop="tool_use")
    _, served = await scripted(serve, [reply, "<think>Hm.</think>It is 42, as far as anybody can tell."])
    frames = await read(served.client, "/api/analyze/stream", method="POST", json={"question": "The cat?"})
    assert {frame.event for frame in frames} == {"message"}
    assert frames[-1].json == {"done": True}
    assert all(set(frame.json) == {"token"} for frame in frames[:-1])
    assert "".join(frame.json["token"] for frame in frames[:-1]) == "It is 42, as far as anybody can tell."


async def test_analyze_tells_a_failure_as_an_event_with_its_detail(serve):
    _, served = await scripted(serve, [*FAILS, *FAILS])
    frames = await read(served.client, "/api/analyze/stream", method="POST", json={"question": "Why?"})
    assert [(frame.event, set(frame.json)) for frame in frames] == [("error", {"detail"})]
    assert "says no" in frames[0].json["detail"]
    is_error(await served.client.post("/api/analyze", json={"question": "Why?"}), 502, "llm_error", "says no")


async def test_analyze_says_in_words_what_waits_for_people(serve):
    _, served = await scripted(serve, WAITS)
    frames = await read(served.client, "/api/analyze/stream", method="POST", json={"question": "Write a."})
    assert "waits for your approval" in frames[-2].json["token"]
    assert frames[-1].json == {"done": True}
