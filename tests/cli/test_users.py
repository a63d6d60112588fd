"""`glassloop users` and `glassloop keys`: who may use the server, and the key that is shown once."""

import asyncio
import hashlib
import re
import time
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop.store import open_store


@pytest.fixture
def database(environment: dict[str, str]) -> Path:
    return Path(environment["GLASSLOOP_HOME"]) / "glassloop.db"


def found_by(database: Path, key: str) -> str | None:
    """Whose the key is, as a server would ask."""

    async def ask() -> str | None:
        async with await open_store(str(database)) as store:
            row = await store.keys.find(key)
            return row and row.user_id

    return asyncio.run(ask())


@pytest.fixture
def ada(here: Any) -> None:
    assert here("users", "add", "ada").code == 0


def test_a_user_is_added_listed_and_removed(here: Any) -> None:
    assert here("users", "list").out == "No users yet. To add one: glassloop users add NAME\n"
    done = here("users", "add", "Ada Lovelace")
    assert "Added 'Ada Lovelace'" in done.out
    assert "glassloop keys create 'Ada Lovelace'" in done.out
    shown = here("users", "list").out
    for part in ("Ada Lovelace", "0 keys", "never used", "1 user"):
        assert part in shown
    (user,) = here("users", "list", "--json").json
    assert (user["name"], user["keys"], user["last_used_at"]) == ("Ada Lovelace", 0, None)
    done = here("users", "remove", "Ada Lovelace")
    assert "Removed 'Ada Lovelace' with 0 keys." in done.out
    assert "glassloop sessions delete --user 'Ada Lovelace'" in done.out
    assert here("users", "list", "--json").json == []


def test_a_key_for_somebody_who_is_not_there_yet_names_both_commands(here: Any) -> None:
    done = here("keys", "create", "ann")
    refused(done, "'ann'", "`glassloop users add ann`", "`glassloop keys create ann`")
    refused(here("users", "add", "eval"), "'eval'", "glassloop eval")


def test_what_is_done_to_users_and_keys_is_told_to_programs_too(here: Any) -> None:
    assert here("users", "add", "ada", "--json").json["name"] == "ada"
    made = here("keys", "create", "ada", "--json").json
    assert here("keys", "revoke", made["id"], "--json").json["revoked_at"] is not None
    assert here("users", "remove", "ada", "--json").json == {"name": "ada", "keys": 1}


def test_a_key_is_shown_once_alone_on_standard_output_and_works(here: Any, ada: None, database: Path) -> None:
    done = here("keys", "create", "ada", "--name", "laptop")
    assert re.fullmatch(r"glk_[0-9a-f]{12}_[\w-]{43}\n", done.out)
    key = done.out.strip()
    assert "shown only once" in done.err
    assert "GLASSLOOP_AUTH=keys" in done.err
    assert found_by(database, key) == "ada"
    for later in (here("keys", "list"), here("keys", "list", "--json"), here("users", "list")):
        assert key[17:] not in later.out
        assert later.code == 0
    (row,) = here("keys", "list", "--json").json
    assert (row["id"], row["user_id"], row["name"], row["expires_at"]) == (key[4:16], "ada", "laptop", None)
    assert "digest" not in row
    shown = here("keys", "list").out
    for part in (row["id"], "ada", "laptop", "works", "never used", "1 key"):
        assert part in shown


def test_a_key_can_be_had_as_json_with_its_end(here: Any, ada: None, monkeypatch: Any) -> None:
    monkeypatch.setenv("GLASSLOOP_AUTH", "keys")
    done = here("keys", "create", "ada", "--expires", "30", "--json")
    assert done.err == ""
    assert done.json["key"].startswith(f"glk_{done.json['id']}_")
    assert abs(done.json["expires_at"] - time.time() - 30 * 86_400) < 60
    assert "works until" in here("keys", "list").out


def test_a_revoked_key_and_those_of_a_removed_user_end_at_once(here: Any, ada: None, database: Path) -> None:
    first, second = [here("keys", "create", "ada").out.strip() for _ in range(2)]
    assert here("keys", "revoke", first[4:16]).out == f"Revoked key {first[4:16]} of 'ada'.\n"
    assert (found_by(database, first), found_by(database, second)) == (None, "ada")
    assert "revoked" in here("keys", "list").out
    assert "1 key" in here("users", "list").out
    assert "with 2 keys" in here("users", "remove", "ada").out
    assert found_by(database, second) is None
    assert here("keys", "list", "--json").json == []


def test_keys_of_one_user_can_be_listed_alone(here: Any, ada: None) -> None:
    assert here("users", "add", "bob").code == 0
    for user in ("ada", "bob", "ada"):
        assert here("keys", "create", user).code == 0
    assert len(here("keys", "list", "--json").json) == 3
    assert {key["user_id"] for key in here("keys", "list", "--user", "ada", "--json").json} == {"ada"}


