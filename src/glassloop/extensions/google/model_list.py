"""Models that Google lists."""

from collections.abc import Mapping, Sequence
from typing import Any

from glassloop.extensions.google.model import API_VERSION, GoogleModel, version_of
from glassloop.models.provider_kit.effort import EFFORTS
from glassloop.models.provider_kit.model_list import (
    ListedModel,
    ListPage,
    entries_of,
    fetch_models,
    text_of,
)
from glassloop.models.provider_kit.remote_model import count

_PAGE = "1000"
_METHOD = "generateContent"


async def list_models(key: str, base_url: str | None) -> Sequence[ListedModel]:
    """From `/v1beta/models`, or of the version that the address ends in."""

    def page(told: Mapping[str, Any]) -> ListPage:
        token = text_of(told, "nextPageToken")
        more = {"pageSize": _PAGE, "pageToken": token} if token else None
        return ListPage(entries=entries_of(told, "models"), more=more)

    def model(entry: Mapping[str, Any]) -> ListedModel | None:
        methods = entry.get("supportedGenerationMethods")
        if isinstance(methods, list) and _METHOD not in methods:
            return None
        name = text_of(entry, "name").removeprefix("models/")
        return ListedModel(
            id=name,
            title=text_of(entry, "displayName"),
            context_tokens=count(entry.get("inputTokenLimit")) or None,
            efforts=EFFORTS if version_of(name) >= (2, 5) and entry.get("thinking") is not False else (),
        )

    base = (base_url or GoogleModel.address).rstrip("/")
    address = f"{base}/models" if API_VERSION.search(base) else f"{base}/v1beta/models"
    return await fetch_models(address, {"x-goog-api-key": key}, page, model, {"pageSize": _PAGE})
