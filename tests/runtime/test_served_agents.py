"""Agents under their own names in a runtime: handed over by a program, or brought by an installed package."""

import pytest

from glassloop import Agent, ScriptedModel, Settings, ToolContext, UsageError, call, open_runtime, tool
from glassloop.core import events as e
from glassloop.core.errors import UnknownName
from glassloop.runtime.assistants.assistant_files import default_assistant, find_assistant, list_assistants
from glassloop.runtime.assistants.served_agents import unusable_agents
from glassloop.runtime.extensions import installed_extensions


@tool(effect="read")
def account(context: ToolContext[str]) -> str:
    """Whose account it is."""
    return f"of {context.deps}"


def support(*script, **options):
    return Agent(ScriptedModel(script or [call("account"), "Done."]), [account], name="support", **options)


@pytest.fixture
def settings(tmp_path, put_store):
    return Settings(home=str(tmp_path), database_url=f"sqlite:///{put_store(tmp_path / 'log.db')}")


@pytest.fixture
async def opens(settings):
    opened = []

    async def open_one(*agents, **options):
        runtime = await open_runtime(settings, agents=agents, **options)
        opened.append(runtime)
        return runtime

    yield open_one
    for runtime in opened:
        await runtime.aclose(1.0)


async def results(runtime, turn_id):
    events = [event async for event in runtime.watch(turn_id)]
    return events, [event.result.output for event in events if isinstance(event, e.ToolReturned)]


async def test_an_agent_answers_under_its_name_and_where_nobody_is_named(opens):
    other = Agent(ScriptedModel(["From billing."]), name="billing")
    runtime = await opens(support("From support."), other)
    assert [each.name for each in list_assistants(runtime.context.settings) if not each.folder] == [
        "billing",
        "support",
    ]
    assert default_assistant(runtime.context.settings) == "support"
    assert (await runtime.ask("Hi")).response == "From support."
    assert (await runtime.ask("Hi", wanted="billing")).response == "From billing."
    assert {row.assistant for row in await runtime.store.turns.list(2)} == {"support", "billing"}


@pytest.mark.parametrize(
    ("names", "why"),
    [(["general"], "the extension 'general'"), (["a", "a"], "Two agents"), (["a b"], "letters, digits")],
)
async def test_a_name_that_cannot_be_served_is_refused_with_the_remedy(settings, names, why):
    agents = [Agent(ScriptedModel([]), name=name) for name in names]
    with pytest.raises(UsageError, match=why) as refused:
        await open_runtime(settings, agents=agents)
    assert "Agent(name=" in str(refused.value)


async def test_the_conversation_of_a_served_agent_is_the_runtimes_own(opens):
    for said in ("Hello Ann.", "You are Ann."):
        model = ScriptedModel([said])
        runtime = await opens(Agent(model, name="support"))
        await runtime.ask("I am Ann.", session_id="s")
        await runtime.aclose()
    assert len(model.requests[-1].messages) == 3


async def test_a_turn_that_was_left_goes_on_with_the_same_program(opens):
    only_submits = await opens(support("Done."), runs_turns=False, recovers_turns=False)
    submitted = await only_submits.submit("Hi")
    await only_submits.aclose()
    runtime = await opens(support("Done."))
    await runtime.reconcile()
    events, _ = await results(runtime, submitted.turn_id)
    assert isinstance(events[-1], e.TurnFinished)
    assert events[-1].status == "completed"


async def test_dependencies_of_this_process_reach_the_tools_and_are_waited_for_elsewhere(opens):
    runtime = await opens(support())
    submitted = await runtime.submit("Whose?", deps="Zoe")
    assert (await results(runtime, submitted.turn_id))[1] == ["of Zoe"]
    await runtime.aclose()
    only_submits = await opens(support(), runs_turns=False, recovers_turns=False)
    submitted = await only_submits.submit("Whose?", deps="Zoe")
    await only_submits.aclose()
    elsewhere = await opens(support())
    await elsewhere.reconcile()
    events, _ = await results(elsewhere, submitted.turn_id)
    assert isinstance(events[-1], e.TurnWaiting)
    assert events[-1].reason == "dependencies"
    with pytest.raises(UsageError, match="resume it with deps, or give its agent a deps_factory"):
        await elsewhere.resume(submitted.turn_id)
    await elsewhere.resume(submitted.turn_id, deps="Max")
    assert (await results(elsewhere, submitted.turn_id))[1] == ["of Max"]


async def test_a_factory_makes_the_dependencies_where_the_turn_goes_on(opens):
    only_submits = await opens(support(), runs_turns=False, recovers_turns=False)
    submitted = await only_submits.submit("Whose?", deps="Zoe", user="ann")
    await only_submits.aclose()
    runtime = await opens(support(deps_factory=lambda started: started.user))
    await runtime.reconcile()
    assert (await results(runtime, submitted.turn_id))[1] == ["of ann"]


PACKAGE = """
from glassloop import Agent, ScriptedModel
support = Agent(ScriptedModel(["From the package."]))

def make():
    return Agent(ScriptedModel(["Made."]))

nothing = 3
"""
PROFILE = 'name = "clerk"\nprompt = "You are a clerk."\n'


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package as an installer leaves it: its code, and the entry points it has."""
    site = tmp_path / "site"
    info, code = site / "helpful-2.1.dist-info", site / "helpful"
    (code / "assistants" / "clerk").mkdir(parents=True)
    info.mkdir()
    (code / "__init__.py").write_text(PACKAGE, "utf-8")
    (code / "assistants" / "clerk" / "assistant.toml").write_text(PROFILE, "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: helpful\nVersion: 2.1\nSummary: Helps.\n", "utf-8")
    entries = "support = helpful:support\nmade = helpful:make\nbroken = helpful:nothing\nclerk = helpful.assistants\n"
    (info / "entry_points.txt").write_text(f"[glassloop.assistants]\n{entries}empty = json\ngone = nowhere\n", "utf-8")
    monkeypatch.syspath_prepend(str(site))
    installed_extensions.cache_clear()
    yield
    installed_extensions.cache_clear()


@pytest.mark.usefixtures("package")
async def test_an_installed_package_brings_agents_and_folders_and_what_is_broken_is_told(tmp_path):
    settings = Settings(home=str(tmp_path / "home"))
    found = {each.name: each for each in list_assistants(settings, tmp_path)}
    assert found["support"].source == "helpful 2.1 (helpful:support)"
    assert (found["support"].description, found["clerk"].source) == ("Helps.", "helpful 2.1 (helpful.assistants)")
    assert [problem.name for problem in settings.extensions.problems] == ["empty", "gone"]
    assert [each.name for each in unusable_agents(settings)] == ["broken"]
    async with await open_runtime(settings) as runtime:
        assert (await runtime.ask("Hi", wanted="support")).response == "From the package."
        assert (await runtime.ask("Hi", wanted="made")).response == "Made."
        with pytest.raises(UsageError, match="name an `Agent`"):
            await runtime.ask("Hi", wanted="broken")
        with pytest.raises(UnknownName):
            await runtime.ask("Hi", wanted="gone")
        with pytest.raises(UsageError, match=r"helpful 2\.1"):
            await open_runtime(settings, agents=[support()])


@pytest.mark.usefixtures("package")
def test_an_assistant_of_the_home_folder_keeps_its_name_before_a_packages(tmp_path):
    own = tmp_path / "home" / "assistants" / "support"
    own.mkdir(parents=True)
    (own / "assistant.toml").write_text('name = "support"\nprompt = "Mine."\n', "utf-8")
    assert find_assistant("support", Settings(home=str(tmp_path / "home")), tmp_path).folder == str(own)
