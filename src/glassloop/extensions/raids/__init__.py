"""The raid analyst: combat logs of World of Warcraft, The Burning Crusade, read and explained.

The extension is loaded when it is asked for: a process that imports a log needs the packages below and not the runtime.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glassloop.extensions.raids.extension import RaidsExtension, RaidsSettings

__all__ = ["RaidsExtension", "RaidsSettings"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from glassloop.extensions.raids import extension

    return getattr(extension, name)
