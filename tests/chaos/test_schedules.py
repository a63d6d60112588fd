"""Schedules whose workers are killed at any moment, under a clock that jumps: every due time has its one run."""

import random
import time
from collections import Counter

import pytest

from chaos.crew import Person, ended
from chaos.verdict import verify
from chaos.worker import ShiftedClock
from waiting import until

SPAN_S = 4 * 3600.0
"""The due times of a test lie within this."""
WORDS = ["r r r", "e r", "i r", "r r i", "e i", "ri r"]
WORKERS = 3


async def add_schedules(runtime, chance, count, start):
    """One due time each, some at the same moment, each in a session of its own."""
    questions = {}
    for number in range(count):
        session_id, question = f"s{number:03}", chance.choice(WORDS)
        at = start + 60 * chance.randint(1, int(SPAN_S / 60))
        await runtime.schedules.add(question, user=f"u{number % 20}", at=at, session_id=session_id)
        questions[session_id] = question
    return questions


async def run_over_jumps(crew, chance, kills, end):
    """Moves the clock to the end in jumps, back too; after each one worker is killed and another one hired."""
    clock = ShiftedClock(crew.folder)
    for _ in range(WORKERS):
        crew.start()

    def ready():
        """Those that look for what is due: one that has only just been started has nothing to lose."""
        found = {line[-1] for line in crew.did("ready")}
        return [worker for worker in crew.alive if worker.pid in found]

    for number in range(kills):
        forward = (end - clock()) / (kills - number)
        await until(lambda: len(ready()) >= 2, "two workers are ready")
        clock.move(chance.uniform(0, 2 * forward) - chance.choice([0, 0, 1]) * 3600)
        goal = crew.diary.promises + chance.randint(1, 15)
        # Between two due times nothing happens: then it is killed idle.
        deadline = time.monotonic() + 2.0
        await until(
            lambda goal=goal, deadline=deadline: crew.diary.promises >= goal or time.monotonic() > deadline,
            f"kill {number + 1}",
        )
        chance.choice(ready()).kill()
        crew.start()
    clock.move(end - clock() + 60)


async def run_and_kill(crew, seed, count, kills):
    chance = random.Random(seed)
    began = time.monotonic()
    async with await crew.open_runtime() as runtime, Person(runtime) as person:
        start = float(int(time.time()))
        hourly = await runtime.schedules.add("r", user="hourly", every="0 * * * *")
        questions = await add_schedules(runtime, chance, count, start)
        await run_over_jumps(crew, chance, kills, start + SPAN_S)

        async def all_settled():
            live = await runtime.schedules.list(limit=1000, status="active")
            return [row.id for row in live if row.is_open or row.id != hourly.id] == []

        await until(all_settled, "every schedule had its run")
        await ended(runtime, questions)
        for worker in crew.alive:
            await crew.ready(worker)
            assert worker.end() == 0
        await check_hourly(runtime, hourly)
        turns = await runtime.store.turns.ids(hourly.session_id)
        logs = await verify_with(runtime, crew.diary, questions, turns)
    claims = sum(type(event).__name__ == "TurnClaimed" for events in logs.values() for event in events)
    took = time.monotonic() - began
    print(f"{len(logs)} due turns, {kills} kills, {claims} claims, {person.decisions} decisions, {took:.1f} s")


async def verify_with(runtime, diary, questions, others):
    """As ever, leaving out what was published of other turns."""
    published = diary.published
    diary.published = lambda: [line for line in published() if line[0] not in set(others)]
    done = diary.done
    diary.done = lambda: [line for line in done() if not any(line[1].startswith(turn) for turn in others)]
    return await verify(runtime, diary, questions)


async def check_hourly(runtime, hourly):
    """No due time twice; every run has its turn, and every turn its run."""
    runs = await runtime.schedules.runs(hourly.id, limit=200)
    assert max(Counter(run.due_at for run in runs).values()) == 1
    assert all(run.due_at % 3600 == 0 for run in runs)
    turns = await runtime.store.turns.ids(hourly.session_id)
    assert sorted(turns) == sorted(run.turn_id for run in runs if run.outcome == "started")


@pytest.mark.slow
async def test_two_hundred_due_turns_have_one_run_each_through_kills_and_jumps_of_the_clock(crew):
    await run_and_kill(crew, seed=200, count=200, kills=40)
