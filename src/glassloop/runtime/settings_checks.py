"""What numbers among the settings may be."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from glassloop.core.errors import UsageError

if TYPE_CHECKING:
    from glassloop.runtime.settings import Settings

_LEAST_CONTEXT = 1024


def check_numbers(settings: "Settings", variables: Mapping[str, str]) -> None:
    """Raises `UsageError` for the first that cannot be used."""
    for name in (
        "max_iterations",
        "max_model_calls",
        "max_turns",
        "context_token_budget",
        "context_keep_recent",
        "body_limit",
        "upload_limit",
        "upload_quota",
        "max_connections",
        "embedded_conversations",
        "embedder_threads",
    ):
        value = getattr(settings, name)
        if value < 1:
            raise UsageError(f"{variables[name]} must be at least 1, not {value}.")
    if settings.embedded_context < _LEAST_CONTEXT:
        raise UsageError(
            f"GLASSLOOP_EMBEDDED_CONTEXT must be at least {_LEAST_CONTEXT}, not {settings.embedded_context}."
        )
    for name in ("session_rate", "user_turns", "retention_days", "request_rate", "embedded_threads"):
        value = getattr(settings, name)
        if value is not None and value < 0:
            raise UsageError(f"{variables[name]} must be 0 or more, not {value}.")
    weights = settings.rag_dense_weight, settings.rag_sparse_weight
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or not sum(weights):
        raise UsageError(
            f"RAG_DENSE_WEIGHT and RAG_SPARSE_WEIGHT are {weights[0]:g} and {weights[1]:g}: give two numbers from 0, "
            "not both 0."
        )
