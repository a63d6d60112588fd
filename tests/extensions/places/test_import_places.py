"""Places of every maker become the same rows."""

import json

import duckdb
import pytest
import shapely

from extensions.places.import_files import PLACES, table

HOURS = {"Mon": [["9:00", "17:30"]], "Fri": [["18:00", "2:00"]], "Sun": [["0:00", "24:00"]]}


def test_our_own_columns_are_taken_with_quotes_and_accents(imports):
    report = imports.take(PLACES)
    assert (report.read, report.taken, report.layout) == (3, 3, "places in our own columns")
    found = imports.rows("SELECT id, name, state, lat, category_id, chain_id, tags FROM poi_places ORDER BY id")
    assert found == [
        ("p1", "Blue Cup", "CA", 37.7749, "722515", "blue", ["coffee", "wifi"]),
        ("p2", 'Corner "Deli"\nand more', "CA", 37.7849, "722513", None, None),
        ("p3", "Café Olé", "GA", 33.7490, "722515", None, None),
    ]
    assert imports.rows("SELECT id, name FROM poi_chains") == [("blue", "Blue Cup")]
    assert ("722513", "Limited-Service Restaurants") in imports.rows("SELECT id, name FROM poi_categories")


@pytest.mark.parametrize(
    ("encoded", "said"),
    [
        (PLACES.encode("utf-8-sig"), "UTF-8"),
        (PLACES.encode("utf-16"), "UTF-16-LE"),
        (PLACES.encode("utf-16-be"), "UTF-16-BE"),
        (PLACES.encode("latin-1"), "CP1252"),
        (PLACES.replace("\n", "\r\n").encode(), "UTF-8"),
        (PLACES.replace(",", "\t").replace("coffee\twifi", "coffee,wifi").encode(), "UTF-8"),
        (PLACES.replace(",", ";").encode(), "UTF-8"),
        (PLACES.upper().replace("CAFÉ OLÉ", "Café Olé").encode(), "UTF-8"),
        (f"\n{PLACES}\n\n".replace("p3", "\np3").encode(), "UTF-8"),
    ],
)
def test_encodings_delimiters_and_ends_of_lines_make_no_difference(imports, encoded, said):
    report = imports.take(encoded)
    assert (report.taken, report.skipped, report.encoding) == (3, 0, said)
    assert imports.rows("SELECT name FROM poi_places WHERE city ILIKE 'atlanta'") == [("Café Olé",)]


def test_places_without_a_metro_are_counted_with_what_cannot_be_told_of_them(imports):
    rows = [["a", "A", "37.5", "-122.1", ""], ["b", "B", "37.6", "-122.1", "San Francisco"]]
    columns = ["id", "name", "lat", "lon", "metro"]
    (note,) = imports.take(table(columns, rows)).notes
    assert note.startswith("1 of 2 places have no metro")
    assert imports.take(table(columns, [["c", "C", "37.7", "-122.1", "San Francisco"]])).notes == []


def test_safegraph_core_places_bring_brands_categories_hours_and_dates(imports):
    columns = [
        "PLACEKEY", "Location_Name", "brands", "safegraph_brand_ids", "top_category", "sub_category", "naics_code",
        "latitude", "longitude", "street_address", "city", "region", "postal_code", "open_hours", "category_tags",
        "opened_on", "closed_on", "wkt_area_sq_meters", "phone_number", "parent_placekey",
    ]  # fmt: skip
    row = [
        "222@5vg-7gq", "Acme, Inc.", "Acme,Acme Fuel", "SG_1,SG_2", "Gasoline Stations", "Stations with Stores",
        "447110", "37.5", "-122.1", "5 Oak", "Fremont", "CA", "94536", HOURS, "Fuel,Snacks", "2019-07", "2023-02",
        "995", "1555", "zzw@1",
    ]  # fmt: skip
    report = imports.take(table(columns, [row]))
    assert (report.layout, report.unknown_columns) == ("SafeGraph core places", {})
    ((place),) = imports.rows(
        "SELECT chain_id, category_id, CAST(opened_on AS VARCHAR), CAST(closed_on AS VARCHAR), area_m2, parent_id, "
        "tags FROM poi_places"
    )
    assert place == ("SG_1", "447110", "2019-07-01", "2023-02-28", 995.0, "zzw@1", ["Fuel", "Snacks"])
    assert imports.rows("SELECT * EXCLUDE (words) FROM poi_categories ORDER BY id") == [
        ("4471", "Gasoline Stations", None),
        ("447110", "Stations with Stores", "4471"),
    ]
    assert imports.rows("SELECT name FROM poi_chains") == [("Acme",)]
    ((flags,),) = imports.rows("SELECT hours FROM poi_places")
    opened = [hour for hour, flag in enumerate(flags) if flag]
    monday, friday, sunday = list(range(9, 18)), list(range(96 + 18, 96 + 26)), list(range(144, 168))
    assert opened == [*monday, *friday, *sunday]


