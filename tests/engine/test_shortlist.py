"""Of many tools those are offered that a question may need; the choice is a step of the trace, the prefix stays."""

from array import array

import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.loop.fold import fold
from glassloop.core.messages import Abilities, AssistantMessage, UserMessage
from glassloop.core.records import ToolCall
from glassloop.extensions.embedded.shortlist import ToolShortlist
from glassloop.models.scripted_model import call
from glassloop.runtime.replay.replay import replay

_WORDS = (
    "stock invoice weather ticket employee shipment currency calendar recipe garden",
    "engine bridge violin planet museum harbour library theatre stadium hospital",
)
TOPICS = " ".join(_WORDS).split()


def about(topic):
    async def show(number: int) -> str:
        return f"{topic} {number}"

    show.__name__ = f"get_{topic}"
    show.__doc__ = f"Shows one {topic} by its number."
    return tool(effect="read")(show)


TOOLS = [about(topic) for topic in TOPICS]
SMALL = Abilities(native_tools=False, json_schema=True, small=True)


def listed(events):
    found = [event for event in events if isinstance(event, e.ToolsShortlisted)]
    return found[0] if found else None


async def play(question, script=("Done.",), abilities=None, **options):
    model = ScriptedModel(script, abilities=abilities)
    stream = Agent(model, TOOLS, **options).stream(question)
    return [event async for event in stream], model


async def test_an_assistant_that_says_how_many_offers_no_more_and_says_which():
    events, model = await play("What is invoice 7 about?", [call("get_invoice", number=7), "Done."], shortlist=4)
    event = listed(events)
    assert len(event.tools) == 4 and event.of == len(TOOLS)
    assert "get_invoice" in event.tools
    for request in model.requests:
        assert [spec.name for spec in request.tools] == [*event.tools, "find_tools"]
    assert events[-1].status == "completed"


@pytest.mark.parametrize("shortlist", [None, 0, len(TOOLS), 500])
async def test_where_all_can_be_offered_there_is_no_choice_to_show(shortlist):
    events, model = await play("What is invoice 7 about?", shortlist=shortlist)
    assert listed(events) is None
    assert len(model.requests[0].tools) == len(TOOLS)


async def test_a_small_model_is_held_to_few_by_its_schema_and_its_prefix_stays_the_same():
    said = ['{"thought":"t","action":"answer","response":"Done."}'] * 2
    agent = Agent(ScriptedModel(said, abilities=SMALL), TOOLS, shortlist=4)
    prefixes, schemas = [], []
    for question in ("What is invoice 7 about?", "Which planet has number 3?"):
        events = [event async for event in agent.stream(question)]
        assert len(listed(events).tools) == 4
        request = agent.models["balanced"].requests[-1]
        prefixes.append(request.system)
        schemas.append(str(request.schema))
    assert prefixes[0] == prefixes[1]
    assert all(topic in prefixes[0] for topic in TOPICS)
    assert "get_invoice" in schemas[0] and "get_planet" in schemas[1]
    assert schemas[0] != schemas[1]


async def test_what_was_used_before_and_what_is_named_stay_on_offer():
    tools = {spec.name: spec for spec in Agent(ScriptedModel([]), TOOLS).tools.specs.values()}
    history = (
        UserMessage("Show the violin 3."),
        AssistantMessage(calls=(ToolCall(id="c", tool="get_violin", args={"number": 3}),)),
    )
    chosen = await ToolShortlist().choose("and get_museum?", history, tools, 3, ["get_violin"])
    assert {"get_museum", "get_violin"} <= set(chosen)
    assert list(chosen) == [name for name in tools if name in chosen]


async def test_a_short_question_is_read_with_the_one_before_it():
    tools = Agent(ScriptedModel([]), TOOLS).tools.specs
    chosen = await ToolShortlist().choose("and number 9?", [UserMessage("Which planet has number 3?")], tools, 1)
    assert list(chosen) == ["get_planet"]


class Meaning:
    """An embedder for which rain and weather are the same, and that can fail."""

    name, dimensions = "meaning", 2

    def __init__(self, error=None):
        self.error, self.asked = error, 0

    async def embed(self, texts):
        self.asked += 1
        if self.error is not None:
            raise self.error
        wet = ("weather", "umbrella", "rain")
        return [array("f", [1.0, 0.0] if any(word in text for word in wet) else [0.0, 1.0]) for text in texts]

    async def aclose(self):
        return None


