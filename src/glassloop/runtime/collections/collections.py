"""`Collections`: made, shared, filled and removed by their owners; searched by those who may read them.

Rows and readers are in the store, documents in the knowledge base, each collection in a partition of its own there, so
that nothing of one has any influence on a search in another.
"""

from collections.abc import Callable, Sequence

import msgspec

from glassloop.core.access import GROUP
from glassloop.core.errors import AccessDenied, UnknownName, UsageError
from glassloop.retrieval.collections.knowledge import Document, KnowledgeBase, clean_domain, partition_of
from glassloop.runtime.ids import new_id
from glassloop.store.store import Store
from glassloop.store.tables.collections import EVERYONE, OWNER, Collection

MAX_DESCRIPTION_CHARS = 500
MAX_CHOSEN = 20
"""Collections of one question."""


class CollectionView(msgspec.Struct, frozen=True, kw_only=True):
    """A collection as somebody who may read it sees it. `readers`: `owner`, `everyone` or `group:NAME`. `mine`: the
    caller may change it. `assistants`: those that search it for the caller."""

    id: str
    name: str
    description: str
    owner: str
    readers: str
    mine: bool
    created_at: float
    files: int
    size: int
    passages: int
    assistants: Sequence[str]


class FileView(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a collection; `added_at` in seconds since the epoch, 0 where nobody knows."""

    name: str
    title: str
    size: int
    passages: int
    added_by: str
    added_at: float


class Collections:
    """Over a store and a knowledge base, which is opened when it is first needed."""

    def __init__(self, store: Store, knowledge: Callable[[], KnowledgeBase]) -> None:
        self._store = store
        self._table = store.collections
        self._knowledge = knowledge

    async def list(self, user: str, *, operator: bool = False) -> Sequence[CollectionView]:
        """Those that a user may read, their own first."""
        found = await self._table.readable(user)
        given = await self._table.assistants(user)
        views = [await self._view(each, user, given.get(each.id, ()), operator) for each in found]
        return sorted(views, key=lambda view: (view.owner != user, view.name))

    async def get(self, collection_id: str, user: str, *, operator: bool = False) -> Collection:
        """If this user may read it; an operator may any."""
        found = await self._table.get(collection_id)
        if found is None or not (operator or await self._may_read(found, user)):
            raise UnknownName(f"There is no collection {collection_id[:100]!r}: GET /api/collections lists yours.")
        return found

    async def view(self, collection_id: str, user: str, *, operator: bool = False) -> CollectionView:
        found = await self.get(collection_id, user, operator=operator)
        given = await self._table.assistants(user)
        return await self._view(found, user, given.get(found.id, ()), operator)

    async def create(
        self, user: str, name: str, description: str = "", readers: str = OWNER, *, operator: bool = False
    ) -> Collection:
        made = Collection(
            id=new_id(),
            owner=user,
            name=clean_collection(name),
            description=_clean_description(description),
            readers=await self._check_readers(readers, user, operator),
            created_at=self._store.engine.clock(),
        )
        await self._table.add(made)
        return made

    async def change(
        self,
        collection_id: str,
        user: str,
        *,
        name: str | None = None,
        description: str | None = None,
        readers: str | None = None,
        operator: bool = False,
    ) -> None:
        """What is None stays as it is."""
        found = await self.owned(collection_id, user, operator=operator)
        changes: dict[str, str] = {}
        if name is not None:
            changes["name"] = clean_collection(name)
        if description is not None:
            changes["description"] = _clean_description(description)
        if readers is not None and readers != found.readers:
            changes["readers"] = await self._check_readers(readers, user, operator)
        if changes:
            await self._table.change(msgspec.structs.replace(found, **changes))

    async def give(self, collection_id: str, user: str, assistants: Sequence[str]) -> None:
        """Has these assistants search it for this user, and no others."""
        found = await self.get(collection_id, user)
        await self._table.give(user, found.id, assistants)

    async def remove(self, collection_id: str, user: str, *, operator: bool = False) -> None:
        """The collection with all that is in it."""
        found = await self.owned(collection_id, user, operator=operator)
        await self._knowledge().forget(partition_of(found.id))
        await self._table.delete(found.id)

    async def files(self, collection_id: str, user: str, *, operator: bool = False) -> Sequence[FileView]:
        """By name."""
        found = await self.get(collection_id, user, operator=operator)
        added = await self._table.files(found.id)
        views: list[FileView] = []
        for each in sorted(await self.documents(found), key=lambda document: document.name):
            known = added.get(each.name)
            views.append(
                FileView(
                    name=each.name,
                    title=each.title,
                    size=each.size,
                    passages=each.passages,
                    added_by=known.added_by if known else "",
                    added_at=known.added_at if known else 0.0,
                )
            )
        return views

    async def remove_file(self, collection_id: str, name: str, user: str, *, operator: bool = False) -> bool:
        """Whether there was one of that name."""
        found = await self.owned(collection_id, user, operator=operator)
        gone = await self._knowledge().remove([name], domain=found.id, user=partition_of(found.id))
        await self._table.remove_file(found.id, name)
        return gone > 0

    async def note_file(self, collection_id: str, name: str, by: str) -> None:
        """That somebody added it, now."""
        await self._table.add_file(collection_id, name, by)

    async def documents(self, collection: Collection) -> Sequence[Document]:
        return await self._knowledge().of_owner(partition_of(collection.id))

    async def owned(self, collection_id: str, user: str, *, operator: bool = False) -> Collection:
        """If this user may change it; raises `AccessDenied` where they may only read it."""
        found = await self.get(collection_id, user, operator=operator)
        if found.owner != user and not operator:
            raise AccessDenied(f"The collection {found.name!r} is {found.owner!r}'s: ask them to change it.")
        return found

    async def named(self, user: str, names: Sequence[str]) -> Sequence[Collection]:
        """Those that a user means by these names or ids: their own before those of others."""
        if len(names) > MAX_CHOSEN:
            raise UsageError(f"A question uses at most {MAX_CHOSEN} collections: leave some out.")
        readable = sorted(await self._table.readable(user), key=lambda each: each.owner != user) if names else ()
        found: dict[str, Collection] = {}
        for name in names:
            clean = name.strip().removeprefix("#").lower()
            one = next((each for each in readable if clean in (each.id, each.name)), None)
            if one is None:
                known = ", ".join(dict.fromkeys(f"#{each.name}" for each in readable)) or "none"
                raise UnknownName(f"There is no collection {name[:60]!r} that you may read: there are {known}.")
            found[one.id] = one
        return tuple(found.values())

    async def of_assistant(self, user: str, assistant: str, named: Sequence[str]) -> Sequence[Collection]:
        """Those that an assistant searches for a user: the ones that its profile names, as far as the user may read
        them, and those that the user gave it."""
        given = {found for found, names in (await self._table.assistants(user)).items() if assistant in names}
        if not named and not given:
            return ()
        # What a profile names is first of all what others share.
        readable = sorted(
            await self._table.readable(user), key=lambda each: (each.readers == OWNER, each.owner != user)
        )
        found: dict[str, Collection] = {}
        for name in named:
            if one := next((each for each in readable if name.strip().lower() in (each.id, each.name)), None):
                found[one.id] = one
        return (*found.values(), *(each for each in readable if each.id in given and each.id not in found))

    async def possible_readers(self, user: str, *, operator: bool = False) -> Sequence[str]:
        """Whom a user may let read their collections."""
        groups = [f"{GROUP}{name}" for name in await self._store.access.groups(user)]
        return [OWNER, *groups, *([EVERYONE] if operator else [])]

    async def partitions(self, user: str) -> Sequence[str]:
        """Where the documents of all of a user's own collections are."""
        return [partition_of(each.id) for each in await self._table.owned(user)]

    async def forget(self, user: str) -> int:
        """Removes all of a user's own; how many there were. Their rows go with the user's."""
        owned = await self._table.owned(user)
        for each in owned:
            await self._knowledge().forget(partition_of(each.id))
            await self._table.delete(each.id)
        return len(owned)

    async def _view(self, found: Collection, user: str, assistants: Sequence[str], operator: bool) -> CollectionView:
        documents = await self.documents(found)
        return CollectionView(
            **{name: getattr(found, name) for name in ("id", "name", "description", "owner", "readers", "created_at")},
            mine=operator or found.owner == user,
            files=len(documents),
            size=sum(each.size for each in documents),
            passages=sum(each.passages for each in documents),
            assistants=assistants,
        )

    async def _may_read(self, found: Collection, user: str) -> bool:
        if found.owner == user or found.readers == EVERYONE:
            return True
        group = found.readers.removeprefix(GROUP)
        return found.readers.startswith(GROUP) and group in await self._store.access.groups(user)

    async def _check_readers(self, readers: str, user: str, operator: bool) -> str:
        """Who may decide that: everyone's is the operator's to give, a group's its members'."""
        if readers == OWNER or (operator and readers == EVERYONE):
            return readers
        if readers == EVERYONE:
            raise AccessDenied("Only the operator may let everyone read a collection: share it with a group of yours.")
        group = readers.removeprefix(GROUP).strip()
        if not readers.startswith(GROUP) or not group or len(group) > 200:
            raise UsageError(f"{readers[:100]!r} cannot read a collection: write `owner`, `everyone` or `group:NAME`.")
        if not operator and group not in await self._store.access.groups(user):
            raise AccessDenied(f"You are not in the group {group[:100]!r}: share it with a group of yours.")
        return f"{GROUP}{group}"


def clean_collection(name: str) -> str:
    """As it is kept, and written after `#`; raises `UsageError` for what cannot be one."""
    try:
        if not name.strip():
            raise UsageError("")
        return clean_domain(name.strip().removeprefix("#"))
    except UsageError:
        raise UsageError(
            f"{name[:100]!r} cannot name a collection: use letters, digits, - and _, 40 at most, such as 'handbook'."
        ) from None


def _clean_description(text: str) -> str:
    clean = " ".join(text.split())
    if len(clean) > MAX_DESCRIPTION_CHARS:
        raise UsageError(f"The description has {len(clean)} characters: shorten it to {MAX_DESCRIPTION_CHARS}.")
    return clean
