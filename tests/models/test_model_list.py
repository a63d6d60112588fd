"""Lists of models in the wire format of each provider, page by page, and what bad ones come to."""

import pytest

from glassloop.core.errors import ModelError
from glassloop.extensions.anthropic import AnthropicSettings
from glassloop.extensions.google import GoogleSettings
from glassloop.extensions.openai import OpenAISettings
from glassloop.extensions.openai.ollama import OllamaSettings
from glassloop.models.provider_kit.model_list import MAX_MODELS, ListedModel, ListPage, entries_of, fetch_models
from glassloop.runtime.catalogue.model_catalogue import FAILED_S, KEPT_S, ModelCatalogue
from glassloop.runtime.settings import Settings
from provider_lists import KEY, provider_server


def settings_of(server):
    return {
        "openai": OpenAISettings(api_key=KEY, base_url=f"{server.address}/v1"),
        "anthropic": AnthropicSettings(api_key=KEY, base_url=f"{server.address}/anthropic"),
        "google": GoogleSettings(api_key=KEY, base_url=server.address),
        "ollama": OllamaSettings(host=server.address),
    }


@pytest.mark.parametrize(
    ("provider", "models", "wanted"),
    [
        ("openai", ["a", "gpt-oss-20b"], [("a", ()), ("gpt-oss-20b", ("low", "medium", "high"))]),
        (
            "anthropic",
            ["claude-opus-5-5", "claude-3-haiku", "claude-sonnet-5-5"],
            [("claude-opus-5-5", True), ("claude-3-haiku", ()), ("claude-sonnet-5-5", True)],
        ),
        (
            "google",
            ["gemini-3.8-flash", "gemini-embedding-1", "gemma-4", "gemini-2.0-flash"],
            [("gemini-3.8-flash", True), ("gemma-4", ()), ("gemini-2.0-flash", ())],
        ),
        ("ollama", ["qwen3:8b", "nomic-embed-text:latest"], [("qwen3:8b", ())]),
    ],
)
async def test_every_page_of_a_list_is_read_without_what_one_cannot_talk_to(tmp_path, provider, models, wanted):
    with provider_server(models) as server:
        settings = Settings(home=str(tmp_path)).having(settings_of(server)[provider])
        found = await settings.extensions.providers[provider].list_models(settings)
        given = [(one.id, one.efforts) for one in found]
        assert given == [(name, ("low", "medium", "high") if efforts is True else efforts) for name, efforts in wanted]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
async def test_a_wrong_key_is_told_without_it(tmp_path, provider):
    with provider_server(key="another-0123456789") as server:
        settings = Settings(home=str(tmp_path)).having(settings_of(server)[provider])
        with pytest.raises(ModelError, match="The key was refused") as caught:
            await settings.extensions.providers[provider].list_models(settings)
        assert KEY not in str(caught.value)


async def test_a_list_of_any_length_and_any_names_is_bounded():
    names = [f"m{number}" for number in range(MAX_MODELS + 50)]
    with provider_server([*names[:20], "with space", "bell\x07", "x" * 500, *names], key="") as server:
        found = await fetch_models(
            f"{server.address}/v1/models",
            {},
            lambda told: ListPage(entries=entries_of(told, "data"), more={"again": "1"}),
            lambda entry: ListedModel(id=str(entry["id"])),
        )
    assert [one.id for one in found] == names[:MAX_MODELS]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"data": 3}', b'{"data": [3, {}, {"id": 4}]}', b"\xff\xfe", b"[" * 100_000, b"<html>"]
)
async def test_an_answer_that_is_no_list_is_told_or_empty(tmp_path, body):
    with provider_server(key="") as server:
        server.raw = body
        settings = Settings(home=str(tmp_path)).having(settings_of(server)["openai"])
        try:
            assert list(await settings.extensions.providers["openai"].list_models(settings)) == []
        except ModelError as error:
            assert "no list of models" in str(error)


async def test_lists_are_asked_for_once_and_failed_ones_again_after_a_while(tmp_path):
    now = [100.0]
    with provider_server() as server:
        settings = Settings(home=str(tmp_path)).having(settings_of(server)["openai"])
        catalogue = ModelCatalogue(settings, lambda: now[0])

        async def of_openai():
            return next(each for each in await catalogue.offered() if each.provider == "openai")

        server.key = "another-0123456789"
        failed = await of_openai()
        assert "The key was refused" in failed.problem
        assert [one.name for one in failed.models] == [
            "openai:gpt-6-luna", "openai:gpt-6.1-terra", "openai:gpt-6-sol",
        ]  # fmt: skip
        server.key = KEY
        assert await of_openai() is failed
        now[0] += FAILED_S + 1
        listed = await of_openai()
        assert [one.name for one in listed.models] == ["openai:fake-gpt", "openai:fake-mini"]
        now[0] += KEPT_S - 1
        assert await of_openai() is listed
        now[0] += 2
        assert await of_openai() is not listed
