"""Reads the settings; the only place that reads the environment.

Order: the environment, `.env` in the working folder, `glassloop.toml` there, `glassloop.toml` in the home folder, the
default. What files of the working folder may decide is in `folder`. Values that cannot be used, are ignored or do not
exist are reported with what to do.
"""

import logging
import math
import os
import shlex
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from glassloop.core.errors import UsageError
from glassloop.runtime.extensions import Extension, Extensions, installed_extensions
from glassloop.runtime.settings.connections import FILE, read_connections
from glassloop.runtime.settings.fields import PREFIX, Setting, describe_all
from glassloop.runtime.settings.folder import (
    DOTENV,
    TOML,
    FolderFile,
    Found,
    SettingOrigin,
    check_addresses,
    flatten,
    read_dotenv,
    read_folder,
    read_toml,
    settings_kind,
    value_of,
)
from glassloop.runtime.settings.settings import Settings, masked
from glassloop.runtime.trust.kinds import KINDS
from glassloop.runtime.trust.survey import MAX_NAMES
from glassloop.runtime.trust.trusted_folders import FolderTrust, TrustedFolders

_log = logging.getLogger("glassloop.settings")
"""Its own name, so that commands can show what it says while they keep the rest of the log to themselves."""

_TESTS = "GLASSLOOP_TEST_"
_KINDS = {bool: "write true or false", int: "write a whole number", float: "write a number", str: "write text"}
_warned: set[str] = set()


def remedy(kind: Any) -> str:
    """What a setting of this type may be."""
    if get_origin(kind) is Annotated:
        bounds = [meta.ge for meta in get_args(kind)[1:] if isinstance(meta, Meta) and meta.ge is not None]
        return remedy(get_args(kind)[0]) + (f" of at least {bounds[0]}" if bounds else "")
    if get_origin(kind) is Literal:
        *most, last = map(str, get_args(kind))
        return f"choose {', '.join(most)} or {last}"
    if get_origin(kind) in (Union, types.UnionType):
        found = [remedy(part) for part in get_args(kind) if part is not types.NoneType]
        return f"{found[0]}, or omit it" if len(found) < len(get_args(kind)) else found[0]
    return _KINDS.get(kind, "check its format")


def warn_unknown(names: Iterable[str], known: Collection[str]) -> None:
    """Warns of variables that look like ours and mean nothing, once each: mistyped, they would be passed over."""
    for name in sorted(names):
        if not name.startswith(PREFIX) or name.startswith(_TESTS) or name in known or name in _warned:
            continue
        _warned.add(name)
        near = get_close_matches(name, known, 1, 0.75)
        meant = f"did you mean {near[0]}?" if near else "`glassloop settings` lists them."
        _log.warning("%s is not a setting and is ignored: %s", name[:200], meant)


def warn_ignored(folder: Path, trust: FolderTrust, files: Sequence[FolderFile], unset: Mapping[str, Setting]) -> None:
    """Warns of what a working folder would decide and does not, in one line, once, with the remedy.

    `unset` are the settings that are not set in the environment. What the user refused is not told again.
    """
    if trust.state == "refused":
        return
    parts: list[str] = []
    place = "." if folder.resolve() == Path.cwd().resolve() else shlex.quote(str(folder))
    if trust.state in ("undecided", "changed") and (waiting := describe_waiting(trust, unset)):
        why = "has changed since your decision" if trust.state == "changed" else "is not trusted"
        parts.append(f"This folder {why}, so these are ignored: {waiting} (run `glassloop trust {place}` to review)")
    ignored = {key for file in files for key in file.of("never") if key in unset}
    if never := sorted(unset[key].shown for key in ignored):
        where = "in the environment or in GLASSLOOP_HOME/glassloop.toml"
        parts.append(f"Settings never taken from a folder are ignored: {', '.join(never)} (set them {where})")
    line = f"{'; '.join(parts)}."
    key = f"{folder.resolve()} {line}"
    if parts and key not in _warned:
        _warned.add(key)
        _log.warning("%s", line)


