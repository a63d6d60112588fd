"""The sample: its views agree with one another, its figures with the truth, and its stories can be found."""

import hashlib
import re
from collections import Counter
from datetime import date
from pathlib import Path

import duckdb
import h3
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from extensions.places.conftest import SAMPLE_DAY
from extensions.places.places_oracle import Oracle
from glassloop.extensions.places.data_set.about import About
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.extensions.places.data_set.estimates import MIN_PANEL, estimate
from glassloop.extensions.places.data_set.views import BUCKETS, SHARES, STORED_VIEWS
from glassloop.extensions.places.sample.generator import TRUTH_FILE, Extent, count_visits, generate, make_world

TODAY = SAMPLE_DAY
SMALL = Extent(scale=0.05, months=4, metros=2)

INVARIANTS = {
    "days add up to months": """
        SELECT * FROM (SELECT place_id, date_trunc('month', day)::DATE AS month, sum(visits) AS visits
        FROM poi_visits_daily GROUP BY ALL) AS d FULL JOIN poi_visits_monthly AS m USING (place_id, month)
        WHERE d.visits IS DISTINCT FROM m.visits""",
    "hours add up to months": """
        SELECT * FROM (SELECT place_id, month, sum(visits) AS visits FROM poi_hours GROUP BY ALL) AS h
        FULL JOIN poi_visits_monthly AS m USING (place_id, month) WHERE h.visits IS DISTINCT FROM m.visits""",
    "lengths add up to months": """
        SELECT * FROM (SELECT place_id, month, sum(visits) AS visits FROM poi_dwell GROUP BY ALL) AS h
        FULL JOIN poi_visits_monthly AS m USING (place_id, month) WHERE h.visits IS DISTINCT FROM m.visits""",
    "flows of a direction add up to months": """
        SELECT * FROM (SELECT place_id, month, direction, sum(visits) AS visits FROM poi_flows GROUP BY ALL) AS f
        FULL JOIN (SELECT * FROM poi_visits_monthly, (VALUES ('before'), ('after')) AS d(direction)) AS m
        USING (place_id, month, direction) WHERE f.visits IS DISTINCT FROM m.visits""",
    "members by home area are at most those of the month": """
        SELECT * FROM (SELECT place_id, month, sum(panel_visitors) AS panel FROM poi_homes GROUP BY ALL) AS h
        LEFT JOIN poi_visits_monthly AS m USING (place_id, month)
        WHERE m.visits IS NULL OR h.panel > m.panel_visitors""",
    "months are suppressed where few of the panel came": """
        SELECT place_id FROM poi_visits_monthly WHERE suppressed IS DISTINCT FROM (panel_visitors < 5)""",
    "days and hours of a month that is shown are in steps of five": """
        SELECT d.place_id FROM poi_visits_daily AS d JOIN poi_visits_monthly AS m
        ON m.place_id = d.place_id AND m.month = date_trunc('month', d.day) WHERE d.suppressed <> m.suppressed UNION ALL
        SELECT h.place_id FROM poi_hours AS h JOIN poi_visits_monthly AS m USING (place_id, month)
        WHERE h.suppressed <> m.suppressed OR h.panel_visitors > m.panel_visitors""",
    "home areas are at most the visits and visitors": """
        SELECT * FROM (SELECT place_id, month, sum(visits) AS visits, sum(visitors) AS visitors FROM poi_homes
        GROUP BY ALL) AS h LEFT JOIN poi_visits_monthly AS m USING (place_id, month)
        WHERE m.visits IS NULL OR h.visits > m.visits OR h.visitors > m.visitors""",
    "visitors are at most visits": "SELECT place_id FROM poi_visits_monthly WHERE visitors > visits OR visitors < 1",
    "visitors of a day are at most visits": "SELECT place_id FROM poi_visits_daily WHERE visitors > visits",
    "a day has at most the visitors of its month": """
        SELECT d.place_id FROM poi_visits_daily AS d JOIN poi_visits_monthly AS m
        ON m.place_id = d.place_id AND m.month = date_trunc('month', d.day) WHERE d.visitors > m.visitors""",
    "members are at most what they stand for": """
        SELECT place_id FROM poi_visits_monthly
        WHERE panel_visits > visits OR panel_visitors > visitors OR panel_visitors > panel_visits""",
    "frequency is visits a visitor": """
        SELECT place_id FROM poi_visits_monthly WHERE abs(frequency - visits / visitors) > 0.0001""",
    "shared visitors are at most those of either": """
        SELECT o.place_id FROM poi_overlap AS o
        LEFT JOIN poi_visits_monthly AS m ON m.place_id = o.place_id AND m.month = o.month
        WHERE o.place_id = o.other_id OR m.visitors IS NULL OR o.shared_visitors > m.visitors""",
    "overlaps are the same both ways": """
        SELECT * FROM poi_overlap AS a LEFT JOIN poi_overlap AS b
        ON b.place_id = a.other_id AND b.other_id = a.place_id AND b.month = a.month
        WHERE b.shared_visitors IS DISTINCT FROM a.shared_visitors""",
    "nothing before opening or after closing": """
        SELECT d.place_id FROM poi_visits_daily AS d JOIN poi_places AS p ON p.id = d.place_id
        WHERE d.day < p.opened_on OR d.day > p.closed_on""",
    "nobody comes while it is closed": """
        SELECT h.place_id FROM poi_hours AS h JOIN poi_places AS p ON p.id = h.place_id
        WHERE NOT p.hours[hour_of_week + 1]""",
    "ids lead somewhere": """
        SELECT place_id FROM poi_visits_monthly WHERE place_id NOT IN (SELECT id FROM poi_places) UNION ALL
        SELECT area_id FROM poi_homes WHERE area_id NOT IN (SELECT id FROM poi_areas) UNION ALL
        SELECT other_id FROM poi_flows
        WHERE other_id NOT IN ('home', 'work') AND other_id NOT IN (SELECT id FROM poi_places) UNION ALL
        SELECT category_id FROM poi_places WHERE category_id NOT IN (SELECT id FROM poi_categories) UNION ALL
        SELECT chain_id FROM poi_places WHERE chain_id NOT IN (SELECT id FROM poi_chains) UNION ALL
        SELECT parent_id FROM poi_places WHERE parent_id NOT IN (SELECT id FROM poi_places) UNION ALL
        SELECT parent_id FROM poi_categories WHERE parent_id NOT IN (SELECT id FROM poi_categories)""",
    "no day is outside the months": """
        SELECT day FROM poi_visits_daily, (SELECT min(month) AS first, max(month) AS last FROM poi_visits_monthly)
        WHERE day < first OR day > last_day(last)""",
}


