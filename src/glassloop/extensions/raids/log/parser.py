"""Lines to fights: counts every line, and hands each fight over when it has ended.

Two loops read most lines without leaving them, one inside fights and one outside. What they cannot read at once (a new
second, an actor or width not seen before, the lines that mark fights, anything broken) goes through `_read_line`, which
knows every case and is much slower.
"""

from collections.abc import Callable, Iterator
from operator import length_hint
from typing import Final, final

from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.log.clock import JUMP_MS, Clock
from glassloop.extensions.raids.log.combatant import CombatantReader
from glassloop.extensions.raids.log.fields import BadLine, is_guid, split_quoted, unquoted, whole_number
from glassloop.extensions.raids.log.fight_finder import FightFinder
from glassloop.extensions.raids.log.heads import NO_OWNER, Heads
from glassloop.extensions.raids.log.line_counts import LineCounts
from glassloop.extensions.raids.log.open_fight import OpenFight, ParsedFight
from glassloop.extensions.raids.log.rows import Rows
from glassloop.extensions.raids.log.shapes import CONTROL, SHAPES, Shapes
from glassloop.extensions.raids.log.source import MAX_LINE, decoded
from glassloop.extensions.raids.log.tables import MAX_NAME, Tables

_ACT: Final = 1
"""Of interest outside fights only where no lines mark them."""
_ALWAYS: Final = 2
_ACT_FORMS: Final = ("damage", "swing", "landed", "miss", "swing miss")
_WATCHED: Final = {
    **{event: _ACT for event, shape in SHAPES.items() if shape.form in _ACT_FORMS},
    **dict.fromkeys((*CONTROL, "SPELL_SUMMON", "UNIT_DIED"), _ALWAYS),
}
"""Events that matter outside fights; the others are only counted there."""


