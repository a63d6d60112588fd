"""Settings files: `.env` and TOML, and those of a working folder.

A file of the working folder may be somebody else's: a few harmless settings count as they stand, some never do, all
others once the user trusts the folder as it is, which is decided in `runtime.trust`. Blocking.
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from glassloop.core.errors import UsageError
from glassloop.runtime.settings.fields import FolderRule, Setting
from glassloop.runtime.settings.settings import masked
from glassloop.runtime.trust.survey import FolderKind, FolderSurvey, read_plain

_MAX_BYTES = 1_000_000
_SHOWN = 300
"""Characters of a value that are shown of a file that may be somebody else's."""
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
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Fix or remove it.") from None


def read_settings_file(path: Path) -> bytes:
    """Its bytes; none where there is no plain file."""
    raw = read_plain(path, _MAX_BYTES) or b""
    if len(raw) > _MAX_BYTES:
        raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes: it cannot be a settings file.")
    return raw


def _text(raw: bytes, path: Path) -> str:
    try:
        # Editors on Windows begin a file with a byte order mark, which would become part of the first name.
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} cannot be read: {error}. Fix or remove it.") from None


DOTENV, TOML = ".env", "glassloop.toml"


class SettingOrigin(msgspec.Struct, frozen=True):
    """Where a value stands: `kind` in a word, `path` of the file (empty for the environment)."""

    kind: str
    path: str = ""
    of_folder: bool = False


Found = Mapping[str, Sequence[tuple[SettingOrigin, Any]]]
"""Every place where a setting stands, with its value there; the last of them counts."""


class FolderFile(msgspec.Struct, frozen=True, kw_only=True):
    """A settings file of a working folder: what it sets, and whether the user trusts the folder with this content."""

    kind: str
    path: str
    values: Mapping[str, Any]
    rules: Mapping[str, FolderRule]
    trusted: bool = False

    def of(self, rule: FolderRule) -> dict[str, Any]:
        return {key: value for key, value in self.values.items() if self.rules[key] == rule}

    def counts(self, key: str) -> bool:
        return self.rules[key] == "free" or (self.rules[key] == "asked" and self.trusted)


def read_folder(folder: Path, settings: Mapping[str, Setting], trusted: FolderSurvey | None = None) -> list[FolderFile]:
    """Its settings files, the one that counts more last; those that are not there or set nothing of ours left out.
    `trusted` is the content that the user trusts, if they do."""
    digests = {part.path: part.digest for part in trusted.parts} if trusted else {}
    found: list[FolderFile] = []
    for name in (TOML, DOTENV):
        raw = read_settings_file(folder / name)
        file = _folder_file(folder / name, raw, settings)
        if file.values:
            same = digests.get(name) == hashlib.sha256(raw).hexdigest()
            found.append(msgspec.structs.replace(file, trusted=same))
    return found


def settings_kind(settings: Mapping[str, Setting]) -> FolderKind:
    """Settings files as parts of a folder that need trust."""

    def describe(path: Path, raw: bytes) -> tuple[list[str], list[str], list[str]]:
        try:
            file = _folder_file(path, raw, settings)
        except UsageError as error:
            return [], [], [_shown(str(error))]
        shown = {key: settings[key].shown if key in settings else _shown(key) for key in file.values}
        asked, never = file.of("asked"), file.of("never")
        lines = [f"{shown[key]} = {_shown(masked(key, value))}" for key, value in asked.items()]
        return [shown[key] for key in asked], lines, [shown[key] for key in never]

    return FolderKind(name="settings", find=lambda folder: (folder / TOML, folder / DOTENV), describe=describe)


def _shown(value: object) -> str:
    """In ASCII, so that nothing steers a terminal or looks like other letters; an address tells its host first."""
    text = ascii(value)
    return f"{text[:_SHOWN]}… ({len(text) - _SHOWN:,} more characters)" if len(text) > _SHOWN else text


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


def _folder_file(path: Path, raw: bytes, settings: Mapping[str, Setting]) -> FolderFile:
    if path.name == TOML:
        values = flatten(parse_toml(raw, path), settings)
    else:
        lines = parse_dotenv(raw, path)
        meant = (each for each in settings.values() if not each.common)
        values = {each.key: value for each in meant if (value := value_of(each, lines))}
    # A name that nobody thought of needs trust.
    rules: dict[str, FolderRule] = {key: settings[key].folder if key in settings else "asked" for key in values}
    return FolderFile(kind=path.name, path=str(path), values=values, rules=rules)


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
            "otherwise remove it from that file, or stop trusting the folder (`glassloop trust --no`)."
        )


def _redirected(key: str, found: Found, settings: Mapping[str, Setting]) -> str | None:
    """What of the user's own the address would redirect: its key, or the address they set in their home folder."""
    table, dot, _ = key.rpartition(".")
    sent, (source, in_force) = f"{table}{dot}{settings[key].sends}", found[key][-1]
    if settings[key].sends and sent in found and found[sent][-1][0].path != source.path:
        return settings[sent].variable
    moved = any(value != in_force for place, value in found[key] if not place.of_folder)
    return settings[key].variable if moved else None
