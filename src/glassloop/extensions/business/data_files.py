"""The files in `data`: what this extension knows that is no code."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_FOLDER = files("glassloop.extensions.business") / "data"


def read_text(path: str) -> str:
    return (_FOLDER / path).read_text("utf-8")


def read_toml(path: str) -> dict[str, Any]:
    return tomllib.loads(read_text(path))


@cache
def _queries() -> Mapping[str, str]:
    return read_toml("queries.toml")


def query_sql(name: str, **parts: object) -> str:
    """A query of `data/queries.toml`, with these parts, and other queries, in its braces."""
    sql, known = _queries()[name], {**_queries(), **parts}
    while "{" in sql:
        sql = sql.format_map(known)
    return sql
