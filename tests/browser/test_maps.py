"""Maps and grids that tools drew: beside the answer, in the trace and in replays; by mouse, finger and keyboard; what
lights what up; small screens, light and dark; and nothing asked of anybody else."""

import math

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop import tool
from glassloop.models.scripted_model import call

pytestmark = IN_BROWSER

STREETS = [
    ("Market St", 37.7793, -122.4185), ("Mission St", 37.7877, -122.3996), ("Castro St", 37.7610, -122.4350),
    ("Irving St", 37.7640, -122.4660), ("Geary Blvd", 37.7810, -122.4640), ("Union St", 37.7975, -122.4330),
    ("Fillmore St", 37.7890, -122.4340), ("Embarcadero", 37.7955, -122.3937), ("Battery St", 37.7950, -122.4000),
    ("California St", 37.7930, -122.4010), ("Kearny St", 37.7905, -122.4040), ("Powell St", 37.7850, -122.4080),
    ("King St", 37.7765, -122.3942), ("Ocean Ave", 37.7240, -122.4560), ("Taraval St", 37.7425, -122.4900),
]  # fmt: skip
PLACES = [
    {
        "id": f"poi-{number:04}",
        "name": f"Starbucks, {street}",
        "address": f"{100 + 37 * number} {street}",
        "tags": ["coffee", "wifi"],
        "visits": {"value": 21_340 - 871 * number, "low": 20_100 - 871 * number, "high": 22_580 - 871 * number},
    }
    for number, (street, _, _) in enumerate(STREETS)
]
POINTS = [
    {"id": place["id"], "name": place["name"], "lat": lat, "lon": lon, "value": place["visits"]["value"]}
    for place, (_, lat, lon) in zip(PLACES, STREETS, strict=True)
]


def hexagon(lat: float, lon: float, size: float = 0.0052) -> list[list[float]]:
    corners = [math.radians(60 * corner + 30) for corner in range(6)]
    return [[lon + size * math.cos(at) / math.cos(math.radians(lat)), lat + size * math.sin(at)] for at in corners]


def areas() -> list[dict]:
    found = []
    for row in range(-6, 7):
        for column in range(-6, 7):
            lat = 37.765 + row * 0.0052 * 1.5
            lon = -122.435 + (column + (row % 2) / 2) * 0.0052 * math.sqrt(3) / math.cos(math.radians(37.765))
            share = round(8 * math.exp(-((row - 2) ** 2 + (column - 1) ** 2) / 14), 2)
            if share > 0.15:
                area = {"id": f"hex-{row}-{column}", "name": f"Hexagon {row}/{column}", "value": share}
                found.append({**area, "ring": hexagon(lat, lon)})
    return found


@tool(effect="read", volatile=True)
async def search_places(limit: int = 15) -> dict:
    """Finds places."""
    drawn = {"title": "Starbucks in San Francisco, by visits", "points": POINTS, "unit": "visits"}
    return {"places": PLACES, "total": len(PLACES), "query_metadata": {"period": "2026-10"}, "map": drawn}


@tool(effect="read", volatile=True)
async def get_trade_area_profile(place_id: str) -> dict:
    """Where visitors live."""
    shaded = areas()
    rows = [{"area_id": area["id"], "share": area["value"]} for area in shaded]
    drawn = {"title": "Where its visitors live", "points": [{**POINTS[0], "value": None}], "areas": shaded, "unit": "%"}
    return {"areas": rows, "map": drawn}


@tool(effect="read", volatile=True)
async def get_visit_flows(place_id: str) -> dict:
    """Where visitors go."""
    lines = [{"from": "poi-0001", "to": point["id"], "value": 100 - 7 * n} for n, point in enumerate(POINTS[2:12])]
    back = [{"from": point["id"], "to": "poi-0001", "value": 40 - 3 * n} for n, point in enumerate(POINTS[2:6])]
    return {"shares": 10, "map": {"title": "Where they go next", "points": POINTS[:12], "lines": lines + back}}


