"""A server that hangs, floods, dies or talks nonsense hurts nobody but itself."""

import asyncio
import json
from typing import Any

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.extensions.mcp.client.definition import MAX_PAGES, MAX_TOOLS
from glassloop.extensions.mcp.client.server import RESTARTS, WINDOW_S
from glassloop.extensions.mcp.client.transport.connection import MAX_CALLS
from glassloop.models.scripted_model import call
from glassloop.tools.registry import ToolRegistry
from tools.processes import gone
from waiting import until


async def test_a_server_that_does_not_answer_the_greeting_is_given_up_and_ended(place: Any) -> None:
    place.write(place.home, mute=place.odd("mute", start_s=0.3), fine=place.odd("plain"))
    servers = await place.open()
    mute, fine = servers.status
    assert (mute.state, fine.state) == ("failed", "running")
    assert mute.reason == ("The MCP server 'mute' could not be started: it did not answer the greeting within 0.3 s.")
    assert {tool.name for tool in servers.tools} == {"fine__echo", "fine__misbehave", "fine__look"}
    # The mute one may have been ended before it could say who it is.
    await until(lambda: sum(not gone(pid) for pid in place.pids) == 1)


async def test_opening_does_not_wait_longer_than_its_patience(place: Any) -> None:
    place.write(place.home, mute=place.odd("mute", start_s=300))
    servers = await place.open(patience_s=0.05)
    assert servers.status[0].state == "starting"
    assert servers.tools == []


async def test_a_server_that_dies_at_once_says_why_in_its_own_words(place: Any) -> None:
    place.write(place.home, odd=place.odd("dies_at_once"))
    (status,) = (await place.open()).status
    assert (status.state, status.reason) == (
        "failed",
        "The MCP server 'odd' could not be started: it ended with status 3; it wrote: cannot find its config.",
    )


async def test_a_program_that_is_not_there_is_named(place: Any) -> None:
    place.write(place.home, odd={"command": "no-such-program-anywhere"}, lost={"command": "true", "cwd": "nowhere"})
    odd, lost = (await place.open()).status
    assert "there is no program 'no-such-program-anywhere' here" in odd.reason
    assert f"there is no folder {str(place.home / 'nowhere')!r}" in lost.reason


async def test_a_death_during_an_effect_leaves_the_outcome_unknown_and_a_read_is_tried_again(place: Any) -> None:
    env = {"TOKEN": "hunter2hunter2"}
    tools = await place.odd_tools("dies", env=env)
    lost = await tools.execute("odd__misbehave")
    assert lost.cause == "in_doubt"
    assert lost.error == (
        "The MCP server 'odd' was lost during the call: it ended with status 7; it wrote: out of cheese, token=***."
    )
    again = await tools.execute("odd__echo", {"text": "back"})
    assert again.output == "back"
    assert len(place.pids) == 2


async def test_a_turn_with_a_server_that_dies_in_a_read_goes_on_to_its_answer(place: Any) -> None:
    tools = await place.odd_tools("dies", effects={"misbehave": "read"})
    model = ScriptedModel([call("odd__misbehave"), "It could not be read."])
    response = await Agent(model, tools).run("Read it.")
    assert response.text == "It could not be read."
    observation = response.steps[0].observation
    assert observation is not None and not observation.success
    assert "'odd'" in (observation.error or "")


async def test_a_turn_with_a_server_that_dies_in_an_effect_pauses_to_ask_what_became_of_it(place: Any) -> None:
    tools = await place.odd_tools("dies")
    stream = Agent(ScriptedModel([call("odd__misbehave")]), tools).stream("Do it.")
    await stream.drain()
    paused = stream.events[-1]
    assert isinstance(paused, e.TurnWaiting) and paused.reason == "outcome_unknown"
    assert place.lines("calls") == ['["misbehave", {}]']


async def test_cancelling_a_turn_reaches_the_server_and_does_not_wait_for_it(place: Any) -> None:
    tools = await place.odd_tools("hangs")
    stream = Agent(ScriptedModel([call("odd__misbehave")]), tools).stream("Do it.")
    events: list[Any] = []

    async def drain() -> None:
        events.extend([event async for event in stream])

    running = asyncio.create_task(drain())
    await until(lambda: place.lines("calls"))
    stream.cancel()
    async with asyncio.timeout(60):
        await running
    assert isinstance(events[-1], e.TurnFinished) and events[-1].status == "cancelled"
    await until(lambda: cancelled(place))
    assert cancelled(place) == [request["id"] for request in place.heard if request.get("method") == "tools/call"]
    assert (await tools.execute("odd__echo", {"text": "still here"})).output == "still here"


