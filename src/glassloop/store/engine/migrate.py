"""The versions of the tables that this code knows, and the way to the newest.

The revisions are in `migrations`; the list here spares an opened store the import of the migration tool.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from glassloop.core.errors import StoreAway, StoreError, UsageError

VERSION_TABLE = "glassloop_version"
VERSIONS = tuple(f"v{number:04}" for number in range(1, 16))
"""Oldest first; the last is what this code reads and writes."""

_FOLDER = Path(__file__).parent / "migrations"

Explain = Callable[[str, Exception], StoreError]
"""A driver's error about a database, in our words."""

# The migration tool keeps what it works on in its modules.
_one_at_a_time = threading.Lock()


class MigrationBranch(NamedTuple):
    """Tables of an extension in the same database, with revisions in a folder of its own.

    The ids of its revisions are `label`, an underscore and a number; `head` is that of the newest. The first one has
    `branch_labels = (label,)` and no `down_revision`.
    """

    label: str
    folder: Path
    head: str

    @classmethod
    def from_folder(cls, label: str, folder: Path) -> Self:
        """The branch of files that are named after their revisions, such as `label_0001.py`."""
        found = [path.stem for path in folder.glob(f"{label}_*.py") if path.stem.rpartition("_")[0] == label]
        if not found:
            raise UsageError(f"There is no revision in {str(folder)!r}: name the first one '{label}_0001.py'.")
        return cls(label, folder, max(found))

    def has(self, version: str) -> bool:
        return version.rpartition("_")[0] == self.label


def is_current(found: Sequence[str], where: str, branches: Sequence[MigrationBranch] = ()) -> bool:
    """Whether a database with these versions can be used as it is; raises `StoreError` for one that never can."""
    for version in found:
        if "_" not in version and version not in VERSIONS:
            _refuse(version, where)
    return {VERSIONS[-1], *(branch.head for branch in branches)} <= set(found)


def _refuse(version: str, where: str) -> None:
    if version.startswith("v"):
        raise StoreError(
            f"The database {where!r} is of version {version!r} and this Glassloop knows only up to {VERSIONS[-1]!r}: "
            "update glassloop, or give another database."
        )
    raise StoreError(
        f"The database {where!r} was made by a development version ({version!r}) and cannot be upgraded: export its "
        "sessions with the version that made it (`glassloop sessions export`), or start with a new database."
    )


def migrate(engine: Any, where: str, explain: Explain, branches: Sequence[MigrationBranch] = ()) -> None:
    """Brings the database behind a SQLAlchemy engine to the newest version of each branch, in one transaction."""
    from alembic import command
    from alembic.util import CommandError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with _one_at_a_time, engine.begin() as connection:
            absent = _set_aside(connection, branches)
            command.upgrade(_config(connection, [branch.folder for branch in branches]), "heads")
            _add_versions(connection, absent)
    except (SQLAlchemyError, CommandError) as error:
        cause: Any = getattr(error, "orig", None) or error
        told = explain(where, cause)
        kind = StoreAway if isinstance(told, StoreAway) else StoreError
        raise kind(f"The database {where!r} could not be brought to version {VERSIONS[-1]!r}: {told}") from error


def _config(connection: Any, folders: Iterable[Path]) -> Any:
    from alembic.config import Config

    locations = [str(folder).replace("%", "%%") for folder in (_FOLDER / "versions", *folders)]
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(locations))
    config.attributes["connection"] = connection
    return config


def _set_aside(connection: Any, branches: Sequence[MigrationBranch]) -> Sequence[str]:
    """Takes out the versions of extensions that are not installed now: the migration tool would refuse them."""
    from sqlalchemy import inspect, text

    if not inspect(connection).has_table(VERSION_TABLE):
        return ()
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars().all()  # noqa: S608
    absent = [each for each in found if "_" in each and not any(branch.has(each) for branch in branches)]
    for version in absent:
        connection.execute(text(f"DELETE FROM {VERSION_TABLE} WHERE version_num = :version"), {"version": version})  # noqa: S608
    return absent


def _add_versions(connection: Any, versions: Sequence[str]) -> None:
    from sqlalchemy import text

    for version in versions:
        connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES (:version)"), {"version": version})  # noqa: S608
