"""Assistants are files: ours and the user's alike."""

import sys

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.messages import Abilities
from glassloop.runtime.assistants.assistant_files import (
    find_assistant,
    list_assistants,
    load_parts,
    open_assistant,
    read_assistant,
    survey_assistants,
)
from glassloop.runtime.assistants.new_assistant import make_assistant
from glassloop.runtime.build import build_agent
from glassloop.runtime.settings import Settings
from trusting import trust


@pytest.fixture
def settings(tmp_path):
    return Settings(home=str(tmp_path / "home"), model="reflex")


@pytest.mark.parametrize(("able", "protocol"), [(True, "native"), (False, "text")])
def test_the_code_assistant_asks_models_without_tools_for_text(settings, able, protocol):
    profile = find_assistant("code", settings).profile(settings)
    model = ScriptedModel([], abilities=Abilities(native_tools=able, small=not able))
    agent = Agent(model, profile=profile)
    assert agent.protocol == protocol
    assert agent.started("Hi", session_id="s").settings["result_chars"] == (16_000 if able else 2_000)


def test_the_general_assistant_has_its_tools_from_the_start(settings):
    found = find_assistant("general", settings)
    names = set(load_parts(found, settings).tools.names)
    assert {"calculate", "convert_units", "current_time", "remember", "recall", "todo"} <= names
    profile = found.profile(settings)
    assert (profile.protocol, profile.planner, profile.reflection, profile.limits.iterations) == (
        "native",
        True,
        True,
        5,
    )


def test_a_new_assistant_works_at_once(settings, tmp_path):
    folder = make_assistant("clerk", tmp_path)
    trust(tmp_path, settings.home_path)
    found = find_assistant("clerk", settings, tmp_path)
    assert found.folder == str(folder)
    assert set(load_parts(found, settings).tools.names) == {"list_files", "count_words"}


def test_the_users_own_comes_before_ours_of_the_same_name(settings, tmp_path):
    mine = tmp_path / "home" / "assistants" / "general"
    mine.mkdir(parents=True)
    (mine / "assistant.toml").write_text('name = "general"\nprompt = "Mine."\n')
    assert find_assistant("general", settings, tmp_path).prompt == "Mine."
    assert [a.name for a in list_assistants(settings, tmp_path)].count("general") == 1


def test_listing_runs_no_code(settings, tmp_path):
    folder = make_assistant("clerk", tmp_path)
    (folder / "tools.py").write_text("raise SystemExit('ran')")
    trust(tmp_path, settings.home_path)
    assert "clerk" in [assistant.name for assistant in list_assistants(settings, tmp_path)]


def test_an_unknown_name_suggests_the_nearest(settings, tmp_path):
    with pytest.raises(UnknownName, match="did you mean 'general'"):
        find_assistant("generel", settings, tmp_path)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("name = ", "assistant.toml"),
        ('name = "x"', "prompt"),
        ('name = "x"\nprompt = "y"\nprotocol = "smoke"', "protocol"),
        ('name = "x"\nprompt = "y"\nmax_itertions = 5', "max_itertions"),
        ('name = "x"\nlike = "nobody"', "nobody"),
        ('name = "x"\nprompt = "y"\n[routing]\nfarwell = "z"', "farwell"),
        ('name = "x"\nprompt = "y"\n[[routing.domains]]\nname = "a"\nabout = "b"', "destination"),
        (
            'name = "x"\nprompt = "y"\n[[routing.domains]]\ndestination = "fallback"\nname = "a"\nabout = "b"',
            "fallback",
        ),
        (
            'name = "x"\nprompt = "y"\n'
            + '[[routing.domains]]\ndestination = "a_agent"\nname = "a"\nabout = "b"\n' * 2,
            "two domains",
        ),
    ],
)
def test_a_mistake_in_a_profile_is_told_with_its_place(tmp_path, text, named):
    (tmp_path / "assistant.toml").write_text(text)
    with pytest.raises(UsageError, match=named):
        read_assistant(tmp_path)


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("import nowhere_at_all", "nowhere_at_all"),
        ("from glassloop import tool\n@tool\ndef f(*args):\n    'x'", "args"),
        ("1/0", "ZeroDivisionError"),
    ],
)
def test_a_tools_file_that_cannot_work_is_one_clear_sentence(settings, tmp_path, code, named):
    folder = make_assistant("clerk", tmp_path)
    (folder / "tools.py").write_text(code)
    with pytest.raises(UsageError, match=named):
        load_parts(read_assistant(folder), settings)


@pytest.mark.parametrize("name", ["../up", "a b", "", "a/b"])
def test_a_name_that_is_no_folder_name_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="letters"):
        make_assistant(name, tmp_path)


def test_an_existing_folder_is_not_overwritten(tmp_path):
    make_assistant("clerk", tmp_path)
    with pytest.raises(UsageError, match="already exists"):
        make_assistant("clerk", tmp_path)


