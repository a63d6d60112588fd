"""Arguments of native calls: valid ones are read as they are, broken ones mended or given up, nothing raises."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.models.provider_kit.call_arguments import read_arguments

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=5)
# Text that looks like JSON finds more than text that looks like nothing.
NEARLY = st.text(st.sampled_from("{}[]:,\"'\\ntrue0123-.eE \n`ud8Ü"), max_size=60)


@given(st.text() | NEARLY)
def test_any_text_gives_an_object_or_nothing_and_never_raises(text: str) -> None:
    read = read_arguments(text)
    assert read is None or isinstance(read.args, dict)
    msgspec.json.encode(read)


@given(OBJECTS)
def test_a_valid_object_reads_back_equal(value: dict[str, Any]) -> None:
    assert read_arguments(json.dumps(value)) == (value, None)
    assert read_arguments(json.dumps(value, ensure_ascii=False), mend=False) == (value, None)


@given(OBJECTS, st.data())
def test_any_beginning_of_an_object_is_read_without_raising(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text)))
    read = read_arguments(text[:cut])
    assert read is None or (read.mended is None) == (cut == len(text))
    assert cut in (0, len(text)) or read_arguments(text[:cut], mend=False) is None


@given(st.dictionaries(TEXT, TEXT | st.integers() | st.booleans(), max_size=5), st.data())
def test_an_object_cut_short_keeps_every_pair_before_the_cut(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text)))
    read = read_arguments(text[:cut])
    assert read is not None
    whole = list(value.items())[: max(len(read.args) - 1, 0)]
    assert list(read.args.items())[: len(whole)] == whole
    assert (read.mended is None) == (cut == len(text))


@pytest.mark.parametrize(
    ("text", "expected", "mended"),
    [
        ("", {}, "absent"),
        ("  \n", {}, "absent"),
        ("null", {}, None),
        ("{}", {}, None),
        ('{"a": 1,}', {"a": 1}, None),
        ('{"a": [1, 2,],}', {"a": [1, 2]}, None),
        ("{'a': 'b'}", {"a": "b"}, None),
        ("{a: true, b: None}", {"a": True, "b": None}, None),
        ('```json\n{"a": 1}\n```', {"a": 1}, None),
        ('{"a": {"b": [1, 2', {"a": {"b": [1, 2]}}, "closed"),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}, None),
        ('{"a": "half an esc\\', {"a": "half an esc"}, "closed"),
        ('{"a": "\\ud83d\\ude00", }', {"a": "😀"}, None),
        ('{"a": "\\ud83d", }', {"a": "\ufffd"}, "guessed"),
        ('"{\\"a\\": 1}"', {"a": 1}, None),
        ('"{\\"a\\": 1"', {"a": 1}, "closed"),
        ('{"a": 1}}', {"a": 1}, "guessed"),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, "guessed"),
        ('{"a": 1, "a": 2}', {"a": 2}, "guessed"),
        ('{"b": {"a": 1, "a": 2},}', {"b": {"a": 2}}, "guessed"),
        ('{"a": [1,, 2]}', {"a": [1, 2]}, "guessed"),
        ('{"a": nan}', {"a": None}, "guessed"),
        ('{"a": word}', {"a": "word"}, "guessed"),
        ('{"a": "\\d"}', {"a": "d"}, "guessed"),
        ('{"a": 1, "b', {"a": 1}, "closed"),
        ('{"a": 1, "b":', {"a": 1}, "closed"),
    ],
)
def test_what_models_really_send_is_read_and_guesses_are_told(
    text: str, expected: dict[str, Any], mended: str | None
) -> None:
    assert read_arguments(text) == (expected, mended)


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        "7",
        '"text"',
        "no object at all",
        '{"a": 1}{"b": 2}',
        '{"a": 1} and then',
        "{[1]}",
        '{"a" 1}',
        "{" * 500,
    ],
)
def test_what_is_not_one_object_is_given_up(text: str) -> None:
    assert read_arguments(text) is None


def test_a_huge_text_is_given_up_without_being_read() -> None:
    assert read_arguments("{" + " " * 1_000_000) is None


@pytest.mark.parametrize("text", ["{" + "\t" * 200_000, '{"a":' * 100_000, '{"' + "\\" * 200_000, "{'" * 200_000])
def test_text_made_to_be_slow_is_read_in_one_pass(text: str) -> None:
    read = read_arguments(text)
    assert read is None or isinstance(read.args, dict)
