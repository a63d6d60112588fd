"""Lines of the game's combat log, in the forms that clients write. Knows nothing of what the events mean."""

from datetime import UTC, datetime
from typing import Final, Literal

import msgspec

from glassloop.extensions.raids.sample.simulation.units import NOBODY_GUID, CombatUnit, SimulatedSpell

NO_SOURCE: Final = f"{NOBODY_GUID},nil,0x80000000,0x80000000"
NO_ADVANCED: Final = f"{NOBODY_GUID},{NOBODY_GUID},0,0,0,0,0,-1,0,0,0,0.00,0.00,0,0.0000,0"


class LogForm(msgspec.Struct, frozen=True, kw_only=True):
    """The form of a log: what differs from client to client, and changes nothing of what happened."""

    language: str = "en"
    dated: bool = False
    """`M/D/YYYY` with an offset from UTC, as newer clients have it."""
    utc_offset: int = 1
    advanced: bool = True
    encounter_lines: bool = True
    combatant_lines: bool = True
    crlf: bool = False
    swings: Literal["both", "damage", "landed"] = "both"
    """Which of SWING_DAMAGE and SWING_DAMAGE_LANDED are written."""
    boss_per_cent: bool = True
    """Health of hostile units in per cent rather than in points."""
    aura_counts: bool = True
    """Auras of COMBATANT_INFO with a count behind each."""
    build: str = "2.5.1"


def damage_text(
    amount: int,
    overkill: int,
    school: int,
    *,
    resisted: int = 0,
    blocked: int = 0,
    absorbed: int = 0,
    critical: bool = False,
    glancing: bool = False,
    crushing: bool = False,
) -> str:
    """The ten fields at the end of a line of damage."""
    base = amount + resisted + blocked + absorbed
    marks = f"{1 if critical else 'nil'},{1 if glancing else 'nil'},{1 if crushing else 'nil'}"
    return f"{amount},{base},{overkill or -1},{school},{resisted},{blocked},{absorbed},{marks}"


class LogText:
    """Lines one after the other, at the time that was set last."""

    def __init__(self, form: LogForm) -> None:
        self.form = form
        self.lines: list[str] = []
        self._second = -1
        self._second_text = ""
        self._stamp = ""
        self._at = -1
        self._spells: dict[int, str] = {}

    def set_time(self, at: int) -> None:
        """In ms since 1970, of the log's own clock."""
        if at == self._at:
            return
        second, rest = divmod(at, 1000)
        if second != self._second:
            moment = datetime.fromtimestamp(second, UTC)
            date = f"{moment.month}/{moment.day}" + (f"/{moment.year}" if self.form.dated else "")
            self._second, self._second_text = second, f"{date} {moment:%H:%M:%S}"
        self._at = at
        offset = f"{self.form.utc_offset}" if self.form.dated else ""
        self._stamp = f"{self._second_text}.{rest:03d}{offset}  "

    def take(self) -> list[str]:
        """The lines so far, which are forgotten."""
        lines, self.lines = self.lines, []
        return lines

    def spell(self, spell: SimulatedSpell) -> str:
        found = self._spells.get(spell.id)
        if found is None:
            found = self._spells[spell.id] = spell.text(self.form.language)
        return found

    def advanced(self, unit: CombatUnit, cost: int = 0) -> str:
        """The sixteen fields about a unit."""
        if not self.form.advanced:
            return NO_ADVANCED
        health, most = unit.health, unit.max_health
        if unit.kind == "npc" and unit.hostile and self.form.boss_per_cent:
            health, most = -(-unit.health * 100 // unit.max_health), 100
        owner = unit.owner.guid if unit.owner else NOBODY_GUID
        return (
            f"{unit.guid},{owner},{health},{most},{unit.attack_power},{unit.spell_power},{unit.armor},"
            f"{unit.power_type},{int(unit.power)},{unit.max_power},{cost},{unit.x:.2f},{unit.y:.2f},0,1.5708,"
            f"{73 if unit.hostile else 70}"
        )

    def raw(self, rest: str) -> None:
        """A line of which everything behind the timestamp is given."""
        self.lines.append(f"{self._stamp}{rest}")

    def plain(self, event: str, source: CombatUnit | None, target: CombatUnit | None, rest: str = "") -> None:
        """An event without spell."""
        who = source.text if source else NO_SOURCE
        whom = target.text if target else NO_SOURCE
        self.lines.append(f"{self._stamp}{event},{who},{whom}{rest}")

    def spelled(
        self, event: str, source: CombatUnit | None, target: CombatUnit | None, spell: SimulatedSpell, rest: str = ""
    ) -> None:
        """An event with a spell."""
        who = source.text if source else NO_SOURCE
        whom = target.text if target else NO_SOURCE
        tag = self._spells.get(spell.id) or self.spell(spell)
        self.lines.append(f"{self._stamp}{event},{who},{whom},{tag}{rest}")

    def header(self) -> None:
        enabled = 1 if self.form.advanced else 0
        self.raw(f"COMBAT_LOG_VERSION,9,ADVANCED_LOG_ENABLED,{enabled},BUILD_VERSION,{self.form.build},PROJECT_ID,5")

    def swing(
        self, source: CombatUnit, target: CombatUnit, payload: str, advanced_source: str, advanced_target: str
    ) -> None:
        """A hit in melee: one line about who struck, one about who was struck."""
        if self.form.swings != "landed":
            self.plain("SWING_DAMAGE", source, target, f",{advanced_source},{payload}")
        if self.form.swings != "damage":
            self.plain("SWING_DAMAGE_LANDED", source, target, f",{advanced_target},{payload}")
