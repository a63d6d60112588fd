"""What the files of the working folder may not decide: they may be somebody else's."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from glassloop.core.errors import UsageError


class Source(msgspec.Struct, frozen=True):
    """Where a value stands: `kind` in a word, `path` of the file (empty for the environment)."""

    kind: str
    path: str = ""
    of_folder: bool = False


Found = Mapping[str, Sequence[tuple[Source, Any]]]
"""Every place where a setting stands, with its value there; the last of them counts."""

_ACCESS = (
    "auth",
    "admin_token",
    "encryption_key",
    "proxy_header",
    "proxy_secret",
    "trusted_proxies",
    "allowed_hosts",
    "allowed_origins",
)
_REFUSED: Mapping[str, str] = {
    "home": "moves the folder that your assistants and settings are trusted from",
    "database_url": "moves the database that your turns are stored in",
    "business_database_url": "decides which company's data your assistants read and write",
    **dict.fromkeys(_ACCESS, "decides who may use your server"),
    "otel_endpoint": "decides what others are told of your turns",
    "trace_content": "decides what others are told of your turns",
    "embedded_weights": "decides which file is run as a model",
}
_ADDRESSES: Mapping[str, str | None] = {
    "anthropic_base_url": "anthropic_api_key",
    "openai_base_url": "openai_api_key",
    "google_base_url": "google_api_key",
    "ollama_host": None,
}
"""With the key that is sent there: an address is the folder's to choose where nothing of the user's own goes to it."""


def check_folder(found: Found, variables: Mapping[str, str]) -> None:
    """Refuses the home, where keys and turns go, who may come in."""
    for name in (*_REFUSED, *_ADDRESSES):
        if name not in found or not found[name][-1][0].of_folder:
            continue
        why = _REFUSED.get(name) or _redirects(name, found, variables)
        if why is None:
            continue
        what = "" if name == "home" else " or in GLASSLOOP_HOME/glassloop.toml"
        raise UsageError(
            f"{found[name][-1][0].path} sets {name!r}, which {why}: if you want that, set {variables[name]} in the "
            f"environment{what}; otherwise take it out of that file."
        )


def _redirects(name: str, found: Found, variables: Mapping[str, str]) -> str | None:
    """What of the user's own the address would redirect: its key, or the address they set in their home folder."""
    key, (source, in_force) = _ADDRESSES[name], found[name][-1]
    own_key = key is not None and key in found and found[key][-1][0].path != source.path
    moved = any(value != in_force for place, value in found[name] if not place.of_folder)
    trusted = variables[key] if key is not None and own_key else variables[name] if moved else None
    return trusted and f"would redirect {trusted}, which is set elsewhere"
