"""Assistants are files: ours and the user's alike."""

import pytest

from glassloop.core.errors import UnknownName, UsageError
from glassloop.runtime.assistants import find_assistant, list_assistants, load_tools, make_assistant, read_assistant
from glassloop.runtime.build import build_agent
from glassloop.runtime.settings import Settings


@pytest.fixture
def settings(tmp_path):
    return Settings(home=str(tmp_path / "home"), model="reflex")


def test_the_general_assistant_has_its_tools_from_the_start(settings):
    found = find_assistant("general", settings)
    names = set(load_tools(found, settings.home_path).names)
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
    found = find_assistant("clerk", settings, tmp_path)
    assert found.folder == str(folder)
    assert set(load_tools(found, settings.home_path).names) == {"list_files", "count_words"}


def test_the_users_own_comes_before_ours_of_the_same_name(settings, tmp_path):
    mine = tmp_path / "home" / "assistants" / "general"
    mine.mkdir(parents=True)
    (mine / "assistant.toml").write_text('name = "general"\nprompt = "Mine."\n')
    assert find_assistant("general", settings, tmp_path).prompt == "Mine."
    assert [a.name for a in list_assistants(settings, tmp_path)].count("general") == 1


def test_listing_runs_no_code(settings, tmp_path):
    folder = make_assistant("clerk", tmp_path)
    (folder / "tools.py").write_text("raise SystemExit('ran')")
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
        load_tools(read_assistant(folder), settings.home_path)


@pytest.mark.parametrize("name", ["../up", "a b", "", "a/b"])
def test_a_name_that_is_no_folder_name_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="letters"):
        make_assistant(name, tmp_path)


def test_an_existing_folder_is_not_overwritten(tmp_path):
    make_assistant("clerk", tmp_path)
    with pytest.raises(UsageError, match="exists already"):
        make_assistant("clerk", tmp_path)


async def test_the_general_assistant_answers_with_no_model_at_all(settings):
    response = await build_agent("general", settings).run("What is 15% of 230?")
    assert response.success
    assert "34.5" in response.response
    assert response.steps[0].action.tool == "calculate"
