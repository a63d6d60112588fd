"""Overheal by spell, beside the target of the spec, and the ranks that were used."""

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.records import AbilityTotal, RaidRecord


class RankUse(RaidRecord, frozen=True, kw_only=True):
    """One rank of a spell; `rank` is None where it is not known (of effects with an id of their own)."""

    spell_id: int
    rank: int | None = None
    casts: int
    hits: int
    effective: int
    overheal: int


class SpellOverheal(RaidRecord, frozen=True, kw_only=True):
    """A healing spell of a player, all ranks together; `by` is the pet or totem that cast it, if any."""

    name: str
    by: str = ""
    effective: int
    overheal: int
    casts: int
    hits: int
    ranks: tuple[RankUse, ...] = ()
    shield: bool = False
    """Absorbs cannot overheal: the log does not tell what of a shield was left unused."""

    @property
    def percent(self) -> float:
        return overheal_percent(self.effective, self.overheal)


class OverhealAnalysis(RaidRecord, frozen=True, kw_only=True):
    """Of a player and its totems. `target` is the spec's, in per cent; None where it has none."""

    effective: int
    overheal: int
    absorbs: int
    target: float | None
    spells: tuple[SpellOverheal, ...] = ()

    @property
    def percent(self) -> float:
        """Of what could overheal at all: shields are left out."""
        return overheal_percent(self.effective - self.absorbs, self.overheal)


def overheal_percent(effective: int, overheal: int) -> float:
    whole = effective + overheal
    return 100 * overheal / whole if whole > 0 else 0.0


def analyse_overheal(view: FightView, player: int) -> OverhealAnalysis:
    """Spells by what they overhealed, most first."""
    casters = [player, *view.pets_of(player)]
    totals = [one for one in view.record.abilities if one.kind == "healing" and one.actor in casters]
    groups = dict[tuple[str, int], list[AbilityTotal]]()
    for one in totals:
        groups.setdefault((view.spell_name(one.spell), one.actor), []).append(one)
    spells = [
        _spell(view, name, "" if actor == player else view.name_of(actor), ranks)
        for (name, actor), ranks in groups.items()
    ]
    performance = view.performances.get(player)
    facts = view.knowledge.specs.get((performance.class_name, performance.spec)) if performance is not None else None
    return OverhealAnalysis(
        effective=sum(one.total for one in totals),
        overheal=sum(one.overheal for one in totals),
        absorbs=sum(one.absorbed for one in totals),
        target=facts.overheal_target if facts is not None else None,
        spells=tuple(sorted(spells, key=lambda one: (-one.overheal, -one.effective))),
    )


def _spell(view: FightView, name: str, by: str, ranks: list[AbilityTotal]) -> SpellOverheal:
    return SpellOverheal(
        name=name,
        by=by,
        effective=sum(one.total for one in ranks),
        overheal=sum(one.overheal for one in ranks),
        casts=sum(one.casts for one in ranks),
        hits=sum(one.hits + one.ticks for one in ranks),
        shield=any(one.absorbed for one in ranks),
        ranks=tuple(
            RankUse(
                spell_id=view.spell_id(one.spell),
                rank=view.knowledge.rank_of(view.spell_id(one.spell)),
                casts=one.casts,
                hits=one.hits + one.ticks,
                effective=one.total,
                overheal=one.overheal,
            )
            for one in sorted(ranks, key=lambda one: view.spell_id(one.spell))
        ),
    )
