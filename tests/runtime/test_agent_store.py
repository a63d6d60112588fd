"""`Agent(store=…)`: what it remembers after a restart, and which turns it goes on with."""

import asyncio
import signal
import subprocess
import sys

import pytest

from glassloop import Agent, Approval, ScriptedModel, TurnPaused, UsageError, call, open_store, tool
from glassloop.core import events as e
from glassloop.core.errors import ApprovalMismatch, TurnLost, UnknownName
from glassloop.core.messages import UserMessage

CRASHES = """
import os, sys
from glassloop import Agent, ScriptedModel, call, tool

@tool(effect="write", integrity="trusted")
def charge(ledger: str) -> str:
    "Charge once."
    with open(ledger, "a") as file:
        file.write("charged\\n")
    os.kill(os.getpid(), 9)

store, ledger = sys.argv[1:]
agent = Agent(ScriptedModel([call("charge", ledger=ledger)]), [charge], store=store, name="cashier")
agent.run_sync("Charge it", session_id="till", user="ann")
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("GLASSLOOP_HOME", str(tmp_path / "home"))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path, put_store):
    return (
        request.getfixturevalue("postgres_tables") if request.param == "postgres" else str(put_store(tmp_path / "a.db"))
    )


def told(model):
    return [
        message.content if isinstance(message, UserMessage) else message.text for message in model.requests[-1].messages
    ]


async def test_a_new_agent_on_the_same_store_is_told_what_was_said_and_another_user_nothing(url):
    async with Agent(ScriptedModel(["Hello Ann."]), store=url) as first:
        await first.run("I am Ann.", session_id="s", user="ann")
    model = ScriptedModel(["You are Ann.", "I do not know."])
    async with Agent(model, store=url) as second:
        await second.run("Who am I?", session_id="s", user="ann")
        assert told(model) == ["I am Ann.", "Hello Ann.", "Who am I?"]
        with pytest.raises(UsageError, match="no session 's' of user 'bob'"):
            await second.run("Who am I?", session_id="s", user="bob")
        await second.run("Who am I?", session_id="t", user="bob")
        assert told(model) == ["Who am I?"]


def test_without_an_event_loop_the_store_stays_open_and_each_loop_has_its_own(tmp_path, put_store):
    path = put_store(tmp_path / "a.db")
    model = ScriptedModel(["One.", "Two.", "Three.", "Four."])
    with Agent(model, store=path) as agent:
        agent.run_sync("1", session_id="s")
        agent.run_sync("2", session_id="s")
        for question in ("3", "4"):
            asyncio.run(agent.run(question, session_id="s"))
        assert told(model) == ["1", "One.", "2", "Two.", "3", "Three.", "4"]


async def test_calling_it_synchronously_where_a_loop_runs_is_refused_with_the_remedy():
    with pytest.raises(UsageError, match=r"await Agent\.run instead"):
        Agent(ScriptedModel(["Hello."])).run_sync("Hi")


async def test_a_store_that_was_given_open_stays_open(tmp_path, put_store):
    async with await open_store(str(put_store(tmp_path / "a.db"))) as store:
        async with Agent(ScriptedModel(["Hello."]), store=store) as agent:
            result = await agent.run("Hi", session_id="s")
        assert (await store.turns.get(result.turn_id)).status == "completed"


async def test_a_turn_that_waits_is_found_and_resumed_by_its_id_alone(url):
    done = []

    @tool(effect="write", integrity="trusted", confirm=True)
    def send(text: str) -> str:
        """Send it."""
        done.append(text)
        return "sent"

    async with Agent(ScriptedModel([call("send", text="hi")]), [send], store=url, name="mailer") as first:
        with pytest.raises(TurnPaused) as paused:
            await first.run("Send it", session_id="s", user="ann")
    request = paused.value.pending[0]
    approval = Approval(call_id=request.call.id, digest=request.digest, approved=True)
    wrong = Approval(call_id=request.call.id, digest="0", approved=True)
    async with Agent(ScriptedModel(["Sent."]), [send], store=url, name="mailer") as second:
        [open_turn] = await second.unfinished()
        assert (open_turn.turn_id, open_turn.status, open_turn.user) == (paused.value.turn_id, "paused", "ann")
        assert not await second.unfinished("bob")
        with pytest.raises(UnknownName):
            await second.resume(open_turn.turn_id, user="bob").result()
        with pytest.raises(ApprovalMismatch):
            await second.resume(open_turn.turn_id, [wrong]).result()
        both = [second.resume(open_turn.turn_id, [approval], user="ann").result() for _ in range(2)]
        told = await asyncio.gather(*both, return_exceptions=True)
        refused, result = sorted(told, key=lambda one: hasattr(one, "text"))
        assert (result.text, done) == ("Sent.", ["hi"])
        assert (type(refused), "resume it after that ends" in str(refused)) == (UsageError, True)
        assert not await second.unfinished()
        with pytest.raises(UsageError, match="completed"):
            await second.resume(open_turn.turn_id).result()


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
async def test_an_agent_killed_in_an_effect_is_resumed_from_the_store_and_the_effect_is_not_repeated(url, tmp_path):
    ledger = tmp_path / "ledger"
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", CRASHES, url, str(ledger)], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr

    @tool(effect="write", integrity="trusted")
    def charge(ledger: str) -> str:
        """Charge once."""
        raise AssertionError("it ran before")

    async with Agent(ScriptedModel(["Not charged again."]), [charge], store=url, name="cashier") as agent:
        await _until_free(agent)
        [left] = await agent.unfinished("ann")
        assert (left.status, left.question) == ("interrupted", "Charge it")
        with pytest.raises(TurnPaused) as paused:
            await agent.resume(left.turn_id).result()
        [request] = paused.value.pending
        assert request.reason == "outcome_unknown"
        refused = Approval(call_id=request.call.id, digest=request.digest, approved=False)
        assert (await agent.resume(left.turn_id, [refused]).result()).text == "Not charged again."
    assert ledger.read_text() == "charged\n"


async def test_a_turn_that_another_process_runs_is_neither_listed_nor_resumed(tmp_path, put_store):
    path, gate, reached = put_store(tmp_path / "a.db"), asyncio.Event(), asyncio.Event()

    @tool(effect="read", integrity="trusted")
    async def wait() -> str:
        """Wait."""
        reached.set()
        await gate.wait()
        return "over"

    holder = Agent(ScriptedModel([call("wait"), "Done."]), [wait], store=path)
    running = asyncio.create_task(holder.run("Wait", session_id="s"))
    await reached.wait()
    async with Agent(ScriptedModel([]), store=path) as other, await open_store(str(path)) as store:
        assert not await other.unfinished()
        [row] = await store.turns.list(1)
        with pytest.raises(UsageError, match="is running on"):
            await other.resume(row.id).result()
    gate.set()
    assert (await running).text == "Done."
    await holder.aclose()


def test_an_agent_without_a_store_says_what_resuming_needs():
    with pytest.raises(UsageError, match=r"store='agent\.db'"):
        Agent(ScriptedModel([])).resume("some-turn")


async def _until_free(agent):
    """On PostgreSQL a dead worker's lease has to run out; the test makes it."""
    store = await agent._store.opened()
    if "postgresql" in store.engine.url:
        for row in await store.turns.list(10):
            await store.turns.release(row.id, row.epoch)


