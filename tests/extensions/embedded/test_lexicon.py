"""The lexicon: its file is in order, and words are found in the forms people write."""

from importlib.resources import files

import pytest

from glassloop.core.text_terms import has_cjk, stem
from glassloop.extensions.embedded.language.lexicon import Spelling, lexicon
from glassloop.extensions.embedded.language.terms import is_german

LINES = (files("glassloop.extensions.embedded.language") / "lexicon.txt").read_text("utf-8").splitlines()


def test_every_line_has_the_columns_it_should() -> None:
    for line in LINES:
        if not line.strip() or line.startswith(("#", "~")):
            continue
        english, german, chinese = line.split("|")
        assert english.isascii() and english == english.lower(), line
        assert german.isascii() and german == german.lower(), line
        assert all(has_cjk(word) for word in chinese.split()), line


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("Rechnungen", "invoice"),
        ("Aufträge", "order"),
        ("storniert", "cancel"),
        ("Lagerbestand", "stock"),
        ("Kundenrechnung", "invoice"),
        ("Urlaubstage", "holiday"),
        ("abgesagt", "cancel"),
        ("Wetterbericht", "weather"),
    ],
)
def test_german_words_are_found_in_any_form(word: str, meant: str) -> None:
    found = lexicon().german(word)
    assert found is not None
    assert found.get(stem(meant), 0.0) > 0.5


@pytest.mark.parametrize("word", ["Xylophon", "Österreich", "Zzzz", "", "ü" * 500])
def test_what_is_not_known_means_nothing(word: str) -> None:
    assert lexicon().german(word) is None


def test_chinese_is_cut_into_the_longest_words_known() -> None:
    assert [word for word, _ in lexicon().chinese("查询天气预报")] == ["查询", "天气预报"]


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("Wie viel kostet das?", True),
        ("Überweise 50 Euro an Clara", True),
        ("What is the weather in München?", False),
        ("order status", False),
        ("", False),
    ],
)
def test_the_language_is_told_by_small_words(text: str, german: bool) -> None:
    assert is_german(text) is german


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("wether", "weather"),
        ("weahter", "weather"),
        ("weatther", "weather"),
        ("weathar", "weather"),
        ("pirce", "price"),
        ("spell", None),
        ("prime", None),
        ("climate", None),
        ("", None),
    ],
)
def test_one_mistake_is_mended_in_long_words_only(typed: str, meant: str | None) -> None:
    assert Spelling(["weather", "price", "sell"]).nearest(typed) == meant
