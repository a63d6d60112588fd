"""`.mcp.json`: which servers there are, where they are named, and what may be believed of the file.

The one in the home folder is the user's own: it may read the environment and give options. Any other is somebody
else's: its values are taken as they stand, its options are ignored, and none of its servers is started before the user
trusts its folder as it is. Owns reading only: starts nothing, remembers nothing.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta

from glassloop.core.errors import UsageError
from glassloop.core.messages import Effect, Reach
from glassloop.core.records import Json
from glassloop.extensions.mcp.client import FILE
from glassloop.extensions.mcp.client.untrusted_text import line
from glassloop.ready_types import make_ready

MAX_SERVERS = 64
_MAX_BYTES = 1_000_000
_NAME_CHARS = 64
_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)(?::-([^}]{0,1000}))?\}")
_CREDENTIALS = re.compile(r"//[^/@\s]*@")
_QUERY = re.compile(r"\?.*")
IN_CODE = "the program"
"""In place of a file, where a program names a server."""
_HTTP = ("http", "streamable-http", "streamableHttp")


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the user says of a server under `"glassloop"`: how far its tools are trusted, and its limits."""

    effects: dict[str, Effect] = {}
    reaches: dict[str, Reach] = {}
    confirm: bool | dict[str, bool] = True
    tools: tuple[str, ...] | None = None
    trust_hints: bool = False
    timeout_s: Annotated[float, Meta(gt=0, le=3600)] = 30.0
    start_s: Annotated[float, Meta(gt=0, le=600)] = 20.0
    max_bytes: Annotated[int, Meta(ge=1_000, le=4_000_000)] = 1_000_000


class StdioLaunch(msgspec.Struct, frozen=True, kw_only=True, tag="stdio"):
    """A program to run."""

    command: Annotated[str, Meta(min_length=1, max_length=4_096)]
    args: Annotated[tuple[str, ...], Meta(max_length=256)] = ()
    env: dict[str, str] = {}
    cwd: str | None = None


class HttpLaunch(msgspec.Struct, frozen=True, kw_only=True, tag="http"):
    """An address to ask."""

    url: Annotated[str, Meta(pattern=r"^https?://[^\s]+$", max_length=4_096)]
    headers: dict[str, str] = {}


make_ready(ServerOptions, StdioLaunch, HttpLaunch)


Launch = StdioLaunch | HttpLaunch


class ServerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A server as a file names it. `launch` has its variables filled in, `written` is what the file says, `content` the
    digest of all of the file, `digest` that of the entry."""

    name: str
    file: str
    own: bool
    launch: Launch
    written: Launch
    digest: str
    content: str = ""
    options: ServerOptions = ServerOptions()
    disabled: bool = False
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Stays the same when the entry is edited."""
        return f"{self.file}#{self.name}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that no message may show."""
        filled = self.launch.env if isinstance(self.launch, StdioLaunch) else self.launch.headers
        # Also a token alone, without the word before it.
        return tuple(part for value in filled.values() for part in (value, *value.split()))

    def shown(self) -> dict[str, Json]:
        """What a person sees before they approve; of the user's own file no values, which may be secret."""
        shown = cast("dict[str, Json]", msgspec.to_builtins(self.written))
        if self.own:
            for part in ("env", "headers"):
                if part in shown:
                    shown[part] = dict.fromkeys(shown[part], "***")
            if "url" in shown:
                shown["url"] = _QUERY.sub("?***", _CREDENTIALS.sub("//***@", shown["url"]))
        return shown


class UnusableEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry, or with an empty name a whole file, that cannot be used, and why."""

    name: str
    file: str
    reason: str


class _Refused(Exception):
    """Why an entry cannot be used."""


def read_servers(
    home: Path, folders: Sequence[Path], environ: Mapping[str, str]
) -> tuple[Sequence[ServerEntry], Sequence[UnusableEntry]]:
    """Every server that the files name, the user's own first. A name that is taken means nothing further down."""
    entries: dict[str, ServerEntry] = {}
    unusable: list[UnusableEntry] = []
    read: set[Path] = set()
    for number, folder in enumerate((home, *folders)):
        path = folder.resolve() / FILE
        if path in read:
            continue
        read.add(path)
        for found in _read_file(path, environ if number == 0 else None):
            if isinstance(found, ServerEntry) and (first := entries.get(found.name)) is not None:
                reason = f"The name {found.name!r} belongs to a server of {first.file}: give this one another name."
                unusable.append(UnusableEntry(name=found.name, file=found.file, reason=reason))
            elif isinstance(found, ServerEntry) and len(entries) < MAX_SERVERS:
                entries[found.name] = found
            elif isinstance(found, ServerEntry):
                reason = f"There are {MAX_SERVERS} servers already: take some out."
                unusable.append(UnusableEntry(name=found.name, file=found.file, reason=reason))
            else:
                unusable.append(found)
    return list(entries.values()), unusable


def entry_in_code(name: str, launch: Launch, options: ServerOptions) -> ServerEntry:
    """A server that a program names itself: the program's own, as it stands."""
    if not name or len(name) > _NAME_CHARS or not name.isprintable():
        raise UsageError(f"The MCP server's name {line(name, 80)!r} must have 1 to {_NAME_CHARS} printable characters.")
    return ServerEntry(
        name=name,
        file=IN_CODE,
        own=True,
        launch=_placed(launch, Path.cwd()),
        written=launch,
        digest=_digest(name, Path(IN_CODE), launch),
        options=options,
    )


def _read_file(path: Path, environ: Mapping[str, str] | None) -> list[ServerEntry | UnusableEntry]:
    """The entries of one file; with an environment it is the user's own."""
    try:
        raw = _content(path)
    except FileNotFoundError:
        return []
    except (OSError, ValueError, _Refused) as error:
        return [_unreadable(path, error)]
    return _entries(path, raw, environ)


def describe_file(path: Path, raw: bytes) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """What the servers of somebody else's file are called, all that would be run or asked, and what does not count."""
    names, lines, never = list[str](), list[str](), list[str]()
    for found in _entries(path, raw, None):
        shown = line(found.name, _NAME_CHARS) or FILE
        if isinstance(found, UnusableEntry):
            never.append(f"{shown}: {found.reason}")
            continue
        names.append(ascii(shown)[1:-1])
        what = "asks" if isinstance(found.launch, HttpLaunch) else "runs as you, unlimited"
        lines.append(f"server {shown!a} {what}{', once it is not switched off' if found.disabled else ''}:")
        lines += [f"  {ascii(key)[1:-1]} = {_cut(ascii(value))}" for key, value in found.shown().items() if value]
        never += [f"{shown}: {note}" for note in found.notes]
    return names, lines, never


def _cut(text: str, most: int = 4_000) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def _unreadable(path: Path, error: Exception) -> UnusableEntry:
    return UnusableEntry(name="", file=str(path), reason=f"{path} cannot be read: {line(str(error), 300)}.")


def _entries(path: Path, raw: bytes, environ: Mapping[str, str] | None) -> list[ServerEntry | UnusableEntry]:
    try:
        servers = _servers_in(raw)
    except (ValueError, _Refused) as error:
        return [_unreadable(path, error)]
    content = hashlib.sha256(raw).hexdigest()
    found: list[ServerEntry | UnusableEntry] = []
    for name, given in list(servers.items())[: 4 * MAX_SERVERS]:
        try:
            found.append(msgspec.structs.replace(_entry(name, given, path, environ), content=content))
        except (_Refused, msgspec.ValidationError) as error:
            found.append(UnusableEntry(name=line(name, _NAME_CHARS), file=str(path), reason=line(str(error), 300)))
    return found


def _content(path: Path) -> bytes:
    status = path.stat()
    if not S_ISREG(status.st_mode):
        raise _Refused("it is not a plain file")
    if status.st_size > _MAX_BYTES:
        raise _Refused(f"it is larger than {_MAX_BYTES:,} bytes")
    return path.read_bytes()


