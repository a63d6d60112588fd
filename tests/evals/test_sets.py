"""The two fixed sets: what they promise, that they can be answered, and that nobody changes them."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from evals.shop import WANTED, head_of
from glassloop.core import events as e
from glassloop.evals.run_file import RunFile
from glassloop.evals.suite import AnswerChecks
from glassloop.evals.suite_files import BUNDLED, find_suite
from glassloop.evals.suite_run import SuiteRun, remaining_cases
from glassloop.evals.target import assistant_of, check_names, defaults_of
from glassloop.models.scripted_model import call
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.settings import Settings

NOWHERE = Path("nowhere")
FROZEN = {"tools40": "e0bf0747fd1f803a", "reflex100": "0ce09502678103eb"}
"""Of the questions, the expectations, and the assistant with its tools and their data."""


@pytest.fixture(params=sorted(FROZEN))
def suite(request):
    return find_suite(request.param, Settings(home=str(NOWHERE)))


@pytest.fixture(scope="module")
def office():
    return load_parts(read_assistant(BUNDLED / "office"), Settings(home=str(NOWHERE))).tools


def test_the_set_is_as_it_was_when_it_was_made(suite):
    """Whoever wants other questions makes another set: figures of this one must stay comparable."""
    assert suite.digest == FROZEN[suite.name]


def test_the_set_expects_only_tools_and_arguments_that_there_are(suite, office):
    assert Path(assistant_of(suite, NOWHERE)) == BUNDLED / "office"
    check_names(suite, office.specs)


def test_there_are_as_many_questions_and_tools_as_promised(office):
    assert len(office.specs) >= 20
    forty, hundred = (
        find_suite("tools40", Settings(home=str(NOWHERE))),
        find_suite("reflex100", Settings(home=str(NOWHERE))),
    )
    assert Counter(case.tags[0] for case in forty.cases) == {
        "one tool": 16,
        "two in a row": 8,
        "no tool": 6,
        "missing argument": 5,
        "follow-up": 5,
    }
    assert len(hundred.cases) == len({case.question for case in hundred.cases}) == 100
    chosen = {name for case in hundred.cases for names in case.alternatives or () for name in names}
    assert chosen == set(office.specs)
    tags = Counter(tag for case in hundred.cases for tag in case.tags)
    assert tags["chinese"] >= 10
    assert tags["german"] >= 10
    assert tags["typos"] >= 8
    assert not {case.question for case in hundred.cases} & {text for case in forty.cases for text in case.asked}


def test_no_question_is_an_example_in_the_prompt(suite):
    prompt = read_assistant(BUNDLED / "office").prompt.casefold()
    for case in suite.cases:
        for question in case.asked:
            assert question.casefold() not in prompt


def sample(value):
    """A value that an expectation accepts."""
    given = [getattr(value, name) for name in ("contains", "number", "exact")]
    return next((found for found in given if found is not msgspec.UNSET), None) or value.one_of[0]


def perfect(case):
    """What a model would say that does all that is expected: the calls one by one, then the answer."""
    for _ in case.asked[1:]:
        yield "Yes."
    for tool in (case.alternatives or ((),))[0]:
        for table in case.calls.get(tool, [{}]):
            yield call(tool, **{name: sample(value) for name, value in table.items()})
    wanted = case.answer or AnswerChecks()
    figures = [f"{figure.numbers[0]:.2f}" for figure in wanted.wanted_figures]
    yield "; ".join([*wanted.all, *wanted.any[:1], *figures, *(["Which one?"] if wanted.asks else []), "done"])


async def test_a_model_that_does_all_right_gets_all_of_it_right(opens, office, tmp_path):
    """Every expected call runs, and every expected figure stands in what the tools return."""
    suite = find_suite("tools40", Settings(home=str(NOWHERE)))
    script = [line for case in suite.cases for line in perfect(case)]
    runtime = await opens(script, list(office))
    file = RunFile.open(tmp_path / "run.jsonl", head_of(suite), resume=False)
    run = SuiteRun(runtime, suite, WANTED, file, defaults_of(office.specs), lambda _result: None)
    await run.ask_all(remaining_cases(suite.cases, 1, file), 1)
    file.close()
    wrong = {result.case: result.problems for result in file.results.values() if result.problems}
    assert wrong == {}
    for result in file.results.values():
        events = await runtime.store.turns.read(result.turn_ids[-1])
        assert all(event.result.success for event in events if isinstance(event, e.ToolReturned)), result.case
