"""Messages sent at any moment to turns whose workers are killed at any moment: each is told once, in order."""

import asyncio
import random
from contextlib import suppress

import pytest

from chaos.crew import ended, last_turn
from chaos.verdict import check_log, of_kind
from chaos.worker import submit_missing
from glassloop.core import events as e
from glassloop.core.errors import StoreAway, UsageError
from glassloop.core.loop.fold import fold
from waiting import until

WORDS = ["r", "rr", "i", "ri"]
"""Nothing that a person would be asked about."""


class Sender:
    """Sends messages to turns under way; knows which were taken."""

    def __init__(self, runtime, chance):
        self.sent = {}
        self.stopped = False
        self._runtime = runtime
        self._chance = chance

    async def send_until_stopped(self, questions):
        self.stopped = False
        while not self.stopped:
            session_id = self._chance.choice(list(questions))
            row = await last_turn(self._runtime, session_id)
            if row is not None and row.status == "running":
                texts = self.sent.setdefault(row.id, [])
                with suppress(UsageError, StoreAway):
                    text = f"message {len(texts) + 1}"
                    await self._runtime.steer(row.id, text)
                    texts.append(text)
            await asyncio.sleep(self._chance.random() * 0.03)


async def steer_and_kill(crew, seed, kills):
    print(f"the seed is {seed}")
    chance, questions = random.Random(seed), {}
    async with await crew.open_runtime() as runtime:
        sender = Sender(runtime, chance)
        for number in range(kills):
            fresh = {f"s{len(questions) + n}": " ".join(chance.choices(WORDS, k=8)) for n in range(2)}
            questions |= fresh
            if crew.queue:
                await submit_missing(runtime, fresh)
            crew.start({} if crew.queue else questions)
            sending = asyncio.create_task(sender.send_until_stopped(fresh))
            goal = crew.diary.promises + chance.randint(5, 50)
            await until(lambda goal=goal: crew.diary.promises >= goal, f"kill {number + 1}: {goal} events")
            chance.choice(crew.alive).kill()
            sender.stopped = True
            await sending
        crew.start({} if crew.queue else questions)
        await ended(runtime, questions)
        for turn_id, texts in sender.sent.items():
            events = await runtime.store.turns.read(turn_id)
            check_log(events)
            taken = of_kind(events, e.MessageReceived)
            if events[-1].status == "completed":
                assert [event.text for event in taken] == texts
                assert [event.number for event in taken] == list(range(1, len(texts) + 1))
                told = [getattr(message, "content", "") for message in fold(events).messages]
                assert all(told.count(text) == 1 for text in texts)
            report = await runtime.replay(turn_id)
            assert not report.differences, report
        print(f"{sum(map(len, sender.sent.values()))} messages to {len(sender.sent)} turns")
        assert any(sender.sent.values())


@pytest.mark.slow
async def test_messages_to_turns_that_are_killed_are_told_once_each_and_in_order(crew):
    await steer_and_kill(crew, seed=7, kills=2)


@pytest.mark.slow
async def test_messages_survive_fifteen_kills(crew):
    await steer_and_kill(crew, seed=11, kills=15)
