"""An examination finds out what an endpoint does, by real calls, and recommends what works there."""

import asyncio
import json
from typing import Any

import pytest

from glassloop.core.messages import Abilities
from glassloop.extensions.openai import OpenAISettings
from glassloop.extensions.openai.context_length import OLLAMA_DEFAULT, context_of, ollama_context
from glassloop.extensions.openai.model import OpenAIModel
from glassloop.models.probe import examine
from glassloop.runtime.models import examine_model, named_models
from glassloop.runtime.probed_models import FILE, find_probe, forget_probe, list_probes, store_probe
from glassloop.runtime.settings import Settings

COUNTED = {"content": "1 2 3 4 5 6 7 8 9 10 11 12"}
LIMA = {"name": "look_up_code", "arguments": {"city": "Lima"}, "id": "call_1"}
OSLO = {"name": "look_up_code", "arguments": {"city": "Oslo"}, "id": "call_2"}
KEPT = {"content": '{"city":"Lima","letters":4}'}


def fixtures(voice: Any, one: Any, two: Any, letters: Any, result: Any = None) -> list[dict[str, Any]]:
    said = {"content": "It is QX-7731."} if result is None else result
    stop = {"finishReason": "stop"} if voice == "google" else {}
    one, two = ({**answer, **stop} if "toolCalls" in answer else answer for answer in (one, two))
    return [
        {"match": {"userMessage": "numbers from 1 to 12"}, "response": COUNTED},
        {"match": {"userMessage": "code of the city Lima", "hasToolResult": True}, "response": said},
        {"match": {"userMessage": "code of the city Lima", "hasToolResult": False}, "response": one},
        {"match": {"userMessage": "Lima and Oslo"}, "response": two},
        {"match": {"userMessage": "How many letters"}, "response": letters},
        {"match": {"userMessage": "right half of this image"}, "response": {"content": "Blue and yellow."}},
    ]


def found(examination: Any) -> dict[str, bool | None]:
    return {finding.probe: finding.ok for finding in examination.findings}


async def test_a_capable_endpoint_is_used_with_its_own_calls(voice: Any, aimock: Any) -> None:
    calls = {"toolCalls": [LIMA]}
    aimock.add(*fixtures(voice.name, calls, {"toolCalls": [LIMA, OSLO]}, KEPT))
    told: list[str] = []
    made = await examine(lambda abilities: voice.make(aimock.url, abilities=abilities), lambda f: told.append(f.probe))
    results = found(made)
    # aimock tells no usage unless it is told one.
    assert {probe for probe, ok in results.items() if ok is False} <= {"usage"}, made.findings
    assert results["tools"] and results["results"] and results["parallel"] and results["schema"]
    assert (made.protocol, made.abilities.native_tools, made.abilities.json_schema) == ("native", True, True)
    assert told == [finding.probe for finding in made.findings]
    assert made.calls == 6
    assert made.abilities.images


def open_openai(url: str) -> Any:
    return lambda abilities: OpenAIModel("m", api_key="k", base_url=f"{url}/v1", abilities=abilities)


async def test_one_that_writes_its_calls_as_text_is_asked_for_json(aimock: Any) -> None:
    written = {"content": '{"reasoning": "r", "action": "tool", "tool": "look_up_code", "args": {"city": "Lima"}}'}
    aimock.add(*fixtures("openai", written, written, {"content": "It has 4 letters."}))
    made = await examine(open_openai(aimock.url))
    results = found(made)
    assert (results["tools"], results["schema"], results["protocol"]) == (False, False, True)
    assert "results" not in results and "parallel" not in results
    assert (made.protocol, made.abilities.native_tools, made.abilities.json_schema) == ("json", False, False)


async def test_one_that_knows_only_lines_of_text_is_told_so(aimock: Any) -> None:
    lines = {"content": 'Thought: look it up\nAction: look_up_code\nAction Input: {"city": "Lima"}'}
    aimock.add(*fixtures("openai", lines, lines, {"content": "4"}))
    made = await examine(open_openai(aimock.url))
    assert made.protocol == "text"


async def test_calls_whose_results_are_refused_are_not_recommended(aimock: Any) -> None:
    refused = {"error": {"message": "tool messages are not supported", "type": "invalid_request_error"}, "status": 400}
    aimock.add(*fixtures("openai", {"toolCalls": [LIMA]}, {"toolCalls": [LIMA]}, KEPT, result=refused))
    made = await examine(open_openai(aimock.url))
    assert (found(made)["tools"], found(made)["results"]) == (True, False)
    assert not made.abilities.native_tools and made.abilities.json_schema
    assert made.protocol == "json"
    assert "tool messages are not supported" in next(f.detail for f in made.findings if f.probe == "results")


