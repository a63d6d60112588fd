"""Thought, Action, Answer: labels, calls and what is dropped."""

import pytest

from glassloop.core.messages import ToolSpec
from glassloop.core.protocols import get_protocol

READ = ("read_file", {"path": "a.py"})


def calls_of(outcome):
    return [(call.tool, call.args) for call in outcome.decision.calls]


@pytest.mark.parametrize(
    "text",
    [
        'Thought: why\nAction: read_file(path="a.py")',
        'thought: why\nACTION: read_file(path="a.py")',
        '**Thought:** why\n**Action:** read_file(path="a.py")',
        '**Thought**: why\n**Action**: `read_file(path="a.py")`',
        '### Thought: why\n> Action: read_file(path="a.py")',
        "Thought: why\nAction: read_file(path='a.py')",
        'Thought: why\nAction:\n  read_file( path = "a.py" , )',
        'Thought: why\nAction: ReadFile(Path="a.py")',
        'Thought: why\nAction: functions.read_file("a.py")',
        'Thought: why\nAction: read_file({"path": "a.py"})',
        'Thought: why\nAction: read_file {"path": "a.py"}',
        'Thought: why\nAction: {"tool": "read_file", "args": {"path": "a.py"}}',
        'Thought: why\nAction: read_file\nAction Input: {"path": "a.py"}',
        'Thought: why\n**Action:** read_file\n\n**Action Input:** ```json\n{"path": "a.py"}\n```',
        'Thought: why\nAction: read_file(path="a.py")\nAnswer: done',
        'Thought: why\nAction: read_file(path="a.py")\nObservation: x = 1\nThought: so\nAnswer: x is 1',
        'Thought: why\nAction: read_file(path="a.py")\nObservation: x\nAction: get_leads()',
        'Thought: why\nAction: read_file(path="a.py") and then I answer',
        'why\nAction: read_file(path="a.py")',
        'Thought: why\nAction: none\nAction: read_file(path="a.py")',
    ],
)
def test_the_action_is_the_call_and_nothing_is_shown_as_answer(read, text):
    for pieces in ([text], list(text)):
        outcome = read("text", text, pieces=pieces)
        assert calls_of(outcome) == [READ]
        assert outcome.text == ""
        assert outcome.decision.thought == outcome.thought.strip() == "why"


@pytest.mark.parametrize(
    ("text", "answer", "thought"),
    [
        ("Thought: why\nAnswer: It is 42.", "It is 42.", "why"),
        ("Thought: why\nFinal Answer: It is 42.", "It is 42.", "why"),
        ("**Thought:** why\n**Final Answer:** It is *42*.", "It is *42*.", "why"),
        ("Answer: It is 42.", "It is 42.", ""),
        ("Answer:\n\nLine one\n\n- line two: x", "Line one\n\n- line two: x", ""),
        ("Thought: a\nThought: b\nAnswer: It is 42.", "It is 42.", "a\nb"),
        ("Thought: a\nstill a\nAnswer: It is 42.", "It is 42.", "a\nstill a"),
        ("I know this.\nAnswer: It is 42.", "It is 42.", "I know this."),
        ("Thought: why\nAction: None\nAnswer: It is 42.", "It is 42.", "why"),
        ("Thought: why\nObservation: made up\nAnswer: It is 42.", "It is 42.", "why"),
        ("Answer: It is 42.\nAnswer: It is 43.", "It is 42.", ""),
        ("Answer: It is 42.\nThought: that was easy", "It is 42.", ""),
        ("Answer: Issue: slow.\nAction: rename it.\nObservation: it is long.", None, ""),
        ("It is 42.", "It is 42.", ""),
        ("Two things:\nthe action: none\nAnother: x", "Two things:\nthe action: none\nAnother: x", ""),
        ("Issue: slow.\nAction: rename the variable.", "Issue: slow.\nAction: rename the variable.", ""),
        ("Thoughtful: no label", "Thoughtful: no label", ""),
    ],
)
def test_the_answer_is_shown_word_for_word(read, text, answer, thought):
    answer = text.removeprefix("Answer: ") if answer is None else answer
    for pieces in ([text], list(text)):
        outcome = read("text", text, pieces=pieces)
        assert outcome.decision.answer == answer
        assert outcome.text.strip() == answer
        assert outcome.decision.thought == outcome.thought.strip() == thought


