"""What a model reads of a result: which rows first, how to read on, ranges, notes and units."""

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core.messages import ToolMessage
from glassloop.models.scripted_model import call as calling


async def seen(call, *calls):
    """The results of one step as a model is shown them."""
    model = ScriptedModel([[calling(name, **arguments) for name, arguments in calls], "Done."])
    await Agent(model, list(call.tools.values())).stream("Look.").drain()
    return [message.content for message in model.requests[-1].messages if isinstance(message, ToolMessage)]


async def test_a_series_shows_its_newest_rows_with_ranges_and_reads_on_by_an_id(call):
    arguments = {"place_ids": ["p001", "p002"], "granularity": "day", "start_date": "2026-01-01"}
    (shown,) = await seen(call, ("compare_locations", arguments))
    rows = [line for line in shown.splitlines() if line.startswith("| 2026-")]
    assert rows[0].startswith("| 2026-03-15 |")
    assert len(rows) == 20
    assert " to " in rows[0]
    assert 'read_result(result="r1", offset=22)' in shown
    assert "Unit: visits" in shown
    data = (await call("compare_locations", **arguments)).data
    assert data["rows"][0]["day"] == "2026-01-01"


@pytest.mark.parametrize(("days", "cut"), [(20, False), (22, False), (40, True)])
async def test_a_series_is_not_cut_for_a_few_rows(call, days, cut):
    arguments = {"place_ids": ["p001", "p002"], "granularity": "day", "period": f"last_{days}_days"}
    (shown,) = await seen(call, ("compare_locations", arguments))
    assert ("read_result" in shown) == cut
    assert sum(line.startswith("| 2026-") for line in shown.splitlines()) == (20 if cut else days)