class Gate:
    """A tool that waits, and says when it does; and an effect that must not run."""

    def __init__(self):
        self.reached, self.opened, self.effects = asyncio.Event(), asyncio.Event(), []

        @tool(effect="read", integrity="trusted")
        async def wait() -> str:
            """Wait."""
            self.reached.set()
            await self.opened.wait()
            return "over"

        @tool(effect="write", integrity="trusted")
        def charge() -> str:
            """Charge."""
            self.effects.append("charged")
            return "charged"

        self.tools = [wait, charge]


async def test_an_agent_whose_turn_was_taken_over_writes_nothing_and_has_no_effect(url):
    gate = Gate()
    async with Agent(ScriptedModel([call("wait"), call("charge"), "Done."]), gate.tools, store=url) as agent:
        stream = agent.stream("Go", session_id="s")
        running = asyncio.ensure_future(stream.result())
        await gate.reached.wait()
        async with await open_store(url) as store:
            row = await store.turns.get(stream.turn_id)
            await store.turns.release(row.id, row.epoch)
            await store.turns.claim(row.id, "another", 60.0)
            gate.opened.set()
            with pytest.raises(TurnLost):
                await running
            assert not gate.effects
            assert [type(event) for event in await store.turns.read(row.id)][-1] is e.TurnClaimed


async def test_the_lease_of_a_long_turn_is_renewed_on_postgresql(postgres_tables, monkeypatch):
    monkeypatch.setattr("glassloop.runtime.stores.LEASE_S", 1.5)
    gate = Gate()
    async with Agent(ScriptedModel([call("wait"), "Done."]), gate.tools, store=postgres_tables) as agent:
        stream = agent.stream("Go", session_id="s")
        running = asyncio.ensure_future(stream.result())
        await gate.reached.wait()
        async with await open_store(postgres_tables) as store:
            first = (await store.turns.get(stream.turn_id)).lease_until

            async def renewed():
                return (await store.turns.get(stream.turn_id)).lease_until > first

            async with asyncio.timeout(60):
                while not await renewed():
                    await asyncio.sleep(0.05)
        gate.opened.set()
        assert (await running).text == "Done."


def test_a_resumed_turn_that_nobody_closes_is_closed_with_the_loop_and_without_an_error(tmp_path, put_store):
    url, wrong = str(put_store(tmp_path / "a.db")), list[str]()

    @tool(effect="write", integrity="trusted", confirm=True)
    def charge() -> str:
        """Charge it."""
        return "charged"

    async def leave() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: wrong.append(told["message"]))
        async with Agent(ScriptedModel([call("charge"), "Done."]), [charge], store=url) as agent:
            stream = agent.stream("Charge it")
            await stream.drain()
            async for _ in agent.resume(stream.turn_id, [Approval.of(stream.pending[0], True)]):
                break

    asyncio.run(leave())
    assert wrong == []
