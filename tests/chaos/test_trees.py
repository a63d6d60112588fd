"""Trees of turns whose workers are killed: one turn and eight sub-agents, with reads, effects and approvals."""

import random

import pytest

from chaos.crew import Person, ended, last_turn
from chaos.here import Here
from chaos.verdict import check_log, of_kind, tree_of, verify
from chaos.worker import submit_missing
from glassloop.core import events as e
from waiting import until

CHILDREN, TREES = 8, 2
TREE = f"r {'s' * CHILDREN} e"


async def unfinished(runtime, questions):
    rows = [await last_turn(runtime, session_id) for session_id in questions]
    return [row for row in rows if row is None or row.status in ("running", "paused")]


async def kill_while_trees_run(crew, seed, kills):
    print(f"the seed is {seed}")
    chance, questions = random.Random(seed), {}
    async with await crew.open_runtime() as runtime, Person(runtime) as person:
        for number in range(kills):
            # Not more of them at a time than a worker gets on with: one without progress is given up by rule.
            while len(await unfinished(runtime, questions)) < TREES:
                questions[f"s{len(questions):03}"] = TREE
            if crew.queue:
                await submit_missing(runtime, questions)
            worker = crew.start({} if crew.queue else questions)
            goal = crew.diary.promises + chance.randint(1, 150)

            async def is_time(goal=goal):
                return crew.diary.promises >= goal or not await unfinished(runtime, questions)

            await until(is_time, f"kill {number + 1}: {goal} events, or none left")
            worker.kill()
        crew.start({} if crew.queue else questions)
        await ended(runtime, questions)
        logs = await verify(runtime, crew.diary, questions)
    claims = sum(len(of_kind(events, e.TurnClaimed)) for events in logs.values())
    continued = sum(len(of_kind(log, e.TurnClaimed)) for events in logs.values() for log in tree_of(events)[1:])
    children = sum(len(tree_of(events)) - 1 for events in logs.values())
    events = sum(map(len, logs.values()))
    effects = len(crew.did("did"))
    print(
        f"{kills} kills, {len(logs)} trees, {children} children, {events} events, {effects} effects, {claims} claims, "
        f"{continued} children continued, {person.decisions} decisions"
    )
    assert children == len(logs) * (CHILDREN + 1)
    assert continued > 0


async def test_a_tree_whose_worker_is_killed_loses_nothing_and_doubles_nothing(file_crew):
    await kill_while_trees_run(file_crew, seed=18, kills=2)


@pytest.mark.slow
async def test_fifty_kills_of_trees_lose_nothing_and_double_nothing(crew):
    await kill_while_trees_run(crew, seed=50, kills=50)


async def test_one_cancel_ends_a_turn_and_all_its_children(tmp_path, put_store):
    here = await Here.open(tmp_path, f"sqlite:///{put_store(tmp_path / 'log.db')}")
    try:
        watcher = await here.submit("S" * CHILDREN)
        await until(lambda: len(here.noted("waits")) == CHILDREN, "all children are in the middle of an effect")
        assert await here.runtime.cancel(watcher.turn_id)
        await watcher.to_its_end()
        events = await here.runtime.store.turns.read(watcher.turn_id)
        logs = tree_of(events)
        assert len(logs) == CHILDREN + 1
        assert {log[-1].status for log in logs} == {"cancelled"}
        check_log(events)
        assert not here.effects
        assert not (await here.runtime.replay(watcher.turn_id)).differences
    finally:
        await here.runtime.aclose(1.0)
