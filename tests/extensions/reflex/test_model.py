"""reflex as a model: it calls, shows what came back, and says plainly that and why it does not answer."""

import re
from pathlib import Path

import pytest

from glassloop import Agent, tool
from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage, ModelRequest, Reply, ToolMessage, ToolSpec, UserMessage, note
from glassloop.core.records import ToolCall
from glassloop.extensions.reflex.fit import ToolFit, choose
from glassloop.extensions.reflex.model import ReflexModel
from glassloop.runtime.assistants.assistant_files import load_parts, open_assistant
from glassloop.runtime.settings import Settings

ROOT = Path(__file__).parents[3]


@tool(effect="read")
def weigh_crate(crate_id: str) -> str:
    """Weigh a crate.

    Args:
        crate_id: The crate's number, such as CR-100.
    """
    if crate_id == "CR-0":
        raise ValueError("There is no crate CR-0.")
    return f"**{crate_id}** weighs 12 kg"


SPEC = ToolSpec(name="weigh_crate", description="Weigh a crate.", parameters={}, effect="read")


async def reply(*messages, purpose="decide", tools=(SPEC,)) -> Reply:
    request = ModelRequest(system="", messages=messages, tools=tools, purpose=purpose)
    (found,) = [chunk async for chunk in ReflexModel().stream(request) if isinstance(chunk, Reply)]
    return found


async def ask(question: str) -> list[e.AnyEvent]:
    return [event async for event in Agent(ReflexModel(), [weigh_crate]).stream(question)]


def answer(events) -> str:
    return next(event.text for event in events if isinstance(event, e.AnswerGiven))


async def test_an_answer_shows_what_the_tool_gave_as_it_gave_it() -> None:
    events = await ask("Weigh crate CR-7")
    assert answer(events).startswith("**CR-7** weighs 12 kg\n\n")
    assert "without a language model" in answer(events)
    evidence = next(event.evidence for event in events if isinstance(event, e.AnswerEvaluated))
    assert evidence.unsupported == ()


async def test_people_are_told_how_much_is_shown_and_not_how_a_model_reads_on() -> None:
    long = "\n".join(f"| CR-{number} | {number} kg |" for number in range(5))
    more = '[rows 1–5 of 29; read_result(result="r1", offset=5) shows more, find="…" only the rows with that text]'
    seen = ToolMessage(call_id="1", tool="weigh_crate", content=f"{long}\n{more}")
    said = await reply(UserMessage("Weigh all crates"), seen)
    assert "[rows 1–5 of 29]" in said.message.text
    assert "read_result" not in said.message.text


async def test_a_tool_that_fails_is_told_as_a_failure() -> None:
    assert "`weigh_crate` could not do this" in answer(await ask("Weigh crate CR-0"))


async def test_what_it_could_not_use_is_named_with_the_way_to_a_real_model() -> None:
    events = await ask("Weigh crate CR-7 without the lid")
    assert not [event for event in events if isinstance(event, e.ToolCalled)]
    assert "“without”, “lid”" in answer(events)
    assert "glassloop models pull" in answer(events)
    responded = next(event for event in events if isinstance(event, e.ModelResponded))
    assert responded.stop == "refusal"


async def test_what_is_missing_is_named() -> None:
    assert "`crate_id`" in answer(await ask("Weigh a crate"))


async def test_it_declines_in_chinese_what_was_asked_in_chinese() -> None:
    assert "我用不上的词：“箱子多重”" in answer(await ask("箱子多重？"))


@pytest.mark.parametrize("said", ["Hello!", "Thanks", "What can you do?", "你好，你能做什么？"])
async def test_greetings_are_answered_with_what_it_is(said: str) -> None:
    found = await reply(UserMessage(said))
    assert found.stop == "end_turn"
    assert "reflex" in found.message.text
    assert "`weigh_crate`" in found.message.text


async def test_what_the_runtime_says_is_no_question() -> None:
    call = AssistantMessage(calls=(ToolCall(id="1", tool="weigh_crate", args={}),))
    seen = ToolMessage(call_id="1", tool="weigh_crate", content="12 kg")
    found = await reply(UserMessage("Weigh crate CR-7"), call, seen, note("incomplete", "Say more about Hamburg."))
    assert found.message.text.startswith("12 kg")


async def test_it_has_no_opinion_and_no_plan_and_shortens_by_leaving_out() -> None:
    assert "no opinion" in (await reply(UserMessage("How good is it?"), purpose="evaluate")).message.text
    assert (await reply(UserMessage("Plan"), purpose="plan")).message.text == "{}"
    short = (
        await reply(UserMessage("First\nSecond"), AssistantMessage(text="Third"), purpose="summarize")
    ).message.text
    assert short.endswith("- First\n- Second\n- Third")


def samples() -> list[tuple[str, str]]:
    """The questions that page, README and docs show, with the assistant that they are for."""
    given = Settings(home=str(ROOT / "nowhere"))
    found = [
        (name, question)
        for name in ("general", "business", "raids")
        for question in open_assistant(name, given).questions
    ]
    starter = str(ROOT / "src/glassloop/runtime/assistants/starter")
    found += [(starter, question) for question in open_assistant(starter, given).questions]
    shown = re.compile(r'glassloop ask (?:--?m\w* \w+ )?(?:-a (\w+) )?"([^"]+)"')
    for file in ("README.md", "docs/commands.md", "docs/business.md", "docs/embedded.md", "docs/raids.md"):
        for assistant, question in shown.findall((ROOT / file).read_text("utf-8")):
            found.append((starter if assistant == "librarian" else assistant or "general", question))
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(("assistant", "question"), samples())
def test_questions_that_are_shown_as_samples_are_answered(assistant: str, question: str) -> None:
    given = Settings(home=str(ROOT / "nowhere"))
    parts = load_parts(open_assistant(assistant, given), given)
    assert isinstance(choose(list(parts.tools.specs.values()), question), ToolFit)


@tool(effect="read", words={"harbour_name": ["Bergen", "Turku"]})
def my_ships(harbour_name: str = "") -> str:
    """Ships of the user's own in a harbour."""
    return harbour_name


@tool(effect="read", words={"voyage_code": ["last voyage"]})
def crew_list(voyage_code: str, sailor: str) -> str:
    """Crew list of a voyage."""
    return voyage_code + sailor


@pytest.mark.parametrize(
    ("question", "tool_name", "args"),
    [
        ("List my ships in Turku", "my_ships", {"harbour_name": "Turku"}),
        ("Crew list of the last voyage: sailor Ana", "crew_list", {"voyage_code": "last voyage", "sailor": "Ana"}),
        ("Crew list of voyage K7d2mQx9: sailor Ana", "crew_list", {"voyage_code": "K7d2mQx9", "sailor": "Ana"}),
        # A name that is none of those known is for no filter, and neither a name nor a question word is a code.
        ("List my ships of Ana", "", {}),
        ("Crew list of Ana", "", {}),
        ("Why my ships in Turku?", "", {}),
    ],
)
def test_known_names_codes_and_own_things_are_told_apart(question: str, tool_name: str, args: dict[str, str]) -> None:
    found = choose([my_ships.spec, crew_list.spec], question)
    if not tool_name:
        assert not isinstance(found, ToolFit)
    else:
        assert isinstance(found, ToolFit)
        assert (found.tool, found.args) == (tool_name, args)
