"""Collections over HTTP: made, filled, shared with a group or everyone, searched by who may read them, removed."""

import pytest

from glassloop.runtime.settings import Settings
from server.authenticated import TOKEN
from waiting import until

ANN, BEN, EVE = ({"x-user-id": name} for name in ("ann", "ben", "eve"))
SECRET = {"x-proxy-secret": "s" * 32}
OPERATOR = {"admin-token": TOKEN, "x-user-id": "olga"}
TEXT = b"# Leave\n\nEverybody has 27 days of leave a year, by the heron rules.\n"


@pytest.fixture(params=["sqlite", "postgres"])
async def served(request, serve, tmp_path):
    url = request.getfixturevalue("postgres_tables") if request.param == "postgres" else None
    settings = Settings(
        home=str(tmp_path), auth="proxy", proxy_secret="s" * 32, request_rate=0, admin_token=TOKEN, embedder="none",
        database_url=url, upload_quota=1_000,
    )  # fmt: skip
    return await serve(settings, headers=SECRET)


async def made(served, name="handbook", headers=ANN, **body):
    answer = await served.client.post("/api/collections", json={"name": name, **body}, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def added(served, collection, headers=ANN, name="leave.md", content=TEXT):
    """The job that read a file into a collection, at its end."""
    upload = await served.client.post("/api/uploads", params={"name": name}, content=content, headers=headers)
    path = f"/api/collections/{collection['id']}/files"
    told = await served.client.post(path, json={"upload_id": upload.json()["id"]}, headers=headers)
    assert told.status_code == 202, told.text

    async def over():
        job = (await served.client.get(f"/api/jobs/{told.json()['id']}", headers=headers)).json()
        return job if job["status"] in ("completed", "failed", "cancelled") else None

    ended = await until(over, "the end of the import")
    await served.client.delete(f"/api/uploads/{upload.json()['id']}", headers=headers)
    return ended


async def listed(served, headers=ANN):
    return (await served.client.get("/api/collections", headers=headers)).json()["collections"]


async def found(served, collection, headers=ANN, query="leave"):
    path = f"/api/collections/{collection['id']}/search"
    answer = await served.client.get(path, params={"query": query}, headers=headers)
    return [each["document"] for each in answer.json()] if answer.status_code == 200 else answer.status_code


async def test_a_file_is_read_listed_with_who_added_it_found_and_removed(served):
    made_one = await made(served, "Staff Handbook", description="Rules")
    assert (made_one["name"], made_one["readers"], made_one["mine"]) == ("staff-handbook", "owner", True)
    job = await added(served, made_one)
    assert (job["status"], job["result"]["passages"]) == ("completed", 1)
    page = (await served.client.get(f"/api/collections/{made_one['id']}/files", headers=ANN)).json()
    (file,) = page["files"]
    assert (file["name"], file["size"], file["passages"], file["added_by"]) == ("leave.md", len(TEXT), 1, "ann")
    assert (page["total"], file["added_at"] > 0) == (1, True)
    (view,) = await listed(served)
    assert (view["files"], view["size"], view["passages"]) == (1, len(TEXT), 1)
    assert await found(served, made_one) == ["leave.md"]
    # It is no document of the knowledge base that all searches see.
    assert (await served.client.get("/api/knowledge", headers=ANN)).json()["total"] == 0
    path = f"/api/collections/{made_one['id']}/files/leave.md"
    assert (await served.client.delete(path, headers=ANN)).json() == {"done": True}
    assert (await served.client.delete(path, headers=ANN)).json() == {"done": False}
    assert await found(served, made_one) == []


async def test_who_may_read_is_the_owner_a_group_or_everyone_and_only_the_owner_changes(served):
    collection = await made(served)
    await added(served, collection)
    path = f"/api/collections/{collection['id']}"
    assert (await listed(served, BEN), await found(served, collection, BEN)) == ([], 404)
    assert (await served.client.patch(path, json={"readers": "group:hr"}, headers=ANN)).status_code == 403
    for user in ("ann", "ben"):
        await served.runtime.store.access.set_groups(user, ["hr"])
    assert (await served.client.patch(path, json={"readers": "group:hr"}, headers=ANN)).status_code == 200
    (view,) = await listed(served, BEN)
    assert (view["mine"], view["readers"], view["owner"]) == (False, "group:hr", "ann")
    page = (await served.client.get("/api/collections", headers=BEN)).json()
    assert page["readers"] == ["owner", "group:hr"]
    assert (await found(served, collection, BEN), await found(served, collection, EVE)) == (["leave.md"], 404)
    for method, body in (("PATCH", {"readers": "owner"}), ("DELETE", None)):
        answer = await served.client.request(method, path, json=body, headers=BEN)
        assert (answer.status_code, "ann" in answer.json()["error"]) == (403, True)
    upload = await served.client.post("/api/uploads", params={"name": "x.md"}, content=TEXT, headers=BEN)
    body = {"upload_id": upload.json()["id"]}
    assert (await served.client.post(f"{path}/files", json=body, headers=BEN)).status_code == 403
    assert (await served.client.patch(path, json={"readers": "everyone"}, headers=ANN)).status_code == 403
    assert (await served.client.patch(path, json={"readers": "everyone"}, headers=OPERATOR)).status_code == 200
    assert await found(served, collection, EVE) == ["leave.md"]
    assert (await served.client.patch(path, json={"assistants": ["general"]}, headers=EVE)).status_code == 200
    assert [(await listed(served, who))[0]["assistants"] for who in (EVE, ANN)] == [["general"], []]


async def test_a_removed_collection_and_all_of_a_deleted_user_leave_nothing(served):
    first, second = await made(served), await made(served, "rules")
    await added(served, first)
    await added(served, second)
    assert (await served.client.delete(f"/api/collections/{first['id']}", headers=ANN)).json() == {"done": True}
    assert await found(served, first) == 404
    assert [each["name"] for each in await listed(served)] == ["rules"]
    await served.client.delete("/api/me", headers=ANN)
    assert await listed(served) == []
    base = served.runtime.knowledge.base()
    assert [await base.of_owner(f"\x1fcollection {each['id']}") for each in (first, second)] == [[], []]


async def test_what_cannot_be_is_refused_with_the_remedy(served):
    collection = await made(served)
    again = await served.client.post("/api/collections", json={"name": "HANDBOOK"}, headers=ANN)
    assert (again.status_code, "choose another name" in again.text) == (400, True)
    odd = await served.client.post("/api/collections", json={"name": "a/b"}, headers=ANN)
    assert (odd.status_code, "letters, digits" in odd.text) == (400, True)
    readers = await served.client.post("/api/collections", json={"name": "x", "readers": "all"}, headers=ANN)
    assert (readers.status_code, "group:NAME" in readers.text) == (400, True)
    job = await added(served, collection, name="photo.txt", content=bytes(range(256)))
    assert (job["status"], "is not text" in job["error"]) == ("failed", True)
    other = await made(served, "other")
    await added(served, other, content=b"heron " * 100)
    job = await added(served, collection, content=b"stork " * 100)
    assert (job["status"], "1,000 are kept: remove some first" in job["error"]) == ("failed", True)
