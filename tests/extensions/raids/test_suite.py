"""The suite `raids`: large enough, over everything, with expectations that the assistant can meet."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from glassloop.evals.suite_files import find_suite
from glassloop.evals.target import check_names
from glassloop.extensions.raids.importing.sample import SampleLoader
from glassloop.extensions.raids.suites.guild.plugin import SampleGuild
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.settings import Settings
from glassloop.store.records import EVAL_USER
from glassloop.tools.tool import ToolContext


@pytest.fixture
def settings(tmp_path):
    return Settings(home=str(tmp_path))


@pytest.fixture
def suite(settings):
    return find_suite("raids", settings)


def tagged(suite, tag):
    return [case for case in suite.cases if tag in case.tags]


def test_there_are_enough_questions_of_every_kind(suite):
    assert len(suite.cases) >= 60
    assert len({case.asked for case in suite.cases}) == len(suite.cases)
    for kind in ("mine", "comparison", "healer", "tank", "wipe", "deaths", "preparation", "time", "benchmark"):
        assert len(tagged(suite, kind)) >= 2, kind
    assert len(tagged(suite, "German")) >= 10
    assert len(tagged(suite, "embedded20")) == 20
    assert len(tagged(suite, "held-out")) >= 30


def test_it_asks_for_every_tool_and_nothing_that_there_is_not(suite, settings):
    specs = load_parts(read_assistant(Path(suite.file).parent / "guild"), settings).tools.specs
    check_names(suite, specs)
    asked = {name for case in suite.cases for name in case.calls}
    asked |= {name for case in suite.cases for names in case.alternatives or () for name in names}
    assert asked == set(specs)


def test_no_answer_about_a_healer_may_name_damage(suite):
    assert all("DPS" in case.answer.none for case in tagged(suite, "healer"))
    assert all(case.answer.evidence for case in suite.cases if case.answer is not None)


@pytest.mark.slow
def test_reflex_answers_over_the_sample_what_it_can_and_nothing_wrongly(tmp_path):
    environment = {**os.environ, "GLASSLOOP_HOME": str(tmp_path)}
    command = [
        sys.executable,
        "-m",
        "glassloop",
        "eval",
        "raids",
        "-m",
        "reflex",
        "--cases",
        "tag:embedded20",
        "--json",
    ]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=1800, check=False)
    total = json.loads(done.stdout)["total"]
    assert total["answered"]["right"] >= 10
    assert total["right_of_answered"]["share"] == 1


async def test_the_guild_of_the_suite_is_made_once_in_a_database_of_its_own(settings, monkeypatch):
    loaded = []

    async def load(self, job, _params):
        loaded.append(job.user)
        await self._raids.add_character(job.user, "Ysolt", "", "Priest", "Shadow")

    monkeypatch.setattr(SampleLoader, "run", load)
    for _ in range(2):
        guild = SampleGuild()
        tools = {tool.name: tool for tool in guild.tools(settings.home_path, {"settings": settings})}
        told = await tools["resolve_my_fights"].execute({}, ToolContext(user=EVAL_USER))
        await guild.aclose()
        assert "Ysolt" in told.output
    assert loaded == [""]
    assert not (settings.home_path / "glassloop.db").exists()