def test_overture_parquet_is_read_with_its_points_names_and_brands(imports, tmp_path):
    path = tmp_path / "overture.parquet"
    points = [shapely.to_wkb(shapely.Point(-122.4, 37.77)).hex(), shapely.to_wkb(shapely.Point(-84.38, 33.75)).hex()]
    with duckdb.connect() as db:
        db.execute(f"""COPY (SELECT * FROM (VALUES
            ('08f1', {{'primary': 'Blue Cup', 'common': NULL::MAP(VARCHAR, VARCHAR)}},
             {{'primary': 'coffee_shop', 'alternate': ['cafe']}},
             {{'wikidata': 'Q1', 'names': {{'primary': 'Blue'}}}}, 0.9,
             [{{'freeform': '1 Main St', 'locality': 'San Francisco', 'postcode': '94103',
               'region': 'US-CA', 'country': 'US'}}],
             from_hex('{points[0]}'), {{'xmin': -122.4::FLOAT, 'ymin': 37.77::FLOAT}}),
            ('08f2', {{'primary': 'Ümlaut', 'common': NULL}}, NULL, NULL, 0.5, [], from_hex('{points[1]}'), NULL)
            ) t(id, names, categories, brand, confidence, addresses, geometry, bbox)) TO '{path}' (FORMAT parquet)""")
    report = imports.take(path)
    assert (report.layout, report.read, report.taken) == ("Overture places", 2, 2)
    assert imports.rows(
        "SELECT id, name, city, state, zip, lat, lon, category_id, chain_id FROM poi_places ORDER BY id"
    ) == [
        ("08f1", "Blue Cup", "San Francisco", "CA", "94103", 37.77, -122.4, "722515", "Q1"),
        ("08f2", "Ümlaut", None, None, None, 33.75, -84.38, None, None),
    ]
    assert imports.rows("SELECT id, words FROM poi_categories") == [("722515", ["Coffee shop"])]


def test_foursquare_places_are_read_from_parquet(imports, tmp_path):
    path = tmp_path / "fsq.parquet"
    with duckdb.connect() as db:
        db.execute(f"""COPY (SELECT '4b1' AS fsq_place_id, 'Blue Cup' AS name, 37.77 AS latitude, -122.4 AS longitude,
            '1 Main St' AS address, 'San Francisco' AS locality, 'CA' AS region, '94103' AS postcode, 'US' AS country,
            DATE '2024-01-02' AS date_closed, ['4bf5', '4bf6'] AS fsq_category_ids,
            ['Dining and Drinking > Cafe, Coffee, and Tea House > Boba Tea Shop'] AS fsq_category_labels,
            [1.5] AS unresolved_flags) TO '{path}' (FORMAT parquet)""")
    assert imports.take(path).layout == "Foursquare open places"
    assert imports.rows("SELECT id, city, lat, category_id, CAST(closed_on AS VARCHAR) FROM poi_places") == [
        ("4b1", "San Francisco", 37.77, "4bf5", "2024-01-02")
    ]
    # Its own name, below the code of what it is.
    assert imports.rows("SELECT id, name, parent_id FROM poi_categories ORDER BY id") == [
        ("4bf5", "Boba Tea Shop", "722515"),
        ("722515", "Snack and Nonalcoholic Beverage Bars", None),
    ]


