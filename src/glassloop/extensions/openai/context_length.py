"""Context length of a model as its server states it: in its list of models or, of Ollama, in `/api/show`."""

import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

_NAMES = (
    "loaded_context_length",  # LM Studio
    "max_model_len",  # vLLM
    "n_ctx",  # llama.cpp, as it was started
    "context_length",  # OpenRouter
    "context_window",  # Groq
    "max_context_length",
    "n_ctx_train",
)
_INSIDE = ("meta", "top_provider")
_NUM_CTX = re.compile(r"^[^\S\n]*+num_ctx\s++(\d{1,9})[^\S\n]*+$", re.MULTILINE)
OLLAMA_DEFAULT = 4_096
"""What Ollama lets a model read unless its file or the environment says otherwise, whatever the model could."""


def context_of(found: object) -> int | None:
    """From one entry of `/models`."""
    told = mapping_of(found)
    places = (told, *(mapping_of(told.get(name)) for name in _INSIDE))
    for name in _NAMES:
        for place in places:
            value = place.get(name)
            if isinstance(value, int) and value > 0:
                return value
    return None


def ollama_context(shown: object) -> int | None:
    """From the answer of `/api/show`: what the model could read, or less where Ollama would cut it."""
    told = mapping_of(shown)
    lengths = [
        value
        for name, value in mapping_of(told.get("model_info")).items()
        if name.endswith(".context_length") and isinstance(value, int) and value > 0
    ]
    if not lengths:
        return None
    parameters = told.get("parameters")
    given = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    return min(lengths[0], int(given.group(1)) if given else OLLAMA_DEFAULT)


def mapping_of(value: object) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    if isinstance(value, bytes):
        return mapping_of(msgspec.json.decode(value))
    dump = getattr(value, "model_dump", None)
    return mapping_of(dump()) if dump is not None else {}
