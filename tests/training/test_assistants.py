"""Talks with the product's own assistants: played by the runtime, checked by its review, the same from a seed."""

import json
from collections import Counter

import pytest
from training.data.assistants.places.taken import telling_which
from training.data.assistants.stage import Stage, draw, play_assistant
from training.data.assistants.talk import Ask, Dropped, Seen, call, mistake
from training.data.assistants.wording import worded
from training.data.conversation import Answer
from training.data.values import Rng


@pytest.fixture
async def stage(tmp_path):
    async with Stage("business", draw(3)).opened(tmp_path) as opened:
        yield opened


def _talk(*steps):
    """A talk with these steps; an answer may be a function of what the last call returned."""

    def make(_rng, _language):
        seen = None
        for step in steps:
            seen = (yield step(seen) if callable(step) else step) or seen

    return make


def _count(seen):
    return seen.text.partition("positions ")[2].partition(",")[0]


async def test_a_talk_is_played_with_the_real_tools_and_begins_with_its_plan(stage):
    played = await stage.play(
        _talk(
            Ask("how many positions do we have on the shelves of every warehouse?"),
            call("All stock.", "get_inventory_levels"),
            lambda seen: Answer(f"Totals: positions {_count(seen)}.", f"{_count(seen)} positions."),
        )
    )
    first, last = (json.loads(one.decision) for one in played)
    assert first["thought"] == "get_inventory_levels." and first["args"] == {}
    assert int(last["response"].split()[0]) > 10
    shown = played[1].messages[-1]["content"]
    assert shown.startswith("Observation (get_inventory_levels): Stock") and shown.endswith("4 steps left.")
    assert "prompt_brief" not in played[0].messages[0]["content"] and "Tools:" in played[0].messages[0]["content"]


async def test_what_the_review_sends_back_is_not_learned(stage):
    invented = _talk(
        Ask("who has stock?"), call("Stock.", "get_inventory_levels"), Answer("It is 4398771.637.", "4398771.637.")
    )
    with pytest.raises(Dropped, match="sent back"):
        await stage.play(invented)


async def test_a_mistake_is_played_and_not_learned(stage):
    played = await stage.play(
        _talk(
            Ask("is there a supplier called Zzyzx?"),
            mistake("By number.", "get_vendors", vendors="Zzyzx"),
            call("The parameter is vendor.", "get_vendors", vendor="Zzyzx"),
            Answer("There is no vendor 'Zzyzx'.", "No, there is no such vendor."),
        )
    )
    assert [json.loads(one.decision)["action"] for one in played] == ["get_vendors", "answer"]
    assert "there is no 'vendors'" in played[0].messages[-1]["content"]


async def test_a_question_of_a_suite_and_a_step_too_few_are_refused(stage):
    with pytest.raises(Dropped, match="too near"):
        await stage.play(_talk(Ask("Which purchase orders are late?"), Answer("", "None.")))
    with pytest.raises(Dropped, match="the talk has None"):
        await stage.play(_talk(Ask("anything new in stock?"), call("Stock.", "get_inventory_levels")))


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("en", "Jade has 1 open orders, 1,204.50 USD.", "Jade has 1 open order, 1,204.50 USD."),
        ("en", "1 customers are at risk, 21 orders are late.", "1 customer is at risk, 21 orders are late."),
        ("de", "35.6 % (151,171.06 USD), am 2027-01-03.", "35.6 % (151,171.06 USD), am 2027-01-03."),
        ("de", "Heute sind 1 Bestellungen offen, 1 offene Deals.", "Heute ist 1 Bestellung offen, 1 offener Deal."),
        ("de", "1 Rechnungen sind bei Contact Pin 0.64 offen.", "1 Rechnung ist bei Contact Pin 0.64 offen."),
        ("zh", "占 35.6 %，1,204.50 USD。", "占 35.6 %，1,204.50 USD。"),
    ],
)
def test_answers_have_one_of_something_in_the_singular_and_figures_as_tools_write_them(language, text, wanted):
    assert worded(text, language) == wanted


def test_an_answer_says_which_of_two_areas_was_taken():
    steps = (Ask("how many in Denver?"), call("", "search_places", geo_filter="Denver"), Answer("", "There are 6."))
    talk = telling_which(_talk(*steps))(Rng(1), "en")
    assert isinstance(next(talk), Ask)
    talk.send(None)
    answer = talk.send(Seen("6 in Denver, CO (city) · taken as the city; there is also Denver (metro): …", None, False))
    assert answer.text.startswith("There are 6. ") and "not the metro area" in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("assistant", ["business", "code"])
async def test_the_same_seed_makes_the_same_talks_and_few_are_dropped(assistant, tmp_path, capsys):
    async def played(home):
        every = [talk async for talk in play_assistant(assistant, 11, 16, tmp_path / home)]
        # Commands of the code assistant say how long they took.
        told = [[one.messages[0] if assistant == "code" else one.messages for one in talk] for talk in every]
        return every, (told, [[one.decision for one in talk] for talk in every])

    talks, first = await played("one")
    # Where no sandbox can be made, commands of the code assistant are refused.
    assert len(talks) >= (10 if assistant == "code" else 14), capsys.readouterr().err
    assert first == (await played("two"))[1]
    kinds = Counter(one.kind for talk in talks for one in talk)
    assert set(kinds) <= {f"own {assistant}", "own route"} and kinds[f"own {assistant}"] > 15


@pytest.mark.slow
@pytest.mark.parametrize("assistant", ["places", "raids"])
async def test_few_talks_over_made_data_are_dropped(assistant, tmp_path, capsys):
    played = [talk async for talk in play_assistant(assistant, 11, 60, tmp_path)]
    assert len(played) >= 55, capsys.readouterr().err