@pytest.mark.parametrize("lines", [False, True])
def test_geojson_is_read_as_a_collection_and_as_lines(imports, lines):
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [-122.4 + number / 100, 37.7]},
            "properties": {"id": f"p{number}", "name": f'Nr. {number} "é"', "city": "San Francisco", "Category": None},
        }
        for number in range(3)
    ]
    features.append({"type": "Feature", "geometry": None, "properties": {"id": "p9", "name": "Nowhere"}})
    whole = {"type": "FeatureCollection", "crs": {"a": [1]}, "features": features, "z": 1}
    text = "\n".join(map(json.dumps, features)) if lines else json.dumps(whole, indent=1)
    report = imports.take(text, "x.geojson")
    assert (report.read, report.taken, report.skipped, report.reasons) == (4, 3, 1, {"no coordinates": 1})
    assert imports.rows("SELECT name, lon FROM poi_places ORDER BY id")[1] == ('Nr. 1 "é"', -122.39)


def test_the_same_place_twice_is_once(imports):
    rows = [
        ["a", "Blue Cup", 37.7749, -122.4194],
        ["a", "Blue Cup", 37.9, -122.4194],
        ["b", "blue cup", 37.77525, -122.4194],
        ["c", "Blue Cup", 37.7758, -122.4194],
        ["d", "Red Cup", 37.7749, -122.4194],
    ]
    text = table(["id", "name", "lat", "lon"], rows)
    report = imports.take(text)
    assert (report.taken, report.duplicates) == (3, 2)
    assert [(each.line, each.reason) for each in report.problems] == [
        (3, "the same id twice"),
        (4, "the same name within 50 m of another place"),
    ]
    assert imports.take(text).same
    more = imports.take(
        table(
            ["id", "name", "lat", "lon", "zip"],
            [["a", "Blue Cup!", 37.7749, -122.4194, ""], ["e", "Red Cup", 37.7749, -122.4194, "1"]],
        )
    )
    assert (more.taken, more.updated, more.duplicates) == (1, 1, 1)
    assert imports.rows("SELECT count(*), max(name) FILTER (id = 'a') FROM poi_places") == [(3, "Blue Cup!")]
    assert (
        imports.take(table(["id", "name", "lat", "lon"], [["e", "Red Cup", 37.7749, -122.4194]]), near=True).taken == 1
    )


def test_coordinates_that_cannot_be_are_told_by_line(imports):
    rows = [
        ["a", "A", "37.77", "-122.4", "CA"],
        ["b", "B", "-122.4", "37.77", "CA"],
        ["c", "C", "-84.39", "33.75", "GA"],
        ["d", "D", "0", "0", ""],
        ["e", "E", "95", "200", ""],
        ["f", "F", "37,77", "-122,4", ""],
        ["g", "G", "nan", "inf", ""],
        ["h", "H", "-33.86", "151.2", "NSW"],
    ]
    report = imports.take(table(["id", "name", "lat", "lon", "state"], rows))
    assert (report.taken, report.skipped) == (2, 6)
    assert [(each.line, each.reason.split()[0]) for each in report.problems] == [
        (3, "latitude"), (4, "latitude"), (5, "impossible"), (6, "impossible"), (7, "the"), (8, "no"),
    ]  # fmt: skip


def test_an_unknown_column_is_named_with_the_nearest(imports):
    report = imports.take("id,name,lat,lon,catgory_id,zzz\na,A,37.7,-122.4,1,2\n")
    assert report.unknown_columns == {"catgory_id": "category_id", "zzz": ""}


def test_areas_come_with_centroids(imports):
    rows = ["060750101001,37.8,-122.4,1200,90000", "06075010100,91,0,-5,1", "94103,37.7,-122.4,x,"]
    text = "\n".join(["GEOID,lat,lon,population,median_income", *rows])
    report = imports.take(text)
    assert (report.layout, report.taken, report.skipped) == ("areas", 1, 2)
    assert imports.rows("SELECT id, kind, population, income_median FROM poi_areas") == [
        ("060750101001", "block_group", 1200, 90000.0)
    ]
