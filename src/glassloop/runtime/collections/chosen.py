"""Collections of a question: those chosen with it, else those of its assistant, as its first event keeps them."""

from collections.abc import Sequence
from typing import Final

import msgspec

from glassloop.core.events import TurnStarted
from glassloop.core.records import Json
from glassloop.runtime.collections.collections import Collections
from glassloop.store.store import Store
from glassloop.store.tables.collections import Collection

COLLECTIONS: Final = "collections"
"""The setting of a turn."""


class ChosenCollections(msgspec.Struct, frozen=True, kw_only=True):
    """By id. `only`: the person chose them for this question, and it is answered from nothing else."""

    ids: tuple[str, ...] = ()
    only: bool = False


async def collections_for(
    collections: Collections, user: str, assistant: str, named: Sequence[str], asked: Sequence[str] | None
) -> tuple[Sequence[Collection], bool]:
    """Those of a question, and whether the person chose them. `named` are those of the assistant's profile."""
    if asked:
        return await collections.named(user, asked), True
    return await collections.of_assistant(user, assistant, named), False


def collection_settings(found: Sequence[Collection], *, only: bool) -> dict[str, Json]:
    """What the turn keeps."""
    if not found:
        return {}
    return {COLLECTIONS: msgspec.to_builtins(ChosenCollections(ids=tuple(each.id for each in found), only=only))}


def told_collections(found: Sequence[Collection], *, only: bool) -> dict[str, Json]:
    """What the model is told of them. Names have no spaces; descriptions are another's words and are left out."""
    if not found:
        return {}
    use = (
        "The user wants the answer from these collections: search them with search_knowledge_base, and cite."
        if only
        else "Documents to look things up in with search_knowledge_base, where the question may be about them. Cite."
    )
    return {COLLECTIONS: [each.name for each in found], "use": use}


def read_collections(started: TurnStarted | None) -> ChosenCollections:
    """As the first event of a turn has them."""
    kept = None if started is None else started.settings.get(COLLECTIONS)
    try:
        return msgspec.convert(kept, ChosenCollections) if kept else ChosenCollections()
    except msgspec.ValidationError:
        return ChosenCollections()


async def chosen_collections(store: Store, turn_id: str, session_id: str) -> ChosenCollections:
    """Those of a turn; a child turn has those of the turn that its session is at."""
    started = await store.turns.first(turn_id) if turn_id else None
    if started is None and session_id:
        rows = await store.turns.of_session(session_id)
        started = await store.turns.first(rows[-1].id) if rows else None
    return read_collections(started)