def opened(folder: Path) -> duckdb.DuckDBPyConnection:
    """All views of a folder, read by DuckDB alone."""
    connection = duckdb.connect()
    for view in STORED_VIEWS:
        connection.execute(f"CREATE VIEW {view.name} AS FROM read_parquet('{folder / view.file_name}')")
    connection.execute(f"CREATE VIEW truth AS FROM read_parquet('{folder / TRUTH_FILE}')")
    return connection


def made(folder: Path, seed: int = 1, extent: Extent = SMALL) -> Path:
    folder.mkdir(exist_ok=True)
    generate(folder, seed=seed, today=TODAY, tell=lambda title, fraction: None, extent=extent)
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return made(tmp_path_factory.mktemp("small"))


@pytest.fixture
def whole(whole_sample: Path) -> Path:
    return whole_sample


def assert_agrees(folder: Path) -> None:
    connection = opened(folder)
    for name, broken in INVARIANTS.items():
        assert connection.execute(broken).fetchmany(3) == [], name
    cells = dict(connection.execute("SELECT id, metro FROM poi_areas").fetchall())
    for lat, lon, metro in connection.execute("SELECT lat, lon, metro FROM poi_places").fetchall():
        assert cells[h3.latlng_to_cell(lat, lon, 8)] == metro
    for view in STORED_VIEWS:
        types = [row[:2] for row in connection.execute(f"DESCRIBE {view.name}").fetchall()]
        assert types == [(column.name, column.type) for column in view.columns], view.name


def test_all_views_agree(small: Path) -> None:
    assert_agrees(small)
    connection = opened(small)
    known = "(SELECT sum(visits) FROM poi_homes) / (SELECT sum(visits) FROM poi_visits_monthly)"
    assert 0.9 < connection.execute(f"SELECT {known}").fetchall()[0][0] < 1
    buckets = {row[0] for row in connection.execute("SELECT DISTINCT bucket FROM poi_dwell").fetchall()}
    assert buckets == set(BUCKETS)


