"""Requests to learn from are those that the embedded model gets, byte for byte."""

from typing import Any

import msgspec
import pytest
from training.data.conversation import Answer, Call, Conversation, Exchange, Group, ToolText
from training.data.groups import NEVER, make_groups
from training.data.requests import PlayedTools, play_group, write_decision

from glassloop.core.loop.policy import Limits, Profile
from glassloop.core.messages import TextChunk
from glassloop.core.records import ToolResult
from glassloop.extensions.embedded.engine import CompletionStats
from glassloop.extensions.embedded.model import EmbeddedModel
from glassloop.extensions.embedded.options import EmbeddedOptions
from glassloop.runtime.assistants.agent import Agent

SHAPE = {
    "type": "object",
    "properties": {"boat_id": {"type": "string", "description": "The boat's number, such as B-7."}},
    "required": ["boat_id"],
    "additionalProperties": False,
}
TOOLS = (
    ToolText("boat_card", "Length and owner of a boat.", SHAPE),
    ToolText("boat_list", "All boats.", {**SHAPE, "properties": {}, "required": []}),
)


def group_of(*exchanges: Exchange) -> Group:
    return Group("You help a marina.", TOOLS, (Conversation("test", exchanges),), 6, 1_790_000_000.0)


class RecordingEngine:
    """In the place of the engine: keeps what the embedded model asks of it, and answers from a script."""

    def __init__(self, replies: list[str]) -> None:
        self.replies, self.asked = replies, list[Any]()

    async def generate(self, work):
        self.asked.append([dict(message) for message in work.messages])
        yield TextChunk(self.replies.pop(0))
        yield CompletionStats(prompt_tokens=1, evaluated=1, output_tokens=1, cut_off=False)


class RecordedModel(EmbeddedModel):
    def __init__(self, engine: RecordingEngine, tmp_path) -> None:
        super().__init__(EmbeddedOptions(weights=tmp_path / "none.gguf", tuned=True))
        self.recording = engine

    @property
    def engine(self):
        return self.recording


async def sent_by_the_embedded_model(group: Group, tmp_path) -> list[list[dict[str, str]]]:
    """The requests of the group's conversations with `EmbeddedModel` itself as the model."""
    found: list[list[dict[str, str]]] = []
    for conversation in group.conversations:
        tools = PlayedTools(group)
        engine = RecordingEngine([])
        profile = Profile(
            name="trained",
            prompt=group.prompt,
            limits=Limits(iterations=group.steps),
            temperature=0.0,
            reflection=False,
            tells_context=True,
            approvals="declared",
        )
        agent = Agent(RecordedModel(engine, tmp_path), tools, profile=profile, clock=lambda: group.day)
        for exchange in conversation.exchanges:
            results = [step for step in exchange.steps if isinstance(step, Call)]
            engine.replies = [write_decision(step) for step in exchange.steps]

            async def execute(call, context, results=results):
                step = results.pop(0)
                text = step.observation
                return ToolResult(
                    success=not step.failed, output="" if step.failed else text, error=text if step.failed else None
                )

            tools.execute_tool = execute
            await agent.run(exchange.question, session_id="s0")
        found += engine.asked
    return found


@pytest.mark.parametrize("seed", [21, 22])
async def test_every_request_equals_that_of_the_embedded_model(seed, tmp_path):
    compared = 0
    for group in make_groups(seed, 3):
        simple = [
            one
            for one in group.conversations
            if not any(
                each.rejected or any(getattr(step, "tool", "") == "read_result" for step in each.steps)
                for each in one.exchanges
            )
        ]
        for conversation in simple[:4]:
            alone = msgspec.structs.replace(group, conversations=(conversation,))
            made = [[dict(message) for message in example.messages] for example in await play_group(alone)]
            if len(made) == sum(len(exchange.steps) for exchange in conversation.exchanges):
                assert made == await sent_by_the_embedded_model(alone, tmp_path)
                compared += len(made)
    assert compared > 12


async def test_steps_history_and_errors_stand_in_a_request_as_the_loop_writes_them():
    first = Exchange(
        "How long is B-7?",
        (Call("Look.", "boat_card", {"boat_id": "B-7"}, '{"length_m":12}'), Answer("Done.", "B-7 is 12 m long.")),
    )
    second = Exchange(
        "And B-8?",
        (Call("Look.", "boat_card", {"boat_id": "B-8"}, "There is no B-8.", True), Answer("None.", "There is no B-8.")),
    )
    asked, observed, again, failed = await play_group(group_of(first, second))
    assert [each["role"] for each in asked.messages] == ["system", "user"]
    assert asked.messages[1]["content"].endswith("\n\nHow long is B-7?")
    assert observed.messages[-1]["content"] == 'Observation (boat_card): {"length_m":12}\n\n5 steps left.'
    assert observed.messages[2]["content"] == asked.decision
    assert again.messages[2]["content"] == '{"thought":"","action":"boat_card","args":{"boat_id":"B-7"}}'
    assert again.messages[4]["content"] == "B-7 is 12 m long."
    assert failed.messages[-1]["content"].startswith("Observation (boat_card): Error: There is no B-8.")


async def test_a_decision_that_the_review_sends_back_is_told_and_never_learned():
    made_up = Answer("I know it.", "B-7 is 4,711.5 m long.")
    steps = (Call("Look.", "boat_card", {"boat_id": "B-7"}, '{"length_m":12}'), Answer("Done.", "B-7 is 12 m long."))
    examples = await play_group(group_of(Exchange("How long is B-7?", steps, made_up, 0)))
    assert [each.decision for each in examples] == [write_decision(step) for step in steps]
    assert "No observation says" in examples[0].messages[-1]["content"]
    assert "4,711.5 m long" not in str([each.decision for each in examples])


async def test_a_rejected_decision_that_stands_leaves_the_conversation_out():
    stands = Answer("Small talk.", "Hello!")
    steps = (Call("Look.", "boat_card", {"boat_id": "B-7"}, '{"length_m":12}'), Answer("Done.", "B-7 is 12 m long."))
    assert not await play_group(group_of(Exchange("Hello!", steps, stands, 0)))


async def test_nearly_all_made_conversations_are_played_to_their_end():
    played = wanted = 0
    for group in make_groups(31, 8):
        examples = await play_group(group)
        played += len(examples)
        steps = [step for each in group.conversations for exchange in each.exchanges for step in exchange.steps]
        wanted += len([step for step in steps if isinstance(step, Answer) or step.learned])
        assert not any(NEVER in message["content"] for example in examples for message in example.messages[1:])
    assert played >= 0.93 * wanted


async def test_a_right_step_that_the_review_sends_back_leaves_the_conversation_out():
    look = Call("Look.", "boat_card", {"boat_id": "B-9"}, '{"name":"Tansy"}')
    steps = (look, Answer("It is told.", "That one is Tansy."))
    assert not await play_group(group_of(Exchange("Which boat lies at the end?", steps)))
    assert len(await play_group(group_of(Exchange("Which boat is B-9?", steps)))) == 2
