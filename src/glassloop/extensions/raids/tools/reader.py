"""The part that all raid tools share: from what a model gives (codes, numbers, names) to fights, bosses and players.

Owns the messages for what cannot be found. Figures are the analyses', their form is `result`'s.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import msgspec

from glassloop.core.errors import BadArguments, ToolError
from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.parses import ParsePopulation
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.knowledge.facts import Encounter
from glassloop.extensions.raids.names import (
    clean_name,
    find_encounter,
    find_player,
    fold_name,
    name_list,
    without_realm,
)
from glassloop.extensions.raids.records import Actor, Fight
from glassloop.extensions.raids.tools.fight_names import WHOLE_NIGHT, FightName, read_fight_name
from glassloop.extensions.raids.tools.reference_targets import reference_targets
from glassloop.extensions.raids.tools.result import show_length
from glassloop.extensions.raids.tools.rule_words import LAST_FIGHT, LAST_REPORT, OWN

if TYPE_CHECKING:
    from glassloop.extensions.raids.knowledge.loader import GameKnowledge
    from glassloop.extensions.raids.storage.reports import RaidStore
    from glassloop.extensions.raids.storage.rows import CharacterRow, FightRow, ReportRow, StoredFight, StoredReport

MINE: Final = frozenset(("", "me", "myself", "self", "moi", "yo", *OWN))
RAID_WORDS: Final = frozenset(
    ("raid", "the raid", "all", "everybody", "everyone", "whole raid", "alle", "der raid", "tous", "todos")
)
NO_REPORTS: Final = (
    "No combat log has been imported yet. Drop one into the page, or run `glassloop import raids FILE`; then ask again."
)
_MAX_VIEWS: Final = 4
_MAX_SEARCHED: Final = 1_000
_CODE_CHARS: Final = range(10, 17)
"""Ours have ten, Warcraft Logs' own up to sixteen."""
_MAX_SPECS: Final = 12
"""With more of them it is quicker to read all."""


class FightOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """The report that a view's fight is of, and the characters of whoever asked."""

    report: "ReportRow"
    characters: "tuple[CharacterRow, ...]"


