"""Who may do what: every route of the API's own document, asked by nobody, its owner, another user and the operator.

Nothing here names a route it expects to be there: a new one is asked like all others, and one that takes an id of a
kind nobody here owns fails until somebody does.
"""

import base64
import hashlib
import re
import sqlite3
from contextlib import closing
from itertools import chain, repeat
from typing import NamedTuple

import msgspec
import pytest
from starlette.routing import Route

from extensions.raids.small_night import put as put_night
from glassloop import tool
from glassloop.core.events import ApprovalRequested
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.models.scripted_model import call
from glassloop.runtime.durable.jobs import JobKind
from glassloop.server.observability.metrics import Metrics
from pictures import png
from server.authenticated import TOKEN, bearer, client_of
from waiting import until

OPEN = {"/livez", "/readyz", "/health", "/api/visitor"}
"""For programs that keep a server running, and for the page before a sign-in: they say nothing about anybody."""
SHARED = "/api/shared"
"""For whoever has a link; the one asked for here is none."""
SECRET = "the moon is made of nickel"
ADMIN = {"admin-token": TOKEN}
OPERATORS = {
    *("/metrics", "/api/models/pull", "/api/servers/refresh", "/api/servers/{name}/approve"),
    *("/api/folders", "/api/folders/trust", "/api/connections", "/api/connections/{provider}", "/api/models/default"),
    "/api/raids/reports/{code}/sharing",
}
"""Beside those under `/admin`."""
RAID = "/api/raids/reports/{code}"
CODE = "/api/code-chat"
FILES = {
    ("post", "/api/collections/{collection_id}/files"),
    *("/api/uploads/{upload_id}", "/api/raids/characters/{character_id}"),
    *(RAID, f"{RAID}/fights/{{number}}", f"{RAID}/fights/{{number}}/players/{{player}}"),
    *("/conversations/{conversation_id}", "/conversations/{conversation_id}/messages"),
    *(f"{CODE}/sessions/{{session_id}}/files"),
    *(f"{CODE}/changes/{{turn_id}}", f"{CODE}/changes/{{turn_id}}/undo", f"{CODE}/workspaces/file"),
}
"""Of users alone: the operator sees none of them."""
UNKNOWN = {
    *("/api/sign-in", "/admin/models/examine", "/api/servers/{name}/approve", "/api/folders/trust"),
    *("/admin/evals/{run}", "/admin/evals/compare"),
    *("/api/sign-in/openid", "/api/sign-in/openid/callback"),
    *("/admin/dead-letters/{kind}/{ident}", "/admin/dead-letters/{kind}/{ident}/retry"),
    *("/api/connections/{provider}", "/api/models/default", SHARED, "/api/notes/{note_id}"),
    *("/admin/users", "/admin/keys"),
}
"""Where what is sent here is nothing that is known to anybody."""
TOUCHED = {"sign_ins", "api_keys"}
TEXTS = {"assistant": "general", "name": "general", "model": "general", "rating": "good", "role": "user"}
"""What a field must hold to get past the schema; `model` is how `/v1` names an assistant."""


class Household(NamedTuple):
    """Two users, what the first one owns by the name of its id, and who asks with which headers."""

    app: object
    owned: dict[str, str]
    roles: dict[str, dict[str, str]]

    def client(self, role):
        return client_of(self.app, **self.roles[role])


@tool(effect="write", confirm=True)
async def write(text: str) -> str:
    """Write a text."""
    return text


async def count_up(_context, _params):
    return SECRET


