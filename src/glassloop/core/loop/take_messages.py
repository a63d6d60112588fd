"""Phase between two steps: what the person sent meanwhile is taken in, each message once, in the order it was sent."""

import logging
from collections.abc import AsyncGenerator

from glassloop.core import events as e
from glassloop.core.errors import StoreAway
from glassloop.core.loop.guardrails import check_message, record_message_rulings
from glassloop.core.loop.turn import Turn

_log = logging.getLogger(__name__)


async def take_messages(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Records the messages that the turn has not taken in. Those that cannot be read now are told of again."""
    state, inbox = turn.state, turn.ports.inbox
    # One that comes while these are read sets it again.
    turn.has_messages = False
    found, turn.sent = turn.sent, []
    if inbox is not None:
        try:
            found = [*found, *await inbox.after(state.turn_id, state.received)]
        except StoreAway as error:
            _log.warning("messages to turn %s cannot be read now: %s", state.turn_id, error)
    for message in found:
        text, rulings = message.text, ()
        if turn.ports.guardrails is not None and not message.admitted:
            text, rulings = await check_message(turn, turn.ports.guardrails, text)
        turn.record(
            e.MessageReceived(**turn.stamp(), step=state.iterations, number=message.number, text=text, by=message.by)
        )
        record_message_rulings(turn, rulings)
    for event in await turn.commit():
        yield event
