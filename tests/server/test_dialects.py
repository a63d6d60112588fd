"""Other clients' shapes of the same turns: every name of their contracts."""

import asyncio
import json

import pytest

from glassloop.core.access import AccessRule
from glassloop.core.messages import AssistantMessage, Reply, ToolMessage
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
    script = ["It is five.", '{"completeness_score": 9, "quality_score": 8}', "It is five."]
    _, served = await scripted(serve, script, profile={"planner": True, "reflection": True})
    simple, hard = "What is 2+3?", "What is 2+3, and then compare it with 7 as well as 8?"
    answer = (await served.client.post("/api/agent/execute", json={"query": hard})).json()
    assert set(answer["plan"]) == {"query", "complexity", "steps", "estimated_iterations"}
    assert set(answer["evaluation"]) == {
        "completeness_score", "quality_score", "missing_info", "needs_retry", "suggestions",
    }  # fmt: skip
    assert (await served.client.post("/api/agent/execute", json={"query": simple})).json()["evaluation"] is None


async def test_execute_goes_on_with_a_session_and_tells_the_context(serve):
    model, served = await scripted(serve, ["My name is Ann.", "Ann, as I said."])
    first = (await served.client.post("/api/agent/execute", json={"query": "Who are you?"})).json()
    more = {"query": "Again?", "session_id": first["session_id"], "context": {"city": "Ulm"}}
    second = (await served.client.post("/api/agent/execute", json=more)).json()
    assert second["session_id"] == first["session_id"]
    assert "My name is Ann." in said_to(model)
    assert "Ulm" in said_to(model)


async def test_execute_tells_a_failure_as_an_error_with_what_to_try(serve):
    _, served = await scripted(serve, FAILS)
    answer = await served.client.post("/api/agent/execute", json={"query": "Why?"})
    is_error(answer, 502, "llm_error", "says no")
    assert answer.json()["suggestions"]


async def test_ten_questions_at_once_from_clients_that_name_no_user_are_all_answered(serve, settings):
    _, served = await scripted(serve, ["Yes."] * 12, settings=settings(request_rate=0, user_turns=5))
    answers = await asyncio.gather(*(served.client.post("/chat/react", json=chat("x")) for _ in range(10)))
    assert [answer.status_code for answer in answers] == [200] * 10


async def test_agent_stream_tells_plan_steps_evaluation_and_response(serve):
    script = [*LOOKED, '{"completeness_score": 9, "quality_score": 8}']
    _, served = await scripted(serve, script, profile={"planner": True, "reflection": True})
    question = "What is 2+3, and then compare it with 7 as well as 8?"
    frames = await read(served.client, "/api/agent/stream", params={"query": question})
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
    steps = [one["step"] for one in told if one["type"] == "reasoning_step"]
    assert [step["type"] for step in steps] == TRACE
    assert [one["content"] for one in told if one["type"] == "response.delta"] == ["It is 42."]
    assert told[-1]["type"] == "response.completed"
    assert told[-1]["content"] == "It is 42."
    assert told[-1]["reasoning_trace"] == steps
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
    [{}, {"messages": []}, {"input": []}, {"messages": None},
     {"messages": [{"role": "king", "content": "x"}]}, {"messages": "x"}],
)  # fmt: skip
async def test_no_messages_do_not_fit(serve, body):
    _, served = await scripted(serve, [])
    is_error(await served.client.post("/chat/react", json=body), 422, "validation_error", "Invalid request")


@pytest.mark.parametrize(
    "said",
    [
        chat(" "),
        {"messages": [{"role": "assistant", "content": "x"}]},
        {"messages": [{"role": "user", "content": None}]},
        {"input": [{"type": "reasoning", "summary": []}]},
    ],
)
async def test_messages_without_a_question_make_no_sense(serve, said):
    _, served = await scripted(serve, [])
    is_error(await served.client.post("/chat/react", json=said), 400, "validation_error", "no question")


