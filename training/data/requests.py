"""Requests of a group, made by the engine itself: an `Agent` plays each conversation with a scripted model.

Nothing of a request is written here. The system text, the transcript, the notes of the runtime and what the review
sends back are those of any turn with the embedded model.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from glassloop.core.call_terms import CallTerms
from glassloop.core.loop.policy import Limits, Profile
from glassloop.core.messages import Abilities, ModelRequest, ToolSpec, UserMessage
from glassloop.core.ports import CallContext
from glassloop.core.records import Json, ToolCall, ToolResult
from glassloop.extensions.embedded.engine import ChatMessage
from glassloop.extensions.embedded.model import chat
from glassloop.models.scripted_model import ScriptedModel
from glassloop.runtime.assistants.agent import Agent
from training.data.conversation import Answer, Call, Conversation, Exchange, Group, Step, ToolText

SMALL = Abilities(native_tools=False, json_schema=True, small=True, tuned=True, context_tokens=4096, images=False)
"""As `EmbeddedModel` has them with an adapter."""


class Example(msgspec.Struct, frozen=True):
    """One request and the decision that is to follow it."""

    messages: Sequence[ChatMessage]
    decision: str
    kind: str
    learned: bool = True


def spec_of(tool: ToolText) -> ToolSpec:
    """A tool as the engine has it."""
    return ToolSpec(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        effect=tool.effect,
        cache_ttl_s=0.0,
        waits=False,
    )


class PlayedTools:
    """Tools that return what the conversation says."""

    def __init__(self, group: Group) -> None:
        self.specs: Mapping[str, ToolSpec] = {tool.name: spec_of(tool) for tool in group.tools}
        self.result = ToolResult(success=True)

    async def execute_tool(self, call: ToolCall, context: CallContext) -> ToolResult:
        return self.result

    async def preview(self, call: ToolCall, context: CallContext) -> Json:
        return None

    async def terms(self, call: ToolCall, context: CallContext) -> CallTerms:
        return CallTerms()

    def check(self, call: ToolCall) -> str | None:
        return None


def write_decision(step: Step) -> str:
    """A decision in the form that the brief protocol asks for."""
    match step:
        case Call(thought=thought, tool=tool, args=args):
            value: dict[str, object] = {"thought": thought, "action": tool, "args": args}
        case Answer(thought=thought, text=text):
            value = {"thought": thought, "action": "answer", "response": text}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class _Player:
    """Plays one group: the model's side is a queue of decisions, the tools' side what each call returns."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.tools = PlayedTools(group)
        self.queue: list[tuple[Step, bool]] = []
        self.rejected: Step | None = None
        self.kind = ""
        self.should_stand: bool | None = None
        """Whether the last decision should; None where it does not matter."""
        self.is_astray = False
        self.examples: list[Example] = []
        profile = Profile(
            name="trained",
            prompt=group.prompt,
            limits=Limits(iterations=group.steps),
            temperature=0.0,
            reflection=False,
            tells_context=True,
            approvals="declared",
        )
        model = ScriptedModel(self.decide, name="embedded", abilities=SMALL, chunk=100_000)
        self.agent = Agent(model, self.tools, profile=profile, clock=lambda: group.day)

    def decide(self, request: ModelRequest) -> str:
        last = request.messages[-1] if request.messages else None
        stood = not (isinstance(last, UserMessage) and last.note == "complaint")
        self.is_astray |= self.should_stand is not None and self.should_stand is not stood
        is_written = bool(self.queue)
        step, learned = self.queue.pop(0) if is_written else (Answer("", "…"), False)
        # A mistake that is played has to stand, too: what follows is written after its result.
        self.should_stand = step is not self.rejected if is_written else None
        written = write_decision(step)
        if isinstance(step, Call):
            text = step.observation
            self.tools.result = ToolResult(
                success=not step.failed, output="" if step.failed else text, error=text if step.failed else None
            )
        self.examples.append(Example(chat(request.system, list(request.messages)), written, self.kind, learned=learned))
        return written

    async def play(self, conversation: Conversation, session: str) -> None:
        for exchange in conversation.exchanges:
            self.kind, self.queue = conversation.kind, list(_decisions(exchange))
            first, wanted = len(self.examples), len(self.queue)
            self.rejected, self.should_stand, self.is_astray = exchange.rejected, None, False
            learned = len([step for step, is_learned in self.queue if is_learned])
            await self.agent.run(exchange.question, session_id=session)
            played = self.examples[first:]
            asked_on = isinstance(exchange.steps[-1], Answer) and len(played) != wanted
            if asked_on or self.is_astray or len([one for one in played if one.learned]) != learned:
                # The turn went another way than it was written: nothing of it is learned.
                del self.examples[first:]
                return
            self.examples[first:] = [one for one in played if one.learned]


def _decisions(exchange: Exchange) -> Iterator[tuple[Step, bool]]:
    for number, step in enumerate(exchange.steps):
        if exchange.rejected is not None and number == exchange.rejected_at:
            yield exchange.rejected, False
        yield step, isinstance(step, Answer) or step.learned


async def play_group(group: Group) -> list[Example]:
    """Every request of the group's conversations, in order, each with its decision."""
    player = _Player(group)
    for number, conversation in enumerate(group.conversations):
        await player.play(conversation, f"s{number}")
    return player.examples


def examples_of(group: Group) -> list[Example]:
    """The same, for programs that run no event loop."""
    return asyncio.run(play_group(group))
