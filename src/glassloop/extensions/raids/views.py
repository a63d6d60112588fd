"""Reports, fights and encounters as the API and the terminal show them: with names in the place of indexes."""

from collections.abc import Sequence

import msgspec

from glassloop.extensions.raids.analysis.parses import ParsePopulation
from glassloop.extensions.raids.analysis.review.rates import raid_rates
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, FightLog
from glassloop.extensions.raids.knowledge.facts import Encounter
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import Actor, Blow, Death, Spell
from glassloop.extensions.raids.storage.rows import FightRow, ReportRow, StoredFight, StoredReport

MELEE = "Melee"
ENVIRONMENT = "Environment"
RECAP_MS = 10_000
"""A death is shown with what came so long before it."""


class UnreadLines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that could not be read, for one reason; `first` are the first of them, by number and text."""

    reason: str
    count: int
    first: Sequence[tuple[int, str]]


class RaidPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A player of a report."""

    name: str
    realm: str
    class_name: str


class RaidReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report with its fights. `same_night`: codes of other logs of the same raid; `advanced`: whether the log tells
    health, power and positions."""

    report: ReportRow
    fights: Sequence[FightRow]
    players: Sequence[RaidPlayer]
    bad_lines: Sequence[UnreadLines]
    same_night: Sequence[str]
    advanced: bool
    build: str


class FightPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A player in a fight; totals are of the whole fight, rates a second. `item_level` is 0 where nothing tells it.
    `active_percent` is of the time that the player was alive.
    `parse` is the percentile among the `parse_of` kills of this store, `warcraft_logs_parse` their own one; None where
    there is none."""

    name: str
    realm: str
    class_name: str
    spec: str
    role: str
    item_level: float
    damage: int
    dps: float
    healing: int
    hps: float
    overheal: int
    taken: int
    deaths: int
    casts: int
    interrupts: int
    dispels: int
    active_percent: float
    parse: float | None
    parse_of: int
    warcraft_logs_parse: float | None


class DeathBlow(msgspec.Struct, frozen=True, kw_only=True):
    """A hit or a heal before a death; `health` and `max_health` after it are None where the log does not tell them."""

    at_s: float
    kind: str
    spell: str
    source: str
    amount: int
    overkill: int
    absorbed: int
    critical: bool
    health: int | None
    max_health: int | None


class FightDeath(msgspec.Struct, frozen=True, kw_only=True):
    """A death, `at_s` into the fight, by what and whom; both are empty where the log does not tell. `blows`: the hits
    and heals of the last seconds before it."""

    player: str
    at_s: float
    spell: str
    source: str
    amount: int
    overkill: int
    blows: Sequence[DeathBlow]


class FightRates(msgspec.Struct, frozen=True, kw_only=True):
    """Damage to enemies and effective healing of the raid a second, in equal steps of the fight's time."""

    step_s: float
    dps: Sequence[float]
    hps: Sequence[float]


class RaidFight(msgspec.Struct, frozen=True, kw_only=True):
    """A fight. `missing` says what the log does not hold."""

    fight: FightRow
    report: ReportRow
    length_s: float
    players: Sequence[FightPlayer]
    deaths: Sequence[FightDeath]
    missing: Sequence[str]
    rates: FightRates


