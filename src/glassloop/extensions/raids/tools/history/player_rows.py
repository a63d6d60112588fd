"""Players across fights: who is meant by a name, and that player's fights as rows of an answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from glassloop.core.errors import BadArguments, ToolError
from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.parses import (
    MIN_KILLS,
    PARSE_NOTE,
    SAME_KILL_MS,
    THEIR_PARSE_NOTE,
    Parse,
    ParsePopulation,
    judged_by,
)
from glassloop.extensions.raids.names import clean_name, find_player, fold_name, has_player, split_realm, without_realm
from glassloop.extensions.raids.storage.rows import FightRow, PerformanceRow
from glassloop.extensions.raids.tools.reader import MINE, NO_REPORTS, RaidReader, show_outcome, show_time
from glassloop.extensions.raids.tools.result import show_length

MAX_ROWS: Final = 1_000
NO_CHARACTERS: Final = (
    "No character is registered for this user, so 'me' is not known: ask for the character's name and give it as "
    "`player_name`, or let the user register it on the page or with `glassloop import raids FILE --me NAME`."
)


class PlayerChoice(msgspec.Struct, frozen=True):
    """A player that was meant. Without a realm it is one of any realm."""

    name: str
    realm: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}-{self.realm}" if self.realm else self.name

    def is_of(self, row: PerformanceRow) -> bool:
        """Whether a row is of this player: logs of one realm name none."""
        same_name = fold_name(row.name) == fold_name(self.name)
        return same_name and (not self.realm or not row.realm or fold_name(row.realm) == fold_name(self.realm))


async def choose_players(reader: RaidReader, user: str, text: str) -> list[PlayerChoice]:
    """The player of that name, in any report; of `me` and of no name at all, the user's own characters."""
    wanted = clean_name(text)
    if not fold_name(without_realm(wanted)) and text.strip():
        raise BadArguments(f"`player_name` is {text[:40]!r}: give a player's name, or 'me'.")
    if wanted.casefold() in MINE:
        characters = await reader.store.characters(user)
        if not characters:
            raise ToolError(NO_CHARACTERS)
        return [PlayerChoice(row.name, row.realm) for row in characters]
    rows = await reader.store.performances(user, player=wanted, limit=1)
    if not rows:
        rows = await reader.store.performances(user, player=without_realm(wanted), limit=1)
    if rows:
        return [PlayerChoice(rows[0].name, split_realm(wanted)[1])]
    rows_by_name = {PlayerChoice(row.name, row.realm).label: row for row in await reader.store.players(user)}
    if not rows_by_name:
        raise ToolError(NO_REPORTS)
    # A stranger in a reference of a name like it is not meant where somebody of the raids is.
    home = [label for label, row in rows_by_name.items() if not row.reference]
    strangers = has_player(rows_by_name, wanted) and not has_player(home, wanted)
    found = rows_by_name[find_player(rows_by_name if strangers or not home else home, wanted)]
    return [PlayerChoice(found.name, found.realm)]


async def choose_player(reader: RaidReader, user: str, text: str) -> PlayerChoice:
    """One player; several characters of the user are asked back."""
    chosen = await choose_players(reader, user, text)
    if len(chosen) > 1:
        names = ", ".join(one.label for one in chosen)
        raise ToolError(f"The user has several characters: {names}. Give one of them as `player_name`.")
    return chosen[0]


async def player_rows(
    reader: RaidReader,
    user: str,
    players: Sequence[PlayerChoice],
    *,
    encounter_id: int | None = None,
    kills_only: bool = False,
    limit: int = MAX_ROWS,
) -> list[PerformanceRow]:
    """Fights of these players, newest first: of imported nights, else of references. Each fight once, even where two
    players' logs have it."""
    rows: list[PerformanceRow] = []
    for player in players:
        of_name = await reader.store.performances(
            user, player=player.name, encounter_id=encounter_id, kills_only=kills_only, limit=limit
        )
        own = [row for row in of_name if player.is_of(row)]
        own = [row for row in own if not row.reference] or own
        realms = sorted({row.realm for row in own if row.realm})
        if not player.realm and len(realms) > 1:
            names = ", ".join(f"{player.name}-{realm}" for realm in realms)
            raise ToolError(
                f"Several players fit {player.name!r}: {names}. Ask which one is meant, or give it in full."
            )
        rows += own
    return distinct_fights(rows)


