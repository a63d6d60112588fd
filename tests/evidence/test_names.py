"""Identifiers and quoted names."""

from collections.abc import Callable

import pytest

from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]

IDENTIFIERS = [
    "WH-001",
    "BRG-6204",
    "6204-2RS",
    "PO_2024_001",
    "INV-2026-0007",
    "T1",
    "Q3",
    "p95",
    "v2.1",
    "1.2.3",
    "10.0.0.1",
    "0042",
    "4711A",
    "file.py:12",
    "src/app/v2/main.py:12",
    "bob42@acme.com",
    "550e8400-e29b-41d4-a716-446655440000",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "0xdeadbeef",
    "3f2a9c1",
    "12345678901234567890",
    "010-8888-6666",
    "555-0100",
    "+49 170 1234567",
    "server-01.example.com",
]


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_an_identifier_is_found_as_a_whole(check: Check, name: str) -> None:
    (figure,) = check(f"See {name}, please.", {"id": name, "other": 1})
    assert (figure.text, figure.kind, figure.source, figure.found) == (name, "identifier", "c1", name)


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_an_identifier_is_not_found_inside_a_longer_one(check: Check, name: str) -> None:
    (figure,) = check(f"见{name}。", f"x{name}9 and {name}9 and {name}x")
    assert (figure.text, figure.source) == (name, None)


@pytest.mark.parametrize(("name", "longer"), [("PO_2024", "PO_2024_001"), ("WH-001", "WH-001-A"), ("1.2.3", "1.2.3.4")])
def test_a_compound_identifier_is_not_the_beginning_of_another(check: Check, name: str, longer: str) -> None:
    (figure,) = check(name, longer)
    assert figure.source is None


def test_a_short_identifier_is_found_in_a_key(check: Check) -> None:
    (figure,) = check("the p95 is fine", {"latency_p95_ms": 3})
    assert (figure.source, figure.found) == ("c1", "p95")


def test_identifiers_side_by_side_are_told_apart(check: Check) -> None:
    figures = check("试模 T0/T1/T2：T0→T1 合格", {"trials": ["T0", "T1"]})
    assert [(f.text, f.source) for f in figures] == [
        ("T0", "c1"),
        ("T1", "c1"),
        ("T2", None),
        ("T0", "c1"),
        ("T1", "c1"),
    ]


def test_case_does_not_matter_and_a_version_is_found_without_its_letter(check: Check) -> None:
    assert [f.found for f in check("wh-001 runs v2.1", "WH-001: version 2.1")] == ["WH-001", "2.1"]


def test_a_large_number_in_data_is_found_as_the_identifier_it_is(check: Check) -> None:
    assert check("order 1234567890123456789", {"id": 1234567890123456789})[0].source == "c1"
    assert check("order 1234567890123456789", {"id": 1234567890123456788})[0].source is None


@pytest.mark.parametrize(
    "answer",
    [
        'by "Acme Ltd"',
        "by “Acme Ltd”",
        "by „Acme Ltd“",
        "by «Acme Ltd»",
        "由「Acme Ltd」",
        "由《Acme Ltd》",
        "`Acme Ltd`",
    ],
)
def test_a_quoted_name_is_found(check: Check, answer: str) -> None:
    (figure,) = check(answer, [{"vendor": "ACME Ltd."}])
    assert (figure.text, figure.kind, figure.source, figure.found) == ("Acme Ltd", "name", "c1", "ACME Ltd")


def test_names_are_found_in_keys_and_in_chinese(check: Check) -> None:
    figures = check("缺陷「披锋」和 `unit_price`，不是「拉白」", {"unit_price": 3, "defects": ["严重披锋"]})
    assert [(f.text, f.source) for f in figures] == [("披锋", "c1"), ("unit_price", "c1"), ("拉白", None)]


def test_a_name_nobody_observed_has_no_source(check: Check) -> None:
    (figure,) = check('by "Acme"', "Acmetron and acmes")
    assert (figure.kind, figure.source) == ("name", None)


