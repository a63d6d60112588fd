"""Calls in every spelling that models use, whole, in pieces, cut anywhere, and in logs that others published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.messages import ToolSpec
from glassloop.core.records import ToolCall
from protocols import public_logs
from protocols.call_forms import ACTIONS, SPELLINGS

names = [f"{protocol}: {spelling}" for protocol, spelling in SPELLINGS]
every_spelling = pytest.mark.parametrize(("protocol", "spelling"), SPELLINGS, ids=names)

words = st.text(st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters="<"), max_size=20)
scalars = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | words
objects = st.dictionaries(
    words.filter(str.strip), st.recursive(scalars, lambda of: st.lists(of, max_size=2)), max_size=2
)
searches = st.fixed_dictionaries(
    {"query": words},
    optional={
        "max_results": st.integers(-(2**40), 2**40),
        "exact": st.booleans(),
        "globs": st.lists(words, max_size=2),
        "filters": objects,
    },
)
calls = st.lists(
    st.tuples(st.just("search_code"), searches)
    | st.tuples(st.just("read_file"), st.fixed_dictionaries({"path": words}))
    | st.tuples(st.just("get_leads"), st.fixed_dictionaries({"region": st.sampled_from(["north", "south"])})),
    min_size=1,
    max_size=3,
)


def calls_of(outcome):
    return [(call.tool, call.args) for call in outcome.decision.calls]


@given(made=calls, form=st.sampled_from(list(SPELLINGS)), data=st.data())
def test_calls_in_any_spelling_are_read_and_never_shown(read, made, form, data):
    text = SPELLINGS[form](made)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    for pieces in ([text], [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]):
        outcome = read(form[0], text, pieces=pieces)
        assert calls_of(outcome) == made
        assert outcome.text.strip() in ("", "I will look that up.")


@every_spelling
def test_the_beginning_of_a_call_in_any_spelling_is_the_whole_call_a_doubtful_one_or_none(read, protocol, spelling):
    made = [("search_code", {"query": "a/b c", "max_results": 12, "globs": ["x", "y"], "filters": {"k": "v"}})]
    text = SPELLINGS[protocol, spelling](made)
    assert calls_of(read(protocol, text)) == made
    for end in range(len(text)):
        for call in read(protocol, text[:end]).decision.calls:
            assert call.mended is not None or (call.tool, call.args) == made[0], text[:end]


@every_spelling
def test_calls_of_tools_that_nobody_offered_never_become_others(read, protocol, spelling):
    outcome = read(protocol, SPELLINGS[protocol, spelling]([("launch_rocket", {"path": "a"}), ("fly", {})]))
    assert {call.tool for call in outcome.decision.calls} <= {"launch_rocket", "fly"}


@pytest.mark.parametrize("tool", ["read_file", "search_code", "ReadFile", "get_leads"])
@given(rest=st.text(max_size=40), before=st.sampled_from(["", "I look.\n", "Thought 3: so\n"]))
def test_an_action_line_that_names_an_offered_tool_is_never_an_answer(read, tool, rest, before):
    text = f"{before}Action: {tool} {rest}"
    if "nswer" not in rest:
        outcome = read("text", text)
        assert outcome.decision.answer is None
        assert outcome.text == ""


@pytest.mark.parametrize(
    "text",
    [
        "Use <function=name> to name it.",
        "The tags <tool> and <tool_calls> are for tools; <function_calls> too.",
        "A list [read_file] and a fence:\n```python\nread_file = 3\n```\nDone.",
        '```json\n[{"name": "Bob", "arguments": {}}]\n```',
        "Mistral writes [TOOL_CALLS] before calls.",
        "[search_code] is a tool.",
        "[search_code (query)] takes a query",
        "[fly(to='moon')]",
        "Compare <invoke name=x> with <｜tool▁calls▁begin｜>.",
        "```python\nread_file_now(path='a')\n```",
        'This is how it is called:\n```json\n{"name": "read_file", "arguments": {}}\n```\nTry it.',
    ],
)
@pytest.mark.parametrize("protocol", ["native", "json", "text"])
def test_text_that_only_speaks_of_calls_is_the_answer(read, protocol, text):
    if protocol == "json" and "arguments" in text:
        pytest.skip("an object like this is a decision there")
    for pieces in ([text], list(text)):
        outcome = read(protocol, text, pieces=pieces)
        assert outcome.decision.answer == text
        assert outcome.text == text


def test_a_call_in_a_fence_behind_words_is_a_guess_so_that_an_example_runs_no_effect(read):
    text = 'This is how:\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```'
    assert [call.mended for call in read("native", text).decision.calls] == ["guessed"]
    alone = text.removeprefix("This is how:\n")
    assert [call.mended for call in read("native", alone).decision.calls] == [None]
    assert [call.mended for call in read("native", f"hm</think>{alone}").decision.calls] == [None]


ONE = {
    "search": ToolSpec(
        name="search",
        description="",
        parameters={
            "type": "object",
            "properties": {"what": {"type": "string"}, "n": {"type": "integer"}},
            "required": ["what"],
        },
    ),
    "count": ToolSpec(
        name="count", description="", parameters={"type": "object", "properties": {"to": {"type": "integer"}}}
    ),
}


@pytest.mark.parametrize(
    ("text", "args", "mended"),
    [
        ("Thought 1: s.\nAction 1: search[Paramore]", "Paramore", None),
        ("Thought 1: s.\nAction 1:\n\nsearch[Paramore]\nObservation 1: x", "Paramore", None),
        ("Action: Search[a [b] c]", "a [b] c", None),
        ('Action: search["Paramore"]', "Paramore", None),
        ('Action: search[what="Paramore"]', "Paramore", None),
        ('Action: search[{"what": "Paramore"}]', "Paramore", None),
        ("Action: search[a] and search[b]", "a] and search[b", "guessed"),
        ("Action: search[a] on another page", "a", "guessed"),
        ("Action: search\nAction Input: what is it?\nObservation: x", "what is it?", None),
        ("Action: search\nAction Input: what is it?", "what is it?", "closed"),
        ('Action: search\nAction Input: "what is it?"', "what is it?", None),
        (
            "Action: search\nAction Input: run this:\n```python\nx\n```\nThought: so",
            "run this:\n```python\nx\n```",
            None,
        ),
        ("I can use it.\n    Action: search\n    Action Input: bar", "bar", "closed"),
        (
            'So.\n\n    Action:\n    ```json\n\n    {\n  "action": "search",\n "action_input": "bar"\n}\n    ```\n    ',
            "bar",
            None,
        ),
        ('Action:\n```{"action": "search", "action_input": "bar"}```', "bar", None),
        ('    ```\n{\n  "action": "search",\n  "action_input": "2+2"\n}\n```', "2+2", None),
        ('Thought: so\n```\n{"action": "search", "action_input": "2+2"}\n```\n', "2+2", None),
        ('Action:\n{"name": "search", "arguments": "image.png"}', "image.png", None),
        ("<tool>search</tool><tool_input>foo</tool_input>", "foo", None),
    ],
)
def test_one_text_is_the_argument_of_a_tool_that_takes_one(read, text, args, mended):
    for pieces in ([text], list(text)):
        outcome = read("text", text, pieces=pieces, offered=ONE)
        assert outcome.decision.calls == (ToolCall(id="", tool="search", args={"what": args}, mended=mended),)
        assert outcome.text.strip() == ""


@pytest.mark.parametrize("protocol", ["native", "json"])
@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('{"name": "search", "arguments": "New York"}', ("search", {"what": "New York"})),
        ('{"name": "search", "arguments": "{\\"what\\": \\"New York\\"}"}', ("search", {"what": "New York"})),
        ('{"tool": "search", "params": "New York"}', ("search", {"what": "New York"})),
        ('{"name": "count", "arguments": 42}', ("count", {"to": 42})),
        ('{"name": "count", "arguments": "42"}', ("count", {"to": 42})),
        ('{"function_call": {"name": "count", "arguments": "{}"}}', ("count", {})),
    ],
)
def test_an_object_may_give_one_value_as_the_arguments(read, protocol, text, call):
    assert calls_of(read(protocol, text, offered=ONE)) == [call]


@pytest.mark.parametrize("protocol", ["native", "json"])
@pytest.mark.parametrize(
    "arguments", ['"{\\"what\\": \\"New Yo"', "[1]", "true", '"x"'], ids=["half an object", "a list", "a flag", "text"]
)
def test_a_value_that_its_tool_does_not_take_is_told_back(read, protocol, arguments):
    text = f'{{"name": "count", "arguments": {arguments}}}'
    assert "count" in read(protocol, text, offered=ONE).decision.complaint


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        ("text", "Thought 2: so.\nAction 2: Finish[It is [42].]"),
        ("text", "Action: Final Answer\nAction Input: It is [42]."),
        ("text", 'Action:\n```json\n{"action": "Final Answer", "action_input": "It is [42]."}\n```'),
        ("text", 'Action:\n{"name": "final_answer", "arguments": {"answer": "It is [42]."}}'),
        ("text", 'Action: final_answer("It is [42].")'),
        ("text", 'Action: final_answer(answer="It is [42].")'),
        ("text", "Thought: so\nAction: No action is needed\nFinal Answer: It is [42]."),
        ("json", '```\n{"action": "Final Answer", "action_input": "It is [42]."}\n```'),
        ("json", '{"name": "final_answer", "arguments": {"answer": "It is [42]."}}'),
        ("native", '```\n{"action": "Final Answer", "action_input": "It is [42]."}\n```'),
    ],
)
def test_finishing_is_the_answer_where_no_tool_has_that_name(read, protocol, text):
    for pieces in ([text], list(text)):
        outcome = read(protocol, text, pieces=pieces)
        assert outcome.decision.answer == outcome.text.strip() == "It is [42]."


def test_finishing_is_a_call_where_a_tool_has_that_name(read):
    spec = ToolSpec(name="finish", description="", parameters=ONE["search"].parameters)
    assert calls_of(read("text", "Action: Finish[it]", offered={"finish": spec})) == [("finish", {"what": "it"})]


def test_several_actions_are_several_calls_up_to_an_observation_that_was_made_up(read):
    text = (
        'Thought: a\nAction: get_leads()\nAction: read_file(path="x")\nThought: b\nAction: get_leads\n'
        "Observation: x\nThought: c\nAction: get_leads()\nAnswer: no"
    )
    outcome = read("text", text, pieces=list(text))
    assert calls_of(outcome) == [("get_leads", {}), ("read_file", {"path": "x"}), ("get_leads", {})]
    assert outcome.decision.thought == outcome.thought.strip() == "a\nb"
    assert len(read("text", "Action: get_leads()\n" * 100).decision.calls) == 32


def test_an_action_that_cannot_be_read_holds_up_the_others(read):
    assert read("text", 'Action: get_leads()\nAction: read_file(path="x').decision.complaint


@pytest.mark.parametrize("protocol", ["native", "json", "text"])
def test_half_a_call_is_no_answer(read, protocol):
    for text in ('{"name": "read_file", "arguments": {', '[{"name": "read_file", "argu', '[read_file(path="a'):
        outcome = read(protocol, text, pieces=list(text))
        assert outcome.decision.complaint
        assert outcome.text == ""


def test_answers_may_be_numbered(read):
    text = "Answer 1: Paris\nAnswer 2: Rome"
    assert read("text", text).decision.answer == text


@pytest.fixture
def logs():
    if not (public_logs.HOME / "FEVER.ipynb").exists():
        pytest.skip(f"fetched by {public_logs.__name__}")


@pytest.mark.parametrize(
    ("steps", "taken"),
    [
        (public_logs.fever_steps, ("Search", "Lookup", "Finish")),
        (public_logs.fever_steps, ("Search", "Lookup")),
        (public_logs.webshop_steps, ("search", "click", "think")),
    ],
    ids=["FEVER", "FEVER, finishing is the answer", "WebShop"],
)
def test_steps_of_the_paper_are_read(read, logs, steps, taken):
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    offered = {name: ToolSpec(name=name, description="", parameters=parameters) for name in taken}
    right = total = 0
    for text, (tool, args) in steps():
        outcome, total = read("text", text, offered=offered), total + 1
        if tool in offered:
            right += calls_of(outcome) == [(tool, args)] and not outcome.text
        else:
            right += outcome.decision.answer == args["text"]
    print(f"{right} of {total}")
    assert total > 1000
    assert right >= 0.99 * total


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
@every_spelling
def test_published_call_sets_are_read_in_every_spelling(read, logs, protocol, spelling, every):
    sets = public_logs.call_sets()[::every]
    right = sum(
        calls_of(read(protocol, SPELLINGS[protocol, spelling](made), offered=tools)) == made for tools, made in sets
    )
    assert right >= 0.99 * len(sets)


def test_there_are_many_spellings():
    assert len({spelling for _, spelling in SPELLINGS}) >= 15 + len(ACTIONS)
