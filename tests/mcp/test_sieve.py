"""What reaches a session of what a server says: all answers, little chatter, and nothing that nobody listens to."""

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from glassloop.extensions.mcp.client.transport.message_filter import CHANGED, CHATTER_PER_S, MessageFilter, RateBudget
from hand_clock import Clock


def noted(method):
    return SessionMessage(JSONRPCNotification(jsonrpc="2.0", method=method))


def asked(number):
    return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=number, method="ping"))


def answered(number):
    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=number, result={}))


async def sifted(items, clock=None):
    """What passes, and what was told beside it."""

    async def source():
        for item in items:
            yield item

    told = []
    sieve = MessageFilter(source(), lambda: told.append("changed"), lambda: told.append("ended"), clock or Clock(0.0))
    return [item async for item in sieve], told


async def test_only_what_somebody_listens_to_passes():
    heard, answer = noted("notifications/progress"), answered(1)
    items = [noted("notifications/message"), heard, ValueError("no message"), noted(CHANGED), answer]
    passed, told = await sifted(items)
    assert passed == [heard, answer]
    assert told == ["changed", "ended"]


async def test_of_chatter_only_so_much_passes_and_every_answer_does():
    chatter = [asked(number) for number in range(400)] + [noted("notifications/progress")] * 400
    answers = [answered(number) for number in range(100)]
    passed, _ = await sifted([*chatter, *answers])
    assert passed == [*chatter[: 5 * CHATTER_PER_S], *answers]


def test_a_budget_that_is_used_up_fills_again_and_not_beyond_what_it_holds():
    clock = Clock(0.0)
    budget = RateBudget(10, 20, clock)
    assert [budget.allows() for _ in range(21)] == [True] * 20 + [False]
    assert budget.take() == 0.1
    clock.now += 0.2
    assert budget.allows()
    assert not budget.allows()
    clock.now += 3600
    assert sum(budget.allows() for _ in range(100)) == 20
