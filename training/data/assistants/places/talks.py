"""Talks with the places assistant."""

from training.data.assistants.places import (
    chat,
    compare,
    near,
    place,
    search,
    summary,
    unclear,
    visitors,
)
from training.data.assistants.places.taken import telling_which
from training.data.assistants.talk import MakeTalk

_ALL: dict[MakeTalk, int] = {**search.TALKS, **near.TALKS, **summary.TALKS, **place.TALKS, **compare.TALKS,
    **visitors.TALKS, **chat.TALKS, **unclear.TALKS}  # fmt: skip
TALKS: dict[MakeTalk, int] = {telling_which(make): weight for make, weight in _ALL.items()}
