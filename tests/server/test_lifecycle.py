"""`glassloop serve`: where it listens, what it says, what it refuses, and how it stops without losing a turn."""

import asyncio
import gc
import json
import re
import signal
import socket
import time
from contextlib import asynccontextmanager

import httpx
import pytest

from cli.conftest import environment, folder, start  # noqa: F401
from cli.here import here, refused  # noqa: F401
from cli.porter import porter  # noqa: F401
from glassloop import Agent, ScriptedModel, tool
from glassloop.cli.commands import serve as serve_command
from glassloop.core.errors import UsageError
from glassloop.models.scripted_model import call
from glassloop.server.lifecycle import StopTimes, listen, open_serving, room_for
from glassloop.server.routes import page
from ports import free_port
from trusting import trust
from waiting import until

WAIT_S = 60.0


class Held:
    """A tool that waits, and who is at it."""

    def __init__(self):
        self.reached = asyncio.Event()
        self.gate = asyncio.Event()

        @tool(effect="read", volatile=True, timeout_s=600)
        async def hold() -> str:
            """Wait for the gate."""
            self.reached.set()
            await self.gate.wait()
            return "the gate is open"

        self.tool = hold

    def make(self, wanted):
        return Agent(ScriptedModel([call("hold"), "It is open."]), [self.tool], name=wanted.assistant)


@pytest.fixture
def held():
    return Held()


@asynccontextmanager
async def running(settings, held, **options):
    """A server that runs: it, a client for it, and what stops it."""
    stopping = asyncio.Event()
    async with open_serving(settings, "127.0.0.1", 0, make=held.make, **options) as serving:
        task = asyncio.ensure_future(serving.run(stopping))
        async with httpx.AsyncClient(base_url=serving.url, timeout=WAIT_S) as client:
            await until_up(client)
            yield serving, client, stopping, task
            stopping.set()
            await task


async def until_up(client):
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        try:
            if (await client.get("/livez")).status_code == 200:
                return
        except httpx.TransportError:
            await asyncio.sleep(0.02)
    raise AssertionError("the server did not come up")


async def ask(client, question="Open it."):
    return (await client.post("/api/turns", json={"question": question})).json()


def kinds(lines):
    return [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]


async def test_stopping_ends_a_stream_in_order_and_the_next_server_goes_on_with_the_turn(settings, held):
    # Where it waited for the stream to end by itself, it would wait in vain.
    grace = StopTimes(requests_s=3600, answers_s=3600, turns_s=0.0)
    lines = []
    async with running(settings(), held, grace=grace) as (_, client, stopping, task):
        taken = await ask(client)
        async with client.stream("GET", taken["events"]) as stream:
            async for line in stream.aiter_lines():
                lines.append(line)
                if line == "event: tool_called":
                    stopping.set()
        # Had the connection only been cut, the client would have raised.
        await asyncio.wait_for(task, WAIT_S)
    assert "turn_finished" not in kinds(lines)
    last = [line for line in lines if line.startswith("id: ")][-1].removeprefix("id: ")
    held.gate.set()
    async with running(settings(), held) as (_, client, *_):
        resumed = await client.get(taken["events"], headers={"last-event-id": last})
    rest = resumed.text.splitlines()
    assert kinds(rest)[-1] == "turn_finished"
    seqs = [int(line.rpartition(":")[2]) for line in [*lines, *rest] if line.startswith("id: ")]
    assert seqs == list(range(1, len(seqs) + 1))
    assert "It is open." in resumed.text


async def test_while_it_drains_it_says_so_and_answers_all_the_same(settings, held):
    draining, stopping = asyncio.Event(), asyncio.Event()
    async with open_serving(settings(), "127.0.0.1", 0, make=held.make, grace=StopTimes(drain_s=3600)) as serving:
        task = asyncio.ensure_future(serving.run(stopping, draining))
        async with httpx.AsyncClient(base_url=serving.url, timeout=WAIT_S) as client:
            await until_up(client)
            assert (await client.get("/readyz")).status_code == 200
            draining.set()

            async def is_told():
                return (await client.get("/readyz")).status_code == 503

            await until(is_told, "/readyz to be 503")
            held.gate.set()
            stream = await client.get((await ask(client))["events"])
            assert kinds(stream.text.splitlines())[-1] == "turn_finished"
            stopping.set()
            await asyncio.wait_for(task, WAIT_S)


async def test_who_waits_for_an_answer_gets_it_though_the_server_was_told_to_stop(settings, held):
    async with running(settings(), held) as (serving, client, stopping, task):
        asking = asyncio.ensure_future(client.post("/api/agent/execute", json={"query": "Open it."}))
        await asyncio.wait_for(held.reached.wait(), WAIT_S)
        stopping.set()
        await until_refused(serving.url)
        held.gate.set()
        answer = await asking
        assert answer.status_code == 200
        assert answer.json()["response"] == "It is open."
        await task


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_a_turn_that_only_its_request_waits_for_ends_with_the_server_and_its_client_is_told(
    settings, held, stream
):
    asked = {"model": "general", "messages": [{"role": "user", "content": "Open it."}], "stream": stream}
    async with running(settings(), held, grace=StopTimes(answers_s=0.1)) as (serving, client, stopping, task):
        asking = asyncio.ensure_future(client.post("/v1/chat/completions", json=asked))
        await asyncio.wait_for(held.reached.wait(), WAIT_S)
        stopping.set()
        answer = await asking
        assert answer.status_code == (200 if stream else 503)
        assert "shutting down before the answer was finished: ask again" in answer.text
        await task
        # Nobody else takes it up: whoever asks again would have it done twice.
        assert [row.status for row in await serving.runtime.store.turns.list()] == ["cancelled"]


