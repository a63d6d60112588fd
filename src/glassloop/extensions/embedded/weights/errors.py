"""Why weights are not there.

WeightsError
├── SourceAway   this source cannot be reached, or does not have them: the next one is asked
│   └── Damaged  what came is not what it should be; it was deleted
└── DiskFull     there is no room for them
"""

from glassloop.core.errors import GlassloopError


class WeightsError(GlassloopError):
    """The weights could not be had; the message says what to do."""


class SourceAway(WeightsError):
    """Nothing can be had from there for now."""


class Damaged(SourceAway):
    """The bytes are not the ones that were promised."""


class DiskFull(WeightsError):
    """No room."""
