"""A version of a turn whose worker is killed with `kill -9` goes on on its branch, and is told nothing of the first."""

import pytest

from chaos.assistant import answer_to
from chaos.crew import ended
from glassloop.core import events as e
from waiting import until

BEFORE, FIRST, EDITED = "r", "i i", "r ~r r"


@pytest.mark.slow
async def test_a_version_whose_worker_is_killed_goes_on_on_its_branch(crew):
    async with await crew.open_runtime() as runtime:
        turns = runtime.store.turns
        worker = await crew.begin(runtime, {"s": BEFORE})
        await crew.ready(worker)
        await ended(runtime, ["s"])
        (before,) = await turns.of_session("s")
        first = await runtime.submit(FIRST, session_id="s", user=before.user_id)
        await ended(runtime, ["s"])
        version = await runtime.versions.regenerate(first.turn_id, EDITED, user=before.user_id)

        async def has_begun():
            events = await turns.read(version.turn_id)
            return any(isinstance(event, e.ToolReturned) for event in events)

        await until(has_begun, "the version is at its second step")
        worker.kill()
        crew.diary.open_gate()
        await crew.ready(crew.start())
        await ended(runtime, ["s"])

        events = await turns.read(version.turn_id)
        assert any(isinstance(event, e.TurnClaimed) for event in events)
        assert events[0].previous_turn_id == before.id
        (history,) = [event for event in events if isinstance(event, e.HistoryLoaded)]
        said = [getattr(message, "content", None) or message.text for message in history.messages]
        assert (said[0], said[-1]) == (BEFORE, answer_to(BEFORE))
        assert FIRST not in said
        assert answer_to(FIRST) not in said
        assert (await turns.get(version.turn_id)).answer == answer_to(EDITED)
        assert [row.id for row in await turns.of_session("s", path_only=True)] == [before.id, version.turn_id]
        assert not (await runtime.replay(version.turn_id)).differences