@final
class LogParser:
    """Give it blocks of lines and call `close` at the end. `ended` is called with each fight."""

    def __init__(self, knowledge: GameKnowledge, clock: Clock, ended: Callable[[ParsedFight], None]) -> None:
        self.counts = LineCounts()
        self.tables = Tables()
        self.build = ""
        self.advanced = True
        self.zone = ""
        """As the last `ZONE_CHANGE` before a fight named it."""
        self.first_at: int | None = None
        self.last_at = 0
        self.turns_back = 0
        self._knowledge = knowledge
        self.clock = clock
        self._rows = Rows()
        self._rows.refused = self._refuse_row
        self._heads = Heads(self.tables, self._rows)
        self._shapes = Shapes(self.tables, self._rows, self._heads)
        self._fights = FightFinder(knowledge, self.tables, self._rows, self.counts, ended)
        self._combatants = CombatantReader()
        self._lines: list[str] = []
        self._held: list[str] = []
        self._refused: set[int] = set()
        """Places in the block."""
        self._before_block = 0
        self._now = ""
        self._second = 0

    def read_block(self, lines: list[str]) -> None:
        """Lines without their ends. The last one is read with the next block: its time is judged by those after it."""
        if lines:
            self._read([*self._held, *lines[:-1]] if self._held else lines[:-1], lines[-1:])

    def close(self) -> None:
        """The log is over, and with it the fight that is still open."""
        self._read(self._held, [])
        self._fights.end()
        self._fights.end_closing()

    def _read(self, lines: list[str], held: list[str]) -> None:
        self._lines, self._held, self._before_block = lines, held, self.counts.lines
        self.counts.lines += len(lines)
        rest = iter(lines)
        while length_hint(rest):
            if self._fights.open is None:
                self._read_outside(rest)
            else:
                self._read_inside(rest, self._fights.open)
        self._fights.scan()
        self._rows.flush()
        self._refused.clear()

    def _read_inside(self, lines: Iterator[str], fight: OpenFight) -> None:
        fractions, fights, heads, rows = self.clock.fractions, self._fights, self._heads.heads, self._heads.rows
        add_at, add_head, add_texts = self._rows.at.append, self._rows.heads.append, self._rows.texts.extend
        taken = 0
        # Many lines have the time of the one before them, nearly all its second.
        last: str | None = None
        now: str | None = None
        begin = at = 0
        for line in lines:
            stamp, _, text = line.partition("  ")
            head, _, tail = text.rpartition(NO_OWNER)
            try:
                if stamp != last:
                    second, _, fraction = stamp.partition(".")
                    if second != now:
                        if second != self._now:
                            self.counts.taken += taken
                            taken = 0
                            self._turn(second, lines)
                            if fights.open is not fight:
                                self._read_line(line, lines)
                                return
                        now, begin = second, self._second - fight.started_at
                    at, last = begin + fractions[fraction], stamp
                if (known := heads.get(head)) is not None:
                    read, told = known
                    read(tail, at, told)
                elif (row := rows.get(text)) is not None:
                    told, texts = row
                    add_at(at)
                    add_head(told)
                    add_texts(texts)
                else:
                    self._read_fields(line, text, at)
                taken += 1
            except (KeyError, ValueError, IndexError):
                self.counts.taken += taken
                taken, last, now = 0, None, None
                self._read_line(line, lines)
                if fights.open is not fight:
                    return
        self.counts.taken += taken

    def _read_fields(self, line: str, text: str, at: int) -> None:
        """A line of known width whose beginning is new, or is about a pet; `text` is without its time."""
        if not self._heads.read_owned(text, at):
            fields = line.split(",")
            self._heads.read(text, fields, self._shapes.by_width[text.partition(",")[0]][len(fields)], at)

    def _read_outside(self, lines: Iterator[str]) -> None:
        events, fractions, fights, now, outside = (
            self._shapes.by_width,
            self.clock.fractions,
            self._fights,
            self._now,
            0,
        )
        for line in lines:
            head, _, _ = line.partition(",")
            stamp, _, event = head.partition("  ")
            second, _, fraction = stamp.partition(".")
            if second == now and event in events and fraction in fractions:
                watched = _WATCHED.get(event, 0)
                if not watched or (watched == _ACT and (fights.marked or fights.without_boss(line))):
                    outside += 1
                    continue
            self._read_line(line, lines)
            if fights.open is not None:
                break
            now = self._now
        self.counts.outside += outside

    def _read_line(self, line: str, lines: Iterator[str]) -> None:
        """Any line, in any state."""
        line = decoded(line)
        try:
            self._take(line, lines)
        except BadLine as error:
            reason = str(error)
        except (KeyError, IndexError):
            reason = "a value that this event cannot have"
        else:
            return
        number = len(self._lines) - length_hint(lines)
        self._refused.add(number - 1)
        self.counts.refuse(self._before_block + number, line, reason)

    def _refuse_row(self, text: str, reason: str) -> None:
        """Of a line that was taken in this block, and has a value that is no number."""
        self.counts.taken -= 1
        for place, line in enumerate(self._lines):
            if text in line and place not in self._refused and text in line.split(","):
                self._refused.add(place)
                self.counts.refuse(self._before_block + place + 1, decoded(line), reason)
                return
        self.counts.refuse(self._before_block, text, reason)

    def _take(self, line: str, lines: Iterator[str]) -> None:
        head, _, rest = line.partition(",")
        stamp, _, event = head.partition("  ")
        second, _, fraction = stamp.partition(".")
        if not fraction or len(line) > MAX_LINE:
            raise BadLine("too long" if fraction else "no timestamp" if line.strip() else "an empty line")
        ms, forms, watched = self.clock.fraction(fraction), self._shapes.known(event), _WATCHED.get(event, 0)
        if second != self._now:
            self._turn(second, lines)
        at = self._second + ms
        if event in CONTROL:
            self._control(event, rest, at)
            return
        fight = self._fights.open
        if fight is None:
            if not watched:
                self.counts.outside += 1
            if not watched or not self._watch(event, line, at) or (fight := self._fights.open) is None:
                return
        fields = line.split(",")
        try:
            forms[len(fields)].read(fields, at - fight.started_at)
        except (KeyError, ValueError, IndexError):
            self._learn_and_read(event, line, at - fight.started_at)
        self.counts.taken += 1

    def _learn_and_read(self, event: str, line: str, at: int) -> None:
        fields = split_quoted(line)
        form = self._shapes.form(event, fields)
        self._shapes.learn_names(event, fields)
        form.read(fields, at)

    def _turn(self, second: str, lines: Iterator[str]) -> None:
        """The log goes on to another second; the open fight may be over by that."""
        at, last = self.clock.second(second), self.clock.last
        passed = 0 if last is None else at - last
        if last is not None and abs(passed) > JUMP_MS and not self._confirmed(at, last, lines):
            raise BadLine("a time that does not fit the lines around it")
        self.turns_back += passed < -JUMP_MS
        self.clock.accept(second, at)
        self._now, self._second = second, at
        self.first_at = at if self.first_at is None else min(self.first_at, at)
        self.last_at = max(self.last_at, at)
        if passed:
            self._fights.turn(at, passed)

    def _confirmed(self, at: int, last: int, lines: Iterator[str]) -> bool:
        """Whether the line after stands nearer to this one than to those before."""
        place = len(self._lines) - length_hint(lines)
        for line in (*self._lines[place : place + 3], *self._held):
            try:
                following = self.clock.second(line.partition(".")[0])
            except BadLine:
                continue
            return abs(following - at) <= abs(following - last)
        return False

    def _watch(self, event: str, line: str, at: int) -> bool:
        """Outside fights: owners of pets, the death of a boss whose fight has just been ended, and, where no lines
        mark them, the first act of a fight. True if one begins; else the line is counted."""
        fields = split_quoted(line)
        if len(fields) < 9:
            raise BadLine("fields are missing")
        closing = self._fights.closing
        if event == "SPELL_SUMMON" and is_guid(fields[1]) and is_guid(fields[5]):
            self.tables.own(fields[5], fields[1])
        elif event == "UNIT_DIED" and closing is not None and closing.ended_at is not None:
            if fields[5] in self.tables.actor_of:
                self._learn_and_read(event, line, closing.ended_at - closing.started_at)
                self.counts.taken += 1
                return False
        elif _WATCHED[event] == _ACT and self._fights.begin_by_act(fields[1], fields[5], at):
            return True
        self.counts.outside += 1
        return False

    def _control(self, event: str, rest: str, at: int) -> None:
        match event:
            case "COMBATANT_INFO":
                self._fights.add_combatant(at, self._combatants.read(rest))
            case "ENCOUNTER_START":
                self._begin_fight(split_quoted(rest), at)
            case "ENCOUNTER_END":
                values = split_quoted(rest)
                if len(values) < 5:
                    raise BadLine("fields are missing")
                encounter_id = self._knowledge.encounter_id(whole_number(values[0]))
                self._fights.end_marked(encounter_id, at, success=values[4].strip() == "1")
            case "ZONE_CHANGE":
                values = split_quoted(rest)
                if len(values) > 1 and self._fights.open is None:
                    self.zone = unquoted(values[1])[:MAX_NAME]
                self._fights.count_line()
            case _:
                self._read_header(split_quoted(rest))
                self._fights.count_line()

    def _begin_fight(self, values: list[str], at: int) -> None:
        if len(values) < 2:
            raise BadLine("fields are missing")
        encounter_id, *numbers = (whole_number(value) for value in (values[0], *values[2:4]))
        if encounter_id < 0:
            raise BadLine("a number is negative")
        encounter_id = self._knowledge.encounter_id(encounter_id)
        difficulty, size, *_ = (*numbers, 0, 0)
        encounter = self._knowledge.encounters.get(encounter_id)
        name = unquoted(values[1])[:MAX_NAME] or (encounter.name if encounter else f"Encounter {encounter_id}")
        self._fights.begin_marked(
            OpenFight(
                encounter_id=encounter_id,
                name=name,
                started_at=at,
                encounter=encounter,
                marked=True,
                difficulty=difficulty,
                size=size,
            )
        )

    def _read_header(self, values: list[str]) -> None:
        """`9,ADVANCED_LOG_ENABLED,1,BUILD_VERSION,2.5.1,PROJECT_ID,5`. Another build may follow it."""
        named = dict(zip(values[1::2], values[2::2], strict=False))
        self.build = named.get("BUILD_VERSION", self.build)[:MAX_NAME]
        self.advanced = named.get("ADVANCED_LOG_ENABLED") != "0"
        self._shapes.reset()
