"""Casts of an actor as spans of time, and when it was busy: with casts, channels and global cooldowns.

A begin is finished by the success of the same spell within its cast time and half a second (more where hits delayed it)
with no other begin between; else it was cancelled. Channels last until their aura ends.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Final, Literal

import msgspec

from glassloop.extensions.raids.analysis.auras import AuraInterval, aura_intervals, merged, without
from glassloop.extensions.raids.analysis.totals.druid_forms import BEAR_SPELLS, CAT_SPELLS
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, UNKNOWN, Flag, Kind

Outcome = Literal["finished", "cancelled", "failed", "instant", "channel", "unfinished"]
"""`failed`: an attempt that did not begin. `unfinished`: begun so late that the fight was over before its end."""

SLACK_MS: Final = 500
GCD_MS: Final = 1500
SHORT_GCD_MS: Final = 1000
_UNKNOWN_CAST_MS: Final = 10_000
_UNKNOWN_CHANNEL_MS: Final = 10_000
_MIN_SPACING_MS: Final = 900
"""A cast sooner after the one before cannot have started a global cooldown of its own."""
_PUSHBACK_MS: Final = (1000, 800, 600, 400, 200)
"""How much the first, second … hit delays a cast."""
_CAST_KINDS: Final = frozenset({int(Kind.CAST_START), int(Kind.CAST), int(Kind.CAST_FAILED)})
_ENERGY: Final = 3
_PERIODIC: Final = int(Flag.PERIODIC)
_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)
_MAX_ACTS: Final = 100
"""Looked at after a channel: no player does more while one runs."""
_CAT_FORM: Final = 768

HASTE: Final = {2825: 1.3, 32182: 1.3, 10060: 1.2, 12472: 1.2, 26297: 1.1, 20554: 1.1, 26635: 1.1}
"""Auras that speed up casting, and by how much at least: Bloodlust, Heroism, Power Infusion, Icy Veins, Berserking."""
_GCD_AURAS: Final = frozenset({*HASTE, _CAT_FORM})

# Checked against wowsims/tbc, spell by spell: these are registered without a global cooldown there, Readiness (23989)
# with one. What it does not have (interrupts, shots, Divine Favor) is by players' lists of a later expansion and wants
# a second source. Ids and ranks: WhatsTraining and LibClassicDurations; of interrupts also Gladdy for Burning Crusade
# Classic.
_NO_GCD: Final = frozenset({
    6603, 75, 5019, 2764, 3018,  # attack, auto shot, wand, throw, shoot
    78, 284, 285, 1608, 11564, 11565, 11566, 11567, 25286, 29707, 30324,  # Heroic Strike
    845, 7369, 11608, 11609, 20569, 25231,  # Cleave
    6807, 6808, 6809, 8972, 9745, 9880, 9881, 26996,  # Maul
    2973, 14260, 14261, 14262, 14263, 14264, 14265, 14266, 27014,  # Raptor Strike
    71, 2457, 2458, 2565, 2687, 12328, 12975,  # stances, Shield Block, Bloodrage, Sweeping Strikes, Last Stand
    20216, 20271, 31884,  # Divine Favor, Judgement, Avenging Wrath
    3045, 19574, 34026,  # Rapid Fire, Bestial Wrath, Kill Command
    14177, 14751, 10060, 30823, 16166, 16188, 17116, 18288,  # Cold Blood, Inner Focus, Power Infusion, and the like
    11129, 11958, 12042, 12043, 12472,  # the mage's cooldowns
    1766, 1767, 1768, 1769, 38768, 6552, 6554, 72, 1671, 1672, 29704, 2139,  # Kick, Pummel, Shield Bash, Counterspell
})  # fmt: skip


AUTO_SHOT: Final = 75
AUTOMATIC: Final = frozenset({0, 6603, AUTO_SHOT, 5019})
"""Swings, auto shots and the shots of wands: they repeat by themselves and are no casts."""

_Cause = Literal["", "death", "interrupt"]
_Cast = tuple[int, int, Outcome, int, int, _Cause]
"""Begin, end, outcome, spell, target and cause: the import needs no more than that, and makes many."""


DONE: Final = frozenset(("finished", "instant", "channel"))
"""Outcomes of casts that something came of."""


class CastSpan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Times in ms from the fight's start; `begin == end` of instants and of failed attempts."""

    spell: int
    begin: int
    end: int
    outcome: Outcome
    target: int
    cause: _Cause = ""
    """Of a cancelled one: why, where it was not the player's own doing."""


