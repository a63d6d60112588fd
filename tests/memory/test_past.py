"""Past conversations: every turn that ended is found by whoever asked it, and by nobody else, as long as it is kept."""

import time

import msgspec
import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.errors import StoreError, UsageError
from glassloop.core.loop.policy import Limits, Profile
from glassloop.memory.conversation import ConversationMemory
from glassloop.models.scripted_model import call
from glassloop.retrieval.backends.disk.write_lock import WriteLock
from glassloop.retrieval.collections.conversations import Conversations
from glassloop.runtime.build import open_runtime
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.conversations.index import IndexIntervals, PastTurn
from glassloop.runtime.settings import Settings
from glassloop.runtime.tools.conversations import make_tools
from waiting import until

WAIT_S = 60.0
SEARCH = "search_past_conversations"


@tool(effect="read")
def gauge(valve: str) -> str:
    """Reads a gauge."""
    return f"The gauge of {valve} shows 4711 millibar. " + "It hums. " * 40


class Talker(ScriptedModel):
    """Plays its script step by step, and summarises whenever it is asked to."""

    def stream(self, request):
        if request.purpose == "summarize":
            return ScriptedModel(["They read some."]).stream(request)
        return super().stream(request)


class Place:
    """A runtime in a home, whose agents play a script and can search what was said."""

    def __init__(self, home):
        self.settings = Settings(home=str(home), embedder="none")
        self.model = None
        self.runtime = None

    async def open(self, script=(), recovers_turns=False, profile=None, **options):
        await self.close()
        self.model = Talker(script)

        def make(wanted):
            past, store = self.runtime.conversation_search, self.runtime.store
            tools = [gauge, *make_tools(self.settings.home_path, past)]
            memory = ConversationMemory(archive=StoreArchive(store))
            return Agent(self.model, tools, memory=memory, name=wanted.assistant, profile=profile)

        self.runtime = await open_runtime(self.settings, make=make, recovers_turns=recovers_turns, **options)
        return self.runtime

    async def close(self):
        if self.runtime is not None:
            await self.runtime.aclose(1.0)
            self.runtime = None

    async def found(self, query, user="ann", **more):
        hits = await self.runtime.conversation_search.search(query, user=user, **more)
        return [(each.session_id, each.question) for each in hits]


@pytest.fixture
async def place(tmp_path):
    made = Place(tmp_path / "home")
    yield made
    await made.close()


async def test_the_tool_finds_what_its_own_user_was_told(place):
    script = [call("gauge", valve="V7"), "Valve V7 stands at 4711 millibar.", "I am fine."]
    search = call(SEARCH, query="valve V7 millibar")
    runtime = await place.open([*script, search, "It was 4711.", search, "I do not know."])
    asked = await runtime.ask("How is valve V7?", user="ann")
    await runtime.ask("How are you?", user="ann")
    answer = await runtime.ask("What was that about the valve?", user="ann")
    (found,) = answer.steps[0].observation.data["conversations"]
    assert found["conversation_id"] == asked.session_id
    assert found["question"] == "How is valve V7?"
    assert found["tools"] == ["gauge"]
    assert found["passage"] == "Valve V7 stands at 4711 millibar."
    assert found["link"] == f"/#/s/{asked.session_id}"
    assert found["at"].startswith("20")
    assert 0 < found["relevance"] <= 1
    other = await runtime.ask("What was that about the valve?", user="bob")
    assert other.steps[0].observation.data["conversations"] == []


async def test_a_figure_that_was_made_up_has_no_source_for_having_been_said(place):
    made_up = "V7 stands at 4711 millibar and costs us 369,942.44 EUR a year."
    again = "It was 4711 millibar and 369,942.44 EUR."
    script = [call("gauge", valve="V7"), made_up, again, call(SEARCH, query="valve V7 millibar"), again]
    runtime = await place.open(script)
    first = await runtime.ask("How is valve V7?", user="ann")
    await runtime.ask("What did you say?", user="ann", session_id=first.session_id)
    found = await runtime.ask("What was that about the valve?", user="ann")
    _, said, searched = [
        await _origins(runtime, row.id)
        for session in (first.session_id, found.session_id)
        for row in await runtime.store.turns.of_session(session)
    ]
    assert said["4711"] in ("earlier_answer", "earlier_call")
    assert searched["4711"] == "earlier_answer"
    assert said["369,942.44 EUR"] is searched["369,942.44 EUR"] is None


