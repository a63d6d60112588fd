"""Global cooldown uptime that a good player of a spec can reach in an encounter."""

from typing import Final

from glassloop.extensions.raids.analysis.spec_targets import SpecTargets
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.knowledge.facts import Spec
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.records import Role

USUAL_GCD: Final = 90
"""In per cent, where an encounter says nothing."""
_LONG_GCD_S: Final = 1.5


def encounter_uptime(view: FightView) -> int:
    """In per cent, by the encounter alone."""
    return view.encounter.gcd if view.encounter is not None else USUAL_GCD


def expected_uptime(view: FightView, player: int) -> int:
    """In per cent, of a player's spec and role in this encounter."""
    allowed, performance = encounter_uptime(view), view.performances.get(player)
    if performance is None:
        return allowed
    spec = view.knowledge.specs.get((performance.class_name, performance.spec))
    return spec_uptime(view.knowledge, allowed, spec, performance.role, view.targets_of(player))


def spec_uptime(
    knowledge: GameKnowledge, allowed: int, spec: Spec | None, role: Role, targets: SpecTargets | None
) -> int:
    """In per cent: what the best references of the spec reach here, and no more than the encounter allows. Without
    references, who has only instant abilities presses them as energy, rage or their cooldowns allow: no more can be
    asked of them than the casts a minute of the spec take."""
    if targets is not None:
        return min(allowed, round(targets.gcd_uptime))
    if spec is None or role == "healer" or not spec.casts_per_minute or not _is_limited(knowledge, spec):
        return allowed
    # A druid is a tank as a bear, whose global cooldown is not a cat's.
    gcd_s = max(spec.gcd_s, _LONG_GCD_S) if role == "tank" else spec.gcd_s
    return round(allowed / USUAL_GCD * min(USUAL_GCD, 100 * spec.casts_per_minute * gcd_s / 60))


def _is_limited(knowledge: GameKnowledge, spec: Spec) -> bool:
    """Whether something else than cast times says how often the spec's abilities can be used."""
    if spec.power != "mana":
        return True
    spells = [spell for spells in knowledge.main_spells(spec).values() for spell in spells]
    return not any(knowledge.cast_s(spell) or knowledge.channel_of(spell) for spell in spells)
