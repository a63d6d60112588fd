"""Context of a turn for the model: the day, the user, the steps it may take, and the tools that ask a person first."""

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from glassloop.core.loop.policy import Profile, needs_approval
from glassloop.core.messages import ToolSpec

MAX_NAMED = 20
NOBODY = frozenset({"", "anonymous", "local"})
"""Names of users that say nothing to a model."""
_DAYS = re.compile(r"\w{6,9} \d{4}-\d\d-\d\d, in the week from \d\d-\d\d\.[^\n]{0,100} Next week: [^\n.]{0,100}\.(?= )")


def context_note(
    profile: Profile, tools: Iterable[ToolSpec], at: float, user: str, *, small: bool, today: str = ""
) -> str:
    """As it stands when the turn starts; a small model is told only the day, and the days of this week and the next.
    `today`: another day, as an evaluation over data of that day wants it."""
    moment = datetime.fromtimestamp(at).astimezone()
    if today:
        moment = datetime.combine(date.fromisoformat(today), moment.time()).astimezone()
    if small:
        return _small_note(moment)
    lines = [f"{moment:%A} {moment.day} {moment:%B %Y, %H:%M %Z}."]
    if user not in NOBODY:
        lines.append(f"You speak with {user}.")
    limits = profile.limits
    lines.append(f"At most {limits.iterations} steps; calls made together are one, at most {limits.calls_per_step}.")
    asking = [spec.name for spec in tools if needs_approval(spec, profile.approvals)]
    if asking:
        lines.append(f"The user is asked before these run: {', '.join(asking[:MAX_NAMED])}.")
    return " ".join(lines)


def _small_note(moment: datetime) -> str:
    """Days as tools want them, to be copied: a small model neither counts weekdays nor keeps the year."""
    today, passed = moment.date(), moment.weekday()
    monday = today - timedelta(days=passed)
    left, following = (
        ", ".join(f"{monday + timedelta(days=number):%a %m-%d}" for number in days)
        for days in (range(passed + 1, 7), range(7, 14))
    )
    rest = f" {left}." if left else ""
    # The time is last: what stands before it is the same all day, and `same_all_day` finds it.
    return f"{moment:%A %Y-%m-%d}, in the week from {monday:%m-%d}.{rest} Next week: {following}. {moment:%H:%M %Z}."


def same_all_day(note: str) -> str:
    """What the notes for small models begin with all day long, so that it is read once; empty for other notes."""
    found = _DAYS.match(note)
    return found[0] if found else ""
