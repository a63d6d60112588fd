"""Settings that files of the working folder may decide: such a file may be somebody else's.

A few harmless ones count as they stand, some never do, all others once the user trusts the file as it is. Which files
are trusted is `trust`'s, what each setting allows stands with its description.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from glassloop.core.errors import UsageError
from glassloop.runtime.settings.fields import FolderRule, Setting
from glassloop.runtime.settings.files import parse_dotenv, parse_toml, read_settings_file

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
