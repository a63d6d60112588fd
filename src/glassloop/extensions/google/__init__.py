"""Models of Google, as `google:MODEL`."""

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

KEY = "GOOGLE_API_KEY"


class GoogleSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[google]`"""

    api_key: Annotated[str | None, setting("The key for `google:` models.", env=KEY)] = None
    base_url: Annotated[
        str | None, setting("Another address for Gemini's API.", env="GOOGLE_BASE_URL", sends="api_key")
    ] = None


class GoogleExtension(Extension):
    name = "google"
    settings = GoogleSettings

    def providers(self) -> dict[str, Provider]:
        return {
            self.name: Provider(
                make=_make,
                configured=lambda settings: bool(settings.of(GoogleSettings).api_key),
                note="Gemini",
                variable=KEY,
                rank=30,
                tiers={
                    "fast": "google:gemini-3.5-flash-lite",
                    "balanced": "google:gemini-3.8-flash",
                    "powerful": "google:gemini-3.1-pro-preview",
                },
                families=("gemini",),
                address=lambda settings: settings.of(GoogleSettings).base_url or "",
                images=True,
                list_models=_list,
                trace_name="gcp.gemini",
            )
        }


async def _list(settings: Settings) -> "Sequence[ListedModel]":
    from glassloop.extensions.google.model_list import list_models

    own = settings.of(GoogleSettings)
    return await list_models(own.api_key or "", normalize_address(own.base_url))


def _make(name: ModelName, options: ModelOptions) -> Model:
    from glassloop.extensions.google.model import GoogleModel

    own = options.settings.of(GoogleSettings)
    return GoogleModel(
        name.model,
        api_key=require_key(own.api_key, KEY, name),
        base_url=normalize_address(own.base_url),
        abilities=options.abilities,
        images=options.images,
        per_million=options.per_million,
        learned=options.learned,
        effort=options.effort,
    )