def casts_of(view: FightView, actor: int) -> list[CastSpan]:
    """Casts of an actor in the order of their beginning."""
    return [
        CastSpan(spell=spell, begin=begin, end=end, outcome=outcome, target=target, cause=cause)
        for begin, end, outcome, spell, target, cause in _CastReader(view, actor).read()
    ]


def has_casts(view: FightView) -> bool:
    """Whether there are casts of anybody at all."""
    return bytes((Kind.CAST,)) in view.log.kind.tobytes()


def busy_spans(view: FightView, actor: int) -> list[tuple[int, int]]:
    """When an actor could do nothing else, as merged spans within the fight."""
    return _busy(view, actor, _CastReader(view, actor).read())


def time_and_casts(view: FightView, actor: int) -> tuple[int, int]:
    """For how many ms of its life a player could do nothing else, and how many casts were done, automatic apart."""
    casts = _CastReader(view, actor).read()
    done = Counter(spell for _, _, outcome, spell, _, _ in casts if outcome in DONE)
    counted = sum(count for spell, count in done.items() if view.spell_id(spell) not in AUTOMATIC)
    busy = without(_busy(view, actor, casts), view.dead_spans(actor))
    return sum(end - begin for begin, end in busy), counted


def busy_in(view: FightView, actor: int, casts: Sequence[CastSpan]) -> list[tuple[int, int]]:
    """The same of casts that are there already."""
    return _busy(view, actor, [(one.begin, one.end, one.outcome, one.spell, one.target, one.cause) for one in casts])


def _busy(view: FightView, actor: int, casts: Sequence[_Cast]) -> list[tuple[int, int]]:
    gcd, known = GlobalCooldown(view, actor), _known_facts(view)
    spans, length, fixed = list[tuple[int, int]](), view.length_ms, gcd.fixed_ms
    last, doubtful, before = -GCD_MS, False, 0
    for begin, end, outcome, spell, _, _ in casts:
        if outcome == "failed":
            continue
        facts = known.get(spell) or _facts_of(view, spell)
        if outcome == "instant":
            if not facts.starts_gcd:
                continue
            if begin - last < _MIN_SPACING_MS:
                # One of the two starts none: where only the one before is a cooldown, that one.
                if not doubtful or facts.cooldown:
                    continue
                del spans[before]
        # A cancelled cast gives the global cooldown back: only the time until it was cancelled is gone.
        if outcome != "cancelled":
            last, doubtful, before = begin, outcome == "instant" and facts.cooldown, len(spans)
            free = begin + (fixed or gcd.length_ms(begin))
            end = free if free > end else end
        spans.append((begin, end if end < length else length))
    return merged(spans)


class GlobalCooldown:
    """How long an actor's global cooldown is at a moment: 1.5 s, shortened by spell haste to 1.0 s at least; always
    1.0 s of rogues and of druids as cats."""

    def __init__(self, view: FightView, actor: int) -> None:
        self._class = view.class_of(actor)
        auras = _gcd_auras(view).get(actor, ()) if self._class not in ("Rogue", "Warrior", "Hunter") else ()
        self._haste = [(one.begin, one.end, HASTE[one.spell_id]) for one in auras if one.spell_id in HASTE]
        self._cat = [(one.begin, one.end) for one in auras if one.spell_id == _CAT_FORM]
        if self._class == "Druid":
            self._cat += _energy_spans(view, actor)
        usual = SHORT_GCD_MS if self._class == "Rogue" else GCD_MS
        self.fixed_ms = None if self._haste or self._cat else usual
        """Where it is the same all the time."""

    def length_ms(self, at: int) -> int:
        if self.fixed_ms is not None:
            return self.fixed_ms
        if any(begin <= at < end for begin, end in self._cat):
            return SHORT_GCD_MS
        length = float(GCD_MS)
        for begin, end, haste in self._haste:
            # The cast that brings the haste has the whole global cooldown: it starts before the aura.
            if begin < at < end or (begin == 0 == at):
                length /= haste
        return max(SHORT_GCD_MS, round(length))


class _SpellFacts(msgspec.Struct, frozen=True, gc=False):
    """How a spell is cast."""

    cast_ms: int
    """Without talents and haste: the longest it can be, hits and slowing effects apart."""
    channel_ms: int | None
    starts_gcd: bool
    cooldown: bool
    """Used now and then: more likely than others to start no global cooldown."""


def starts_gcd(view: FightView, spell: int) -> bool:
    """Whether an instant spell starts the global cooldown: those of items and races, and what comes with a swing, do
    not."""
    return _facts_of(view, spell).starts_gcd


def _known_facts(view: FightView) -> dict[int, _SpellFacts]:
    """Those that were looked up before."""
    known = view.derived.get("spell facts")
    if known is None:
        known = view.derived["spell facts"] = dict[int, _SpellFacts]()
    return known


