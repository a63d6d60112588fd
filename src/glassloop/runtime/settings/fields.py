"""Settings described: the key, the variables and the rules of each, read from the structs that hold them.

The kernel's settings are one struct, those of an extension another; both describe a field the same way, with `setting`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta

if TYPE_CHECKING:
    from glassloop.runtime.extensions import Extension

PREFIX = "GLASSLOOP_"

FolderRule = Literal["free", "asked", "never"]
"""What a settings file of the working folder, which may be somebody else's, can decide: `free` is taken as it stands,
`asked` once the user trusts the file, `never` only from the environment or the home folder."""

_SECRET = ("key", "token", "secret", "password")


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting. `key` is how it is written in `glassloop.toml`, with its table before a dot.

    `variables` are the environment variables that set it, the one that is shown first. `sends` names the key setting
    that is sent to the address this one holds; it is empty where none is, None where it is no address. `common`: other
    programs use the variable too, so that a `.env` of the working folder does not mean us.
    """

    key: str
    variables: tuple[str, ...]
    type: Any
    description: str
    folder: FolderRule = "asked"
    sends: str | None = None
    common: bool = False

    @property
    def variable(self) -> str:
        """The variable that is shown; empty for what only a file can hold."""
        return self.variables[0] if self.variables else ""

    @property
    def shown(self) -> str:
        """How it is named to people."""
        return self.variable or self.key


def setting(
    description: str,
    *,
    env: str | Sequence[str] = (),
    folder: FolderRule = "asked",
    sends: str | None = None,
    common: bool = False,
    only_file: bool = False,
) -> Meta:
    """Describes a field of a settings struct, as in `Annotated[str | None, setting("The key.", env="ACME_API_KEY")]`.

    `description` is what people read. `env` are other names beside `GLASSLOOP_<EXTENSION>_<FIELD>`, which always works
    and wins; with `common` other programs use them too, with `only_file` no variable sets it. `folder` says what a
    settings file of the working folder may decide, `sends` which key is sent to the address that this one holds.
    """
    aliases = (env,) if isinstance(env, str) else tuple(env)
    extra = {"aliases": aliases, "folder": folder, "sends": sends, "common": common, "only_file": only_file}
    return Meta(description=description, extra=extra)


def is_secret(key: str) -> bool:
    """Whether the value must never be stored or shown."""
    return key.rpartition(".")[2].rpartition("_")[2] in _SECRET


@lru_cache(maxsize=128)
def describe(struct: type[msgspec.Struct], table: str = "") -> Mapping[str, Setting]:
    """The settings that a struct holds, by key. Fields without a `setting` are none."""
    found: dict[str, Setting] = {}
    for field in msgspec.structs.fields(struct):
        if (meta := _meta(field.type)) is not None:
            key = f"{table}.{field.name}" if table else field.name
            found[key] = _described(key, field.type, meta)
    return MappingProxyType(found)


def describe_all(struct: type[msgspec.Struct], extensions: "Sequence[Extension]") -> dict[str, Setting]:
    """The kernel's settings and those of these extensions, by key."""
    found = dict(describe(struct))
    for extension in extensions:
        if extension.settings is not None:
            found |= describe(extension.settings, extension.name)
    return found


def _described(key: str, kind: Any, meta: Meta) -> Setting:
    extra: Mapping[str, Any] = meta.extra or {}
    own = f"{PREFIX}{key.replace('.', '_').replace('-', '_').upper()}"
    names = dict.fromkeys((*extra["aliases"], own))
    secret: FolderRule = "never" if key.endswith(("_token", "_secret")) else extra["folder"]
    return Setting(
        key=key,
        variables=() if extra["only_file"] else tuple(names),
        type=kind,
        description=meta.description or "",
        folder=secret,
        sends=extra["sends"],
        common=extra["common"],
    )


def _meta(kind: Any) -> Meta | None:
    if get_origin(kind) is not Annotated:
        return None
    found = (each for each in get_args(kind)[1:] if isinstance(each, Meta) and each.extra and "aliases" in each.extra)
    return next(found, None)