@pytest.fixture
async def household(serve, settings):
    script = chain([f"Known: {SECRET}.", call("write", text=SECRET)], repeat("Done."))
    kinds = [JobKind(name="count", run=count_up)]
    given = settings(auth="keys", admin_token=TOKEN, request_rate=0, user_turns=0, session_rate=0, sharing=True)
    given = msgspec.structs.replace(given, models_offline=True, embedder="none")
    served = await serve(given, script, [write], kinds=kinds)
    store, roles = served.runtime.store, {"nobody": {}, "admin": ADMIN}
    for user in ("ann", "bob"):
        await store.users.add(user)
        roles[user] = bearer((await store.keys.create(user))[0])
    served.app.state.metrics = Metrics()
    made = Household(served.app, {}, roles)
    async with made.client("ann") as ann:
        drawn = [{"name": f"{SECRET}.png", "data": base64.b64encode(png()).decode()}]
        done = (await ann.post("/api/turns", json={"question": SECRET, "attachments": drawn})).json()
        await until_status(ann, done["turn_id"], "completed")
        paused = (await ann.post("/api/turns", json={"question": SECRET})).json()
        await until_status(ann, paused["turn_id"], "paused")
        upload = await ann.post("/api/uploads", params={"name": f"{SECRET}.txt"}, content=SECRET)
        document = await read_in(ann, upload.json()["id"])
        schedule = await ann.post("/api/schedules", json={"question": SECRET, "every": "@yearly"})
        collection = await ann.post("/api/collections", json={"name": "handbook"})
        note = await ann.post("/api/notes", json={"text": SECRET})
        assert note.json()["id"] == 1
        mage = {"name": "Brak", "class": "Warrior", "spec": "Arms"}
        character = await ann.post("/api/raids/characters", json=mage)
        conversation = await ann.post("/conversations", json={"title": SECRET})
    made.owned["collection_id"] = collection.json()["id"]
    made.owned["character_id"] = character.json()["id"]
    made.owned["conversation_id"] = conversation.json()["id"]
    made.owned["code"], made.owned["player"] = await put_night(RaidStore(store), "ann"), "Brak"
    job = await served.runtime.jobs.submit("count", user="ann")
    await until(lambda: job_is_over(store, job.id), "the job's end")
    made.owned.update(
        turn_id=done["turn_id"], session_id=done["session_id"], job_id=job.id, upload_id=upload.json()["id"]
    )
    made.owned["document_id"] = document
    made.owned["sha256"] = hashlib.sha256(png()).hexdigest()
    made.owned["schedule_id"] = schedule.json()["id"]
    made.owned["paused"] = paused["turn_id"]
    events = await store.turns.read(paused["turn_id"])
    asked = [event for event in events if isinstance(event, ApprovalRequested)]
    made.owned["confirm_id"] = f"{paused['turn_id']}.{asked[0].seq}"
    return made


async def until_status(client, turn_id, status):
    async def has():
        return (await client.get(f"/api/turns/{turn_id}")).json()["status"] == status

    await until(has, f"a turn that is {status}")


async def read_in(client, upload_id):
    """The id of a document made of that upload."""
    job = (await client.post("/api/knowledge", json={"upload_id": upload_id})).json()

    async def over():
        return (await client.get(f"/api/jobs/{job['id']}")).json()["status"] == "completed"

    await until(over, "a document that was read")
    (document,) = (await client.get("/api/knowledge")).json()["documents"]
    return document["id"]


async def job_is_over(store, job_id):
    return (await store.jobs.get(job_id)).status == "completed"


class Asked(NamedTuple):
    """A request that fits an operation of the document, with ids of the first user wherever one can be given."""

    method: str
    path: str
    url: str
    options: dict
    names_others: bool

    @property
    def path_names_others(self):
        return "{" in self.path


DOCUMENTS = {}


def requests_of(app, owned):
    """One for every operation; what deletes comes last, and everything of a user at the very end."""
    # It takes a second to make, and servers with the same routes have the same.
    document = DOCUMENTS.get(len(app.routes)) or DOCUMENTS.setdefault(len(app.routes), app.openapi())
    found = [
        asked_of(document, method, path, operation, owned)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]

    def late(asked):
        deletes = asked.method == "delete"
        # What belongs to a session goes before the session does.
        return deletes, asked.path == "/api/me", (-asked.path.count("{"), -asked.path.count("/")) if deletes else (0, 0)

    return sorted(found, key=late)


def asked_of(document, method, path, operation, owned):
    places = {"path": {}, "query": {}, "header": {}}
    for parameter in operation.get("parameters", ()):
        name = parameter["name"]
        value = example(document, parameter["schema"], name, owned)
        if parameter["required"] or name.replace("-", "_").removeprefix("x_") in owned:
            places[parameter["in"]][name] = value
    url, options = path.format(**places["path"]), {"params": places["query"], "headers": places["header"]}
    given = str([url, places])
    if "requestBody" in operation:
        (kind, content), *_ = operation["requestBody"]["content"].items()
        if kind == "application/json":
            options["json"] = example(document, content["schema"], "", owned)
            given += str(options["json"])
        else:
            options["content"] = b"some bytes"
    return Asked(method, path, url, options, any(ident in given for ident in owned.values()))


