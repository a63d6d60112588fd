"""Long files given with a question: told by their beginning, read on and searched by a tool, also later."""

import pytest

from glassloop import File, ScriptedModel, UsageError
from glassloop.core import events as e
from glassloop.core.messages import Abilities, UserMessage
from glassloop.models.scripted_model import call
from glassloop.runtime.attachments.long_files import MAX_LINE_CHARS, short_lines, shorten
from glassloop.runtime.attachments.parts import MAX_READ_CHARS
from pictures import pdf
from runtime.conftest import close

LINES = [f"Line {number} of the handbook says nothing of interest." for number in range(1, 3001)]
LINES[2400] = "[page 7]"
LINES[2499] = "The notice period is eleven weeks"
LINES[2500] = "for everybody in the Lisbon office."
HANDBOOK = File("\n".join(LINES).encode(), name="handbook.txt")
FIND = call("read_attachment", file="handbook.txt", find="notice period")


async def watched(runtime, *asked, **given):
    submitted = await runtime.submit(*asked, session_id="s", **given)
    return [event async for event in runtime.watch(submitted.turn_id)]


def observed(events):
    return [event.result for event in events if isinstance(event, e.ToolReturned)]


def told(request):
    return "\n".join(m.content for m in request.messages if isinstance(m, UserMessage))


async def test_a_long_file_is_told_by_its_beginning_and_searched_now_and_in_a_later_process(opens, shared):
    model = ScriptedModel([FIND, "Eleven weeks."])
    first = await opens(shared, model)
    events = await watched(first, ["What is the notice period?", HANDBOOK])
    [given] = events[0].attachments
    assert (len(given.text) < 50_000, given.chars) == (True, len("\n".join(LINES)))
    assert "Line 1 of" in told(model.requests[0])
    assert "eleven weeks" not in told(model.requests[0])
    assert 'read_attachment(file="handbook.txt", find="words")' in told(model.requests[0])
    [found] = observed(events)
    assert "2500: The notice period is eleven weeks\n2501: for everybody in the Lisbon office." in found.output
    await close(first)
    model = ScriptedModel([call("read_attachment", file="HANDBOOK.txt", from_line=2499), "The same."])
    second = await opens(shared, model)
    [read] = observed(await watched(second, "And who has it?"))
    assert "Lines 2499-" in read.output
    assert "for everybody in the Lisbon office." in read.output
    assert "eleven weeks" not in told(model.requests[0])


async def test_a_version_of_the_turn_has_the_file_and_another_conversation_has_no_such_tool(opens, place):
    model = ScriptedModel(["I do not know.", FIND, "Eleven weeks.", "No file."])
    runtime = await opens(place, model)
    events = await watched(runtime, ["What is the notice period?", HANDBOOK])
    again = await runtime.versions.regenerate(events[0].turn_id)
    [found] = observed([event async for event in runtime.watch(again.turn_id)])
    assert "eleven weeks" in found.output
    other = await runtime.submit("Hello", session_id="other")
    _ = [event async for event in runtime.watch(other.turn_id)]
    assert "read_attachment" in {spec.name for spec in model.requests[0].tools}
    assert "read_attachment" not in {spec.name for spec in model.requests[-1].tools}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"file": "other.txt"}, 'there are "handbook.txt"'),
        ({"file": "handbook.txt", "from_line": 9_999}, "has 3,000 lines"),
        ({"file": "handbook.txt", "find": "xylophone"}, "try other words, or read on"),
        ({"file": "handbook.txt", "find": "Lisbon weeks"}, "all of these words near each other:\n[page 7]\n2498: "),
        ({"file": "handbook.txt", "find": "Lisbon"}, ":\n[page 7]\n2499: "),
        ({"file": "handbook.txt", "find": "Lisbon xylophone"}, "1 of the 2 words"),
        ({"file": "handbook.txt", "find": "nothing of interest"}, "There is more: from_line="),
    ],
)
async def test_what_cannot_be_read_or_is_too_much_is_said_with_the_way_on(opens, place, args, said):
    runtime = await opens(place, [call("read_attachment", **args), "Done."])
    [found] = observed(await watched(runtime, ["What?", HANDBOOK]))
    assert said in found.text
    assert len(found.text) < 13_000


async def test_a_long_pdf_is_text_for_a_model_whose_window_it_would_fill(opens, place):
    model = ScriptedModel(["11"], abilities=Abilities(images=True, documents=True, context_tokens=4_000))
    runtime = await opens(place, model)
    events = await watched(runtime, ["How much?", File(pdf("The total is 4,711 EUR."), name="report.pdf")])
    assert "The total is 4,711 EUR." in events[0].attachments[0].text


def test_short_files_stay_whole_and_lines_are_broken_between_words():
    short, long = (File(text.encode(), name=name).attachment for text, name in (("a b", "a"), ("word " * 9_000, "b")))
    (first, second), blobs = shorten((short, long), 16_000)
    assert first == short
    assert blobs[second.sha256].decode().replace("\n", " ").split() == ["word"] * 9_000
    assert max(map(len, second.text.split("\n"))) <= MAX_LINE_CHARS
    assert short_lines("x" * 1_200) == ["x" * 500, "x" * 500, "x" * 200]


def test_a_text_that_is_too_long_to_read_is_refused_with_the_remedy():
    with pytest.raises(UsageError, match="add it to the knowledge base"):
        File(b"x" * (4 * MAX_READ_CHARS + 1), name="log.txt")
