"""Models that Ollama runs, as `ollama:MODEL`: reached by OpenAI's protocol, which it speaks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from glassloop.core.ports import Model
from glassloop.models.model_name import ModelName, normalize_address
from glassloop.runtime.extensions import Extension
from glassloop.runtime.providers import ModelOptions, Provider
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.fields import setting

if TYPE_CHECKING:
    from glassloop.models.provider_kit.model_list import ListedModel

HOST = "http://127.0.0.1:11434"


class OllamaSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[ollama]`"""

    host: Annotated[str | None, setting("Where Ollama listens, for `ollama:` models.", env="OLLAMA_HOST", sends="")] = (
        None
    )


class OllamaExtension(Extension):
    name = "ollama"
    settings = OllamaSettings

    def providers(self) -> dict[str, Provider]:
        return {
            self.name: Provider(
                make=_make,
                configured=lambda settings: bool(settings.of(OllamaSettings).host),
                note="models on your own machine",
                variable="OLLAMA_HOST",
                rank=40,
                tiers={"fast": "ollama:qwen3:4b", "balanced": "ollama:qwen3:8b", "powerful": "ollama:qwen3:32b"},
                address=lambda settings: settings.of(OllamaSettings).host or "",
                list_models=_list,
                usual_address=HOST,
            )
        }


def _host(settings: Settings) -> str:
    return (normalize_address(settings.of(OllamaSettings).host) or HOST).removesuffix("/v1")


async def _list(settings: Settings) -> "Sequence[ListedModel]":
    from glassloop.extensions.openai.model_list import list_ollama

    return await list_ollama(_host(settings))


def _make(name: ModelName, options: ModelOptions) -> Model:
    from glassloop.extensions.openai.model import OpenAIModel

    return OpenAIModel(
        name.model,
        api_key="ollama",
        base_url=f"{_host(options.settings)}/v1",
        local=True,
        abilities=options.abilities,
        images=options.images,
        per_million=options.per_million,
        learned=options.learned,
        effort=options.effort,
    )
