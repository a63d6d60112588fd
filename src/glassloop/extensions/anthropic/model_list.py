"""Models that Anthropic lists."""

from collections.abc import Mapping, Sequence
from typing import Any

from glassloop.extensions.anthropic.model import AnthropicModel, thinks_adaptively
from glassloop.models.provider_kit.effort import EFFORTS
from glassloop.models.provider_kit.model_list import (
    ListedModel,
    ListPage,
    entries_of,
    fetch_models,
    text_of,
)
from glassloop.models.provider_kit.remote_model import count

_VERSION = "2023-06-01"
_PAGE = "1000"


async def list_models(key: str, base_url: str | None) -> Sequence[ListedModel]:
    """From `/v1/models`."""

    def page(told: Mapping[str, Any]) -> ListPage:
        last = text_of(told, "last_id")
        more = {"limit": _PAGE, "after_id": last} if told.get("has_more") is True and last else None
        return ListPage(entries=entries_of(told, "data"), more=more)

    def model(entry: Mapping[str, Any]) -> ListedModel:
        name = text_of(entry, "id")
        return ListedModel(
            id=name,
            title=text_of(entry, "display_name"),
            context_tokens=count(entry.get("max_input_tokens")) or None,
            efforts=EFFORTS if thinks_adaptively(name) else (),
        )

    address = f"{(base_url or AnthropicModel.address).removesuffix('/v1')}/v1/models"
    headers = {"x-api-key": key, "anthropic-version": _VERSION}
    return await fetch_models(address, headers, page, model, {"limit": _PAGE})