@tool(effect="read", volatile=True)
async def compare_locations() -> dict:
    """Compares."""
    weeks = [f"2026-W{week:02}" for week in range(20, 46)]
    series = [
        {"label": one["name"], "values": [round(900 - 60 * n + 90 * math.sin(w / 3 + n)) for w in range(len(weeks))]}
        for n, one in enumerate(PLACES[:7])
    ]
    return {"weeks": len(weeks), "chart": {"kind": "line", "title": "Visits by week", "x": weeks, "series": series}}


@tool(effect="read", volatile=True)
async def get_place_summary() -> dict:
    """Summarises."""
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    series = [
        {
            "label": day,
            "unit": "visits",
            "values": [
                None if hour < 5 else round(90 * math.exp(-((hour - 9 - (n > 4)) ** 2) / 9) + 30 * (hour in (12, 13)))
                for hour in range(24)
            ],
        }
        for n, day in enumerate(days)
    ]
    hours = [f"{hour}:00" for hour in range(24)]
    return {"busiest": "Mon 9:00", "chart": {"kind": "grid", "title": "Hours of a week", "x": hours, "series": series}}


TOOLS = (search_places, get_trade_area_profile, get_visit_flows, compare_locations, get_place_summary)
ANSWER = "Starbucks on Market St has 21,340 visits, that on Taraval St 9,146."


async def opened(house, tabs, *calls, answer=ANSWER, **options):
    served = await house(*(call(name, **given) for name, given in calls), answer)
    served.stage.tools.extend(TOOLS)
    tab = await tabs(served, reduced_motion="reduce", **options)
    await tab.ask("Where are they?")
    await tab.see(answer[:20])
    return served, tab


SEARCH = ("search_places", {})
WIDE = {"viewport": {"width": 1440, "height": 900}}


async def test_a_map_is_loaded_only_when_there_is_one_and_counties_only_from_near(house, tabs):
    served = await house("Nothing to see.", call("show_country"), "There they are.")

    @tool(effect="read", volatile=True)
    async def show_country() -> dict:
        """Shows a country."""
        cities = [("la", "Los Angeles", 34.05, -118.24), ("ny", "New York", 40.71, -74.0)]
        points = [{"id": one, "name": name, "lat": lat, "lon": lon} for one, name, lat, lon in cities]
        return {"map": {"title": "Cities", "points": points}}

    served.stage.tools.append(show_country)
    tab = await tabs(served, **WIDE)
    await tab.ask("What is there?")
    await tab.see("Nothing to see.")
    assert not [url for url in tab.requests if "MapFigure" in url]
    await tab.ask("Show them.")
    await tab.see("There they are.")
    map_view = tab.page.locator(".answer-charts .map-view")
    await expect(map_view.get_by_text("Kansas", exact=True)).to_be_attached()
    assert [url for url in tab.requests if "MapFigure" in url]
    assert not [url for url in tab.requests if "counties" in url]
    for _ in range(4):
        await map_view.get_by_role("button", name="Zoom in").click()
    await expect(map_view.locator(".map-county").first).to_be_attached()


