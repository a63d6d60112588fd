"""The blind sets: written by somebody who had seen neither generator nor rules nor other sets."""

from collections import Counter
from pathlib import Path

import pytest

from glassloop.evals.suite_files import find_suite
from glassloop.evals.target import assistant_of, check_names
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.settings import Settings

NOWHERE = Settings(home="nowhere")
FILES = sorted(Path(__file__).with_name("blind").glob("*.toml"))
SUITES = [find_suite(str(path), NOWHERE) for path in FILES]


@pytest.mark.parametrize("suite", SUITES, ids=[path.stem for path in FILES])
def test_it_expects_only_tools_and_arguments_that_there_are(suite):
    tools = load_parts(read_assistant(Path(assistant_of(suite, Path("nowhere")))), NOWHERE).tools
    check_names(suite, tools.specs)


def test_there_are_enough_questions_of_every_kind_and_language():
    tags = Counter(tag for suite in SUITES for case in suite.cases for tag in case.tags)
    assert sum(len(suite.cases) for suite in SUITES) >= 150
    wanted = {"one tool": 50, "two in a row": 45, "three in a row": 8, "no tool": 15, "missing": 15, "follow-up": 10}
    assert {tag: tags[tag] for tag in wanted if tags[tag] < wanted[tag]} == {}
    assert min(tags["de"], tags["zh"]) >= 15