async def test_thinking_in_tags_is_seen_and_not_taken_for_the_answer(aimock: Any) -> None:
    aimock.add(*fixtures("openai", {"toolCalls": [LIMA]}, {"toolCalls": [LIMA]}, KEPT)[1:])
    aimock.add(
        {"match": {"userMessage": "numbers from 1"}, "response": {"content": "<think>hm</think>" + COUNTED["content"]}}
    )
    made = await examine(open_openai(aimock.url))
    details = {finding.probe: finding.detail for finding in made.findings}
    assert "tags" in details["thinks"] and details["answers"] == "as asked"
    assert details["parallel"] == "one call a reply"


async def test_an_endpoint_that_is_not_there_is_one_sentence_and_recommends_nothing() -> None:
    made = await examine(open_openai("http://127.0.0.1:9"))
    assert not made.works and made.protocol is None
    assert "check the network and the address" in (made.error or "")
    assert made.calls == 1


@pytest.mark.parametrize(
    ("told", "tokens"),
    [
        ({"id": "m", "max_model_len": 16384}, 16384),
        ({"id": "m", "meta": {"n_ctx_train": 32768, "n_ctx": 4096}}, 4096),
        ({"id": "m", "context_length": 200000, "top_provider": {"context_length": 100000}}, 200000),
        ({"id": "m", "loaded_context_length": 8192, "max_context_length": 131072}, 8192),
        ({"id": "m", "context_window": "big"}, None),
        ({"id": "m"}, None),
    ],
)
async def test_the_context_length_is_read_off_what_servers_say(wire: Any, told: Any, tokens: int | None) -> None:
    wire.plays([json.dumps(told).encode()], headers={"content-type": "application/json"})
    model = OpenAIModel("m", api_key="k", base_url=f"{wire.url}/v1")
    assert await model.context_length() == tokens
    await model.aclose()


@pytest.mark.parametrize(
    ("parameters", "tokens"), [("", OLLAMA_DEFAULT), ("num_ctx    16384\ntop_k 2", 16384), ("num_ctx 99999999", 40960)]
)
async def test_of_ollama_only_what_it_lets_the_model_read_counts(wire: Any, parameters: str, tokens: int) -> None:
    told = {"model_info": {"qwen3.context_length": 40960}, "parameters": parameters}
    wire.plays([json.dumps(told).encode()], headers={"content-type": "application/json"})
    model = OpenAIModel("qwen3", api_key="k", base_url=f"{wire.url}/v1", local=True)
    assert await model.context_length() == tokens
    assert wire.bodies == [{"model": "qwen3"}]
    await model.aclose()


@pytest.mark.parametrize("nonsense", [b"[]", b"{}", b'{"model_info": 3}', b'{"model_info": {"x.context_length": -4}}'])
def test_nonsense_tells_no_length(nonsense: bytes) -> None:
    assert ollama_context(nonsense) is None
    assert context_of(json.loads(nonsense)) is None


async def test_what_was_found_is_remembered_for_that_address_only(tmp_path: Any, aimock: Any) -> None:
    aimock.add(*fixtures("openai", {"content": "no"}, {"content": "no"}, KEPT))
    here = Settings(home=str(tmp_path)).having(OpenAISettings(base_url=f"{aimock.url}/v1", api_key="k"))
    elsewhere = Settings(home=str(tmp_path)).having(OpenAISettings(base_url="http://127.0.0.1:9/v1", api_key="k"))
    made = await examine_model("openai:m", here)
    assert store_probe(made, here) == tmp_path / FILE
    assert find_probe("openai:m", here).abilities == made.abilities
    assert find_probe("openai:m", elsewhere) is None
    assert not named_models("openai:m", here)["balanced"].abilities.native_tools
    assert named_models("openai:m", elsewhere)["balanced"].abilities.native_tools
    store_probe(made, here)
    assert len(list_probes(here)) == 1
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    assert forget_probe("openai:m", here) and not forget_probe("openai:m", here)
    assert named_models("openai:m", here)["balanced"].abilities.native_tools


async def test_a_remembered_file_that_is_damaged_says_nothing(tmp_path: Any) -> None:
    (tmp_path / FILE).write_text('[{"model": 3}')
    settings = Settings(home=str(tmp_path))
    assert find_probe("openai:m", settings) is None
    await asyncio.to_thread(named_models, "reflex", settings)
    assert Abilities().native_tools
