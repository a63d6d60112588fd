"""Compares what an import and the analyses find in a generated log with what the generator knows to be in it."""

from collections.abc import Iterator
from pathlib import Path

from glassloop.extensions.raids.analysis.auras import aura_intervals, merged
from glassloop.extensions.raids.analysis.casts import busy_spans, casts_of, gaps_between
from glassloop.extensions.raids.analysis.efficiency.dots import dot_uses
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, FightLog
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.records import FightRecord, ReportRecord
from glassloop.extensions.raids.sample.figures import AbilityFigures, FightFigures, PlayerFigures, RaidFigures
from glassloop.extensions.raids.sample.raid import GeneratedRaid

GAP_MS = 2500
JITTER_MS = 400
AUTO_SHOT = 75
SUMS = (
    "damage", "pet_damage", "healing", "overheal", "absorbs", "taken", "friendly_fire", "interrupts", "dispels",
    "deaths", "died_at",
)  # fmt: skip


def import_raid(raid: GeneratedRaid, folder: Path) -> tuple[ReportRecord, list[FightRecord]]:
    """Through a file, as everybody's logs are."""
    fights: list[FightRecord] = []
    path = raid.write(folder / f"raid-{raid.seed}.txt")
    return read_log(path, found=fights.append, year=2026), fights


def differences(raid: GeneratedRaid, folder: Path, truth: RaidFigures | None = None) -> list[str]:
    """One line each, empty where the import found exactly the truth."""
    report, fights = import_raid(raid, folder)
    truth = truth or raid.truth
    found = list(_report(report, len(list(raid.lines()))))
    if len(fights) != len(truth.fights):
        return [*found, f"{len(fights)} fights and not {len(truth.fights)}"]
    for number, (expected, record) in enumerate(zip(truth.fights, fights, strict=True)):
        check = _FightCheck(raid, expected, record, report)
        found += [f"fight {number} ({expected.name}): {line}" for line in check.run()]
    return found


def _report(report: ReportRecord, lines: int) -> Iterator[str]:
    if report.lines != lines or report.bad or report.lines != report.taken + report.bad + report.outside:
        yield f"lines {report.lines}, taken {report.taken}, bad {report.bad}, outside {report.outside}, not {lines}"
        yield from (f"bad: {bad.reason} {bad.first[:1]}" for bad in report.bad_lines)