def _servers_in(content: bytes) -> dict[str, Any]:
    if len(content) > _MAX_BYTES:
        raise _Refused(f"it is larger than {_MAX_BYTES:,} bytes")
    raw = _decoded(content.removeprefix(b"\xef\xbb\xbf"))
    servers = cast("dict[str, Any]", raw).get("mcpServers") if isinstance(raw, dict) else None
    if not isinstance(servers, dict):
        raise _Refused('it must hold {"mcpServers": {name: {…}}}')
    return cast("dict[str, Any]", servers)


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        raise _Refused("it is nested too deeply") from None
    except msgspec.DecodeError as error:
        try:
            json.loads(data)
        except json.JSONDecodeError as told:
            # The slower reader says where; the place of the mistake is what one needs.
            raise _Refused(f"line {told.lineno}, column {told.colno}: {told.msg}") from None
        except (ValueError, RecursionError):
            pass
        raise _Refused(str(error).rstrip(".")) from None


def _entry(name: str, raw: Any, path: Path, environ: Mapping[str, str] | None) -> ServerEntry:
    if not isinstance(raw, dict):
        raise _Refused('It must be an object with "command" or "url".')
    if not name or len(name) > _NAME_CHARS or not name.isprintable():
        raise _Refused(f"Its name must have 1 to {_NAME_CHARS} printable characters.")
    given = cast("dict[str, Any]", raw)
    written = _launch(given)
    if environ is None and (found := _VARIABLE.search(msgspec.json.encode(written).decode())):
        raise _Refused(
            f"It asks for {found[0]}, and only your own file may read the environment: "
            f"copy the entry into the {FILE} of your home folder."
        )
    notes = ('Its "glassloop" options are ignored: only your own file may give them.',)
    return ServerEntry(
        name=name,
        file=str(path),
        own=environ is not None,
        launch=_placed(written if environ is None else _filled(written, environ), path.parent),
        written=written,
        digest=_digest(name, path, written),
        options=msgspec.convert(given.get("glassloop", {}), ServerOptions) if environ is not None else ServerOptions(),
        disabled=given.get("disabled") is True,
        notes=notes if environ is None and "glassloop" in given else (),
    )


def _launch(given: dict[str, Any]) -> Launch:
    kind = given.get("type") or ("http" if "url" in given and "command" not in given else "stdio")
    if kind in _HTTP:
        return msgspec.convert({name: given[name] for name in ("url", "headers") if name in given}, HttpLaunch)
    if kind != "stdio":
        raise _Refused(f'The type {line(str(kind), 40)!r} is not supported: use "stdio" or "http".')
    return msgspec.convert(
        {name: given[name] for name in ("command", "args", "env", "cwd") if name in given}, StdioLaunch
    )


def _filled(written: Launch, environ: Mapping[str, str]) -> Launch:
    """The launch with its variables replaced."""

    def value(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        if (given := environ.get(name) or default) is None:
            raise _Refused(f"The variable {name} is not set: set it, or write ${{{name}:-default}}.")
        return given

    def fill(text: str) -> str:
        return _VARIABLE.sub(value, text)

    if isinstance(written, HttpLaunch):
        return HttpLaunch(url=fill(written.url), headers={name: fill(text) for name, text in written.headers.items()})
    return StdioLaunch(
        command=fill(written.command),
        args=tuple(fill(text) for text in written.args),
        env={name: fill(text) for name, text in written.env.items()},
        cwd=None if written.cwd is None else fill(written.cwd),
    )


def _placed(launch: Launch, folder: Path) -> Launch:
    """A program runs in the folder of its file, or where it says from there."""
    if isinstance(launch, HttpLaunch):
        return launch
    return msgspec.structs.replace(launch, cwd=str(folder / Path(launch.cwd or ".").expanduser()))


def _digest(name: str, path: Path, written: Launch) -> str:
    """What an approval is bound to: the file, the name and all of what would be run or asked, values too."""
    told = msgspec.json.encode([name, str(path), written], order="deterministic")
    return hashlib.sha256(told).hexdigest()
