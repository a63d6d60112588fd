"""Models that OpenAI, a compatible server or Ollama lists."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from glassloop.extensions.openai.context_length import context_of, mapping_of
from glassloop.extensions.openai.model import BASE_URL, dialect_of
from glassloop.models.provider_kit.effort import EFFORTS, Effort
from glassloop.models.provider_kit.model_list import (
    ListedModel,
    ListPage,
    entries_of,
    fetch_models,
    text_of,
)

# What OpenAI lists beside models that one can talk to.
_OTHER = re.compile(
    r"embedding|whisper|tts|transcribe|dall-e|gpt-image|chatgpt-image|moderation|sora|realtime|audio|davinci|babbage"
    r"|search-api|computer-use"
)
_REASONS = re.compile(r"gpt-oss|(?:^|/)(?:gpt-[5-9]|o\d)(?![\d])")
_EMBEDDER_FAMILIES = frozenset({"bert", "nomic-bert", "nomic-bert-moe", "xlm-roberta"})


async def list_openai(key: str | None, base_url: str | None) -> Sequence[ListedModel]:
    """From `/models` of the endpoint."""
    base = base_url or BASE_URL
    official = (urlsplit(base).hostname or "").endswith(".openai.com")

    def model(entry: Mapping[str, Any]) -> ListedModel | None:
        name = text_of(entry, "id")
        if _OTHER.search(name) and official:
            return None
        title = text_of(entry, "name")
        return ListedModel(
            id=name,
            title="" if title == name else title,
            context_tokens=context_of(dict(entry)),
            efforts=efforts_of(name, entry, official=official),
        )

    headers = {"authorization": f"Bearer {key}"} if key else {}
    return await fetch_models(f"{base}/models", headers, lambda told: ListPage(entries=entries_of(told, "data")), model)


async def list_ollama(host: str) -> Sequence[ListedModel]:
    """From `/api/tags`: what was pulled, without embedders."""

    def model(entry: Mapping[str, Any]) -> ListedModel | None:
        facts = mapping_of(entry.get("details"))
        if facts.get("family") in _EMBEDDER_FAMILIES:
            return None
        name = text_of(entry, "model", "name")
        efforts = EFFORTS if _REASONS.search(name) else ()
        return ListedModel(id=name, title=text_of(facts, "parameter_size"), efforts=efforts)

    return await fetch_models(f"{host}/api/tags", {}, lambda told: ListPage(entries=entries_of(told, "models")), model)


def efforts_of(name: str, entry: Mapping[str, Any], *, official: bool) -> tuple[Effort, ...]:
    """What the model takes as its reasoning effort: by name or, of OpenRouter, by what the entry says."""
    if official:
        return EFFORTS if dialect_of(name).thinks else ()
    parameters = entry.get("supported_parameters")
    told = isinstance(parameters, list) and ("reasoning_effort" in parameters or "reasoning" in parameters)
    return EFFORTS if told or _REASONS.search(name) else ()