def test_home_areas_add_up_to_the_visits_with_a_known_home() -> None:
    world = make_world(3, TODAY, lambda title, fraction: None, SMALL)
    counted = dict(count_visits(world, 3, lambda title, fraction: None))["poi_homes"]
    months = len(world.period.months)
    expected: Counter[tuple[int, int]] = Counter()
    for visitors in world.visitors:
        for place, month, person, visits in zip(
            visitors.place, visitors.month, visitors.person, visitors.visits, strict=True
        ):
            if world.people.known[person]:
                expected[int(place), int(month)] += int(visits) * int(world.people.weight[world.people.area_of[person]])
    found: Counter[tuple[int, int]] = Counter()
    for place, month, visits in zip(counted["place"], counted["month"], counted["visits"], strict=True):
        found[int(place), int(month)] += int(visits)
    assert found == expected and len(found) > months * 100


def test_rows_are_suppressed_by_the_rule(small: Path) -> None:
    assert Oracle(small).flags_agree


@pytest.mark.slow
@settings(max_examples=4, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(
    seed=st.integers(2, 10_000),
    scale=st.floats(0.004, 0.03),
    months=st.integers(1, 5),
    metros=st.integers(1, 3),
    per_member=st.floats(60, 900),
)
def test_all_views_agree_whatever_is_made(tmp_path_factory, seed, scale, months, metros, per_member) -> None:
    extent = Extent(scale=scale, months=months, metros=metros, people_per_member=per_member)
    assert_agrees(made(tmp_path_factory.mktemp("random"), seed, extent))


def test_the_same_seed_and_day_give_the_same_bytes(small: Path, tmp_path: Path) -> None:
    def digests(folder: Path) -> dict[str, str]:
        return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in sorted(folder.iterdir())}

    assert digests(made(tmp_path / "again")) == digests(small)
    assert digests(made(tmp_path / "other", seed=2)) != digests(small)


def test_it_ends_with_the_last_whole_month_and_says_that_it_is_a_sample(small: Path) -> None:
    about = About.read(small)
    assert (about.first_day, about.last_day, about.sample) == (date(2026, 7, 1), date(2026, 10, 31), True)
    assert about.panel_size > 1_000


def test_shares_of_an_area_add_up_to_one(small: Path) -> None:
    for start in ("age", "household", "education"):
        total = " + ".join(name for name in SHARES if name.startswith(f"{start}_"))
        assert opened(small).execute(f"SELECT id FROM poi_areas WHERE abs({total} - 1) > 0.001").fetchall() == []
    assert opened(small).execute("SELECT id FROM poi_areas WHERE ring[1] <> ring[-1] OR len(ring) < 6").fetchall() == []


def test_a_sample_can_be_put_in_place_and_read(small: Path, tmp_path: Path) -> None:
    data_sets = DataSets(tmp_path)
    with data_sets.staged() as staged:
        made(staged)
        put = data_sets.put(staged, user=None)
    assert data_sets.current("ann") == put
    assert put.missing == ()


@pytest.mark.slow
def test_the_whole_sample_is_as_large_as_promised_and_agrees(whole: Path) -> None:
    assert_agrees(whole)
    connection = opened(whole)
    counts = connection.execute("""
        SELECT count(*), count(DISTINCT metro), count(DISTINCT category_id), count(DISTINCT chain_id) FROM poi_places
    """).fetchall()[0]
    assert all(count >= least for count, least in zip(counts, (20_000, 6, 60, 80), strict=True))
    assert connection.execute("SELECT count(DISTINCT month) FROM poi_visits_monthly").fetchall() == [(24,)]
    assert sum(each.stat().st_size for each in whole.iterdir()) < 150_000_000


