"""Worked sets: each solution is right by its set, and is learned as the engine asks for it."""

import pytest
from training.data import worked
from training.data.conversation import Call
from training.data.forbidden import forbidden_tools
from training.data.requests import examples_of

from glassloop.core.protocols.parameter_descriptions import description_of, example_in, takes_name

NAMES = worked.names_of_sets()
MOSTLY_SLOW = [name if at % 6 == 0 else pytest.param(name, marks=pytest.mark.slow) for at, name in enumerate(NAMES)]
"""All of them only in `make test-all`: they are data, and take a minute."""


@pytest.mark.parametrize("name", MOSTLY_SLOW)
def test_every_solution_is_right(name):
    suite, solved = worked.read_suite(worked.FOLDER / f"{name}.toml"), worked.read_solved(name)
    assert len(solved) > 50
    played = list(worked.play_set(suite, solved))
    wrong = {case.id: worked.problems_of(suite, case, turns) for case, turns in played}
    assert {name: each for name, each in wrong.items() if each} == {}
    written = [(case.id, turn) for case in solved.values() for turn in case.turns]
    assert [name for name, turn in written if len(turn.thought) < 12 or len(turn.answer) < 2] == []


@pytest.mark.parametrize("name", MOSTLY_SLOW)
def test_other_words_for_its_tools_say_the_same_of_values(name):
    tools = {tool.name: tool for tool in worked.tools_of(name, worked.read_suite(worked.FOLDER / f"{name}.toml"))}
    words = worked.read_words(name)
    assert words.keys() == tools.keys()
    names = [*tools, *(other for each in words.values() for other in each.names)]
    assert sorted(set(names)) == sorted(names)
    assert all(other.isidentifier() for other in names)
    for tool, each in words.items():
        assert min(len(each.names), len(each.descriptions)) > 0
        for parameter, texts in each.parameters.items():
            told = description_of(tools[tool].parameters["properties"][parameter])
            for text in texts:
                assert example_in(text) == example_in(told), (tool, parameter, text)
                assert takes_name(f"{parameter} {text}") is takes_name(f"{parameter} {told}"), (tool, parameter, text)


def test_the_same_seed_makes_the_same_groups():
    first, again, other = (list(worked.worked_groups(seed, 1, NAMES[:3])) for seed in (4, 4, 5))
    assert first == again != other


def test_the_engine_asks_for_nearly_every_step():
    steps = asked = 0
    for group in worked.worked_groups(1, 1, NAMES[:2]):
        turns = [turn for each in group.conversations for turn in each.exchanges]
        steps += sum(not isinstance(step, Call) or step.learned for turn in turns for step in turn.steps)
        asked += len(examples_of(group))
    assert steps > 200
    assert asked > 0.97 * steps


def test_no_tool_of_a_suite_is_learned():
    suites = {name: worked.read_suite(worked.FOLDER / f"{name}.toml") for name in NAMES}
    names = {tool.name for name, suite in suites.items() for tool in worked.tools_of(name, suite)}
    assert len(names) > 200
    assert not names & forbidden_tools()