class RaidReader:
    """Reads for one user at a time: every method that reads takes `user` first, and finds own, shared and reference
    reports alone."""

    def __init__(self, raid_store: "RaidStore | None", knowledge: "GameKnowledge") -> None:
        self._raid_store = raid_store
        self.knowledge = knowledge
        self._origins: WeakKeyDictionary[FightView, FightOrigin] = WeakKeyDictionary()
        self._views: OrderedDict[tuple[str, str, int], FightView] = OrderedDict()

    @property
    def store(self) -> "RaidStore":
        """Raises `ToolError` where nothing is kept."""
        if self._raid_store is None:
            raise ToolError("Reports are not kept here: start the server or give the agent a store.")
        return self._raid_store

    async def report(self, user: str, report_code: str) -> "StoredReport":
        """The report of that code; `last` is the newest one."""
        code = await self._code(user, report_code)
        found = await self.store.report(user, code)
        if found is None:
            raise ToolError(await self._no_report(user, code))
        return found

    async def two_reports(self, user: str, earlier: str, later: str) -> "tuple[StoredReport, StoredReport]":
        """Two reports by their codes. Without an earlier one it is the newest night before the later one in the same
        zone, and no other log of the same night."""
        second = await self.report(user, later)
        if earlier.strip():
            return await self.report(user, earlier), second
        row = second.row
        for one in await self.store.reports(user, reference=row.reference):
            is_before = one.zone == row.zone and one.started_at < row.started_at
            if is_before and one.code not in (row.code, *second.same_night):
                return await self.report(user, one.code), second
        raise ToolError(f"There is no report of {row.zone or row.title} before {row.code!r}: give the codes of both.")

    async def fight(self, user: str, report_code: str, fight_id: int | str, *, graded: bool = True) -> FightView:
        """The fight with everything; `last` is the report's last one, and a boss its last fight there. The newest few
        are kept in memory. Not `graded`: without the targets by references, which take a while to work out."""
        code, number = await self._place(user, report_code, fight_id)
        stored = await self.store.fight(user, code, number)
        if stored is None:
            raise ToolError(await self._no_fight(user, code, number))
        characters = tuple(await self.store.characters(user))
        key = (user, code, number)
        view = self._views.get(key)
        if view is None or view.record.fight != stored.record.fight:
            view = await self._view(user, stored)
            self._views[key] = view
            while len(self._views) > _MAX_VIEWS:
                self._views.popitem(last=False)
        self._views.move_to_end(key)
        if graded:
            view.targets = await reference_targets(self.store, user, stored.record.fight.encounter_id)
        self._origins[view] = FightOrigin(report=stored.report, characters=characters)
        return view

    async def _view(self, user: str, stored: "StoredFight") -> FightView:
        code, number = stored.row.code, stored.row.number
        log = await self.store.events(user, code, number)
        if log is None:
            raise ToolError(await self._no_fight(user, code, number))
        return await asyncio.to_thread(FightView, stored.record, log, stored.actors, stored.spells, self.knowledge)

    async def parses(
        self, user: str, encounters: Collection[int], specs: Collection[tuple[str, str]] = ()
    ) -> ParsePopulation:
        """The kills that those of these encounters are ranked among; only of these classes and specs, where given."""
        values = await self.store.parse_values(user, encounters, specs if len(specs) <= _MAX_SPECS else ())
        return await asyncio.to_thread(ParsePopulation, values)

    async def encounter(self, text: str) -> Encounter:
        """The boss that is meant. Raises `ToolError` with names to choose from."""
        return find_encounter(self.knowledge, text)

    def player(self, view: FightView, text: str) -> Actor:
        """A player of the fight; `me` is the character of whoever asked."""
        players = {view.full_name(index): view.actors[index] for index in view.players()}
        if not players:
            raise ToolError("This fight has no players: give another `fight_id`.")
        wanted = text.strip()
        if wanted.casefold() in MINE:
            wanted = self._own_player(view, players)
        elif wanted.casefold() in RAID_WORDS and not any(_same_player(name, wanted) for name in players):
            raise ToolError(
                f"This tool is about one player: give `player_name`, one of {', '.join(sorted(players)[:40])}."
            )
        return players[find_player(players, wanted)]

    def player_or_all(self, view: FightView, text: str) -> int | None:
        """The index of a player of the fight; None for everybody, which nothing and `raid` stand for."""
        if not text.strip() or text.strip().casefold() in RAID_WORDS:
            return None
        return view.index_of(self.player(view, text))

    def heading(self, view: FightView) -> dict[str, Json]:
        """What the figures of an answer are of."""
        origin = self._origins.get(view)
        return {"report": origin.report.code if origin else "", **self.fight_heading(view.record.fight)}

    def fight_heading(self, fight: "Fight | FightRow") -> dict[str, Json]:
        """The number of a fight, its encounter, how it ended, how long it took and when it was."""
        length_ms = fight.ended_at - fight.started_at
        return {
            "fight": fight.number,
            "encounter": self.encounter_name(fight.encounter_id, fight.name),
            "result": show_outcome(fight.kill, fight.boss_health),
            "length": show_length(length_ms),
            "length_s": round(length_ms / 1000, 1),
            "when": show_time(fight.started_at),
        }

    def fight_title(self, view: FightView) -> str:
        """For charts, which stand beside those of other fights: "Gruul the Dragonkiller, fight 2"."""
        fight = view.record.fight
        return f"{self.encounter_name(fight.encounter_id, fight.name)}, fight {fight.number}"

    def encounter_name(self, encounter_id: int, name: str = "") -> str:
        """In English where the encounter is known."""
        known = self.knowledge.encounters.get(encounter_id)
        return known.name if known is not None else name or f"encounter {encounter_id}"

    def missing(self, view: FightView) -> list[str]:
        """What the log of this fight does not hold."""
        return list(view.record.fight.missing)

    def _own_player(self, view: FightView, players: "dict[str, Actor]") -> str:
        origin = self._origins.get(view)
        mine = [row.name for row in origin.characters] if origin else []
        if not mine:
            raise ToolError(
                "No character is registered for the user, so 'me' is not known: ask for the character's name "
                f"(here: {', '.join(sorted(players)[:40])}), or register it on the page."
            )
        here = [name for name in players if any(_same_player(name, own) for own in mine)]
        if len(here) != 1:
            why = "None" if not here else "More than one"
            raise ToolError(
                f"{why} of the user's characters ({', '.join(mine)}) is in this fight: give `player_name`, one of "
                f"{', '.join(sorted(players)[:40])}."
            )
        return here[0]

    async def _code(self, user: str, report_code: str) -> str:
        code = clean_name(report_code)
        if not code and report_code.strip():
            raise BadArguments(f"`report_code` is {report_code[:40]!r}: give a report's code, or 'last'.")
        if _is_last(code):
            last = await self.store.last_report(user)
            if last is None:
                raise ToolError(NO_REPORTS)
            return last
        if not _is_words(code) or await self.store.report(user, code) is not None:
            return code
        try:
            wanted = read_fight_name(self.knowledge, code, "report_code")
        except (BadArguments, ToolError):
            raise ToolError(await self._no_report(user, code)) from None
        return (await self._newest(user, wanted, code)).code

    async def _place(self, user: str, report_code: str, fight_id: int | str) -> tuple[str, int]:
        """The code of the report, and the number of the fight."""
        text = str(fight_id).strip().lstrip("#")
        if text.isascii() and text.isdigit() and len(text) < 7:
            return await self._code(user, report_code), int(text)
        wanted = FightName()
        if text.casefold() not in WHOLE_NIGHT and text.casefold() not in LAST_FIGHT:
            wanted = read_fight_name(self.knowledge, text, "fight_id")
        code = await self._code(user, report_code)
        named = FightName()
        if not _is_last(report_code) and code != clean_name(report_code):
            named = read_fight_name(self.knowledge, clean_name(report_code), "report_code")
        if wanted == FightName() and not named.zone:
            # "last Gruul kill" as a report means the fight.
            wanted = named
        rows = boss_fights((await self.report(user, code)).fights)
        if fits := [row for row in rows if wanted.fits(row)]:
            return code, fits[-1].number
        if wanted != FightName() and (_is_last(report_code) or wanted.is_of(named)):
            row = await self._newest(
                user, msgspec.structs.replace(wanted, encounters=wanted.encounters or named.encounters), text
            )
            return row.code, row.number
        if not rows:
            raise ToolError(f"Report {code!r} has no boss fights: give another code (`search_fights` lists them).")
        raise ToolError(
            f"Report {code!r} has no fight {text[:40]!r}. It has: {self._told_fights(rows)}."
            f"{await self._told_newest(user, wanted)}"
        )

    async def _told_newest(self, user: str, wanted: FightName) -> str:
        """Where the fight that is meant is, if another report has it."""
        try:
            row = await self._newest(user, wanted, "")
        except ToolError:
            return ""
        return f" The newest one is fight {row.number} of report {row.code!r} ({show_time(row.started_at)})."

    async def _newest(self, user: str, wanted: FightName, text: str) -> "FightRow":
        """The newest fight that fits, the user's own first, as `last` is."""
        encounter = next(iter(wanted.encounters)) if len(wanted.encounters) == 1 else None
        rows = await self.store.search(user, encounter_id=encounter, kill=wanted.kill, limit=_MAX_SEARCHED)
        fits = [row for row in rows if wanted.fits(row)]
        if not fits:
            none = f"No fight that is meant by {text[:40]!r} was imported: `search_fights` lists those there are."
            raise ToolError(none if rows or await self.store.reports(user, limit=1) else NO_REPORTS)
        return next((row for row in fits if row.own), fits[0])

    async def _no_report(self, user: str, code: str) -> str:
        rows = await self.store.reports(user)
        if not rows:
            return NO_REPORTS
        shown = ", ".join(f"{row.code} ({row.title})" for row in rows[:8])
        return f"There is no report {code[:40]!r}. The newest are: {shown}. Give one of these codes, or 'last'."

    async def _no_fight(self, user: str, code: str, number: int) -> str:
        report = await self.report(user, code)
        return f"Report {code!r} has no fight {number}. It has: {self._told_fights(boss_fights(report.fights))}."

    def _told_fights(self, rows: "Sequence[FightRow]") -> str:
        told = [
            f"{row.number} {self.encounter_name(row.encounter_id, row.name)}"
            f" ({show_outcome(row.kill, row.boss_health)})"
            for row in rows
        ]
        return name_list(told, 30) or "no fights"


def show_outcome(kill: bool, boss_health: float | None) -> str:
    """A kill, or a wipe with what was left of the boss."""
    if kill:
        return "kill"
    return "wipe" if boss_health is None else f"wipe at {boss_health:.1f} %"


def show_time(ms: int) -> str:
    """A time of the log's own clock."""
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M}"


def boss_fights(rows: "Sequence[FightRow]") -> "list[FightRow]":
    """Without chess and trash."""
    return [row for row in rows if row.kind == "fight"]


def _is_last(report_code: str) -> bool:
    code = clean_name(report_code).casefold()
    return not code or code in LAST_REPORT


def _is_words(code: str) -> bool:
    """Whether it could be words and no code: codes are ten letters and digits, of either case."""
    return not code.isalnum() or len(code) not in _CODE_CHARS or code[1:].islower() or code.isdigit()


def _same_player(name: str, own: str) -> bool:
    return fold_name(without_realm(name)) == fold_name(without_realm(own))
