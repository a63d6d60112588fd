"""Workers that are killed at any moment, again and again: every turn still comes to its one end."""

import random

import pytest

from chaos.crew import Person, ended
from chaos.verdict import of_kind, verify
from chaos.worker import submit_missing
from glassloop.core import events as e
from waiting import until

WORDS = ["r", "rr", "rrr", "e", "re", "er", "ee", "i", "ri", "rie"]
"""Reads, reads side by side, effects, effects beside reads."""

FRESH = 3
"""Questions before each kill. The shortest ones have more events than are waited for: the work never runs out."""


def make_questions(chance, first):
    return {f"s{first + n:03}": " ".join(chance.choices(WORDS, k=chance.randint(3, 6))) for n in range(FRESH)}


async def kill_again_and_again(crew, chance, questions, kills, runtime):
    """Asks, kills one worker at a time, at a moment that nobody chose, and hires another."""
    if crew.queue:
        crew.start()
    for number in range(kills):
        fresh = make_questions(chance, first=len(questions))
        questions |= fresh
        if crew.queue:
            await submit_missing(runtime, fresh)
        crew.start({} if crew.queue else questions)
        goal = crew.diary.promises + chance.randint(1, 50)
        await until(lambda goal=goal: crew.diary.promises >= goal, f"kill {number + 1}: {goal} events are published")
        chance.choice(crew.alive).kill()
    crew.start({} if crew.queue else questions)


async def run_and_kill(crew, seed, kills):
    print(f"the seed is {seed}")
    chance = random.Random(seed)
    questions = {}
    async with await crew.open_runtime() as runtime, Person(runtime) as person:
        await kill_again_and_again(crew, chance, questions, kills, runtime)
        await ended(runtime, questions)
        for worker in crew.alive:
            await crew.ready(worker)
            assert worker.end() == 0
        logs = await verify(runtime, crew.diary, questions)
    claims = sum(len(of_kind(events, e.TurnClaimed)) for events in logs.values())
    print(f"{claims} claims, {person.decisions} decisions")
    assert claims > 0


async def test_kill_nine_at_any_moment_loses_nothing_and_doubles_nothing(crew):
    await run_and_kill(crew, seed=5, kills=4)


@pytest.mark.slow
async def test_a_hundred_kills_lose_nothing_and_double_nothing(crew):
    await run_and_kill(crew, seed=100, kills=100)
