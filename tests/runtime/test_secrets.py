"""Secrets of unfinished turns: real for those who run them on, encrypted beside the log, gone with the turn's end."""

import pytest

from glassloop import Approval, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.errors import BadArguments, UsageError
from glassloop.models.scripted_model import call
from glassloop.runtime.durable.jobs import JobKind
from glassloop.runtime.settings import Settings
from glassloop.runtime.stores import KEY_FILE
from glassloop.store.errors import WrongKey
from runtime.conftest import close
from waiting import until

KEY = "NEWKEY-77aa88bb99cc"
PASSWORD = "the wifi password: Tr0ub4dor-and-3"


@pytest.fixture
def vault(bench):
    """Tools that give and take secrets; what they took is in `bench.written`."""

    @tool(effect="read", integrity="trusted")
    async def rotate() -> dict[str, str]:
        """Make a new key."""
        return {"access_key": KEY}

    @tool(effect="write", integrity="trusted")
    async def save(value: str) -> str:
        """Save a value without asking."""
        bench.written.append(value)
        return "saved"

    @tool(effect="write", integrity="trusted", confirm=True)
    async def sign_up(user: str, password: str) -> str:
        """Make an account."""
        bench.written.append((user, password))
        return f"made {user}"

    bench.tools += [rotate, save, sign_up]
    return bench


async def told(runtime, turn_id, after=0):
    return [event async for event in runtime.watch(turn_id, after=after) if type(event) not in e.TRANSIENT]


async def waits(runtime, turn_id):
    events = await told(runtime, turn_id)
    assert isinstance(events[-1], e.TurnWaiting)
    return [event for event in events if isinstance(event, e.ApprovalRequested)][-1], events[-1].seq


async def approved(runtime, turn_id, **changes):
    """Approves what the turn waits for; its events from then on."""
    request, seq = await waits(runtime, turn_id)
    await runtime.approve(
        turn_id, [Approval(**{"call_id": request.call.id, "digest": request.digest, "approved": True} | changes)]
    )
    return await told(runtime, turn_id, after=seq)


async def kept(runtime):
    """How many encrypted events the store has."""
    return await runtime.store.engine.read(lambda db: db.run("SELECT count(*) FROM encrypted_events")[0][0])


SCRIPT = [
    call("rotate"),
    call("write", text="x"),
    call("save", value="${step1.result.access_key}"),
    "Rotated and saved.",
]


async def test_a_secret_of_an_earlier_step_is_real_after_an_approval(place, opens, vault):
    runtime = await opens(place, SCRIPT)
    submitted = await runtime.submit("Rotate the key")
    events = await approved(runtime, submitted.turn_id)
    assert events[-1].status == "completed"
    assert vault.written == ["x", KEY]
    assert await kept(runtime) == 0
    assert KEY not in str(await runtime.store.turns.read(submitted.turn_id)) + str(events)


async def test_a_secret_of_an_earlier_step_is_real_for_another_process(shared, opens, vault):
    first = await opens(shared, SCRIPT[:2])
    submitted = await first.submit("Rotate the key")
    await waits(first, submitted.turn_id)
    await close(first)
    second = await opens(shared, SCRIPT[2:])
    events = await approved(second, submitted.turn_id)
    assert events[-1].status == "completed"
    assert vault.written == ["x", KEY]
    assert KEY not in str(await second.store.turns.read(submitted.turn_id)) + str(events)


async def test_a_turn_taken_over_in_the_middle_goes_on_with_the_real_question(shared, opens, vault):
    first = await opens(shared, [call("hold")])
    submitted = await first.submit(f"Save it: {PASSWORD}", session_id="s")
    await vault.reached.wait()
    await close(first)

    vault.gate.set()
    model = ScriptedModel([call("save", value=PASSWORD), "Saved."])
    second = await opens(shared, model)
    await second.reconcile()
    events = await told(second, submitted.turn_id)
    assert events[-1].status == "completed"
    assert vault.written == [PASSWORD]
    assert PASSWORD in str(model.requests[0].messages)
    assert PASSWORD not in str(events)


async def test_an_approved_call_with_a_password_runs_and_neither_log_nor_watcher_has_it(place, opens, vault):
    runtime = await opens(place, [call("sign_up", user="ann", password="hunter2-Hunter2"), "Done."])
    submitted = await runtime.submit("Sign me up")
    request, _ = await waits(runtime, submitted.turn_id)
    assert request.call.args == {"user": "ann", "password": "[redacted]"}
    events = await approved(runtime, submitted.turn_id)
    assert events[-1].status == "completed"
    assert vault.written == [("ann", "hunter2-Hunter2")]
    assert "hunter2-Hunter2" not in str(await runtime.store.turns.read(submitted.turn_id)) + str(events)
    assert "hunter2-Hunter2" not in str(await runtime.store.turns.read_unredacted(submitted.turn_id))


