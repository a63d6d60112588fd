"""Spending of users by day and month, counted before it is spent, on every database."""

import asyncio

from glassloop.core.access import AccessRule, SpendLimits
from glassloop.store import open_store
from glassloop.store.tables.governance.spend import OverLimit, day_of, month_of
from store.made_events import whole_turn

NONE = SpendLimits()
A_DAY = SpendLimits(dollars_per_day=1.0)


async def test_a_call_is_counted_at_its_worst_until_it_is_known(store):
    at = await store.spending.reserve("ann", A_DAY, 0.6, 100)
    over = await store.spending.reserve("ann", A_DAY, 0.6, 100)
    assert isinstance(over, OverLimit)
    assert (over.limit, over.most, over.spent) == ("dollars_per_day", 1.0, 0.6)
    await store.spending.settle("ann", at, 0.1 - 0.6, 20 - 100)
    today, month = await store.spending.of_user("ann")
    assert (round(today.dollars, 9), today.tokens) == (round(month.dollars, 9), month.tokens) == (0.1, 20)
    assert not isinstance(await store.spending.reserve("ann", A_DAY, 0.6, 100), OverLimit)
    assert not isinstance(await store.spending.reserve("bob", A_DAY, 0.9, 100), OverLimit)
    assert [today.user_id for today, _ in await store.spending.of_everybody()] == ["bob", "ann"]


async def test_a_day_and_a_month_begin_anew(store, clock):
    limits = SpendLimits(dollars_per_day=1.0, dollars_per_month=1.5)
    await store.spending.reserve("ann", limits, 1.0, 1)
    clock.now = day_of(clock.now).resets_at
    over = await store.spending.reserve("ann", limits, 1.0, 1)
    assert isinstance(over, OverLimit)
    assert (over.limit, over.resets_at) == ("dollars_per_month", month_of(clock.now).resets_at)
    clock.now = over.resets_at
    assert not isinstance(await store.spending.reserve("ann", limits, 1.0, 1), OverLimit)


async def test_several_processes_never_spend_the_same_money(shared_url):
    async with await open_store(shared_url) as first, await open_store(shared_url) as second:
        tries = [each.spending.reserve("ann", A_DAY, 0.3, 1) for each in (first, second) for _ in range(5)]
        found = await asyncio.gather(*tries)
    assert sum(not isinstance(each, OverLimit) for each in found) == 3


async def test_what_is_counted_goes_with_its_user_and_with_time(store, clock):
    await store.spending.reserve("ann", NONE, 0.5, 1)
    await store.spending.reserve("bob", NONE, 0.5, 1)
    await store.maintenance.delete_user("ann")
    assert [today.user_id for today, _ in await store.spending.of_everybody()] == ["bob"]
    await store.spending.prune(clock.now + 40 * 86_400)
    assert await store.spending.of_everybody() == []


async def test_who_deletes_themselves_sheds_neither_spending_nor_rules(store):
    rule = AccessRule(models=("small",), dollars_per_day=1.0)
    await store.access.set_rule("user:ann", rule)
    await store.access.set_groups("ann", ["guests"])
    await store.spending.reserve("ann", A_DAY, 0.9, 1)
    await store.maintenance.delete_user("ann", by="ann")
    assert isinstance(await store.spending.reserve("ann", A_DAY, 0.9, 1), OverLimit)
    assert await store.access.groups("ann") == ("guests",)
    assert rule in (await store.access.rules()).values()
    await store.maintenance.delete_user("ann")
    assert not isinstance(await store.spending.reserve("ann", A_DAY, 0.9, 1), OverLimit)
    assert not await store.access.groups("ann")
    assert rule not in (await store.access.rules()).values()


async def test_what_was_spent_without_a_limit_is_shown_too(store, clock):
    await store.turns.append("t1", whole_turn("t1", user="ann", at=clock.now))
    await store.spending.reserve("bob", A_DAY, 0.5, 1)
    shown = await store.spending.of_everybody()
    assert [(today.user_id, today.dollars, month.dollars) for today, month in shown] == [
        ("bob", 0.5, 0.5),
        ("ann", 0.25, 0.25),
    ]
