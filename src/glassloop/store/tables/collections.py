"""Collections of documents: whose they are, who may read them, who added each file, and which assistants have them.

The documents themselves are in the knowledge base.
"""

from collections.abc import Mapping, Sequence

from glassloop.core.access import GROUP
from glassloop.core.errors import UsageError
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine

OWNER, EVERYONE = "owner", "everyone"
"""Who may read a collection; `group:NAME` is the third."""
MAX_COLLECTIONS = 200
"""Of one user."""
MAX_LISTED = 2_000


class Collection(Record, frozen=True, kw_only=True):
    """`readers` is `owner`, `everyone` or `group:NAME`; `created_at` in seconds since the epoch."""

    id: str
    owner: str
    name: str
    description: str = ""
    readers: str = OWNER
    created_at: float = 0.0


class CollectionFile(Record, frozen=True, kw_only=True):
    """A file as it was added."""

    name: str
    added_by: str
    added_at: float


_NAMES = Collection.__struct_fields__
_COLUMNS = ", ".join(_NAMES)
_ADD = f"INSERT INTO collections ({_COLUMNS}) VALUES ({', '.join(f':{name}' for name in _NAMES)})"  # noqa: S608
_SAME = "SELECT id FROM collections WHERE owner = :owner AND name = :name"
_CHANGE = "UPDATE collections SET name = :name, description = :description, readers = :readers WHERE id = :id"
_GET = f"SELECT {_COLUMNS} FROM collections WHERE id = :id"  # noqa: S608
_READABLE = f"""SELECT {_COLUMNS} FROM collections WHERE owner = :user OR readers = '{EVERYONE}' OR readers IN
 (SELECT '{GROUP}' || name FROM user_groups WHERE user_id = :user) ORDER BY name, id LIMIT :most"""  # noqa: S608
_OWNED = f"SELECT {_COLUMNS} FROM collections WHERE owner = :user ORDER BY name"  # noqa: S608
_ADD_FILE = """INSERT INTO collection_files (collection_id, name, added_by, added_at) VALUES (:id, :name, :by, :at)
 ON CONFLICT (collection_id, name) DO UPDATE SET added_by = excluded.added_by, added_at = excluded.added_at"""


class CollectionTable:
    """Collections by id."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def add(self, collection: Collection) -> None:
        """Raises `UsageError` where the owner has one of that name, or too many."""

        def work(db: SqlConnection) -> None:
            count = db.run("SELECT count(*) FROM collections WHERE owner = :owner", owner=column_text(collection.owner))
            if count[0][0] >= MAX_COLLECTIONS:
                raise UsageError(f"You have {MAX_COLLECTIONS} collections, which is the limit: remove one first.")
            _check_free(db, collection)
            db.run(_ADD, **_values(collection))

        await self._engine.write(work, sync=True)

    async def change(self, collection: Collection) -> None:
        """Its name, its description and who may read it."""

        def work(db: SqlConnection) -> None:
            _check_free(db, collection)
            given = _values(collection)
            db.run(_CHANGE, **{name: given[name] for name in ("id", "name", "description", "readers")})

        await self._engine.write(work, sync=True)

    async def get(self, collection_id: str) -> Collection | None:
        rows = await self._engine.read(lambda db: db.run(_GET, id=column_text(collection_id)))
        return _collection(rows[0]) if rows else None

    async def readable(self, user: str) -> Sequence[Collection]:
        """Those that a user may read: their own, those of their groups and everyone's, by name."""
        rows = await self._engine.read(lambda db: db.run(_READABLE, user=column_text(user), most=MAX_LISTED))
        return [_collection(row) for row in rows]

    async def owned(self, user: str) -> Sequence[Collection]:
        rows = await self._engine.read(lambda db: db.run(_OWNED, user=column_text(user)))
        return [_collection(row) for row in rows]

    async def delete(self, collection_id: str) -> bool:
        """With what is known of its files, and taken from every assistant; whether there was one."""
        return await self._engine.write(lambda db: _delete(db, collection_id), sync=True)

    async def add_file(self, collection_id: str, name: str, by: str) -> None:
        """Added again, the last time counts."""
        given = {"id": collection_id, "name": column_text(name), "by": column_text(by), "at": self._engine.clock()}
        await self._engine.write(lambda db: db.run(_ADD_FILE, **given), sync=True)

    async def files(self, collection_id: str) -> Mapping[str, CollectionFile]:
        """Who added which, by name."""
        sql = "SELECT name, added_by, added_at FROM collection_files WHERE collection_id = :id"
        rows = await self._engine.read(lambda db: db.run(sql, id=collection_id))
        return {name: CollectionFile(name=name, added_by=by, added_at=at) for name, by, at in rows}

    async def remove_file(self, collection_id: str, name: str) -> None:
        sql = "DELETE FROM collection_files WHERE collection_id = :id AND name = :name"
        await self._engine.write(lambda db: db.run(sql, id=collection_id, name=column_text(name)), sync=True)

    async def assistants(self, user: str) -> Mapping[str, Sequence[str]]:
        """The assistants that a user gave each collection, by its id."""
        sql = "SELECT collection_id, assistant FROM assistant_collections WHERE user_id = :user ORDER BY assistant"
        found: dict[str, list[str]] = {}
        for collection_id, assistant in await self._engine.read(lambda db: db.run(sql, user=column_text(user))):
            found.setdefault(collection_id, []).append(assistant)
        return found

    async def give(self, user: str, collection_id: str, assistants: Sequence[str]) -> None:
        """The collection is searched where this user asks one of these assistants, and no other."""

        def work(db: SqlConnection) -> None:
            given = {"user": column_text(user), "id": collection_id}
            db.run("DELETE FROM assistant_collections WHERE user_id = :user AND collection_id = :id", **given)
            sql = (
                "INSERT INTO assistant_collections (user_id, assistant, collection_id) VALUES (:user, :assistant, :id)"
            )
            for assistant in sorted(set(assistants)):
                db.run(sql, assistant=column_text(assistant), **given)

        await self._engine.write(work, sync=True)


def delete_of_user(db: SqlConnection, user: str) -> int:
    """A user's collections, and what they gave assistants; how many collections."""
    found = [row[0] for row in db.run("SELECT id FROM collections WHERE owner = :user", user=column_text(user))]
    for collection_id in found:
        _delete(db, collection_id)
    db.run("DELETE FROM assistant_collections WHERE user_id = :user", user=column_text(user))
    return len(found)


def _delete(db: SqlConnection, collection_id: str) -> bool:
    for table in ("collection_files", "assistant_collections"):
        db.run(f"DELETE FROM {table} WHERE collection_id = :id", id=collection_id)  # noqa: S608
    return bool(db.run("DELETE FROM collections WHERE id = :id RETURNING id", id=collection_id))


def _check_free(db: SqlConnection, collection: Collection) -> None:
    same = db.run(_SAME, owner=column_text(collection.owner), name=collection.name)
    if same and same[0][0] != collection.id:
        raise UsageError(f"You have a collection {collection.name!r} already: choose another name.")


def _collection(row: Sequence[object]) -> Collection:
    return Collection(**dict(zip(_NAMES, row, strict=True)))  # pyright: ignore[reportArgumentType]


def _values(collection: Collection) -> dict[str, object]:
    given = ((name, getattr(collection, name)) for name in _NAMES)
    return {name: column_text(value) if isinstance(value, str) else value for name, value in given}
