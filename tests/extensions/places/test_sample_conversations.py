"""The contract's questions over the real sample, through HTTP and a provider's wire format: every field of what is
stored with the answers, after the server was closed and opened again."""

import asyncio
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from datetime import date

import httpx
import msgspec
import pytest

from glassloop.extensions.openai import OpenAISettings
from glassloop.runtime.settings import Settings
from glassloop.server.lifecycle import open_app
from glassloop.store import open_store
from model_server import model_server
from server.authenticated import bearer, told
from server.listening import listening

SAN_FRANCISCO = {"type": "city", "name": "San Francisco", "state": "CA"}
ATLANTA = {"type": "city", "name": "Atlanta", "state": "GA"}
LOS_ANGELES = {"type": "city", "name": "Los Angeles", "state": "CA"}
COFFEE = {"geo_filter": {"type": "bbox", "south": 24, "west": -125, "north": 50, "east": -66},
          "category_ids": ["coffee shops"], "limit": 200}  # fmt: skip
SCRIPT = {
    "top 5 Starbucks": [
        {"search_places": {"geo_filter": SAN_FRANCISCO, "chain_ids": ["Starbucks"], "limit": 5}},
        "These are the busiest.",
    ],
    "Chick-fil-A": [
        {"search_places": {"geo_filter": ATLANTA, "chain_ids": ["Chick-fil-A"], "limit": 50}},
        {"get_place_summary": {"chain_id": "Chick-fil-A", "geo_filter": ATLANTA, "compare": "both"}},
        "They do well.",
    ],
    "shopping malls": [{"search_places": {"geo_filter": LOS_ANGELES, "category_ids": ["shopping malls"]}}, "Those."],
    "wrong": [
        [
            {"search_places": {"geo_filter": {"type": "circle"}}},
            {"search_places": {"geo_filter": SAN_FRANCISCO, "limit": -1}},
            {"get_place_summary": {"place_ids": ["no-such-place"]}},
            {"compare_locations": {"place_ids": ["no-such-place"], "granularity": "fortnight"}},
        ],
        {"find_places": {"geo_filter": SAN_FRANCISCO}},
        "None of it worked.",
    ],
    "every coffee shop": [*[{"search_places": {**COFFEE, "offset": 200 * page}} for page in range(9)], "Some."],
}
LIMITED = 'name = "limited"\nlike = "places"\nmax_iterations = 3\n'
MESSAGE = {"id", "conversation_id", "role", "content", "created_at", "metadata"}
METADATA = {"tool_interactions", "iteration_count", "stop_reason", "turn_id", "evidence", "sample"}
QUERY = {"geo_type", "filters_applied", "period", "as_of", "source", "sample", "unit", "missing"}
PLACE = {"id", "name", "address", "lat", "lon", "category_id", "chain_id", "tags", "visits"}
QUESTIONS = {
    "stars": ("What are the top 5 Starbucks in San Francisco?", {}),
    "chicken": ("Find Chick-fil-A in Atlanta and tell me how they perform", {}),
    "malls": ("Find shopping malls in Los Angeles", {}),
    "wrong": ("Ask for something wrong", {}),
    "coffee": ("List every coffee shop in the United States", {"assistant": "limited"}),
}

pytestmark = pytest.mark.slow


