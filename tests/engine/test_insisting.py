"""An effect that the review objects to, and that a small model insists on, asks a person and says why."""

import msgspec
import pytest
from tests.engine.reviewed_calls import SMALL, TOOLS, answering, calling, weigh_crate

from glassloop import Agent, Approval, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.labels import ApprovalReason, why_asked
from glassloop.core.loop.approvals.grants import grant_counts
from glassloop.core.loop.fold import fold
from glassloop.core.loop.policy import Profile


async def insisted(sent, *said, approvals="provenance", question="Order cocoa for Tom."):
    @tool(effect="write", integrity="trusted")
    def order(item: str, tonnes: int) -> str:
        """Order goods.

        Args:
            item: What is ordered.
            tonnes: How much of it.
        """
        sent.append((item, tonnes))
        return "ordered"

    agent = Agent(ScriptedModel(said, abilities=SMALL), [order, weigh_crate], profile=Profile(approvals=approvals))
    stream = agent.stream(question)
    await stream.drain()
    return stream, agent


TEN = '{"thought": "t", "action": "order", "args": {"item": "cocoa", "tonnes": 10}}'


async def test_a_change_with_a_value_that_nobody_gave_asks_a_person_when_the_model_insists():
    sent = []
    stream, agent = await insisted(sent, TEN, TEN, answering("Ordered."))
    (request,) = stream.pending
    assert sent == []
    assert (request.why.kind, request.why.argument, request.why.passage) == ("unsourced", "tonnes", "10")
    assert why_asked(request.why) == "No source was found for its 'tonnes':"
    replies = [event for event in stream.events if isinstance(event, e.ModelResponded)]
    assert [reply.decision.complaint is None for reply in replies] == [False, True]
    assert fold([e.decode(e.encode(event)) for event in stream.events]).doubted.parameter == "tonnes"
    stream = agent.resume(stream.events, [Approval.of(request, True)])
    await stream.drain()
    assert (stream.pending, sent) == ([], [("cocoa", 10)])


async def test_a_change_that_is_made_again_asks_once_nothing_is_sent_back_any_more():
    nobodys = calling("weigh_crate", crate_id="CR-100")
    sent = []
    stream, _ = await insisted(
        sent,
        nobodys,
        answering("It weighs 981.4 kg."),
        TEN,
        TEN,
        answering("Ordered."),
        question="10 tonnes of cocoa. And CR-7?",
    )
    assert sent == [("cocoa", 10)]
    (request,) = stream.pending
    assert (request.why.kind, request.why.passage) == ("repeated", 'order {"item":"cocoa","tonnes":10}')
    assert why_asked(request.why) == "The same call was made before for this question:"


@pytest.mark.parametrize("question", ["Order 10 tonnes of cocoa.", "Ten tonnes of cocoa, please."])
async def test_a_change_with_what_was_said_asks_nobody(question):
    sent = []
    stream, _ = await insisted(sent, TEN, answering("Ordered."), question=question)
    assert (stream.pending, sent) == ([], [("cocoa", 10)])


async def test_where_only_declared_tools_ask_a_change_that_the_model_insists_on_is_made():
    sent = []
    stream, _ = await insisted(sent, TEN, TEN, answering("Ordered."), approvals="declared")
    assert (stream.pending, sent) == ([], [("cocoa", 10)])


@pytest.mark.parametrize("kind", ["unsourced", "repeated"])
def test_what_the_review_objects_to_is_covered_by_no_permission_for_the_session(kind):
    spec = next(iter(TOOLS.values()))
    spec = msgspec.structs.replace(spec, effect="write")
    assert grant_counts(spec, "tool", ApprovalReason(kind="declared"))
    assert not grant_counts(spec, "tool", ApprovalReason(kind=kind))
