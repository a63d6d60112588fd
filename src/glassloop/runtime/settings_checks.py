"""Values that settings may have: numbers, and secrets that people choose."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from glassloop.core.errors import UsageError

if TYPE_CHECKING:
    from glassloop.runtime.settings import Settings

SHORTEST_SECRET = 16
_CHOSEN = ("admin_token", "proxy_secret")
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


def check_secrets(settings: "Settings", variables: Mapping[str, str]) -> None:
    """Raises `UsageError` for the first of those that the operator chooses which can be guessed. Wherever a server
    listens: a proxy may bring strangers to an address of this machine."""
    for name in _CHOSEN:
        value: str | None = getattr(settings, name)
        if value and len(value) < SHORTEST_SECRET:
            raise UsageError(
                f"{variables[name]} has {len(value)} characters and can be guessed: give it {SHORTEST_SECRET} or more, "
                "such as `openssl rand -hex 32` makes."
            )
