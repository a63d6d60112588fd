"""What is said of settings that cannot be used, or that do not exist, in words a person can act on."""

import logging
import types
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Union, get_args, get_origin

_log = logging.getLogger("glassloop.settings")
"""Its own name, so that commands can show what it says while they keep the rest of the log to themselves."""

OURS = "GLASSLOOP_"
_TESTS = "GLASSLOOP_TEST_"
_KINDS = {bool: "write true or false", int: "write a whole number", float: "write a number", str: "write text"}
_told: set[str] = set()


def remedy(kind: Any) -> str:
    """What a setting of this type may be."""
    if get_origin(kind) is Annotated:
        return remedy(get_args(kind)[0])
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
        if not name.startswith(OURS) or name.startswith(_TESTS) or name in known or name in _told:
            continue
        _told.add(name)
        near = get_close_matches(name, known, 1, 0.75)
        meant = f"did you mean {near[0]}?" if near else "`glassloop settings` lists them."
        _log.warning("%s is no setting and is passed over: %s", name[:200], meant)
