"""The bounded view of a long turn: later results are left out and counted, everything else stands."""

from glassloop import Agent, ScriptedModel, tool
from glassloop.models.scripted_model import call
from glassloop.projections.bounded_response import LEFT_OUT, BoundedResponseFold
from glassloop.projections.response import respond


@tool(effect="read", volatile=True)
async def read_page(number: int) -> str:
    """A long page."""
    return f"{number}" * 50_000


async def events_of(pages):
    model = ScriptedModel([*(call("read_page", number=number) for number in range(pages)), "All read."])
    stream = Agent(model, [read_page], planner=False, reflection=False).stream("Read them all")
    await stream.drain()
    return stream.events


def folded(events, max_bytes):
    fold = BoundedResponseFold(max_bytes)
    for event in events:
        fold.advance(event)
    return fold


def outputs(response):
    return [done.observation.output for step in response.steps for done in step.calls if done.observation is not None]


async def test_results_beyond_the_bound_are_left_out_and_counted():
    events = await events_of(4)
    fold = folded(events, 120_000)
    response = fold.response()
    assert fold.left_out == 2
    assert outputs(response)[2:] == [LEFT_OUT] * 2
    assert outputs(response)[:2] == ["0" * 50_000, "1" * 50_000]
    assert response.response == "All read."


async def test_a_turn_within_the_bound_is_shown_whole():
    events = await events_of(2)
    fold = folded(events, 1_000_000)
    assert (fold.left_out, fold.response()) == (0, respond(events))
