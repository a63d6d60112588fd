"""The fights of a night, for tools that tell of one fight or of all of them together."""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from glassloop.core.errors import ToolError
from glassloop.core.records import Json
from glassloop.extensions.raids.names import find_player, fold_name, without_realm
from glassloop.extensions.raids.storage.rows import FightRow, StoredReport
from glassloop.extensions.raids.tools.attempts import show_outcomes
from glassloop.extensions.raids.tools.fight_names import WHOLE_NIGHT
from glassloop.extensions.raids.tools.history.player_rows import NO_CHARACTERS
from glassloop.extensions.raids.tools.reader import MINE, RAID_WORDS, RaidReader, boss_fights, show_time
from glassloop.extensions.raids.tools.result import show_length

MAX_FIGHTS: Final = 40
"""Newest ones of a night that are read."""


class NightFights(msgspec.Struct, frozen=True, kw_only=True):
    """A report with more than one boss fight, oldest first; `left_out`: how many older ones are not among `rows`."""

    report: StoredReport
    rows: Sequence[FightRow]
    left_out: int = 0

    def heading(self) -> dict[str, Json]:
        kills = sum(row.kill for row in self.rows)
        return {
            "report": self.report.row.code,
            "night": self.report.row.title,
            "fights": len(self.rows),
            "result": show_outcomes(kills, len(self.rows) - kills),
            "length": show_length(sum(row.length_ms for row in self.rows)),
            "when": show_time(self.report.row.started_at)[:10],
        }

    def notes(self) -> list[str]:
        one = ["Give `fight_id` (a number or a boss) for one fight in detail."]
        if not self.left_out:
            return one
        first = "first fight is" if self.left_out == 1 else f"first {self.left_out} fights are"
        return [f"The {first} left out of this night.", *one]


async def whole_night(reader: RaidReader, user: str, report_code: str, fight_id: int | str) -> NightFights | None:
    """None where one fight is meant, or there is only one."""
    if str(fight_id).strip().casefold() not in WHOLE_NIGHT:
        return None
    report = await reader.report(user, report_code)
    rows = boss_fights(report.fights)
    if len(rows) < 2:
        return None
    return NightFights(report=report, rows=rows[-MAX_FIGHTS:], left_out=max(0, len(rows) - MAX_FIGHTS))


async def chosen_names(reader: RaidReader, user: str, everybody: Collection[str], text: str) -> set[str] | None:
    """Which of all who were there are meant, by full names; None for everybody."""
    wanted = text.strip()
    if not wanted or wanted.casefold() in RAID_WORDS:
        return None
    there = sorted(everybody)
    if wanted.casefold() not in MINE:
        return {find_player(there, wanted)}
    characters = await reader.store.characters(user)
    if not characters:
        raise ToolError(NO_CHARACTERS)
    own = {fold_name(without_realm(row.name)) for row in characters}
    found = {name for name in there if fold_name(without_realm(name)) in own}
    if not found:
        raise ToolError(
            f"None of the user's characters was in this night: give `player_name`, one of {', '.join(there)}."
        )
    return found


def fight_label(reader: RaidReader, row: FightRow) -> str:
    """ "2 Gruul the Dragonkiller"; a wipe says so."""
    return f"{row.number} {reader.encounter_name(row.encounter_id, row.name)}{'' if row.kill else ' (wipe)'}"


def some_of(labels: Sequence[str], of: int) -> str | None:
    """Fights, or that it was all of them."""
    if not labels:
        return None
    return f"all {of}" if len(labels) == of and of > 1 else ", ".join(labels)