def example(document, schema, name, owned):
    """The smallest value that fits; ids wherever the first user has one of that name."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return example(document, schema["anyOf"][0], name, owned)
    if schema["type"] == "object":
        wanted = [
            *schema.get("required", ()),
            *(field for field in schema.get("properties", ()) if id_of(field, owned)),
        ]
        wanted += [
            field for field in ("messages", "content", "assistant", "question") if field in schema.get("properties", ())
        ]
        return {field: example(document, schema["properties"][field], field, owned) for field in dict.fromkeys(wanted)}
    if schema["type"] == "array":
        return [example(document, schema["items"], name, owned)]
    if schema["type"] != "string":
        return False if schema["type"] == "boolean" else schema.get("minimum", 1)
    if found := id_of(name, owned):
        return found
    if name.endswith("_id") and name not in ("call_id", "user_id"):
        raise AssertionError(f"Nobody here owns a {name!r}: make one in `household`, so that others can be refused it.")
    if schema.get("pattern", "").endswith("{64}$"):
        return "0" * 64
    return schema.get("enum", [TEXTS.get(name, "text")])[0]


def id_of(name, owned):
    """What the first user owns under that name; the dialects have others for a session."""
    return owned.get({"thread_id": "session_id", "x-session-id": "session_id"}.get(name, name))


async def send(client, asked):
    return await client.request(asked.method, asked.url, **asked.options)


async def test_nobody_gets_an_answer_where_nobody_is_named(household):
    async with household.client("nobody") as nobody:
        for asked in requests_of(household.app, household.owned):
            answer = await send(nobody, asked)
            expected = 200 if asked.path in OPEN else 404 if asked.path == SHARED else 401
            assert answer.status_code == expected, (asked, answer.text)
            assert SECRET not in answer.text


async def test_another_users_ids_are_not_there_and_nothing_of_theirs_is_told(household):
    refused = set()
    async with household.client("bob") as bob:
        for asked in requests_of(household.app, household.owned):
            answer = await send(bob, asked)
            assert SECRET not in answer.text, (asked, answer.text)
            if asked.names_others:
                refused.add(asked.path)
                assert answer.status_code in (401, 403, 404), (asked, answer.text)
            else:
                assert answer.status_code < 500, (asked, answer.text)
    streams = {path for path in refused if path.endswith(("/events", "/stream"))}
    assert {"/api/turns/{turn_id}/events", "/api/jobs/{job_id}/events", "/api/agent/stream"} <= streams
    async with household.client("ann") as ann:
        assert (await ann.get(f"/api/turns/{household.owned['turn_id']}")).status_code == 200
        assert len((await ann.get("/api/uploads")).json()) == 1


async def test_a_turn_that_waits_for_its_owner_waits_for_nobody_else(household):
    owned = {**household.owned, "turn_id": household.owned["paused"]}
    async with household.client("bob") as bob:
        for asked in requests_of(household.app, owned):
            if "{turn_id}" in asked.path:
                wanted = 401 if asked.path.startswith("/admin") else 404
                assert (await send(bob, asked)).status_code == wanted, asked
    async with household.client("ann") as ann:
        assert (await ann.get(f"/api/turns/{owned['turn_id']}")).json()["status"] == "paused"


async def test_a_session_with_a_turn_under_way_is_not_there_for_others_either(household):
    async with household.client("ann") as ann, household.client("bob") as bob:
        session = (await ann.get(f"/api/turns/{household.owned['paused']}")).json()["session_id"]
        for supersedes in (False, True):
            asked = {"question": "Mine?", "session_id": session, "supersedes": supersedes}
            answer = await bob.post("/api/turns", json=asked)
            assert answer.status_code == 404
            assert household.owned["paused"] not in answer.text
        assert (await ann.get(f"/api/turns/{household.owned['paused']}")).json()["status"] == "paused"


async def test_the_owner_is_let_in_wherever_others_are_not(household):
    async with household.client("ann") as ann:
        for asked in requests_of(household.app, household.owned):
            answer = await send(ann, asked)
            operators = asked.path.startswith("/admin") or asked.path in OPERATORS
            signs_in = asked.path.startswith("/api/sign-in") or asked.path == SHARED
            if asked.method == "delete" and asked.path.startswith(CODE):
                # The session was deleted before by its own route, and there is no index.
                continue
            assert (answer.status_code in (401, 403, 404)) == (operators or signs_in), (asked, answer.text)
            assert answer.status_code < 500, (asked, answer.text)


async def test_the_operator_is_let_in_everywhere_but_where_they_are_a_user_like_others(household):
    async with household.client("admin") as admin:
        for asked in requests_of(household.app, household.owned):
            if asked.method == "delete" or asked.path in UNKNOWN:
                continue
            answer = await send(admin, asked)
            as_user = asked.names_others and (
                asked.path in FILES or (asked.method, asked.path) in FILES or not asked.path_names_others
            )
            as_user = as_user and not asked.path.startswith("/admin")
            assert (answer.status_code in (401, 403, 404)) == as_user, (asked, answer.text)
            assert answer.status_code < 500, (asked, answer.text)


def everything_stored(folder):
    """All rows of the database but when a key and a sign-in were last used, and all uploads."""
    with closing(sqlite3.connect(folder / "glassloop.db")) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in names if name not in TOUCHED}
    return rows, set((folder / "uploads").rglob("*"))


def plain_routes(app, owned):
    """Those that the document leaves out: pages and files of the page."""
    for route in app.routes:
        if isinstance(route, Route) and "GET" in (route.methods or ()) and not getattr(route, "include_in_schema", 0):
            yield re.sub(r"\{[^}]*\}", owned["session_id"], route.path)


@pytest.mark.parametrize("secret", ["ann", "admin"])
async def test_a_cookie_alone_starts_and_changes_nothing_by_any_get(household, tmp_path, secret):
    given = TOKEN if secret == "admin" else household.roles["ann"]["authorization"].removeprefix("Bearer ")
    # Over plain http a browser does not say which page had it send a GET.
    async with client_of(household.app, url="http://chat.example:8000") as browser:
        signed = await browser.post("/api/sign-in", json={"key": given}, headers={"origin": "http://chat.example:8000"})
        assert signed.status_code == 200, signed.text
        before = everything_stored(tmp_path)
        gets = [asked for asked in requests_of(household.app, household.owned) if asked.method == "get"]
        for asked in gets:
            answer = await send(browser, asked)
            assert everything_stored(tmp_path) == before, (asked, answer.text)
        for url in plain_routes(household.app, household.owned):
            await browser.get(url)
            assert everything_stored(tmp_path) == before, url
        refused = await browser.get("/api/agent/stream", params={"query": "What?"})
        assert refused.status_code == 403
        assert "x-requested-with" in refused.json()["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://chat.example:8000"},
        {"sec-fetch-site": "same-origin"},
        {"x-requested-with": "a program"},
    ],
    ids=lambda headers: next(iter(headers)),
)
async def test_a_cookie_with_what_no_other_page_can_send_may_ask_by_get(household, headers):
    key = household.roles["ann"]["authorization"].removeprefix("Bearer ")
    async with client_of(household.app, url="http://chat.example:8000") as browser:
        await browser.post("/api/sign-in", json={"key": key}, headers={"origin": "http://chat.example:8000"})
        answer = await browser.get("/api/agent/stream", params={"query": "What?"}, headers=headers)
        assert answer.status_code == 200, answer.text
        assert "event: response" in answer.text


async def test_a_key_in_a_header_asks_by_get_from_anywhere(household):
    async with household.client("ann") as ann:
        answer = await ann.get(
            "/api/agent/stream", params={"query": "What?"}, headers={"origin": "http://evil.example"}
        )
        assert "event: response" in answer.text


async def test_a_user_whose_key_is_revoked_is_nobody_from_then_on(household):
    async with household.client("ann") as ann:
        store = household.app.state.runtime.store
        (key,) = await store.keys.list(user="ann")
        await store.keys.revoke(key.id)
        for asked in requests_of(household.app, household.owned):
            if asked.path not in OPEN:
                assert (await send(ann, asked)).status_code == 401, asked


async def test_a_wrong_admin_token_opens_nothing_even_with_a_key_that_works(household):
    async with household.client("ann") as ann:
        answer = await ann.get("/admin/sessions", headers={"admin-token": "not it"})
        assert answer.status_code == 401
        assert "admin-token" in answer.json()["error"]
