"""Raids over HTTP: reports that one sees, and nobody else's."""

import signal

import httpx
import msgspec
import pytest

from extensions.raids.small_night import make_fight, put
from glassloop.extensions.raids import RaidsSettings
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY
from glassloop.extensions.raids.records import Blow, Death
from glassloop.extensions.raids.sample.raid import make_raid
from glassloop.extensions.raids.storage.changes import PARTS
from glassloop.extensions.raids.storage.reports import RaidStore
from server.authenticated import TOKEN
from server.process import Process
from waiting import until

ANN, BEN = {"x-user-id": "ann"}, {"x-user-id": "ben"}
OPERATOR = {"admin-token": TOKEN}
REPORTS = "/api/raids/reports"


@pytest.fixture
async def served(serve, settings):
    small = RaidsSettings(upload_limit=2_000)
    return await serve(settings(small, request_rate=0, admin_token=TOKEN, upload_limit=1_000, upload_quota=1_500))


@pytest.fixture
async def code(served):
    return await put(RaidStore(served.runtime.store), "ann")


async def test_a_report_and_its_fights_are_shown_with_names(served, code):
    (row,) = (await served.client.get(REPORTS, headers=ANN)).json()
    assert (row["code"], row["fights"], row["kills"], row["own"]) == (code, 2, 1, True)
    report = (await served.client.get(f"{REPORTS}/last", headers=ANN)).json()
    assert [each["name"] for each in report["players"]] == ["Élan", "Brak"]
    assert [each["boss_health"] for each in report["fights"]] == [42.5, 0.0]
    fight = (await served.client.get(f"{REPORTS}/{code}/fights/2", headers=ANN)).json()
    assert [(each["name"], each["spec"], each["dps"]) for each in fight["players"]] == [
        ("Élan", "Fire", 1000.0), ("Brak", "Arms", 500.0),
    ]  # fmt: skip
    assert [each["player"] for each in fight["deaths"]] == ["Brak"]
    assert fight["missing"] == ["no gear: the log has no COMBATANT_INFO"]
    assert (await served.client.get(f"{REPORTS}/{code}/fights/99", headers=ANN)).status_code == 404


async def test_a_player_is_shown_with_abilities_and_a_death_with_the_blows_before_it(served):
    blows = (
        Blow(at=1_000, kind="heal", source=0, spell=0, amount=10),
        Blow(at=14_000, kind="damage", source=2, spell=NO_SPELL, amount=900, health=100, max_health=8_000),
        Blow(at=15_000, kind="damage", source=NOBODY, spell=NO_SPELL, amount=100, overkill=50),
    )
    deadly = msgspec.structs.replace(make_fight(), deaths=(Death(actor=1, at=15_000, blows=blows, cause=2),))
    code = await put(RaidStore(served.runtime.store), "ann", fights=[deadly])
    fight = f"{REPORTS}/{code}/fights/1"
    (death,) = (await served.client.get(fight, headers=ANN)).json()["deaths"]
    assert [(each["at_s"], each["source"], each["health"]) for each in death["blows"]] == [
        (14.0, "Prince Malchezaar", 100), (15.0, "Environment", None),
    ]  # fmt: skip
    shown = (await served.client.get(f"{fight}/players/elan", headers=ANN)).json()
    assert [(each["name"], each["total"], each["share_percent"]) for each in shown["damage"]] == [
        ("Fireball", 60_000, 100.0)
    ]
    assert (await served.client.get(f"{fight}/players/Nobody", headers=ANN)).status_code == 404
    assert (await served.client.get(f"{fight}/players/elan", headers=BEN)).status_code == 404


