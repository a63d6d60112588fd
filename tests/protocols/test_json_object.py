"""One decision object a reply, and everything models make of that."""

import json

import msgspec
import pytest

from glassloop.core.protocols import get_protocol

READ = ("read_file", {"path": "a.py"})
TOOL = '{"reasoning": "why", "action": "tool", "tool": "read_file", "args": {"path": "a.py"}}'
ANSWER = '{"reasoning": "why", "action": "answer", "response": "It is 42."}'


def calls_of(outcome):
    return [(call.tool, call.args) for call in outcome.decision.calls]


@pytest.mark.parametrize(
    "text",
    [
        TOOL,
        f"```json\n{TOOL}\n```",
        f"```\n{TOOL}```",
        f"Sure, here it is:\n{TOOL}\nI hope this helps.",
        f"Use {{x}} and {{ y: }}: {TOOL}",
        f"\\frac{{a}}{{b}} {TOOL}",
        TOOL[:-1] + ",}",
        TOOL[:-1],
        TOOL.replace('"', "'"),
        '{"reasoning": "why", /* * */ "action": "tool", // x\n "tool": "read_file", # y\n "args": {"path": "a.py",},}',
        '{"Reasoning": "why", "ACTION": "Tool", "Tool": "read_file", "Args": {"Path": "a.py"}}',
        '{"reasoning": "why", "action": "tool", "toolName": "ReadFile", "toolArgs": {"path": "a.py"}}',
        '{"reasoning": "why", "action": "tool", "tool_name": "read-file", "arguments": {"path": "a.py"}}',
        '{"reasoning": "why", "action": "tool", "tool": "read_file", "args": "{\\"path\\": \\"a.py\\"}"}',
        '{"reasoning": "why", "action": "tool", "tool": "read_file", "args": {"args": {"path": "a.py"}}}',
        '{"reasoning": "why", "action": "read_file", "args": {"path": "a.py"}}',
        '{"reasoning": "why", "action": "read_file", "tool": null, "action_input": {"path": "a.py"}}',
        '{"reasoning": "why", "tool": "read_file", "args": {"path": "a.py"}}',
        '{"args": {"path": "a.py"}, "tool": "read_file", "reasoning": "why"}',
        '{"thought": "why", "action": {"name": "read_file", "arguments": {"path": "a.py"}}}',
        '{reasoning: "why", action: "tool", tool: "read_file", args: {path: "a.py"}}',
        f'{{"decision": {TOOL}}}',
        f"[{TOOL}]",
        f"{TOOL}\n{ANSWER}",
        f"[{TOOL}, {ANSWER}]",
        f"{TOOL}\nObservation: it says 3.\n{TOOL}",
        f'{TOOL}\n{{"reasoning": "then", "action": "to',
        f'{TOOL} {{"data": 1}} {TOOL}',
    ],
)
def test_one_tool_decision_is_read_out_of_it(read, text):
    for pieces in ([text], list(text)):
        outcome = read("json", text, pieces=pieces)
        assert calls_of(outcome) == [READ]
        assert outcome.text == ""


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f"```json\n{ANSWER}\n```",
        f"Here: {ANSWER} Bye.",
        ANSWER[:-1],
        ANSWER[:-1] + ", ",
        ANSWER[:-1] + ', "conf',
        '{"action": "answer", "tool": null, "args": null, "response": "It is 42."}',
        '{"action": "answer", "tool": "none", "args": {}, "response": "It is 42."}',
        '{"response": "It is 42.", "action": "answer"}',
        '{"response": "It is 42."}',
        '{"action": "final_answer", "answer": "It is 42."}',
        '{"Action": "Answer", "Response": "It is 42."}',
        '{"action": "tool", "tool": "", "response": "It is 42."}',
        f"{ANSWER}{ANSWER.replace('42', '43')}",
        f"[{ANSWER}, {TOOL}]",
        '{"action": "answer", "response": "It is 42.", "response": "It is 43."}',
        "It is 42.",
    ],
)
def test_answer_is_read_out_of_it_and_shown_word_for_word(read, text):
    for pieces in ([text], list(text)):
        outcome = read("json", text, pieces=pieces)
        assert outcome.decision.answer == "It is 42."
        assert outcome.text == "It is 42."


@pytest.mark.parametrize(
    "text",
    [
        '{"port": 80, "hosts": ["a", "b"]}',
        'The config is {"port": 80}.',
        '{"question": "q", "answer": "a", "score": 3}',
        '{"action": "restart", "target": "db"}',
        '{"name": "Bob"}',
        "The set {1, 2} and the template {answer}",
        "[1, 2, 3]",
    ],
)
def test_data_and_prose_without_a_decision_are_the_answer_itself(read, text):
    outcome = read("json", text, pieces=list(text))
    assert outcome.decision.answer == text
    assert outcome.text == text


def test_nested_braces_quotes_and_python_literals_in_args_survive(read):
    text = (
        "{'action': 'tool', 'tool': 'search_code', 'args': {'query': 'a } \" { b', 'exact': True, "
        "'scope': None, 'max_results': 3, 'filters': {'x': {'y': [1, 2.5, -3, {'z': False}]}}, 'globs': ['*',]}}"
    )
    assert calls_of(read("json", text)) == [
        (
            "search_code",
            {
                "query": 'a } " { b',
                "exact": True,
                "scope": None,
                "max_results": 3,
                "filters": {"x": {"y": [1, 2.5, -3, {"z": False}]}},
                "globs": ["*"],
            },
        )
    ]