async def test_the_time_of_a_past_turn_has_a_source(place):
    runtime = await place.open([call("gauge", valve="V7"), "Valve V7 stands at 4711 millibar."])
    await runtime.ask("How is valve V7?", user="ann")
    hits = await runtime.conversation_search.search("valve V7", user="ann")
    assert hits[0].at in await runtime.conversation_search.sourced(hits)


async def _origins(runtime, turn_id):
    events = await runtime.store.turns.read(turn_id)
    (checked,) = [event for event in events if isinstance(event, e.AnswerEvaluated)]
    return {figure.text: figure.origin for figure in checked.evidence.figures}


async def test_a_turn_goes_into_the_index_after_it_ended_without_being_searched(place):
    runtime = await place.open(["The heron waits."], recovers_turns=True, pace=IndexIntervals(rest_s=0.01))
    asked = await runtime.ask("Where is the heron?", user="ann")
    talks = runtime.past._conversations()
    await until(lambda: _has_turn(talks, asked.session_id), "the turn")


async def _has_turn(talks: Conversations, session_id):
    return await talks.known_turns(session_id)


async def test_what_a_lost_process_left_is_caught_up_with_from_the_store(place):
    runtime = await place.open([f"Answer {number}." for number in range(5)])
    for number in range(5):
        await runtime.ask(f"Where is heron {number}?", user="ann", session_id=None if number else "s")
    # Nothing of it was indexed by the process that ran it.
    runtime = await place.open()
    assert await runtime.past.catch_up() == 5
    assert await runtime.past.catch_up() == 0
    assert len(await place.found("heron")) == 5
    seen = []
    assert await runtime.past.rebuild(seen.append) == 5
    assert sum(seen) == 5


async def test_commands_are_not_found_and_failures_are(place):
    runtime = await place.open([RuntimeError("the wolverine broke it"), RuntimeError("again"), RuntimeError("again")])
    await runtime.ask("/tools", user="ann")
    await runtime.ask("Where is the heron?", user="ann")
    assert await runtime.past.catch_up() == 1
    assert len(await place.found("heron")) == 1


async def test_a_deleted_session_is_gone_from_search_and_files(place, tmp_path):
    runtime = await place.open(["The quokkaroo waits.", "The marmot whistles."])
    one = await runtime.ask("What waits?", user="ann")
    await runtime.ask("What whistles?", user="ann")
    await runtime.past.catch_up()
    await runtime.store.sessions.delete(one.session_id)
    # Before anybody removed it from the index it is found by nobody.
    assert await place.found("quokkaroo") == []
    await runtime.past.forget_gone()
    await place.close()
    left = [path for path in (tmp_path / "home" / "conversations").rglob("*") if path.is_file()]
    assert left
    assert not any(b"quokkaroo" in path.read_bytes().lower() for path in left)


async def test_servers_on_one_database_find_the_same_and_keep_nothing_in_their_homes(place, postgres_schema, tmp_path):
    place.settings = msgspec.structs.replace(place.settings, database_url=postgres_schema)
    runtime = await place.open(["The quokka waits."])
    asked = await runtime.ask("What waits?", user="ann")
    assert await runtime.past.catch_up() == 1
    other = Place(tmp_path / "other")
    other.settings = msgspec.structs.replace(other.settings, database_url=postgres_schema)
    try:
        await other.open()
        assert await other.runtime.past.catch_up() == 0
        (hit,) = await other.runtime.past.search("quokka", user="ann")
        assert hit.session_id == asked.session_id
    finally:
        await other.close()
    assert not (tmp_path / "home" / "conversations").exists()


async def test_on_postgresql_it_is_the_same(place, postgres_schema):
    place.settings = msgspec.structs.replace(place.settings, database_url=postgres_schema)
    runtime = await place.open(["The quokka waits.", "The quokka sleeps."])
    asked = await runtime.ask("What waits?", user="ann")
    await runtime.ask("What sleeps?", user="bob")
    assert await place.found("quokka") == [(asked.session_id, "What waits?")]
    await runtime.store.sessions.delete(asked.session_id)
    await runtime.past.catch_up()
    assert len(await runtime.past._conversations().kept()) == 1


async def test_retention_takes_a_session_from_the_index_at_the_next_look(place):
    runtime = await place.open(["The quokka waits."])
    await runtime.ask("What waits?", user="ann")
    assert await place.found("quokka")
    await runtime.store.maintenance.purge(time.time() + 60)
    await runtime.past.catch_up()
    assert await runtime.past._conversations().kept() == {}


