"""Things installed that cannot be used, and where they come from."""

import importlib.metadata

import msgspec

from glassloop.core.errors import GlassloopError


class ExtensionProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Something installed that is left out: an extension, or an assistant of a package. `source` is its package."""

    name: str
    source: str
    reason: str

    @classmethod
    def of(cls, point: importlib.metadata.EntryPoint, error: Exception) -> "ExtensionProblem":
        reason = str(error) if isinstance(error, GlassloopError) else f"{type(error).__name__}: {error}"
        return cls(name=point.name, source=origin_of(point), reason=reason)

    def __str__(self) -> str:
        return f"{self.name!r} of {self.source} was skipped: {self.reason}"


def origin_of(point: importlib.metadata.EntryPoint) -> str:
    """The package that an entry point is of, in words."""
    return f"{point.dist.name} {point.dist.version} ({point.value})" if point.dist else point.value