def test_code_needs_a_source_only_where_it_holds_a_digit(check: Check) -> None:
    assert check("set `verbose`", "nothing of that") == []
    assert [(f.text, f.source) for f in check("use `port 8000` and `verbose`", {"verbose": True})] == [
        ("port 8000", None),
        ("verbose", "c1"),
    ]


def test_a_quotation_that_is_a_figure_is_that_figure(check: Check) -> None:
    figures = check('"18,420" and `WH-001` and 「2026年11月14日」', [18420, "WH-001", "2026-11-14"])
    assert [(f.text, f.kind, f.source) for f in figures] == [
        ("18,420", "number", "c1"),
        ("WH-001", "identifier", "c1"),
        ("2026年11月14日", "date", "c1"),
    ]


def test_a_comma_inside_the_quotes_does_not_belong_to_the_name(check: Check) -> None:
    assert check('"Acme Ltd," he said', "Acme Ltd")[0].text == "Acme Ltd"


def test_inch_marks_and_unmatched_quotes_quote_nothing(check: Check) -> None:
    figures = check('a 24" screen and a 27" one, “open', [24, 27])
    assert [(f.text, f.kind) for f in figures] == [("24", "number"), ("27", "number")]


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("WH-009 failed after 30 s", "c1"),
        ("WH-009 is an unknown warehouse, it said after 30 s", "c1"),
        ("WH-009 failed after 31 s", None),
        ("WH-009 failed; delivery takes 30 s", None),
        ("WH-009 delivers after 30 s", None),
    ],
)
def test_a_failed_call_is_a_source_for_its_error_where_the_answer_tells_of_it(
    check: Check, answer: str, source: str | None
) -> None:
    failed = SourceText(source="c1", origin="call", text="warehouse WH-009 is unknown after 30 s", failed=True)
    figures = check(answer, failed)
    assert [f.source for f in figures] == ["c1", source]


def test_a_shortened_quotation_is_found_by_its_pieces_in_one_line(check: Check) -> None:
    seen = "Payment is due within 14 days of receipt.\nGoods stay ours until paid in full."
    for quote in ("Payment is due … of receipt", "Payment is due within …", "… of receipt", "Goods stay […] in full"):
        assert [figure.source for figure in check(f"It says “{quote}”.", seen)] == ["c1"], quote
    for quote in (
        "Payment was due … of receipt",
        "Payment is due … of delivery",
        "of receipt … Payment is due",
        "Payment is due … in full",
        "Paym… of receipt",
        "is … of",
    ):
        assert [figure.source for figure in check(f"It says “{quote}”.", seen)] == [None], quote


def test_signs_in_backticks_do_not_open_the_next_name(check: Check) -> None:
    assert [figure.text for figure in check("`*` binds before `total` and `+`.", "total = 3")] == ["total"]


@pytest.mark.parametrize("word", ["or", "None", "true", "const"])
def test_keywords_in_backticks_need_no_source(check: Check, word: str) -> None:
    assert check(f"It gives `{word}`.", f"return a {word} b") == []


def test_a_name_in_backticks_is_found_only_as_it_is_spelled(check: Check) -> None:
    assert [figure.source for figure in check("`Retry2` and `retry2`", "def retry2():")] == [None, "c1"]
    assert [figure.source for figure in check("Retry2", "def retry2():")] == ["c1"]
    assert check("It calls `retryAll`.", "def retryall():") == []


@pytest.mark.parametrize("word", ["HO.05.e", "71-0719", "SD/30-114", "LN.07.b"])
def test_a_figure_has_the_source_of_the_word_that_it_is_a_part_of(word: str, check: Check) -> None:
    for figure in check(f"It is {word}.", {"ref": word, "n": 5}):
        assert (figure.source, figure.origin) == ("c1", "call")
    other = check(f"It is {word}1.", {"ref": word, "n": 5})
    assert [figure for figure in other if figure.source is None]
