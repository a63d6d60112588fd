"""Collections of a question: chosen with it or given to its assistant, searched by a tool, within who may read."""

import pytest

from glassloop import ScriptedModel
from glassloop.core import events as e
from glassloop.core.errors import UnknownName
from glassloop.core.loop.policy import Profile
from glassloop.core.messages import UserMessage
from glassloop.models.scripted_model import call
from glassloop.retrieval.collections.knowledge import partition_of
from glassloop.retrieval.index.sources import DocumentSource
from glassloop.runtime.durable.submission import TurnOptions

SEARCH = call("search_knowledge_base", query="days of leave")
LEAVE = "# Leave\n\nEverybody has 27 days of leave a year."
OTHER = "# Old leave\n\nEverybody had 22 days of leave a year."


async def collection(runtime, user, name, text, readers="owner"):
    made = await runtime.collections.create(user, name, readers=readers, operator=True)
    source = DocumentSource(name=f"{name}.md", text=text)
    await runtime.knowledge.base().add([source], domain=made.id, user=partition_of(made.id))
    return made


async def asked(runtime, user="ann", **options):
    submitted = await runtime.submit(
        "How many days of leave?", user=user, wanted="bench", options=TurnOptions(**options)
    )
    events = [event async for event in runtime.watch(submitted.turn_id)]
    [result] = [event.result for event in events if isinstance(event, e.ToolReturned)]
    return events, result


def documents(result):
    return [each["document"] for each in result.data["passages"]]


async def test_a_collection_chosen_with_the_question_is_all_that_is_searched_also_by_another_version(opens, place):
    model = ScriptedModel([SEARCH, "27.", SEARCH, "27."])
    runtime = await opens(place, model)
    await collection(runtime, "ann", "handbook", LEAVE)
    await collection(runtime, "ann", "archive", OTHER)
    await runtime.knowledge.base().add([DocumentSource(name="mine.md", text=OTHER)], user="ann")
    events, result = await asked(runtime, collections=("#Handbook",))
    assert documents(result) == ["handbook.md"]
    assert result.data["passages"][0]["collection"] == "handbook"
    assert result.data["passages"][0]["cite"] == "[1] handbook.md, line 3"
    told = "\n".join(m.content for m in model.requests[0].messages if isinstance(m, UserMessage))
    assert '"collections":["handbook"]' in told
    again = await runtime.versions.regenerate(events[0].turn_id)
    [second] = [event.result async for event in runtime.watch(again.turn_id) if isinstance(event, e.ToolReturned)]
    assert documents(second) == ["handbook.md"]


async def test_an_assistant_searches_what_its_profile_names_and_what_the_user_gave_it(opens, place):
    runtime = await opens(
        place, [SEARCH, "27.", SEARCH, "27."], profile={"profile": Profile(collections=("handbook",))}
    )
    await collection(runtime, "olga", "handbook", LEAVE, readers="everyone")
    private = await collection(runtime, "ann", "archive", OTHER)
    await runtime.collections.give(private.id, "ann", ["bench"])
    _, result = await asked(runtime)
    assert set(documents(result)) == {"handbook.md", "archive.md"}
    _, result = await asked(runtime, user="ben")
    assert documents(result) == ["handbook.md"]


async def test_a_collection_that_a_user_may_not_read_is_refused_before_anything_is_stored(opens, place):
    runtime = await opens(place)
    await collection(runtime, "olga", "handbook", LEAVE)
    with pytest.raises(UnknownName, match="that you may read"):
        await runtime.submit("?", user="ann", wanted="bench", options=TurnOptions(collections=("handbook",)))
    assert not await runtime.store.sessions.list(10)


async def test_questions_without_collections_have_no_such_tool(opens, place):
    model = ScriptedModel(["Hello."])
    runtime = await opens(place, model)
    submitted = await runtime.submit("Hello", wanted="bench")
    _ = [event async for event in runtime.watch(submitted.turn_id)]
    assert "search_knowledge_base" not in {spec.name for spec in model.requests[0].tools}
