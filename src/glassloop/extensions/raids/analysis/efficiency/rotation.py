"""A score of 0 to 100 for how a player used its time: global cooldowns, casts a minute, cooldowns, main abilities.

Targets are what the best references of the spec reach, be they few; without references those of the spec, lowered by
what the encounter allows. Parts that nothing is known of are left out, and the others count for more. It tells nothing
of damage or healing done.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from glassloop.extensions.raids.analysis.casts import casts_of
from glassloop.extensions.raids.analysis.efficiency.cooldowns import cooldown_uses, throughput_percent
from glassloop.extensions.raids.analysis.expected_uptime import USUAL_GCD, encounter_uptime
from glassloop.extensions.raids.analysis.grades import ROTATION, Grade
from glassloop.extensions.raids.analysis.review.activity import Activity, activity_of, is_done
from glassloop.extensions.raids.analysis.spec_targets import SpecTargets
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.knowledge.facts import Spec
from glassloop.extensions.raids.records import RaidRecord

COOLDOWN_TARGET: Final = 90.0
LEAST_SHOTS: Final = 5
SHOTS_UNIT: Final = "% of auto shots with a shot between"
WEIGHTS: Final = {"gcd_uptime": 40, "casts_per_minute": 20, "cooldowns": 20, "main_abilities": 20}

PartName = Literal["gcd_uptime", "casts_per_minute", "cooldowns", "main_abilities"]


class AbilityRate(RaidRecord, frozen=True, kw_only=True):
    """A main ability of the spec, in casts a minute."""

    name: str
    value: float
    target: float

    @property
    def share(self) -> float:
        return min(1.0, self.value / self.target) if self.target > 0 else 1.0


class ScorePart(RaidRecord, frozen=True, kw_only=True):
    """`points` out of `most`; value and target in `unit`."""

    name: PartName
    value: float
    target: float
    unit: str
    points: float
    most: float


class RotationScore(RaidRecord, frozen=True, kw_only=True):
    """`left_out` says why, by part."""

    score: float
    parts: tuple[ScorePart, ...]
    abilities: tuple[AbilityRate, ...] = ()
    left_out: tuple[tuple[PartName, str], ...] = ()

    @property
    def letter(self) -> Grade:
        return ROTATION.grade(self.score)


def rotation_score(view: FightView, player: int) -> RotationScore:
    """Of one player. Time is the time alive."""
    performance = view.performances.get(player)
    spec = view.knowledge.specs.get((performance.class_name, performance.spec)) if performance is not None else None
    activity = activity_of(view, player)
    allowed = min(1.0, encounter_uptime(view) / USUAL_GCD)
    values: dict[PartName, tuple[float, float, str]] = {"gcd_uptime": _uptime(activity, encounter_uptime(view))}
    left_out, abilities = dict[PartName, str](), list[AbilityRate]()
    if spec is None or not spec.casts_per_minute:
        left_out["casts_per_minute"] = "the spec is not known" if spec is None else "no target is known"
    else:
        targets = view.targets_of(player)
        wanted = spec.casts_per_minute * allowed if targets is None else targets.casts_per_minute
        values["casts_per_minute"] = (activity.casts_per_minute, wanted, "a minute")
    if (used := throughput_percent(cooldown_uses(view, player))) is None:
        left_out["cooldowns"] = "no throughput cooldown of the spec is known"
    else:
        values["cooldowns"] = (used, COOLDOWN_TARGET, "% of possible uses")
    if spec is not None:
        abilities = _ability_rates(view, spec, player, allowed)
    if abilities:
        reached = 100 * sum(one.share for one in abilities) / len(abilities)
        values["main_abilities"] = (reached, 100.0, "% of the expected casts")
    else:
        left_out["main_abilities"] = "the spec is not known" if spec is None else "none of them is in the log"
    return _score(values, abilities, left_out)


def _uptime(activity: Activity, allowed: int) -> tuple[float, float, str]:
    """Of hunters by the shots between their auto shots, where there are enough of them."""
    shots = activity.shots
    if shots is not None and shots.between >= LEAST_SHOTS:
        return shots.percent, float(allowed), SHOTS_UNIT
    return activity.uptime_percent, float(activity.expected), "%"


def _score(
    values: Mapping[PartName, tuple[float, float, str]],
    abilities: Sequence[AbilityRate],
    left_out: Mapping[PartName, str],
) -> RotationScore:
    whole = sum(WEIGHTS[name] for name in values)
    parts = list[ScorePart]()
    for name, (value, target, unit) in values.items():
        most = 100 * WEIGHTS[name] / whole
        points = most * min(1.0, value / target) if target > 0 else most
        parts.append(ScorePart(name=name, value=value, target=target, unit=unit, points=points, most=most))
    return RotationScore(
        score=sum(part.points for part in parts),
        parts=tuple(parts),
        abilities=tuple(abilities),
        left_out=tuple(left_out.items()),
    )


def _ability_rates(view: FightView, spec: Spec, player: int, allowed: float) -> list[AbilityRate]:
    """Empty where not a single one was cast: then the spec is another one, or the player did nothing of it."""
    counts = Counter(view.spell_id(cast.spell) for cast in casts_of(view, player) if is_done(cast))
    minutes, targets = view.alive_ms(player) / 60_000, view.targets_of(player)
    rates = list[AbilityRate]()
    for name, spells in view.knowledge.main_spells(spec).items():
        # What a spell does may be logged as a cast of its own: only its ranks are casts.
        ranks = [spell for spell in spells if view.knowledge.rank_of(spell) is not None]
        wanted = spec.main[name] * allowed if targets is None else _reference_casts(view, targets, ranks)
        if wanted:
            rates.append(AbilityRate(name=name, value=sum(counts[spell] for spell in ranks) / minutes, target=wanted))
    return rates if any(rate.value for rate in rates) else []


def _reference_casts(view: FightView, targets: SpecTargets, ranks: Sequence[int]) -> float:
    """A minute, of a spell in all its ranks: none is asked of anybody where the references cast none. Casts of a spell
    without damage of its own are told of its effect."""
    casts = targets.ability_casts
    if found := sum(casts.get(spell, 0.0) for spell in ranks):
        return found
    known = ((view.knowledge.spell_of(spell), value) for spell, value in casts.items())
    return sum(value for one, value in known if one is not None and not set(ranks).isdisjoint(one.spells))
