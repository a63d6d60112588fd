"""References such as `${step1.result.items[0].sku}`: found, resolved with their type, never evaluated."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import BadArguments
from glassloop.core.planning.references import find_references, resolve_parameters
from glassloop.core.records import ToolResult

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)
steps = st.integers(0, 999_999_999)


def written(path: list[str | int]) -> str:
    """A path in the quoted form, which can name every key."""
    return "".join(f"[{part}]" if isinstance(part, int) else f"[{json.dumps(part)}]" for part in path)


def places(value, path=()):
    """Every path into a value, with what is there."""
    yield list(path), value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


@pytest.mark.property(16)
@given(steps, values, st.data())
def test_a_string_that_is_one_reference_becomes_the_value_with_its_type(step, value, data):
    path, expected = data.draw(st.sampled_from(list(places(value))))
    reference = f"${{step{step}.result{written(path)}}}"
    resolved = resolve_parameters({"deep": [{"x": reference}], "n": 1}, {step: value})
    assert resolved == {"deep": [{"x": expected}], "n": 1}
    assert type(resolved["deep"][0]["x"]) is type(expected)


@pytest.mark.property(16)
@given(values, st.text(max_size=20).filter(lambda text: "$" not in text), st.text(max_size=20))
def test_a_reference_inside_a_longer_string_is_put_in_as_text(value, before, after):
    after = after.replace("$", "")
    resolved = resolve_parameters({"x": f"<{before}${{step1.result}}{after}>"}, {1: value})
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert resolved == {"x": f"<{before}{shown}{after}>"}


texts = st.text(max_size=30) | st.sampled_from(["${step1.", "${step1.result}", "${step2.output[", "x ${step1.error} y"])


@given(
    st.dictionaries(st.text(max_size=8), texts | st.lists(texts | st.lists(texts, max_size=2), max_size=3), max_size=4)
)
def test_any_text_resolves_or_is_refused_in_words(args):
    try:
        resolve_parameters(args, {1: {"a": 1}})
    except BadArguments as error:
        assert str(error)
    assert isinstance(find_references(args), frozenset)


@given(st.text(alphabet="$ {}step12.result[]\"'\\ax", max_size=60))
def test_near_references_resolve_or_are_refused_in_words(text):
    try:
        resolved = resolve_parameters({"x": text}, {1: {"a": [1]}, 2: "two"})["x"]
    except BadArguments as error:
        assert str(error)
    else:
        assert "${step" in text or resolved == text


@given(values)
def test_arguments_without_references_are_the_same_object(value):
    args = {"x": value}
    if "${" not in json.dumps(value):
        assert resolve_parameters(args, {}) is args


RESULTS = {
    1: {"items": [{"sku": "A-1", "n": 3}], "odd key": True, "a.b": 1, "it's": 2, "": 0, "0": "zero"},
    2: ToolResult(success=True, output="two lines", data=[1, 2]),
    3: ToolResult(success=False, error="the shelf is empty"),
    4: ToolResult(success=True, output="plain"),
    5: ToolResult(success=True, output="2+3 = 5", data={"expression": "2+3", "result": 5}),
}


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("${step1.result.items[0].sku}", "A-1"),
        ("${step1.result.items.0.n}", 3),
        ("${step1.result.items[-1].n}", 3),
        ('${step1.result["odd key"]}', True),
        ("${step1.result['odd key']}", True),
        ('${step1.result["a.b"]}', 1),
        ("${step1.result['it\\'s']}", 2),
        ('${step1.result["\\u0069tems"][0].n}', 3),
        ('${step1.result[""]}', 0),
        ("${step1.result.0}", "zero"),
        ("${step1.result[0]}", "zero"),
        ("${ step1.result.items[ 0 ].sku }", "A-1"),
        ("${step5.result}", 5),
        ("${step5.result.result}", 5),
        ("${step5.result.expression}", "2+3"),
        ("${step2.result}", [1, 2]),
        ("${step2.output}", "two lines"),
        ("${step2.error}", None),
        ("${step3.error}", "the shelf is empty"),
        ("${step3.output}", ""),
        ("${step4.result}", "plain"),
        ("${step1.error}", None),
        ("${step4.result}, ${step2.result}!", "plain, [1,2]!"),
        ("no ${HOME}, ${stepping.result} or ${step1x.result}", "no ${HOME}, ${stepping.result} or ${step1x.result}"),
        ("$${step1.result}", "${step1.result}"),
        ("$$${step1.result}", "$${step1.result}"),
        ("$${HOME} costs $5", "$${HOME} costs $5"),
        ("a$${step4.result}b${step4.result}", "a${step4.result}bplain"),
    ],
)
def test_each_form_of_reference_gives_what_it_names(reference, value):
    assert resolve_parameters({"x": reference}, RESULTS) == {"x": value}


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("${step9.result}", "no result of step 9. Steps with a result: 1, 2, 3, 4, 5."),
        ("${step1.result.prices}", "no 'prices' in result of step 1, which is an object with 'items', 'odd key'"),
        ("${step1.result.items[5]}", "no 5 in result.items of step 1, which is a list of 1 (0 to 0)."),
        ("${step1.result.items.sku}", "no 'sku' in result.items of step 1, which is a list of 1"),
        ("${step4.result.name}", "no 'name' in result of step 4, which is the text 'plain'."),
        ("${step1.result.items[0].n.x}", "which is a number."),
        ("${step3.result}", "step 3 failed and has no result (the shelf is empty)."),
        ("${step1}", "cannot be read: write ${step1.result}"),
        ("${step1.data.x}", "cannot be read: write ${step1.result}"),
        ("${step1.result.items[}", "cannot be read"),
        ("${step1.result and", "'${step1.result and' cannot be read"),
    ],
)
def test_what_does_not_exist_is_named_with_what_there_is(reference, said):
    with pytest.raises(BadArguments) as caught:
        resolve_parameters({"x": reference}, RESULTS)
    assert said in str(caught.value)


def test_what_exists_is_listed_within_bounds():
    wide = {f"key{number:04}" * 20: number for number in range(1000)}
    with pytest.raises(BadArguments) as caught:
        resolve_parameters({"x": "${step1.result.nothing}"}, {1: wide})
    assert "and 990 more" in str(caught.value)
    assert len(str(caught.value)) < 1500


def test_keys_are_left_alone_and_steps_are_found_at_any_depth():
    args = {"${step7.result}": ["${step1.result}", {"a": "x ${step2.result.y} ${step3.", "b": "$${step8.result}"}]}
    assert find_references(args) == {1, 2, 3}
    assert list(resolve_parameters({"${step7.result}": "${step1.result}"}, {1: 5})) == ["${step7.result}"]


def test_a_resolved_value_is_a_copy_so_that_the_result_stays_what_it_was():
    results = {1: {"items": [1, 2]}}
    resolved = resolve_parameters({"x": "${step1.result}"}, results)
    resolved["x"]["items"].append(3)
    assert results == {1: {"items": [1, 2]}}


def test_an_expansion_beyond_the_limit_is_refused():
    args = {"x": ["${step1.result}"] * 100}
    with pytest.raises(BadArguments, match="more than 1,000 characters"):
        resolve_parameters(args, {1: "y" * 50}, limit=1000)
    with pytest.raises(BadArguments, match="more than 1,000 characters"):
        resolve_parameters({"x": "-${step1.result}" * 100}, {1: [1] * 50}, limit=1000)


def test_arguments_of_any_depth_are_read_or_refused():
    deep = "${step1.result}"
    for _ in range(5000):
        deep = [deep]
    assert find_references({"x": deep}) == {1}
    with pytest.raises(BadArguments, match="nested too deeply"):
        resolve_parameters({"x": deep}, {1: 1})


def test_hostile_text_takes_time_in_proportion_to_its_length():
    for piece in ("$", "${", "${ ", "${step1", "${step1.result", '${step1["', "${step1['\"", "$${step1.result}", "\\"):
        find_references({"x": piece * 40_000})
    find_references({"x": '${step1["' + '\\"' * 100_000})
