"""Side questions: what the runtime asks a model beside the loop, such as a summary, a route or a verdict on a draft.

Each reply is recorded like every other; trouble means None, never an error.
"""

from contextlib import aclosing
from datetime import UTC, datetime

import msgspec

from glassloop.core.errors import ModelError, ModelUnavailable
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import (
    AssistantMessage,
    ModelRequest,
    Purpose,
    Reply,
    UserMessage,
    estimate_tokens,
    note,
)
from glassloop.core.ports import Model
from glassloop.core.records import Json

SIDE_REPLY = 2048
"""Tokens of a reply beside the loop: a plan, a route, an opinion, a summary."""


async def ask(
    turn: Turn, purpose: Purpose, system: str, content: str, schema: dict[str, Json] | None = None
) -> str | None:
    """A question beside the loop about a text, with the day and what the assistant is for."""
    at = turn.state.started.at if turn.state.started else turn.clock()
    day = datetime.fromtimestamp(at, UTC).strftime("%A %Y-%m-%d")
    system = f"{system}\n\nIt is {day}, UTC. The assistant that it is for was told:\n{turn.profile.prompt}"
    request = ModelRequest(system=system, messages=(UserMessage(content),), schema=schema, purpose=purpose)
    return await _ask_aside(turn, request, estimate_tokens(system) + estimate_tokens(content))


async def ask_in_context(
    turn: Turn, purpose: Purpose, question: str, schema: dict[str, Json] | None = None, draft: str | None = None
) -> str | None:
    """A question beside the loop about what the decider sees. The prefix is the decider's, so that a cache has it.

    A schema beside tools is refused by some providers: with them the question alone says what to reply.
    """
    framing, render = turn.framing(), turn.ports.protocol.render
    said = () if draft is None else (AssistantMessage(text=draft),)
    asked = [render(message) for message in (*said, note("aside", question))]
    request = ModelRequest(
        system=framing.system,
        messages=(*turn.rendered_messages(), *asked),
        tools=framing.tools,
        tool_choice="none",
        schema=None if framing.tools else schema,
        purpose=purpose,
    )
    size = turn.prompt_tokens() + estimate_tokens(question) + estimate_tokens(draft or "")
    return await _ask_aside(turn, request, size)


async def _ask_aside(turn: Turn, request: ModelRequest, prompt_tokens: int) -> str | None:
    """The reply is recorded like every other; trouble means None, never an error."""
    purpose = request.purpose
    tier = turn.tier(purpose)
    model = turn.ports.models[tier]
    reply_tokens, spent = turn.room(model, prompt_tokens)
    if spent is not None:
        return None
    request = msgspec.structs.replace(
        request,
        temperature=0.1 if purpose == "route" else 0.3,
        max_tokens=min(SIDE_REPLY, reply_tokens),
        session=turn.session,
        blobs=turn.ports.blobs,
    )
    began = turn.clock()
    try:
        reply = await turn.guarded(whole_reply(model, request))
    except ModelError:
        return None
    turn.record_reply(reply, purpose=purpose, tier=tier, began=began)
    return reply.message.text


async def whole_reply(model: Model, request: ModelRequest) -> Reply:
    """What a model says, for those who need not see it come."""
    reply: Reply | None = None
    async with aclosing(model.stream(request)) as chunks:
        async for chunk in chunks:
            if type(chunk) is Reply:
                reply = chunk
    if reply is None:
        raise ModelUnavailable(f"{model.name!r} ended its stream without a reply.")
    return reply
