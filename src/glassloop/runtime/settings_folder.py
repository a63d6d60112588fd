"""Settings that files of the working folder may decide: such a file may be somebody else's.

A few harmless ones count as they stand, some never do, all others once the user trusts the file as it is. Which files
are trusted is `folder_trust`'s.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from glassloop.core.errors import UsageError
from glassloop.runtime.settings_files import parse_dotenv, parse_toml, read_settings_file

DOTENV, TOML = ".env", "glassloop.toml"

Standing = Literal["free", "asked", "never"]
TrustDecision = Literal["trusted", "refused"]


class Source(msgspec.Struct, frozen=True):
    """Where a value stands: `kind` in a word, `path` of the file (empty for the environment)."""

    kind: str
    path: str = ""
    of_folder: bool = False


Found = Mapping[str, Sequence[tuple[Source, Any]]]
"""Every place where a setting stands, with its value there; the last of them counts."""

_FREE = frozenset({"preset", "log", "rag_dense_weight", "rag_sparse_weight"})
"""They send nothing anywhere, delete nothing, and let nobody in."""

_NEVER = frozenset(
    {
        *("home", "database_url", "business_database_url", "retention_days", "encryption_key"),
        *("auth", "proxy_header", "trusted_proxies", "allowed_hosts", "allowed_origins"),
        *("otel_endpoint", "trace_content", "embedded_weights"),
    }
)
_NEVER_ENDS, _NEVER_STARTS = ("_token", "_secret"), ("sandbox",)
_OF_OTHERS = frozenset({"database_url", "admin_token", "otel_endpoint"})
"""Variables that a folder's `.env` most likely has for a program of its own: there they are not looked at."""

_ADDRESSES: Mapping[str, str | None] = {
    "anthropic_base_url": "anthropic_api_key",
    "openai_base_url": "openai_api_key",
    "google_base_url": "google_api_key",
    "ollama_host": None,
}
"""With the key that is sent there: not even a trusted file sends a key there that stands elsewhere."""


class FolderFile(msgspec.Struct, frozen=True, kw_only=True):
    """A settings file of a working folder: what it sets, the digest of its place and content, and what the user decided
    about exactly that."""

    kind: str
    path: str
    digest: str
    values: Mapping[str, Any]
    decision: TrustDecision | None = None

    def of(self, standing: Standing) -> dict[str, Any]:
        return {name: value for name, value in self.values.items() if standing_of(name) == standing}

    def counts(self, name: str) -> bool:
        standing = standing_of(name)
        return standing == "free" or (standing == "asked" and self.decision == "trusted")


def standing_of(name: str) -> Standing:
    """What a setting of that name in a folder's file is worth; one that nobody thought of needs trust."""
    if name in _NEVER or name.endswith(_NEVER_ENDS) or name.startswith(_NEVER_STARTS):
        return "never"
    return "free" if name in _FREE else "asked"


def read_folder(folder: Path, variables: Mapping[str, str]) -> list[FolderFile]:
    """Its settings files, the one that counts more last; those that are not there or set nothing of ours left out."""
    toml, dotenv = folder / TOML, folder / DOTENV
    raw_toml, raw_dotenv = read_settings_file(toml), read_settings_file(dotenv)
    lines = parse_dotenv(raw_dotenv, dotenv)
    named = {name: lines[variable] for name, variable in variables.items() if lines.get(variable)}
    found = (
        _folder_file(toml, raw_toml, parse_toml(raw_toml, toml)),
        _folder_file(dotenv, raw_dotenv, {name: named[name] for name in named if name not in _OF_OTHERS}),
    )
    return [file for file in found if file.values]


def _folder_file(path: Path, raw: bytes, values: Mapping[str, Any]) -> FolderFile:
    place = str(path.parent.resolve() / path.name).encode("utf-8", "surrogateescape")
    digest = hashlib.sha256(place + b"\0" + raw).hexdigest()
    return FolderFile(kind=path.name, path=str(path), digest=digest, values=values)


def check_addresses(found: Found, variables: Mapping[str, str]) -> None:
    """Refuses an address of a trusted file that would redirect a key or an address of the user's own."""
    for name in _ADDRESSES:
        if name not in found or not found[name][-1][0].of_folder:
            continue
        if (redirected := _redirected(name, found, variables)) is None:
            continue
        raise UsageError(
            f"{found[name][-1][0].path} sets {name!r}, which would redirect {redirected}, which is set elsewhere: if "
            f"you want that, set {variables[name]} in the environment or in GLASSLOOP_HOME/glassloop.toml; otherwise "
            "take it out of that file, or trust the file no longer (`glassloop trust --no`)."
        )


def _redirected(name: str, found: Found, variables: Mapping[str, str]) -> str | None:
    """What of the user's own the address would redirect: its key, or the address they set in their home folder."""
    key, (source, in_force) = _ADDRESSES[name], found[name][-1]
    if key is not None and key in found and found[key][-1][0].path != source.path:
        return variables[key]
    moved = any(value != in_force for place, value in found[name] if not place.of_folder)
    return variables[name] if moved else None
