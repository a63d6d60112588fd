"""The whole API by its own document: made-up requests of every kind, from each role, to a server as it is started.

The model is `reflex`, so that turns really run. Nothing may be answered but what is documented, and nothing with 5xx.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from glassloop.runtime.settings import Settings
from glassloop.server.lifecycle import open_serving
from server.authenticated import TOKEN, bearer
from waiting import until

ST = Path(sys.executable).with_name("st")
MAX_S = 1200
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
SHOWN = 300
"""Characters of a line of its report: some requests are very long."""


@pytest.fixture
async def serving(tmp_path):
    settings = Settings(
        home=str(tmp_path / "home"),
        auth="keys",
        admin_token=TOKEN,
        model="reflex",
        models_offline=True,
        request_rate=0,
        user_turns=0,
        session_rate=0,
    )
    async with open_serving(settings, "127.0.0.1", 0) as opened:
        stopping = asyncio.Event()
        running = asyncio.create_task(opened.run(stopping))
        yield opened
        stopping.set()
        await running


@asynccontextmanager
async def signed_in(serving, user):
    """A client of a new user."""
    await serving.runtime.store.users.add(user)
    key, _ = await serving.runtime.store.keys.create(user)
    async with httpx.AsyncClient(base_url=serving.url, headers=bearer(key), timeout=60) as client:
        yield client


async def things_of(client):
    """Ids of a finished turn, its session and an upload, by the names that paths have for them."""
    taken = (await client.post("/api/turns", json={"question": "What is 12 * 7?"})).json()

    async def is_over():
        return (await client.get(f"/api/turns/{taken['turn_id']}")).json()["status"] == "completed"

    await until(is_over, "the answer")
    upload = (await client.post("/api/uploads", params={"name": "a.txt"}, content=b"abc")).json()
    ids = {"turn_id": taken["turn_id"], "session_id": taken["session_id"], "upload_id": upload["id"]}
    return {**ids, "name": "general"}


def kept_to_the_end(document):
    """What deletes is asked last: what it deletes is needed until then."""
    last = sorted(document["paths"].items(), key=lambda item: "delete" in item[1])
    return {**document, "paths": dict(last)}


async def ask_everything(folder, serving, headers, ids, *options):
    """Runs schemathesis; its report where it found something."""
    document, config = folder / "openapi.json", folder / "schemathesis.toml"
    document.write_text(json.dumps(kept_to_the_end(serving.app.openapi())))
    lines = [f'"path.{name}" = "{value}"' for name, value in ids.items()]
    config.write_text("\n".join(["[parameters]", *lines, ""]))
    command = [ST, "--config-file", config, "--no-color", "run", document, "--url", serving.url, "--seed", "1"]
    command += ["--generation-database", "none", "--warnings", "off", "--request-timeout", "120", "--checks", CHECKS]
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    process = await asyncio.create_subprocess_exec(
        *map(str, [*command, *options]), cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(MAX_S):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    report = "\n".join(line[:SHOWN] for line in said.decode("utf-8", "replace").splitlines())
    assert process.returncode == 0, report
    assert f"Tested: {operations_of(serving.app)}" in report, report


def operations_of(app):
    return sum(len(item) for item in app.openapi()["paths"].values())


async def nothing_broke(serving):
    """Turns may fail for what they were asked; none because of a mistake of ours."""
    failed = await serving.runtime.store.turns.list(1000, status="failed")
    assert not [row.error for row in failed if "went wrong" in (row.error or "")]
    async with httpx.AsyncClient(base_url=serving.url, timeout=60) as client:
        assert (await client.get("/readyz")).status_code == 200


ONE = ["--phases", "fuzzing", "-n", "1"]
MANY = ["--phases", "coverage,fuzzing,stateful", "-n", "25"]
slow = pytest.mark.slow


@slow
async def test_nobody_is_answered_only_as_documented(serving, tmp_path):
    await ask_everything(tmp_path, serving, {}, {}, *MANY)
    await nothing_broke(serving)


@pytest.mark.parametrize("options", [ONE, pytest.param(MANY, marks=slow)], ids=["one", "many"])
async def test_an_owner_is_answered_only_as_documented(serving, tmp_path, options):
    async with signed_in(serving, "ann") as ann:
        ids, auth = await things_of(ann), ann.headers["authorization"]
        await ask_everything(tmp_path, serving, {"authorization": auth}, ids, *options)
    await nothing_broke(serving)


@slow
async def test_another_user_is_answered_only_as_documented(serving, tmp_path):
    async with signed_in(serving, "ann") as ann, signed_in(serving, "bob") as bob:
        ids, auth = await things_of(ann), bob.headers["authorization"]
        await ask_everything(tmp_path, serving, {"authorization": auth}, ids, *MANY)
    await nothing_broke(serving)


@pytest.mark.parametrize("options", [ONE, pytest.param(MANY, marks=slow)], ids=["one", "many"])
@pytest.mark.slow
async def test_the_operator_is_answered_only_as_documented(serving, tmp_path, options):
    async with signed_in(serving, "ann") as ann:
        ids = await things_of(ann)
        await ask_everything(tmp_path, serving, {"admin-token": TOKEN}, ids, *options)
    await nothing_broke(serving)
