"""Which versions of the tables this code knows, and the way from one to the next.

The tree itself is in `migrations`; the list here spares an opened store the import of the migration tool.
"""

from pathlib import Path
from typing import Any

from glassloop.core.errors import StoreError

VERSION_TABLE = "glassloop_version"
VERSIONS = ("0001",)
"""Oldest first; the last is what this code reads and writes."""


def is_current(version: str | None, where: str) -> bool:
    """Whether a database can be used as it is; raises `StoreError` for one of a newer version."""
    if version is not None and version not in VERSIONS:
        raise StoreError(
            f"The database {where!r} is of version {version!r} and this Glassloop knows only up to {VERSIONS[-1]!r}: "
            "update glassloop, or give another database."
        )
    return version == VERSIONS[-1]


def upgrade(engine: Any, where: str) -> None:
    """Brings the database behind a SQLAlchemy engine to the last version, in one transaction."""
    from alembic import command
    from alembic.config import Config
    from sqlalchemy.exc import SQLAlchemyError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except SQLAlchemyError as error:
        raise StoreError(
            f"The database {where!r} could not be brought to version {VERSIONS[-1]!r}: {error}."
        ) from error
