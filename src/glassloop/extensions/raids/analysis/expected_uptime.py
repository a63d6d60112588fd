"""Global cooldown uptime that a good player of a spec can reach in an encounter."""

from typing import Final

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.knowledge.facts import Spec
from glassloop.extensions.raids.knowledge.loader import GameKnowledge

USUAL_GCD: Final = 90
"""In per cent, where an encounter says nothing."""
_LONG_GCD_S: Final = 1.5


def encounter_uptime(view: FightView) -> int:
    """In per cent, by the encounter alone."""
    return view.encounter.gcd if view.encounter is not None else USUAL_GCD


def expected_uptime(view: FightView, player: int) -> int:
    """In per cent: what the best references of the spec reach here, and no more than the encounter allows. Without
    references, who has only instant abilities presses them as energy, rage or their cooldowns allow: no more can be
    asked of them than the casts a minute of the spec take."""
    allowed = encounter_uptime(view)
    if (targets := view.targets_of(player)) is not None:
        return min(allowed, round(targets.gcd_uptime))
    performance = view.performances.get(player)
    spec = view.knowledge.specs.get((performance.class_name, performance.spec)) if performance is not None else None
    if performance is None or spec is None or performance.role == "healer" or not spec.casts_per_minute:
        return allowed
    if not _is_limited(view.knowledge, spec):
        return allowed
    # A druid is a tank as a bear, whose global cooldown is not a cat's.
    gcd_s = max(spec.gcd_s, _LONG_GCD_S) if performance.role == "tank" else spec.gcd_s
    return round(allowed / USUAL_GCD * min(USUAL_GCD, 100 * spec.casts_per_minute * gcd_s / 60))


def _is_limited(knowledge: GameKnowledge, spec: Spec) -> bool:
    """Whether something else than cast times says how often the spec's abilities can be used."""
    if spec.power != "mana":
        return True
    spells = [spell for spells in knowledge.main_spells(spec).values() for spell in spells]
    return not any(knowledge.cast_s(spell) or knowledge.channel_of(spell) for spell in spells)