@pytest.mark.slow
def test_the_range_holds_the_truth_in_every_metro_and_for_every_size(whole: Path) -> None:
    rows = (
        opened(whole)
        .execute("""
        SELECT p.metro, m.visits, m.visitors, m.panel_visits, m.panel_visitors, t.visits, t.visitors
        FROM poi_visits_monthly AS m
        JOIN truth AS t ON t.place_id = m.place_id AND t.month::DATE = m.month
        JOIN poi_places AS p ON p.id = m.place_id
    """)
        .fetchall()
    )
    held: dict[str, list[bool]] = {}
    for metro, visits, visitors, panel_visits, panel_visitors, true_visits, true_visitors in rows:
        found = estimate(visits, panel_visitors, panel_visits)
        assert found.suppressed == (panel_visitors < MIN_PANEL)
        if not found.suppressed:
            size = next(name for least, name in SIZES if panel_visitors >= least)
            persons = estimate(visitors, panel_visitors, of_visits=False)
            for group in ("all", metro, size):
                held.setdefault(group, []).append(found.low <= true_visits <= found.high)
                held.setdefault(f"visitors, {group}", []).append(persons.low <= true_visitors <= persons.high)
    assert len(held) == 2 * (1 + 6 + len(SIZES))
    for group, each in held.items():
        assert len(each) >= 1_000, group
        assert 0.85 <= sum(each) / len(each) <= 0.95, group


SIZES = ((100, "huge"), (40, "large"), (15, "medium"), (8, "small"), (MIN_PANEL, "tiny"))


STORIES = {
    "a gym in January": """
        SELECT sum(visits) FILTER (month(month) = 1) / sum(visits) FILTER (month(month) = 11) FROM poi_visits_monthly
        WHERE place_id IN (SELECT id FROM poi_places WHERE category_id = '713940')""",
    "a mall in decline": """
        SELECT sum(visits) FILTER (month < '2025-05-01') / sum(visits) FILTER (month >= '2026-05-01')
        FROM poi_visits_monthly WHERE place_id IN (SELECT id FROM poi_places WHERE name = 'Valley Vista Mall')""",
    "a stadium with match days": """
        SELECT max(visits) / median(visits) / 5 FROM poi_visits_daily
        WHERE place_id IN (SELECT id FROM poi_places WHERE name = 'Peachtree Stadium')""",
    "restaurants at weekends": """
        SELECT avg(visits) FILTER (isodow(day) = 6) / avg(visits) FILTER (isodow(day) = 2) FROM (
        SELECT day, sum(visits) AS visits FROM poi_visits_daily WHERE place_id IN
        (SELECT id FROM poi_places WHERE category_id = '722511') GROUP BY day)""",
    "shops in December": """
        SELECT avg(visits) FILTER (month(month) = 12) / avg(visits) FILTER (month(month) = 2) FROM (
        SELECT month, sum(visits) AS visits FROM poi_visits_monthly WHERE place_id IN
        (SELECT id FROM poi_places WHERE category_id LIKE '458%') GROUP BY month)""",
    "a new store that takes visitors from its sister": """
        WITH new AS (SELECT * FROM poi_places WHERE name = 'Starbucks' AND city = 'San Francisco'
        AND opened_on IS NOT NULL), sister AS (SELECT p.id, n.opened_on FROM poi_places AS p, new AS n
        WHERE p.name = 'Starbucks' AND p.id <> n.id AND p.lon = n.lon AND abs(p.lat - n.lat) < 0.006)
        SELECT avg(visits) FILTER (month < opened_on - 31) / avg(visits) FILTER (month > opened_on)
        FROM poi_visits_monthly, sister WHERE place_id = sister.id""",
}


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES)
def test_there_is_something_to_be_found(whole: Path, story: str) -> None:
    assert opened(whole).execute(STORIES[story]).fetchall()[0][0] > 1.2


@pytest.mark.slow
def test_the_questions_of_the_contract_have_sensible_answers(whole: Path) -> None:
    connection = opened(whole)

    def count(where: str) -> int:
        return connection.execute(f"SELECT count(*) FROM poi_places WHERE {where}").fetchall()[0][0]

    assert count("chain_id = 'starbucks' AND city = 'San Francisco'") >= 20
    assert count("chain_id = 'chick_fil_a' AND metro = 'Atlanta'") >= 10
    assert count("category_id = '531120' AND city = 'Los Angeles'") >= 5
    sundays = """SELECT count(*) FROM poi_visits_daily JOIN poi_places ON id = place_id
        WHERE chain_id = 'chick_fil_a' AND isodow(day) = 7"""
    assert connection.execute(sundays).fetchall() == [(0,)]
    names = [row[0] for row in connection.execute("SELECT name FROM poi_places").fetchall()]
    assert not [name for name in names if re.search(r"\s{2}|^\s|\s$", name)]
