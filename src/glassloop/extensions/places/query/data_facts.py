"""Facts of a user's data for a prompt: its name, its days, its metros, and whether it is a sample."""

from typing import TYPE_CHECKING, Final

import msgspec

from glassloop.core.errors import ToolError
from glassloop.extensions.places.data_set.database import MAX_METROS

if TYPE_CHECKING:
    from glassloop.extensions.places.data_set.open_databases import OpenDatabases

_MAX_NAME_CHARS: Final = 80
_PARTS: Final = {
    "poi_categories": "the names of categories",
    "poi_chains": "chains (search by `name`)",
    "poi_visits_daily": "visits by day, week or day of the week, and so of the effect of new stores",
    "poi_visits_monthly": "visits by month, visitors and how long they stay",
    "poi_hours": "visits by hour",
    "poi_dwell": "how many visits take how long",
    "poi_homes": "where visitors live, so get_trade_area_profile and demographics cannot answer",
    "poi_areas": "areas and the people in them",
    "poi_overlap": "which visitors places share",
    "poi_flows": "where visitors were before and after, so get_visit_flows cannot answer",
}
"""Views in plain words, with the tools that are of no use without them."""


async def data_facts(databases: "OpenDatabases", user: str) -> str:
    """In a few sentences; names are of the data and quoted."""
    try:
        database = await databases.of(user)
    except ToolError as error:
        return str(error)
    about = database.data_set.about
    kind = "sample data, made up: say so in every answer" if about.sample else "imported data"
    told = [
        f"{_quoted(about.name)} ({kind}), as of {about.as_of}, with visits from {about.first_day} to {about.last_day}."
    ]
    if metros := database.metros:
        more = " and more" if len(metros) == MAX_METROS else ""
        told.append(f"Metros: {', '.join(map(_quoted, metros[: MAX_METROS - 1]))}{more}.")
    missing = [_PARTS.get(name, name) for name in database.missing]
    if missing:
        told.append(f"It has no data of {'; '.join(missing)}: say so where it is asked for.")
    return " ".join(told)


def _quoted(name: str) -> str:
    return msgspec.json.encode(" ".join(name.split())[:_MAX_NAME_CHARS]).decode()
