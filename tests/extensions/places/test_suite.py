"""The suite `places`: large enough, over everything, with expectations that the assistant can meet."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from glassloop.evals.suite_files import find_suite
from glassloop.evals.target import check_names
from glassloop.extensions.places.suites.sample.plugin import SamplePlaces
from glassloop.extensions.reflex.choice import DeclinedQuestion, choose
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.settings import Settings
from glassloop.store.records import EVAL_USER
from glassloop.tools.tool import ToolContext
from tests.extensions.places.made_places import make_data_set


@pytest.fixture
def settings(tmp_path):
    return Settings(home=str(tmp_path))


@pytest.fixture
def suite(settings):
    return find_suite("places", settings)


@pytest.fixture
def specs(suite, settings):
    return load_parts(read_assistant(Path(suite.file).parent / "sample"), settings).tools.specs


def tagged(suite, tag):
    return [case for case in suite.cases if tag in case.tags]


def test_there_are_enough_questions_of_every_kind(suite):
    assert len(suite.cases) >= 60
    assert len({case.asked for case in suite.cases}) == len(suite.cases)
    for kind in ("search", "summary", "compare", "trade area", "profile", "flows", "similar", "new store", "failure"):
        assert len(tagged(suite, kind)) >= 2, kind
    assert len(tagged(suite, "German")) >= 9
    assert len(tagged(suite, "embedded20")) == 20
    assert len(tagged(suite, "held-out")) >= 30


def test_it_asks_for_every_tool_of_places_and_nothing_that_there_is_not(suite, specs):
    check_names(suite, specs)
    asked = {name for case in suite.cases for name in case.calls}
    asked |= {name for case in suite.cases for names in case.alternatives or () for name in names}
    assert {name for name, spec in specs.items() if spec.domain == "places"} <= asked
