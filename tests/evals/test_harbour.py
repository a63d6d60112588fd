"""The set that the embedded model is developed with: it can be used, and has nothing of the fixed ones."""

from collections import Counter
from pathlib import Path

from glassloop.evals.suite_files import BUNDLED, find_suite
from glassloop.evals.target import assistant_of, check_names
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.settings import Settings

NOWHERE = Path("nowhere")
SUITE = find_suite(str(Path(__file__).with_name("harbour.toml")), Settings(home=str(NOWHERE)))


def test_it_expects_only_tools_and_arguments_that_there_are():
    tools = load_parts(read_assistant(Path(assistant_of(SUITE, NOWHERE))), Settings(home=str(NOWHERE))).tools
    assert len(tools.specs) >= 25
    check_names(SUITE, tools.specs)


def test_it_has_questions_of_every_kind():
    kinds = Counter(case.tags[0] for case in SUITE.cases)
    assert set(kinds) == {"one tool", "two in a row", "no tool", "missing argument", "follow-up"}
    assert min(kinds.values()) >= 6
    assert kinds["two in a row"] >= 24


def test_it_shares_neither_questions_nor_tools_with_the_fixed_sets():
    asked = {question.casefold() for case in SUITE.cases for question in case.asked}
    for name in ("tools40", "reflex100"):
        assert asked.isdisjoint(
            question.casefold()
            for case in find_suite(name, Settings(home=str(NOWHERE))).cases
            for question in case.asked
        )
    office = load_parts(read_assistant(BUNDLED / "office"), Settings(home=str(NOWHERE))).tools
    harbour = load_parts(read_assistant(Path(assistant_of(SUITE, NOWHERE))), Settings(home=str(NOWHERE))).tools
    assert set(office.specs).isdisjoint(harbour.specs)
