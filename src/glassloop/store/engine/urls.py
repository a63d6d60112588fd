"""URLs of databases: a path, `sqlite:///path` or `postgresql://…`."""

from urllib.parse import unquote, urlsplit

from glassloop.core.errors import UsageError

MEMORY = ":memory:"
"""In place of a file: a database that is gone with its process."""


def is_postgres(url: str) -> bool:
    return url.partition("://")[0].lower() in ("postgresql", "postgres")


def file_of(url: str) -> str:
    """The file of a SQLite database, or `MEMORY`."""
    if not url.startswith("sqlite://"):
        return url
    parts = urlsplit(url)
    path = unquote(parts.path)[1:]
    if parts.netloc or not path:
        raise UsageError(f"A store {url!r} names no file: write sqlite:///file, or sqlite:////file from the root.")
    return path
