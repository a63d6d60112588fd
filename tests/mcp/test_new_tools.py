"""Tools that appear after a server was first listed: they ask, whatever the user's entry says, until accepted."""

from typing import Any

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.models.scripted_model import call
from glassloop.tools.registry import ToolRegistry

FIRST = {"name": "echo", "description": "Says it back."}


@pytest.mark.parametrize(
    "options",
    [
        {"effects": {"late": "read", "echo": "read"}},
        {"confirm": False},
        {"confirm": {"late": False}},
        {"trust_hints": True},
    ],
    ids=str,
)
async def test_a_tool_that_comes_later_asks_whatever_options_say_until_a_person_accepts_it(
    place: Any, options: dict[str, Any]
) -> None:
    late = {"name": "late", "description": "Reads.", "annotations": {"readOnlyHint": True, "idempotentHint": True}}
    place.lists("tools.json", FIRST)
    tools = await place.odd_tools("listing", **{"confirm": True, **options})
    servers = place.opened[0]
    place.lists("tools.json", FIRST, late)
    await servers.refresh()
    status = servers.status[0].tools[1]
    assert (status.state, status.effect, status.confirm, status.accepted) == ("new", "external", True, None)
    assert status.now.description == "Reads."
    made = ToolRegistry(servers.tools).specs["odd__late"]
    assert (made.effect, made.confirm, made.idempotent) == ("external", True, False)
    # One that nobody has accepted may change, and stays new: there is nothing to compare it with.
    place.lists("tools.json", FIRST, {**late, "description": "Reads more."})
    await servers.refresh()
    status = servers.status[0].tools[1]
    assert (status.state, status.now.description) == ("new", "Reads more.")
    again = await place.open()
    assert again.status[0].tools[1].state == "new"

    with pytest.raises(UsageError, match="not what was shown"):
        await servers.accept("odd", "late", digest="0" * 64)
    await servers.accept("odd", "late", digest=status.digest)
    assert servers.status[0].tools[1].state == "offered"
    accepted = ToolRegistry(servers.tools).specs["odd__late"]
    assert not (accepted.effect == "external" and accepted.confirm)
    assert tools.names == ("odd__echo",)


async def test_a_call_of_a_tool_that_came_later_waits_for_a_person(place: Any) -> None:
    place.lists("tools.json", FIRST)
    await place.odd_tools("listing", effects={"late": "read"})
    servers = place.opened[0]
    place.lists("tools.json", FIRST, {"name": "late"})
    await servers.refresh()
    stream = Agent(ScriptedModel([call("odd__late", text="x"), "Done."]), ToolRegistry(servers.tools)).stream(
        "Call it."
    )
    await stream.drain()
    assert [event.call.tool for event in stream.events if isinstance(event, e.ApprovalRequested)] == ["odd__late"]
    assert place.lines("calls") == []
