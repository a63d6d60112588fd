"""Uploads: kept whole, by their user only, under a harmless name, within limits, and gone when they should be."""

import asyncio
import json
import os
import socket
import stat
import time
import urllib.parse

import msgspec
import pytest

from glassloop.cli.main import run
from glassloop.runtime.file_name import clean_name
from glassloop.runtime.settings import Settings
from glassloop.runtime.uploads import Uploads
from glassloop.server.lifecycle import open_serving
from waiting import until

WAIT_S = 60.0
ANN, BEN = {"x-user-id": "ann"}, {"x-user-id": "ben"}


async def put(served, content=b"some bytes", name="notes.txt", headers=ANN):
    return await served.client.post("/api/uploads", params={"name": name}, content=content, headers=headers)


async def held(served, headers=ANN):
    return (await served.client.get("/api/uploads", headers=headers)).json()


def files(served):
    return sorted(path for path in (served.settings.home_path / "uploads").rglob("*") if path.is_file())


async def test_a_file_comes_back_byte_for_byte_to_be_saved_and_not_shown(serve):
    served = await serve()
    content = os.urandom(3_000_000)
    made = await put(served, content, "Grüße 2026.html")
    assert made.status_code == 201
    assert made.json()["size"] == len(content)
    assert await held(served) == [made.json()]
    back = await served.client.get(f"/api/uploads/{made.json()['id']}", headers=ANN)
    assert back.content == content
    assert back.headers["content-type"] == "application/octet-stream"
    assert back.headers["x-content-type-options"] == "nosniff"
    assert back.headers["content-security-policy"] == "default-src 'none'; sandbox"
    kind, _, name = back.headers["content-disposition"].partition("; filename*=UTF-8''")
    assert kind == "attachment"
    assert urllib.parse.unquote(name) == "Grüße 2026.html"


async def test_another_users_upload_is_not_there(serve):
    served = await serve()
    upload_id = (await put(served)).json()["id"]
    assert await held(served, BEN) == []
    assert (await served.client.get(f"/api/uploads/{upload_id}", headers=BEN)).status_code == 404
    assert (await served.client.delete(f"/api/uploads/{upload_id}", headers=BEN)).status_code == 404
    assert (await served.client.get(f"/api/uploads/{upload_id}", headers=ANN)).status_code == 200


async def test_a_deleted_upload_leaves_nothing(serve):
    served = await serve()
    upload_id = (await put(served)).json()["id"]
    gone = await served.client.delete(f"/api/uploads/{upload_id}", headers=ANN)
    assert (gone.status_code, gone.json()) == (200, {"done": True})
    assert (await served.client.get(f"/api/uploads/{upload_id}", headers=ANN)).status_code == 404
    assert files(served) == []


async def test_whoever_has_everything_deleted_loses_uploads_too_and_nobody_else_does(serve):
    served = await serve()
    await put(served)
    await put(served, headers=BEN)
    assert (await served.client.delete("/api/me", headers=ANN)).json() == {"done": True}
    assert await held(served) == []
    assert len(await held(served, BEN)) == 1
    assert (await served.client.delete("/api/me", headers=ANN)).json() == {"done": False}


def test_deleting_a_user_on_the_command_line_deletes_uploads_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLASSLOOP_HOME", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    uploads = Uploads(Settings(home=str(tmp_path)))

    async def pieces():
        yield b"some bytes"

    asyncio.run(uploads.save("ann", "notes.txt", pieces()))
    assert run(["sessions", "delete", "--user", "ann", "--yes"]) == 0
    assert "1 upload" in capsys.readouterr().out
    assert asyncio.run(uploads.list("ann")) == []
    assert run(["sessions", "delete", "--user", "ann", "--yes"]) == 2


async def test_files_and_folders_are_their_owners_only_and_no_path_has_a_name_that_was_given(serve):
    served = await serve()
    await put(served, name="../../../evil.sh")
    for path in files(served):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert "evil" not in str(path)
        assert "ann" not in path.parent.name
    assert (await held(served))[0]["name"] == "evil.sh"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("C:\\Users\\ann\\report.pdf", "report.pdf"),
        ("a/b/", "upload"),
        ("..", "upload"),
        (".bashrc", "bashrc"),
        ('x"; filename="y.exe', "x__ filename=_y.exe"),
        ("a\r\nb\x00c", "a__b_c"),
        ("invoice\u202egpj.exe", "invoice_gpj.exe"),
        ("n" * 400 + ".txt", "n" * 146 + ".txt"),
        ("Ünïcode 日本.csv", "Ünïcode 日本.csv"),
    ],
)
def test_a_name_is_made_harmless(given, kept):
    assert clean_name(given) == kept


async def test_what_is_too_large_is_refused_before_and_while_it_arrives(serve, settings):
    served = await serve(settings(upload_limit=100_000))

    async def pieces():
        for _ in range(20):
            yield b"x" * 10_000

    assert (await put(served, b"x" * 100_001)).status_code == 413
    assert (await put(served, pieces())).status_code == 413
    assert files(served) == []
    assert (await put(served, b"x" * 100_000)).status_code == 201