async def test_a_turn_whose_client_has_just_left_ends_with_the_server(settings, held):
    async with running(settings(), held) as (serving, client, stopping, task):
        asking = asyncio.ensure_future(client.post("/api/analyze", json={"question": "Open it."}))
        await asyncio.wait_for(held.reached.wait(), WAIT_S)
        asking.cancel()
        await asyncio.wait([asking])
        stopping.set()
        await task
        assert [row.status for row in await serving.runtime.store.turns.list()] == ["cancelled"]


async def test_while_it_serves_garbage_is_looked_for_seldom_and_afterwards_as_before(settings, held):
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    async with running(settings(), held):
        assert gc.get_threshold()[0] > 10 * before[0]
        assert gc.get_freeze_count() > frozen
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


async def until_refused(url):
    """Until nothing new is accepted."""
    host, port = url.removeprefix("http://").split(":")
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        try:
            socket.create_connection((host, int(port))).close()
        except ConnectionRefusedError:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it still accepts")


async def test_streams_are_counted_while_they_are_open(settings, held):
    async with running(settings(), held) as (serving, client, *_):
        taken = await ask(client)
        async with client.stream("GET", taken["events"]) as stream:
            async for line in stream.aiter_lines():
                if line == "event: tool_called":
                    assert "glassloop_streams 1.0" in (await client.get("/metrics")).text
                    held.gate.set()

        async def none_is_open():
            return "glassloop_streams 0.0" in (await client.get("/metrics")).text

        await until(none_is_open, "the end of the stream")
        shown = (await client.get("/metrics")).text
        assert re.search(r'http_requests_total\{method="POST",route="/api/turns",status="202"} 1.0', shown)
        assert 'route="/api/turns/{turn_id}/events",status="200"} 1.0' in shown
        assert serving.app.state.metrics.text()


async def test_no_header_tells_what_serves(settings, held):
    async with running(settings(), held) as (_, client, *_):
        assert "server" not in (await client.get("/livez")).headers


async def test_a_port_that_is_taken_is_told_in_one_sentence():
    first = await listen("127.0.0.1", 0)
    port = first[0].getsockname()[1]
    with pytest.raises(UsageError, match=f"Port {port} at '127.0.0.1' is already in use"):
        await listen("127.0.0.1", port)
    first[0].close()


async def test_every_address_of_a_name_has_the_same_port():
    sockets = await listen("localhost", 0)
    assert len({each.getsockname()[1] for each in sockets}) == 1
    for each in sockets:
        each.close()


@pytest.mark.parametrize("host", ["203.0.113.7", "no such host", "a" * 300])
async def test_a_host_that_is_not_here_is_told_in_one_sentence(host):
    with pytest.raises(UsageError, match="is not an address of this machine"):
        await listen(host, 0)


async def test_nothing_stays_open_where_a_start_fails(settings, held):
    number = free_port()
    wrong = settings(auth="proxy")
    with pytest.raises(UsageError, match="would trust anyone"):
        async with open_serving(wrong, "127.0.0.1", number, make=held.make):
            pass
    (again,) = await listen("127.0.0.1", number)
    again.close()


def test_there_is_room_for_as_many_connections_as_the_system_has_files():
    assert room_for(10) == 10
    assert 1 <= room_for(10**9) < 10**9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], ("'0.0.0.0'", "GLASSLOOP_AUTH=keys")),
        (["--host", "203.0.113.7"], ("'203.0.113.7'", "GLASSLOOP_AUTH=keys")),
        (["--work"], ("--work needs --queue",)),
        (["--queue", "--port", "0"], ("set DATABASE_URL to postgresql://",)),
        (["--port", "70000"], ("--port", "--help")),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(here, arguments, words):  # noqa: F811
    refused(here("serve", *arguments), *words)


def test_a_port_in_use_ends_the_command_with_two(here):  # noqa: F811
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        refused(here("serve", "--port", port), f"Port {port}", "--port")


