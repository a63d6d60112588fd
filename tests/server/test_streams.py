"""The native stream of a turn: cut anywhere and taken up again, here, elsewhere or after a restart, it is the same."""

import asyncio
import signal

import httpx
import msgspec
import pytest

from glassloop import ScriptedModel, tool
from glassloop.core.messages import TextChunk
from glassloop.models.scripted_model import call
from glassloop.server.http.sse import HEARTBEAT, EventStream
from ports import free_port
from server.listening import listening
from server.process import Process
from server.sse_client import Follower, events, opened, read
from server.talker import Talker, answer_to, look
from waiting import until

QUESTION = "cat dog"


async def ask(client, question=QUESTION, **more):
    answer = await client.post("/api/turns", json={"question": question, **more})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def talking(serve, **options):
    return await serve(script=Talker(**options), tools=[look])


def raw(frames):
    return [frame.raw for frame in frames]


async def stored(client, taken):
    """The durable events of a turn as the log has them, whole, after its end."""
    frames = await read(client, taken["events"])
    assert frames[-1].event == "turn_finished"
    assert all(frame.id for frame in frames)
    return frames


async def test_a_stream_has_every_event_once_in_order_and_ends_with_the_turn(serve):
    served = await talking(serve)
    taken = await ask(served.client)
    follower = Follower(taken["events"])
    await follower.follow(served.client)
    assert [frame.id for frame in follower.durable] == [
        f"{taken['turn_id']}:{number}" for number in range(1, len(follower.durable) + 1)
    ]
    assert [frame.event for frame in follower.durable][:1] == ["turn_started"]
    assert follower.is_over
    assert len(events(follower.durable, "tool_returned")) == 2
    assert follower.answer["text"].strip() == answer_to(QUESTION).strip()
    assert raw(await stored(served.client, taken)) == raw(follower.durable)


async def test_cut_after_every_single_event_and_resumed_it_is_the_same_byte_for_byte(serve):
    gate = asyncio.Event()
    served = await talking(serve, wait=gate.wait)
    taken = await ask(served.client)
    whole = Follower(taken["events"])
    following = asyncio.create_task(whole.follow(served.client))
    cut = Follower(taken["events"])
    while not cut.is_over:
        await cut.follow(served.client, most=1)
        if cut.texts:
            gate.set()
    await following
    assert cut.connections > len(cut.durable)
    assert raw(cut.durable) == raw(whole.durable) == raw(await stored(served.client, taken))
    assert cut.answer["text"] == whole.answer["text"]
    assert len(await served.runtime.store.turns.list()) == 1


async def test_pieces_of_text_joined_by_block_and_offset_are_the_answer(serve):
    served = await talking(serve)
    follower = Follower((await ask(served.client))["events"])
    await follower.follow(served.client)
    assert follower.texts[follower.answer["block"]].strip() == follower.answer["text"].strip()


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_pieces_of_a_stream_that_is_cut_have_no_hole_and_lead_to_the_answer(serve, most):
    gate = asyncio.Event()
    served = await talking(serve, wait=gate.wait)
    follower = Follower((await ask(served.client))["events"])
    half = len(answer_to(QUESTION)) // 2

    async def open_gate():
        await until(lambda: any(len(text) > half for text in follower.texts.values()), "half of the answer")
        gate.set()

    opening = asyncio.create_task(open_gate())
    while not follower.is_over and not (opening.done() and opening.exception()):
        await follower.follow(served.client, most=most)
    await opening
    # What was written between the last cut and the answer comes with the answer only.
    joined = follower.texts[follower.answer["block"]]
    assert len(joined) > half
    assert follower.answer["text"].startswith(joined.rstrip())


async def test_who_comes_in_the_middle_of_a_block_gets_all_of_it_first(serve):
    gate = asyncio.Event()

    class Halting(ScriptedModel):
        async def stream(self, request):
            for word in ("One ", "two ", "three "):
                yield TextChunk(word)
            await gate.wait()
            async for chunk in super().stream(request):
                yield chunk

    served = await serve(script=Halting(["One two three four."]))
    taken = await ask(served.client)
    async with opened(served.client, taken["events"]) as frames:
        said = ""
        while said != "One two three ":
            frame = await anext(frames)
            said += frame.json["text"] if frame.event == "text_delta" else ""
    async with opened(served.client, taken["events"], headers={"last-event-id": f"{taken['turn_id']}:1"}) as frames:
        found = [frame async for frame in until_text(frames)]
        assert [(frame.event, frame.json["offset"], frame.json["text"]) for frame in found[-1:]] == [
            ("text_delta", 0, "One two three ")
        ]
        gate.set()
        assert [frame async for frame in frames][-1].event == "turn_finished"


async def until_text(frames):
    async for frame in frames:
        yield frame
        if frame.event == "text_delta":
            return


