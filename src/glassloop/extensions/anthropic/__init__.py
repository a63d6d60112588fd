"""Models of Anthropic, as `anthropic:MODEL`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from glassloop.core.ports import Model
from glassloop.models.model_name import ModelName, normalize_address, require_key
from glassloop.runtime.extensions import Extension
from glassloop.runtime.providers import ModelOptions, Provider
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.fields import setting

if TYPE_CHECKING:
    from glassloop.models.provider_kit.model_list import ListedModel

KEY = "ANTHROPIC_API_KEY"


class AnthropicSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[anthropic]`"""

    api_key: Annotated[str | None, setting("The key for `anthropic:` models.", env=KEY)] = None
    base_url: Annotated[
        str | None, setting("Another address for Anthropic's API.", env="ANTHROPIC_BASE_URL", sends="api_key")
    ] = None


class AnthropicExtension(Extension):
    name = "anthropic"
    settings = AnthropicSettings

    def providers(self) -> dict[str, Provider]:
        return {
            self.name: Provider(
                make=_make,
                configured=lambda settings: bool(settings.of(AnthropicSettings).api_key),
                note="Claude",
                variable=KEY,
                rank=10,
                tiers={
                    "fast": "anthropic:claude-haiku-5-5",
                    "balanced": "anthropic:claude-sonnet-5-5",
                    "powerful": "anthropic:claude-opus-5-5",
                },
                families=("claude",),
                address=lambda settings: settings.of(AnthropicSettings).base_url or "",
                images=True,
                list_models=_list,
            )
        }


async def _list(settings: Settings) -> "Sequence[ListedModel]":
    from glassloop.extensions.anthropic.model_list import list_models

    own = settings.of(AnthropicSettings)
    return await list_models(own.api_key or "", normalize_address(own.base_url))


def _make(name: ModelName, options: ModelOptions) -> Model:
    from glassloop.extensions.anthropic.model import AnthropicModel

    own = options.settings.of(AnthropicSettings)
    return AnthropicModel(
        name.model,
        api_key=require_key(own.api_key, KEY, name),
        base_url=normalize_address(own.base_url),
        abilities=options.abilities,
        images=options.images,
        per_million=options.per_million,
        learned=options.learned,
        effort=options.effort,
    )