async def test_a_full_quota_refuses_and_a_deletion_makes_room(serve, settings):
    served = await serve(settings(upload_quota=25_000))
    first = (await put(served, b"x" * 20_000)).json()["id"]
    refused = await put(served, b"x" * 6_000)
    assert refused.status_code == 413
    assert "delete some first" in refused.json()["error"]
    assert (await put(served, b"x" * 6_000, headers=BEN)).status_code == 201
    await served.client.delete(f"/api/uploads/{first}", headers=ANN)
    assert (await put(served, b"x" * 6_000)).status_code == 201


async def test_two_that_arrive_at_once_do_not_share_the_last_room(serve, settings):
    served = await serve(settings(upload_quota=25_000))
    statuses = [answer.status_code for answer in await asyncio.gather(*(put(served, b"x" * 10_000) for _ in range(4)))]
    assert sorted(statuses) == [201, 201, 413, 413]
    assert sum(upload["size"] for upload in await held(served)) == 20_000


async def test_a_fifth_at_once_waits_its_turn(serve):
    served = await serve()
    begun, go_on = asyncio.Semaphore(0), asyncio.Event()

    async def slow():
        yield b"begun"
        begun.release()
        await go_on.wait()
        yield b"ended"

    arriving = [asyncio.ensure_future(put(served, slow())) for _ in range(4)]
    for _ in arriving:
        await asyncio.wait_for(begun.acquire(), WAIT_S)
    await until(lambda: len(files(served)) == 4)
    refused = await put(served)
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "1"
    assert (await put(served, headers=BEN)).status_code == 201
    go_on.set()
    assert [answer.status_code for answer in await asyncio.gather(*arriving)] == [201] * 4


async def test_nothing_is_kept_of_an_upload_that_breaks_off(serve):
    served = await serve()
    host, port = served.url.removeprefix("http://").split(":")
    head = f"POST /api/uploads?name=half HTTP/1.1\r\nhost: {host}\r\ncontent-length: 5000000\r\n\r\n"
    with socket.create_connection((host, int(port))) as connection:
        await asyncio.to_thread(connection.sendall, head.encode() + b"x" * 100_000)
        await until(lambda: files(served))
    await until(lambda: not files(served))
    assert await held(served) == []
    assert (await put(served)).status_code == 201


async def test_what_a_crash_left_behind_is_removed_when_it_is_old(serve):
    served = await serve()
    whole = (await put(served)).json()["id"]
    folder = files(served)[0].parent
    old = time.time() - 2 * 86_400
    for name in ("a.part", "b.part.json", "0199c0de-0000-7000-8000-000000000001"):
        (folder / name).write_bytes(b"left")
        os.utime(folder / name, (old, old))
    (folder / "new.part").write_bytes(b"arriving")
    for name in (whole, f"{whole}.json"):
        os.utime(folder / name, (old, old))
    await put(served)
    names = {path.name for path in files(served)}
    assert {whole, f"{whole}.json", "new.part"} <= names
    assert len(names) == 5


async def test_what_is_older_than_the_retention_is_deleted_and_nothing_else(serve):
    served = await serve()
    old, young = (await put(served)).json(), (await put(served, headers=BEN)).json()
    folder = next(path.parent for path in files(served) if path.name == old["id"])
    described = folder / f"{old['id']}.json"
    described.write_text(json.dumps({**old, "created_at": time.time() - 31 * 86_400}))
    (folder / "left.part").write_bytes(b"left")
    os.utime(folder / "left.part", (0, 0))
    keeping = asyncio.create_task(served.app.state.uploads.keep_young(30 * 86_400))
    await until(lambda: len(files(served)) == 2, "the end of the old one")
    keeping.cancel()
    assert await held(served) == []
    assert await held(served, BEN) == [young]


async def test_a_server_with_a_retention_deletes_old_uploads_by_itself(settings):
    given = settings(retention_days=1.0)
    uploads = Uploads(given)
    made = await uploads.save("ann", "a.txt", pieces(b"a"))
    _, path = await uploads.get("ann", made.id)
    path.with_suffix(".json").write_text(json.dumps({**msgspec.to_builtins(made), "created_at": 1.0}))
    async with open_serving(given, "127.0.0.1", 0):
        await until(lambda: not path.exists(), "the end of the upload")


async def pieces(*given):
    for piece in given:
        yield piece


async def test_an_empty_upload_and_one_without_a_name_are_refused(serve):
    served = await serve()
    empty = await put(served, b"")
    assert empty.status_code == 400
    assert "is empty" in empty.json()["error"]
    assert (await served.client.post("/api/uploads", content=b"x", headers=ANN)).status_code == 422
    assert files(served) == []


@pytest.mark.parametrize("upload_id", ["..", "%2e%2e", "0199c0de", "a.json", "..%2f..%2fglassloop.db"])
async def test_an_id_that_is_none_leads_nowhere(serve, upload_id):
    served = await serve()
    await put(served)
    for answer in (
        await served.client.get(f"/api/uploads/{upload_id}", headers=ANN),
        await served.client.delete(f"/api/uploads/{upload_id}", headers=ANN),
    ):
        assert answer.status_code in (404, 405, 422)
    assert len(await held(served)) == 1


async def test_a_disk_that_cannot_be_written_is_told_and_nothing_breaks(serve):
    served = await serve()
    (served.settings.home_path / "uploads").write_text("a file where the folder should be")
    refused = await put(served)
    assert refused.status_code == 503
    assert "Uploads cannot be stored right now" in refused.json()["error"]
