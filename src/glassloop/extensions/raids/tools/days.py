"""Days that a model writes as bounds of a search."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json

Day = Annotated[str, "A day or time as YYYY-MM-DD or YYYY-MM-DDTHH:MM; leave out for no bound."]


class Days(msgspec.Struct, frozen=True, kw_only=True):
    """From `since` to `until`, as they were written; empty for no bound."""

    since: str = ""
    until: str = ""

    def __bool__(self) -> bool:
        return bool(self.since.strip() or self.until.strip())

    @property
    def begin(self) -> int | None:
        """In ms since 1970."""
        return _moment("since", self.since, end_of_day=False)

    @property
    def end(self) -> int | None:
        return _moment("until", self.until, end_of_day=True)

    def heading(self) -> dict[str, Json]:
        return {name: text for name, text in (("since", self.since), ("until", self.until)) if text}


def _moment(name: str, text: str, *, end_of_day: bool) -> int | None:
    """In ms since 1970; a day alone is its first or its last moment."""
    wanted = text.strip()
    if not wanted:
        return None
    try:
        if wanted[4:5] != "-":
            # Digits alone would be read as a date too.
            raise ValueError(wanted)
        at = datetime.fromisoformat(wanted)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        if end_of_day and len(wanted) <= len("2026-05-01"):
            at += timedelta(days=1, milliseconds=-1)
        return int(at.timestamp() * 1000)
    except (ValueError, OverflowError):
        remedy = "write a day as 2026-05-01, or a time as 2026-05-01T20:00"
        raise BadArguments(f"`{name}` is {wanted[:40]!r}: {remedy}.") from None