def _facts_of(view: FightView, spell: int) -> _SpellFacts:
    known = _known_facts(view)
    found = known.get(spell)
    if found is None:
        spell_id, knowledge = view.spell_id(spell), view.knowledge
        seconds, channel, cooldown = (
            knowledge.cast_s(spell_id), knowledge.channel_of(spell_id), knowledge.cooldown_of(spell_id),
        )  # fmt: skip
        silent = spell_id in _NO_GCD or knowledge.consumable_of_cast(spell_id) is not None
        found = known[spell] = _SpellFacts(
            round(seconds * 1000) if seconds else _UNKNOWN_CAST_MS,
            None if channel is None else round(channel.duration_s * 1000) or _UNKNOWN_CHANNEL_MS,
            spell != NO_SPELL and not silent and (cooldown is None or cooldown.source not in ("item", "race")),
            cooldown is not None,
        )
    return found


def _gcd_auras(view: FightView) -> Mapping[int, list[AuraInterval]]:
    """Auras that the length of the global cooldown depends on, by whom they are on."""
    found = view.derived.get("gcd auras")
    if found is None:
        found = view.derived["gcd auras"] = defaultdict[int, list[AuraInterval]](list)
        for one in aura_intervals(view, spell_ids=_GCD_AURAS):
            found[one.target].append(one)
    return found


def gaps_between(spans: Sequence[tuple[int, int]], length_ms: int, longer_than_ms: int) -> list[tuple[int, int]]:
    """Times longer than that between merged spans, from the start of the fight to its end."""
    edges = [0, *(edge for span in spans for edge in span), length_ms]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [(begin, end) for begin, end in pairs if end - begin > longer_than_ms]


def _energy_spans(view: FightView, actor: int) -> list[tuple[int, int]]:
    """Of a druid: between successive casts that were paid in energy, or that only a cat has."""
    log, spans = view.log, list[tuple[int, int]]()
    begin = UNKNOWN
    for row in view.rows_of(actor, _CAST_KINDS):
        if log.kind[row] != Kind.CAST:
            continue
        told = log.flags[row] & _ABOUT_SOURCE and log.power_type[row] != UNKNOWN
        spell_id = view.spell_id(log.spell[row])
        if spell_id in CAT_SPELLS or (told and log.power_type[row] == _ENERGY):
            begin = log.at[row] if begin == UNKNOWN else begin
            spans.append((begin, log.at[row] + 1))
        elif told or spell_id in BEAR_SPELLS:
            begin = UNKNOWN
    return merged(spans)


_BEGIN = itemgetter(0)


