"""The events of the log: what is known of each, and a reader for each width that it comes in.

The advanced block is 16 fields wide or more, by the build of the client; its width is learnt from the lines themselves.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, final

from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.log.events import EventReaders, ignore
from glassloop.extensions.raids.log.fields import OTHER_WIDTH, BadLine, is_guid
from glassloop.extensions.raids.log.heads import Heads, LineForm, Reader
from glassloop.extensions.raids.log.melee import MeleeReaders
from glassloop.extensions.raids.log.rows import Rows
from glassloop.extensions.raids.log.tables import Tables, learn_line

USUAL_BLOCK: Final = 16
BLOCKS: Final = (16, 17, 18, 19, 20, 15, 14, 0)
"""Widths that an advanced block may have; 0 is a log without one."""
MORE_FIELDS: Final = 3
"""That later builds append to an event."""
_SAME: Final = frozenset({"aura", "dose", "plain", "extra attacks", "miss", "swing miss"})
"""Forms without numbers that are hardly ever the same twice."""
_IGNORED: Final = LineForm(ignore)
_AGREEING: Final = 3
"""Casts in a row that change a width which was learnt before."""

Form = Literal["damage", "swing", "landed", "environment", "heal", "cast", "energize", "drain", "aura", "dose", "plain",
               "extra attacks", "summon", "interrupt", "dispel", "miss", "swing miss", "absorb", "death"]  # fmt: skip


class Shape(NamedTuple):
    """`fields` is how many there are at least, without the advanced block; `block` where that begins, 0 without."""

    form: Form
    fields: int
    block: int = 0
    kind: int = 0
    flags: int = 0


def _shapes() -> dict[str, Shape]:
    periodic = int(Flag.PERIODIC)
    shapes = {
        "SWING_DAMAGE": Shape("swing", 19, 9),
        "SWING_DAMAGE_LANDED": Shape("landed", 19, 9),
        "ENVIRONMENTAL_DAMAGE": Shape("environment", 20, 9, flags=int(Flag.ENVIRONMENT)),
        "SWING_MISSED": Shape("swing miss", 11),
        "SPELL_ABSORBED": Shape("absorb", 17),
        "UNIT_DIED": Shape("death", 9),
        "UNIT_DESTROYED": Shape("death", 9),
        "UNIT_DISSIPATES": Shape("death", 9),
        "SPELL_AURA_APPLIED": Shape("aura", 13, kind=int(Kind.AURA_ON)),
        "SPELL_AURA_REMOVED": Shape("aura", 13, kind=int(Kind.AURA_OFF)),
        "SPELL_AURA_REFRESH": Shape("aura", 13, kind=int(Kind.AURA_REFRESH)),
        "SPELL_AURA_APPLIED_DOSE": Shape("dose", 14, kind=int(Kind.AURA_DOSE)),
        "SPELL_AURA_REMOVED_DOSE": Shape("dose", 14, kind=int(Kind.AURA_DOSE)),
        "SPELL_CAST_START": Shape("plain", 12, kind=int(Kind.CAST_START)),
        "SPELL_CAST_SUCCESS": Shape("cast", 12, 12, kind=int(Kind.CAST)),
        "SPELL_CAST_FAILED": Shape("plain", 13, kind=int(Kind.CAST_FAILED)),
        "SPELL_INTERRUPT": Shape("interrupt", 15, kind=int(Kind.INTERRUPT)),
        "SPELL_DISPEL": Shape("dispel", 16, kind=int(Kind.DISPEL)),
        "SPELL_STOLEN": Shape("dispel", 16, kind=int(Kind.DISPEL)),
        "SPELL_SUMMON": Shape("summon", 12),
        "SPELL_RESURRECT": Shape("plain", 12, kind=int(Kind.RESURRECT)),
        "SPELL_EXTRA_ATTACKS": Shape("extra attacks", 13, kind=int(Kind.EXTRA_ATTACKS)),
        "DAMAGE_SPLIT": Shape("damage", 22, 12, flags=int(Flag.SPLIT)),
        "DAMAGE_SHIELD": Shape("damage", 22, 12),
        "DAMAGE_SHIELD_MISSED": Shape("miss", 14),
        "RANGE_DAMAGE": Shape("damage", 22, 12),
        "RANGE_MISSED": Shape("miss", 14),
    }
    for prefix, flags in (("SPELL", 0), ("SPELL_PERIODIC", periodic)):
        shapes |= {
            f"{prefix}_DAMAGE": Shape("damage", 22, 12, flags=flags),
            f"{prefix}_MISSED": Shape("miss", 14, flags=flags),
            f"{prefix}_HEAL": Shape("heal", 17, 12, flags=flags),
            f"{prefix}_ENERGIZE": Shape("energize", 16, 12, kind=int(Kind.ENERGIZE), flags=flags),
            f"{prefix}_DRAIN": Shape("drain", 16, 12, kind=int(Kind.DRAIN), flags=flags),
            f"{prefix}_LEECH": Shape("drain", 16, 12, kind=int(Kind.DRAIN), flags=flags),
        }
    return shapes


SHAPES: Final = _shapes()
CONTROL: Final = frozenset({"COMBAT_LOG_VERSION", "ENCOUNTER_START", "ENCOUNTER_END", "COMBATANT_INFO", "ZONE_CHANGE"})
"""Lines about the log and its fights rather than about what somebody did."""
WITHOUT_ROW: Final = frozenset({
    "PARTY_KILL", "SPELL_INSTAKILL", "SPELL_AURA_BROKEN", "SPELL_AURA_BROKEN_SPELL", "SPELL_DISPEL_FAILED",
    "SPELL_CREATE", "SPELL_DURABILITY_DAMAGE", "SPELL_DURABILITY_DAMAGE_ALL", "SPELL_BUILDING_DAMAGE",
    "SPELL_BUILDING_HEAL", "SPELL_PERIODIC_AURA_APPLIED", "SPELL_PERIODIC_AURA_REMOVED", "SPELL_HEAL_ABSORBED",
    "SPELL_ABSORBED_SUPPORT", "SPELL_EMPOWER_START", "SPELL_EMPOWER_END", "SPELL_EMPOWER_INTERRUPT", "ENCHANT_APPLIED",
    "ENCHANT_REMOVED", "ENVIRONMENTAL_MISSED", "DAMAGE_SHIELD_MISSED_LANDED", "SWING_MISSED_LANDED", "MAP_CHANGE",
    "EMOTE", "WORLD_MARKER_PLACED", "WORLD_MARKER_REMOVED", "ARENA_MATCH_START", "ARENA_MATCH_END",
    "CHALLENGE_MODE_START", "CHALLENGE_MODE_END", "STAGGER_CLEAR", "STAGGER_PREVENTED", "UNIT_LOYALTY",
    "RANGE_CAST_START", "RANGE_CAST_SUCCESS", "RANGE_CAST_FAILED", "UNIT_LOST", "COMBAT_LOG_ENTRY",
})  # fmt: skip
"""Known, and told by other lines or of no use here."""


@final
class Shapes:
    """Readers by event and width, made when first needed."""

    def __init__(self, tables: Tables, rows: Rows, heads: Heads) -> None:
        self.readers = EventReaders(tables, rows)
        self.melee = MeleeReaders(tables, rows)
        self._heads = heads
        self._tables = tables
        self._block: int = USUAL_BLOCK
        self._learnt = False
        self._other: tuple[int, int] = (0, 0)
        self.by_width: dict[str, dict[int, LineForm]] = {
            **{event: {} for event in (*SHAPES, *CONTROL)},
            **{event: _AnyWidth() for event in WITHOUT_ROW},
        }
        """By event and width; filled as widths are seen."""

    def known(self, event: str) -> dict[int, LineForm]:
        """Of an event. Raises `BadLine` for what is none."""
        readers = self.by_width.get(event)
        if readers is None:
            raise BadLine("unknown event")
        return readers

    def reset(self) -> None:
        """A new header: another build may follow."""
        self._learnt = False

    def form(self, event: str, fields: Sequence[str]) -> LineForm:
        """For the fields of a line, split at quotes. Learns from it. Raises `BadLine`."""
        if event == "SPELL_CAST_SUCCESS":
            self._learn(fields)
        width = len(fields)
        forms = self.known(event)
        if width not in forms:
            forms[width] = self._make(SHAPES[event], fields)
        return forms[width]

    def learn_names(self, event: str, fields: Sequence[str]) -> None:
        """Actors, spells and flags of a line. Raises `BadLine`."""
        shape, tables = SHAPES[event], self._tables
        attacker_only = shape.form == "absorb" and len(fields) < 20
        learn_line(tables, fields, spell=not attacker_only and shape.fields >= 12 and shape.block != 9)
        if shape.form in ("interrupt", "dispel"):
            tables.learn_spell(fields[12], fields[13], fields[14])
        elif shape.form == "absorb":
            end = len(fields) - _absorb_surplus(fields)
            tables.learn_actor(fields[end - 9], fields[end - 8], fields[end - 7])
            tables.learn_spell(fields[end - 5], fields[end - 4], fields[end - 3])

    def _make(self, shape: Shape, fields: Sequence[str]) -> LineForm:
        more = len(fields) - shape.fields
        if shape.block:
            block = self._block_of(shape, fields)
            if block is None or not 0 <= more - block <= MORE_FIELDS:
                raise BadLine(OTHER_WIDTH)
            return self._with_block(shape, block, more - block)
        if not 0 <= more <= MORE_FIELDS + (2 if shape.form == "absorb" else 0):
            raise BadLine(OTHER_WIDTH)
        return LineForm(self._without_block(shape, fields), same=shape.form in _SAME)

    def _with_block(self, shape: Shape, block: int, more: int) -> LineForm:
        readers = self.readers
        match shape.form:
            case "swing" | "landed":
                return self.melee.form(block, 10 + more, landed=shape.form == "landed")
            case "environment":
                return LineForm(readers.environment(block, shape.flags))
            case "heal":
                return readers.heal(shape.block, block, 5 + more, shape.flags)
            case "energize":
                return LineForm(readers.power_change(shape.block, block, shape.flags, shape.kind, 2))
            case "drain":
                return LineForm(readers.power_change(shape.block, block, shape.flags, shape.kind, 1))
            case "cast":
                return readers.cast(shape.block, block, more)
            case _:
                return readers.spell_damage(shape.block, block, 10 + more, shape.flags)

    def _without_block(self, shape: Shape, fields: Sequence[str]) -> Reader:
        readers = self.readers
        makers: dict[str, Callable[[], Reader]] = {
            "aura": lambda: readers.aura(shape.kind, 0),
            "dose": lambda: readers.aura(shape.kind, 13),
            "extra attacks": lambda: readers.plain(shape.kind, 12),
            "summon": readers.summon,
            "interrupt": lambda: readers.other_spell(shape.kind, aura=False),
            "dispel": lambda: readers.other_spell(shape.kind, aura=True),
            "miss": lambda: readers.miss(12, shape.flags),
            "swing miss": lambda: readers.miss(9, shape.flags),
            "absorb": lambda: readers.absorb(_absorb_surplus(fields)),
            "death": readers.death,
        }
        make = makers.get(shape.form)
        return readers.plain(shape.kind) if make is None else make()

    def _block_of(self, shape: Shape, fields: Sequence[str]) -> int | None:
        """How wide the advanced block of this line is: as learnt, else whatever looks like one."""
        widths = (self._block,) if self._learnt else (self._block, *BLOCKS)
        for width in widths:
            if 0 <= len(fields) - shape.fields - width <= MORE_FIELDS and is_block(fields, shape.block, width):
                return width
        return None

    def _learn(self, fields: Sequence[str]) -> None:
        width = len(fields) - 12
        if (width == self._block and self._learnt) or width not in BLOCKS or not is_block(fields, 12, width):
            if width == self._block:
                self._other = (0, 0)
            return
        seen = self._other[1] + 1 if self._other[0] == width else 1
        self._other = (width, seen)
        if not self._learnt or seen >= _AGREEING:
            if width != self._block:
                for event in SHAPES:
                    self.by_width[event].clear()
                self._heads.clear()
            self._block, self._learnt, self._other = width, True, (0, 0)


class _AnyWidth(dict[int, LineForm]):
    def __missing__(self, width: int) -> LineForm:
        return _IGNORED


def is_act(line: str) -> bool:
    """Whether a line, as far as its event and units tell, is of something that somebody did."""
    head, *units = line.split(",", 6)
    return head.partition("  ")[2] in SHAPES and len(units) == 6 and is_guid(units[0]) and is_guid(units[4])


def is_block(fields: Sequence[str], begin: int, width: int) -> bool:
    """Whether an advanced block of that width lies there: ids first, place and facing with a point near the end."""
    if not width:
        return len(fields) <= begin or not is_guid(fields[begin])
    end = begin + width
    if len(fields) < end or not (is_guid(fields[begin]) and is_guid(fields[begin + 1])):
        return False
    return all("." in fields[end - place] for place in (5, 4, 2)) and "." not in fields[end - 3]


def _absorb_surplus(fields: Sequence[str]) -> int:
    """How many fields follow the attack's total: the shield's caster is nine before it."""
    for surplus in (0, 1, -1):
        at = len(fields) - 9 - surplus
        if at in (9, 12) and is_guid(fields[at]):
            return surplus
    raise BadLine(OTHER_WIDTH)
