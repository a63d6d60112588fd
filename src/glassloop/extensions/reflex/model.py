"""The model that is none: calls the one tool that uses every word of a question, and shows what came back.

Deterministic and within milliseconds: for tests, tiny machines and first use. Where no tool fits beyond doubt it says
so and stops with `refusal`. It has no opinion where judgement is asked for.
"""

from collections.abc import AsyncGenerator, Sequence

import msgspec

from glassloop.core.cpu_work import run_cpu_bound
from glassloop.core.messages import (
    Abilities,
    AssistantMessage,
    CallChunk,
    Chunk,
    Message,
    ModelRequest,
    Reply,
    TextChunk,
    ThoughtChunk,
    ToolMessage,
    Usage,
    UserMessage,
)
from glassloop.core.records import ToolCall
from glassloop.extensions.reflex.fit import DeclinedQuestion, choose
from glassloop.extensions.reflex.replies import declined, greeting, shown

CONTEXT_TOKENS = 1_000_000
CHUNK = 64
MAX_LINE = 160
MAX_LINES = 24

_NO_OPINION = "reflex has no opinion: it works without a language model."


class ReflexModel:
    """A `Model` for every purpose, at no cost."""

    def __init__(self, name: str = "reflex") -> None:
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities(native_tools=True, context_tokens=CONTEXT_TOKENS, reads_prompts=False, images=False)

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:  # noqa: ARG002
        return 0.0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        size = sum(len(each.text if isinstance(each, AssistantMessage) else each.content) for each in request.messages)
        message, refuses = await run_cpu_bound("reflex", size, _reply, request)
        for start in range(0, len(message.thought), CHUNK):
            yield ThoughtChunk(message.thought[start : start + CHUNK])
        for start in range(0, len(message.text), CHUNK):
            yield TextChunk(message.text[start : start + CHUNK])
        for index, call in enumerate(message.calls):
            yield CallChunk(index, call.tool, msgspec.json.encode(call.args).decode())
        yield Reply(
            message=message,
            usage=Usage(cost=0.0),
            stop="tool_use" if message.calls else "refusal" if refuses else "end_turn",
            model=self._name,
        )


def _reply(request: ModelRequest) -> tuple[AssistantMessage, bool]:
    """What is said or called, and whether that is a refusal."""
    match request.purpose:
        case "decide" | "synthesize":
            return _decision(request)
        case "summarize":
            return AssistantMessage(text=_shortened(request.messages)), False
        case "evaluate" | "route":
            return AssistantMessage(text=_NO_OPINION), False
        case "plan":
            return AssistantMessage(text="{}"), False


def _decision(request: ModelRequest) -> tuple[AssistantMessage, bool]:
    asked, observations = _since_question(request.messages)
    if observations:
        return AssistantMessage(text=shown(observations, asked, request.tools)), False
    if (said := greeting(asked, request.tools)) is not None:
        return AssistantMessage(text=said), False
    chosen = choose(request.tools, asked)
    if isinstance(chosen, DeclinedQuestion):
        return AssistantMessage(text=declined(chosen, asked)), True
    thought = f"Every word of the question is used by `{chosen.tool}`."
    return AssistantMessage(thought=thought, calls=(ToolCall(id="", tool=chosen.tool, args=chosen.args),)), False


def _since_question(messages: Sequence[Message]) -> tuple[str, list[ToolMessage]]:
    """What the person asked last, and what tools returned since."""
    observations: list[ToolMessage] = []
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            observations.insert(0, message)
        elif isinstance(message, UserMessage) and message.author == "person":
            return message.content, observations
    return "", observations


def _shortened(messages: Sequence[Message]) -> str:
    """The beginnings of the last messages, one line each."""
    lines: list[str] = []
    for message in messages:
        match message:
            case UserMessage(content):
                lines += content.splitlines()
            case AssistantMessage() if message.text:
                lines.append(message.text)
            case ToolMessage():
                lines.append(f"{message.tool}: {message.content}")
            case _:
                continue
    kept = [line.strip()[:MAX_LINE] for line in lines if line.strip()][-MAX_LINES:]
    return "Shortened by reflex, without a language model:\n" + "\n".join(f"- {line}" for line in kept)
