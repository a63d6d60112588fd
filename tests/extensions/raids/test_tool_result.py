"""Answers of raid tools: data that is bounded, text that a model reads."""

from typing import Any

from glassloop.extensions.raids.names import name_list
from glassloop.extensions.raids.tools.result import bar_chart, line_chart, raid_result, show_length


def test_tables_are_bounded_and_the_text_has_what_the_data_has() -> None:
    rows: list[Any] = [
        {"player": f"P{number}", "dps": 1000.123 + number, "share_percent": 12.5} for number in range(270)
    ]
    result = raid_result({"report": "Abc1234567", "fight": 3}, {"players": rows}, missing=["no gear", "no gear"])
    data: Any = result.data
    assert len(data["players"]) == 50
    assert data["cut_lists"] == {"players": 270}
    assert data["missing"] == ["no gear"]
    assert "Report: Abc1234567 · Fight: 3" in result.output
    assert "Players (200 of 270 shown; ask for one boss, player or fight to see the others):" in result.output
    assert "| Player | DPS | Share (%) |" in result.output
    assert "| P199 |" in result.output
    assert "| P200 |" not in result.output
    assert "Missing: no gear" in result.output


def test_a_raid_of_25_is_shown_whole() -> None:
    rows: list[Any] = [{"player": f"P{number}"} for number in range(25)]
    result = raid_result({}, {"players": rows})
    assert "\nPlayers:\n" in result.output
    assert "| P24 |" in result.output


def test_a_list_that_holds_only_some_says_of_how_many() -> None:
    result = raid_result({}, {"fights": [{"fight": 1}]}, totals={"fights": 92}, read_on="give `limit`")
    assert "Fights (1 of 92 shown; give `limit`):" in result.output
    whole = raid_result({}, {"fights": [{"fight": 1}]}, totals={"fights": 1})
    assert "cut_lists" not in dict(whole.data)  # type: ignore[call-overload]
    assert "\nFights:\n" in whole.output


def test_the_last_name_of_a_list_is_not_left_out_for_a_word_that_is_as_long() -> None:
    assert name_list(["Anna", "Ben", "Cleo"], 2) == "Anna, Ben, Cleo"
    assert name_list(["Anna", "Ben", "Cleo", "Dan"], 2) == "Anna, Ben and 2 more"


def test_a_figure_is_rounded_once() -> None:
    result = raid_result({}, {"uptime_percent": 65.6496})
    assert "Uptime (%): 65.6" in result.output
    assert dict(result.data)["uptime_percent"] == 65.65  # type: ignore[call-overload]


def test_value_that_says_what_it_is_gets_no_label() -> None:
    result = raid_result({}, {"players": [{"by_phase": [{"phase": "Phase 1", "dps": 5}, {"phase": "Banished"}]}]})
    assert "| Phase 1, DPS 5; Phase Banished |" in result.output


def test_untrusted_names_cannot_break_a_table() -> None:
    result = raid_result({}, {"rows": [{"name": "a|b\n| c"}]})
    assert "| a/b / c |" in result.output


def test_charts_are_in_the_data_and_not_in_the_text() -> None:
    chart = bar_chart("DPS", [("Ann", 1200.0), ("Bob", 1100.0)], "DPS")
    result = raid_result({}, {"best": 1200}, chart=chart)
    data: Any = result.data
    assert data["chart"]["series"][0]["values"] == (1200.0, 1100.0)
    assert "1,100" not in result.output
    assert bar_chart("One", [("Ann", 1.0)], "DPS") is None
    assert line_chart("Many", [str(day) for day in range(500)], {"Parse": [1.0] * 500}) is not None


def test_times_are_minutes_and_seconds() -> None:
    assert [show_length(ms) for ms in (0, 59_600, 245_000)] == ["0:00", "1:00", "4:05"]
