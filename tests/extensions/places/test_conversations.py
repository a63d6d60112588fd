"""The contract's questions through HTTP, with a provider's wire format behind the server: what is stored with them."""

import httpx
import msgspec
import pytest

from extensions.places.made_places import make_data_set
from glassloop.extensions.openai import OpenAISettings
from glassloop.runtime.settings import Settings
from glassloop.server.lifecycle import open_app
from model_server import model_server
from server.authenticated import bearer, told
from server.listening import listening

HARBOR = {"type": "city", "name": "Harbor", "state": "CA"}
PEACH = {"type": "metro", "name": "Peach City"}
EVERYWHERE = {"geo_filter": {"type": "state", "code": "CA"}, "category_ids": ["coffee shops"]}
SCRIPT = {
    "top 5": [
        {"search_places": {"geo_filter": HARBOR, "chain_ids": ["Starbean"], "limit": 5}},
        "These are the busiest.",
    ],
    "perform": [
        {"search_places": {"geo_filter": PEACH, "chain_ids": ["Chick-a-Dee's"]}},
        {"get_place_summary": {"chain_id": "c-chick", "geo_filter": PEACH}},
        "They do well.",
    ],
    "malls": [{"search_places": {"geo_filter": HARBOR, "category_ids": ["shopping malls"]}}, "Those."],
    "nonsense": [
        [{"search_places": {"geo_filter": {"type": "circle"}}}, {"get_place_summary": {"place_ids": ["none"]}}],
        {"search_place": {"geo_filter": HARBOR}},
        "That did not work.",
    ],
    "every coffee shop": [*[{"search_places": {**EVERYWHERE, "offset": 10 * page}} for page in range(3)], "Some."],
}
BRIEF = 'name = "brief"\nlike = "places"\nmax_iterations = 3\n'


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    made = tmp_path_factory.mktemp("home")
    make_data_set(made)
    folder = made / "assistants" / "brief"
    folder.mkdir(parents=True)
    (folder / "assistant.toml").write_text(BRIEF)
    return made


@pytest.fixture
async def client(home):
    """A client of a server with keys, `ann` and `bob` by name."""
    with model_server(SCRIPT) as provider:
        settings = Settings(
            home=str(home), database_url="sqlite:///:memory:", auth="keys", request_rate=0, titles=False
        )
        settings = settings.having(OpenAISettings(base_url=provider.url))
        settings = msgspec.structs.replace(settings, models_offline=True, embedder="none", model="openai:stand-in")
        async with open_app(settings) as opened, listening(opened.access) as url:
            store = opened.app.state.runtime.store
            async with httpx.AsyncClient(base_url=url, timeout=60.0) as made:
                made.keys = {}
                for user in ("ann", "bob"):
                    await store.users.add(user)
                    made.keys[user] = bearer((await store.keys.create(user))[0])
                made.provider = provider
                yield made


async def asked(client, question, **more):
    """The conversation's path, and what is stored with the answer after a reload."""
    ann = client.keys["ann"]
    path = f"/conversations/{(await client.post('/conversations', headers=ann)).json()['id']}"
    answer = await client.post(f"{path}/messages", json={"content": question, **more}, headers=ann)
    assert answer.status_code == 200, answer.text
    said, given = (await client.get(f"{path}/messages", headers=ann)).json()
    assert [said, given] == [answer.json()["user_message"], answer.json()["assistant_message"]]
    assert (said["content"], said["metadata"]) == (question, None)
    told(await client.get(f"{path}/messages", headers=client.keys["bob"]), 404)
    told(await client.post(f"{path}/messages", json={"content": "Hi"}, headers=client.keys["bob"]), 404)
    return given


def pairs(metadata):
    """Calls with their results, each checked field by field."""
    used = {}
    for one in metadata["tool_interactions"]:
        if one["type"] == "tool_use":
            assert set(one) == {"type", "id", "name", "input"}
            used[one["id"]] = [one["name"], one["input"]]
        else:
            assert set(one) == {"type", "tool_use_id", "content", "is_error"}
            used[one["tool_use_id"]] += [one["content"], one["is_error"]]
    assert all(len(one) == 4 for one in used.values())
    return list(used.values())


async def test_the_top_five_of_a_chain_in_a_city(client):
    given = await asked(client, "What are the top 5 Starbeans in Harbor?")
    about = given["metadata"]
    assert (about["stop_reason"], about["iteration_count"], about["sample"]) == ("end_turn", 2, True)
    ((name, sent, found, is_error),) = pairs(about)
    assert (name, sent, is_error) == ("search_places", SCRIPT["top 5"][0]["search_places"], False)
    assert 0 < len(found["places"]) <= 5 and found["total"] >= len(found["places"])
    assert {"id", "name", "address", "lat", "lon", "category_id", "chain_id", "tags"} <= set(found["places"][0])
    assert found["query_metadata"]["sample"] is True
    # The provider was shown the same result, in its own format.
    shown = [one["content"] for one in client.provider.requests[-1]["messages"] if one["role"] == "tool"]
    assert found["places"][0]["id"] in shown[-1]


async def test_finding_a_chain_and_how_it_does_takes_two_tools(client):
    about = (await asked(client, "Find Chick-a-Dee's in Peach City and tell me how they perform"))["metadata"]
    found = pairs(about)
    assert [one[0] for one in found] == ["search_places", "get_place_summary"]
    assert [one[3] for one in found] == [False, False], found
    assert about["iteration_count"] == 3


async def test_a_category_by_its_usual_name(client):
    ((_, _, found, is_error),) = pairs((await asked(client, "Which malls are in Harbor?"))["metadata"])
    assert not is_error and found["total"] >= 1


async def test_nonsense_is_told_to_the_model_and_the_turn_goes_on(client):
    given = await asked(client, "Some nonsense")
    assert given["content"].startswith("That did not work.")
    wrong, unknown_id, unknown_tool = pairs(given["metadata"])
    assert wrong[3] and "geo_filter" in wrong[2]
    assert unknown_id[3] and "none" in unknown_id[2]
    assert unknown_tool[3] and "search_places" in unknown_tool[2]
    assert given["metadata"]["stop_reason"] == "end_turn"


async def test_at_the_step_limit_the_answer_names_it(client):
    given = await asked(client, "List every coffee shop", assistant="brief")
    assert (given["metadata"]["stop_reason"], given["metadata"]["iteration_count"]) == ("max_iterations", 3)
    assert "limit of 3 iterations" in given["content"]
    assert len(pairs(given["metadata"])) == 3