def test_several_tool_decisions_in_a_row_are_several_calls(read):
    second = '{"reasoning": "and", "action": "tool", "tool": "get_leads", "args": {}}'
    for text in (f"{TOOL}\n{second}", f"[{TOOL}, {second}]", f"```json\n{TOOL}\n```\n```json\n{second}\n```"):
        outcome = read("json", text, pieces=list(text))
        assert calls_of(outcome) == [READ, ("get_leads", {})]
        assert outcome.decision.thought == outcome.thought == "why\nand"


@pytest.mark.parametrize(
    "text",
    [
        '{"reasoning": "why", "action": "tool", "tool": "read_file", "args": {"path": "a',
        '{"reasoning": "why", "action": "tool", "tool": "read_file", "args": {"path": "a"',
        '{"reasoning": "why", "action": "tool", "tool": "read_file"',
        '{"reasoning": "why", "action": "tool", "tool": "read',
        '{"reasoning": "why", "action": "answer", "response": "It is',
        '{"reasoning": "why',
        '{"rea',
        "```json\n{",
        '{"reasoning": "why"}',
        '{"action": "answer", "response": ""}',
        '{"action": "answer", "response": "He said "hi" to me"}',
        '{"action": "tool", "tool": "read_file", "args": [1]}',
        '{"action": "tool", "tool": "read_file", "args": "{not json"}',
        '{"action": "tool", "tool": "read_file", "args": {"path": oops {"tool": "get_leads"}}}',
        '{"action": "tool", "tool": "read_file", "args": ' + '{"a":' * 70 + "1" + "}" * 72,
    ],
)
def test_broken_or_half_decision_is_complained_about_in_one_sentence(read, text):
    for pieces in ([text], list(text)):
        complaint = read("json", text, pieces=pieces).decision.complaint
        assert complaint
        assert complaint.endswith(".")
        assert "\n" not in complaint
        assert "hi" not in complaint.split()


def test_answer_cut_off_by_the_token_limit_is_kept(read):
    outcome = read("json", '{"action": "answer", "response": "It is because', stop="max_tokens")
    assert outcome.decision.answer == outcome.text == "It is because"


def test_tool_decision_cut_off_by_the_token_limit_is_complained_about(read):
    text = '{"action": "tool", "tool": "read_file", "args": {"path": "a'
    assert read("json", text, stop="max_tokens").decision.complaint


def test_unknown_tool_stays_for_the_executor_to_tell(read):
    text = '{"action": "tool", "tool": "fly", "args": {"to": "moon"}}'
    outcome = read("json", text)
    assert calls_of(outcome) == [("fly", {"to": "moon"})]
    assert outcome.argument_tools == {""}


def test_response_that_is_no_text_is_written_as_json(read):
    outcome = read("json", '{"action": "answer", "response": {"total": [1, 2]}}')
    assert outcome.decision.answer == outcome.text == '{"total":[1,2]}'


def test_prose_before_a_decision_without_reasoning_is_its_thought(read):
    outcome = read("json", 'I will look.\n```json\n{"action": "tool", "tool": "get_leads", "args": {}}\n```')
    assert outcome.decision.thought == outcome.thought == "I will look."


def test_escapes_are_undone_however_they_are_split(read):
    answer = 'é 😀 "x" \\ / \n\t 披锋 \ufffd end'
    written = '\\u00e9 \\ud83d\\ude00 \\"x\\" \\\\ \\/ \\n\\t 披锋 \\ud83d end'
    text = f'{{"action": "answer", "response": "{written}"}}'
    for pieces in ([text], list(text), [text[:45], text[45:48], text[48:53], text[53:]]):
        outcome = read("json", text, pieces=pieces)
        assert outcome.decision.answer == answer
        assert outcome.text == answer


def test_parts_are_shown_while_they_are_written(tools):
    reader = get_protocol("json").reader(tools)
    seen = []
    for piece in ('{"reasoning": "be', 'cause", "action": "tool", "tool": "read_file", "args": {"pa', 'th": "a'):
        seen.append([(delta.kind, delta.text, delta.tool) for delta in reader.feed(piece)])
    assert seen == [
        [("thought", "be", "")],
        [("thought", "cause", ""), ("arguments", '{"pa', "read_file")],
        [("arguments", 'th": "a', "read_file")],
    ]


def test_response_is_shown_while_it_is_written(tools):
    reader = get_protocol("json").reader(tools)
    reader.feed('{"action": "answer", "response": "')
    assert [delta.text for piece in ("It ", "is") for delta in reader.feed(piece)] == ["It ", "is"]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("9" * 30, int("9" * 30)),
        ("9" * 3000, "9" * 3000),
        ("1e5", 1e5),
        ("1e999", "1e999"),
        ("-0.5", -0.5),
        ("007", "007"),
        ("0", 0),
    ],
)
def test_numbers_keep_every_digit(read, word, value):
    text = f'{{"tool": "search_code", "args": {{"query": "q", "max_results": {word}}}}}'
    assert calls_of(read("json", text)) == [("search_code", {"query": "q", "max_results": value})]


def test_every_reading_can_be_stored(read):
    text = '{"tool": "search_code", "args": {"query": "\\ud800", "max_results": ' + "9" * 4000 + "}}"
    assert json.loads(msgspec.json.encode(read("json", text).decision))["calls"][0]["args"]["query"] == "\ufffd"


def test_a_reply_that_repeats_itself_without_end_gives_a_bounded_number_of_calls(read):
    assert len(read("json", TOOL * 500).decision.calls) == 32
