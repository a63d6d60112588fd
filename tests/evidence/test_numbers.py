"""How a number is written in an answer against how it stands in an observation."""

from collections.abc import Callable
from typing import Any

import pytest

from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]

FOUND = [
    # separators
    ("18,420 units", 18420, "18,420"),
    ("1,234.5", 1234.5, "1,234.5"),
    ("1.234,5", 1234.5, "1.234,5"),
    ("1 234 Stück", 1234, "1 234"),
    ("1\xa0234", 1234, "1\xa0234"),
    ("1\u202f234,50", 1234.5, "1\u202f234,50"),
    ("1'234", 1234, "1'234"),
    ("1’234.50", 1234.5, "1’234.50"),
    ("12,34,567 rupees", 1234567, "12,34,567 rupees"),
    ("1,234,567.89", 1234567.89, "1,234,567.89"),
    ("1.234", 1234, "1.234"),
    ("3,14", 3.14, "3,14"),
    ("１８，４２０ 件", 18420, "１８，４２０"),
    ("共 １２．５ 吨", 12.5, "１２．５ 吨"),
    ("٤٢", 42, "٤٢"),
    (".42", 0.42, ".42"),
    ("1.5e-3", 0.0015, "1.5e-3"),
    # rounding at the last shown digit
    ("18,420", 18419.7, "18,420"),
    ("1.27 m", 1268340.5, "1.27 m"),
    ("1.27 million", 1268340.5, "1.27 million"),
    ("€1.27m", 1268340.5, "€1.27m"),
    ("1.27M€", 1268340.5, "1.27M€"),
    ("1.3k", 1268.3, "1.3k"),
    ("1.3 bn", 1_268_340_500, "1.3 bn"),
    ("127 万", 1268340.5, "127 万"),
    ("126.8 万元", 1268340.5, "126.8 万元"),
    ("1.2 亿", 118_900_000, "1.2 亿"),
    ("1.2亿美元", 118_900_000, "1.2亿美元"),
    ("2.5 lakh", 250_000, "2.5 lakh"),
    ("3 crore", 30_000_000, "3 crore"),
    ("2.67", 2.675, "2.67"),
    ("2.68", 2.675, "2.68"),
    ("0.3", 0.1 + 0.2, "0.3"),
    # signs, currencies, percent, ordinals
    ("-5", -5, "-5"),
    ("−5", -5, "−5"),
    ("$-5", -5, "$-5"),
    ("-€1,200.00", -1200, "-€1,200.00"),
    ("(1,234.50)", -1234.5, "1,234.50"),
    ("fell by 5 %", -0.05, "5 %"),
    ("a loss of 1,200", -1200, "1,200"),
    ("亏损 1,200 元", -1200, "1,200 元"),
    ("US$1,200", 1200, "US$1,200"),
    ("USD1200", 1200, "USD1200"),
    ("1200 EUR", 1200, "1200 EUR"),
    ("Rs. 500", 500, "Rs. 500"),
    ("42 %", 0.42, "42 %"),
    ("42%", 0.4183, "42%"),
    ("42 percent", 42, "42 percent"),
    ("百分之42", 0.42, "百分之42"),
    ("12.5 个百分点", 0.125, "12.5 个百分点"),
    ("0.42", "the share is 42 %", "0.42"),
    ("100 %", 1.0, "100 %"),
    ("the 3rd", {"rank": 3}, "3rd"),
    ("3x", 3, "3x"),
    ("5 倍", 5, "5 倍"),
    ("**18,420**", 18420, "18,420"),
    ("_18,420_", 18420, "18,420"),
    ("mid-2025", 2025, "2025"),
    ("a 12-hour shift", {"shift_hours": 12}, "12-hour"),
    ("12 items", {"qty": "12"}, "12"),
    # units, converted only where both are visible
    ("18 ms", {"latency_s": 0.018}, "18 ms"),
    ("18ms", "took 0.018 s", "18ms"),
    ("2.48 s", {"latency_ms": 2480}, "2.48 s"),
    ("20.5s", {"latency_ms": 20500}, "20.5s"),
    ("1.5 h", {"duration_minutes": 90}, "1.5 h"),
    ("2 weeks", {"lead_time_days": 14}, "2 weeks"),
    ("1.5 GB", {"size_bytes": 1_500_000_000}, "1.5 GB"),
    ("1.5 GB", {"size_bytes": 1_610_612_736}, "1.5 GB"),
    ("2.5 公里", {"distance_km": 2.5}, "2.5 公里"),
    ("1.2 t", {"weight_kg": 1200}, "1.2 t"),
    ("18 ms", 18, "18 ms"),
    # sources that are text
    ("18420", "Total: 18,420 units", "18420"),
    ("1.3 million", "about 1.27 million", "1.3 million"),
    ("1,270,000", "about 1.27 million", "1,270,000"),
    ("-1234", "net (1,234)", "-1234"),
    ("300", '{"values":[100,200,300', "300"),
    ("line 12", "src/app.py:12: return 1", "12"),
    ("127 万元", [{"金额(万元)": 127}], "127 万元"),
    ("$1.27 million", "Revenue (USD million)\n1.27", "$1.27 million"),
]


