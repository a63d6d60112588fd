"""Profile of an agent: as it was given, as a turn's first event keeps it, and as a resumed turn has it again."""

from collections.abc import Mapping
from typing import Any

import msgspec

from glassloop.core import events as e
from glassloop.core.egress import Egress
from glassloop.core.errors import UsageError
from glassloop.core.loop.observations import OBSERVATION_CHARS, SMALL_OBSERVATION_CHARS, step_chars
from glassloop.core.loop.policy import Approvals, Limits, Profile
from glassloop.core.messages import Abilities
from glassloop.core.protocols import choose_protocol
from glassloop.core.records import Json


def profile_with(base: Profile | None, given: dict[str, Any], max_iterations: int | None) -> Profile:
    """A profile with what was given beside it; a prompt that is a function is none of its own."""
    base = base or Profile()
    changes = {key: value for key, value in given.items() if value is not None and not callable(value)}
    if given.get("prompt") is not None:
        changes["prompt_brief"] = ""
    if max_iterations is not None:
        limits = changes.get("limits") or base.limits
        changes["limits"] = msgspec.structs.replace(limits, iterations=max_iterations)
    return msgspec.structs.replace(base, **changes)


def for_model(profile: Profile, abilities: Abilities) -> tuple[Profile, dict[str, Json]]:
    """The profile as its model is told it, a small one the brief prompt where there is one; and what a turn records."""
    if abilities.small and profile.prompt_brief:
        profile = msgspec.structs.replace(profile, prompt=profile.prompt_brief)
    return profile, _recorded_settings(profile, abilities)


def protocol_for(profile: Profile, abilities: Abilities, asked: e.ProtocolName | None = None) -> e.ProtocolName:
    """How a model writes decisions: as asked, else as the profile prefers, where it can."""
    return choose_protocol(asked or profile.protocol, abilities, profile.written_protocol)


def recorded_limits(profile: Profile) -> dict[str, Json]:
    """Those that are set."""
    return {key: value for key, value in msgspec.structs.asdict(profile.limits).items() if value is not None}


def limited(profile: Profile, settings: Mapping[str, Json] | None) -> Profile:
    """The profile with the limits that the settings of a turn name."""
    if not settings or "limits" not in settings:
        return profile
    return msgspec.structs.replace(profile, limits=msgspec.convert(settings["limits"], Limits))


def _recorded_settings(profile: Profile, abilities: Abilities) -> dict[str, Json]:
    """What the first event of a turn keeps of its agent's profile."""
    chars = profile.observation_chars or (SMALL_OBSERVATION_CHARS if abilities.small else None)
    return {
        "limits": recorded_limits(profile),
        "planner": profile.planner,
        "reflection": profile.reflection,
        "observation_chars": chars or step_chars(profile.context_tokens or abilities.context_tokens),
        "result_chars": chars or OBSERVATION_CHARS,
        **({"result_tables": True} if abilities.small else {}),
        "approvals": profile.approvals,
        **({} if profile.egress == Egress() else {"egress": msgspec.to_builtins(profile.egress)}),
        "ask_user": profile.ask_user,
    }


def as_recorded(profile: Profile, started: e.TurnStarted) -> Profile:
    """The profile with what the turn was started with: a turn keeps its rules when the assistant changes."""
    kept = {name: started.settings[name] for name in _Kept.__struct_fields__ if name in started.settings}
    try:
        return msgspec.structs.replace(profile, **msgspec.structs.asdict(msgspec.convert(kept, _Kept)))
    except msgspec.ValidationError as error:
        raise UsageError(f"The settings of turn {started.turn_id!r} cannot be read ({error}): ask again.") from None


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What `recorded_settings` put into the first event."""

    limits: Limits = Limits()
    planner: bool = False
    reflection: bool = False
    observation_chars: int | None = None
    # As turns were asked about that were started before there was another way.
    approvals: Approvals = "declared"
    egress: Egress = Egress()
    ask_user: bool = False
