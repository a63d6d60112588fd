"""What text comes down to when it is searched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.retrieval.query.search_terms import asked_words, count_tokens, indexed_words, unspaced_share


@pytest.mark.parametrize("written", ["getUserName", "get_user_name", "GetUserName"])
def test_a_name_is_found_by_its_parts_and_whole_however_it_is_written(written):
    found = set(indexed_words(written).split())
    assert all(set(asked_words(asked)) <= found for asked in ("user", "get user names", "getusername", "GET_USER_NAME"))


@pytest.mark.parametrize(("one", "other"), [("parsing", "parses"), ("entries", "entry"), ("running", "run")])
def test_forms_of_an_english_word_are_one_word(one, other):
    assert asked_words(one) == asked_words(other)


def test_capitals_and_digits_divide_a_name():
    assert indexed_words("HTTPServer2").split() == ["http", "server", "2", "httpserver2"]


def test_chinese_is_found_by_its_pairs_and_its_single_characters():
    assert set(indexed_words("披锋处理").split()) == {"披", "锋", "处", "理", "披锋", "锋处", "处理"}


def test_a_chinese_question_asks_for_pairs_and_for_a_character_that_stands_alone():
    assert asked_words("披锋 料") == ["披锋", "料"]


def test_full_width_letters_and_accents_are_no_other_words():
    assert asked_words("Ｃａｆé") == ["cafe"]


def test_a_number_is_one_word_with_or_without_its_commas():
    assert asked_words("1,234.5") == asked_words("1234.5")[:1] == ["1234.5"]


@given(st.text())
def test_every_word_of_a_question_that_is_the_text_is_among_the_words_of_the_text(text):
    assert set(asked_words(text, 10_000)) <= set(indexed_words(text).split())


@given(st.text())
def test_shares_and_counts_stay_in_their_bounds(text):
    assert 0 <= unspaced_share(text) <= 1
    assert 0 <= count_tokens(text) <= len(text)
