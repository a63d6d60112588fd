"""Facts of a user's data for a prompt: its name, its days, its metros, and whether it is a sample."""

from typing import TYPE_CHECKING, Final

import msgspec

from glassloop.core.errors import ToolError

if TYPE_CHECKING:
    from glassloop.extensions.places.data_set.open_databases import OpenDatabases

MAX_METROS: Final = 30
_MAX_NAME_CHARS: Final = 80


async def data_facts(databases: "OpenDatabases", user: str) -> str:
    """In a few sentences; names are of the data and quoted."""
    try:
        database = await databases.of(user)
        rows = await database.rows(
            "SELECT metro, count(*) AS places FROM poi_places WHERE metro IS NOT NULL GROUP BY metro "
            f"ORDER BY places DESC, metro LIMIT {MAX_METROS + 1}"
        )
    except ToolError as error:
        return str(error)
    about = database.data_set.about
    kind = "sample data, made up: say so in every answer" if about.sample else "imported data"
    told = [
        f"{_quoted(about.name)} ({kind}), as of {about.as_of}, with visits from {about.first_day} to {about.last_day}."
    ]
    if rows:
        more = " and more" if len(rows) > MAX_METROS else ""
        told.append(f"Metros: {', '.join(_quoted(str(row['metro'])) for row in rows[:MAX_METROS])}{more}.")
    if missing := database.data_set.missing:
        told.append(f"It has no {', '.join(missing)}.")
    return " ".join(told)


def _quoted(name: str) -> str:
    return msgspec.json.encode(" ".join(name.split())[:_MAX_NAME_CHARS]).decode()
