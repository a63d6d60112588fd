"""Context of a turn for the model: the day, the user, the steps it may take, and the tools that ask a person first."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from glassloop.core.loop.policy import Profile, needs_approval
from glassloop.core.messages import ToolSpec

MAX_NAMED = 20
NOBODY = frozenset({"", "anonymous", "local"})
"""Names of users that say nothing to a model."""


def context_note(
    profile: Profile, tools: Iterable[ToolSpec], at: float, user: str, *, small: bool, today: str = ""
) -> str:
    """As it stands when the turn starts; a small model is told only the day and the six after it. `today`: another day,
    as an evaluation over data of that day wants it."""
    moment = datetime.fromtimestamp(at).astimezone()
    if today:
        moment = datetime.combine(date.fromisoformat(today), moment.time()).astimezone()
    if small:
        # Days as tools want them, to be copied: a small model neither counts weekdays nor keeps the year.
        ahead = (moment.date() + timedelta(days=number) for number in range(1, 7))
        return f"{moment:%A %Y-%m-%d, %H:%M %Z}. {', '.join(f'{day:%a %m-%d}' for day in ahead)}."
    lines = [f"{moment:%A} {moment.day} {moment:%B %Y, %H:%M %Z}."]
    if user not in NOBODY:
        lines.append(f"You speak with {user}.")
    limits = profile.limits
    lines.append(f"At most {limits.iterations} steps; calls made together are one, at most {limits.calls_per_step}.")
    asking = [spec.name for spec in tools if needs_approval(spec, profile.approvals)]
    if asking:
        lines.append(f"The user is asked before these run: {', '.join(asking[:MAX_NAMED])}.")
    return " ".join(lines)
