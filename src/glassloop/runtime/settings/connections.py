"""Connections to model providers that an administrator entered while a server runs, and the default model they chose.

Kept in `connections.json` of the home folder, for its owner alone. A connection counts where nothing else sets the key
or the address of its provider: the environment and `glassloop.toml` decide first, so that no key set there is ever sent
to an address entered here. Every process of the home folder sees a change at its next look at the settings. Keys are
known to redaction before anybody can use them. Blocking, and quick: one `stat` where nothing changed.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.records import Record
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own, make_own_file
from glassloop.runtime.settings.fields import describe
from glassloop.whole_file import write_whole

_log = logging.getLogger("glassloop.settings")

FILE = "connections.json"
_LOCK = "connections.lock"
MAX_BYTES = 1_000_000
MAX_CHARS = 4_096
"""Of a key or an address."""
_MAX_HOMES = 16

S = TypeVar("S", bound=msgspec.Struct)


class StoredConnections(Record, frozen=True, kw_only=True):
    """What the file holds: values by extension and field, as `{"openai": {"api_key": "…"}}`."""

    model: str | None = None
    values: dict[str, dict[str, str]] = {}


class ConnectionFields(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of an extension's settings that reach its provider; None where it has no such field."""

    key: str | None
    address: str | None

    def names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.key, self.address) if name)


_NONE = StoredConnections()
_read: OrderedDict[Path, tuple[object, StoredConnections]] = OrderedDict()


def connection_fields(kind: type[msgspec.Struct]) -> ConnectionFields | None:
    """Which fields hold the address of a provider and the key that is sent there; None where none holds an address."""
    for name, each in describe(kind).items():
        if each.sends is not None:
            return ConnectionFields(key=each.sends or None, address=name)
    return None


def connected(home: Path, table: str, struct: S) -> S:
    """The settings of an extension with the connection that was entered for it, where nothing else sets any of it."""
    fields = connection_fields(type(struct))
    if fields is None or any(getattr(struct, name) for name in fields.names()):
        return struct
    entered = read_connections(home).values.get(table)
    if not entered:
        return struct
    known = {name: value for name, value in entered.items() if name in fields.names()}
    return msgspec.structs.replace(struct, **known)


def connections_version(home: Path) -> object:
    """Differs whenever the file was written."""
    try:
        found = (home / FILE).stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def read_connections(home: Path) -> StoredConnections:
    """What is entered now. A file that cannot be read counts as none, and is warned of."""
    version = connections_version(home)
    if version is None:
        return _NONE
    known = _read.get(home)
    if known is not None and known[0] == version:
        return known[1]
    found = _load(home / FILE)
    if keys := _secrets(found):
        from glassloop.store.log.redaction import learn_secrets

        learn_secrets(keys)
    _read[home] = (version, found)
    while len(_read) > _MAX_HOMES:
        _read.popitem(last=False)
    return found


def store_connection(home: Path, table: str, values: Mapping[str, str] | None, model: str | None = None) -> None:
    """Enters the connection of an extension in place of the one there was; None removes it. With a `model` that is the
    default from the same moment on."""

    def change(now: StoredConnections) -> StoredConnections:
        others = {name: each for name, each in now.values.items() if name != table}
        joined = {**others, table: dict(values)} if values else others
        return msgspec.structs.replace(now, values=joined, model=model or now.model)

    _change(home, change)


def store_default_model(home: Path, model: str | None) -> None:
    """Sets which model answers where none is named; None leaves it to the order of the providers."""
    _change(home, lambda now: msgspec.structs.replace(now, model=model))


def _change(home: Path, change: Callable[[StoredConnections], StoredConnections]) -> None:
    make_own(home)
    make_own_file(home / _LOCK)
    with (home / _LOCK).open("r+b") as lock:
        take_lock(lock.fileno(), wait=True)
        changed = change(_load(home / FILE))
        data = msgspec.json.format(msgspec.json.encode(changed), indent=2) + b"\n"
        if len(data) > MAX_BYTES:
            raise UsageError(f"{FILE} would be larger than {MAX_BYTES:,} bytes: remove a connection first.")
        write_whole(home / FILE, data)
    read_connections(home)


def _load(path: Path) -> StoredConnections:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MAX_BYTES + 1), type=StoredConnections)
    except FileNotFoundError:
        return _NONE
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        # Without what it holds: a part of it may be a key.
        _log.warning("%s cannot be read, so its connections are ignored: fix or remove it.", path)
        return _NONE


def _secrets(found: StoredConnections) -> list[str]:
    """Keys, and addresses that hold a password."""
    keys = [value for entered in found.values.values() for name, value in entered.items() if name.endswith("key")]
    addresses = [value for entered in found.values.values() for value in entered.values() if "@" in value]
    return [*keys, *addresses]
