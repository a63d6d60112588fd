"""Every regular expression of the source takes time in proportion to its text, whatever the text.

Found by `pattern_sources`, so that a new one is looked at without anybody thinking of it; the texts are made from the
expressions by `pattern_growth`. Only how the CPU time grows counts, so that a busy machine does not matter.
"""

import re

import pytest

from glassloop.extensions.business.listing import load_listings
from glassloop.retrieval.code.ignore_rules import IgnoreRules
from project.pattern_growth import EVERY, LIMIT, USUAL, worst_growth
from project.pattern_sources import collect

MADE = {
    # Escaped names, side by side.
    "glassloop.extensions.business.defects._find_word",
    "glassloop.extensions.business.defects.without_defects",
    "glassloop.extensions.code.project.project_info.read",
    "glassloop.extensions.code.project.project_info._matching",
    "glassloop.extensions.reflex.question.form_of",
    "glassloop.retrieval.query.query_parser.__init__",
    "glassloop.store.log.redaction.of",
    # Patterns of files, written with possessive stars; hostile ones are in the tests of the search.
    "glassloop.extensions.code.search.file_pattern.file_matcher",
    # Tested below.
    "glassloop.extensions.business.database.source._replace_all",
    "glassloop.retrieval.code.ignore_rules.__init__",
}
"""Functions that make an expression of what only they know, with the reason why that is no danger."""

SLOW = [
    r"(a+)+$",
    r"(a|a)*b",
    r"^(\w+\s?)*$",
    r"(?:x+x+)+y",
    r"\s+$",
    r"\s*,\s*",
    r"(\d+)x",
    r"<a[^>]*>",
    r"a.*b.*c",
    r"(\w+)\s+of",
    r"(?m)^\W*nothing",
    r"\d(?=.*x)",
    r"(['\"])(?:\\.|[^\\])*?\1;",
    r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.",
    r"plus\s*\d+\s*%?\s*(?:呢)?\s*[?.!]*$",
]
LINEAR = [r"\b\w+\s+of", r"[^\n]*", r"a{0,200}b", r'"[^"]*"', r"(?:(?<!\s)\s++)?,", r"\s+", r"(?<!\w)\w+(?!\w)"]


@pytest.fixture(scope="module")
def patterns():
    return collect()


@pytest.mark.parametrize(
    "effort", [pytest.param(USUAL, id="usual"), pytest.param(EVERY, id="every", marks=pytest.mark.slow)]
)
def test_every_pattern_of_the_source_takes_time_in_proportion_to_its_text(patterns, effort):
    found, _ = patterns
    grown = {each.places[0]: worst_growth(each.pattern, each.uses, effort) for each in found}
    measured = [(growth.exponent, place) for place, growth in grown.items() if growth is not None]
    slowest = max(measured, default=(1.0, "none took long enough to be measured"))
    print(f"{len(found)} patterns; steepest growth: n^{slowest[0]:.2f} ({slowest[1]})")
    assert [(place, grown[place]) for exponent, place in sorted(measured, reverse=True) if exponent > LIMIT] == []


def test_the_search_for_patterns_finds_them_in_names_tables_classes_and_functions(patterns):
    places = {place for each in patterns[0] for place in each.places}
    assert {
        "glassloop.store.log.redaction._KEYS",
        "glassloop.extensions.reflex.values._SPOKEN[0][0]",
        "glassloop.models.provider_kit.call_arguments._STRING_STOPS['\"']",
        "glassloop.core.planning.decision_review._NUMBER",
    } <= places
    assert len(patterns[0]) > 400


def test_a_pattern_that_only_a_call_knows_is_one_of_those_looked_at(patterns):
    assert patterns[1] == MADE


@pytest.mark.parametrize("text", SLOW)
@pytest.mark.slow
def test_a_pattern_that_is_known_to_be_slow_is_found_out(text):
    found = worst_growth(re.compile(text), {"search", "match"})
    assert found is not None
    assert found.exponent > LIMIT


@pytest.mark.parametrize("text", LINEAR)
def test_a_pattern_that_is_known_to_be_linear_is_not_accused(text):
    found = worst_growth(re.compile(text), {"search"})
    assert found is None or found.exponent <= LIMIT


def test_the_kind_of_a_log_message_is_told_in_proportion_to_the_message():
    _, expression, *_ = load_listings("itops")["search_logs"].groups["message"].keys.split("'")
    found = worst_growth(re.compile(expression), {"sub"})
    assert found is None or found.exponent <= LIMIT


@pytest.mark.parametrize("glob", ["*a" * 20 + "b", "**/a/" * 20 + "b", "[ab]*" * 20 + "c", "a*/**/*a*/**/*b"])
def test_what_a_folder_leaves_out_is_told_in_proportion_to_the_path(glob):
    for _, expression in IgnoreRules("", [glob])._steps:
        found = worst_growth(expression, {"fullmatch"})
        assert found is None or found.exponent <= LIMIT
