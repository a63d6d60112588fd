"""Connections of providers: which take a key or an address, where each has it from, and how one is entered."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from glassloop.core.errors import UnknownName, UsageError
from glassloop.models.model_name import normalize_address, parse_model_name
from glassloop.runtime.extensions import Extension
from glassloop.runtime.models import default_model
from glassloop.runtime.settings import Settings, masked
from glassloop.runtime.settings.connections import (
    MAX_CHARS,
    ConnectionFields,
    connection_fields,
    read_connections,
    store_connection,
    store_default_model,
)

Source = Literal["none", "settings", "page"]
"""Where a connection stands: nowhere, in the environment or a settings file, or entered in the page."""


class ProviderConnection(msgspec.Struct, frozen=True, kw_only=True):
    """A provider as an administrator sees it, without its key. `takes_key`, `takes_address`: what can be entered."""

    provider: str
    source: Source
    has_key: bool
    address: str
    takes_key: bool
    takes_address: bool
    variable: str
    usual_address: str


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    """The extension whose settings connect a provider, and those settings where nothing was entered."""

    extension: Extension
    fields: ConnectionFields
    own: msgspec.Struct


def list_connections(settings: Settings) -> Sequence[ProviderConnection]:
    """Of every provider that can be connected, by rank. Reads a file."""
    providers = settings.extensions.providers
    places = {name: place for name in providers if (place := _place(name, settings)) is not None}
    return [
        _view(name, place, settings)
        for name, place in sorted(places.items(), key=lambda each: (providers[each[0]].rank or 1_000, each[0]))
    ]


def find_connection(provider: str, settings: Settings) -> ProviderConnection:
    """Raises `UnknownName` where there is no such provider, or nothing to enter for it."""
    return _view(provider, _required(provider, settings), settings)


def with_connection(provider: str, key: str, address: str, settings: Settings) -> Settings:
    """The settings as they would be with that connection, to try it out. Raises `UsageError` for what cannot be one."""
    place = _required(provider, settings)
    values = _values(provider, place, key, address)
    struct = msgspec.structs.replace(place.own, **values)
    return settings.having(struct)


def enter_connection(provider: str, key: str, address: str, names: Sequence[str], settings: Settings) -> None:
    """Keeps a connection in the home folder, from now on in force. Where this provider would answer with a model that
    is not among `names`, those it has, the first of them does. Writes a file."""
    place, tried = _required(provider, settings), with_connection(provider, key, address, settings)
    default = default_model(tried)
    usual = settings.extensions.providers[provider].tiers.get("balanced", "")
    model = usual if usual in names else next(iter(names), None)
    wrong = not settings.model and parse_model_name(default).provider == provider and default not in names
    values = _values(provider, place, key, address)
    store_connection(settings.home_path, place.extension.name, values, model if wrong else None)


def remove_connection(provider: str, settings: Settings) -> bool:
    """Forgets the connection that was entered, and the default model if it was one of that provider's; whether there
    was any. Writes a file."""
    place = _required(provider, settings)
    entered = read_connections(settings.home_path)
    if place.extension.name not in entered.values:
        return False
    if entered.model and parse_model_name(entered.model).provider == provider:
        store_default_model(settings.home_path, None)
    store_connection(settings.home_path, place.extension.name, None)
    return True


async def choose_default(model: str | None, settings: Settings) -> None:
    """Sets the model that answers where none is named; None leaves it to the providers. Raises `UsageError`."""
    if settings.model:
        raise UsageError(
            f"GLASSLOOP_MODEL is set to {settings.model!r} and takes precedence: change or unset it there."
        )
    if model is not None:
        from glassloop.runtime.providers import find_provider

        find_provider(model, settings.extensions.providers)
    await asyncio.to_thread(store_default_model, settings.home_path, model)


def _place(provider: str, settings: Settings) -> _Place | None:
    extensions = settings.extensions
    owner = next((each for each in extensions if provider in each.providers()), None)
    fields = connection_fields(owner.settings) if owner is not None and owner.settings is not None else None
    if owner is None or fields is None:
        return None
    return _Place(extension=owner, fields=fields, own=extensions.values[owner.name])


def _required(provider: str, settings: Settings) -> _Place:
    found = _place(provider, settings)
    if found is None:
        known = ", ".join(each.provider for each in list_connections(settings))
        raise UnknownName(f"{provider[:80]!r} needs no connection: choose from {known}.")
    return found


def _view(provider: str, place: _Place, settings: Settings) -> ProviderConnection:
    fields, about = place.fields, settings.extensions.providers[provider]
    fixed = any(getattr(place.own, name) for name in fields.names())
    entered: Mapping[str, str] = {}
    if not fixed:
        entered = read_connections(settings.home_path).values.get(place.extension.name, {})
    in_force = place.own if fixed else msgspec.structs.replace(place.own, **entered)
    address = getattr(in_force, fields.address) if fields.address else None
    return ProviderConnection(
        provider=provider,
        source="settings" if fixed else "page" if entered else "none",
        has_key=bool(fields.key and getattr(in_force, fields.key)),
        address=masked("address", address or ""),
        takes_key=fields.key is not None,
        takes_address=fields.address is not None,
        variable=about.variable,
        usual_address=about.usual_address,
    )


def _values(provider: str, place: _Place, key: str, address: str) -> dict[str, str]:
    fields = place.fields
    if any(getattr(place.own, name) for name in fields.names()):
        raise UsageError(
            f"The connection of {provider!r} is set in the environment or in a settings file: change it there."
        )
    values: dict[str, str] = {}
    if fields.key and key.strip():
        values[fields.key] = _checked_key(key.strip())
    if fields.address and address.strip():
        values[fields.address] = _checked_address(address.strip())
    if not values:
        raise UsageError(f"Give a key{' or an address' if fields.address else ''} for {provider!r}.")
    return values


def _checked_key(key: str) -> str:
    if not key.isascii() or not key.isprintable() or " " in key or len(key) > MAX_CHARS:
        raise UsageError("The key is too long or has invalid characters: copy it again.")
    return key


def _checked_address(address: str) -> str:
    try:
        parts = urlsplit(normalize_address(address) or "")
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or not address.isprintable() or " " in address or len(address) > MAX_CHARS:
        raise UsageError("This is not a server address: write it like https://host/v1.")
    return normalize_address(address) or ""
