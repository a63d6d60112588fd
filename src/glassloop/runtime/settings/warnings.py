"""Messages about settings that cannot be used, are ignored or do not exist, each with what to do."""

import logging
import shlex
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Meta

from glassloop.runtime.settings.fields import PREFIX, Setting
from glassloop.runtime.settings.folder import FolderFile

_log = logging.getLogger("glassloop.settings")
"""Its own name, so that commands can show what it says while they keep the rest of the log to themselves."""

_TESTS = "GLASSLOOP_TEST_"
_KINDS = {bool: "write true or false", int: "write a whole number", float: "write a number", str: "write text"}
_told: set[str] = set()


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
        return f"{found[0]}, or leave it out" if len(found) < len(get_args(kind)) else found[0]
    return _KINDS.get(kind, "see how it is written")


def tell_unknown(names: Iterable[str], known: Collection[str]) -> None:
    """Warns of variables that look like ours and mean nothing, once each: mistyped, they would be passed over."""
    for name in sorted(names):
        if not name.startswith(PREFIX) or name.startswith(_TESTS) or name in known or name in _told:
            continue
        _told.add(name)
        near = get_close_matches(name, known, 1, 0.75)
        meant = f"did you mean {near[0]}?" if near else "`glassloop settings` lists them."
        _log.warning("%s is no setting and is passed over: %s", name[:200], meant)


def tell_ignored(folder: Path, files: Sequence[FolderFile], unset: Mapping[str, Setting]) -> None:
    """Warns of settings in a working folder's files that do not count, in one line, once, with the remedy.

    `unset` are those that are not set in the environment. What the user refused is not told again.
    """
    told = [file for file in files if file.decision != "refused"]
    ignored = {key for file in told for key in file.values if key in unset and not file.counts(key)}
    asked, never = (
        sorted(unset[key].shown for key in ignored if unset[key].folder == each) for each in ("asked", "never")
    )
    parts: list[str] = []
    if asked:
        place = "." if folder.resolve() == Path.cwd().resolve() else shlex.quote(str(folder))
        parts.append(f"{', '.join(asked)} (`glassloop trust {place}` shows them and asks)")
    if never:
        where = "in the environment or in GLASSLOOP_HOME/glassloop.toml"
        parts.append(f"{', '.join(never)} (never taken from a folder: set them {where})")
    line = f"Settings in files of this folder are ignored: {'; '.join(parts)}."
    key = f"{folder.resolve()} {line}"
    if parts and key not in _told:
        _told.add(key)
        _log.warning("%s", line)
