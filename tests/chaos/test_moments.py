"""A worker that dies at the worst of all moments: right before an effect, or between it and its record."""

import pytest

from chaos.crew import Person, asks, ended
from chaos.verdict import of_kind, verify
from glassloop.core import events as e
from waiting import until

DIES_AFTER, DIES_BEFORE = "a", "b"
SHORT_S = 1.0


async def die_and_hire(crew, runtime, questions):
    """A worker that dies in the middle of the turn, and another one in its place."""
    crew.lease_s = SHORT_S if crew.queue else None
    first = await crew.begin(runtime, questions)
    await until(lambda: not first.alive, "the worker dies")
    assert first.process.exitcode == -9
    second = crew.start()
    await crew.ready(second)
    return second


@pytest.mark.parametrize(
    ("crew", "dies", "took_place", "approved"),
    [
        ("file", DIES_AFTER, 1, False),
        ("file", DIES_AFTER, 1, True),
        ("file", DIES_BEFORE, 0, False),
        ("file", DIES_BEFORE, 0, True),
        ("server", DIES_AFTER, 1, False),
        pytest.param("server", DIES_AFTER, 1, True, marks=pytest.mark.slow),
        pytest.param("server", DIES_BEFORE, 0, False, marks=pytest.mark.slow),
        pytest.param("server", DIES_BEFORE, 0, True, marks=pytest.mark.slow),
    ],
    indirect=["crew"],
)
async def test_an_effect_whose_worker_died_is_asked_about_and_never_repeated_by_itself(
    crew, dies, took_place, approved
):
    questions = {"s": f"r {dies} r"}
    async with await crew.open_runtime() as runtime:
        second = await die_and_hire(crew, runtime, questions)
        turn_id, request = await asks(runtime, "s")
        assert request.reason == "outcome_unknown"
        assert len(crew.did("did")) == took_place
        await Person(runtime).decide(turn_id, request, approved=approved)
        await ended(runtime, questions)
        assert len(crew.did("did")) == took_place + approved
        assert crew.did("did", worker=second) == crew.did("did")[took_place:]
        (events,) = (await verify(runtime, crew.diary, questions)).values()
    result = of_kind(events, e.ToolReturned)[1].result
    assert result.success is approved
    assert approved or result.effect_unknown


@pytest.mark.parametrize(
    ("crew", "dies", "times"),
    [
        ("file", DIES_AFTER, 2),
        ("file", DIES_BEFORE, 1),
        ("server", DIES_AFTER, 2),
        pytest.param("server", DIES_BEFORE, 1, marks=pytest.mark.slow),
    ],
    indirect=["crew"],
)
async def test_an_idempotent_effect_whose_worker_died_is_repeated_with_its_key_and_nobody_is_asked(crew, dies, times):
    questions = {"s": f"r {dies.upper()} r"}
    async with await crew.open_runtime() as runtime:
        await die_and_hire(crew, runtime, questions)
        await ended(runtime, questions)
        assert len({key for _, key, _ in crew.did("begun")}) == 1
        assert [len(crew.did("begun")), len(crew.did("did"))] == [2, times]
        (events,) = (await verify(runtime, crew.diary, questions)).values()
    assert not of_kind(events, e.ApprovalRequested)


@pytest.mark.parametrize("crew", ["file", pytest.param("server", marks=pytest.mark.slow)], indirect=True)
async def test_of_several_effects_of_a_step_only_the_one_in_doubt_is_asked_about(crew):
    questions = {"s": f"e{DIES_AFTER}e"}
    async with await crew.open_runtime() as runtime:
        await die_and_hire(crew, runtime, questions)
        turn_id, request = await asks(runtime, "s")
        assert request.call.tool == "die_after"
        assert len(crew.did("did")) == 2
        await Person(runtime).decide(turn_id, request, approved=False)
        await ended(runtime, questions)
        assert len(crew.did("did")) == 3
        await verify(runtime, crew.diary, questions)
