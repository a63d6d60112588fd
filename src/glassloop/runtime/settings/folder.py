"""Settings files: `.env` and TOML, those of a working folder, and which of these the user trusts.

A file of the working folder may be somebody else's: a few harmless settings count as they stand, some never do, all
others once the user trusts the file as it is. Decisions are remembered in the home folder by place and content, so
that a file that changed is another one. Blocking.
"""

import hashlib
import os
import re
import stat
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from glassloop.core.errors import UsageError
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own
from glassloop.runtime.settings.fields import FolderRule, Setting
from glassloop.whole_file import write_whole

_MAX_BYTES = 1_000_000
_QUOTED = re.compile(r"""(["'])(.*?)\1\s*(?:#.*)?""")
_COMMENT = re.compile(r"\s#")


def read_dotenv(path: Path) -> dict[str, str]:
    return parse_dotenv(read_settings_file(path), path)


def read_toml(path: Path) -> dict[str, Any]:
    return parse_toml(read_settings_file(path), path)


def parse_dotenv(raw: bytes, path: Path) -> dict[str, str]:
    """`NAME=value` lines; quotes, comments and `export` understood, nothing expanded or executed."""
    found: dict[str, str] = {}
    for line in _text(raw, path).splitlines():
        name, sign, value = line.partition("=")
        words = name.split()
        if words[:1] == ["export"]:
            del words[0]
        if not sign or len(words) != 1 or words[0].startswith("#"):
            continue
        value = value.strip()
        quoted = _QUOTED.fullmatch(value)
        found[words[0]] = quoted[2] if quoted else _COMMENT.split(value, 1)[0].rstrip()
    return found


def parse_toml(raw: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(raw, path))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Mend or remove it.") from None


def read_settings_file(path: Path) -> bytes:
    """Its bytes; none where there is no plain file. A pipe or a device of that name would never come to an end."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            raw = _bounded(handle) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}. Mend or remove it.") from None
    if len(raw) > _MAX_BYTES:
        raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes: it cannot be a settings file.")
    return raw


def _bounded(handle: int) -> bytes:
    with os.fdopen(handle, "rb", closefd=False) as file:
        return file.read(_MAX_BYTES + 1)


def _text(raw: bytes, path: Path) -> str:
    try:
        # Editors on Windows begin a file with a byte order mark, which would become part of the first name.
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} cannot be read: {error}. Mend or remove it.") from None


DOTENV, TOML = ".env", "glassloop.toml"

TrustDecision = Literal["trusted", "refused"]


class SettingOrigin(msgspec.Struct, frozen=True):
    """Where a value stands: `kind` in a word, `path` of the file (empty for the environment)."""

    kind: str
    path: str = ""
    of_folder: bool = False


Found = Mapping[str, Sequence[tuple[SettingOrigin, Any]]]
"""Every place where a setting stands, with its value there; the last of them counts."""


class FolderFile(msgspec.Struct, frozen=True, kw_only=True):
    """A settings file of a working folder: what it sets, the digest of its place and content, and what the user decided
    about exactly that."""

    kind: str
    path: str
    digest: str
    values: Mapping[str, Any]
    rules: Mapping[str, FolderRule]
    decision: TrustDecision | None = None

    def of(self, rule: FolderRule) -> dict[str, Any]:
        return {key: value for key, value in self.values.items() if self.rules[key] == rule}

    def counts(self, key: str) -> bool:
        return self.rules[key] == "free" or (self.rules[key] == "asked" and self.decision == "trusted")


def read_folder(folder: Path, settings: Mapping[str, Setting]) -> list[FolderFile]:
    """Its settings files, the one that counts more last; those that are not there or set nothing of ours left out."""
    toml, dotenv = folder / TOML, folder / DOTENV
    raw_toml, raw_dotenv = read_settings_file(toml), read_settings_file(dotenv)
    lines = parse_dotenv(raw_dotenv, dotenv)
    meant = (each for each in settings.values() if not each.common)
    named = {each.key: value for each in meant if (value := value_of(each, lines))}
    found = (
        _folder_file(toml, raw_toml, flatten(parse_toml(raw_toml, toml), settings), settings),
        _folder_file(dotenv, raw_dotenv, named, settings),
    )
    return [file for file in found if file.values]


def value_of(setting: Setting, lines: Mapping[str, str]) -> str:
    """What variables say of a setting: the one with our prefix wins over other names of it. Empty where none is set."""
    return next((lines[name] for name in reversed(setting.variables) if lines.get(name)), "")


def flatten(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> dict[str, Any]:
    """The values of a file by key: what stands in the table of an extension has its name before a dot."""
    tables = {key.partition(".")[0] for key in settings if "." in key}
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name in tables and isinstance(value, dict):
            found |= {f"{name}.{each}": inner for each, inner in cast("dict[str, Any]", value).items()}
        else:
            found[name] = value
    return found


def _folder_file(path: Path, raw: bytes, values: Mapping[str, Any], settings: Mapping[str, Setting]) -> FolderFile:
    place = str(path.parent.resolve() / path.name).encode("utf-8", "surrogateescape")
    digest = hashlib.sha256(place + b"\0" + raw).hexdigest()
    # A name that nobody thought of needs trust.
    rules: dict[str, FolderRule] = {key: settings[key].folder if key in settings else "asked" for key in values}
    return FolderFile(kind=path.name, path=str(path), digest=digest, values=values, rules=rules)


def check_addresses(found: Found, settings: Mapping[str, Setting]) -> None:
    """Refuses an address of a trusted file that would redirect a key or an address of the user's own."""
    for key, places in found.items():
        if key not in settings or settings[key].sends is None or not places[-1][0].of_folder:
            continue
        if (redirected := _redirected(key, found, settings)) is None:
            continue
        raise UsageError(
            f"{places[-1][0].path} sets {key!r}, which would redirect {redirected}, which is set elsewhere: if "
            f"you want that, set {settings[key].variable} in the environment or in GLASSLOOP_HOME/glassloop.toml; "
            "otherwise take it out of that file, or trust the file no longer (`glassloop trust --no`)."
        )