async def test_a_cleared_conversation_is_found_no_more_and_what_comes_after_is(place):
    runtime = await place.open(["The heron waits.", "The heron flies."])
    await runtime.ask("First heron?", user="ann", session_id="s")
    assert await place.found("heron") == [("s", "First heron?")]
    await runtime.ask("/clear", user="ann", session_id="s")
    assert await place.found("heron") == []
    await runtime.ask("Second heron?", user="ann", session_id="s")
    assert await place.found("heron") == [("s", "Second heron?")]


async def test_a_session_that_becomes_another_users_is_found_by_that_one_only(place):
    runtime = await place.open(["The heron waits."])
    asked = await runtime.ask("Which heron?", user="ann")
    assert await place.found("heron")
    lines = await runtime.store.exports.dump(asked.session_id)
    await runtime.store.sessions.delete(asked.session_id)
    await runtime.store.exports.load(lines, user_id="bob")
    assert await place.found("heron") == []
    assert await place.found("heron", user="bob") == [(asked.session_id, "Which heron?")]
    kept = await runtime.past._conversations().kept(user="ann")
    assert kept == {}


async def test_a_session_deleted_while_it_goes_in_does_not_stay(place):
    runtime = await place.open(["The heron waits."])
    asked = await runtime.ask("Which heron?", user="ann")
    before = await runtime.store.sessions.get(asked.session_id)
    past, conversations = runtime.past, runtime.past._conversations()

    async def add(*given):
        # As another process would: deleted, and removed from the index, before it is in there.
        await runtime.store.sessions.delete(asked.session_id)
        await conversations.forget([asked.session_id])
        await Conversations.add(conversations, *given)

    conversations.add = add
    await past.take([before])
    assert await conversations.kept() == {}
    assert await conversations.search("heron", user="ann") == []


async def test_while_another_writes_the_index_turns_end_and_searches_answer(place):
    runtime = await place.open(["The heron waits.", "The heron flies."], pace=IndexIntervals(wait_s=0.01))
    await runtime.ask("First heron?", user="ann")
    assert len(await place.found("heron")) == 1
    (lock,) = place.settings.home_path.glob("conversations/*/*/lock")
    with WriteLock(lock, "conversations").hold(WAIT_S):
        answer = await runtime.ask("Second heron?", user="ann")
        assert answer.success
        # The index has one of them, the store has both.
        assert len(await runtime.past.search("heron", user="ann")) == 1
        assert len(await place.found("heron")) == 2
    assert len(await place.found("heron")) == 2


async def test_what_cannot_be_removed_now_is_removed_by_the_task_when_it_can_be(place):
    runtime = await place.open(
        ["The heron waits."], recovers_turns=True, pace=IndexIntervals(rest_s=0.01, forget_s=0.0)
    )
    asked = await runtime.ask("Which heron?", user="ann")
    assert await place.found("heron")
    (lock,) = place.settings.home_path.glob("conversations/*/*/lock")
    with WriteLock(lock, "conversations").hold(WAIT_S):
        await runtime.store.sessions.delete(asked.session_id)
        await runtime.past.forget([asked.session_id])
        assert await place.found("heron") == []
    talks = runtime.past._conversations()

    async def is_gone():
        return not await talks.kept() and not await talks.search("heron", user="ann")

    await until(is_gone, "the removal")


async def test_in_memory_nothing_is_indexed_and_exact_words_are_found(place, tmp_path):
    place.settings = msgspec.structs.replace(place.settings, session_store_enabled=False)
    runtime = await place.open(["The heron waits."])
    await runtime.ask("Which heron?", user="ann")
    assert runtime.past is None
    assert len(await place.found("hero")) == 1
    assert await place.found("hero", user="bob") == []
    assert not (tmp_path / "home" / "conversations").exists()


async def test_where_nothing_is_kept_the_tool_says_so(tmp_path):
    (found,) = make_tools(tmp_path)
    agent = Agent(ScriptedModel([call(SEARCH, query="heron"), "Nothing."]), [found])
    (step, *_) = (await agent.run("What was it?")).steps
    assert step.observation.data["conversations"] == []
    assert "not kept" in step.observation.data["message"]


async def test_a_query_without_words_is_told_back(tmp_path):
    (found,) = make_tools(tmp_path)
    assert found.parameter_schema["properties"].keys() == {"query"}
    agent = Agent(ScriptedModel([call(SEARCH, query=" "), call(SEARCH, query="x" * 2001), "Nothing."]), [found])
    steps = (await agent.run("What was it?")).steps
    assert all("characters" in step.observation.error for step in steps[:2])


