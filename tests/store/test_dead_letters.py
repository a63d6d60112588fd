"""Dead letters: kept once, taken once, gone with their session or their user."""

import pytest

from glassloop.core.errors import UnknownName
from glassloop.store.tables.dead_letters import DeadLetter
from store.made_events import finished, started


def letter(**changed):
    fields = {"kind": "turn", "id": "t1", "user_id": "ann", "subject": "general", "cpu_work": "a sum", "deaths": 2,
              "reason": "twice", "at": 1.0}  # fmt: skip
    return DeadLetter(**(fields | changed))


async def test_a_letter_is_kept_once_listed_newest_first_and_taken_by_one_only(store):
    for each in (letter(), letter(deaths=3, at=2.0), letter(kind="job", id="j1", at=3.0)):
        await store.dead_letters.add(each)
    assert [(each.id, each.deaths) for each in await store.dead_letters.list()] == [("j1", 2), ("t1", 3)]
    assert (await store.dead_letters.take("turn", "t1")).subject == "general"
    with pytest.raises(UnknownName, match="retried, dropped or deleted"):
        await store.dead_letters.take("turn", "t1")
    assert [each.id for each in await store.dead_letters.list()] == ["j1"]


async def test_letters_go_with_their_session_and_their_user(store):
    await store.turns.begin([started()])
    await store.turns.append("t1", [finished(seq=2)])
    await store.dead_letters.add(letter())
    await store.sessions.delete((await store.turns.get("t1")).session_id)
    assert await store.dead_letters.list() == ()
    await store.dead_letters.add(letter(kind="job", id="j1"))
    await store.dead_letters.add(letter(kind="job", id="j2", user_id="bob"))
    await store.maintenance.delete_user("ann")
    assert [each.id for each in await store.dead_letters.list()] == ["j2"]


async def test_a_job_lost_in_its_work_is_counted_unless_it_got_further(store, clock):
    job = await store.jobs.enqueue("import", "ann", {})
    counts = []
    for fraction in (0.5, 0.5, 0.8, 0.8, 0.8):
        clock.now += 1
        taken = await store.jobs.claim(job.id, "w", 0)
        counts.append(taken.deaths)
        await store.jobs.mark(job.id, taken.epoch, "import")
        await store.jobs.report(job.id, taken.epoch, "", fraction)
    assert counts == [0, 1, 2, 1, 2]
    await store.jobs.mark(job.id, taken.epoch, None)
    # It was handed over in order.
    assert (await store.jobs.claim(job.id, "w", 0)).deaths == 2