def distinct_fights(rows: Iterable[PerformanceRow]) -> list[PerformanceRow]:
    """Newest first; of a fight that several logs have, the user's own. Players of different realms are two."""
    kept: list[PerformanceRow] = []
    places: dict[tuple[str, int], list[int]] = {}
    for row in sorted(rows, key=lambda one: -one.started_at):
        last = places.setdefault((fold_name(row.name), row.encounter_id), [])
        last[:] = [place for place in last if kept[place].started_at - row.started_at <= SAME_KILL_MS]
        same = next((place for place in last if _same_realm(kept[place].realm, row.realm)), None)
        if same is None:
            last.append(len(kept))
            kept.append(row)
        elif row.own and not kept[same].own:
            kept[same] = row
    return kept


def _same_realm(one: str, other: str) -> bool:
    """Logs of one realm name none."""
    return not one or not other or fold_name(one) == fold_name(other)


async def boss_healths(
    reader: RaidReader, user: str, rows: Sequence[PerformanceRow], encounter_id: int | None = None
) -> Mapping[tuple[str, int], FightRow]:
    """The fights of rows with wipes among them, for what was left of the boss."""
    wipes = [row for row in rows if not row.kill]
    if not wipes:
        return {}
    since, until = min(row.started_at for row in wipes), max(row.started_at for row in wipes)
    fights = await reader.store.search(
        user, encounter_id=encounter_id, kill=False, since=since, until=until, limit=MAX_ROWS, reference=None
    )
    return {(fight.code, fight.number): fight for fight in fights}


def told_performance(
    reader: RaidReader, row: PerformanceRow, parse: Parse, fight: FightRow | None = None
) -> dict[str, Json]:
    """A row of an answer: a player in a fight."""
    return {
        "when": show_time(row.started_at),
        "encounter": reader.encounter_name(row.encounter_id),
        "result": show_outcome(row.kill, fight.boss_health if fight is not None else None),
        "player": row.name,
        "spec": spec_label(row.class_name, row.spec),
        "judged_by": judged_by(row.role),
        "dps": round(row.dps, 1),
        "hps": round(row.hps, 1),
        **parse.told(),
        "item_level": round(row.item_level, 1) or None,
        "deaths": row.deaths,
        "length": show_length(row.length_ms),
        "length_s": round(row.length_ms / 1000, 1),
        "report_code": row.code,
        "fight_id": row.number,
    }


def specs_of(rows: Iterable[PerformanceRow]) -> set[tuple[str, str]]:
    """Classes and specs of these rows, to read no more kills than they are ranked among."""
    return {(row.class_name, row.spec) for row in rows}


def parse_of(population: ParsePopulation, row: PerformanceRow) -> Parse:
    return population.parse(row, row.encounter_id, row.length_ms, kill=row.kill)


def spec_label(class_name: str, spec: str) -> str:
    """ "Fire Mage"; the class alone where the spec is unknown."""
    return " ".join(part for part in (spec, class_name) if part) or "unknown"


def parse_notes(parses: Iterable[Parse]) -> list[str]:
    """What has to be said with parses; nothing of those that are all missing."""
    told = list(parses)
    ours = not told or any(parse.percentile is not None for parse in told)
    theirs = any(parse.theirs is not None for parse in told)
    return [*([PARSE_NOTE] if ours else []), *([THEIR_PARSE_NOTE] if theirs else [])]


def missing_of(reader: RaidReader, rows: Sequence[PerformanceRow], parses: Sequence[Parse]) -> list[str]:
    """What the imports did not hold for these rows."""
    missing: list[str] = []
    if any(row.item_level <= 0 for row in rows):
        missing.append("no item level of some fights: their logs have no COMBATANT_INFO")
    few: dict[str, dict[str, int]] = {}
    for row, parse in zip(rows, parses, strict=True):
        if not row.kill or parse.percentile is not None:
            continue
        if not row.spec:
            missing.append(f"no parse of {row.name}: the spec is unknown")
        else:
            label = spec_label(row.class_name, row.spec)
            few.setdefault(label, {})[reader.encounter_name(row.encounter_id)] = parse.of
    for label, bosses in few.items():
        counts = ", ".join(f"{boss} ({count})" for boss, count in bosses.items())
        missing.append(f"no parse of {label} with fewer than {MIN_KILLS} kills in this store: {counts}")
    return list(dict.fromkeys(missing))