def test_an_expired_key_is_shown_as_such(here: Any, database: Path) -> None:
    async def make() -> None:
        async with await open_store(str(database), clock=lambda: 1_700_000_000.0) as store:
            await store.users.add("ada")
            await store.keys.create("ada", days=1)

    asyncio.run(make())
    assert "expired 2023-11-1" in here("keys", "list").out
    assert "0 keys" in here("users", "list").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["users", "add", "ada"], ["'ada' already exists"]),
        (["users", "add", ""], ["1 to 200 characters"]),
        (["users", "add", "a\x1b[31mb"], ["cannot be a user's"]),
        (["users", "add", "admin"], ["operator"]),
        (["users", "remove", "bob"], ["'bob'", "glassloop users list"]),
        (["users", "nonesuch"], ["nonesuch", "glassloop users --help"]),
        (["keys", "create", "bob"], ["'bob'", "glassloop users add"]),
        (["keys", "create", "ada", "--expires", "0"], ["0 days", "above 0"]),
        (["keys", "create", "ada", "--expires", "nan"], ["nan"]),
        (["keys", "create", "ada", "--name", "x" * 201], ["201 characters"]),
        (["keys", "revoke", "nonesuch"], ["'nonesuch'", "glassloop keys list"]),
        (["keys", "revoke", "glk_0123456789ab_secret"], ["not its id", "keys revoke 0123456789ab"]),
    ],
)
def test_a_slip_is_told_with_its_remedy(here: Any, ada: None, arguments: list[str], words: list[str]) -> None:
    done = here(*arguments)
    refused(done, *words)
    assert "secret" not in done.err
    assert "\x1b" not in done.err


def test_names_cannot_steer_the_terminal(here: Any, ada: None) -> None:
    done = here("keys", "create", "ada", "--name", "\x1b[31mred\x07")
    assert done.code == 0
    shown = here("keys", "list").out
    assert "red" in shown
    assert not {"\x1b", "\x07"} & set(shown)


def test_where_nothing_is_stored_that_is_said(here: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SESSION_STORE_ENABLED", "false")
    refused(here("users", "list"), "SESSION_STORE_ENABLED")


def test_a_folder_cannot_decide_who_comes_in(here: Any, folder: Path) -> None:
    told = "GLASSLOOP_AUTH=proxy\nADMIN_TOKEN=known-to-others\nGLASSLOOP_PROXY_SECRET=known-too\n"
    (folder / ".env").write_text(told, "utf-8")
    (folder / "glassloop.toml").write_text('allowed_origins = "https://evil.example"\n', "utf-8")
    here("trust", "--yes")
    done = here("settings", "--json")
    assert "never taken from a folder" in done.err
    found = {setting["name"]: setting["origin"] for setting in done.json}
    assert {found[name] for name in ("auth", "admin_token", "proxy_secret", "allowed_origins")} == {"default"}


def test_what_the_operator_signs_in_with_is_never_shown(here: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("ADMIN_TOKEN", "an-operators-own")
    monkeypatch.setenv("GLASSLOOP_PROXY_SECRET", "known-to-both-of-us")
    for done in (here("settings"), here("settings", "--json")):
        assert done.code == 0
        assert "an-operators-own" not in done.out
        assert "known-to-both-of-us" not in done.out


def test_a_new_admin_token_ends_the_one_before(database: Path, here: Any, monkeypatch: Any) -> None:
    async def digest() -> str | None:
        async with await open_store(str(database)) as store:
            return await store.secrets.digest("admin")

    for _ in range(2):
        done = here("keys", "admin")
        assert (done.code, "no longer works" in done.err) == (0, True)
        assert asyncio.run(digest()) == hashlib.sha256(done.out.strip().encode()).hexdigest()
    monkeypatch.setenv("ADMIN_TOKEN", "of-my-own-choosing")
    refused(here("keys", "admin"), "ADMIN_TOKEN is set")


def test_a_user_is_called_what_they_want(here: Any, ada: None) -> None:
    assert here("users", "name", "ada", "Ada  Lovelace").out == "'ada' has the display name 'Ada Lovelace'.\n"
    assert "ada  Ada Lovelace" in here("users", "list").out
    assert here("users", "name", "ada", "").out == "'ada' has no display name.\n"
    assert "Lovelace" not in here("users", "list").out
    refused(here("users", "name", "ada", "x" * 61), "1 to 60 characters")
    refused(here("users", "name", "eda", "Eda", GLASSLOOP_AUTH="keys"), "no user 'eda'")
