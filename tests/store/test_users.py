"""Users, keys, sign-ins: who is let in, for how long, and that nothing that lets in is stored."""

import asyncio
import re

import psycopg
import pytest

from glassloop.core.errors import UnknownName, UsageError
from glassloop.store import open_store
from glassloop.store.tables import keys
from glassloop.store.tables.keys import MAX_KEYS, MAX_SIGN_INS
from store.made_events import path_of

DAY_S = 86_400


@pytest.fixture
async def ann(store):
    return await store.users.add("ann")


async def test_a_user_is_added_once_and_listed_by_name(store, clock):
    await store.users.add("bob")
    made = await store.users.add("ann")
    assert (made.name, made.created_at, made.keys, made.last_used_at) == ("ann", clock.now, 0, None)
    with pytest.raises(UsageError, match=r"'ann' already exists.*keys create"):
        await store.users.add("ann")
    assert [user.name for user in await store.users.list()] == ["ann", "bob"]


async def test_what_cannot_be_a_users_name_is_refused(store):
    for name in ("", " ", " ann", "ann ", "a\nb", "a\x00b", "\u202eann", "x" * 201, "admin", "Admin"):
        with pytest.raises(UsageError, match="name"):
            await store.users.add(name)
    assert await store.users.list() == ()


async def test_names_as_other_systems_have_them_are_fine(store):
    for name in ("ann", "ann@example.org", "EXAMPLE\\ann", "Ann Müller", "安", "x" * 200):
        await store.users.add(name)
        key, row = await store.keys.create(name)
        assert (await store.keys.find(key)).user_id == row.user_id == name


async def test_a_key_is_told_once_and_finds_its_user(store, ann, clock):
    key, row = await store.keys.create("ann", "laptop")
    assert re.fullmatch(rf"glk_{row.id}_[\w-]{{43}}", key)
    assert (row.user_id, row.name, row.created_at) == ("ann", "laptop", clock.now)
    assert (row.last_used_at, row.expires_at, row.revoked_at) == (None, None, None)
    assert await store.keys.find(key) == row
    assert await store.keys.list() == (row,)
    assert [user.keys for user in await store.users.list()] == [1]


async def test_no_two_keys_are_alike(store, ann):
    keys = [(await store.keys.create("ann"))[0] for _ in range(20)]
    assert len({key[17:] for key in keys}) == len({key[:17] for key in keys}) == 20


async def test_what_is_no_key_finds_nobody(store, ann):
    key, row = await store.keys.create("ann")
    other, _ = await store.keys.create("ann")
    swapped = f"glk_{row.id}_{other[17:]}"
    last = "A" if key[-1] != "A" else "B"
    for wrong in ("", "glk_", row.id, key[:-1], key + "A", key[:-1] + last, swapped, key.upper(), f" {key}"):
        assert await store.keys.find(wrong) is None


async def test_a_digest_is_compared_in_constant_time(store, ann, monkeypatch):
    key, _ = await store.keys.create("ann")
    compared = []

    def compare(one, other):
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(keys.hmac, "compare_digest", compare)
    assert await store.keys.find(key)
    assert compared == [(keys.digest_of(key), keys.digest_of(key))]


async def test_a_key_ends_when_it_expires(store, ann, clock):
    key, row = await store.keys.create("ann", days=2)
    assert row.expires_at == clock.now + 2 * DAY_S
    clock.now += 2 * DAY_S - 1
    assert await store.keys.find(key)
    clock.now += 1
    assert await store.keys.find(key) is None
    assert [user.keys for user in await store.users.list()] == [0]


async def test_a_revoked_key_ends_at_once_and_for_good(store, ann, clock):
    key, row = await store.keys.create("ann")
    revoked = await store.keys.revoke(row.id)
    assert revoked.revoked_at == clock.now
    assert await store.keys.find(key) is None
    clock.now += 5
    assert (await store.keys.revoke(row.id)).revoked_at == revoked.revoked_at
    with pytest.raises(UnknownName, match=r"'nonesuch'.*keys list"):
        await store.keys.revoke("nonesuch")


async def test_use_is_noted_at_most_once_a_minute(store, ann, clock):
    _, row = await store.keys.create("ann")
    began = clock.now
    for passed, noted in ((0, 0), (59, 0), (60, 60), (100, 60), (120, 120)):
        clock.now = began + passed
        await store.keys.touch(row.id)
        assert (await store.keys.list())[0].last_used_at == began + noted
    assert (await store.users.list())[0].last_used_at == began + 120


async def test_a_key_that_would_never_have_worked_is_refused(store, ann):
    for days in (0, -1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="above 0"):
            await store.keys.create("ann", days=days)


async def test_keys_are_for_users_there_are_and_not_without_end(store, ann):
    with pytest.raises(UnknownName, match=r"'bob'.*users add"):
        await store.keys.create("bob")
    with pytest.raises(UsageError, match="201 characters"):
        await store.keys.create("ann", "x" * 201)
    made = [(await store.keys.create("ann"))[1] for _ in range(MAX_KEYS)]
    with pytest.raises(UsageError, match="revoke one"):
        await store.keys.create("ann")
    await store.keys.revoke(made[0].id)
    await store.keys.create("ann")


