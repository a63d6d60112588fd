"""Defensive cooldowns of a player at a moment: ready, running, or used too shortly before."""

from typing import Final

import msgspec

from glassloop.extensions.raids.analysis.efficiency.cooldowns import CooldownUse, cooldown_uses
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL
from glassloop.extensions.raids.records import Blow
from glassloop.extensions.raids.tools.result import show_length

ALL_SCHOOLS: Final = 127
MAX_USES: Final = 10
SOON_MS: Final = 5_000
"""After a low moment: a cooldown that is used by then answers it."""


class Defensives(msgspec.Struct, frozen=True, kw_only=True):
    """Names of those that help against a school of damage."""

    ready: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    """Used too shortly before."""
    answered: tuple[str, ...] = ()
    """Used within seconds after, with when."""

    @property
    def unused(self) -> str:
        """For people: those that were ready and not used soon after."""
        return ", ".join(self.ready) or ("none" if self.running or self.waiting or self.answered else NONE_KNOWN)


NONE_KNOWN: Final = "none known of this class"


def defensives_at(view: FightView, player: int, at: int, blow: Blow | None = None) -> Defensives:
    """Those that help against the blow, or against anything."""
    school = blow_school(view, blow) if blow is not None else ALL_SCHOOLS
    swing = blow is None or blow.spell == NO_SPELL
    ready, running, waiting, answered = list[str](), list[str](), list[str](), list[str]()
    for use in cooldown_uses(view, player):
        helps = use.cooldown.schools & school or use.cooldown.schools == ALL_SCHOOLS
        if use.cooldown.kind != "defensive" or not helps or (use.cooldown.swings_only and not swing):
            continue
        before = [used for used in use.uses if used <= at]
        after = next((used for used in use.uses if at < used <= at + SOON_MS), None)
        since = at - before[-1] if before else None
        if since is not None and since <= use.cooldown.duration_s * 1000:
            running.append(use.cooldown.name)
        elif after is not None:
            answered.append(f"{use.cooldown.name} at {show_length(after)}")
        elif since is None or since >= use.cooldown.cooldown_s * 1000:
            ready.append(_named(use))
        else:
            waiting.append(use.cooldown.name)
    return Defensives(ready=tuple(ready), running=tuple(running), waiting=tuple(waiting), answered=tuple(answered))


def defensives_used(view: FightView, player: int) -> str:
    """All uses of the fight, each cooldown with when it was ready again after the last."""
    told = list[str]()
    for use in cooldown_uses(view, player):
        if use.cooldown.kind == "defensive" and use.uses:
            times = ", ".join(show_length(at) for at in use.uses[:MAX_USES])
            ready = use.uses[-1] + use.cooldown.cooldown_s * 1000
            again = f"ready again {show_length(ready)}" if ready < view.length_ms else "not ready again"
            told.append(f"{use.cooldown.name} at {times} ({again})")
    return "; ".join(told)


def blow_school(view: FightView, blow: Blow) -> int:
    """As the game numbers them; 0 of the surroundings."""
    if 0 <= blow.spell < len(view.spells):
        return view.spells[blow.spell].school
    return 0 if blow.source >= len(view.actors) else 1


def _named(use: CooldownUse) -> str:
    return use.cooldown.name if use.sure else f"{use.cooldown.name} (if the player has it)"