async def test_edited_arguments_keep_the_secret_that_was_left_as_it_was_shown(place, opens, vault):
    runtime = await opens(place, [call("sign_up", user="ann", password="hunter2-Hunter2"), "Done."])
    submitted = await runtime.submit("Sign me up")
    request, _ = await waits(runtime, submitted.turn_id)
    with pytest.raises(BadArguments, match="redacted"):
        await approved(runtime, submitted.turn_id, args={"user": "[redacted]", "password": "x"})
    events = await approved(runtime, submitted.turn_id, args={**request.call.args, "user": "eve"})
    assert events[-1].status == "completed"
    assert vault.written == [("eve", "hunter2-Hunter2")]


async def test_a_call_with_the_marker_in_its_arguments_never_runs(place, opens, vault):
    script = [
        call("save", value="Bearer [redacted]"),
        call("sign_up", user="ann", password="[redacted]"),
        call("look", key="[redacted]"),
        "Not done.",
    ]
    runtime = await opens(place, script)
    events = await told(runtime, (await runtime.submit("Use it")).turn_id)
    results = [event.result for event in events if isinstance(event, e.ToolReturned)]
    assert len(results) == 3
    assert all("Ask the person for the value" in result.error for result in results)
    assert {result.cause for result in results} == {"refused"}
    assert vault.written == []


async def test_the_database_file_never_holds_the_secret_in_the_clear(tmp_path, put_store, opens, vault):
    file = put_store(tmp_path / "log.db")
    place = Settings(home=str(tmp_path), database_url=f"sqlite:///{file}"), False
    runtime = await opens(place, SCRIPT)
    submitted = await runtime.submit(f"Rotate. {PASSWORD}")
    await waits(runtime, submitted.turn_id)
    assert await kept(runtime) > 0
    on_disk = b"".join(path.read_bytes() for path in tmp_path.glob("log.db*") if path.is_file())
    assert b"Rotate." in on_disk
    assert KEY.encode() not in on_disk
    assert b"Tr0ub4dor" not in on_disk
    key = tmp_path / KEY_FILE
    assert key.stat().st_mode & 0o777 == 0o600
    await approved(runtime, submitted.turn_id)
    assert await kept(runtime) == 0


async def test_a_deleted_session_leaves_no_encrypted_secret(place, opens, vault):
    runtime = await opens(place, SCRIPT)
    submitted = await runtime.submit("Rotate the key", session_id="s")
    await waits(runtime, submitted.turn_id)
    assert await kept(runtime) > 0
    await runtime.store.sessions.delete("s")
    assert await kept(runtime) == 0


async def test_with_another_key_nothing_runs_and_the_remedy_is_said(shared, opens, vault, tmp_path):
    settings, queue = shared
    first = await opens(shared, SCRIPT[:2])
    submitted = await first.submit("Rotate the key")
    await waits(first, submitted.turn_id)
    await close(first)
    other = Settings(home=settings.home, database_url=settings.database_url, encryption_key="k" * 32)
    second = await opens((other, queue), SCRIPT[2:])
    with pytest.raises(WrongKey, match="GLASSLOOP_ENCRYPTION_KEY"):
        await approved(second, submitted.turn_id)
    assert await second.cancel(submitted.turn_id)

    async def over():
        return (await second.store.turns.get(submitted.turn_id)).status == "cancelled"

    await until(over)
    assert await kept(second) == 0
    assert vault.written == []


async def test_an_operators_key_is_enough_for_processes_without_a_common_home(shared, opens, vault, tmp_path):
    settings, queue = shared
    homes = [Settings(home=str(tmp_path / name), database_url=settings.database_url, encryption_key="s3cret" * 8)
             for name in "ab"]  # fmt: skip
    first = await opens((homes[0], queue), SCRIPT[:2])
    submitted = await first.submit("Rotate the key")
    await waits(first, submitted.turn_id)
    await close(first)
    second = await opens((homes[1], queue), SCRIPT[2:])
    await approved(second, submitted.turn_id)
    assert vault.written == ["x", KEY]
    assert not any((tmp_path / name / KEY_FILE).exists() for name in "ab")


async def test_a_short_operators_key_is_refused(tmp_path, opens):
    place = Settings(home=str(tmp_path), encryption_key="short"), False
    with pytest.raises(UsageError, match="openssl rand -hex 32"):
        await opens(place)


async def test_a_job_whose_parameters_hold_a_secret_is_refused(place, opens):
    async def run(_context, _params):
        raise AssertionError

    runtime = await opens(place, kinds=[JobKind(name="fetch", run=run)])
    with pytest.raises(UsageError, match="looks like a secret"):
        await runtime.jobs.submit("fetch", {"url": "https://ann:pa55word@example.org/x"})
