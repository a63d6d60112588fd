"""Tests of an agent with a fake model: `pytest test_stock_agent.py`."""

import pytest

from glassloop import Agent, ScriptedModel, TurnPaused, call, tool

STOCK = {"BRG-6204": 140}


@tool(effect="write", confirm=True)
def take_out(sku: str, units: int) -> int:
    """Takes units of an item out of the stock; how many are left."""
    STOCK[sku] -= units
    return STOCK[sku]


def test_the_agent_asks_before_it_takes_anything_out() -> None:
    model = ScriptedModel([call("take_out", sku="BRG-6204", units=40)])
    with pytest.raises(TurnPaused) as paused:
        Agent(model, [take_out]).run_sync("Take out 40 bearings.")
    assert paused.value.pending[0].call.args == {"sku": "BRG-6204", "units": 40}
    assert STOCK == {"BRG-6204": 140}


def test_the_model_is_told_what_was_wrong_with_its_call() -> None:
    model = ScriptedModel([call("take_out", sku="BRG-6204", units="many"), "I need a number."])
    assert Agent(model, [take_out]).run_sync("Take out many.").text == "I need a number."
    assert "units" in str(model.requests[1].messages[-1])
    assert not model.unplayed