@pytest.mark.slow
async def test_a_map_moves_by_mouse_buttons_wheel_and_keys(house, tabs):
    _, tab = await opened(house, tabs, SEARCH, **WIDE)
    page = tab.page
    figure = page.locator(".answer-charts .map")
    view, points = figure.locator(".map-view"), figure.locator(".map-point")
    await expect(figure.locator("figcaption")).to_have_text("Starbucks in San Francisco, by visits")
    clusters = figure.locator(".map-cluster")
    assert sum(map(int, await clusters.locator("text").all_text_contents())) + await points.count() == len(POINTS)
    far, scale = await clusters.count(), figure.locator(".map-scale")
    assert far > 0
    was = await scale.inner_text()
    await view.focus()
    for _ in range(3):
        await page.keyboard.press("+")
    await expect(scale).not_to_have_text(was)
    await page.keyboard.press("0")
    await expect(scale).to_have_text(was)
    place = points.first
    at = await place.bounding_box()
    await page.keyboard.press("ArrowRight")
    await page.wait_for_function(
        "([node, x]) => node.getBoundingClientRect().x < x - 40", arg=[await place.element_handle(), at["x"]]
    )
    box = await view.bounding_box()
    await page.mouse.move(box["x"] + 200, box["y"] + 200)
    await page.mouse.down()
    await page.mouse.move(box["x"] + 248, box["y"] + 200, steps=4)
    await page.mouse.up()
    await page.wait_for_function(
        "([node, x]) => Math.abs(node.getBoundingClientRect().x - x) < 3", arg=[await place.element_handle(), at["x"]]
    )
    # The wheel alone scrolls the page; with Ctrl it zooms.
    await page.mouse.wheel(0, 40)
    await expect(scale).to_have_text(was)
    await page.keyboard.down("Control")
    await page.mouse.wheel(0, -900)
    await page.keyboard.up("Control")
    await expect(scale).not_to_have_text(was)
    await view.get_by_role("button", name="Show everything").click()
    await expect(scale).to_have_text(was)
    await expect(clusters).to_have_count(far)
    await clusters.first.click()
    await expect(scale).not_to_have_text(was)


async def test_a_point_a_row_and_a_figure_light_one_another_up(house, tabs):
    _, tab = await opened(house, tabs, SEARCH, **WIDE)
    page = tab.page
    await expect(page.locator(".meta")).to_contain_text("all 2 figures sourced")
    figure, beside = page.locator(".answer-charts .map"), page.locator("#trace-panel .map")
    await expect(beside.locator(".map-point").first).to_be_attached()
    market = page.locator(".answer .figure").get_by_text("21,340", exact=True)
    await market.hover()
    for shown in (figure, beside):
        await expect(shown.locator(".map-name")).to_have_text("Starbucks, Market St")
        await expect(shown.locator(".map-told")).to_have_text("Starbucks, Market St: 21,340 visits")
    await page.mouse.move(2, 2)
    await expect(page.locator(".map-name")).to_have_count(0)
    # A row of the result.
    row = page.locator("#trace-panel .result tbody tr", has_text="poi-0000")
    await row.hover()
    await expect(figure.locator(".map-name")).to_have_text("Starbucks, Market St")
    await expect(market).to_have_class("figure sourced pressable short lit")
    await page.mouse.move(2, 2)
    await expect(page.locator(".figure.lit")).to_have_count(0)
    # A point of the map: its row, which is folded away, and the row of the map's own table.
    await figure.locator("summary").click()
    own = figure.locator("tbody tr", has_text="Taraval")
    south = page.locator(".answer .figure").get_by_text("9,146", exact=True)
    await own.get_by_role("button").focus()
    await expect(figure.locator(".map-name")).to_have_text("Starbucks, Taraval St")
    await expect(south).to_have_class("figure sourced pressable short lit")
    await page.keyboard.press("Enter")
    await expect(figure.locator(".map-point.lit")).to_be_in_viewport()
    await own.get_by_role("button").blur()
    await expect(own).to_have_class("lit")
    await figure.get_by_role("button", name="Show everything").click()
    lowest = figure.locator(".map-point.lit")
    await lowest.hover()
    await expect(own).to_have_class("lit")
    await expect(south).to_have_class("figure sourced pressable short lit")
    await expect(page.locator("#trace-panel .result tr.lit")).to_contain_text("poi-0014")


