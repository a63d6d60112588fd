"""A million characters of anything, and work that grows no faster than the reply."""

import random
import string
import sys
from functools import partial

import pytest

from glassloop.core.messages import AssistantMessage, Reply
from glassloop.core.protocols import get_protocol

PROTOCOLS = ("native", "json", "text")
SYNTAX = "{}[]()\"'\\<>/:,\n *`#=thinkACTIONaction"
HOSTILE = {
    "angle brackets": "<",
    "open think tags": "<think>",
    "closing think tags": "</think>",
    "call tags": "<tool_call> ",
    "call tags with objects": "<tool_call>{}",
    "braces": "{",
    "brackets": "[",
    "nested objects": '{"a":',
    "nested arguments": '{"action":"tool","args":{"a":',
    "decisions": '{"tool":"read_file","args":{"path":"x"}}',
    "objects": '{"a": 1} ',
    "half decisions": '{"action": "answer", "response": "',
    "escapes": '{"action": "answer", "response": "\\u00e9\\ud83d',
    "quotes": '"',
    "fences": "```json\n",
    "backticks": "`",
    "blanks": " ",
    "lines": "\n",
    "half labels": "Action Inpu\n",
    "labels": "Action:\n",
    "thoughts": "Thought: x\n",
    "open calls": 'Action: read_file(path="<b',
    "comments": "{/*",
    "digits": '{"action": 9',
    "stars": "**",
}


def run(protocol, tools, text, size):
    reader = get_protocol(protocol).reader(tools)
    for begin in range(0, len(text), size):
        reader.feed(text[begin : begin + size])
    return reader.finish(Reply(message=AssistantMessage(text=text)))


def calls_made(work):
    """How many functions `work` calls, in Python and in C."""
    count = 0

    def profile(frame, event, arg):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("alphabet", [string.printable, SYNTAX, None], ids=["printable", "syntax", "unicode"])
@pytest.mark.slow
def test_a_million_random_characters_are_read(tools, protocol, alphabet):
    chance = random.Random(7)
    text = (
        "".join(chance.choices(alphabet, k=1_000_000))
        if alphabet
        else "".join(map(chr, (chance.randrange(1, 0xD800) for _ in range(1_000_000))))
    )
    _, decision = run(protocol, tools, text, len(text))
    assert decision.answer or decision.complaint


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_million_random_characters_one_by_one_are_read(tools, protocol):
    text = "".join(random.Random(7).choices(SYNTAX, k=1_000_000))
    _, decision = run(protocol, tools, text, 1)
    assert decision.answer or decision.complaint


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("size", [1, 1_000_000], ids=["one by one", "at once"])
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("length", [750, pytest.param(3000, marks=pytest.mark.slow)])
def test_work_grows_no_faster_than_the_reply(tools, protocol, size, unit, length):
    texts = (unit * (times * length // len(unit)) for times in (1, 2, 4))
    once, twice, four_times = (calls_made(partial(run, protocol, tools, text, size)) for text in texts)
    assert four_times - twice <= 2.1 * max(twice - once, once) + 200


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_repetition_is_read_the_same_in_pieces(read, protocol, unit):
    text = unit * (2000 // len(unit))
    assert read(protocol, text, pieces=list(text)) == read(protocol, text)


@pytest.mark.slow
@pytest.mark.parametrize("pad", [*range(196, 206), *range(4092, 4100)])
@pytest.mark.parametrize(
    "begin", ['{"', "{'\\ud83d", "{", "{a: ", 'Action: read_file("', "Action: ", "Action: read_file(a"]
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_names_and_words_that_are_too_long_break_off_at_one_place(read, protocol, begin, pad):
    text = begin + "k" * pad + '{"tool": "read_file", "args": {"path": "x"}}' + "k" * 300 + '{"tool": "get_leads"}'
    whole = read(protocol, text)
    for size in (1, 7, 150):
        assert read(protocol, text, pieces=[text[at : at + size] for at in range(0, len(text), size)]) == whole


def test_plain_text_passes_the_native_reader_in_one_step(tools):
    reader = get_protocol("native").reader(tools)
    reader.feed("Hello")
    # The profiler's own switch-off is one of them; the rest is `feed` and the delta it makes.
    assert calls_made(lambda: reader.feed(" world")) <= 4
    assert type(reader.feed(" again")) is tuple
