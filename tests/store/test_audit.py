"""The audit: chained, kept from those it is about, on every database."""

import pytest

from glassloop.core.errors import UsageError
from glassloop.store import open_store
from glassloop.store.tables.governance.audit import BY_COMMAND, MAX_LISTED_A_DAY, parse_kept

DAY_S = 86_400.0


async def noted(store, **wanted):
    return [(each.action, each.subject, each.by_user) for each in reversed(await store.audit.list(1000, **wanted))]


async def change(store, sql, **values):
    await store.engine.write(lambda db: db.run(sql, **values))


async def test_an_untouched_chain_is_whole_and_tells_its_end(store):
    await store.audit.record("approved", "edit", by="ann", session_id="s1")
    await store.audit.record("refused", "drop", by="bob", detail="no")
    found = await store.audit.verify()
    newest = (await store.audit.list(1))[0]
    assert (found.entries, found.first, found.last, found.digest) == (2, 1, 2, newest.digest)
    assert found.problems == ()
    assert (await store.audit.verify(parse_kept(f"2:{newest.digest}"))).problems == ()


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE audit_entries SET by_user = 'bob' WHERE number = 2", "'by_user' of entry 2"),
        ("UPDATE audit_entries SET subject = 'read' WHERE number = 2", "'subject' of entry 2"),
        ("UPDATE audit_entries SET detail = 'other' WHERE number = 2", "detail of entry 2"),
        ("UPDATE audit_entries SET action = 'refused' WHERE number = 2", "Entry 2 does not match"),
        ("UPDATE audit_entries SET at = at + 1 WHERE number = 2", "Entry 2 does not match"),
        ("UPDATE audit_entries SET by_user = NULL WHERE number = 2", "Entry 2 tells no name"),
        ("DELETE FROM audit_entries WHERE number = 2", "Entry 2 is missing"),
        ("DELETE FROM audit_entries WHERE number = 3", "missing at the end"),
    ],
)
async def test_whatever_is_changed_or_taken_out_is_found(store, sql, said):
    for number in range(3):
        await store.audit.record("approved", f"edit {number}", by="ann", detail="as shown")
    await change(store, sql)
    assert said in " ".join((await store.audit.verify()).problems)


async def test_a_digest_kept_elsewhere_shows_that_the_end_was_cut_off(store):
    for number in range(3):
        await store.audit.record("approved", f"edit {number}", by="ann")
    newest, before, _ = await store.audit.list()
    await change(store, "DELETE FROM audit_entries WHERE number = 3")
    await change(store, "UPDATE audit_head SET number = 2, digest = :digest", digest=before.digest)
    assert (await store.audit.verify()).problems == ()
    assert "Entry 3, whose digest" in (await store.audit.verify(parse_kept(f"3:{newest.digest}"))).problems[0]
    with pytest.raises(UsageError, match="NUMBER:DIGEST"):
        parse_kept("3")


async def test_nobody_pushes_decisions_out_by_rating_on_and_on(store):
    assert store.audit.max_listed == MAX_LISTED_A_DAY == 1_000
    store.audit.max_listed = 5
    await store.audit.record("approved", "edit", by="ann")
    for _ in range(20):
        await store.audit.record("rated", "s1", by="ann")
    await store.audit.record("rated", "s2", by="bob")
    for _ in range(20):
        await store.audit.record("refused", "drop", by="ann")
    told = await noted(store)
    assert told[0] == ("approved", "edit", "ann")
    assert told.count(("rated", "s1", "ann")) == 6
    assert told.count(("rated", "s2", "bob")) == 1
    assert told.count(("refused", "drop", "ann")) == 20
    assert (await store.audit.list(action="rated"))[1].detail.startswith("6 of these that day")


async def test_a_bound_counts_for_one_day(store, clock):
    store.audit.max_listed = 1
    for _ in range(3):
        await store.audit.record("rated", "s1", by="ann")
    clock.now += DAY_S
    await store.audit.record("rated", "s2", by="ann")
    # The second of them says that it is the last one listed.
    assert [subject for _, subject, _ in await noted(store)] == ["s1", "s1", "s2"]


@pytest.mark.parametrize("by", ["ann", BY_COMMAND])
async def test_a_deleted_user_stays_in_the_chain_without_a_name(store, by):
    await store.users.add("ann")
    await store.audit.record("signed_in", "ann", by="ann", detail="from 192.0.2.7")
    await store.audit.record("approved", "edit", by="ann")
    await store.audit.record("approved", "ann", by="bob")
    await store.users.remove("ann", by=by)
    await store.maintenance.delete_user("ann", by=by)
    told = await noted(store)
    name = told[-1][1]
    who = name if by == "ann" else by
    assert told == [
        ("user_added", name, BY_COMMAND),
        ("signed_in", name, name),
        ("approved", "edit", name),
        ("approved", "ann", "bob"),
        ("user_removed", name, who),
        ("user_deleted", name, who),
    ]
    assert name.startswith("user-")
    assert (await store.audit.list(action="signed_in"))[0].detail == ""
    assert await noted(store, by=name) == await noted(store, by="ann") != []
    assert (await store.audit.verify()).problems == ()
    await store.maintenance.delete_user("ann")
    assert await noted(store) == told


async def test_nobody_is_erased_by_a_name_that_means_no_person(store):
    await store.audit.record("key_made", "ann")
    for name in (BY_COMMAND, "nobody", "admin"):
        with pytest.raises(UsageError):
            await store.users.add(name)
        await store.maintenance.delete_user(name)
    assert await noted(store) == [("key_made", "ann", BY_COMMAND)]


async def test_only_age_removes_entries_and_that_is_an_entry_too(store, clock):
    await store.audit.record("approved", "old", by="ann")
    await store.audit.record("approved", "older", by="ann")
    clock.now += 10 * DAY_S
    await store.audit.record("approved", "new", by="ann")
    assert await store.audit.prune(clock.now - DAY_S) == 2
    assert await store.audit.prune(clock.now - DAY_S) == 0
    assert [action for action, _, _ in await noted(store)] == ["approved", "audit_pruned"]
    found = await store.audit.verify()
    assert (found.entries, found.first, found.last, found.pruned, found.problems) == (2, 3, 4, 2, ())


async def test_two_processes_write_one_chain(shared_url):
    async with await open_store(shared_url) as first, await open_store(shared_url) as second:
        for number in range(10):
            await first.audit.record("approved", f"a {number}", by="ann")
            await second.audit.record("approved", f"b {number}", by="bob")
        found = await second.audit.verify()
    assert (found.entries, found.problems) == (20, ())