@pytest.mark.slow
async def test_areas_are_shaded_with_a_legend_and_flows_are_lines(house, tabs):
    calls = [("get_trade_area_profile", {"place_id": "poi-0000"}), ("get_visit_flows", {"place_id": "poi-0001"})]
    served, tab = await opened(house, tabs, *calls, **WIDE)
    drawn = tab.page.locator(".answer-charts .map")
    first, second = drawn.nth(0), drawn.nth(1)
    await expect(first.locator(".map-area")).to_have_count(len(areas()))
    await expect(first.locator(".shades-legend")).to_have_text("0 %8 %")
    assert "Highest: Hexagon" in (await first.get_by_role("img").get_attribute("aria-label") or "")
    flows = second.locator(".map-line")
    await expect(flows).to_have_count(14)
    widths = [
        float(one)
        for one in await flows.locator(".stroke").evaluate_all(
            "all => all.map(one => parseFloat(getComputedStyle(one).strokeWidth))"
        )
    ]
    assert widths[0] == max(widths) > 2 * min(widths)
    (turn,) = await served.runtime.store.turns.ids(tab.session)
    await tab.page.goto(f"{served.url}/#/t/{turn}")
    await expect(tab.page.locator(".map-line").first).to_be_attached()


@pytest.mark.slow
async def test_hours_of_a_week_are_a_grid_that_is_a_table(house, tabs):
    _, tab = await opened(house, tabs, ("get_place_summary", {}), ("compare_locations", {}), **WIDE)
    grid = tab.page.locator(".answer-charts .grid-chart")
    await expect(grid.get_by_role("row")).to_have_count(8)
    row = grid.get_by_role("row", name="Mon")
    await expect(row.get_by_role("cell")).to_have_count(24)
    await expect(row.get_by_role("cell").nth(9)).to_have_text("90 visits")
    await expect(row.get_by_role("cell").nth(0)).to_have_text("none")
    lines = tab.page.locator(".answer-charts .chart path.stroke")
    await expect(lines).to_have_count(7)
    await expect(tab.page.locator(".answer-charts path.dashed")).to_have_count(2)


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 360),
        pytest.param("dark", 360, marks=pytest.mark.slow),
        pytest.param("dark", 1440, marks=pytest.mark.slow),
    ],
)
async def test_maps_fit_the_screen_and_axe_finds_nothing_serious(house, tabs, serious, scheme, width):
    calls = (SEARCH, ("get_trade_area_profile", {"place_id": "poi-0000"}), ("get_place_summary", {}))
    _, tab = await opened(house, tabs, *calls, color_scheme=scheme, viewport={"width": width, "height": 900})
    page = tab.page
    await page.locator(".answer-charts .map summary").first.click()
    await expect(page.locator(".answer-charts .map")).to_have_count(2)
    for place in ("html", "#conversation"):
        assert await page.locator(place).evaluate("node => node.scrollWidth") <= width, place
    assert await serious(page) == []


@pytest.mark.slow
async def test_two_fingers_zoom_a_map_and_one_leaves_the_page_its_scrolling(house, tabs):
    _, tab = await opened(house, tabs, SEARCH, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = tab.page
    view, scale = page.locator(".map-view"), page.locator(".map-scale")
    await expect(view.locator(".map-point").first).to_be_attached()
    assert await view.evaluate("node => getComputedStyle(node).touchAction") == "pan-y"
    await view.scroll_into_view_if_needed()
    was = await scale.inner_text()
    box = await view.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = await page.context.new_cdp_session(page)

    async def touch(kind: str, apart: float) -> None:
        touches = [] if kind == "touchEnd" else [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    await touch("touchStart", 20)
    for apart in (40, 60, 80, 100):
        await touch("touchMove", apart)
    await touch("touchEnd", 0)
    await expect(scale).not_to_have_text(was)


@pytest.mark.slow
async def test_an_exported_conversation_shows_its_map_where_it_is_imported(house, tabs, tmp_path):
    served, tab = await opened(house, tabs, SEARCH)
    lines = await served.runtime.store.exports.dump(tab.session)
    other = await house(home=str(tmp_path / "other"))
    session = await other.runtime.store.exports.load(lines)
    page = (await tabs(other, f"/#/s/{session}")).page
    await expect(page.locator(".answer-charts .map figcaption")).to_have_text("Starbucks in San Francisco, by visits")
