"""Which versions of the tables this code knows, and the way from one to the next.

The tree itself is in `migrations`; the list here spares an opened store the import of the migration tool.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from glassloop.core.errors import StoreAway, StoreError

VERSION_TABLE = "glassloop_version"
VERSIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
"""Oldest first; the last is what this code reads and writes."""

Explain = Callable[[str, Exception], StoreError]
"""A driver's error about a database, in our words."""

# The migration tool keeps what it works on in its modules.
_one_at_a_time = threading.Lock()


def is_current(version: str | None, where: str) -> bool:
    """Whether a database can be used as it is; raises `StoreError` for one of a newer version."""
    if version is not None and version not in VERSIONS:
        raise StoreError(
            f"The database {where!r} is of version {version!r} and this Glassloop knows only up to {VERSIONS[-1]!r}: "
            "update glassloop, or give another database."
        )
    return version == VERSIONS[-1]


def upgrade(engine: Any, where: str, explain: Explain, to: str = VERSIONS[-1]) -> None:
    """Brings the database behind a SQLAlchemy engine to that version, in one transaction."""
    from alembic import command
    from alembic.config import Config
    from sqlalchemy.exc import SQLAlchemyError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    try:
        with _one_at_a_time, engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, to)
    except SQLAlchemyError as error:
        cause: Any = getattr(error, "orig", None) or error
        told = explain(where, cause)
        kind = StoreAway if isinstance(told, StoreAway) else StoreError
        raise kind(f"The database {where!r} could not be brought to version {to!r}: {told}") from error