@pytest.mark.parametrize(
    ("written", "args"),
    [
        (
            'query="say \\"hi\\" (now), ok?\\n", max_results=3, exact=true',
            {"query": 'say "hi" (now), ok?\n', "max_results": 3, "exact": True},
        ),
        ("query='it is \"quoted\"', exact=False", {"query": 'it is "quoted"', "exact": False}),
        ('query="two\nlines", scope=None', {"query": "two\nlines", "scope": None}),
        ('query="x", scope=null, max_results=-1', {"query": "x", "scope": None, "max_results": -1}),
        ('query="x", globs=["*.py", "(a)",]', {"query": "x", "globs": ["*.py", "(a)"]}),
        ('query="x", filters={"a": {"b": [1, ")"]}}', {"query": "x", "filters": {"a": {"b": [1, ")"]}}}),
        ('query="x", globs="[\\"*.py\\"]"', {"query": "x", "globs": ["*.py"]}),
        ('query: "x"', {"query": "x"}),
        ('"x", 3, exact=True', {"query": "x", "max_results": 3, "exact": True}),
        ('query="x", maxResults=5', {"query": "x", "max_results": 5}),
        ('query="""a "b"\nc""", exact=True', {"query": 'a "b"\nc', "exact": True}),
        ('query="", exact=True', {"query": "", "exact": True}),
        ('query="\\d+ C:\\\\dir"', {"query": "\\d+ C:\\dir"}),
        ("", {}),
    ],
)
def test_arguments_are_read_with_their_types(read, written, args):
    text = f"Thought: why\nAction: search_code({written})\nAnswer: no"
    for pieces in ([text], list(text)):
        outcome = read("text", text, pieces=pieces)
        assert calls_of(outcome) == [("search_code", args)]
        assert outcome.arguments == written
        assert outcome.argument_tools <= {"search_code"}


@pytest.mark.parametrize(
    "text",
    [
        'Action: read_file(path="a.py',
        'Action: read_file(path="a.py"',
        "Action: read_file(path=a.py)",
        'Action: read_file(path="He said "hi"")',
        'Action: read_file("a", "b", "c")',
        'Action: read_file("a", path="b")',
        "Action: read_file",
        "Action: search_code[query=a.py, exact=b]",
        "Action: read_file[a.py",
        'Action: read_file\nAction Input: {"path": "a',
        'Thought: why\nAction: I would like to call something (path="a.py")',
        "Thought: why\nAction: look around",
        "Thought: why\nAction: (1)",
        "Thought: only this",
        "Thought: why\nObservation: made up",
        "Thought: why\nAnswer: ",
    ],
)
def test_broken_action_or_missing_one_is_complained_about_without_its_text(read, text):
    for pieces in ([text], list(text)):
        outcome = read("text", text, pieces=pieces)
        assert outcome.decision.complaint
        assert "a.py" not in outcome.decision.complaint
        assert "\n" not in outcome.decision.complaint
        assert outcome.text.strip() == ""


def test_tool_without_required_arguments_may_stand_without_parentheses(read):
    assert calls_of(read("text", "Action: get_leads")) == [("get_leads", {})]
    assert calls_of(read("text", "Action: get_leads\nThought: next")) == [("get_leads", {})]


def test_object_without_a_name_is_the_first_parameter_where_that_takes_one(read):
    spec = ToolSpec(
        name="save",
        description="",
        parameters={"type": "object", "properties": {"record": {"type": "object"}, "path": {"type": "string"}}},
    )
    outcome = read("text", 'Action: save({"path": "a"})', offered={"save": spec})
    assert calls_of(outcome) == [("save", {"record": {"path": "a"}})]


@pytest.mark.parametrize("filling", [" ", "*", "action ", "a", "#>", "\n", "Final\n"])
def test_only_the_beginning_of_a_line_is_ever_held_back(tools, filling):
    reader = get_protocol("text").reader(tools)
    reader.feed("Answer: x\n")
    shown = 0
    for fed, char in enumerate(filling * 500, start=1):
        shown += sum(len(delta.text) for delta in reader.feed(char))
        assert fed - shown < 64


def test_unknown_tool_stays_for_the_executor_to_tell(read):
    assert calls_of(read("text", 'Action: fly(to="moon")')) == [("fly", {"to": "moon"})]


def test_parts_are_shown_while_they_are_written(tools):
    reader = get_protocol("text").reader(tools)
    seen = [
        [(delta.kind, delta.text, delta.tool) for delta in reader.feed(piece)]
        for piece in ("Thought: be", "cause\nAct", "ion: read_file(pa", 'th="a', '")\nAnswer: no')
    ]
    assert seen == [
        [("thought", "be", "")],
        [("thought", "cause\n", "")],
        [("arguments", "pa", "read_file")],
        [("arguments", 'th="a', "read_file")],
        [("arguments", '"', "read_file")],
    ]


def test_answer_is_shown_while_it_is_written(tools):
    reader = get_protocol("text").reader(tools)
    reader.feed("Thought: x\nAnswer:")
    assert [delta.text for piece in (" It", " is\nfine") for delta in reader.feed(piece)] == ["It", " is\nfine"]
