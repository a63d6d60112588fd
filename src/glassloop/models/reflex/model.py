"""The model that is none: picks a tool by its words, fills its arguments from the question, shows what came back.

Deterministic and within milliseconds: for tests, tiny machines and first use. It never pretends: every answer says
that no language model was at work, and where judgement is asked for (`evaluate`) it says that it has none.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import msgspec

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
from glassloop.core.ports import Embedder
from glassloop.core.records import Json, ToolCall
from glassloop.core.words import content_words
from glassloop.models.reflex.carried import carried
from glassloop.models.reflex.choosing import Before
from glassloop.models.reflex.conversation import calls_since, since_question
from glassloop.models.reflex.doing import order_in, refusal
from glassloop.models.reflex.doubts import left_over, settled
from glassloop.models.reflex.meaning import meaning_of
from glassloop.models.reflex.measures import without_measures
from glassloop.models.reflex.question import LONGEST_QUESTION, Question
from glassloop.models.reflex.rendering import (
    answer_from,
    ask_back,
    in_vain,
    is_empty,
    is_unable,
    not_used,
    plainly,
    unable,
)
from glassloop.models.reflex.routing import route, with_route
from glassloop.models.reflex.sequence import next_call, part_texts, will_act
from glassloop.models.reflex.smallest import smallest
from glassloop.models.reflex.unused import unused

CONTEXT_TOKENS = 1_000_000
CHUNK = 64
QUICK_CHARS, QUICK_OBSERVED = 300, 20_000
"""Of a question, and of what tools returned: looked at within a few milliseconds."""

_NO_OPINION = "reflex has no opinion: it works without a language model."
_LONGEST_LINE = 160
_MOST_LINES = 24


class ReflexModel:
    """A `Model` for every purpose, at no cost. The embedder, if there is one, belongs to whoever gives it."""

    def __init__(self, name: str = "reflex", *, embedder: Embedder | None = None) -> None:
        self._name = name
        self._embedder = embedder

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities(native_tools=True, context_tokens=CONTEXT_TOKENS, reads_prompts=False)

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:  # noqa: ARG002
        return 0.0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        message = await self._message(request)
        for start in range(0, len(message.thought), CHUNK):
            yield ThoughtChunk(message.thought[start : start + CHUNK])
        for start in range(0, len(message.text), CHUNK):
            yield TextChunk(message.text[start : start + CHUNK])
        for index, call in enumerate(message.calls):
            yield CallChunk(index, call.tool, msgspec.json.encode(call.args).decode())
        yield Reply(
            message=message,
            usage=_usage(request, message),
            stop="tool_use" if message.calls else "refusal" if is_unable(message.text) else "end_turn",
            model=self._name,
        )

    async def _message(self, request: ModelRequest) -> AssistantMessage:
        if request.purpose == "decide":
            return await self._decide(request)
        if request.purpose == "route":
            decided = await route(self._embedder, request, since_question(request.messages)[0])
            if decided is not None:
                return AssistantMessage(text=_json(decided))
        return _say(request)

    async def _decide(self, request: ModelRequest) -> AssistantMessage:
        asked, observations, before = since_question(request.messages)
        asked = asked[:LONGEST_QUESTION]
        meaning = with_route(await meaning_of(self._embedder, asked, request.tools), request, asked)
        decide = partial(_decision, request, asked, observations, before, meaning)
        # What has to be looked at for long is looked at where nobody waits for it.
        is_quick = len(asked) <= QUICK_CHARS and sum(len(seen.content) for seen in observations) <= QUICK_OBSERVED
        return decide() if is_quick else await asyncio.to_thread(decide)


def _decision(
    request: ModelRequest,
    asked: str,
    observations: Sequence[ToolMessage],
    before: Before,
    meaning: Mapping[str, float] | None,
) -> AssistantMessage:
    whole = carried(asked, before)
    if whole is None:
        return _answer(request)
    question = Question(whole)
    choice = next_call(request.tools, question, before, observations, meaning)
    if choice is not None and (plain := without_measures(request.tools, question, choice)) is not question:
        choice = next_call(request.tools, plain, before, observations, meaning)
    if choice is not None and not observations:
        choice = settled(choice, request.tools, question)
    if choice is None:
        return _answer(request)
    order = "" if observations else order_in(question)
    only_looks = bool(order) and not will_act(request.tools, question, before, meaning)
    if only_looks and not choice.missing:
        return AssistantMessage(text=plainly(refusal(question, order), asked))
    if choice.missing:
        first = f"{refusal(question, order)} " if only_looks else ""
        return AssistantMessage(text=first + ask_back(choice.tool, choice.missing, asked))
    thought = f"The words of {'what is left of ' if observations else ''}the question fit `{choice.tool}` best."
    return AssistantMessage(thought=thought, calls=(ToolCall(id="", tool=choice.tool, args=choice.args),))


def _say(request: ModelRequest) -> AssistantMessage:
    match request.purpose:
        case "decide" | "synthesize":
            return _answer(request)
        case "summarize":
            return AssistantMessage(text=_shortened(request.messages))
        case "evaluate":
            return AssistantMessage(text=_NO_OPINION)
        case "route":
            return AssistantMessage(text=_routed(request))
        case "plan":
            return AssistantMessage(text=_json(smallest(request.schema)) if request.schema else "{}")


def _answer(request: ModelRequest) -> AssistantMessage:
    asked, observations, before = since_question(request.messages)
    asked = asked[:LONGEST_QUESTION]
    if not observations:
        return AssistantMessage(text=unable(request.tools, asked))
    # A step of arithmetic is used as a whole, though its words stand in the sum as signs.
    notes = _notes(request, asked, observations) if carried(asked, before) == asked else ()
    return AssistantMessage(text=answer_from(observations, asked, notes))


def _notes(request: ModelRequest, asked: str, observations: Sequence[ToolMessage]) -> list[str]:
    """What a reader must know before the figures: what was not done, and what of the question was not used."""
    question, calls = Question(asked), calls_since(request.messages)
    effects = {spec.name: spec.effect for spec in request.tools}
    if any(effects.get(call.tool, "write") != "read" for call in calls):
        return []
    orders = [order for part in part_texts(question.text)[1:] if (order := order_in(Question(part.strip())))]
    left = [each for each in unused(question, request.tools, calls, observations) if each not in " ".join(orders)]
    told = [refusal(question, order) for order in orders[:1]]
    told += [in_vain(words, asked) for words in _sought(request, question, calls, observations)]
    return [*told, not_used(left, asked)] if left else told


def _sought(
    request: ModelRequest, question: Question, calls: Sequence[ToolCall], observations: Sequence[ToolMessage]
) -> list[str]:
    """What was left of the question and was searched for, where nothing was found."""
    specs = {spec.name: spec for spec in request.tools}
    pairs = [
        (specs[call.tool], call)
        for call, seen in zip(calls, observations, strict=False)
        if call.tool in specs and is_empty(seen.content)
    ]
    return [words for spec, call in pairs for words in left_over(spec, call.args, question)]


def _routed(request: ModelRequest) -> str:
    """The choice whose line in the prompt shares most words with the question; no opinion where none does."""
    asked = set(content_words(since_question(request.messages)[0]))
    lines = request.system.splitlines()

    def shared(value: Json) -> int:
        about = [line for line in lines if str(value) in line.split(":", 1)[0]]
        return len(asked & set(content_words(f"{value} {' '.join(about)}")))

    values = _choices(request.schema)
    if request.schema is None or (values and not any(map(shared, values))):
        return _NO_OPINION
    return _json(smallest(request.schema, lambda among: max(among, key=shared)))


def _choices(schema: dict[str, Json] | None) -> list[Json]:
    """Every value the schema lets its own keys choose from."""
    properties: Any = (schema or {}).get("properties")
    found: list[Json] = []
    for value in cast("dict[str, Any]", properties).values() if isinstance(properties, dict) else ():
        enum: Any = cast("dict[str, Any]", value).get("enum") if isinstance(value, dict) else None
        found += cast("list[Json]", enum) if isinstance(enum, list) else []
    return found


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
    kept = [line.strip()[:_LONGEST_LINE] for line in lines if line.strip()][-_MOST_LINES:]
    return "Shortened by reflex, without a language model:\n" + "\n".join(f"- {line}" for line in kept)


def _json(value: Json) -> str:
    return msgspec.json.encode(value).decode()


def _usage(request: ModelRequest, message: AssistantMessage) -> Usage:
    """Four characters a token, near enough for limits."""
    said = sum(
        len(m.content) if isinstance(m, UserMessage | ToolMessage) else len(m.text) + len(m.thought)
        for m in request.messages
    )
    written = len(message.text) + len(message.thought) + sum(len(_json(call.args)) for call in message.calls)
    return Usage(input_tokens=(len(request.system) + said) // 4 + 1, output_tokens=written // 4 + 1, cost=0.0)