async def test_the_general_assistant_answers_with_no_model_at_all(settings):
    response = await build_agent("general", settings).run("What is 15% of 230?")
    assert "34.5" in response.text
    assert response.steps[0].action.tool == "calculate"


def write(folder, name, extra="", tools=None):
    folder.mkdir(parents=True)
    if tools is not None:
        extra += 'tools = ["tools.py"]\n'
        (folder / "tools.py").write_text(tools)
    (folder / "assistant.toml").write_text(f'name = "{name}"\nprompt = "Theirs."\n{extra}')
    return folder


def test_a_name_of_ours_means_ours_whatever_lies_in_the_working_folder(settings, tmp_path, monkeypatch):
    ran = tmp_path / "ran"
    clone = write(tmp_path / "clone" / "examples", "general", tools=f"open({str(ran)!r}, 'w')").parent
    write(clone / "general", "general", tools=f"open({str(ran)!r}, 'w')")
    monkeypatch.chdir(clone)
    agent = build_agent("general", settings)
    assert "calculate" in agent.tools.specs
    assert not ran.exists()
    assert find_assistant("general", settings, clone).prompt != "Theirs."


def test_a_name_taken_in_the_home_folder_is_not_taken_over_either(settings, tmp_path):
    write(settings.home_path / "assistants" / "clerk", "clerk", 'title = "Mine"\n')
    write(tmp_path / "clone" / "clerk", "clerk")
    assert find_assistant("clerk", settings, tmp_path / "clone").title == "Mine"


def test_a_profile_whose_name_is_taken_is_listed_with_that_reason(settings, tmp_path):
    theirs = write(tmp_path / "theirs", "general")
    usable, unusable = survey_assistants(settings, tmp_path)
    assert [entry.folder for entry in usable if entry.name == "general"] != [str(theirs)]
    assert [(entry.folder, "belongs to" in entry.reason) for entry in unusable] == [(str(theirs), True)]


def test_a_path_always_means_that_folder(settings, tmp_path):
    write(tmp_path / "general", "general")
    write(tmp_path / "clerk", "librarian")
    for path in ("./general", "general/", str(tmp_path / "general")):
        assert open_assistant(path, settings, tmp_path).prompt == "Theirs."
    assert open_assistant(".", settings, tmp_path / "clerk").name == "librarian"
    assert open_assistant("../general", settings, tmp_path / "clerk").name == "general"
    assert open_assistant("general", settings, tmp_path).prompt != "Theirs."
    with pytest.raises(UnknownName, match="There is no"):
        open_assistant("./nothing", settings, tmp_path)


@pytest.mark.parametrize("name", ["../out", "./out", "out/", ".", "", "~"])
def test_a_path_is_no_name(settings, tmp_path, name):
    write(tmp_path / "out", "sneaky")
    (tmp_path / "here").mkdir()
    for sought in (name, str(tmp_path / "out")):
        with pytest.raises(UnknownName, match="no assistant"):
            find_assistant(sought, settings, tmp_path / "here")


def test_a_broken_profile_nearby_breaks_no_other(settings, tmp_path):
    write(tmp_path / "broken", "broken", "nonsense = 1\n")
    write(tmp_path / "clerk", "clerk")
    trust(tmp_path, settings.home_path)
    assert find_assistant("general", settings, tmp_path).name == "general"
    assert find_assistant("clerk", settings, tmp_path).name == "clerk"
    usable, unusable = survey_assistants(settings, tmp_path)
    assert [entry.name for entry in usable] == ["business", "clerk", "code", "general", "places", "raids"]
    assert [(entry.name, "nonsense" in entry.reason) for entry in unusable] == [("broken", True)]
    with pytest.raises(UsageError, match="nonsense"):
        find_assistant("broken", settings, tmp_path)


def test_a_broken_one_of_the_users_own_is_not_answered_for_by_ours(settings, tmp_path):
    write(settings.home_path / "assistants" / "general", "general", "nonsense = 1\n")
    with pytest.raises(UsageError, match="nonsense"):
        find_assistant("general", settings, tmp_path)


@pytest.mark.parametrize("key", ["max_iterations", "max_tokens", "context_tokens", "observation_chars"])
def test_a_number_below_one_is_refused_and_not_replaced(tmp_path, key):
    write(tmp_path / "clerk", "clerk", f"{key} = 0\n")
    with pytest.raises(UsageError, match=f"`{key}` must be at least 1, not 0"):
        read_assistant(tmp_path / "clerk")


DATACLASS = """
from __future__ import annotations
from dataclasses import dataclass
from glassloop import tool

@dataclass
class Row:
    x: int

@tool(effect="read")
def look(x: int) -> dict[str, int]:
    "Looks."
    return vars(Row(x))
"""


def test_a_tools_file_may_define_dataclasses_under_postponed_annotations(settings, tmp_path):
    first = write(tmp_path / "a" / "clerk", "clerk", tools=DATACLASS)
    second = write(tmp_path / "b" / "clerk", "clerk", tools=DATACLASS.replace("look", "peek"))
    assert list(load_parts(read_assistant(first), settings).tools.names) == ["look"]
    assert list(load_parts(read_assistant(second), settings).tools.names) == ["peek"]