async def test_what_left_the_context_is_found_again_in_the_same_turn_and_in_later_ones(place):
    profile = Profile(context_tokens=300, keep_recent=2, limits=Limits(iterations=8))
    read = [call("gauge", valve=f"V{number}") for number in range(1, 4)]
    runtime = await place.open([*read, call(SEARCH, query="gauge V1"), *["V1 is at 4711."] * 4], profile=profile)
    asked = await runtime.ask("Read all gauges.", user="ann", session_id="s")
    (turn_id,) = await runtime.store.turns.ids("s")
    events = await runtime.store.turns.read(turn_id)
    compacted = [event.seq for event in events if isinstance(event, e.ContextCompacted)]
    searched = next(event for event in events if isinstance(event, e.ToolCalled) and event.call.tool == SEARCH)
    assert compacted
    assert compacted[0] < searched.seq
    result = next(
        event.result for event in events if isinstance(event, e.ToolReturned) and event.call_id == searched.call.id
    )
    (found,) = result.data["conversations"]
    assert (found["conversation_id"], found["turn_id"]) == ("s", turn_id)
    assert "gauge of V1" in found["passage"]
    assert asked.success
    assert await place.found("hums millibar", session_id="s")
    assert await place.found("hums millibar", session_id="t") == []


async def test_an_observer_that_is_told_too_much_forgets_nothing_that_the_store_has(place):
    runtime = await place.open(["One heron.", "Two heron."], pace=IndexIntervals(most_waiting=1))
    for number in range(2):
        await runtime.ask(f"Heron {number}?", user="ann")
    assert len(runtime.past._waiting) == 1
    assert len(await place.found("heron")) == 2


async def test_parts_of_words_new_titles_and_what_it_was_about_are_found_by_one_search(place):
    runtime = await place.open(["The Zugspitze is 2,962 m high.", "Otters swim in rivers."])
    one = await runtime.ask("How high is the mountain?", user="ann")
    two = await runtime.ask("What do otters do in a river?", user="ann")
    (hit,) = await runtime.conversation_search.search("gspit", user="ann")
    assert (hit.session_id, hit.why, hit.relevance) == (one.session_id, "exact", 1.0)
    assert "Zugspitze" in hit.passage
    # By their stems, which no exact word is.
    (hit,) = await runtime.conversation_search.search("swimming river otter", user="ann", min_relevance=0.3)
    assert (hit.session_id, hit.why) == (two.session_id, "lexical")
    await runtime.store.sessions.rename(one.session_id, "About marmots")
    (hit,) = await runtime.conversation_search.search("marmot", user="ann")
    assert (hit.session_id, hit.turn_id, hit.passage) == (one.session_id, None, "About marmots")
    assert await runtime.conversation_search.search("marmot", user="bob") == []
    # The session that asks is not told of its own title.
    assert await runtime.conversation_search.search("marmot", user="ann", session_id=one.session_id) == []


async def test_sessions_are_listed_once_each_best_first(place):
    runtime = await place.open(["Heron, heron.", "The heron waits.", "A marmot, and once a heron."])
    for question, session in (("Heron?", "s"), ("The heron again?", "s"), ("Marmot?", "t")):
        await runtime.ask(question, user="ann", session_id=session)
    listed = await runtime.conversation_search.sessions("heron marmot", user="ann", limit=10)
    assert [session.id for session, _ in listed] == ["t"]
    assert listed[0][1].question == "Marmot?"
    assert {session.id for session, _ in await runtime.conversation_search.sessions("heron", user="ann", limit=10)} == {
        "s",
        "t",
    }
    assert len(await runtime.conversation_search.sessions("heron", user="ann", limit=1)) == 1
    assert await runtime.conversation_search.sessions("heron", user="bob", limit=10) == []


async def test_exact_words_are_found_where_the_index_is_broken(place):
    runtime = await place.open(["The heron waits."])
    await runtime.ask("Which heron?", user="ann")
    assert await place.found("heron")
    await place.close()
    for path in (place.settings.home_path / "conversations").rglob("*.db"):
        path.write_bytes(b"nonsense" * 1000)
    runtime = await place.open()
    assert len(await place.found("hero")) == 1
    with pytest.raises(StoreError, match="index"):
        await place.found("marmot")


async def test_a_search_that_is_too_long_is_refused_with_the_bound(place):
    await place.open()
    with pytest.raises(UsageError, match="the limit is 2,000"):
        await place.found("x" * 2_001)


def test_what_is_found_can_be_told_as_json(place):
    fields = {"session_id": "s", "turn_id": "t", "title": "", "at": "", "assistant": "", "question": "", "passage": ""}
    found = PastTurn(**fields, tools=("a",), relevance=0.5, why="both")
    assert msgspec.json.decode(msgspec.json.encode(found))["tools"] == ["a"]