class RaidPhase(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    health: float | None
    at_s: float | None
    downtime: bool


class RaidMechanic(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    advice: str


class RaidEncounter(msgspec.Struct, frozen=True, kw_only=True):
    """An encounter. `gcd_percent` is the global cooldown uptime that is expected of a good player; `ranked` ones have
    performances."""

    id: int
    name: str
    zone: str
    size: int
    gcd_percent: int
    ranked: bool
    bosses: Sequence[str]
    phases: Sequence[RaidPhase]
    mechanics: Sequence[RaidMechanic]


def report_view(stored: StoredReport) -> RaidReport:
    record = stored.record
    players = [actor for actor in record.actors if actor.kind == "player"]
    return RaidReport(
        report=stored.row,
        fights=stored.fights,
        players=[RaidPlayer(name=each.name, realm=each.realm, class_name=each.class_name) for each in players],
        bad_lines=[UnreadLines(reason=one.reason, count=one.count, first=one.first) for one in record.bad_lines],
        same_night=stored.same_night,
        advanced=record.advanced,
        build=record.build,
    )


def fight_view(stored: StoredFight, log: FightLog, population: ParsePopulation) -> RaidFight:
    """`population`: the kills that those of this fight are ranked among."""
    view = FightView(stored.record, log, stored.actors, stored.spells, load_knowledge())
    length_s = max(stored.row.length_ms, 1) / 1000
    players: list[FightPlayer] = []
    for each in stored.record.performances:
        actor = _actor(stored.actors, each.actor)
        parse = population.parse(each, stored.row.encounter_id, stored.row.length_ms, kill=stored.row.kill)
        active = min(100.0, 100 * each.active_ms / max(1, view.alive_ms(each.actor)))
        players.append(
            FightPlayer(
                name=actor.name if actor else "", realm=actor.realm if actor else "", class_name=each.class_name,
                spec=each.spec, role=each.role, item_level=each.item_level, damage=each.damage,
                dps=round(each.damage / length_s, 1), healing=each.healing, hps=round(each.healing / length_s, 1),
                overheal=each.overheal, taken=each.taken, deaths=each.deaths, casts=each.casts,
                interrupts=each.interrupts, dispels=each.dispels,
                active_percent=round(active, 1), parse=parse.percentile, parse_of=parse.of,
                warcraft_logs_parse=parse.theirs,
            )
        )  # fmt: skip
    return RaidFight(
        fight=stored.row,
        report=stored.report,
        length_s=stored.row.length_ms / 1000,
        players=players,
        deaths=[_death(stored, each) for each in stored.record.deaths if not each.feigned],
        missing=stored.record.fight.missing,
        rates=_rates(view),
    )


def _rates(view: FightView) -> FightRates:
    rates = raid_rates(view)
    return FightRates(
        step_s=round(rates.step_ms / 1000, 3),
        dps=[round(value, 1) for value in rates.dps],
        hps=[round(value, 1) for value in rates.hps],
    )


def encounter_view(encounter: Encounter) -> RaidEncounter:
    return RaidEncounter(
        id=encounter.id,
        name=encounter.name,
        zone=encounter.zone,
        size=encounter.size,
        gcd_percent=encounter.gcd,
        ranked=encounter.ranked,
        bosses=[creature.name for creature in encounter.creatures if creature.boss],
        phases=[
            RaidPhase(name=one.name, health=one.health, at_s=one.at_s, downtime=one.downtime)
            for one in encounter.phases
        ],
        mechanics=[RaidMechanic(name=one.name, kind=one.kind, advice=one.advice) for one in encounter.mechanics],
    )


def _death(stored: StoredFight, death: Death) -> FightDeath:
    blow = None if death.cause is None else death.blows[death.cause]
    actor = _actor(stored.actors, death.actor)
    source = None if blow is None else _actor(stored.actors, blow.source)
    return FightDeath(
        player=actor.name if actor else "",
        at_s=death.at / 1000,
        spell="" if blow is None else _spell_name(stored.spells, blow.spell),
        source=source.name if source else "" if blow is None else ENVIRONMENT,
        amount=0 if blow is None else blow.amount,
        overkill=0 if blow is None else blow.overkill,
        blows=[_blow(stored, each) for each in death.blows if each.at >= death.at - RECAP_MS],
    )


def _blow(stored: StoredFight, blow: Blow) -> DeathBlow:
    source = _actor(stored.actors, blow.source)
    known = blow.health >= 0 and blow.max_health > 0
    return DeathBlow(
        at_s=blow.at / 1000,
        kind=blow.kind,
        spell=_spell_name(stored.spells, blow.spell),
        source=source.name if source else ENVIRONMENT,
        amount=blow.amount,
        overkill=blow.overkill,
        absorbed=blow.absorbed,
        critical=blow.critical,
        health=blow.health if known else None,
        max_health=blow.max_health if known else None,
    )


def _actor(actors: Sequence[Actor], number: int) -> Actor | None:
    return actors[number] if number != NOBODY and number < len(actors) else None


def _spell_name(spells: Sequence[Spell], number: int) -> str:
    return spells[number].name if number != NO_SPELL and number < len(spells) else MELEE