@pytest.mark.parametrize("cut", range(1, 13, 3))
async def test_last_event_id_and_after_go_on_right_behind_that_event(serve, cut):
    served = await talking(serve)
    taken = await ask(served.client)
    follower = Follower(taken["events"])
    await follower.follow(served.client)
    whole = raw(follower.durable)
    last = {"last-event-id": f"{taken['turn_id']}:{cut}"}
    assert raw(await read(served.client, taken["events"], headers=last)) == whole[cut:]
    assert raw(await read(served.client, taken["events"], params={"after": cut})) == whole[cut:]
    told = await served.client.get(taken["events"], params={"after": cut, "format": "json"})
    assert [event["seq"] for event in told.json()] == list(range(cut + 1, len(whole) + 1))


async def test_after_the_end_there_is_no_stream_to_connect_to_again(serve):
    served = await talking(serve)
    taken = await ask(served.client)
    whole = Follower(taken["events"])
    await whole.follow(served.client)
    for after in (len(whole.durable), 10_000):
        assert (await served.client.get(taken["events"], params={"after": after})).status_code == 204


@pytest.mark.parametrize("given", ["other:1", "{turn}", "{turn}:", "{turn}:x", "{turn}:-1", "{turn}:9999999999", "1"])
async def test_an_event_id_of_something_else_is_refused(serve, given):
    served = await talking(serve)
    taken = await ask(served.client)
    given = given.format(turn=taken["turn_id"])
    answer = await served.client.get(taken["events"], headers={"last-event-id": given})
    assert answer.status_code == 400
    assert "omit it" in answer.json()["error"]


@tool(effect="write", confirm=True)
async def write(text: str) -> str:
    """Write."""
    return f"wrote {text}"


async def approve(served, taken, seen):
    (asked,) = [frame.json for frame in events(seen, "approval_requested")]
    decision = {"call_id": asked["call"]["id"], "digest": asked["digest"], "approved": True}
    await served.client.post(f"/api/turns/{taken['turn_id']}/approvals", json={"decisions": [decision]})


async def test_the_stream_of_a_turn_that_waits_ends_and_goes_on_after_the_decision(serve):
    served = await serve(script=[call("write", text="a"), "Written."], tools=[write])
    taken = await ask(served.client)
    seen = await read(served.client, taken["events"])
    assert seen[-1].event == "turn_paused"
    known = {"last-event-id": seen[-1].id}
    assert (await served.client.get(taken["events"], headers=known)).status_code == 204
    await approve(served, taken, seen)
    rest = await read(served.client, taken["events"], headers=known)
    assert [frame.event for frame in rest][:2] == ["approval_decided", "turn_resumed"]
    assert rest[-1].event == "turn_finished"
    assert (await served.client.get(taken["events"], headers={"last-event-id": rest[-1].id})).status_code == 204


async def test_a_stream_goes_on_through_an_approval_where_it_is_asked_to(serve):
    served = await serve(script=[call("write", text="a"), "Written."], tools=[write])
    taken = await ask(served.client)
    async with opened(served.client, taken["events"], params={"through_pauses": True}) as frames:
        seen = []
        while not events(seen, "turn_paused"):
            seen.append(await anext(frames))
        await approve(served, taken, seen)
        seen += [frame async for frame in frames]
    assert seen[-1].event == "turn_finished"
    assert seen[-1].json["status"] == "completed"


class Held(ScriptedModel):
    """Says nothing, ever."""

    async def stream(self, request):
        await asyncio.Event().wait()
        yield


async def test_the_stream_of_a_deleted_session_ends(serve, monkeypatch):
    monkeypatch.setattr("glassloop.runtime.durable.turn_feed.POLL_S", 0.2)
    served = await serve(script=Held([]))
    taken = await ask(served.client)
    async with opened(served.client, taken["events"]) as frames:
        assert (await anext(frames)).event == "turn_started"
        assert (await served.client.delete(f"/api/sessions/{taken['session_id']}")).json() == {"done": True}
        async with asyncio.timeout(60):
            async for _ in frames:
                pass
    assert (await served.client.get(taken["events"])).status_code == 404


async def test_a_stream_of_a_turn_that_runs_here_does_not_ask_the_store_while_nothing_happens(serve):
    served = await serve(script=Held([]))
    taken = await ask(served.client)
    async with opened(served.client, taken["events"]) as frames:
        assert (await anext(frames)).event == "turn_started"
        served.runtime.bus.poll_s = 0.001
        # From the first of these on, if it asked at all, it would ask hundreds of times.
        for _ in range(50):
            await served.client.get("/livez")
        looks = []
        served.runtime.store.engine.timed = lambda what, _seconds: looks.append(what)
        for _ in range(50):
            await served.client.get("/livez")
        assert len(looks) < 10


