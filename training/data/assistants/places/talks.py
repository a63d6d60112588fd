"""Talks with the places assistant."""

from training.data.assistants.places import (
    chat,
    compare,
    near,
    place,
    search,
    summary,
    visitors,
)
from training.data.assistants.talk import MakeTalk

TALKS: dict[MakeTalk, int] = {**search.TALKS, **near.TALKS, **summary.TALKS,
    **place.TALKS, **compare.TALKS, **visitors.TALKS,
    **chat.TALKS}  # fmt: skip