class _CastReader:
    """Pairs the rows of one actor."""

    def __init__(self, view: FightView, actor: int) -> None:
        self._view, self._actor, self._log = view, actor, view.log
        self._rows = view.rows_of(actor, _CAST_KINDS)
        self._casts = list[_Cast]()

    @cached_property
    def _acts(self) -> list[int]:
        kinds, failed = self._log.kind, int(Kind.CAST_FAILED)
        return [row for row in self._rows if kinds[row] != failed]

    @cached_property
    def _stops(self) -> list[int]:
        return self._view.rows_of(self._actor, {Kind.DEATH, Kind.INTERRUPT}, as_target=True)

    @cached_property
    def _hits(self) -> list[int]:
        """What may delay a cast."""
        rows, flags = self._view.rows_of(self._actor, {Kind.DAMAGE}, as_target=True), self._log.flags
        return [row for row in rows if not flags[row] & _PERIODIC]

    @cached_property
    def _auras_ended(self) -> Mapping[int, list[int]]:
        """By spell."""
        rows = defaultdict[int, list[int]](list)
        for row in self._view.rows_of(self._actor, {Kind.AURA_OFF}):
            rows[self._log.spell[row]].append(row)
        return rows

    def read(self) -> list[_Cast]:
        log, view, length, casts = self._log, self._view, self._view.length_ms, self._casts
        at, kinds, spells, targets = log.at, log.kind, log.spell, log.target
        known, started, done = _known_facts(view), int(Kind.CAST_START), int(Kind.CAST)
        begun = UNKNOWN
        for row in self._rows:
            kind, spell = kinds[row], spells[row]
            if kind == done:
                facts = known.get(spell) or _facts_of(view, spell)
                own = begun != UNKNOWN and spells[begun] == spell
                end = at[row]
                begin = at[begun] if own else end
                # Nearly all casts are as simple as this; the rest is looked at more closely.
                if facts.channel_ms is None and 0 <= begin <= end <= length and end - begin <= facts.cast_ms + SLACK_MS:
                    casts.append((begin, end, "finished" if own else "instant", spell, targets[row], ""))
                elif own:
                    self._succeed(begun, row)
                else:
                    self._add_instant(row)
                if own:
                    begun = UNKNOWN
            elif kind == started:
                if begun != UNKNOWN:
                    self._cancel(begun, at[row])
                begun = row
            elif begun == UNKNOWN or spells[begun] != spell:
                self._add(row, at[row], "failed")
        if begun != UNKNOWN:
            self._cancel(begun, length)
        casts.sort(key=_BEGIN)
        return casts

    def _succeed(self, begun: int, row: int) -> None:
        """Ends the begun cast with this success, unless it comes too late to be its own."""
        log = self._log
        begin, end = log.at[begun], log.at[row]
        limit = begin + _facts_of(self._view, log.spell[begun]).cast_ms + SLACK_MS
        late = end - limit
        if late > 0 and (late > sum(_PUSHBACK_MS) or late > self._pushback_ms(begun, row)):
            self._cancel(begun, end)
            self._add_instant(row)
        elif (channel := _facts_of(self._view, log.spell[row]).channel_ms) is not None:
            self._add(row, self._channel_end(row, channel), "channel", begin=begin)
        else:
            self._add(row, end, "finished", begin=begin)

    def _add_instant(self, row: int) -> None:
        channel = _facts_of(self._view, self._log.spell[row]).channel_ms
        if channel is None:
            self._add(row, self._log.at[row], "instant")
        elif not self._within_channel(row):
            self._add(row, self._channel_end(row, channel), "channel")

    def _within_channel(self, row: int) -> bool:
        """Some channels log each of their pulses as a cast."""
        if not self._casts or self._casts[-1][2] != "channel":
            return False
        (_, end, _, spell, _, _), log = self._casts[-1], self._log
        same = self._view.spell_name(spell) == self._view.spell_name(log.spell[row])
        return same and spell != log.spell[row] and log.at[row] <= end + SLACK_MS

    def _cancel(self, begun: int, until: int) -> None:
        """Of a begin without its success: it lasted until the next act, and no longer than the cast would have."""
        log = self._log
        begin = log.at[begun]
        due = begin + _facts_of(self._view, log.spell[begun]).cast_ms
        position = bisect_right(self._acts, begun)
        acts = self._acts[position : position + _MAX_ACTS]
        end = min(due, until, log.at[acts[0]] if acts else self._view.length_ms)
        following = bisect_right(self._stops, begun)
        if following < len(self._stops) and log.at[row := self._stops[following]] <= min(due, until):
            cause = "death" if log.kind[row] == Kind.DEATH else "interrupt"
            self._add(begun, min(end, log.at[row]), "cancelled", cause=cause)
            return
        late = due + SLACK_MS > self._view.length_ms and until >= self._view.length_ms
        # Whoever casts something else meanwhile has given the first one up.
        unknown = late and not any(starts_gcd(self._view, log.spell[act]) for act in acts)
        if unknown:
            self._add(begun, min(due, until), "unfinished")
        else:
            self._add(begun, end, "cancelled")

    def _add(self, row: int, end: int, outcome: Outcome, *, begin: int | None = None, cause: _Cause = "") -> None:
        log, length = self._log, self._view.length_ms
        start = min(max(0, log.at[row] if begin is None else begin), length)
        self._casts.append((start, min(max(start, end), length), outcome, log.spell[row], log.target[row], cause))

    def _pushback_ms(self, begun: int, ended: int) -> int:
        """How much the hits between two rows may have delayed a cast."""
        first, last = bisect_right(self._hits, begun), bisect_left(self._hits, ended)
        return sum(_PUSHBACK_MS[: last - first])

    def _channel_end(self, row: int, longest: int) -> int:
        """When its aura ends, with the next other cast, or after its whole length, whichever is first."""
        log, view, spell = self._log, self._view, self._log.spell[row]
        end = log.at[row] + longest
        name = view.spell_name(spell)
        position = bisect_right(self._acts, row)
        for act in self._acts[position : position + _MAX_ACTS]:
            if log.at[act] >= end:
                break
            if not starts_gcd(view, log.spell[act]):
                continue
            if log.spell[act] == spell or view.spell_name(log.spell[act]) != name:
                end = log.at[act]
                break
        ended = self._auras_ended.get(spell, [])
        position = bisect_right(ended, row)
        if position < len(ended) and log.at[ended[position]] <= end + SLACK_MS:
            return min(end, log.at[ended[position]])
        return end