def describe_waiting(trust: FolderTrust, unset: Mapping[str, Setting] | None = None) -> str:
    """What a folder would decide, by kind and in names; settings that the environment decides are left out."""
    names = None if unset is None else {each.shown for each in unset.values()}
    found: dict[str, list[str]] = {}
    for part in trust.survey.waiting:
        kept = [name for name in part.names if part.kind != "settings" or names is None or name in names]
        if kept and part.kind != "code":
            found.setdefault(part.kind, []).extend(kept)
    return "; ".join(f"{kind} {_listed(names)}" for kind, names in found.items())


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"{', '.join(sorted(names)[:MAX_NAMES])}{more}"


def warn_common(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> None:
    """Warns a server of settings in the `.env` of its folder that have names of everybody's: other programs may mean
    them too, so they never count there, and other commands keep silent about them."""
    environ, folder = os.environ if environ is None else environ, folder or Path.cwd()
    if folder.resolve() == home_of(environ).resolve():
        return
    lines = read_dotenv(folder / DOTENV)
    common = (each for each in all_settings().values() if each.common and not value_of(each, environ))
    for each in common:
        if value_of(each, lines):
            _log.warning(
                "%s in %s is ignored because a folder may not set it: set it in the environment or in "
                "GLASSLOOP_HOME/glassloop.toml.",
                each.shown,
                folder / DOTENV,
            )


def all_settings(extensions: Sequence[Extension] = ()) -> dict[str, Setting]:
    """Every setting there is, by key: the kernel's, those of what is installed, and those of `extensions`."""
    return describe_all(Settings, installed_extensions().joined(extensions).extensions)


def load_settings(
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
    extensions: Sequence[Extension] = (),
    **given: str | int | None,
) -> Settings:
    """The settings as they stand, by `environ` (None: this process's) and the files of `folder` (None: the working
    folder). `given` (command-line options) win over everything; `extensions` are used beside the installed ones."""
    environ, folder = os.environ if environ is None else environ, folder or Path.cwd()
    every = installed_extensions().joined(extensions)
    settings = describe_all(Settings, every.extensions)
    trust = trusted_folders(home_of(environ), every).look(folder)
    files = _files(environ, folder, trust, settings)
    found = _gather(environ, folder, files, settings)
    warn_ignored(folder, trust, files, unset_settings(environ, settings))
    values: dict[str, Any] = {key: places[-1][1] for key, places in found.items()}
    values |= {key: value for key, value in given.items() if value is not None}
    loaded = _convert(values, every, found, settings)
    _check_weights(loaded)
    check_addresses(found, settings)
    return loaded


def find_origins(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> dict[str, str]:
    """Where each setting that is set comes from: `environment`, `.env`, `glassloop.toml` or `connections.json`."""
    environ, folder = os.environ if environ is None else environ, folder or Path.cwd()
    settings = all_settings()
    trust = trusted_folders(home_of(environ)).look(folder)
    found = _gather(environ, folder, _files(environ, folder, trust, settings), settings)
    entered = read_connections(home_of(environ))
    told = {f"{table}.{name}": FILE for table, values in entered.values.items() for name in values}
    told |= {"model": FILE} if entered.model else {}
    return {**told, **{key: places[-1][0].kind for key, places in found.items()}}


def home_of(environ: Mapping[str, str]) -> Path:
    """The home folder: only the environment may move it."""
    return Path(environ.get("GLASSLOOP_HOME") or "~/.glassloop").expanduser()


def trusted_folders(home: Path, extensions: Extensions | None = None) -> TrustedFolders:
    """The folders that the user of this home trusts; `extensions` in place of the installed ones say what counts."""
    every = installed_extensions() if extensions is None else extensions
    known = settings_kind(describe_all(Settings, every.extensions))
    return TrustedFolders(home, (known, *KINDS, *(kind for each in every for kind in each.folder_kinds())))


def unset_settings(environ: Mapping[str, str], settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Those that no variable sets, so that files decide."""
    return {key: each for key, each in settings.items() if not value_of(each, environ)}


def _files(
    environ: Mapping[str, str], folder: Path, trust: FolderTrust, settings: Mapping[str, Setting]
) -> list[FolderFile]:
    """The settings files of a working folder; none for the home itself."""
    if folder.resolve() == home_of(environ).resolve():
        return []
    return read_folder(folder, settings, trust.survey if trust.trusted else None)


def _gather(
    environ: Mapping[str, str], folder: Path, files: Sequence[FolderFile], settings: Mapping[str, Setting]
) -> dict[str, list[tuple[SettingOrigin, Any]]]:
    """Every place where a setting stands and counts, with its value there; the last of them wins."""
    home = home_of(environ)
    found: dict[str, list[tuple[SettingOrigin, Any]]] = {}
    for key, value in flatten(read_toml(home / TOML), settings).items():
        found.setdefault(key, []).append((SettingOrigin(TOML, str(home / TOML)), value))
    for file in files:
        for key, value in file.values.items():
            # A name that is no setting is told as a mistake in its file.
            if file.counts(key) or key not in settings:
                found.setdefault(key, []).append((SettingOrigin(file.kind, file.path, of_folder=True), value))
    dotenv = read_dotenv(folder / DOTENV)
    known = [name for each in settings.values() for name in each.variables]
    warn_unknown(dotenv, known)
    own = [(SettingOrigin(DOTENV, str(folder / DOTENV)), dotenv)] if folder.resolve() == home.resolve() else []
    for source, values in (*own, (SettingOrigin("environment"), environ)):
        warn_unknown(values, known)
        for key, each in settings.items():
            if value := value_of(each, values):
                found.setdefault(key, []).append((source, value))
    return found


def _convert(
    values: Mapping[str, Any], extensions: Extensions, found: Found, settings: Mapping[str, Setting]
) -> Settings:
    """The values in their types, each extension's in its own struct."""
    tables: dict[str, dict[str, Any]] = {extension.name: {} for extension in extensions if extension.settings}
    kernel: dict[str, Any] = {}
    for key, value in values.items():
        table, dot, name = key.partition(".")
        if dot and table in tables:
            tables[table][name] = value
        else:
            kernel[key] = value
    made = {
        extension.name: _struct(extension.settings, tables[extension.name], f"{extension.name}.", found, settings)
        for extension in extensions
        if extension.settings is not None
    }
    return msgspec.structs.replace(
        _struct(Settings, kernel, "", found, settings), extensions=extensions.with_values(made)
    )


def _struct(
    kind: type[Any], values: Mapping[str, Any], prefix: str, found: Found, settings: Mapping[str, Setting]
) -> Any:
    unknown = next((name for name in values if f"{prefix}{name}" not in settings), None)
    try:
        if unknown is not None:
            raise msgspec.ValidationError(f"Object contains unknown field `{unknown}`")
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        culprit = next((name for name in values if f"$.{name}" in str(error) or f"`{name}`" in str(error)), None)
        key = f"{prefix}{culprit}"
        if culprit is None or key not in found:
            raise UsageError(f"A setting is invalid: {error}. docs/settings.md lists all settings.") from None
        raise UsageError(_wrong(key, *found[key][-1], str(error), settings.get(key))) from None


def _wrong(key: str, source: SettingOrigin, value: Any, error: str, setting: Setting | None) -> str:
    """Which value stands where, and what it may be."""
    if setting is None or not isinstance(value, str | int | float):
        place = source.path or "the environment"
        return f"A setting is invalid (from {place}): {key!r}: {error}. docs/settings.md lists all settings."
    whose = f"{key!r} in {source.path}"
    if source.kind != TOML:
        whose = f"{setting.variable} in {source.path or 'the environment'}"
    return f"{whose} is {masked(key, value)!r}: {remedy(setting.type)} (docs/settings.md lists every setting)."


def _check_weights(settings: Settings) -> None:
    weights = settings.rag_dense_weight, settings.rag_sparse_weight
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or not sum(weights):
        raise UsageError(
            f"RAG_DENSE_WEIGHT and RAG_SPARSE_WEIGHT are {weights[0]:g} and {weights[1]:g}: give two numbers from 0, "
            "not both 0."
        )