async def test_meaning_finds_what_shares_no_word():
    tools = Agent(ScriptedModel([]), TOOLS).tools.specs
    question = "Will the two of us be needing an umbrella tomorrow afternoon?"
    assert list(await ToolShortlist(Meaning()).choose(question, (), tools, 1)) == ["get_weather"]
    failing = Meaning(OSError("gone"))
    assert len(await ToolShortlist(failing).choose(question, (), tools, 1)) == 1
    assert failing.asked == 1


async def test_words_alone_count_for_chinese():
    meaning = Meaning()
    tools = Agent(ScriptedModel([]), TOOLS).tools.specs
    assert len(await ToolShortlist(meaning).choose("明天的天气怎么样?", (), tools, 3)) == 3
    assert meaning.asked == 0


async def test_a_shortlisted_turn_resumes_and_replays_with_what_was_offered():
    script = [call("get_invoice", number=7), "Done."]
    stream = Agent(ScriptedModel(script), TOOLS, shortlist=4).stream("What is invoice 7 about?")
    events = [event async for event in stream if type(event) not in e.TRANSIENT]

    class Other:
        async def choose(self, question, messages, tools, most, keep=()):
            return ["get_violin"]

    report = await replay(events, Agent(ScriptedModel([]), TOOLS, shortlist=4, finder=Other()))
    assert report.differences == ()
    resumed = Agent(ScriptedModel(["Done."]), TOOLS, shortlist=4, finder=Other()).resume(events[:2])
    again = [event async for event in resumed if type(event) not in e.TRANSIENT]
    assert listed(events[:2]) is not None and listed(again) is None
    assert again[-1].status == "completed"


def names(request):
    return [spec.name for spec in request.tools]


async def test_the_model_finds_what_is_not_on_offer_and_it_stays_for_the_turn():
    script = [call("find_tools", query="the loudness of a violin"), call("get_violin", number=3), "Violin 3."]
    events, model = await play("What is invoice 7 about?", script, shortlist=4)
    search = next(spec for spec in model.requests[0].tools if spec.name == "find_tools")
    hidden = set(TOPICS) - {name.removeprefix("get_") for name in names(model.requests[0])}
    assert all(f"get_{topic}" in search.description for topic in hidden)
    assert "get_violin" not in names(model.requests[0])
    for request in model.requests[1:]:
        assert "get_violin" in names(request)
        assert set(names(model.requests[0])) < set(names(request))
    told = [event.result for event in events if isinstance(event, e.ToolReturned)]
    assert "- get_violin(number: integer): Shows one violin by its number." in told[0].output
    assert told[1].output == "violin 3"
    assert events[-1].status == "completed"


async def test_what_was_found_is_found_again_by_a_resumed_turn():
    script = [call("find_tools", query="get_museum and get_planet"), "Nothing."]
    events, _ = await play("What is invoice 7 about?", script, shortlist=4)
    state = fold([event for event in events if type(event) not in e.TRANSIENT])
    assert {"get_museum", "get_planet"} <= set(state.shortlist)


@pytest.mark.parametrize("query", ["", "zzz qqq", 7])
async def test_a_search_that_finds_nothing_says_so(query):
    events, model = await play("What is invoice 7 about?", [call("find_tools", query=query), "No."], shortlist=4)
    result = next(event.result for event in events if isinstance(event, e.ToolReturned))
    assert not result.success and result.error
    assert names(model.requests[0]) == names(model.requests[1])


async def test_no_figure_comes_from_a_search_for_tools():
    events, _ = await play("How many?", [call("find_tools", query="violin"), "There are 5 of them."], shortlist=4)
    evidence = next(event.evidence for event in events if isinstance(event, e.AnswerEvaluated))
    assert all(figure.source is None for figure in evidence.figures)


async def test_a_tool_of_that_name_is_nobodys_but_the_users():
    @tool(effect="read")
    async def find_tools(query: str) -> str:
        """Finds spanners."""
        return f"spanner for {query}"

    model = ScriptedModel([call("find_tools", query="bolts"), "Done."])
    stream = Agent(model, [*TOOLS, find_tools], shortlist=4).stream("A spanner for bolts, please: find_tools")
    events = [event async for event in stream]
    result = next(event.result for event in events if isinstance(event, e.ToolReturned))
    assert result.output == "spanner for bolts"


async def test_a_hundred_names_are_told_and_no_more_than_fit():
    many = [about(f"topic{number:03}_{'x' * 40}") for number in range(200)]
    model = ScriptedModel(["Done."])
    _ = [event async for event in Agent(model, many).stream("What is topic 7?")]
    search = next(spec for spec in model.requests[0].tools if spec.name == "find_tools")
    assert len(search.description) < 5_000
    assert " more." in search.description