async def test_another_users_report_is_not_there_until_the_operator_shares_it(served, code):
    assert (await served.client.get(REPORTS, headers=BEN)).json() == []
    for path in (f"{REPORTS}/{code}", f"{REPORTS}/{code}/fights/1", f"{REPORTS}/last"):
        assert (await served.client.get(path, headers=BEN)).status_code == 404
    sharing = f"{REPORTS}/{code}/sharing"
    assert (await served.client.put(sharing, json={"shared": True}, headers=BEN)).status_code == 401
    assert (await served.client.put(sharing, json={"shared": True}, headers=OPERATOR)).status_code == 200
    assert (await served.client.get(f"{REPORTS}/{code}", headers=BEN)).status_code == 200
    assert (await served.client.delete(f"{REPORTS}/{code}", headers=BEN)).status_code == 404
    assert (await served.client.delete(f"{REPORTS}/{code}", headers=ANN)).json() == {"done": True}
    assert (await served.client.get(f"{REPORTS}/{code}", headers=ANN)).status_code == 404


async def test_only_an_operator_imports_references(served):
    made = await served.client.post(
        "/api/uploads", params={"name": "log.txt", "purpose": "raids"}, content=b"x", headers=ANN
    )
    wanted = {"upload_id": made.json()["id"], "reference": True}
    assert (await served.client.post("/api/raids/imports", json=wanted, headers=ANN)).status_code == 403
    others = await served.client.post("/api/raids/imports", json={"upload_id": wanted["upload_id"]}, headers=BEN)
    assert others.status_code == 404


async def test_a_log_may_be_larger_than_other_uploads_and_does_not_count_among_them(served):
    async def send(size, **params):
        sent = await served.client.post(
            "/api/uploads", params={"name": "a", **params}, content=b"x" * size, headers=ANN
        )
        return sent.status_code

    assert await send(1_200) == 413
    assert await send(1_200, purpose="raids") == 201
    assert await send(900) == 201
    assert await send(1_200, purpose="raids") == 413
    assert await send(2_100, purpose="raids") == 413
    assert await send(10, purpose="other") == 400


async def test_characters_are_ones_own_and_of_known_classes(served):
    given = {"name": "Brak", "class": "krieger", "spec": "waffen"}
    made = await served.client.post("/api/raids/characters", json=given, headers=ANN)
    assert (made.json()["class_name"], made.json()["spec"]) == ("Warrior", "Arms")
    wrong = await served.client.post("/api/raids/characters", json={**given, "class": "bard"}, headers=ANN)
    assert wrong.status_code == 400
    assert (await served.client.get("/api/raids/characters", headers=BEN)).json() == []
    path = f"/api/raids/characters/{made.json()['id']}"
    assert (await served.client.delete(path, headers=BEN)).status_code == 404
    assert (await served.client.delete(path, headers=ANN)).status_code == 200


async def test_encounters_are_told_with_their_phases(served):
    found = {each["id"]: each for each in (await served.client.get("/api/raids/encounters", headers=ANN)).json()}
    assert found[662]["name"] == "Nightbane"
    assert any(phase["downtime"] for phase in found[662]["phases"])
    assert not found[660]["ranked"]


@pytest.mark.parametrize("path", ["raids", "raids/abcdefghij", "raids/abcdefghij/3"])
async def test_an_address_typed_without_its_sign_leads_to_the_page(served, path):
    moved = await served.client.get(f"/{path}", follow_redirects=False)
    assert moved.status_code == 307
    assert str(moved.url.join(moved.headers["location"])).endswith(f"/#/{path}")
    assert (await served.client.get("/raids/a%0Ab", follow_redirects=False)).status_code == 404


async def test_nothing_is_left_of_a_user_who_deletes_everything(served, code):
    assert code
    gone = await served.client.delete("/api/me", headers={**ANN, "x-requested-with": "test"})
    assert gone.status_code == 200, gone.text
    for table in (*PARTS, "raids_reports", "raids_characters"):
        count = await served.runtime.store.engine.read(lambda db, table=table: db.run(f"SELECT count(*) FROM {table}"))
        assert count == [(0,)]


def log_of(seed, **options):
    return "".join(f"{line}\n" for line in make_raid(seed, **options).lines()).encode()


