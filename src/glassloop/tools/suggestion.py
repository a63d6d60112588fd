"""Suggestions for an unknown name: the closest ones, and what there is. It decides nothing."""

from collections.abc import Iterable

_SHOWN = 40
_NAME_CHARS = 64


def closest(name: str, known: Iterable[str]) -> list[str]:
    """At most three names that look like this one."""
    # Imported late: only mistakes need it.
    from difflib import get_close_matches

    by_lower = {candidate.lower(): candidate for candidate in known}
    return [by_lower[match] for match in get_close_matches(name[:_NAME_CHARS].lower(), by_lower, n=3, cutoff=0.6)]


def suggest(name: str, known: Iterable[str]) -> str:
    """What to put after "There is no …": bounded, whatever the name and however many are known."""
    names = sorted(known)
    if not names:
        return "There are none."
    close = closest(name, names)
    guess = f"Did you mean {' or '.join(repr(match) for match in close)}? " if close else ""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{guess}Known: {', '.join(names[:_SHOWN])}{more}."


def quote(name: object) -> str:
    """A name of unknown origin, fit for a message."""
    text = str(name)
    return repr(text if len(text) <= _NAME_CHARS else f"{text[: _NAME_CHARS - 1]}…")
