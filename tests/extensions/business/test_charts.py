"""Charts in what the tools answer: lines for trends, bars for groups, within bounds; what does not fit is none."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.charts import KEY, MAX_BARS, MAX_POINTS, MAX_SERIES, Chart

GOOD = {"kind": "line", "title": "Spend", "x": ["a", "b"], "series": [{"label": "Ordered", "values": [1, None]}]}


def chart_in(data) -> Chart | None:
    try:
        return msgspec.convert(data[KEY], Chart)
    except msgspec.ValidationError:
        return None


async def test_a_trend_is_a_line_with_the_figures_of_the_trend(ask) -> None:
    data = await ask("get_procurement_summary", period="last_quarter", trend="month")
    chart = chart_in(data)
    assert chart is not None
    assert (chart.kind, chart.x) == ("line", ("2026-07", "2026-08", "2026-09"))
    assert "2026-07-01 to 2026-09-30" in chart.title
    ordered = next(series for series in chart.series if series.label == "Ordered")
    assert ordered.unit == "USD"
    assert ordered.values == tuple(row["ordered"] for row in data["trend"])
    assert sum(ordered.values) == pytest.approx(data["totals"]["ordered"])


async def test_groups_are_bars_of_one_measure(ask) -> None:
    data = await ask("get_procurement_summary", group_by="category", period="this_year")
    chart = chart_in(data)
    assert chart is not None
    assert (chart.kind, len(chart.series)) == ("bar", 1)
    assert chart.x == tuple(row["category"] for row in data["rows"])
    assert chart.series[0].values == tuple(row["ordered"] for row in data["rows"])


async def test_counts_and_percentages_do_not_share_an_axis_with_money(ask) -> None:
    for name, args in (("get_alerts", {"trend": "month", "period": "this_year"}), ("get_leads", {"trend": "month"})):
        chart = chart_in(await ask(name, **args))
        assert chart is not None
        assert len({series.unit for series in chart.series}) == 1


async def test_a_list_without_a_trend_has_no_chart(ask) -> None:
    assert "chart" not in await ask("get_purchase_orders", status="late")
    assert "chart" not in await ask("get_server_status")


async def test_tables_name_the_currency_and_the_period(registry) -> None:
    result = await registry.execute("get_procurement_summary", {"period": "last_quarter", "group_by": "category"})
    assert "2026-07-01 to 2026-09-30 (last quarter)" in result.output
    assert "| ordered (USD) |" in result.output
    assert "as of 2026-11-15" in result.output


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "pie"},
        {"title": ""},
        {"title": "x" * 121},
        {"x": []},
        {"x": ["a"] * (MAX_POINTS + 1), "series": [{"label": "l", "values": [1.0] * (MAX_POINTS + 1)}]},
        {"kind": "bar", "x": ["a"] * (MAX_BARS + 1), "series": [{"label": "l", "values": [1.0] * (MAX_BARS + 1)}]},
        {"series": []},
        {"series": [{"label": "l", "values": [1, 2]}] * (MAX_SERIES + 1)},
        {"series": [{"label": "l", "values": [1]}]},
        {"series": [{"label": "l", "values": [1, "2"]}]},
        {"series": [{"label": "l", "values": [1, float("nan")]}]},
        {"series": [{"label": "l", "values": [1, 2], "onclick": "x"}]},
        {"more": 1},
    ],
)
def test_what_does_not_fit_is_no_chart(change) -> None:
    assert chart_in({"chart": GOOD}) is not None
    assert chart_in({"chart": GOOD | change}) is None


WORDS = st.sampled_from(["chart", "kind", "line", "title", "x", "series", "label", "values", ""]) | st.text(max_size=5)


@given(
    st.recursive(
        st.none() | st.integers() | WORDS,
        lambda x: st.lists(x, max_size=4) | st.dictionaries(WORDS, x, max_size=4),
        max_leaves=20,
    )
)
def test_whatever_a_tool_says_is_survived(data) -> None:
    assert chart_in({"chart": data}) is None
