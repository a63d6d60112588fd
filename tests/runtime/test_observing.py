"""Observers see every turn that runs here, whole and in order, and cannot hurt it. What waits is counted."""

import asyncio

from glassloop.core import events as e
from glassloop.models.scripted_model import call
from runtime.conftest import close
from waiting import until


class Notes:
    """An observer that writes down what it sees."""

    def __init__(self, fails=False):
        self.fails = fails
        self.seen = []
        self.tools = set()

    def begin(self, events, tools):
        self.seen.append(("begin", [event.seq for event in events]))
        self.tools = set(tools)
        self._fail()

    def see(self, event):
        if type(event) not in e.TRANSIENT:
            self.seen.append(("see", event.seq))
        self._fail()

    def end(self, turn_id):
        self.seen.append(("end", turn_id))
        self._fail()

    def _fail(self):
        if self.fails:
            raise RuntimeError("an observer's own mistake")


async def test_an_observer_sees_the_log_so_far_then_every_event_once_then_the_end(place, opens):
    notes = Notes()
    runtime = await opens(place, [call("look"), "42."], observers=[notes])
    submitted = await runtime.submit("?")
    events = [event async for event in runtime.watch(submitted.turn_id) if type(event) not in e.TRANSIENT]
    await until(lambda: notes.seen[-1:] == [("end", submitted.turn_id)])
    (_, before), *during, _ = notes.seen
    assert notes.seen[0][0] == "begin"
    assert [*before, *(seq for _, seq in during)] == [event.seq for event in events]
    assert notes.tools == {"look", "hold", "write", "strike"}


async def test_a_turn_that_waits_for_people_ends_for_observers_and_begins_again(place, opens):
    notes = Notes()
    runtime = await opens(place, [call("write", text="x"), "Done."], observers=[notes])
    submitted = await runtime.submit("?")
    events = [event async for event in runtime.watch(submitted.turn_id)]
    await until(lambda: notes.seen[-1:] == [("end", submitted.turn_id)])
    await runtime.cancel(submitted.turn_id)
    await until(lambda: [what for what, _ in notes.seen].count("end") == 2)
    assert [what for what, _ in notes.seen].count("begin") == 2
    assert isinstance(events[-1], e.TurnWaiting)


async def test_a_turn_that_is_handed_over_ends_for_the_observers_of_its_first_process(shared, opens, bench):
    first, second = Notes(), Notes()
    runtime = await opens(shared, [call("hold"), "Done."], observers=[first])
    submitted = await runtime.submit("?")
    await asyncio.wait_for(bench.reached.wait(), 60)
    await close(runtime)
    assert first.seen[-1] == ("end", submitted.turn_id)
    bench.gate.set()
    runtime = await opens(shared, [call("hold"), "Done."], observers=[second])
    events = [event async for event in runtime.watch(submitted.turn_id)]
    assert isinstance(events[-1], e.TurnFinished)
    await until(lambda: second.seen[-1:] == [("end", submitted.turn_id)])
    assert second.seen[0][0] == "begin"
    assert ("see", events[-1].seq) not in first.seen


async def test_an_observer_that_fails_hurts_neither_the_turn_nor_the_others(opens, tmp_path):
    from glassloop.runtime.settings import Settings

    notes = Notes()
    place = Settings(home=str(tmp_path)), False
    runtime = await opens(place, ["42."], observers=[Notes(fails=True), notes])
    response = await runtime.ask("?")
    assert response.response == "42."
    await until(lambda: notes.seen[-1][0] == "end")


async def test_what_waits_for_a_place_is_counted(shared, opens, bench):
    import msgspec

    settings, queue = shared
    one_place = msgspec.structs.replace(settings, max_turns=1), queue
    runtime = await opens(one_place, [call("hold"), "Done."])
    first = await runtime.submit("?")
    await asyncio.wait_for(bench.reached.wait(), 60)
    second = await runtime.submit("?")
    assert await runtime.waiting() == 1
    bench.gate.set()
    for submitted in (first, second):
        async for _ in runtime.watch(submitted.turn_id):
            pass
    assert await runtime.waiting() == 0