class Process:
    """A server in a process of its own."""

    def __init__(self, process):
        self.process = process
        self.said = [self.line()]
        self.url = self.said[0].split()[-1]
        self.said += [self.line(), self.line()]

    def line(self):
        line = self.process.stdout.readline().decode()
        assert line, self.process.stderr.read().decode()
        return line.rstrip("\n")

    def rests(self):
        """Waits until no turn runs: one whose end is told takes a moment to tidy up."""
        end = time.monotonic() + WAIT_S
        while httpx.get(f"{self.url}/health", timeout=WAIT_S).json()["running_turns"]:
            assert time.monotonic() < end
            time.sleep(0.01)

    def end(self, number=signal.SIGTERM):
        """How it ended, and everything it wrote meanwhile."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=WAIT_S)
        return self.process.returncode, out.decode(), err.decode()


@pytest.mark.slow
def test_a_first_start_tells_the_admin_token_and_no_later_one_does(start, environment, folder):  # noqa: F811
    (folder / "mine").mkdir()
    (folder / "mine" / "assistant.toml").write_text('name = "mine"\nprompt = "Help."\n', "utf-8")
    trust(folder, environment["GLASSLOOP_HOME"])
    first = Process(start("serve", "--port", "0"))
    assert re.fullmatch(r"Glassloop \S+ listens at http://127\.0\.0\.1:\d+", first.said[0])
    assert first.said[1].startswith("Model: reflex, not a language model")
    assert re.fullmatch(r"Assistants: .*\bgeneral\b.*, mine \(from \S+/mine\).*", first.said[2]), first.said
    assert re.fullmatch(
        r"Admin: http://127\.0\.0\.1:\d+/admin; `glassloop keys admin` creates a new token", first.line()
    )
    token = first.line().removeprefix("Admin token, shown only once: ")
    assert len(token) > 30
    headers = {"admin-token": token}
    assert httpx.get(f"{first.url}/admin/sessions", headers=headers, timeout=WAIT_S).status_code == 200
    question = "What is 18% of 2450?"
    taken = httpx.post(f"{first.url}/api/turns", json={"question": question}, timeout=WAIT_S).json()
    assert "441" in httpx.get(f"{first.url}{taken['events']}", timeout=WAIT_S).text
    first.rests()
    code, out, err = first.end()
    assert (code, out) == (0, "Glassloop is stopping, 0 turns running\nGlassloop has stopped\n")
    lines = [json.loads(line) for line in err.splitlines()]
    assert {"turn started", "tool chosen", "turn finished", "request"} <= {line["message"] for line in lines}
    assert token not in err
    assert question not in err
    second = Process(start("serve", "--port", "0"))
    assert httpx.get(f"{second.url}/admin/sessions", headers=headers, timeout=WAIT_S).status_code == 200
    code, out, _ = second.end(signal.SIGINT)
    assert code == 0
    assert "shown only once" not in out


@pytest.mark.slow
async def test_a_second_signal_ends_it_at_once_whoever_still_waits(start, environment, porter):  # noqa: F811
    server = Process(start("serve", "--port", "0"))
    async with httpx.AsyncClient(base_url=server.url, timeout=WAIT_S) as client:
        body = {"query": "/tool wait_at_door", "assistant": porter}
        asking = asyncio.ensure_future(client.post("/api/agent/execute", json=body))
        end = time.monotonic() + WAIT_S
        while not (await client.get("/health")).json()["running_turns"]:
            assert time.monotonic() < end and not asking.done()
            await asyncio.sleep(0.01)
        server.process.send_signal(signal.SIGTERM)
        await until_refused(server.url)
        assert server.process.poll() is None
        while server.process.poll() is None:
            assert time.monotonic() < end
            server.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.05)
        assert server.process.returncode == -signal.SIGTERM
        with pytest.raises(httpx.TransportError):
            await asking


@pytest.mark.slow
def test_turns_of_a_server_on_a_queue_run_in_workers(postgres_tables, start, environment):  # noqa: F811
    environment |= {"DATABASE_URL": postgres_tables, "GLASSLOOP_LOG": "json"}
    server = Process(start("serve", "--port", "0", "--queue"))
    taken = httpx.post(f"{server.url}/api/turns", json={"question": "What is 18% of 2450?"}, timeout=WAIT_S).json()
    assert "glassloop_turns_running 0.0" in httpx.get(f"{server.url}/metrics", timeout=WAIT_S).text
    worker = start("worker")
    assert worker.stdout.readline().endswith(b"at once\n")
    assert "441" in httpx.get(f"{server.url}{taken['events']}", timeout=WAIT_S).text
    code, _, err = server.end()
    assert code == 0
    assert "turn finished" not in err
    worker.send_signal(signal.SIGTERM)
    _, err = worker.communicate(timeout=WAIT_S)
    lines = [json.loads(line) for line in err.decode().splitlines()]
    (done,) = [line for line in lines if line["message"] == "turn finished"]
    assert done["session_id"] == taken["session_id"]


async def test_a_server_without_its_page_says_how_to_get_it(settings, monkeypatch):
    monkeypatch.setattr(page, "FILES", {})
    said = []
    monkeypatch.setattr(serve_command, "say", said.append)
    task = asyncio.ensure_future(
        serve_command._serve(settings(), "127.0.0.1", 0, queue=False, runs_turns=True),
    )
    try:
        await until(lambda: task.done() or len(said) > 3)
        assert said[1] == page.NOT_BUILT
        async with httpx.AsyncClient(base_url=said[0].rpartition(" ")[2], timeout=WAIT_S) as client:
            await until_up(client)
            shown = await client.get("/")
        assert (shown.status_code, shown.text) == (503, page.NOT_BUILT)
        assert "`make page`" in shown.text
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
