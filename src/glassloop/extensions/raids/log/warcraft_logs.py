"""Warcraft Logs exports (API v2, JSON) to the same records as the game's own log.

An event counts as a line does: taken within a fight of a boss, bad if its type is unknown or it names nobody, else
outside. Amounts there are without overkill and overheal.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Final, final

import msgspec

from glassloop.core.errors import UsageError
from glassloop.extensions.raids.analysis.summary import summarise
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, UNKNOWN, FightLog, Flag, Kind, Miss
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.log.combatant import MAX_AURAS, MAX_GEMS, MAX_SLOTS
from glassloop.extensions.raids.log.fields import BadLine
from glassloop.extensions.raids.log.fight_finder import CHESS, MIN_LENGTH_MS
from glassloop.extensions.raids.log.line_counts import LineCounts
from glassloop.extensions.raids.log.report_json import JsonObject, ReportJson, is_object, number, objects, text
from glassloop.extensions.raids.log.rows import MAX_ROWS
from glassloop.extensions.raids.log.source import LogSource
from glassloop.extensions.raids.log.tables import MAX_ACTORS, MAX_SPELLS
from glassloop.extensions.raids.records import (
    Actor,
    ActorKind,
    Combatant,
    Fight,
    FightRecord,
    GearItem,
    Performance,
    ReportRecord,
    Spell,
)

_MAX_TIME: Final = 1 << 45
_KINDS: Final[Mapping[str, Kind]] = {
    "damage": Kind.DAMAGE, "heal": Kind.HEAL, "absorbed": Kind.ABSORB, "begincast": Kind.CAST_START, "cast": Kind.CAST,
    "applybuff": Kind.AURA_ON, "applydebuff": Kind.AURA_ON, "removebuff": Kind.AURA_OFF, "removedebuff": Kind.AURA_OFF,
    "refreshbuff": Kind.AURA_REFRESH, "refreshdebuff": Kind.AURA_REFRESH, "applybuffstack": Kind.AURA_DOSE,
    "applydebuffstack": Kind.AURA_DOSE, "removebuffstack": Kind.AURA_DOSE, "removedebuffstack": Kind.AURA_DOSE,
    "energize": Kind.ENERGIZE, "resourcechange": Kind.ENERGIZE, "drain": Kind.DRAIN, "leech": Kind.DRAIN,
    "interrupt": Kind.INTERRUPT, "dispel": Kind.DISPEL, "steal": Kind.DISPEL, "summon": Kind.SUMMON,
    "death": Kind.DEATH, "destroy": Kind.DEATH, "resurrect": Kind.RESURRECT, "extraattacks": Kind.EXTRA_ATTACKS,
}  # fmt: skip
_WITHOUT_ROW: Final = frozenset({
    "combatantinfo", "create", "encounterstart", "encounterend", "dungeonstart", "dungeonend", "zonechange",
    "mapchange", "worldmarkerplaced", "worldmarkerremoved", "healabsorbed", "aurabroken", "instakill",
    "phasestart", "fightstart",
})  # fmt: skip
_MISSES: Final[Mapping[int, Miss]] = {
    0: Miss.MISS, 3: Miss.ABSORB, 7: Miss.DODGE, 8: Miss.PARRY, 9: Miss.DEFLECT, 10: Miss.IMMUNE, 12: Miss.REFLECT,
    13: Miss.EVADE, 14: Miss.RESIST,
}  # fmt: skip
_HIT_FLAGS: Final[Mapping[int, Flag]] = {
    2: Flag.CRITICAL, 4: Flag.BLOCKED, 5: Flag.CRITICAL | Flag.BLOCKED, 6: Flag.GLANCING, 15: Flag.CRUSHING,
    17: Flag.CRITICAL,
}  # fmt: skip
_MELEE: Final = 1
_FAMILY: Final = 10_000
"""Encounters of classic games have the game's id plus a multiple of it."""


def read_export(
    source: LogSource, *, found: Callable[[FightRecord], None], knowledge: GameKnowledge, zone: str
) -> ReportRecord:
    """As `read_log`. Raises `UsageError` where there are no fights or no events."""
    export = ReportJson.read(source)
    if not export.fights:
        raise UsageError("The JSON has no fights. Ask the API for the report's `fights` and `masterData` as well.")
    return _ExportReader(export, knowledge).read(source.code, found, zone)


