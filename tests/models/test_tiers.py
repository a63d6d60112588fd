"""Tiers, presets, defaults."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import UsageError
from glassloop.core.messages import ModelRequest, Purpose, Reply, UserMessage
from glassloop.core.ports import Model
from glassloop.core.records import Tier
from glassloop.models.model_name import parse_model_name
from glassloop.models.scripted_model import ScriptedModel
from glassloop.models.tiers import PRESETS, find_preset, make_tiers
from glassloop.runtime.settings import Settings

TIERS: tuple[Tier, ...] = get_args(Tier)


def test_every_provider_with_default_models_has_one_for_every_tier() -> None:
    found = {name: provider.tiers for name, provider in Settings().extensions.providers.items() if provider.tiers}
    assert found.keys() == {"anthropic", "google", "ollama", "openai"}
    for provider, names in found.items():
        assert tuple(names) == TIERS
        assert {parse_model_name(name).provider for name in names.values()} == {provider}


@given(st.sampled_from(sorted(PRESETS)), st.sampled_from(get_args(Purpose)), st.none() | st.text())
def test_every_preset_has_a_tier_for_everything(name: str, purpose: Purpose, last_tool: str | None) -> None:
    assert find_preset(name).tier_for(purpose, last_tool) in TIERS


@pytest.mark.parametrize("name", [None, "", "turbo", "Balanced"])
def test_an_unknown_preset_is_balanced(name: str | None) -> None:
    assert find_preset(name) is PRESETS["balanced"]


def test_presets_differ_in_what_they_spend() -> None:
    spent = {
        name: [preset.tier_for(purpose) for purpose in ("plan", "decide", "route")] for name, preset in PRESETS.items()
    }
    assert spent == {
        "speed": ["fast", "fast", "fast"],
        "balanced": ["powerful", "balanced", "fast"],
        "quality": ["powerful", "powerful", "balanced"],
    }


def test_a_tool_may_have_a_tier_of_its_own() -> None:
    preset = find_preset("quality").with_tools({"clock": "fast"})
    assert [preset.tier_for("decide", tool) for tool in ("clock", "search", "", None)] == ["fast"] + ["powerful"] * 3
    assert preset.tier_for("synthesize", "clock") == "powerful"
    assert find_preset("quality").tier_for("decide", "clock") == "powerful"


def test_a_tier_without_a_model_uses_the_balanced_one() -> None:
    tiers = make_tiers({"balanced": "main", "powerful": "strong"}, lambda name: ScriptedModel([], name=name))
    assert {tier: model.name for tier, model in tiers.items()} == {
        "fast": "main",
        "balanced": "main",
        "powerful": "strong",
    }


async def test_each_name_is_made_once_and_a_tier_falls_back_to_its_own_spare() -> None:
    made: list[str] = []

    def make(name: str) -> Model:
        made.append(name)
        return ScriptedModel([f"{name} speaking"] if name == "spare" else [], name=name)

    names: dict[Tier, str] = {"balanced": "main", "powerful": "main", "fast": "small"}
    tiers = make_tiers(names, make, fallbacks={"fast": "main", "balanced": "main"}, retries=0)
    assert sorted(made) == ["main", "small"]
    assert tiers["balanced"] is tiers["powerful"]
    assert [tiers[tier].name for tier in TIERS] == ["small", "main", "main"]


async def test_a_tier_that_fails_is_answered_by_its_fallback() -> None:
    from glassloop.core.errors import ModelUnavailable

    scripts = {"main": [ModelUnavailable("away")], "spare": ["spare speaking"]}
    tiers = make_tiers(
        {"balanced": "main"}, lambda name: ScriptedModel(scripts[name]), fallbacks={"balanced": "spare"}, retries=0
    )
    request = ModelRequest(system="", messages=(UserMessage("hi"),))
    last = [chunk async for chunk in tiers["balanced"].stream(request)][-1]
    assert isinstance(last, Reply)
    assert last.message.text == "spare speaking"


def test_tiers_without_a_balanced_model_are_refused() -> None:
    with pytest.raises(UsageError, match="balanced"):
        make_tiers({"fast": "small"}, lambda name: ScriptedModel([]))
