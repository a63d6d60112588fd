"""Access rules: which models, assistants and tools a user may use, and how much they may spend. Pure rules.

A rule is for everybody (`*`), for a group (`group:ops`) or for a user (`user:ada`). For each field the most specific
rule that sets it counts: the user's own, else those of their groups, else the one for everybody. Of several groups the
most generous counts. A field that no rule sets restricts nothing here; what is open by default the runtime decides.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from glassloop.core.errors import UsageError

EVERYBODY = "*"
GROUP, USER = "group:", "user:"
MAX_PATTERNS, MAX_PATTERN_CHARS, MAX_SUBJECT_CHARS = 200, 200, 210
_PATTERNS = ("models", "assistants", "tools")
_AMOUNTS = ("dollars_per_day", "dollars_per_month", "tokens_per_day", "tokens_per_month")


class SpendLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much a user may spend. None is no limit; days and months are those of UTC."""

    dollars_per_day: float | None = None
    """US dollars, of models whose price is known."""
    dollars_per_month: float | None = None
    """The same for a month."""
    tokens_per_day: int | None = None
    """Tokens read and written, of all models."""
    tokens_per_month: int | None = None
    """The same for a month."""

    @property
    def are_set(self) -> bool:
        return any(getattr(self, name) is not None for name in _AMOUNTS)


class AccessRule(SpendLimits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a rule sets; None leaves it to less specific rules. Names may hold `*`; an empty list allows none."""

    models: tuple[str, ...] | None = None
    """Models, as `provider:model`."""
    assistants: tuple[str, ...] | None = None
    """Assistants, by name."""
    tools: tuple[str, ...] | None = None
    """Tools, by name; `!name` takes one away from those before it."""

    def __post_init__(self) -> None:
        for name in _PATTERNS:
            _check_patterns(name, getattr(self, name))
        for name in _AMOUNTS:
            value = getattr(self, name)
            if value is not None and not (value >= 0 and math.isfinite(value)):
                raise UsageError(f"{name!r} must be 0 or more, not {value}: omit it for no limit.")


class Permissions(msgspec.Struct, frozen=True, kw_only=True):
    """What one user may use and spend. None: no rule restricts it."""

    models: tuple[str, ...] | None = None
    assistants: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    limits: SpendLimits = SpendLimits()

    def allows_model(self, name: str) -> bool:
        return self.models is None or is_listed(name, self.models)

    def allows_assistant(self, name: str) -> bool:
        return self.assistants is None or is_listed(name, self.assistants)

    def allows_tool(self, name: str) -> bool:
        return self.tools is None or is_listed(name, self.tools)


def permissions_of(user: str, groups: Iterable[str], rules: Mapping[str, AccessRule]) -> Permissions:
    """What these rules let a user of these groups do."""
    own = [rules[subject]] if (subject := f"{USER}{user}") in rules else []
    of_groups = [rules[subject] for name in groups if (subject := f"{GROUP}{name}") in rules]
    everybody = [rules[EVERYBODY]] if EVERYBODY in rules else []
    levels = [level for level in (own, of_groups, everybody) if level]
    limits: dict[str, Any] = {name: _decided(name, levels) for name in _AMOUNTS}
    return Permissions(**{name: _decided(name, levels) for name in _PATTERNS}, limits=SpendLimits(**limits))


def _decided(name: str, levels: Sequence[Sequence[AccessRule]]) -> Any:
    """The value of the most specific rules that set it."""
    for level in levels:
        found = [value for rule in level if (value := getattr(rule, name)) is not None]
        if found:
            return max(found) if name in _AMOUNTS else tuple(each for value in found for each in value)
    return None


def is_listed(name: str, patterns: Sequence[str]) -> bool:
    """Whether these patterns let the name through; the last that fits it counts."""
    listed = False
    for pattern in patterns:
        taken = pattern.startswith("!")
        if fnmatchcase(name, pattern[1:] if taken else pattern):
            listed = not taken
    return listed


def check_subject(subject: str) -> str:
    """Raises `UsageError` for what no rule can be for."""
    kind = next((kind for kind in (GROUP, USER) if subject.startswith(kind)), "")
    named = bool(kind) and bool(subject.removeprefix(kind).strip())
    if (subject != EVERYBODY and not named) or not subject.isprintable() or len(subject) > MAX_SUBJECT_CHARS:
        raise UsageError(f"{subject[:MAX_SUBJECT_CHARS]!r} is not a user or group: write *, group:NAME or user:NAME.")
    return subject


def _check_patterns(name: str, patterns: Sequence[str] | None) -> None:
    if patterns is None:
        return
    if len(patterns) > MAX_PATTERNS:
        raise UsageError(f"{name!r} lists {len(patterns)} names, and {MAX_PATTERNS} are taken: use * in them.")
    for pattern in patterns:
        if not 0 < len(pattern) <= MAX_PATTERN_CHARS or not pattern.isprintable():
            raise UsageError(f"{name!r} lists {pattern[:80]!r}: give names of 1 to {MAX_PATTERN_CHARS} characters.")
