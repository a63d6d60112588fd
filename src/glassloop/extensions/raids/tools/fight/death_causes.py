"""Causes of deaths: the mechanic of the killing blow, and whether it could have been avoided."""

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.knowledge.facts import Mechanic
from glassloop.extensions.raids.records import Blow, Death
from glassloop.extensions.raids.tools.player_title import performance_of


def mechanic_of(view: FightView, spell_id: int) -> Mechanic | None:
    """What is known of a spell in this encounter; what can be avoided first."""
    encounter = view.encounter
    if encounter is None or not spell_id:
        return None
    known = [mechanic for mechanic in encounter.mechanics if spell_id in mechanic.spells]
    return min(known, key=lambda mechanic: mechanic.kind != "avoidable", default=None)


def killing_mechanic(view: FightView, death: Death) -> Mechanic | None:
    return None if death.cause is None else mechanic_of(view, view.spell_id(death.blows[death.cause].spell))


def has_to_take(view: FightView, player: int, mechanic: Mechanic) -> bool:
    return mechanic.tank_takes and performance_of(view, player).role == "tank"


def avoidable(view: FightView, dead: int, blow: Blow | None, mechanic: Mechanic | None) -> str:
    """yes, no, or why it cannot be told."""
    if blow is None:
        return "unknown: no damage before it"
    if mechanic is not None and has_to_take(view, dead, mechanic):
        return "no: a tank takes it"
    if mechanic is not None:
        return "yes" if mechanic.kind in ("avoidable", "position", "stay still") else f"by {mechanic.kind}"
    if blow.source >= len(view.actors):
        return "yes: by the surroundings"
    if view.is_player(view.owner_of(blow.source)):
        return "yes: by a player"
    return "not known as avoidable"
