"""Turns that were replaced: what memory tells without an archive, and while it is away."""

from glassloop.memory.conversation import ConversationMemory
from memory.shared_log import Log, turn


async def none(_text):
    return None


async def told(memory, previous=None):
    messages = await memory.recall("s", none, previous_turn_id=previous)
    return [message.content for message in messages if hasattr(message, "content")]


async def remember(memory, *names):
    for name in names:
        await memory.save_interaction(turn(name, "s", f"question {name}"))


async def test_without_an_archive_what_came_after_the_turn_that_is_followed_is_dropped():
    memory = ConversationMemory()
    await remember(memory, "a", "b", "c")
    kept = await told(memory, "a")
    assert (len(kept), await told(memory)) == (1, kept)
    assert await told(memory, "") == []


async def test_a_turn_that_is_not_known_here_drops_nothing():
    memory = ConversationMemory()
    await remember(memory, "a", "b")
    assert len(await told(memory, "failed")) == 2
    assert len(await told(memory, "b")) == 2


async def test_while_the_archive_is_away_nothing_is_told_that_may_have_been_replaced():
    log = Log()
    memory = ConversationMemory(archive=log)
    await remember(memory, "a", "b")
    log.away = {"standing"}
    assert len(await told(memory, "b")) == 2
    assert await told(memory, "a") == []
    assert len(await told(memory)) == 2