async def test_lists_of_keys_are_newest_first_and_of_one_user_if_wanted(store, ann, clock):
    await store.users.add("bob")
    made = []
    for user in ("ann", "bob", "ann"):
        clock.now += 1
        made.append((await store.keys.create(user))[1])
    assert list(await store.keys.list()) == made[::-1]
    assert list(await store.keys.list(user="ann")) == [made[2], made[0]]
    assert list(await store.keys.list(1)) == [made[2]]


async def test_a_removed_user_is_out_at_once(store, ann):
    key, row = await store.keys.create("ann")
    token = await store.sign_ins.open("ann", DAY_S, key_id=row.id)
    assert await store.users.remove("ann") == 1
    assert await store.keys.find(key) is None
    assert await store.sign_ins.find(token) is None
    assert await store.keys.list() == ()
    with pytest.raises(UnknownName, match=r"'ann'.*users list"):
        await store.users.remove("ann")


async def test_nobody_gets_a_key_while_being_removed(shared_url):
    one, other = [await open_store(shared_url) for _ in range(2)]
    for _ in range(10):
        await one.users.add("ann")
        made, _ = await asyncio.gather(one.keys.create("ann"), other.users.remove("ann"), return_exceptions=True)
        assert isinstance(made, UnknownName) or await one.keys.find(made[0]) is None
        assert await one.keys.list() == ()
    await one.aclose()
    await other.aclose()


async def test_a_sign_in_lasts_and_goes_on_when_it_is_used(store, ann, clock):
    _, row = await store.keys.create("ann")
    token = await store.sign_ins.open("ann", DAY_S, key_id=row.id)
    found = await store.sign_ins.find(token)
    assert (found.user_id, found.proof, found.seen_at, found.expires_at) == ("ann", "", clock.now, clock.now + DAY_S)
    clock.now += DAY_S - 1
    await store.sign_ins.renew(token, DAY_S)
    clock.now += DAY_S - 1
    assert await store.sign_ins.find(token)
    clock.now += 1
    assert await store.sign_ins.find(token) is None
    await store.sign_ins.renew(token, DAY_S)
    assert await store.sign_ins.find(token) is None


async def test_a_sign_in_ends_with_its_key_or_when_it_is_ended(store, ann, clock):
    keys = [(await store.keys.create("ann", days=days))[1] for days in (None, 1, None)]
    revoked, expired, ended = [await store.sign_ins.open("ann", 9 * DAY_S, key_id=key.id) for key in keys]
    assert all([await store.sign_ins.find(token) for token in (revoked, expired, ended)])
    await store.keys.revoke(keys[0].id)
    await store.sign_ins.end(ended)
    clock.now += DAY_S
    assert [await store.sign_ins.find(token) for token in (revoked, expired, ended, "", "x")] == [None] * 5


async def test_a_sign_in_without_a_key_says_what_it_was_proven_with(store):
    token = await store.sign_ins.open("admin", DAY_S, proof="abc")
    assert (await store.sign_ins.find(token)).proof == "abc"


async def test_of_one_users_sign_ins_the_newest_stay(store, ann, clock):
    other = await store.sign_ins.open("bob", DAY_S)
    tokens = []
    for _ in range(MAX_SIGN_INS + 2):
        clock.now += 1
        tokens.append(await store.sign_ins.open("ann", DAY_S))
    assert [bool(await store.sign_ins.find(token)) for token in tokens] == [False] * 2 + [True] * MAX_SIGN_INS
    assert await store.sign_ins.find(other)


async def test_a_secret_is_made_by_one_and_told_once(shared_url):
    stores = [await open_store(shared_url) for _ in range(3)]
    made = await asyncio.gather(*(store.secrets.make("admin") for store in stores))
    told = [secret for secret in made if secret]
    assert len(told) == 1
    assert await stores[0].secrets.make("admin") is None
    assert {await store.secrets.digest("admin") for store in stores} == {keys.digest_of(told[0])}
    assert await stores[0].secrets.digest("other") is None
    for store in stores:
        await store.aclose()


def everything_in(url):
    if url.startswith("sqlite"):
        return b"".join(path.read_bytes() for path in path_of(url).parent.iterdir())
    with psycopg.connect(url) as connection:
        rows = [
            connection.execute(f"SELECT * FROM {table}").fetchall()
            for table in ("users", "api_keys", "sign_ins", "secrets")
        ]
    return repr(rows).encode()


async def test_nothing_that_lets_in_is_stored_and_what_is_outlives_the_process(shared_url):
    async with await open_store(shared_url) as store:
        await store.users.add("ann")
        key, row = await store.keys.create("ann", "laptop")
        token = await store.sign_ins.open("ann", DAY_S, key_id=row.id)
        admin = await store.secrets.make("admin")
    async with await open_store(shared_url) as store:
        assert await store.keys.find(key) == row
        assert (await store.sign_ins.find(token)).user_id == "ann"
        assert await store.secrets.digest("admin") == keys.digest_of(admin)
    kept = everything_in(shared_url)
    assert b"laptop" in kept
    for secret in (key, key[17:], token, admin):
        assert secret.encode() not in kept
