"""The assistant's prompt: facts of the user's data, kept with the turn; its tools in every provider's form."""

import json
from typing import get_args

from extensions.places.made_places import make_data_set
from glassloop import Agent, ScriptedModel
from glassloop.extensions.places.query.geo_filter import GeoShape
from glassloop.extensions.places.tools import make_tools
from glassloop.runtime.assistants.assistant_files import open_assistant
from glassloop.runtime.build import build_agent, open_runtime
from glassloop.runtime.settings import Settings

TOOLS = {
    "search_places", "get_place_summary", "compare_locations", "get_trade_area_profile", "get_profile_and_overlap",
    "get_visit_flows", "search_past_conversations", "find_similar_places", "get_new_store_effect", "todo",
}  # fmt: skip


async def test_the_prompt_tells_which_data_there_is_and_keeps_it_with_the_turn(tmp_path, put_store):
    put_store(tmp_path / "glassloop.db")
    make_data_set(tmp_path)
    settings = Settings(home=str(tmp_path))
    model = ScriptedModel(["Hello."] * 3)

    def make(_wanted):
        return Agent(model, make_tools(tmp_path), profile=open_assistant("places", settings).profile(settings))

    async with await open_runtime(settings, make=make) as runtime:
        await runtime.ask("Hi", user="ann", wanted="places")
        (row,) = await runtime.store.turns.list(1)
        started = await runtime.store.turns.first(row.id)
        told = started.settings["facts"]["places.data"]
        assert told.startswith('"Made places" (sample data, made up: say so in every answer), as of 2026-03-16')
        assert '"Harbor"' in told and "2025-01-01 to 2026-03-15" in told
        assert told in model.requests[0].system
        assert "{" not in model.requests[0].system.split("# Rules")[0]
        assert (await runtime.replay(row.id)).differences == ()


def test_the_assistant_is_as_the_contract_has_it(tmp_path):
    agent = build_agent("places", Settings(home=str(tmp_path)), "reflex")
    assert set(agent.tools.specs) == TOOLS
    profile = agent.profile
    assert (profile.limits.iterations, profile.max_tokens, profile.limits.calls_per_step) == (10, 4096, 16)
    assert not profile.planner and not profile.reflection


def test_every_tool_has_a_schema_for_every_provider(call):
    for made in call.tools.values():
        anthropic = made.to_anthropic_schema()
        assert set(anthropic) == {"name", "description", "input_schema"}
        assert all(word in json.dumps(anthropic) for word in ("description", "properties"))
        assert made.to_openai_schema()["function"]["parameters"] == anthropic["input_schema"]
        assert "$ref" not in json.dumps(made.to_gemini_schema())
    schema = call.tools["search_places"].to_anthropic_schema()["input_schema"]
    geo = schema["properties"]["geo_filter"]
    kinds = next(each for each in geo["anyOf"] if each["type"] == "object")["properties"]["type"]["enum"]
    assert (
        set(kinds)
        == {each.model_fields["type"].annotation.__args__[0] for each in get_args(GeoShape)}
        == {"city", "metro", "state", "zip", "neighborhood", "radius", "bbox", "polygon", "places"}
    )
    assert {"type": "string"} in [{"type": each.get("type")} for each in geo["anyOf"]]
    assert set(schema["properties"]["sort"]["enum"]) == {"visits", "distance", "name", "trend"}
    assert schema["required"] == ["geo_filter"]
    assert all(each.get("description") for each in schema["properties"].values())
