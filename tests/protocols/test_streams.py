"""However a reply is cut into pieces, and wherever it ends: the same decision, and the same text shown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

PROTOCOLS = ("native", "json", "text")

FRAGMENTS = (
    *("<think>", "</think>", "<THINKING>", "</reasoning>", "<thi", "</", "<", ">", "<tool_call>", "</tool_call>"),
    *("{", "}", "[", "]", "(", ")", '"', "'", '"""', "\\", "\\u00e9", "\\ud83d", "\\ude00", ":", ",", "=", "#", "//"),
    *("/*", "*/", "```", "```json\n", "`", "\n", " ", "\t", "**", "Thought:", "Action:", "Action Input:", "Answer:"),
    *("Final Answer:", "Observation:", "thought", "read_file", "read_file(", 'path="a"', "get_leads()", "none"),
    *('{"action": "tool", "tool": "read_file", "args": {"path": "', '"}}', '{"action": "answer", "response": "'),
    *('{"reasoning": "', '", "', '"name": "read_file", "arguments": {', '"tool": "read_file"', '"args": {', "null"),
    *("True", "12", "-0.5e3", "hello", "é", "披锋", "😀", "\ufeff", "\x00", "\r\n", "Ω"),
)
syntax = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)
anything = st.text(max_size=60) | st.binary(max_size=60).map(lambda data: data.decode("latin-1")) | syntax

words = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="<"), max_size=30).filter(str.strip)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def in_pieces(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> tuple[str, list[str]]:
    """A text, or the beginning of one, and some way to cut it up."""
    text = draw(texts)
    text = text[: draw(st.integers(0, len(text)) | st.just(len(text)))]
    if draw(st.booleans()):
        return text, list(text)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return text, [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def thinking(body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(body, st.tuples(words, body).map(lambda both: f"<think>{both[0]}</think>{both[1]}"))


decisions = st.one_of(
    st.builds(
        lambda reasoning, args: {"reasoning": reasoning, "action": "tool", "tool": "read_file", "args": args},
        words,
        st.dictionaries(words, values, max_size=3),
    ),
    st.builds(lambda why, said: {"reasoning": why, "action": "answer", "response": said}, words, words),
)
json_replies = thinking(
    st.builds(
        lambda decision, ascii_only, fence: (
            (fence % json.dumps(decision, ensure_ascii=ascii_only).replace("%", "%%")) % ()
        ),
        decisions,
        st.booleans(),
        st.sampled_from(["%s", "```json\n%s\n```", "Here:\n%s\nDone."]),
    )
)
text_replies = thinking(
    st.one_of(
        st.builds(lambda why, said: f"Thought: {json.dumps(why)}\nAnswer: {json.dumps(said)}", words, words),
        st.builds(
            lambda why, said: f"Thought: {json.dumps(why)}\nAction: read_file(path={json.dumps(said)})\nAnswer: x",
            words,
            words,
        ),
    )
)
native_replies = thinking(words)
REPLIES = {"native": native_replies, "json": json_replies, "text": text_replies}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(cut=in_pieces(anything))
def test_any_text_in_any_pieces_is_read_and_shown_as_the_whole(read, protocol, cut):
    text, pieces = cut
    assert read(protocol, text, pieces=pieces) == read(protocol, text)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(data=st.data())
def test_any_valid_reply_in_any_pieces_up_to_any_point_is_read_and_shown_as_the_whole(read, protocol, data):
    text, pieces = data.draw(in_pieces(REPLIES[protocol]))
    assert read(protocol, text, pieces=pieces) == read(protocol, text)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(data=st.data())
def test_valid_reply_shows_exactly_its_answer_and_its_thought(read, protocol, data):
    outcome = read(protocol, data.draw(REPLIES[protocol]))
    assert outcome.decision.complaint is None
    assert outcome.text.strip() == (outcome.decision.answer or "")
    assert outcome.thought.strip() == outcome.decision.thought


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(text=anything, other=anything)
def test_decision_depends_on_the_reply_alone(read, protocol, text, other):
    assert read(protocol, text, pieces=[other]).decision == read(protocol, text).decision


@given(args=st.dictionaries(words, values, max_size=4), ascii_only=st.booleans())
def test_arguments_written_as_json_are_read_as_written(read, args, ascii_only):
    decision = {"action": "tool", "tool": "run_anything", "args": args}
    (call,) = read("json", json.dumps(decision, ensure_ascii=ascii_only)).decision.calls
    assert call.args == args


@given(args=st.dictionaries(words, values, max_size=4))
def test_arguments_written_as_python_are_read_as_written(read, args):
    decision = {"action": "tool", "tool": "run_anything", "args": args}
    (call,) = read("json", repr(decision)).decision.calls
    assert call.args == args


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(thought=syntax, text=syntax)
def test_nothing_inside_think_tags_is_ever_shown_as_text(read, protocol, thought, text):
    marked = thought.replace("<", "").replace("\\", "") + "SECRET"
    outcome = read(protocol, f"<think>{marked}</think>{text}")
    assert "SECRET" not in outcome.text
    assert "SECRET" not in (outcome.decision.answer or "")
    assert "SECRET" in outcome.decision.thought
