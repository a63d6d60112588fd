"""The knowledge base over HTTP: what one user brings in, that user finds, and nobody else."""

import pytest

from server.authenticated import TOKEN
from waiting import until

ANN, BEN = {"x-user-id": "ann"}, {"x-user-id": "ben"}
OPERATOR = {"admin-token": TOKEN}
TEXT = b"# Purchasing\n\nOrders above 5,000 EUR need two signatures of the heron department.\n"


@pytest.fixture
async def served(serve, settings):
    return await serve(settings(request_rate=0, admin_token=TOKEN, embedder="none"))


async def bring(served, headers=ANN, name="rules.md", content=TEXT, **body):
    """Uploads a file and has it read; the job at its end."""
    made = await served.client.post("/api/uploads", params={"name": name}, content=content, headers=headers)
    told = await served.client.post("/api/knowledge", json={"upload_id": made.json()["id"], **body}, headers=headers)
    assert told.status_code == 202, told.text

    async def over():
        job = (await served.client.get(f"/api/jobs/{told.json()['id']}", headers=headers)).json()
        return job if job["status"] in ("completed", "failed", "cancelled") else None

    return await until(over, "the end of the import")


async def listed(served, headers=ANN, **params):
    return (await served.client.get("/api/knowledge", params=params, headers=headers)).json()


async def found(served, query="heron", headers=ANN, **params):
    answer = await served.client.get("/api/knowledge/search", params={"query": query, **params}, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_an_upload_that_was_read_is_listed_and_found_with_its_place(served):
    job = await bring(served, domain="Procurement")
    assert (job["status"], job["result"]["added"], job["result"]["failed"]) == ("completed", 1, 0)
    page = await listed(served)
    (document,) = page["documents"]
    assert (document["name"], document["domain"], document["shared"]) == ("rules.md", "procurement", False)
    assert (page["total"], page["domains"]) == (1, ["procurement"])
    (passage,) = await found(served, "two signatures")
    assert (passage["document"], passage["place"], passage["why"]) == ("rules.md", "line 3", "lexical")
    assert passage["headings"] == ["Purchasing"]
    assert passage["relevance"] > 0.5


async def test_what_is_one_users_is_not_there_for_another(served):
    await bring(served)
    (document,) = (await listed(served))["documents"]
    assert await listed(served, BEN) == {"documents": [], "total": 0, "domains": []}
    assert await found(served, headers=BEN) == []
    gone = await served.client.delete(f"/api/knowledge/{document['id']}", headers=BEN)
    assert gone.status_code == 404
    assert len(await found(served)) == 1


async def test_a_removed_document_is_gone_and_a_second_time_not_there(served):
    await bring(served)
    (document,) = (await listed(served))["documents"]
    path = f"/api/knowledge/{document['id']}"
    assert (await served.client.delete(path, headers=ANN)).json() == {"done": True}
    assert (await served.client.delete(path, headers=ANN)).status_code == 404
    assert await found(served) == []


async def test_what_the_operator_shares_everybody_finds_and_only_the_operator_removes(served):
    await bring(served, OPERATOR, shared=True)
    (document,) = (await listed(served, BEN))["documents"]
    assert document["shared"]
    assert len(await found(served, headers=BEN)) == 1
    path = f"/api/knowledge/{document['id']}"
    assert (await served.client.delete(path, headers=BEN)).status_code == 403
    assert (await served.client.delete(path, headers=OPERATOR)).status_code == 200
    assert await found(served, headers=BEN) == []


async def test_nobody_but_the_operator_shares_and_nobody_takes_anothers_upload(served):
    made = await served.client.post("/api/uploads", params={"name": "a.md"}, content=TEXT, headers=ANN)
    upload = made.json()["id"]
    shared = await served.client.post("/api/knowledge", json={"upload_id": upload, "shared": True}, headers=ANN)
    assert shared.status_code == 403
    taken = await served.client.post("/api/knowledge", json={"upload_id": upload}, headers=BEN)
    assert taken.status_code == 404


async def test_a_file_that_cannot_be_read_is_told_by_its_job(served):
    job = await bring(served, name="photo.txt", content=bytes(range(256)) * 20)
    assert job["status"] == "completed"
    assert job["result"]["failed"] == 1
    assert "is not text" in job["result"]["problems"][0]["reason"]
    assert await listed(served) == {"documents": [], "total": 0, "domains": []}


async def test_documents_beyond_the_users_room_are_refused_by_the_job(serve, settings):
    served = await serve(settings(request_rate=0, upload_quota=150, embedder="none"))
    assert (await bring(served))["status"] == "completed"
    (upload,) = (await served.client.get("/api/uploads", headers=ANN)).json()
    await served.client.delete(f"/api/uploads/{upload['id']}", headers=ANN)
    job = await bring(served, name="more.md", content=TEXT + b"x" * 20)
    assert job["status"] == "failed"
    assert "150 are kept: remove some first" in job["error"]


@pytest.mark.parametrize("params", [{"domain": "no/such"}, {"query": "x", "domain": "a b/c"}])
async def test_a_domain_that_cannot_be_one_is_refused(served, params):
    path = "/api/knowledge/search" if "query" in params else "/api/knowledge"
    answer = await served.client.get(path, params=params, headers=ANN)
    assert answer.status_code == 400
    assert "cannot name a domain" in answer.json()["error"]


async def test_who_deletes_all_of_theirs_leaves_no_document(served):
    await bring(served)
    await bring(served, BEN)
    await served.client.delete("/api/me", headers=ANN)
    assert (await listed(served))["total"] == 0
    assert (await listed(served, BEN))["total"] == 1


async def test_pages_of_the_list_follow_one_another(served):
    for number in range(3):
        await bring(served, name=f"{number}.md")
    pages = [await listed(served, limit=2, offset=offset) for offset in (0, 2)]
    assert [[each["name"] for each in page["documents"]] for page in pages] == [["0.md", "1.md"], ["2.md"]]
    assert [page["total"] for page in pages] == [3, 3]
