"""Turns that end their process: set aside after the second time, with what they did; others are not counted."""

import pytest

from chaos.assistant import GATE
from chaos.crew import ended, last_turn
from glassloop.runtime.durable.dead_letters import MAX_DEATHS
from waiting import until

POISON, BYSTANDER = "poison", "bystander"


@pytest.mark.parametrize(
    ("step", "work"), [("k", "a hard sum"), pytest.param("f", "an endless sum", marks=pytest.mark.slow)]
)
async def test_what_kills_or_freezes_its_process_twice_is_set_aside_and_bystanders_go_on(crew, step, work):
    runtime = await crew.open_runtime()
    questions = {POISON: f"r ~{step}", BYSTANDER: "r ~r"}
    worker = await crew.begin(runtime, questions, gate=GATE)
    # Both are at the gate, in the same process, when one of them ends it.
    await until(lambda: len(crew.did("waits", worker=worker)) == len(questions), "both turns wait")
    crew.diary.open_gate(GATE)
    deaths = 0
    while True:

        async def is_over(worker=worker):
            row = await last_turn(runtime, POISON)
            return not worker.alive or row.status == "failed"

        await until(is_over, "the turn or its process is at its end")
        if worker.alive:
            break
        deaths += 1
        worker = crew.start()
    await ended(runtime, questions)
    poison, other = await last_turn(runtime, POISON), await last_turn(runtime, BYSTANDER)
    assert deaths == MAX_DEATHS
    assert (poison.status, other.status, other.deaths) == ("failed", "completed", 0)
    assert f"while it did {work!r}" in poison.error
    (letter,) = await runtime.store.dead_letters.list()
    assert (letter.kind, letter.id, letter.cpu_work, letter.deaths) == ("turn", poison.id, work, MAX_DEATHS)
    await runtime.aclose()
