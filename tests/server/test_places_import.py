"""Imports of places over HTTP: one's own data, and nobody else's."""

import pytest

from extensions.places.import_files import PLACES, VISITS
from waiting import until

ANN, BEN = {"x-user-id": "ann"}, {"x-user-id": "ben"}


@pytest.fixture
async def served(serve, settings):
    return await serve(settings(request_rate=0))


async def send(client, text: str, name: str, **options):
    upload = await client.post(
        "/api/uploads", params={"name": name, "purpose": "places"}, content=text.encode(), headers=ANN
    )
    told = await client.post("/api/places/imports", json={"upload_id": upload.json()["id"], **options}, headers=ANN)
    assert told.status_code == 202, told.text
    job = f"/api/jobs/{told.json()['id']}"

    async def over():
        found = (await client.get(job, headers=ANN)).json()
        return found if found["status"] in ("completed", "failed") else None

    return await until(over), upload.json()["id"]


@pytest.mark.slow
async def test_an_upload_becomes_ones_own_data_and_is_gone_afterwards(served):
    client = served.client
    done, upload = await send(client, PLACES, "places.csv")
    assert (done["result"]["taken"], done["result"]["file"]) == (3, "places.csv")
    assert (await client.get("/api/uploads", headers=ANN)).json() == []
    done, _ = await send(client, VISITS, "visits.csv")
    assert done["result"]["read"] == 4
    shown = (await client.get("/api/places/data-set", headers=ANN)).json()
    assert (shown["own"], shown["sample"], shown["first_day"]) == (True, False, "2026-01-30")
    assert [each["file"] for each in shown["imports"]] == ["visits.csv", "places.csv"]
    done, _ = await send(client, PLACES.replace("p1", "q1"), "anew.csv", replace=True)
    assert done["status"] == "completed"
    shown = (await client.get("/api/places/data-set", headers=ANN)).json()
    assert [each["file"] for each in shown["imports"]] == ["anew.csv"]
    assert "poi_visits_daily" in shown["missing"]
    failed, _ = await send(client, "a,b\n1,2\n", "bad.csv")
    assert failed["status"] == "failed"
    assert "needs the columns" in failed["error"]
    assert (await client.get("/api/places/data-set", headers=ANN)).json()["id"] == shown["id"]
    others = await client.post("/api/places/imports", json={"upload_id": upload}, headers=BEN)
    assert others.status_code == 404
    assert (await client.get("/api/places/data-set", headers=BEN)).json() is None
    assert (await client.delete("/api/places/data-set", headers=BEN)).json() == {"done": False}
    assert (await client.delete("/api/places/data-set", headers=ANN)).json() == {"done": True}
    assert (await client.get("/api/places/data-set", headers=ANN)).json() is None
