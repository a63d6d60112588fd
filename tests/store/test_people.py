"""Users, keys, sign-ins: who is let in, for how long, and that nothing that lets in is stored."""

import asyncio
import re

import psycopg
import pytest

from glassloop.core.errors import UnknownName, UsageError
from glassloop.store import open_store, people
from glassloop.store.people_table import MOST_KEYS, MOST_SIGN_INS
from store.made_events import path_of

DAY_S = 86_400


@pytest.fixture
async def ann(store):
    return await store.add_user("ann")


async def test_a_user_is_added_once_and_listed_by_name(store, clock):
    await store.add_user("bob")
    made = await store.add_user("ann")
    assert (made.name, made.created_at, made.keys, made.last_used_at) == ("ann", clock.now, 0, None)
    with pytest.raises(UsageError, match=r"'ann' is there already.*keys create"):
        await store.add_user("ann")
    assert [user.name for user in await store.list_users()] == ["ann", "bob"]


async def test_what_cannot_be_a_users_name_is_refused(store):
    for name in ("", " ", " ann", "ann ", "a\nb", "a\x00b", "\u202eann", "x" * 201, "admin", "Admin"):
        with pytest.raises(UsageError, match="name"):
            await store.add_user(name)
    assert await store.list_users() == ()


async def test_names_as_other_systems_have_them_are_fine(store):
    for name in ("ann", "ann@example.org", "EXAMPLE\\ann", "Ann Müller", "安", "x" * 200):
        await store.add_user(name)
        key, row = await store.create_key(name)
        assert (await store.find_key(key)).user_id == row.user_id == name


async def test_a_key_is_told_once_and_finds_its_user(store, ann, clock):
    key, row = await store.create_key("ann", "laptop")
    assert re.fullmatch(rf"glk_{row.id}_[\w-]{{43}}", key)
    assert (row.user_id, row.name, row.created_at) == ("ann", "laptop", clock.now)
    assert (row.last_used_at, row.expires_at, row.revoked_at) == (None, None, None)
    assert await store.find_key(key) == row
    assert await store.list_keys() == (row,)
    assert [user.keys for user in await store.list_users()] == [1]


async def test_no_two_keys_are_alike(store, ann):
    keys = [(await store.create_key("ann"))[0] for _ in range(20)]
    assert len({key[17:] for key in keys}) == len({key[:17] for key in keys}) == 20


async def test_what_is_no_key_finds_nobody(store, ann):
    key, row = await store.create_key("ann")
    other, _ = await store.create_key("ann")
    swapped = f"glk_{row.id}_{other[17:]}"
    last = "A" if key[-1] != "A" else "B"
    for wrong in ("", "glk_", row.id, key[:-1], key + "A", key[:-1] + last, swapped, key.upper(), f" {key}"):
        assert await store.find_key(wrong) is None


async def test_a_digest_is_compared_in_constant_time(store, ann, monkeypatch):
    key, _ = await store.create_key("ann")
    compared = []

    def compare(one, other):
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(people.hmac, "compare_digest", compare)
    assert await store.find_key(key)
    assert compared == [(people.digest_of(key), people.digest_of(key))]


async def test_a_key_ends_when_it_expires(store, ann, clock):
    key, row = await store.create_key("ann", days=2)
    assert row.expires_at == clock.now + 2 * DAY_S
    clock.now += 2 * DAY_S - 1
    assert await store.find_key(key)
    clock.now += 1
    assert await store.find_key(key) is None
    assert [user.keys for user in await store.list_users()] == [0]


async def test_a_revoked_key_ends_at_once_and_for_good(store, ann, clock):
    key, row = await store.create_key("ann")
    revoked = await store.revoke_key(row.id)
    assert revoked.revoked_at == clock.now
    assert await store.find_key(key) is None
    clock.now += 5
    assert (await store.revoke_key(row.id)).revoked_at == revoked.revoked_at
    with pytest.raises(UnknownName, match=r"'nonesuch'.*keys list"):
        await store.revoke_key("nonesuch")


async def test_use_is_noted_at_most_once_a_minute(store, ann, clock):
    _, row = await store.create_key("ann")
    began = clock.now
    for passed, noted in ((0, 0), (59, 0), (60, 60), (100, 60), (120, 120)):
        clock.now = began + passed
        await store.touch_key(row.id)
        assert (await store.list_keys())[0].last_used_at == began + noted
    assert (await store.list_users())[0].last_used_at == began + 120


async def test_a_key_that_would_never_have_worked_is_refused(store, ann):
    for days in (0, -1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="above 0"):
            await store.create_key("ann", days=days)