def _redirected(key: str, found: Found, settings: Mapping[str, Setting]) -> str | None:
    """What of the user's own the address would redirect: its key, or the address they set in their home folder."""
    table, dot, _ = key.rpartition(".")
    sent, (source, in_force) = f"{table}{dot}{settings[key].sends}", found[key][-1]
    if settings[key].sends and sent in found and found[sent][-1][0].path != source.path:
        return settings[sent].variable
    moved = any(value != in_force for place, value in found[key] if not place.of_folder)
    return settings[key].variable if moved else None


FILE = "trusted_files.json"
_MAX_TRUST_BYTES = 4_000_000
_MAX_FILES = 1_000
"""Those decided longest ago are forgotten first, and asked about again."""


class _Decided(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    decision: TrustDecision
    at: float


class _Decisions(msgspec.Struct, kw_only=True):
    """By digest."""

    files: dict[str, _Decided] = {}


class FolderTrust:
    """The decisions kept in one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def files_of(self, folder: Path, settings: Mapping[str, Setting]) -> list[FolderFile]:
        """The settings files of a working folder, with what the user decided about each; none for the home itself."""
        files = [] if folder.resolve() == self._home.resolve() else read_folder(folder, settings)
        decided = self._read().files if files else {}
        return [
            msgspec.structs.replace(file, decision=decided[file.digest].decision) if file.digest in decided else file
            for file in files
        ]

    def remember(self, file: FolderFile, decision: TrustDecision) -> None:
        """Keeps the decision in place of any about an earlier content of the same file."""
        place = str(Path(file.path).parent.resolve() / file.kind).encode("utf-8", "backslashreplace").decode()
        try:
            make_own(self._home)
            lock = os.open(self._home / f"{FILE}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                take_lock(lock, wait=True)
                kept = [(digest, each) for digest, each in self._read().files.items() if each.file != place]
                new = (file.digest, _Decided(file=place, decision=decision, at=time.time()))
                files = dict([*kept, new][-_MAX_FILES:])
                raw = msgspec.json.encode(_Decisions(files=files))
                write_whole(self._home / FILE, msgspec.json.format(raw, indent=1))
            finally:
                os.close(lock)
        except OSError as error:
            why = error.strerror or error
            raise UsageError(
                f"{self._home / FILE} cannot be written ({why}): make the home folder writable."
            ) from error

    def _read(self) -> _Decisions:
        path = self._home / FILE
        try:
            if path.stat().st_size > _MAX_TRUST_BYTES:
                raise UsageError(f"{path} is larger than {_MAX_TRUST_BYTES:,} bytes: delete it to decide anew.")
            return msgspec.json.decode(path.read_bytes(), type=_Decisions)
        except (FileNotFoundError, NotADirectoryError):
            return _Decisions()
        except (OSError, msgspec.MsgspecError) as error:
            raise UsageError(f"{path} cannot be read ({error}): mend it, or delete it to decide anew.") from error
