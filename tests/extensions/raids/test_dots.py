"""DoTs: early renewals, lost ticks and what they would have done."""

from tests.extensions.raids.written_fight import ADD, BOSS, OTHER, PLAYER, WrittenFight, facts

from glassloop.extensions.raids.analysis.efficiency.dots import DotUse, dot_uses, is_judged
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Dot

CORRUPTION, LOWER_RANK = 27216, 172
DOT = Dot(
    name="Corruption", class_name="Warlock", spells=(CORRUPTION, LOWER_RANK), duration_s=18, tick_s=3, longest_s=24
)


class DotFight(WrittenFight):
    def __init__(self, length_s: float = 100) -> None:
        super().__init__(length_s, class_name="Warlock")

    def run(self, begin: float, end: float, kind: Kind = Kind.AURA_ON, target: int = BOSS, amount: int = 100) -> None:
        """An application with its ticks until `end`, where it was renewed or ran out."""
        self.cast(begin, CORRUPTION, target=target)
        self.add(begin, kind, CORRUPTION, target=target)
        at = begin + 3
        while at <= end:
            self.add(at, Kind.DAMAGE, CORRUPTION, target=target, amount=amount, flags=Flag.PERIODIC)
            at += 3

    def off(self, at: float, target: int = BOSS) -> None:
        self.add(at, Kind.AURA_OFF, CORRUPTION, target=target)

    def use(self) -> DotUse:
        (use,) = dot_uses(self.view(facts(dots=(DOT,))), PLAYER)
        return use


def test_renewal_with_more_than_a_third_left_is_early_and_loses_the_ticks_that_had_not_fallen() -> None:
    fight = DotFight()
    fight.run(0, 10)
    fight.run(10, 26, Kind.AURA_REFRESH)
    fight.run(26, 44, Kind.AURA_REFRESH)
    fight.off(44)
    use = fight.use()
    assert [(one.at, one.left, one.lost_ticks, one.early) for one in use.renewals] == [
        (10_000, 8_000, 3, True), (26_000, 2_000, 1, False),
    ]  # fmt: skip
    assert (use.casts, use.applications, use.early, use.lost_ticks, use.lost_damage) == (3, 3, 1, 4, 400)
    assert (use.ticks, use.damage, use.uptime, use.grade) == (3 + 5 + 6, 1_400, 44_000, "needs work")


def test_renewal_as_the_last_tick_falls_costs_nothing() -> None:
    fight = DotFight()
    fight.run(0, 18)
    fight.off(18.02)
    fight.run(18.05, 36.05)
    fight.run(36.05, 54.05, Kind.AURA_REFRESH)
    use = fight.use()
    assert (use.renewals, use.applications, use.grade) == ((), 3, "good")


def test_removal_and_application_at_once_is_a_renewal() -> None:
    fight = DotFight()
    fight.run(0, 6)
    fight.off(6)
    fight.run(6.01, 24.01)
    fight.off(24.01)
    assert [(one.lost_ticks, one.early) for one in fight.use().renewals] == [(4, True)]


def test_dead_targets_and_other_targets_are_no_renewals() -> None:
    fight = DotFight()
    fight.run(0, 5, target=ADD)
    fight.off(5, target=ADD)
    fight.run(6, 24)
    fight.add(7, Kind.AURA_REFRESH, CORRUPTION, source=OTHER)
    use = fight.use()
    assert (use.renewals, use.applications, use.main_target) == ((), 2, BOSS)


def test_longer_duration_by_talents_is_learnt_from_the_log() -> None:
    fight = DotFight()
    fight.run(0, 24)
    fight.off(24.1)
    fight.run(30, 45)
    fight.run(45, 69, Kind.AURA_REFRESH)
    use = fight.use()
    assert use.duration == 24_000
    assert [(one.left, one.lost_ticks, one.early) for one in use.renewals] == [(9_000, 3, True)]


def test_lost_ticks_are_worth_what_ticks_of_that_place_do() -> None:
    fight = DotFight(200)
    for begin in (0, 30, 60):
        fight.cast(begin, CORRUPTION)
        fight.add(begin, Kind.AURA_ON, CORRUPTION)
        for place in range(6):
            at = begin + 3 * (place + 1)
            fight.add(at, Kind.DAMAGE, CORRUPTION, amount=100 * (place + 1), flags=Flag.PERIODIC)
        fight.off(begin + 18)
    fight.run(90, 102)
    fight.run(102, 120, Kind.AURA_REFRESH)
    (renewal,) = fight.use().renewals
    # The ends of the fifth and sixth tick: 500 and 600, with one of 100 among those of the last run.
    assert (renewal.lost_ticks, renewal.early) == (2, True)
    assert renewal.lost_damage == round((3 * 500 + 100) / 4 + (3 * 600 + 100) / 4)


def test_who_is_judged() -> None:
    assert is_judged("Warlock", "Destruction") and is_judged("Priest", "Shadow") and is_judged("Druid", "Balance")
    assert not is_judged("Priest", "Holy") and not is_judged("Mage", "Fire") and is_judged("Priest", "")