CALLED = [
    {"role": "user", "content": "Weather in Ulm?", "name": "ann"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_0", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Ulm"}'}},
    ]},
    {"role": "tool", "tool_call_id": "call_0", "content": "Rain."},
    {"role": "assistant", "content": "It rains.", "refusal": None, "annotations": []},
    {"role": "user", "content": "And tomorrow?"},
]  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        {**chat("And tomorrow?"), "temperature": 0.2, "max_tokens": 99, "user": "ann", "seed": 1, "n": 1},
        {"messages": CALLED, "parallel_tool_calls": True},
        {"messages": CALLED[:3], "metadata": {}},
        {"input": [{"type": "message", "id": "msg_1", "role": "user", "content": "And tomorrow?"}]},
        {"input": "And tomorrow?", "instructions": "Be brief."},
        {"input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "Rain."},
        ]},
    ],
)  # fmt: skip
async def test_chat_react_takes_what_clients_of_openai_send(serve, body):
    model, served = await scripted(serve, ["Sun."])
    answer = await served.client.post("/chat/react", json=body)
    assert answer.json()["choices"][0]["message"]["content"] == "Sun.", answer.text
    sent = model.requests[0].messages
    calls = [call for message in sent for call in getattr(message, "calls", ())]
    results = [message for message in sent if isinstance(message, ToolMessage)]
    assert [(call.tool, call.id) for call in calls] == [(message.tool, message.call_id) for message in results]
    text = json.dumps(body)
    assert ("Rain." in said_to(model)) is ("Rain." in text)
    assert ("Be brief." in said_to(model)) is ("Be brief." in text)


@pytest.mark.parametrize(
    ("model", "assistant", "asked"),
    [
        ("business", "business", None),
        ("general", "general", None),
        ("bestbox-react", "business", None),
        ("gpt-4o", "business", None),
        ("openai:gpt-6", "business", "openai:gpt-6"),
    ],
)
async def test_chat_react_knows_its_own_model_names_and_lets_those_of_clients_pass(serve, model, assistant, asked):
    _, served = await scripted(serve, ["Yes."])
    await served.runtime.store.access.set_rule("*", AccessRule(models=("*",)))
    wanted, made = [], served.runtime.agents._make
    served.runtime.agents._make = lambda one: wanted.append((one.assistant, one.model)) or made(one)
    answer = await served.client.post("/chat/react", json=chat("x", model=model))
    assert answer.json()["model"] == assistant
    assert wanted == [(assistant, asked)]


@pytest.mark.parametrize("path", ["/chat/react", "/v1/chat/completions"])
async def test_sound_and_tools_of_a_client_are_refused_with_what_to_do(serve, path):
    _, served = await scripted(serve, [])
    sound = [{"type": "text", "text": "What is it?"}, {"type": "input_audio", "input_audio": {"data": ""}}]
    heard = {"model": "general", "messages": [{"role": "user", "content": sound}]}
    answer = await served.client.post(path, json=heard)
    assert answer.status_code == 400
    assert "'input_audio', which is not read: send text, images or files" in answer.text
    tools = {"model": "general", **chat("x"), "tools": [{"type": "function", "function": {"name": "f"}}]}
    answer = await served.client.post(path, json=tools)
    assert answer.status_code == 400
    assert "leave out 'tools'" in answer.text


@pytest.mark.parametrize("path", ["/chat/react", "/v1/chat/completions"])
async def test_a_long_history_of_a_client_is_summarised_by_the_model_and_its_system_message_stays(serve, path):
    model, served = await scripted(serve, ["They spoke of boats.", "Oui."], profile={"history_tokens": 6_000})
    said = chat(*(f"{number} " + "word " * 1_000 for number in range(9)))["messages"]
    system = {"role": "system", "content": "ALWAYS ANSWER IN FRENCH."}
    answer = await served.client.post(path, json={"model": "general", "messages": [system, *said]})
    assert answer.json()["choices"][0]["message"]["content"] == "Oui.", answer.text
    assert [request.purpose for request in model.requests] == ["summarize", "decide"]
    assert "0 word" in said_to(model, 0)
    assert "They spoke of boats." in said_to(model)
    assert "ALWAYS ANSWER IN FRENCH." in said_to(model)
    assert "0 word" not in said_to(model)
    session = answer.json().get("session_id") or answer.headers["x-session-id"]
    (row,) = await served.runtime.store.turns.of_session(session)
    assert not (await served.runtime.replay(row.id)).differences


async def test_a_client_that_names_a_session_is_still_heard_on_its_instructions(serve):
    model, served = await scripted(serve, ["One.", "Deux."])
    first = (await served.client.post("/chat/react", json=chat("Count."))).json()
    said = chat("Count.", thread_id=first["session_id"])
    said["messages"].insert(0, {"role": "developer", "content": "In French."})
    await served.client.post("/chat/react", json=said)
    assert "In French." in said_to(model)


async def test_chat_react_can_be_switched_off(serve, settings):
    _, served = await scripted(serve, [], settings=settings(DialectsSettings(react_enabled=False), request_rate=0))
    answer = await served.client.post("/chat/react", json=chat("x"))
    is_error(answer, 503, "system_error", "REACT_ENABLED=true")
    assert answer.json()["suggestions"] == []


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