class _FightCheck:
    def __init__(self, raid: GeneratedRaid, expected: FightFigures, record: FightRecord, report: ReportRecord) -> None:
        self.form = raid.form
        self.expected = expected
        self.record = record
        log = FightLog.unpack(record.events)
        self.view = FightView(record, log, report.actors, report.spells, load_knowledge())
        self.index = {actor.guid: number for number, actor in enumerate(report.actors)}
        self.performances = {report.actors[one.actor].guid: one for one in record.performances}

    def run(self) -> Iterator[str]:
        yield from self._fight()
        yield from self._deaths()
        yield from self._auras()
        for guid, player in self.expected.players.items():
            label = f"{player.name} ({player.class_name} {player.spec})"
            if guid not in self.performances:
                yield f"{label} is missing"
                continue
            for check in (
                self._sums, self._abilities, self._taken, self._casts, self._gaps, self._dots, self._gear,
            ):  # fmt: skip
                yield from (f"{label}: {line}" for line in check(player))

    def _fight(self) -> Iterator[str]:
        fight, expected = self.record.fight, self.expected
        pairs = [
            ("encounter", fight.encounter_id, expected.encounter_id),
            ("kill", fight.kill, expected.kill),
            ("start", fight.started_at, expected.started_at),
            ("end", fight.ended_at, expected.ended_at),
        ]
        if self.form.encounter_lines:
            pairs.append(("name", fight.name, expected.name))
        yield from _unequal(pairs)
        if self.form.advanced:
            left = fight.boss_health
            if left is None or abs(left - expected.boss_health) > 1.0:
                yield f"boss health {left}, not {expected.boss_health}"

    def _sums(self, player: PlayerFigures) -> Iterator[str]:
        found = self.performances[player.guid]
        pairs = [(name, getattr(found, name), getattr(player, name)) for name in SUMS]
        actor = self.view.actors[self.index[player.guid]]
        pairs += [("name", actor.name, player.name), ("realm", actor.realm, player.realm)]
        acted = bool(player.casts or player.done or player.healed)
        if acted:  # Nothing else tells a class.
            pairs += [("class", found.class_name, player.class_name)]
        if acted and self.form.combatant_lines:
            pairs += [("spec", found.spec, player.spec), ("role", found.role, player.role)]
        yield from _unequal(pairs)

    def _abilities(self, player: PlayerFigures) -> Iterator[str]:
        for kind, book in (("damage", player.done), ("healing", player.healed)):
            for guid, abilities in book.items():
                actor = self.index[guid]
                rows = {
                    self.view.spell_id(one.spell): one
                    for one in self.record.abilities
                    if one.actor == actor and one.kind == kind
                }
                for spell_id, expected in abilities.items():
                    found = rows.get(spell_id)
                    if found is None:
                        yield f"{kind} of {spell_id} is missing"
                        continue
                    pairs = [(f"{kind} {spell_id} {n}", getattr(found, n), getattr(expected, n)) for n in _COUNTS]
                    yield from _unequal([*pairs, (f"{kind} {spell_id} targets", found.targets, len(expected.targets))])

    def _taken(self, player: PlayerFigures) -> Iterator[str]:
        found: dict[int, int] = {}
        for one in self.record.abilities:
            if one.kind == "taken" and one.actor == self.index[player.guid] and one.total:
                spell_id = self.view.spell_id(one.spell)
                found[spell_id] = found.get(spell_id, 0) + one.total
        expected = {spell_id: total for spell_id, total in player.taken_of.items() if total}
        if found != expected:
            yield f"taken by spell {sorted(found.items())[:5]}, not {sorted(expected.items())[:5]}"

    def _deaths(self) -> Iterator[str]:
        found = [
            (self.view.actors[one.actor].guid, one.at, one.feigned, *self._blow(one.cause, one.blows))
            for one in self.record.deaths
        ]
        expected = [
            (one.guid, one.at, one.feigned, one.source, one.spell_id, one.amount, one.overkill)
            for one in self.expected.deaths
        ]
        if sorted(found) != sorted(expected):
            yield f"deaths {sorted(set(found) - set(expected))[:3]}, not {sorted(set(expected) - set(found))[:3]}"

    def _blow(self, cause: int | None, blows: tuple) -> tuple[str, int, int, int]:
        if cause is None:
            return "", 0, 0, 0
        blow = blows[cause]
        source = "" if blow.source == NOBODY else self.view.actors[blow.source].guid
        spell = 0 if blow.spell == NO_SPELL else self.view.spell_id(blow.spell)
        return source, spell, blow.amount, blow.overkill

    def _auras(self) -> Iterator[str]:
        found: dict[tuple[str, str, int], list[tuple[int, int]]] = {}
        for one in aura_intervals(self.view):
            source = "" if one.source == NOBODY else self.view.actors[one.source].guid
            key = (self.view.actors[one.target].guid, source, one.spell_id)
            found.setdefault(key, []).append((one.begin, one.end))
        for key in found.keys() | self.expected.auras.keys():
            mine, theirs = merged(found.get(key, [])), []
            if key in self.expected.auras:
                theirs = merged(self.expected.auras[key].spans)
            if mine != theirs:
                yield f"aura {key}: {mine[:6]}, not {theirs[:6]}"

    def _casts(self, player: PlayerFigures) -> Iterator[str]:
        outcomes: dict[int, dict[str, int]] = {}
        for one in casts_of(self.view, self.index[player.guid]):
            counts = outcomes.setdefault(self.view.spell_id(one.spell), {})
            counts[one.outcome] = counts.get(one.outcome, 0) + 1
        for spell_id in outcomes.keys() | player.casts.keys():
            found = outcomes.get(spell_id, {})
            expected = player.casts.get(spell_id)
            wanted = (expected.finished, expected.cancelled, expected.open, expected.instant) if expected else (0,) * 4
            instant = found.get("instant", 0) + found.get("channel", 0)
            mine = (found.get("finished", 0), found.get("cancelled", 0), found.get("unfinished", 0), instant)
            if mine != wanted:
                yield f"casts of {spell_id} (finished, cancelled, open, instant) {mine}, not {wanted}"

    def _gaps(self, player: PlayerFigures) -> Iterator[str]:
        length = self.view.length_ms
        spans = merged((begin, min(end, length)) for begin, end in player.busy)
        busy = busy_spans(self.view, self.index[player.guid])
        mine, theirs = gaps_between(busy, length, GAP_MS), gaps_between(spans, length, GAP_MS)
        if mine != theirs:
            yield f"gaps {sorted(set(mine) - set(theirs))[:4]}, not {sorted(set(theirs) - set(mine))[:4]}"
        mine, theirs = self.view.dead_spans(self.index[player.guid]), player.dead
        if mine != merged(theirs):
            yield f"dead {mine}, not {theirs}"
        active = len(set().union(*(range(*span) for span in spans)).difference(*(range(*span) for span in player.dead)))
        casts = sum(len(one.done_at) for spell_id, one in player.casts.items() if spell_id != AUTO_SHOT)
        found = self.performances[player.guid]
        yield from _unequal([("busy ms", found.active_ms, active), ("casts", found.casts, casts)])

    def _dots(self, player: PlayerFigures) -> Iterator[str]:
        found = {use.name: use for use in dot_uses(self.view, self.index[player.guid])}
        knowledge = load_knowledge()
        for spell_id, expected in player.dots.items():
            dot = knowledge.dot_of(spell_id)
            if dot is None or dot.class_name != player.class_name:
                continue
            longer = expected.duration > dot.duration_s * 1000
            if longer and expected.longest <= expected.duration - dot.tick_s * 1000 + JITTER_MS:
                continue  # No run was long enough to show by how much talents lengthen it.
            use = found.get(dot.name)
            mine = (use.applications, use.early, use.lost_ticks) if use else (0, 0, 0)
            wanted = (expected.casts, expected.early, expected.lost_ticks)
            if mine != wanted:
                yield f"{dot.name} (applied, early, lost ticks) {mine}, not {wanted}"

    def _gear(self, player: PlayerFigures) -> Iterator[str]:
        if not self.form.combatant_lines:
            return
        combatant = self.view.combatants[self.index[player.guid]]
        found = [
            (one.slot, one.item_id, one.item_level, one.enchant, one.temporary_enchant, one.gems)
            for one in combatant.gear
            if one.item_id
        ]
        expected = [
            (one.slot, one.item_id, one.item_level, one.enchant, one.temporary_enchant, one.gems) for one in player.gear
        ]
        if found != expected:
            yield f"gear {found[:2]}, not {expected[:2]}"
        if combatant.talents != player.talents:
            yield f"talents {combatant.talents}, not {player.talents}"


_COUNTS = tuple(name for name in AbilityFigures.__struct_fields__ if name != "targets")


def _unequal(pairs: list[tuple[str, object, object]]) -> Iterator[str]:
    yield from (f"{name} {found}, not {expected}" for name, found, expected in pairs if found != expected)
