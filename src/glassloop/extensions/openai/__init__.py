"""Models of OpenAI and of everything that speaks its protocols, as `openai:MODEL`, and its embedders."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from glassloop.core.ports import Embedder, Model
from glassloop.models.model_name import ModelName, normalize_address, require_key
from glassloop.runtime.extensions import Extension
from glassloop.runtime.providers import EmbedderProvider, ModelOptions, Provider
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.fields import setting

if TYPE_CHECKING:
    from glassloop.models.provider_kit.model_list import ListedModel

KEY = "OPENAI_API_KEY"


class OpenAISettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[openai]`"""

    api_key: Annotated[str | None, setting("The key for `openai:` models.", env=KEY)] = None
    base_url: Annotated[
        str | None,
        setting("Any OpenAI-compatible endpoint; most local ones need no key.", env="OPENAI_BASE_URL", sends="api_key"),
    ] = None
    api: Annotated[
        Literal["auto", "responses", "chat"],
        setting(
            "Which API is spoken: `responses`, `chat` (Chat Completions) or, by `auto`, the first at OpenAI itself and "
            "for thinking models of Azure, the second everywhere else.",
            env="OPENAI_API",
        ),
    ] = "auto"


class OpenAIExtension(Extension):
    name = "openai"
    settings = OpenAISettings

    def providers(self) -> dict[str, Provider]:
        return {
            self.name: Provider(
                make=_make,
                configured=_is_configured,
                note="GPT; with OPENAI_BASE_URL any compatible endpoint",
                variable=KEY,
                rank=20,
                tiers={
                    "fast": "openai:gpt-6-luna",
                    "balanced": "openai:gpt-6.1-terra",
                    "powerful": "openai:gpt-6-sol",
                },
                families=("gpt", "o1", "o3", "o4"),
                address=lambda settings: settings.of(OpenAISettings).base_url or "",
                images=True,
                list_models=_list,
            )
        }

    def embedders(self) -> dict[str, EmbedderProvider]:
        return {self.name: EmbedderProvider(make=_make_embedder, needs_model=True)}


def _is_configured(settings: Settings) -> bool:
    own = settings.of(OpenAISettings)
    return bool(own.api_key or own.base_url)


async def _list(settings: Settings) -> "Sequence[ListedModel]":
    from glassloop.extensions.openai.model_list import list_openai

    own = settings.of(OpenAISettings)
    return await list_openai(own.api_key, normalize_address(own.base_url))


def _make(name: ModelName, options: ModelOptions) -> Model:
    from glassloop.extensions.openai.model import OpenAIModel, takes_responses
    from glassloop.extensions.openai.responses import OpenAIResponsesModel

    own = options.settings.of(OpenAISettings)
    base_url = normalize_address(own.base_url)
    responses = own.api == "responses" or (own.api == "auto" and takes_responses(name.model, base_url))
    # A server of one's own often has no keys; the SDK wants some text all the same.
    given = own.api_key or ("none" if base_url else None)
    return (OpenAIResponsesModel if responses else OpenAIModel)(
        name.model,
        api_key=require_key(given, KEY, name),
        base_url=base_url,
        abilities=options.abilities,
        images=options.images,
        per_million=options.per_million,
        learned=options.learned,
        effort=options.effort,
    )


def _make_embedder(model: str, settings: Settings) -> Embedder:
    from glassloop.extensions.openai.embedder import RemoteEmbedder
    from glassloop.models.cached_embedder import CachedEmbedder

    own = settings.of(OpenAISettings)
    return CachedEmbedder(RemoteEmbedder(model, api_key=own.api_key, base_url=own.base_url))
