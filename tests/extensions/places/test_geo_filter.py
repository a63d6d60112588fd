"""Areas: every type of `geo_filter`, names as people write them, and what cannot be used."""

import h3
import pytest

from extensions.places.made_places import CENTERS, MadePlaces
from glassloop.core.errors import BadArguments

PLACES = {place["id"]: place for place in MadePlaces().places}
LAT, LON = CENTERS["Harbor", "CA"][1:]
BOX = [[LON - 0.02, LAT - 0.02], [LON + 0.02, LAT - 0.02], [LON + 0.02, LAT + 0.02], [LON - 0.02, LAT + 0.02]]
HOLE = [[LON - 0.01, LAT - 0.01], [LON + 0.01, LAT - 0.01], [LON + 0.01, LAT + 0.01], [LON - 0.01, LAT + 0.01]]


def within(place, half):
    return abs(place["lat"] - LAT) <= half and abs(place["lon"] - LON) <= half


def in_mission(place):
    cells = {h3.latlng_to_cell(place["lat"], place["lon"], 7)}
    names = {area["id"]: area["name"] for area in MadePlaces().areas}
    return any(names.get(cell) == "Mission Harbor, Harbor" for cell in cells)


CASES = {
    "plain name": ("harbor", lambda p: (p["city"], p["state"]) == ("Harbor", "CA")),
    "name with state": ("Springfield, Georgia", lambda p: (p["city"], p["state"]) == ("Springfield", "GA")),
    "metro by its first city": ("Peach City metro", lambda p: (p["metro"] or "").startswith("Peach")),
    "state by name": ("California", lambda p: p["state"] == "CA"),
    "zip as text": ("94103", lambda p: p["zip"] == "94103"),
    "everywhere": ("United States", lambda p: True),
    "neighborhood": ("mission harbor", in_mission),
    "city": ({"type": "city", "name": "Springfield", "state": "ca"},
             lambda p: (p["city"], p["state"]) == ("Springfield", "CA")),
    "other spellings": ({"Type": "City", "city": "Baytown"}, lambda p: p["city"] == "Baytown"),
    "metro": ({"type": "metro", "name": "Harbor"}, lambda p: p["metro"] == "Harbor"),
    "state": ({"type": "state", "name": "GA"}, lambda p: p["state"] == "GA"),
    "zips": ({"type": "zip", "codes": [94101, "94103"]}, lambda p: p["zip"] in ("94101", "94103")),
    "neighborhood object": ({"type": "neighborhood", "name": "Mission Harbor"}, in_mission),
    "box": ({"type": "bbox", "south": LAT - 0.02, "west": LON - 0.02, "north": LAT + 0.02, "east": LON + 0.02},
            lambda p: within(p, 0.02)),
    "polygon": ({"type": "Polygon", "coordinates": [[*BOX, BOX[0]]]}, lambda p: within(p, 0.02)),
    "one ring": ({"type": "polygon", "coordinates": [*BOX, BOX[0]]}, lambda p: within(p, 0.02)),
    "polygon with a hole": ({"coordinates": [[*BOX, BOX[0]], [*HOLE, HOLE[0]]]},
                            lambda p: within(p, 0.02) and not within(p, 0.01)),
    "places": ({"type": "places", "ids": ["p001", "p002", "no such place"]}, lambda p: p["id"] in ("p001", "p002")),
    "JSON as text": ('{"type": "state", "code": "CA"}', lambda p: p["state"] == "CA"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
async def test_a_filter_finds_exactly_the_places_within(call, case):
    geo_filter, belongs = CASES[case]
    found = await call("search_places", geo_filter=geo_filter, limit=200, period="all")
    assert {row["id"] for row in found.data["places"]} == {key for key, place in PLACES.items() if belongs(place)}
    assert found.data["total"] == len(found.data["places"]) > 0


@pytest.mark.parametrize(
    ("geo_filter", "told"),
    [
        ("Springfield", r"could be Springfield, (CA|GA) \(city\), Springfield, (CA|GA) \(city\): ask which"),
        ("Harbour", "Nearest: Harbor"),
        ({"type": "city", "name": "Harbor", "state": "GA"}, "there is Harbor, CA"),
        ({"type": "metro", "name": "Gotham"}, "There are: Harbor, Peach City-Marietta, GA"),
        ({"type": "neighborhood", "name": "Missionn Harbor"}, "Nearest: Mission Harbor"),
        ({"type": "radius", "place_id": "nowhere", "meters": 10}, "find its id with search_places"),
        ({"type": "radius", "lat": 37, "lon": -122, "meters": 100_001}, "less than or equal to 100000"),
        ({"type": "radius", "lat": 37, "meters": 100}, "give `lat` and `lon`, or `place_id`"),
        ({"type": "bbox", "south": 2, "north": 1, "west": 0, "east": 1}, "`south` must be below `north`"),
        ({"type": "polygon", "coordinates": [[BOX[0], BOX[2], BOX[1], BOX[3], BOX[0]]]}, "does not cross itself"),
        ({"type": "polygon", "coordinates": [[[0, i / 1e4] for i in range(1_001)]]}, "1,001 points: give 1,000"),
        ({"type": "planet"}, "'city', 'metro', 'state'"),
        ({"type": "city"}, "`name`: Field required"),
        (7, "geo_filter"),
        ("", "give the name of a city"),
        ("'; DROP TABLE poi_places; --", "There is no area called"),
    ],
)
async def test_what_cannot_be_used_is_told_with_what_fits(call, geo_filter, told):
    with pytest.raises(BadArguments, match=told):
        await call("search_places", geo_filter=geo_filter)


async def test_a_circle_is_by_straight_distance_nearest_first(call):
    around = {"type": "circle", "latitude": LAT, "lng": LON, "radius_km": 3}
    found = (await call("search_places", geo_filter=around, sort="Distance", limit=200, period="all")).data
    distances = [row["distance_m"] for row in found["places"]]
    assert distances == sorted(distances) and max(distances) <= 3_000
    for place in PLACES.values():
        # On the scale of a city a degree of longitude is one of latitude, shortened by the cosine.
        flat = ((place["lat"] - LAT) ** 2 + ((place["lon"] - LON) * 0.7904) ** 2) ** 0.5 * 111_195
        if abs(flat - 3_000) > 15:
            assert (place["id"] in {row["id"] for row in found["places"]}) == (flat < 3_000)
    assert found["query_metadata"]["geo_type"] == "radius"


@pytest.mark.parametrize(
    ("wanted", "codes"),
    [
        ("coffee shops", {"722515"}), ("Cafés", {"722515"}), ("722", {"722515", "722513"}), (72, {"722515", "722513"}),
        (["restaurants"], {"722515", "722513"}), ("gym", {"713940"}), (["malls", "gyms"], {"531120", "713940"}),
        ("nonresidential building", {"531120"}),
    ],
)  # fmt: skip
async def test_categories_are_found_by_code_prefix_and_name(call, wanted, codes):
    found = (await call("search_places", geo_filter="all", category_ids=wanted, limit=200)).data
    assert {row["category_id"] for row in found["places"]} == codes


@pytest.mark.parametrize("wanted", ["c-star", "Starbean", "STAR BEAN", "starbeans"])
async def test_chains_are_found_by_id_and_name(call, wanted):
    found = (await call("search_places", geo_filter="all", chain_ids=wanted)).data
    assert {row["chain_id"] for row in found["places"]} == {"c-star"}


async def test_unknown_kinds_name_the_nearest_and_several_chains_ask_which(call):
    with pytest.raises(BadArguments, match="Nearest: Starbean"):
        await call("search_places", geo_filter="all", chain_ids="Starbeam")
    with pytest.raises(BadArguments, match="Nearest: coffee shops"):
        await call("search_places", geo_filter="all", category_ids="cofee shop")
    with pytest.raises(BadArguments, match=r"could be Iron Gym \(c-gym\), Iron Gym Express"):
        await call("search_places", geo_filter="all", chain_ids="Iron")
    with pytest.raises(BadArguments, match="never make one up"):
        await call("get_place_summary", place_ids=["ChIJ123"])
