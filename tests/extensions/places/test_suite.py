"""The suite `places`: large enough, over everything, with expectations that the assistant can meet."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.extensions.places.made_places import make_data_set

from glassloop.evals.suite_files import find_suite
from glassloop.evals.target import check_names
from glassloop.extensions import places
from glassloop.extensions.places.suites.sample.plugin import SamplePlaces
from glassloop.extensions.reflex.fit import DeclinedQuestion, choose
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.settings import Settings
from glassloop.store.records import EVAL_USER
from glassloop.tools.tool import ToolContext


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
    # Those about a new store may be answered with any tools.
    assert {name for name, spec in specs.items() if spec.domain == "places"} - asked == {"get_new_store_effect"}


@pytest.mark.slow
async def test_the_sample_of_the_suite_is_made_once_in_a_folder_of_its_own(settings, tmp_path):
    written = []

    def write(folder):
        written.append(folder)
        shutil.copytree(make_data_set(tmp_path / "made").folder, folder, dirs_exist_ok=True)

    for _ in range(2):
        plugin = SamplePlaces(write)
        tools = {tool.name: tool for tool in plugin.tools(settings.home_path, {})}
        facts = await plugin.prompt_facts(EVAL_USER)
        assert "visits from" in facts["places.data"]
        told = await tools["search_places"].execute({"geo_filter": "all"}, ToolContext(user=EVAL_USER))
        assert "places" in told.output
    assert len(written) == 1
    assert not (settings.home_path / "places").exists()


def test_questions_that_are_shown_first_are_used_whole(specs):
    matched = [spec.matched for spec in specs.values()]
    questions = read_assistant(Path(places.__file__).parent).questions
    declined = [one for one in questions if isinstance(choose(matched, one), DeclinedQuestion)]
    assert not declined


@pytest.mark.slow
def test_reflex_answers_over_the_sample_what_it_can_and_nothing_wrongly(tmp_path):
    environment = {**os.environ, "GLASSLOOP_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "glassloop", "eval", "places", "-m", "reflex", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=1800, check=False)
    total = json.loads(done.stdout)["total"]
    assert total["answered"]["right"] >= 15
    assert total["right_of_answered"]["share"] == 1