async def test_a_call_that_takes_too_long_fails_and_the_server_is_told(place: Any) -> None:
    tools = await place.odd_tools("hangs", timeout_s=0.2)
    late = await tools.execute("odd__misbehave")
    assert late.error == "'misbehave' of the MCP server 'odd' took longer than 0.2 s."
    assert late.cause == "in_doubt"
    await until(lambda: cancelled(place))


async def test_a_server_that_reads_nothing_delays_neither_cancelling_nor_closing(place: Any) -> None:
    tools = await place.odd_tools("deaf", timeout_s=600)
    stuck = asyncio.create_task(tools.execute("odd__misbehave"))
    await until(lambda: place.lines("calls"))
    waiting = [asyncio.create_task(tools.execute("odd__echo", {"text": "x" * 100_000})) for _ in range(20)]
    await asyncio.sleep(0)
    for task in (stuck, *waiting):
        task.cancel()
    async with asyncio.timeout(60):
        await asyncio.gather(stuck, *waiting, return_exceptions=True)
    await place.opened[0].aclose()
    assert all(gone(pid) for pid in place.pids)


async def test_more_calls_than_a_server_may_have_are_refused_without_being_sent(place: Any) -> None:
    tools = await place.odd_tools("hangs", timeout_s=600)
    calls = [asyncio.create_task(tools.execute("odd__misbehave")) for _ in range(MAX_CALLS)]
    await until(lambda: len(place.lines("calls")) == MAX_CALLS)
    refused = await tools.execute("odd__misbehave")
    assert "try again later" in (refused.error or "")
    assert refused.metadata == {}
    for task in calls:
        task.cancel()
    await asyncio.gather(*calls, return_exceptions=True)


@pytest.mark.parametrize("habit", ["huge", "huge_last"])
async def test_an_answer_beyond_the_limit_fails_that_call_only(place: Any, habit: str) -> None:
    tools = await place.odd_tools(habit, max_bytes=10_000)
    result = await tools.execute("odd__misbehave")
    assert result.error == (
        "The MCP server 'odd' ran the call, but the answer has more than 10,000 bytes; ask for less, "
        'or allow more with "max_bytes" under "glassloop" in the server\'s entry.'
    )
    assert result.metadata == {}
    assert (await tools.execute("odd__echo", {"text": "fine"})).output == "fine"


