"""Talks with the raid analyst."""

from training.data.assistants.raids import (
    benchmarks,
    deaths,
    dots,
    finding,
    follow,
    gear,
    history,
    nights,
    older,
    own_character,
    plain,
    player,
    power,
    unclear,
)
from training.data.assistants.talk import MakeTalk

TALKS: dict[MakeTalk, int] = {
    **player.TALKS,
    **dots.TALKS,
    **nights.TALKS,
    **deaths.TALKS,
    **gear.TALKS,
    **power.TALKS,
    **history.TALKS,
    **finding.TALKS,
    **older.TALKS,
    **benchmarks.TALKS,
    **own_character.TALKS,
    **follow.TALKS,
    **plain.TALKS,
    **unclear.TALKS,
}
