"""reflex as a `Model`: streams, answers from observations, never pretends, never raises."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent
from glassloop.core.events import AnswerEvaluated, ModelResponded, PlanMade, ToolReturned, TurnStarted
from glassloop.core.messages import (
    AssistantMessage,
    CallChunk,
    Chunk,
    Message,
    ModelRequest,
    Reply,
    TextChunk,
    ThoughtChunk,
    ToolMessage,
    ToolSpec,
    UserMessage,
    note,
)
from glassloop.core.records import (
    Decision,
    Evidence,
    ExecutionPlan,
    PlanStep,
    QualityEvaluation,
    ToolCall,
    ToolResult,
)
from glassloop.core.reflection import read_opinion
from glassloop.core.state import fold
from glassloop.extensions.general.tools import make_tools
from glassloop.models.reflex import ReflexModel

ASKED = UserMessage("What is 15% of 230?")
CALLED = AssistantMessage(calls=(ToolCall(id="c1", tool="calculate", args={"expression": "15% of 230"}),))


async def stream(messages: list[Message], **fields: Any) -> list[Chunk]:
    request = ModelRequest(system=fields.pop("system", ""), messages=messages, **fields)
    return [chunk async for chunk in ReflexModel().stream(request)]


async def say(messages: list[Message], **fields: Any) -> Reply:
    last = (await stream(messages, **fields))[-1]
    assert isinstance(last, Reply)
    return last


def seen(content: str, *, is_error: bool = False, tool: str = "calculate") -> ToolMessage:
    return ToolMessage(call_id="c1", tool=tool, content=content, is_error=is_error)


@pytest.fixture
def general(tmp_path: Path) -> list[ToolSpec]:
    return [made.spec for made in make_tools(tmp_path)]


def test_it_is_free_and_takes_native_tool_calls() -> None:
    model = ReflexModel()
    assert model.name == "reflex"
    assert model.abilities.native_tools
    assert model.abilities.context_tokens == 1_000_000
    assert model.quote(10**6, 10**6) == 0.0


async def test_a_call_is_streamed_and_then_told_whole(general: list[ToolSpec]) -> None:
    chunks = await stream([ASKED], tools=general)
    reply = chunks[-1]
    assert isinstance(reply, Reply)
    assert [type(chunk) for chunk in chunks].count(Reply) == 1
    (streamed,) = [chunk for chunk in chunks if isinstance(chunk, CallChunk)]
    (call,) = reply.message.calls
    assert (streamed.name, msgspec.json.decode(streamed.arguments)) == (call.tool, call.args)
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, ThoughtChunk)) == reply.message.thought != ""
    assert reply.stop == "tool_use"
    assert reply.model == "reflex"
    assert reply.usage.cost == 0.0
    assert reply.usage.input_tokens > 0 < reply.usage.output_tokens


async def test_the_answer_is_streamed_from_the_observation_and_labelled(general: list[ToolSpec]) -> None:
    chunks = await stream([ASKED, CALLED, seen('{"expression": "15% of 230", "result": 34.5}')], tools=general)
    reply = chunks[-1]
    assert isinstance(reply, Reply)
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk)) == reply.message.text
    assert reply.message.calls == ()
    assert "- result: 34.5" in reply.message.text
    assert reply.message.text.endswith("_Put together by reflex from the tool's output, without a language model._")
    assert reply.stop == "end_turn"


async def test_an_answer_to_a_chinese_question_is_labelled_in_chinese() -> None:
    reply = await say([UserMessage("北京的天气怎么样？"), seen("晴，5度")])
    assert reply.message.text == "晴，5度\n\n_由 reflex 根据工具输出整理，未使用语言模型。_"


async def test_rows_become_a_table_within_bounds() -> None:
    rows = [{"sku": f"S-{n}", "name": "a|b", "tags": ["x", "y"]} for n in range(30)]
    text = (await say([ASKED, seen(msgspec.json.encode({"items": rows, "none_left": []}).decode())])).message.text
    assert "| sku | name | tags |" in text
    assert '| S-0 | a\\|b | ["x","y"] |' in text
    assert "S-19" in text
    assert "S-20" not in text
    assert "…" in text
    assert "- none left: none" in text


async def test_parts_of_a_value_stand_below_its_name() -> None:
    text = (await say([ASKED, seen('{"kept": {"id": 1, "by": {"name": "Ada"}}, "ok": true}')])).message.text
    assert text.startswith("- kept:\n  - id: 1\n  - by:\n    - name: Ada\n- ok: yes\n")


async def test_an_answer_is_bounded_however_long_the_observation() -> None:
    assert len((await say([ASKED, seen("x" * 100_000)])).message.text) < 7_000


async def test_a_failed_tool_is_reported_in_its_own_words() -> None:
    text = (await say([ASKED, CALLED, seen("Division by zero.", is_error=True)])).message.text
    assert text.startswith("`calculate` could not do this: Division by zero.")


async def test_a_new_question_is_not_answered_from_old_observations(general: list[ToolSpec]) -> None:
    history = [ASKED, CALLED, seen('{"result": 34.5}'), AssistantMessage(text="34.5")]
    reply = await say([*history, UserMessage("What time is it in Tokyo?")], tools=general)
    assert [call.tool for call in reply.message.calls] == ["current_time"]


async def test_without_a_fitting_tool_it_says_what_it_is_and_what_would_help(general: list[ToolSpec]) -> None:
    text = (await say([UserMessage("Who wrote Faust?")], tools=general)).message.text
    for words in (
        "reflex",
        "without a language model",
        "`calculate`",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GOOGLE_API_KEY",
        "OLLAMA_HOST",
        "--model",
    ):
        assert words in text


async def test_an_answer_that_is_none_is_judged_so_and_not_asked_for_again() -> None:
    agent = Agent(ReflexModel(), [], planner=True, reflection=True)
    for question in ("How do I mend a squeaky door?", "怎样修理吱吱响的门？"):
        response = await agent.run(question)
        assert response.evaluation is not None
        assert (response.evaluation.completeness_score, response.evaluation.quality_score) == (0, 0)
        assert response.evaluation.missing_info == ("an answer",)
        assert len(response.steps) == 1


async def test_a_synthesis_shows_what_was_observed_and_calls_nothing(general: list[ToolSpec]) -> None:
    last = note("last_step", "No further step is possible: the limit of this turn is reached.")
    reply = await say([ASKED, CALLED, seen('{"result": 34.5}'), last], tools=general, purpose="synthesize")
    assert reply.message.calls == ()
    assert "- result: 34.5" in reply.message.text


def _turn(*, rejected: bool) -> list[Message]:
    """The transcript as the core writes it, with a plan as advice and, if `rejected`, a draft that was sent back."""
    at: dict[str, Any] = {"turn_id": "t", "at": 0.0}
    step = PlanStep(step_number=1, description="Use recall", tool_name="recall")
    plan = ExecutionPlan(query=ASKED.content, complexity="medium", steps=(step,))
    events: list[Any] = [
        TurnStarted(
            seq=1, question=ASKED.content, user="u", session_id="s", assistant="a", model="m", protocol="native", **at
        ),
        PlanMade(seq=2, plan=plan, **at),
    ]
    if rejected:
        opinion = QualityEvaluation(completeness_score=1, quality_score=1, missing_info=("more",), needs_retry=True)
        said: dict[str, Any] = {"purpose": "decide", "step": 1, "model": "m", "tier": "balanced"}
        draft = AssistantMessage(text="34.5")
        events += [
            ModelResponded(seq=3, message=CALLED, decision=Decision(calls=CALLED.calls), **said, **at),
            ToolReturned(seq=4, step=1, call_id="c1", result=ToolResult(success=True, output="34.5"), **at),
            ModelResponded(seq=5, message=draft, decision=Decision(answer=draft.text), **said, **at),
            AnswerEvaluated(seq=6, accepted=False, evidence=Evidence(), evaluation=opinion, **at),
        ]
    return fold(events).messages


async def test_a_plan_given_as_advice_is_not_taken_for_the_question(general: list[ToolSpec]) -> None:
    messages = _turn(rejected=False)
    assert isinstance(messages[-1], UserMessage)
    assert messages[-1].content != ASKED.content
    assert [call.tool for call in (await say(messages, tools=general)).message.calls] == ["calculate"]


async def test_a_draft_that_was_sent_back_is_answered_from_the_same_observation(general: list[ToolSpec]) -> None:
    reply = await say(_turn(rejected=True), tools=general)
    assert reply.message.text.startswith("34.5\n")


PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "age": {"type": "integer", "minimum": 18},
        "kind": {"$ref": "#/$defs/Kind"},
        "tags": {"type": "array", "items": {"type": "boolean"}, "minItems": 1},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "extra": {"type": "string"},
    },
    "required": ["name", "age", "kind", "tags", "note"],
    "$defs": {"Kind": {"enum": ["b", "a"]}},
}


async def test_a_plan_by_schema_is_the_smallest_value_that_fits() -> None:
    text = (await say([ASKED], purpose="plan", schema=PERSON)).message.text
    assert msgspec.json.decode(text) == {"name": "--", "age": 18, "kind": "b", "tags": [False], "note": None}


async def test_a_plan_without_a_schema_is_an_empty_object() -> None:
    assert (await say([ASKED], purpose="plan")).message.text == "{}"


async def test_it_has_no_opinion_on_answers_so_the_rule_decides() -> None:
    schema = {"type": "object", "properties": {"completeness_score": {"type": "number"}}}
    text = (await say([ASKED], purpose="evaluate", schema=schema)).message.text
    assert "no opinion" in text
    assert read_opinion(text) is None


ROUTES = {
    "type": "object",
    "properties": {"destination": {"enum": ["hr_agent", "stock_agent"]}, "reasoning": {"type": "string"}},
    "required": ["destination", "reasoning"],
}
DEPARTMENTS = "Destinations:\n- hr_agent: leave, salaries, people\n- stock_agent: products, warehouses, 库存\n"


@pytest.mark.parametrize(
    ("question", "destination"),
    [
        ("How many products are in the warehouse?", "stock_agent"),
        ("I want to take leave", "hr_agent"),
        ("还有库存吗", "stock_agent"),
    ],
)
async def test_a_route_is_chosen_by_the_words_of_its_description(question: str, destination: str) -> None:
    reply = await say([UserMessage(question)], system=DEPARTMENTS, purpose="route", schema=ROUTES)
    assert msgspec.json.decode(reply.message.text) == {"destination": destination, "reasoning": ""}


async def test_a_route_that_no_word_speaks_for_is_left_open() -> None:
    reply = await say([UserMessage("hm")], system=DEPARTMENTS, purpose="route", schema=ROUTES)
    assert "no opinion" in reply.message.text


async def test_a_summary_is_made_of_the_beginnings_and_says_so() -> None:
    text = (await say([ASKED, seen("y" * 500)], purpose="summarize")).message.text
    assert text.startswith("Shortened by reflex, without a language model:\n- What is 15% of 230?")
    assert len(text) < 500


_texts = st.text(max_size=120) | st.text(
    alphabet=st.characters(codec=None) | st.sampled_from(list("0123456789-+*/()%'\"什么多少公里 aenoitr.,:=#@")),
    max_size=120,
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_schema_words = st.sampled_from(
    [
        "type",
        "properties",
        "required",
        "enum",
        "anyOf",
        "$ref",
        "items",
        "minimum",
        "default",
        "string",
        "object",
        "#/a",
    ]
)
_schemas = st.dictionaries(_schema_words, _json | st.dictionaries(st.text(max_size=5), _json, max_size=3), max_size=4)


_GENERAL = [made.spec for made in make_tools(Path("never-written"))]


@given(question=_texts, observation=_texts)
async def test_any_text_is_answered(question: str, observation: str) -> None:
    for messages in ([UserMessage(question)], [UserMessage(question), seen(observation)]):
        reply = await say(messages, tools=_GENERAL)
        assert reply.message.calls or reply.message.text.strip()
        assert msgspec.json.encode(reply.message.calls)


@given(schema=_schemas, question=st.sampled_from(["look 3 up", "x SO-1 2026-01-02 'q'", "查 5"]))
async def test_any_schema_is_survived(schema: dict[str, Any], question: str) -> None:
    tool = ToolSpec(name="look_up", description="Look x up 查", parameters=schema, effect="read")
    nested = ToolSpec(name="look", description="Look", parameters={"properties": {"a": schema}}, effect="read")
    await say([UserMessage(question)], tools=[tool, nested])
    for purpose in ("plan", "route"):
        await say([UserMessage(question)], purpose=purpose, schema=schema)


@given(observation=_json)
async def test_any_json_is_rendered(observation: Any) -> None:
    reply = await say([ASKED, seen(msgspec.json.encode(observation).decode())])
    assert "reflex" in reply.message.text


async def test_deeply_nested_json_is_rendered_without_recursion_trouble() -> None:
    for content in ("[" * 5000 + "]" * 5000, '{"a":' * 300 + "1" + "}" * 300):
        assert "reflex" in (await say([ASKED, seen(content)])).message.text


async def test_a_question_that_begins_like_a_note_of_ours_is_the_persons(general: list[ToolSpec]) -> None:
    asked = UserMessage("Hint: what is 15 % of 230?")
    reply = await say([asked, note("hint", "Hint: call it.")], tools=general)
    assert [made.tool for made in reply.message.calls] == ["calculate"]
