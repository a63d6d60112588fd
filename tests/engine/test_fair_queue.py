"""Who is served when."""

import asyncio

import pytest

from glassloop.core.errors import ModelUnavailable
from glassloop.core.fair_queue import FairQueue, QueueTicket


async def order_of_service(queue: FairQueue, tickets: dict[str, QueueTicket]) -> list[str]:
    served: list[str] = []
    while len(served) < len(tickets):
        (name,) = [name for name, ticket in tickets.items() if ticket.has_turn]
        served.append(name)
        tickets[name].leave()
    return served


async def test_sessions_are_served_in_turn_however_much_one_of_them_asks() -> None:
    queue = FairQueue(10, ModelUnavailable)
    tickets = {name: queue.join(name[0]) for name in ("a1", "a2", "a3", "b1", "c1", "b2")}
    assert await order_of_service(queue, tickets) == ["a1", "a2", "b1", "c1", "a3", "b2"]


async def test_a_position_is_how_many_are_really_served_before() -> None:
    queue = FairQueue(10, ModelUnavailable)
    tickets = {name: queue.join(name[0]) for name in ("a1", "a2", "a3", "b1", "c1", "b2", "a4")}
    told = {name: queue.position(ticket) for name, ticket in tickets.items()}
    served = await order_of_service(queue, tickets)
    assert told == {name: served.index(name) for name in served}


async def test_a_waiting_call_is_told_each_time_it_moves_up() -> None:
    queue = FairQueue(10, ModelUnavailable)
    first, second, third = (queue.join(name) for name in "abc")
    told: list[int] = []

    async def listen() -> None:
        async for place in third.places():
            told.append(place)

    listening = asyncio.create_task(listen())
    async with asyncio.timeout(60):
        for ticket in (first, second):
            before = len(told)
            while len(told) == before:
                await asyncio.sleep(0)
            ticket.leave()
        await listening
    assert told == [2, 1]
    assert third.has_turn


async def test_a_call_that_is_given_up_while_it_waits_is_passed_over() -> None:
    queue = FairQueue(10, ModelUnavailable)
    first, second, third = (queue.join(name) for name in "abc")
    second.leave()
    second.leave()
    first.leave()
    assert third.has_turn
    assert len(queue) == 0


async def test_more_than_the_most_are_refused_with_a_passing_error() -> None:
    queue = FairQueue(2, lambda: ModelUnavailable("2 calls wait"))
    tickets = [queue.join("a") for _ in range(3)]
    with pytest.raises(ModelUnavailable, match="2 calls wait"):
        queue.join("b")
    tickets[0].leave()
    assert queue.join("b") is not None