class LateTurns:
    """A log whose first look is too early: what is stored by then comes a moment later."""

    def __init__(self, turns):
        self._turns = turns
        self._looked = False

    async def read(self, turn_id, after=0, *, skip_unknown=False):
        if not self._looked:
            self._looked = True
            return ()
        return await self._turns.read(turn_id, after, skip_unknown=skip_unknown)

    async def get(self, turn_id):
        row = await self._turns.get(turn_id)
        return row if self._looked else msgspec.structs.replace(row, status="running")

    def __getattr__(self, name):
        return getattr(self._turns, name)


async def test_a_turn_that_ends_between_two_looks_is_told_to_its_end(serve):
    served = await talking(serve)
    taken = await ask(served.client)
    whole = Follower(taken["events"])
    await whole.follow(served.client)
    served.runtime.store.turns = LateTurns(served.runtime.store.turns)
    assert raw(await read(served.client, taken["events"], params={"after": 3})) == raw(whole.durable[3:])


async def test_a_stream_on_which_nothing_happens_says_that_it_is_alive():
    gate = asyncio.Event()

    async def frames():
        yield b"data: first\n\n"
        await gate.wait()
        yield b"data: last\n\n"

    async def app(scope, receive, send):
        await EventStream(frames(), beat_s=0.05)(scope, receive, send)

    async with listening(app) as url, httpx.AsyncClient(timeout=60) as client, client.stream("GET", url) as answer:
        said = b""
        async for piece in answer.aiter_bytes():
            said += piece
            if said.count(HEARTBEAT) >= 2:
                gate.set()
    assert said.startswith(b"data: first\n\n" + HEARTBEAT)
    assert said.endswith(b"data: last\n\n")


async def test_a_generator_is_closed_as_soon_as_its_client_is_gone():
    closed = asyncio.Event()

    async def frames():
        try:
            yield b"data: first\n\n"
            await asyncio.Event().wait()
        finally:
            closed.set()

    async def app(scope, receive, send):
        await EventStream(frames())(scope, receive, send)

    async with listening(app) as url, httpx.AsyncClient(timeout=60) as client:
        async with client.stream("GET", url) as answer:
            await anext(answer.aiter_bytes())
        await asyncio.wait_for(closed.wait(), 60)


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request, tmp_path, put_store):
    """A home and a database that several servers share."""
    if request.param == "postgres":
        return tmp_path, request.getfixturevalue("postgres_tables")
    return tmp_path, f"sqlite:///{put_store(tmp_path / 'log.db')}"


@pytest.fixture
def start():
    """Starts servers in processes of their own; all are gone at the end."""
    started = []

    async def begin(shared, count=1, **options):
        made = [Process(*shared, **options) for _ in range(count)]
        started.extend(made)
        for one in made:
            await asyncio.to_thread(one.ready)
        return made

    yield begin
    for one in started:
        one.close()


def client_of(server):
    return httpx.AsyncClient(base_url=server.url, timeout=60)


@pytest.mark.slow
async def test_two_processes_on_one_store_tell_the_same_however_one_changes_between_them(shared, start):
    first, second = await start(shared, 2)
    async with client_of(first) as here, client_of(second) as there:
        taken = await ask(here)
        alone, cut = Follower(taken["events"]), Follower(taken["events"])
        following = asyncio.create_task(alone.follow(there))
        while not cut.is_over:
            await cut.follow(there if cut.connections % 2 else here, most=1)
        await following
        assert cut.connections >= len(cut.durable)
        assert raw(cut.durable) == raw(alone.durable) == raw(await stored(there, taken))
        assert cut.answer["text"].strip() == answer_to(QUESTION).strip()


@pytest.mark.parametrize(
    "how",
    [pytest.param(signal.SIGTERM, id="stopped", marks=pytest.mark.slow), pytest.param(signal.SIGKILL, id="killed")],
)
async def test_a_stream_goes_on_after_a_restart_in_the_middle_of_its_turn(shared, start, how):
    if how == signal.SIGKILL and "postgresql" in shared[1]:
        pytest.skip("A killed worker's lease has to run out first: tests/chaos has that.")
    gate = shared[0] / "gate"
    (server,) = await start(shared, port=free_port(), gate=gate)
    async with client_of(server) as client:
        taken = await ask(client)
        follower = Follower(taken["events"])
        while not events(follower.durable, "tool_returned"):
            await follower.follow(client, most=1)
        following = asyncio.create_task(follower.follow(client))
        code = await asyncio.to_thread(server.stop, how)
        assert code == (0 if how == signal.SIGTERM else -signal.SIGKILL)
        await following
        before = raw(follower.durable)
        assert not follower.is_over
        gate.touch()
        await start(shared, port=server.port, gate=gate)
        await until(lambda: resumed(follower, client), "the turn's end")
        assert events(follower.durable, "turn_claimed")
        assert raw(follower.durable)[: len(before)] == before
        assert raw(follower.durable) == raw(await stored(client, taken))
        assert follower.answer["text"].strip() == answer_to(QUESTION).strip()


async def resumed(follower, client):
    await follower.follow(client, most=3)
    return follower.is_over