async def begin(client, content, headers=ANN, name="WoWCombatLog.txt"):
    """Uploads a log and has it imported; the upload and the job."""
    made = await client.post(
        "/api/uploads", params={"name": name, "purpose": "raids"}, content=content, headers=headers
    )
    told = await client.post("/api/raids/imports", json={"upload_id": made.json()["id"]}, headers=headers)
    assert told.status_code == 202, told.text
    return made.json()["id"], told.json()["id"]


async def ended(client, job_id, headers=ANN):
    async def over():
        job = (await client.get(f"/api/jobs/{job_id}", headers=headers)).json()
        return job if job["status"] in ("completed", "failed", "cancelled") else None

    return await until(over, "the end of the import")


@pytest.mark.slow
async def test_an_upload_is_imported_once_and_then_deleted(serve, settings):
    served = await serve(settings(request_rate=0))
    content = log_of(3, size=5, health=0.02)
    for _ in range(2):
        upload, job_id = await begin(served.client, content)
        job = await ended(served.client, job_id)
        assert (job["status"], job["error"], job["result"]["fights"]) == ("completed", None, 1)
        assert (await served.client.get(f"/api/uploads/{upload}", headers=ANN)).status_code == 404
    (row,) = (await served.client.get(REPORTS, headers=ANN)).json()
    assert (row["lines"], row["name"]) == (content.count(b"\n"), "WoWCombatLog.txt")
    _, job_id = await begin(served.client, b"Dear diary,\nno raid today.\n" * 5)
    job = await ended(served.client, job_id)
    assert job["status"] in ("failed", "completed")
    assert job["error"] or job["result"]["notes"]


@pytest.mark.slow
async def test_a_server_that_is_killed_in_an_import_has_the_whole_report_after_its_next_start(tmp_path, put_store):
    url = f"sqlite:///{put_store(tmp_path / 'log.db')}"
    content = log_of(5, encounters=(649, 650, 651) * 3, size=25, health=0.5)
    server = Process(tmp_path, url)
    try:
        async with httpx.AsyncClient(base_url=server.ready(), timeout=60) as client:
            _, job_id = await begin(client, content)

            async def has_fights():
                job = (await client.get(f"/api/jobs/{job_id}", headers=ANN)).json()
                return job["status"] == "completed" or (job["fraction"] or 0) > 0.2

            await until(has_fights, "the first fights")
        server.stop(signal.SIGKILL)
    finally:
        server.close()
    server = Process(tmp_path, url)
    try:
        async with httpx.AsyncClient(base_url=server.ready(), timeout=60) as client:
            job = await ended(client, job_id)
            assert (job["status"], job["error"], job["result"]["fights"]) == ("completed", None, 9)
            (row,) = (await client.get(REPORTS, headers=ANN)).json()
            assert row["fights"] == 9
    finally:
        server.close()


@pytest.mark.slow
async def test_an_import_that_is_cancelled_over_http_leaves_nothing_but_the_upload(serve, settings):
    served = await serve(settings(request_rate=0))
    upload, job_id = await begin(served.client, log_of(5, encounters=(649, 650, 651) * 3, size=25, health=0.5))

    async def has_fights():
        job = (await served.client.get(f"/api/jobs/{job_id}", headers=ANN)).json()
        return (job["fraction"] or 0) > 0.1

    await until(has_fights, "the first fights")
    await served.client.post(f"/api/jobs/{job_id}/cancel", headers=ANN)
    assert (await ended(served.client, job_id))["status"] == "cancelled"
    for table in (*PARTS, "raids_reports"):
        count = await served.runtime.store.engine.read(lambda db, table=table: db.run(f"SELECT count(*) FROM {table}"))
        assert count == [(0,)]
    again = await served.client.post("/api/raids/imports", json={"upload_id": upload}, headers=ANN)
    assert (await ended(served.client, again.json()["id"]))["result"]["fights"] == 9
