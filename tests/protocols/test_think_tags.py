"""Thinking is never an answer, whatever the tags look like and however they arrive."""

import pytest

from glassloop.core.protocols import get_protocol

PROTOCOLS = ("native", "json", "text")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("text", "answer", "thought"),
    [
        ("<think>hm</think>Yes.", "Yes.", "hm"),
        ("<THINK>hm</Think>Yes.", "Yes.", "hm"),
        ("<thinking>hm</thinking>Yes.", "Yes.", "hm"),
        ("<reasoning>hm</reasoning>Yes.", "Yes.", "hm"),
        ("<think>hm</thinking>Yes.", "Yes.", "hm"),
        ("Yes <think>hm</think>indeed.", "Yes indeed.", "hm"),
        ("<think>a</think><think>b</think>Yes.", "Yes.", "a\nb"),
        ("<think>a<think>b</think>c</think>Yes.", "Yes.", "abc"),
        ("<think></think>Yes.", "Yes.", ""),
        ("Yes.<think>never closed", "Yes.", "never closed"),
        ("<think>" + "long " * 5000 + "</think>Yes.", "Yes.", ("long " * 5000).strip()),
        ("1 < 2 and <b>bold</b> <thin> <think", "1 < 2 and <b>bold</b> <thin> <think", ""),
        ("<think>1 < 2</thi</think>Yes.", "Yes.", "1 < 2</thi"),
    ],
)
def test_thinking_becomes_the_thought_and_the_rest_the_answer(read, protocol, text, answer, thought):
    for pieces in ([text], list(text), [text[:3], text[3:9], text[9:]]):
        outcome = read(protocol, text, pieces=pieces)
        assert outcome.decision.answer == answer
        assert outcome.decision.thought == thought
        assert outcome.text.strip() == answer
        assert outcome.thought.strip() == thought


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("text", ["<think>on and on", "<think>a</think><think>b", "  <think>a <think>b</think>"])
def test_thinking_that_never_ends_with_nothing_after_it_is_complained_about(read, protocol, text):
    outcome = read(protocol, text)
    assert outcome.decision.complaint is not None
    assert "think tag" in outcome.decision.complaint
    assert outcome.text == ""


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_thinking_before_a_stray_closing_tag_is_no_answer(read, protocol):
    outcome = read(protocol, "I should greet.</think>Hello!")
    assert outcome.decision.answer == "Hello!"
    assert outcome.decision.thought == "I should greet."


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_stray_closing_tag_at_the_end_leaves_the_answer_alone(read, protocol):
    assert read(protocol, "It is 42.</think>\n").decision.answer == "It is 42."


def test_thinking_inside_a_streamed_response_is_not_shown(read):
    text = '{"action": "answer", "response": "<think>secret</think>It is 42."}'
    for pieces in ([text], list(text)):
        outcome = read("json", text, pieces=pieces)
        assert outcome.decision.answer == outcome.text == "It is 42."
        assert outcome.thought == "secret"


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        ("json", '{"action": "tool", "tool": "read_file", "args": {"path": "a<think>b</think>c"}}'),
        ("text", 'Action: read_file(path="a<think>b</think>c")'),
        ("native", '<tool_call>{"name": "read_file", "arguments": {"path": "a<think>b</think>c"}}</tool_call>'),
    ],
)
def test_tags_in_the_arguments_of_a_call_are_data(read, protocol, text):
    for pieces in ([text], list(text)):
        (call,) = read(protocol, text, pieces=pieces).decision.calls
        assert call.args == {"path": "a<think>b</think>c"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_only_the_beginning_of_a_tag_is_ever_held_back_while_thinking(tools, protocol):
    reader = get_protocol(protocol).reader(tools)
    reader.feed("<think>")
    shown = 0
    for fed, char in enumerate("x<y </th" * 500, start=1):
        shown += sum(len(delta.text) for delta in reader.feed(char))
        assert fed - shown < len("</reasoning>")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_reply_left_open_does_not_touch_the_next(read, protocol):
    assert read(protocol, "<think>open").decision.complaint
    assert read(protocol, "Plain.").decision.answer == "Plain."