async def test_keys_are_for_users_there_are_and_not_without_end(store, ann):
    with pytest.raises(UnknownName, match=r"'bob'.*users add"):
        await store.create_key("bob")
    with pytest.raises(UsageError, match="201 characters"):
        await store.create_key("ann", "x" * 201)
    made = [(await store.create_key("ann"))[1] for _ in range(MOST_KEYS)]
    with pytest.raises(UsageError, match="revoke one"):
        await store.create_key("ann")
    await store.revoke_key(made[0].id)
    await store.create_key("ann")


async def test_lists_of_keys_are_newest_first_and_of_one_user_if_wanted(store, ann, clock):
    await store.add_user("bob")
    made = []
    for user in ("ann", "bob", "ann"):
        clock.now += 1
        made.append((await store.create_key(user))[1])
    assert list(await store.list_keys()) == made[::-1]
    assert list(await store.list_keys(user="ann")) == [made[2], made[0]]
    assert list(await store.list_keys(1)) == [made[2]]


async def test_a_removed_user_is_out_at_once(store, ann):
    key, row = await store.create_key("ann")
    token = await store.open_sign_in("ann", DAY_S, key_id=row.id)
    assert await store.remove_user("ann") == 1
    assert await store.find_key(key) is None
    assert await store.find_sign_in(token) is None
    assert await store.list_keys() == ()
    with pytest.raises(UnknownName, match=r"'ann'.*users list"):
        await store.remove_user("ann")


async def test_nobody_gets_a_key_while_being_removed(shared_url):
    one, other = [await open_store(shared_url) for _ in range(2)]
    for _ in range(10):
        await one.add_user("ann")
        made, _ = await asyncio.gather(one.create_key("ann"), other.remove_user("ann"), return_exceptions=True)
        assert isinstance(made, UnknownName) or await one.find_key(made[0]) is None
        assert await one.list_keys() == ()
    await one.aclose()
    await other.aclose()


async def test_a_sign_in_lasts_and_goes_on_when_it_is_used(store, ann, clock):
    _, row = await store.create_key("ann")
    token = await store.open_sign_in("ann", DAY_S, key_id=row.id)
    found = await store.find_sign_in(token)
    assert (found.user_id, found.proof, found.seen_at, found.expires_at) == ("ann", "", clock.now, clock.now + DAY_S)
    clock.now += DAY_S - 1
    await store.renew_sign_in(token, DAY_S)
    clock.now += DAY_S - 1
    assert await store.find_sign_in(token)
    clock.now += 1
    assert await store.find_sign_in(token) is None
    await store.renew_sign_in(token, DAY_S)
    assert await store.find_sign_in(token) is None


async def test_a_sign_in_ends_with_its_key_or_when_it_is_ended(store, ann, clock):
    keys = [(await store.create_key("ann", days=days))[1] for days in (None, 1, None)]
    revoked, expired, ended = [await store.open_sign_in("ann", 9 * DAY_S, key_id=key.id) for key in keys]
    assert all([await store.find_sign_in(token) for token in (revoked, expired, ended)])
    await store.revoke_key(keys[0].id)
    await store.end_sign_in(ended)
    clock.now += DAY_S
    assert [await store.find_sign_in(token) for token in (revoked, expired, ended, "", "x")] == [None] * 5


async def test_a_sign_in_without_a_key_says_what_it_was_proven_with(store):
    token = await store.open_sign_in("admin", DAY_S, proof="abc")
    assert (await store.find_sign_in(token)).proof == "abc"


async def test_of_one_users_sign_ins_the_newest_stay(store, ann, clock):
    other = await store.open_sign_in("bob", DAY_S)
    tokens = []
    for _ in range(MOST_SIGN_INS + 2):
        clock.now += 1
        tokens.append(await store.open_sign_in("ann", DAY_S))
    assert [bool(await store.find_sign_in(token)) for token in tokens] == [False] * 2 + [True] * MOST_SIGN_INS
    assert await store.find_sign_in(other)


async def test_a_secret_is_made_by_one_and_told_once(shared_url):
    stores = [await open_store(shared_url) for _ in range(3)]
    made = await asyncio.gather(*(store.make_secret("admin") for store in stores))
    told = [secret for secret in made if secret]
    assert len(told) == 1
    assert await stores[0].make_secret("admin") is None
    assert {await store.secret_digest("admin") for store in stores} == {people.digest_of(told[0])}
    assert await stores[0].secret_digest("other") is None
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
        await store.add_user("ann")
        key, row = await store.create_key("ann", "laptop")
        token = await store.open_sign_in("ann", DAY_S, key_id=row.id)
        admin = await store.make_secret("admin")
    async with await open_store(shared_url) as store:
        assert await store.find_key(key) == row
        assert (await store.find_sign_in(token)).user_id == "ann"
        assert await store.secret_digest("admin") == people.digest_of(admin)
    kept = everything_in(shared_url)
    assert b"laptop" in kept
    for secret in (key, key[17:], token, admin):
        assert secret.encode() not in kept