@pytest.mark.parametrize(("answer", "observed", "text"), FOUND)
def test_a_number_is_found_however_it_is_written(check: Check, answer: str, observed: Any, text: str) -> None:
    data = observed if isinstance(observed, (str, dict, list)) else {"value": observed}
    (figure,) = check(answer, data)
    assert (figure.text, figure.source, figure.kind) == (text, "c1", "number")


NOT_FOUND = [
    ("18,421", 18420),
    ("18,000", 18420),
    ("1.28 million", 1268340.5),
    ("1.27k", 1.27),
    ("1.27 million", 1.27),
    ("127 万", 127),
    ("43 %", 0.4183),
    ("100 %", 1),
    ("300 %", 3),
    ("42", 0.42),
    ("-5", 5),
    ("5", -5),
    ("profit of 1,200", -1200),
    ("0", 0.018),
    ("18", "18,420"),
    ("420", "18,420"),
    ("1", "WH-001"),
    ("14", "2026-11-14"),
    ("6204", "BRG-6204"),
    ("18 s", {"latency_ms": 18}),
    ("18 ms", {"latency_s": 18}),
    ("18 ms", "took 18 s"),
    ("5 kg", "5 ms"),
    ("$1,200", "€1,200"),
    ("€1,200", {"amount_usd": 1200}),
    ("1234567890123456", 1234567890123457),
    ("123456789012345", 123456789012346),
    ("5", True),
    ("1", True),
    ("7", None),
]


@pytest.mark.parametrize(("answer", "observed"), NOT_FOUND)
def test_a_number_that_is_not_there_has_no_source(check: Check, answer: str, observed: Any) -> None:
    data = observed if isinstance(observed, (str, dict)) else {"value": observed}
    (figure,) = check(answer, data)
    assert (figure.source, figure.found) == (None, None)


def test_a_range_shares_its_unit(check: Check) -> None:
    figures = check("10–20 % and 1.2 to 1.5 million", {"low": 0.1, "high": 0.2, "from": 1_200_000, "to": 1_500_000})
    assert [(figure.text, figure.found) for figure in figures] == [
        ("10", "0.1"),
        ("20 %", "0.2"),
        ("1.2", "1200000"),
        ("1.5 million", "1500000"),
    ]


def test_a_list_of_numbers_is_told_from_one_with_separators(check: Check) -> None:
    assert [f.text for f in check("[100,200]", [100, 200])] == ["100", "200"]
    assert [f.text for f in check("[100,200]", [100200])] == ["100,200"]
    assert [(f.text, f.source) for f in check("[100,200]", [100])] == [("100,200", None)]


def test_what_was_found_is_the_text_as_it_stands_there(check: Check) -> None:
    (number,) = check("1.27 million", {"revenue": 1268340.5})
    (text,) = check("1.3 million", "Revenue of EUR 1.27 million.")
    assert (number.found, text.found) == ("1268340.5", "EUR 1.27 million")


def test_a_year_is_found_in_any_date_of_it(check: Check) -> None:
    figures = check("In 2026 we sold 2000, unlike 2025.", [{"at": "2026-11-14T09:30:00Z", "sold": 2000}])
    assert [(f.text, f.source) for f in figures] == [("2026", "c1"), ("2000", "c1"), ("2025", None)]