@final
class _ExportReader:
    def __init__(self, export: ReportJson, knowledge: GameKnowledge) -> None:
        self._export = export
        self._knowledge = knowledge
        self._began = number(export.report, "startTime", greatest=_MAX_TIME)
        self._actors: list[Actor] = []
        self._actor_of: dict[tuple[int, int], int] = {}
        self._spells: list[Spell] = []
        self._spell_of: dict[int, int] = {}
        self._counts = LineCounts()

    def read(self, code: str, found: Callable[[FightRecord], None], zone: str) -> ReportRecord:
        events = self._export.events()
        if not events:
            raise UsageError("The JSON has no events. Ask the API for the report's `events` of all types as well.")
        self._counts.lines = len(events) + self._export.not_events
        for _ in range(self._export.not_events):
            self._counts.refuse(0, "", "no event")
        zones: list[str] = []
        for fight, inside in self._by_fight(events):
            encounter_id = self._encounter_id(fight)
            if encounter_id in (0, CHESS) or _time(fight, "end") - _time(fight, "start") < MIN_LENGTH_MS:
                continue
            record = self._fight(fight, encounter_id, inside)
            if record is not None:
                encounter = self._knowledge.encounters.get(encounter_id)
                zones += [encounter.zone] if encounter is not None else []
                found(record)
        self._counts.outside = self._counts.lines - self._counts.taken - self._counts.bad
        report = self._export.report
        ended_at = number(report, "endTime", self._began, greatest=_MAX_TIME)
        zone = zone or ", ".join(dict.fromkeys(zones))
        return ReportRecord(
            code=code,
            title=text(report, "title") or zone or "Raid",
            zone=zone,
            started_at=self._began,
            ended_at=max(ended_at, self._began),
            lines=self._counts.lines,
            taken=self._counts.taken,
            bad=self._counts.bad,
            outside=self._counts.outside,
            bad_lines=self._counts.bad_lines(),
            actors=tuple(self._actors),
            spells=tuple(self._spells),
            source="Warcraft Logs",
        )

    def _by_fight(self, events: list[JsonObject]) -> Iterator[tuple[JsonObject, list[tuple[int, JsonObject]]]]:
        """Fights in the order of time with their events, numbered: by the fight that an event names, else by time."""
        fights = sorted(self._export.fights.values(), key=lambda fight: _time(fight, "start"))
        starts = [_time(fight, "start") for fight in fights]
        inside: dict[int, list[tuple[int, JsonObject]]] = {number(fight, "id"): [] for fight in fights}
        for place, event in enumerate(events, 1):
            named = number(event, "fight", -1)
            if named not in inside:
                at = number(event, "timestamp")
                before = bisect_right(starts, at) - 1
                if before < 0 or at > _time(fights[before], "end"):
                    continue
                named = number(fights[before], "id")
            inside[named].append((place, event))
        for fight in fights:
            yield fight, inside[number(fight, "id")]

    def _fight(self, fight: JsonObject, encounter_id: int, events: list[tuple[int, JsonObject]]) -> FightRecord | None:
        began, ended = _time(fight, "start"), _time(fight, "end")
        log, combatants, taken_before = FightLog(), dict[int, Combatant](), self._counts.taken
        for place, event in events[:MAX_ROWS]:
            try:
                if event.get("type") == "combatantinfo":
                    combatant = self._combatant(event)
                    combatants[combatant.actor] = combatant
                else:
                    self._add(log, event, number(event, "timestamp") - began)
                self._counts.taken += 1
            except BadLine as error:
                self._counts.refuse(place, msgspec.json.encode(event).decode(), str(error))
        if not len(log):
            self._counts.taken = taken_before
            return None
        kill = fight.get("kill") is True
        encounter = self._knowledge.encounters.get(encounter_id)
        record = summarise(
            Fight(
                number=number(fight, "id"),
                encounter_id=encounter_id,
                name=text(fight, "name") or (encounter.name if encounter else f"Encounter {encounter_id}"),
                started_at=self._began + began,
                ended_at=self._began + ended,
                kill=kill,
                difficulty=number(fight, "difficulty"),
                size=number(fight, "size"),
                boss_health=0.0 if kill else _percent(fight.get("bossPercentage")),
                missing=() if any(one.gear for one in combatants.values()) else ("no gear: the export has none",),
            ),
            log,
            self._actors,
            self._spells,
            tuple(combatants.values()),
            self._knowledge,
        )
        return self._with_parses(record, number(fight, "id"))

    def _add(self, log: FightLog, event: JsonObject, at: int) -> None:
        name = text(event, "type")
        kind = _KINDS.get(name)
        if kind is None:
            if name not in _WITHOUT_ROW:
                raise BadLine("unknown event")
            return
        flags, hit = _flags(event, name), number(event, "hitType", 1)
        source, target = self._actor(event, "source"), self._actor(event, "target")
        if self._hostile(event, "source"):
            flags |= Flag.SOURCE_HOSTILE
        if self._hostile(event, "target"):
            flags |= Flag.TARGET_HOSTILE
        amount, extra = max(number(event, "amount"), 0), 0
        match kind:
            case Kind.DAMAGE if hit in _MISSES and not amount:
                kind, amount, extra = (
                    Kind.MISS,
                    max(number(event, "absorbed"), number(event, "blocked"), 0),
                    _MISSES[hit],
                )
            case Kind.DAMAGE:
                extra = max(number(event, "absorbed"), 0)
                flags |= _HIT_FLAGS.get(hit, 0)
            case Kind.HEAL:
                extra = max(number(event, "overheal"), 0)
                amount = min(amount + extra, 0x7FFFFFFF)
                flags |= _HIT_FLAGS.get(hit, 0)
            case Kind.ABSORB:
                extra = self._actor(event, "attacker")
            case Kind.AURA_ON | Kind.AURA_REFRESH:
                amount = 1
            case Kind.AURA_DOSE:
                amount = max(number(event, "stack"), 0)
            case Kind.ENERGIZE | Kind.DRAIN:
                amount = max(number(event, "resourceChange", amount), 0)
                extra = number(event, "resourceChangeType", greatest=100)
            case Kind.INTERRUPT | Kind.DISPEL:
                extra = self._spell(number(event, "extraAbilityGameID"), "")
            case _:
                amount = max(number(event, "extraAttacks"), 0)
        health, max_health, power, max_power, power_type = _state(event)
        if number(event, "resourceActor") == 1:
            flags |= Flag.ABOUT_SOURCE
        spell = NO_SPELL if kind == Kind.DEATH else self._ability(event)
        overkill = max(number(event, "overkill"), 0) if kind == Kind.DAMAGE else 0
        log.append(max(at, 0), kind, source, target, spell, amount, int(extra), int(flags), overkill, health,
                   max_health, power, max_power, power_type)  # fmt: skip

    def _actor(self, event: JsonObject, side: str) -> int:
        """Each instance of a creature is an actor of its own; -1 and 0 are nobody."""
        told = event.get(side)
        identity = number(event, f"{side}ID", number(told, "id", -1) if is_object(told) else -1)
        if identity <= 0:
            return NOBODY
        instance = number(event, f"{side}Instance", 1)
        known = self._actor_of.get((identity, instance))
        if known is None:
            known = self._new_actor(identity, instance)
        return known

    def _new_actor(self, identity: int, instance: int) -> int:
        if len(self._actors) >= MAX_ACTORS:
            raise BadLine(f"more than {MAX_ACTORS:,} units")
        told = self._export.actors.get(identity, {})
        kinds: dict[str, ActorKind] = {"Player": "player", "Pet": "pet"}
        kind = kinds.get(text(told, "type"), "npc")
        index = self._actor_of[identity, instance] = len(self._actors)
        self._actors.append(
            Actor(
                guid=f"WarcraftLogs-{identity}-{instance}",
                name=text(told, "name") or f"Unit {identity}",
                realm=text(told, "server") if kind == "player" else "",
                kind=kind,
                npc_id=number(told, "gameID") if kind != "player" else 0,
                class_name=text(told, "subType") if text(told, "subType") in self._knowledge.classes else "",
            )
        )
        owner = number(told, "petOwner", -1)
        if owner > 0 and owner != identity:
            master = self._actor_of.get((owner, 1))
            master = self._new_actor(owner, 1) if master is None else master
            self._actors[index] = msgspec.structs.replace(self._actors[index], owner=master, kind="pet")
        return index

    def _hostile(self, event: JsonObject, side: str) -> bool:
        friendly = event.get(f"{side}IsFriendly")
        if isinstance(friendly, bool):
            return not friendly
        index = self._actor(event, side)
        return index != NOBODY and self._actors[index].kind == "npc"

    def _ability(self, event: JsonObject) -> int:
        told = event.get("ability")
        name, game_id = "", number(event, "abilityGameID", -1)
        if is_object(told):
            name, game_id = text(told, "name"), number(told, "guid", game_id)
        if game_id < 0:
            raise BadLine("no ability")
        return NO_SPELL if game_id <= _MELEE else self._spell(game_id, name)

    def _spell(self, game_id: int, name: str) -> int:
        known = self._spell_of.get(game_id)
        if known is None:
            if len(self._spells) >= MAX_SPELLS:
                raise BadLine(f"more than {MAX_SPELLS:,} spells")
            told = self._export.abilities.get(game_id, {})
            school = text(told, "type")
            known = self._spell_of[game_id] = len(self._spells)
            name = name or text(told, "name") or f"Spell {game_id}"
            self._spells.append(Spell(id=game_id, name=name, school=int(school) if school.isdecimal() else 0))
        return known

    def _combatant(self, event: JsonObject) -> Combatant:
        actor = self._actor(event, "source")
        if actor == NOBODY:
            raise BadLine("no unit")
        points = tuple(number(talent, "id", -1) for talent in objects(event.get("talents")))
        return Combatant(
            actor=actor,
            talents=points if len(points) == 3 and all(0 <= count <= 71 for count in points) else (),
            gear=_gear(event.get("gear")),
            auras=tuple(
                (self._actor_of.get((number(aura, "source"), 1), NOBODY), number(aura, "ability"))
                for aura in list(objects(event.get("auras")))[:MAX_AURAS]
            ),
        )

    def _encounter_id(self, fight: JsonObject) -> int:
        told = number(fight, "encounterID", number(fight, "boss"))
        own = self._knowledge.encounter_id(told % _FAMILY)
        return own if own in self._knowledge.encounters else told

    def _with_parses(self, record: FightRecord, fight_id: int) -> FightRecord:
        """Warcraft Logs' own percentiles, by name."""
        parses: dict[str, float] = {}
        for ranking in self._export.rankings:
            roles = ranking.get("roles")
            if number(ranking, "fightID") == fight_id and is_object(roles):
                for role in roles.values():
                    for character in objects(role.get("characters") if is_object(role) else None):
                        percent = character.get("rankPercent")
                        if isinstance(percent, (int, float)) and 0 <= percent <= 100:
                            parses[text(character, "name")] = float(percent)

        def with_parse(performance: Performance) -> Performance:
            theirs = parses.get(self._actors[performance.actor].name)
            return performance if theirs is None else msgspec.structs.replace(performance, their_parse=theirs)

        return msgspec.structs.replace(record, performances=tuple(map(with_parse, record.performances)))


