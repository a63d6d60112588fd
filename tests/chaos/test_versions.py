"""A version of a turn whose worker is killed with `kill -9` goes on on its branch, and is told nothing of the first."""

import pytest

from chaos.assistant import GATE, answer_to
from chaos.crew import ended
from chaos.worker import replace_a_turn
from glassloop.core import events as e
from waiting import until

BEFORE, FIRST, EDITED = "r", "i i", "r ~r r"


@pytest.mark.slow
async def test_a_version_whose_worker_is_killed_goes_on_on_its_branch(crew):
    async with await crew.open_runtime() as runtime:
        turns = runtime.store.turns
        worker = crew.start(gate=GATE, work=replace_a_turn, asked=(BEFORE, FIRST, EDITED))

        async def has_begun():
            rows = await turns.of_session("s")
            events = await turns.read(rows[2].id) if len(rows) == 3 else ()
            return any(isinstance(event, e.ToolReturned) for event in events)

        await until(has_begun, "the version is at its second step")
        worker.kill()
        crew.diary.open_gate()
        await crew.ready(crew.start())
        await ended(runtime, ["s"])

        before, first, version = await turns.of_session("s")
        events = await turns.read(version.id)
        assert any(isinstance(event, e.TurnClaimed) for event in events)
        assert (events[0].previous_turn_id, version.answer) == (before.id, answer_to(EDITED))
        (history,) = [event for event in events if isinstance(event, e.HistoryLoaded)]
        said = [getattr(message, "content", None) or message.text for message in history.messages]
        assert (said[0], said[-1]) == (BEFORE, answer_to(BEFORE))
        assert not {FIRST, answer_to(FIRST)} & set(said)
        assert [row.id for row in (before, first, version) if row.on_path] == [before.id, version.id]
        assert not (await runtime.replay(version.id)).differences