@pytest.mark.parametrize("entry", ["json:decoder", "os:sep", "json:loads", ":x", "nowhere.at.all", "json", ".json:x"])
def test_tools_that_are_none_are_one_clear_sentence(settings, tmp_path, entry):
    write(tmp_path / "clerk", "clerk", f'tools = ["{entry}"]\n')
    with pytest.raises(UsageError, match="factory"):
        load_parts(read_assistant(tmp_path / "clerk"), settings)


FACTORIES = """
from glassloop import tool

def told(text):
    @tool(effect="read")
    def tell() -> str:
        "Tells."
        return text
    return [tell] if text is not None else []

def with_url(home, url=None):
    return told(url)

def plain(home):
    return told("plain")
"""


@pytest.mark.parametrize(("factory", "count"), [("with_url", 1), ("plain", 1)])
def test_a_factory_gets_those_settings_that_it_has_a_parameter_for(tmp_path, monkeypatch, factory, count):
    (tmp_path / "made_here.py").write_text(FACTORIES)
    monkeypatch.syspath_prepend(tmp_path)
    write(tmp_path / "firm", "firm", f'tools = ["made_here:{factory}"]\n')
    given = load_parts(read_assistant(tmp_path / "firm"), Settings(home=str(tmp_path)), {"url": "x", "other": "y"})
    assert len(given.tools.names) == count
    monkeypatch.delitem(sys.modules, "made_here")


def test_without_such_settings_a_factory_has_its_own_defaults(tmp_path, monkeypatch):
    (tmp_path / "made_here.py").write_text(FACTORIES)
    monkeypatch.syspath_prepend(tmp_path)
    write(tmp_path / "firm", "firm", 'tools = ["made_here:with_url"]\n')
    assert list(load_parts(read_assistant(tmp_path / "firm"), Settings(home=str(tmp_path))).tools.names) == []
    monkeypatch.delitem(sys.modules, "made_here")


def test_an_assistant_like_one_of_ours_takes_over_what_it_does_not_say(settings, tmp_path):
    (tmp_path / "assistant.toml").write_text('name = "mine"\nlike = "general"\nmax_iterations = 2\n')
    mine, ours = read_assistant(tmp_path), find_assistant("general", settings, tmp_path)
    assert (mine.name, mine.max_iterations) == ("mine", 2)
    assert (mine.prompt, mine.tools, mine.planner) == (ours.prompt, ours.tools, ours.planner)
    assert set(load_parts(mine, settings).tools.names) == set(load_parts(ours, settings).tools.names)


def make_profiles(home, **profiles):
    for name, keys in profiles.items():
        folder = home / "assistants" / name
        folder.mkdir(parents=True)
        (folder / "assistant.toml").write_text(
            f'name = "{name}"\nprompt = "P."\ndescription = "D of {name}."\n{keys}\n'
        )


def test_an_assistant_has_others_as_sub_agents_and_hands_over_to_them(settings, tmp_path):
    make_profiles(tmp_path / "home", chief='agents = ["general"]\nhandoffs = ["help"]', help="")
    specs = build_agent("chief", settings).tools.specs
    assert set(specs) == {"general", "transfer_to_help"}
    assert specs["transfer_to_help"].description == "D of help."


def test_assistants_that_have_one_another_as_sub_agents_are_refused(settings, tmp_path):
    make_profiles(tmp_path / "home", one='agents = ["two"]', two='handoffs = ["one"]')
    with pytest.raises(UsageError, match="one, two are sub-agents of each other: remove 'one'"):
        build_agent("one", settings)


async def test_a_small_model_is_told_the_brief_prompt_and_others_the_whole_one(settings, tmp_path):
    (tmp_path / "assistant.toml").write_text('name = "mine"\nprompt = "All of it."\nprompt_brief = "In short."\n')
    profile = read_assistant(tmp_path).profile(settings)
    for abilities, told in ((Abilities(), "All of it."), (Abilities(small=True), "In short.")):
        model = ScriptedModel(["Fine."], abilities=abilities)
        await Agent(model, profile=profile).run("How is it?")
        assert model.requests[0].system.startswith(told)
    model = ScriptedModel(["Fine."], abilities=Abilities(small=True))
    await Agent(model, profile=profile, prompt="Another.").run("How is it?")
    assert model.requests[0].system.startswith("Another.")


def test_a_brief_prompt_is_not_taken_over_beside_another_prompt(tmp_path):
    (tmp_path / "assistant.toml").write_text('name = "mine"\nlike = "raids"\nprompt = "Mine."\n')
    assert read_assistant(tmp_path).prompt_brief == ""
    (tmp_path / "assistant.toml").write_text('name = "mine"\nlike = "raids"\n')
    assert read_assistant(tmp_path).prompt_brief