def _time(fight: JsonObject, end: str) -> int:
    """From the report's start."""
    return number(fight, f"{end}Time", number(fight, f"{end}_time"))


def _percent(told: object) -> float | None:
    """Some exports have hundredths of a per cent."""
    if not isinstance(told, (int, float)) or not 0 <= told <= 10_000:
        return None
    return float(told) if told <= 100 else told / 100


def _flags(event: JsonObject, name: str) -> int:
    flags = Flag.PERIODIC if event.get("tick") is True else Flag(0)
    if name.endswith(("buff", "buffstack")) and "debuff" not in name:
        flags |= Flag.BUFF
    if event.get("isBuff") is True:
        flags |= Flag.BUFF
    return int(flags)


def _state(event: JsonObject) -> tuple[int, int, int, int, int]:
    powers: list[JsonObject] = [*objects(event.get("classResources")), {}]
    return (
        number(event, "hitPoints", UNKNOWN),
        number(event, "maxHitPoints", UNKNOWN),
        number(powers[0], "amount", UNKNOWN),
        number(powers[0], "max", UNKNOWN),
        number(powers[0], "type", UNKNOWN, greatest=100),
    )


def _gear(told: object) -> tuple[GearItem, ...]:
    return tuple(
        GearItem(
            slot=slot,
            item_id=number(item, "id"),
            item_level=max(number(item, "itemLevel"), 0),
            enchant=max(number(item, "permanentEnchant"), 0),
            temporary_enchant=max(number(item, "temporaryEnchant"), 0),
            gems=tuple(
                number(gem, "id") for gem in list(objects(item.get("gems")))[:MAX_GEMS] if number(gem, "id") > 0
            ),
        )
        for slot, item in enumerate(list(objects(told))[:MAX_SLOTS])
        if number(item, "id") > 0
    )
