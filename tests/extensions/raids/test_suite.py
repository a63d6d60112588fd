"""The suite `raids`: large enough, over everything, with expectations that the assistant can meet."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from glassloop.evals.suite_files import find_suite
from glassloop.evals.target import check_names
from glassloop.extensions.raids.importing.sample import NOBODY
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.suites.guild.plugin import SampleGuild
from glassloop.extensions.reflex.fit import DeclinedQuestion, ToolFit, choose
from glassloop.runtime.assistants.assistant_files import load_parts, open_assistant, read_assistant
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
    assert total["answered"]["right"] >= 18
    assert total["right_of_answered"]["share"] == 1


@pytest.fixture(scope="module")
def specs():
    given = Settings(home="nowhere")
    return list(load_parts(open_assistant("raids", given), given).tools.specs.values())


CODE, OTHER = "k3d9xqplm2", "p4d9xqplm7"


@pytest.mark.parametrize(
    ("question", "tool", "args"),
    [
        # As the page asks.
        (
            f"How did the raid of report {CODE} go, and what should we improve first?",
            "get_raid_execution",
            {"report_code": CODE},
        ),
        (
            f"Compare the raids of report {CODE} and report {OTHER}: what got better, what got worse?",
            "compare_two_raids",
            {"report_a": CODE, "report_b": OTHER},
        ),
        (f"How did we do in fight 3 of report {CODE}?", "get_fight_details", {"report_code": CODE, "fight_id": 3}),
        (f"What went wrong in fight 3 of report {CODE}?", "get_fight_details", {"report_code": CODE, "fight_id": 3}),
        (
            f"What should Zorrin improve first, by fight 3 of report {CODE}?",
            "get_ability_breakdown",
            {"report_code": CODE, "fight_id": 3, "player_name": "Zorrin"},
        ),
        # As docs/raids.md asks.
        ("How was my last fight?", "resolve_my_fights", {}),
        ("Why did we wipe at Prince?", "get_wipe_progression", {"encounter_name": "prince"}),
        ("Have I improved at Gruul?", "get_progression", {"player_name": "i", "encounter_name": "gruul"}),
        ("Which fights did Zorrin take part in?", "search_fights", {"player_name": "Zorrin"}),
        # As raiders ask, in both languages.
        ("Wie war mein letzter Kampf?", "resolve_my_fights", {}),
        ("Wer ist im letzten Kampf gestorben?", "get_death_analysis", {"fight_id": "letzten kampf"}),
        ("Wie viele Wipes hatten wir bei Magtheridon?", "get_wipe_progression", {"encounter_name": "magtheridon"}),
        ("Did I use my cooldowns?", "get_cooldown_efficiency", {"player_name": "my"}),
        ("How often did we kill mag?", "search_fights", {"encounter_name": "mag", "kill": True}),
        ("Show the wipes of Kelwin", "search_fights", {"player_name": "Kelwin", "kill": False}),
        ("Compare our last two raids", "compare_two_raids", {}),
    ],
)  # fmt: skip
def test_reflex_finds_the_tool_of_a_raiders_question(specs, question, tool, args):
    found = choose(specs, question)
    assert isinstance(found, ToolFit), found
    said = {name: value.lower() if name == "encounter_name" else value for name, value in found.args.items()}
    assert (found.tool, {**said, **args}) == (tool, said)


@pytest.mark.parametrize(
    "question",
    [
        "Who did not die in the last fight?",
        "Did everybody but Zorrin have a flask?",
        "How did Zorrin do at Gruul and Prince?",
        "Is Kelwin better than Zorrin?",
        "Which loot dropped in the last raid?",
        "List kills of the guild Ironforge",
        "Wie war die Stimmung im letzten Kampf?",
        "Wer hat am meisten geheilt?",
    ],
)
def test_reflex_declines_what_no_tool_says_of_a_raid(specs, question):
    assert isinstance(choose(specs, question), DeclinedQuestion)


async def test_the_guild_of_the_suite_is_made_once_in_a_database_of_its_own(settings):
    loaded = []

    async def load(context):
        loaded.append(context)
        await RaidStore(context.store).add_character(NOBODY, "Ysolt", "", "Priest", "Shadow")

    for _ in range(2):
        guild = SampleGuild(load)
        tools = {tool.name: tool for tool in guild.tools(settings.home_path, {"settings": settings})}
        told = await tools["resolve_my_fights"].execute({}, ToolContext(user=EVAL_USER))
        await guild.aclose()
        assert "Ysolt" in told.output
    assert len(loaded) == 1
    assert not (settings.home_path / "glassloop.db").exists()