@asynccontextmanager
async def serving(home, provider):
    """A client of a server over this home folder."""
    settings = Settings(home=str(home), auth="keys", request_rate=0, titles=False, models_offline=True)
    settings = settings.having(OpenAISettings(base_url=provider.url))
    settings = msgspec.structs.replace(settings, embedder="none", model="openai:stand-in")
    async with (
        open_app(settings) as opened,
        listening(opened.access) as url,
        httpx.AsyncClient(base_url=url, timeout=120) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def sample_home(tmp_path_factory):
    """A home folder with the sample as a person makes it."""
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-m", "glassloop", "places", "sample"]
    made = subprocess.run(command, env={**os.environ, "GLASSLOOP_HOME": str(home)}, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (folder := home / "assistants" / "limited").mkdir(parents=True)
    (folder / "assistant.toml").write_text(LIMITED)
    return home


@pytest.fixture(scope="module")
def kept(sample_home):
    """The answer to each question by name, as its conversation has it after a restart."""
    return asyncio.run(_ask_and_reload(sample_home))


async def _ask_and_reload(home):
    paths, sent, kept, keys = {}, {}, {}, {}
    async with await open_store(str(home / "glassloop.db")) as store:
        for user in ("ann", "bob"):
            await store.users.add(user)
            keys[user] = bearer((await store.keys.create(user))[0])
    with model_server(SCRIPT) as provider:
        async with serving(home, provider) as client:
            ann = keys["ann"]
            for name, (question, more) in QUESTIONS.items():
                made = (await client.post("/conversations", headers=ann)).json()
                paths[name] = f"/conversations/{made['id']}"
                body = {"content": question, **more}
                answer = await client.post(f"{paths[name]}/messages", json=body, headers=ann)
                assert answer.status_code == 200, answer.text
                sent[name] = [answer.json()["user_message"], answer.json()["assistant_message"]]
        async with serving(home, provider) as client:
            for name, path in paths.items():
                found = (await client.get(f"{path}/messages", headers=ann)).json()
                assert found == sent[name]
                kept[name] = found[1]
                _check_messages(found, path, QUESTIONS[name][0])
                for method, below in (("GET", ""), ("GET", "/messages"), ("POST", "/messages"), ("DELETE", "")):
                    body = {"content": "Hi"} if method == "POST" else None
                    told(await client.request(method, path + below, json=body, headers=keys["bob"]), 404)
            assert (await client.get("/conversations", headers=keys["bob"])).json() == []
    return kept


def _check_messages(found, path, question):
    asked, given = found
    for message, role in ((asked, "user"), (given, "assistant")):
        assert set(message) == MESSAGE
        assert (message["role"], message["conversation_id"]) == (role, path.rpartition("/")[2])
        assert date.fromisoformat(message["created_at"][:10])
    assert (asked["content"], asked["metadata"]) == (question, None)
    assert set(given["metadata"]) == METADATA
    assert given["metadata"]["turn_id"] == given["id"].rpartition(".")[0]
    # An answer that rests on no data is not of the sample.
    assert given["metadata"]["sample"] is not question.endswith("wrong")


def calls_in(given):
    """Calls with their results in order, each checked field by field: name, input, content, is_error."""
    found = {}
    for one in given["metadata"]["tool_interactions"]:
        if one["type"] == "tool_use":
            assert set(one) == {"type", "id", "name", "input"} and one["id"] not in found
            found[one["id"]] = [one["name"], one["input"]]
        else:
            assert set(one) == {"type", "tool_use_id", "content", "is_error"} and one["type"] == "tool_result"
            found[one["tool_use_id"]] += [one["content"], one["is_error"]]
    assert all(len(one) == 4 for one in found.values())
    return list(found.values())


def check_estimate(found):
    assert found["low"] <= found["value"] <= found["high"] and found["panel"] >= 5


def check_query(found, geo_type):
    about = found["query_metadata"]
    assert set(about) >= QUERY and (about["geo_type"], about["sample"], about["missing"]) == (geo_type, True, [])
    period = about["period"]
    assert date.fromisoformat(period["start"]) < date.fromisoformat(period["end"]) <= date.fromisoformat(about["as_of"])


def test_the_top_five_starbucks_in_san_francisco(kept):
    about = kept["stars"]["metadata"]
    assert (about["stop_reason"], about["iteration_count"]) == ("end_turn", 2)
    ((name, sent, found, is_error),) = calls_in(kept["stars"])
    assert (name, sent, is_error) == ("search_places", SCRIPT["top 5 Starbucks"][0]["search_places"], False)
    check_query(found, "city")
    assert len(found["places"]) == 5 < found["total"] and found["totals"]["places"] == found["total"]
    for place in found["places"]:
        assert set(place) >= PLACE and place["name"] == "Starbucks" and ", San Francisco, CA 94" in place["address"]
        assert 37.6 < place["lat"] < 37.9 and -122.6 < place["lon"] < -122.3
        check_estimate(place["visits"])
    visits = [place["visits"]["value"] for place in found["places"]]
    assert visits == sorted(visits, reverse=True)
    assert {point["id"] for point in found["map"]["points"]} == {place["id"] for place in found["places"]}


def test_chick_fil_a_in_atlanta_and_how_they_perform(kept):
    found, summed = calls_in(kept["chicken"])
    assert (found[0], summed[0], found[3], summed[3]) == ("search_places", "get_place_summary", False, False)
    assert kept["chicken"]["metadata"]["iteration_count"] == 3
    check_query(summed[2], "city")
    places = {place["id"]: place for place in found[2]["places"]}
    assert found[2]["total"] == summed[2]["total"]["places"] == len(places) == len(summed[2]["places"]) > 3
    for place in summed[2]["places"]:
        assert place["visits"] == places[place["id"]]["visits"]
        check_estimate(place["visitors"])
        assert 0 < place["dwell"]["median_minutes"] < 240 and place["rank"]["category"]["rank"] >= 1
        assert set(place["changes"]) == {"previous", "year"}
    together = sum(place["visits"]["value"] for place in summed[2]["places"])
    assert abs(summed[2]["total"]["visits"]["value"] - together) <= len(places)


def test_shopping_malls_in_los_angeles(kept):
    ((_, _, found, is_error),) = calls_in(kept["malls"])
    assert not is_error and found["total"] >= 3
    assert len({place["category_id"] for place in found["places"]}) == 1
    assert found["query_metadata"]["filters_applied"]


def test_invalid_parameters_are_errors_that_tell_the_remedy_and_the_turn_goes_on(kept):
    given = kept["wrong"]
    assert given["content"].startswith("None of it worked.")
    assert (given["metadata"]["stop_reason"], given["metadata"]["iteration_count"]) == ("end_turn", 3)
    found = calls_in(given)
    assert [one[3] for one in found] == [True] * 5
    remedies = ("geo_filter", "limit", "search_places", "granularity", "search_places")
    for (_, _, content, _), remedy in zip(found, remedies, strict=True):
        assert isinstance(content, str) and remedy in content and len(content) < 1_000
        assert not re.search(r"/(?:tmp|home|work|root|usr)/|Traceback|File \"", content)


def test_at_a_limit_of_three_the_answer_names_it_and_what_was_found(kept):
    given = kept["coffee"]
    assert (given["metadata"]["stop_reason"], given["metadata"]["iteration_count"]) == ("max_iterations", 3)
    assert "limit of 3 iterations" in given["content"]
    found = calls_in(given)
    assert [one[0] for one in found] == ["search_places"] * 3 and not any(one[3] for one in found)
    ids = [place["id"] for one in found for place in one[2]["places"]]
    assert len(ids) == len(set(ids)) == 600 < found[0][2]["total"]
