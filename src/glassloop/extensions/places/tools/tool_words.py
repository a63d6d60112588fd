"""Words by which a question finds tools of places and their arguments without a language model, in English and German.

For `reflex` and for the shortlist of tools; no language model is shown them. Names of chains and categories are those
that are common in the United States; what a user's own data lacks, the tool says.
"""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from glassloop.core.records import Json

SUBJECTS: Final[Mapping[str, str]] = {
    "search_places": "places top busiest meistbesuchte meistbesuchten beliebteste beliebtesten orte",
    "get_place_summary": "performance perform performing performed doing traffic health besucherzahlen",
    "get_trade_area_profile": "trade area catchment einzugsgebiet einzugsgebiete",
}
"""What the tool is about. Tools that are not named need the id of a place, which no question says."""

SAYINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "search_places": (
        "find", "list", "which", "welche", "show me", "zeig mir", "zeige mir", "are there", "gibt es", "in the data",
        "in den daten", "most visited", "visited most", "visited the most", "most visits", "the most visits",
        "am meisten besucht", "meisten besuche", "die meisten besuche", "am häufigsten besucht", "werden",
    ),
    "get_place_summary": (
        "how many visits", "how many visitors", "how long do visitors stay", "how long do people stay",
        "how long do customers stay", "how long do visitors spend", "how long do people spend", "came to", "go to",
        "wie viele besuche", "wie viele besucher", "wie lange bleiben besucher", "wie lange bleiben die besucher",
        "wie laufen", "wie läuft", "wie gut laufen", "busiest hours", "busiest days", "busiest times",
        "when is", "when are", "at what time is", "at what time are", "at which time", "wann ist", "wann sind",
        "stoßzeiten", "am vollsten",
    ),
    "get_trade_area_profile": (
        "where do visitors of", "where do the visitors of", "where do customers of", "where do the customers of",
        "where do visitors to", "where do people who visit", "come from", "live", "how far do people travel to",
        "how far do visitors travel to", "how far do customers travel to", "woher kommen die besucher",
        "woher kommen die kunden", "wo wohnen die besucher", "wo wohnen die kunden",
    ),
}  # fmt: skip
"""Each uses up itself alone: what else a question says must be used, too. Those of one word name no tool."""

PERIODS: Final[Mapping[str, str]] = {
    "last_month": "letzten monat, letzter monat, vorigen monat, past month",
    "last_week": "letzte woche, letzter woche, vorige woche, past week",
    "last_30_days": "letzten 30 tage, letzten 30 tagen, past 30 days",
    "last_90_days": "letzten 90 tage, letzten 90 tagen, past 90 days",
    "last_quarter": "letztes quartal, letzten quartal",
    "last_12_months": "letzten 12 monate, letzten 12 monaten, past 12 months, past year, the year",
    "last_year": "letztes jahr, letzten jahr",
    "this_year": "dieses jahr, diesem jahr",
}
GERMAN: Final[Mapping[str, str]] = {
    "restaurants": "restaurant, gaststätten",
    "coffee shops": "kaffeehäuser, kaffees, cafés, café",
    "fast food": "schnellrestaurants, imbisse",
    "bars": "kneipen",
    "hotels": "hotel",
    "supermarkets": "supermärkte, supermärkten, lebensmittelläden, lebensmittelgeschäfte",
    "bakeries": "bäckereien",
    "department stores": "kaufhäuser, warenhäuser, kaufhäusern",
    "pharmacies": "apotheken, drogerien",
    "opticians": "optiker",
    "gas stations": "tankstellen",
    "clothing stores": "modegeschäfte, kleidungsgeschäfte, bekleidungsgeschäfte",
    "shoe stores": "schuhgeschäfte, schuhläden",
    "jewelers": "juweliere, schmuckgeschäfte",
    "bookstores": "buchhandlungen, buchläden",
    "pet stores": "zoohandlungen, tierhandlungen",
    "hardware stores": "eisenwarengeschäfte",
    "home improvement stores": "baumärkte, baumärkten",
    "garden centers": "gartencenter, gärtnereien",
    "furniture stores": "möbelhäuser, möbelgeschäfte, möbelhäusern",
    "electronics stores": "elektronikmärkte, elektronikgeschäfte",
    "car dealers": "autohäuser",
    "car washes": "waschanlagen",
    "gyms": "fitnessstudios, fitness-studios, fitnesscenter",
    "museums": "museen",
    "parks": "park",
    "stadiums": "stadien",
    "theaters": "theater",
    "cinemas": "kinos",
    "shopping malls": "einkaufszentren, einkaufszentrum",
    "banks": "banken",
    "dentists": "zahnärzte",
    "hospitals": "krankenhäuser, krankenhäusern",
    "schools": "schulen",
    "universities": "universitäten, hochschulen",
    "libraries": "bibliotheken, büchereien",
    "churches": "kirchen",
    "post offices": "postämter",
}
TOO_WIDE: Final = frozenset(("retail", "shops", "stores", "coffee", "movies", "finance", "government", "education"))
"""Said of stores of any kind, or of other things than places."""
STORES: Final = (
    "store stores shop shops location locations branch branches outlet outlets filiale filialen laden läden geschäft "
    "geschäfte märkte"
)


def words_of(tool: str, parameters: Collection[str]) -> Mapping[str, Json]:
    known = _parameter_words()
    words = {name: known[name] for name in parameters if name in known}
    if tool in SUBJECTS:
        sayings = ", ".join(f'"{saying}"' for saying in SAYINGS[tool])
        words[""] = f"{SUBJECTS[tool]}: {sayings}."
    return words


@cache
def _parameter_words() -> Mapping[str, Json]:
    # Imported late: read once, and only where tools are made.
    from glassloop.extensions.places.sample.tables import load_tables

    tables = load_tables()
    chains = [name for of_kind in tables.chains.values() for chain in of_kind for name in (chain.name, *chain.words)]
    categories = [name for kind in (*tables.kinds, *tables.above) for name in (kind.name, *kind.words)]
    categories = [name for name in dict.fromkeys(categories) if name not in TOO_WIDE]
    chosen: dict[str, Json] = {"examples": list[Json](dict.fromkeys(chains)), "title": f"chain {STORES}"}
    return {
        "geo_filter": "Where: the name of a city, metro, state or neighborhood.",
        "place_id": "The code of a place, from search_places.",
        "chain_id": chosen,
        "chain_ids": chosen,
        "category_ids": {"examples": list[Json](categories), "description": _aliases(GERMAN)},
        "period": {"examples": list[Json](PERIODS), "description": _aliases(PERIODS)},
    }


def _aliases(words: Mapping[str, str]) -> str:
    return "; ".join(f"{name} ({said})" for name, said in words.items())
