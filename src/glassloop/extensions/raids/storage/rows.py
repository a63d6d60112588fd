"""Rows of the store, as its readers get them."""

import unicodedata

from glassloop.extensions.raids.names import without_realm
from glassloop.extensions.raids.records import Actor, FightRecord, Performance, RaidRecord, ReportRecord, Spell


class ReportRow(RaidRecord, frozen=True, kw_only=True):
    """A report in a list. Times in ms since 1970 of the log's own clock; `imported_at` in seconds of ours."""

    code: str
    title: str
    zone: str
    name: str
    """Of the file."""
    source: str
    started_at: int
    ended_at: int
    imported_at: float
    lines: int
    taken: int
    bad: int
    outside: int
    own: bool
    """Of whoever asks; others are shared or references."""
    shared: bool
    reference: bool
    fights: int
    kills: int
    size: int
    """Players of the largest fight."""


class FightRow(RaidRecord, frozen=True, kw_only=True):
    """A fight in a list, with the code of its report."""

    code: str
    number: int
    encounter_id: int
    name: str
    kind: str
    started_at: int
    ended_at: int
    kill: bool
    boss_health: float | None
    size: int
    players: int
    deaths: int
    spirits: int
    """Players who became a Spirit of Redemption and were not dead before the end."""
    damage: int
    reference: bool
    own: bool

    @property
    def length_ms(self) -> int:
        return self.ended_at - self.started_at


class PerformanceRow(Performance, frozen=True, kw_only=True):
    """A player in a fight, with who and where that was."""

    name: str
    realm: str
    code: str
    number: int
    encounter_id: int
    started_at: int
    length_ms: int
    kill: bool
    reference: bool
    own: bool
    zone: str = ""

    @property
    def dps(self) -> float:
        return self.damage * 1000 / self.length_ms if self.length_ms > 0 else 0.0

    @property
    def hps(self) -> float:
        return self.healing * 1000 / self.length_ms if self.length_ms > 0 else 0.0


class FightTotals(RaidRecord, frozen=True, kw_only=True):
    """Sums over the players of a fight. `first_death_at` in ms from its start."""

    code: str
    number: int
    encounter_id: int
    started_at: int
    length_ms: int
    kill: bool
    players: int
    damage: int
    healing: int
    deaths: int
    spirits: int
    interrupts: int
    dispels: int
    active_ms: int
    first_death_at: int | None


class PlayerRow(RaidRecord, frozen=True, kw_only=True):
    """Somebody seen in reports, with what was played last."""

    name: str
    realm: str
    class_name: str
    fights: int
    last_at: int
    own: bool
    """In a report of whoever asks."""
    reference: bool
    """In references only."""


class CharacterRow(RaidRecord, frozen=True, kw_only=True):
    """A character that a user plays."""

    id: str
    name: str
    realm: str
    class_name: str
    spec: str


class StoredReport(RaidRecord, frozen=True, kw_only=True):
    """A report with its actors and spells. `same_night`: codes of other logs of the same raid."""

    row: ReportRow
    record: ReportRecord
    fights: tuple[FightRow, ...]
    same_night: tuple[str, ...] = ()


class StoredFight(RaidRecord, frozen=True, kw_only=True):
    """A fight without its events, and the report it is part of."""

    record: FightRecord
    row: FightRow
    report: ReportRow
    actors: tuple[Actor, ...]
    spells: tuple[Spell, ...]


class FightFalls(RaidRecord, frozen=True, kw_only=True):
    """Who was in a fight, and who fell in it. Of what they did nothing is read: the record has no abilities, gear and
    events, and of players only their index and role."""

    record: FightRecord
    row: FightRow
    actors: tuple[Actor, ...]
    spells: tuple[Spell, ...]


def player_key(name: str) -> str:
    """A player's name as it is matched: without its realm, accents and case."""
    plain = unicodedata.normalize("NFKD", without_realm(name)).casefold()
    return "".join(sign for sign in plain if not unicodedata.combining(sign))