async def test_a_line_without_end_costs_no_memory_and_ends_with_its_call(place: Any) -> None:
    import resource

    tools = await place.odd_tools("no_newline", timeout_s=0.5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await tools.execute("odd__misbehave")
    assert "took longer than 0.5 s" in (result.error or "")
    # The server wrote megabytes meanwhile; in kilobytes.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8_000


async def test_an_answer_behind_a_flood_of_chatter_still_arrives(place: Any) -> None:
    tools = await place.odd_tools("chatters")
    result = await tools.execute("odd__misbehave")
    assert result.output == "after all that"


async def test_endless_chatter_ends_with_its_call_and_leaves_other_work_alone(place: Any) -> None:
    tools = await place.odd_tools("chatters_forever", timeout_s=0.5)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    ticking = asyncio.create_task(tick())
    async with asyncio.timeout(60):
        # More than one call only where this machine has no time for us.
        while ticks <= 10:
            result = await tools.execute("odd__misbehave")
            assert "took longer than 0.5 s" in (result.error or "")
    ticking.cancel()


async def test_what_is_no_message_is_passed_over_and_a_bad_answer_fails_its_call(place: Any) -> None:
    tools = await place.odd_tools("garbage")
    bad = await tools.execute("odd__misbehave")
    assert "ran the call, but its answer is not valid" in (bad.error or "")
    assert (await tools.execute("odd__echo", {"text": "fine"})).output == "fine"


@pytest.mark.parametrize(("habit", "told"), [("half", "half a ?"), ("bytes", "Gr\ufffdsse")])
async def test_an_answer_with_half_a_character_is_read_without_it(place: Any, habit: str, told: str) -> None:
    tools = await place.odd_tools(habit, timeout_s=60)
    assert (await tools.execute("odd__misbehave")).output == told


async def test_errors_of_a_server_become_failures_in_its_words(place: Any) -> None:
    tools = await place.odd_tools("error")
    refused = await tools.execute("odd__misbehave")
    assert (refused.error, refused.metadata) == ("The MCP server 'odd' refused the call: no such luck", {})


async def test_a_result_that_says_it_is_an_error_is_one(place: Any) -> None:
    tools = await place.odd_tools("says_error")
    assert (await tools.execute("odd__misbehave")).error == "the disk is full"


async def test_pictures_and_files_are_described_and_values_kept(place: Any) -> None:
    tools = await place.odd_tools("everything_else")
    result = await tools.execute("odd__misbehave")
    assert result.data == {"n": 1}
    assert result.output.split("\n") == [
        "first",
        "[a picture, image/png, 300 bytes: not shown]",
        "[a sound, audio/wav, 3 bytes: not shown]",
        "[a link to x: file:///tmp/x.txt]",
        "[file:///tmp/y.txt]",
        "inside",
        "[file:///tmp/z.bin, x/y, 3 bytes: not shown]",
    ]


async def test_ten_thousand_tools_are_cut_to_what_can_be_offered(place: Any) -> None:
    tools = await place.odd_tools("many")
    assert len(tools) == MAX_TOOLS
    (status,) = place.opened[0].status
    assert status.notes == (f"It lists more than {MAX_TOOLS} tools: the rest is left out.",)


async def test_pages_without_end_are_given_up(place: Any) -> None:
    tools = await place.odd_tools("pages")
    assert len(tools) == MAX_PAGES
    assert "on more than 64 pages" in place.opened[0].status[0].notes[0]


async def test_pages_in_a_circle_are_read_once(place: Any) -> None:
    assert (await place.odd_tools("circle")).names == ("odd__t0", "odd__t1")


async def test_a_listing_beyond_the_limit_is_a_failure_of_its_server(place: Any) -> None:
    place.write(place.home, odd=place.odd("vast"))
    servers = await place.open()
    assert servers.status[0].state == "failed"
    assert "did not list its tools: the answer has more than 1,000,000 bytes" in servers.status[0].reason


async def test_names_that_collide_or_steer_are_kept_apart(place: Any) -> None:
    tools = await place.odd_tools("names")
    names = list(tools.names)
    assert len(set(names)) == len(names) == 8
    assert {"odd__a_b", "odd__echo"} < set(names)
    assert all(name.isascii() and len(name) <= 64 and name.startswith("odd__") for name in names)
    (status,) = place.opened[0].status
    assert sorted(tool.reason for tool in status.tools if tool.state == "refused") == [
        "A tool without a name cannot be called.",
        "Its name is longer than 128 characters.",
    ]
    assert status.notes == ("It lists 'echo' twice: the first is taken.",)
    dotted = next(name for name in names if name.startswith("odd__a_b_"))
    await tools.execute(dotted, {"text": "x"})
    assert json.loads(place.lines("calls")[0])[0] in ("a.b", "a b", "a\x07b")


async def test_a_server_that_keeps_dying_is_started_ever_later_and_then_not_at_all(place: Any) -> None:
    now = 0.0
    place.write(place.home, odd=place.odd("dies", confirm=False))
    tool = ToolRegistry((await place.open(clock=lambda: now)).tools)
    assert (await tool.execute("odd__misbehave")).cause == "in_doubt"
    for restart in range(RESTARTS):
        assert (await tool.execute("odd__misbehave")).cause == "in_doubt", restart
        refused = await tool.execute("odd__misbehave")
        assert "does not stay up" in (refused.error or "")
        now += 2.0**restart
    assert len(place.pids) == 1 + RESTARTS
    now += 60
    refused = await tool.execute("odd__misbehave")
    assert "does not stay up" in (refused.error or "")
    assert refused.metadata == {}
    now += WINDOW_S
    again = await tool.execute("odd__echo", {"text": "again"})
    assert (again.output, again.error) == ("again", None)


def cancelled(place: Any) -> list[Any]:
    """The requests that the server was told to give up."""
    told = [message for message in place.heard if message.get("method") == "notifications/cancelled"]
    return [message["params"]["requestId"] for message in told]
