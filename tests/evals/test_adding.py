"""A stored turn becomes a case: asked again as it was, expected as it was rated."""

import pytest

from evals.shop import WANTED
from glassloop.core.errors import UnknownName, UsageError
from glassloop.evals.suite_files import BUNDLED, read_suite
from glassloop.evals.turn_case import add_turn
from glassloop.models.scripted_model import call
from glassloop.runtime.settings import Settings

GOOD = [call("price", item="lamp", pieces=2), "They cost 25 euros, for 2 lamps."]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mine.toml"


@pytest.fixture
def asked(opens, tmp_path):
    """Asks questions in one session; the runtime and the ids of the turns."""

    async def ask(script, *questions):
        runtime = await opens(script)
        turns = []
        for question in questions:
            submitted = await runtime.submit(question, session_id="s-1", wanted=WANTED)
            async for _ in runtime.watch(submitted.turn_id):
                pass
            turns.append(submitted.turn_id)
        return runtime, turns

    return ask


async def test_a_turn_of_a_session_rated_good_must_go_so_again(asked, asks, path, tmp_path):
    runtime, (turn,) = await asked(GOOD, "What do 2 lamps cost?")
    await runtime.store.sessions.add_rating("s-1", "good", "as it should be")
    added = await add_turn(runtime.store, turn, path, Settings(home=str(tmp_path)), tags=["shop"])
    assert (added.rating, added.rated_by, added.made) == ("good", "the session", True)
    suite = read_suite(path)
    (case,) = suite.cases
    assert (suite.assistant, case.question, case.note, case.tags) == (
        "shop",
        "What do 2 lamps cost?",
        "as it should be",
        ("shop",),
    )
    (right,) = await asks(suite, GOOD)
    assert right.passed, right.problems
    assert (right.tool, right.arguments, right.answer) == (True, True, True)
    (wrong,) = await asks(suite, [call("price", item="lamp"), "It costs 12.5."], path=tmp_path / "other.jsonl")
    assert (wrong.tool, wrong.arguments, wrong.answer) == (True, False, False)


async def test_a_turn_rated_bad_must_not_go_so_again(asked, asks, path, tmp_path):
    runtime, (turn,) = await asked(GOOD, "What do 3 lamps cost?")
    await add_turn(
        runtime.store, turn, path, Settings(home=str(tmp_path)), rating="bad", note="three, not two", ident="three"
    )
    suite = read_suite(path)
    assert (suite.cases[0].id, suite.cases[0].note) == ("three", "three, not two")
    (again,) = await asks(suite, GOOD)
    assert (again.tool, again.answer, again.passed) == (None, False, False)
    better = [call("price", item="lamp", pieces=3), "They cost 37.5."]
    (mended,) = await asks(suite, better, path=tmp_path / "other.jsonl")
    assert mended.passed


async def test_the_questions_before_it_are_asked_too(asked, path, tmp_path):
    runtime, turns = await asked(["Hi.", "None needed.", *GOOD], "Hello?", "/help", "And lamps?", "What do 2 cost?")
    added = await add_turn(runtime.store, turns[-1], path, Settings(home=str(tmp_path)), rating="good")
    assert added.questions == 3
    assert read_suite(path).cases[0].questions == ("Hello?", "And lamps?", "What do 2 cost?")


async def test_what_stands_in_the_suite_stays_as_it_is(asked, path, tmp_path):
    text = '# mine\nname = "mine"\nassistant = "shop"\n[[cases]]\nid = "old"\nquestion = "Q"\ntools = "none" # so'
    path.write_text(text)
    runtime, (turn,) = await asked(["Hello."], "Hi?")
    added = await add_turn(runtime.store, turn, path, Settings(home=str(tmp_path)), rating="good")
    assert not added.made
    assert path.read_text().startswith(text)
    assert [case.tools for case in read_suite(path).cases] == ["none", "none"]
    before = path.read_text()
    with pytest.raises(UsageError, match="already"):
        await add_turn(runtime.store, turn, path, Settings(home=str(tmp_path)), rating="good")
    assert path.read_text() == before
    assert list(tmp_path.glob("tmp*")) == []


async def test_what_cannot_be_a_case_is_refused_and_nothing_is_written(asked, path, tmp_path):
    runtime, (turn, command) = await asked(["Hello."], "Hi?", "/help")
    for given, word, target in (
        ({"turn_id": turn}, "Nobody has rated", path),
        ({"turn_id": command, "rating": "good"}, "the command '/help'", path),
        ({"turn_id": turn, "rating": "good"}, "ends in .toml", tmp_path / "mine.txt"),
        ({"turn_id": turn, "rating": "good"}, "is fixed", BUNDLED / "tools40.toml"),
        ({"turn_id": turn, "rating": "good"}, "cannot be written", tmp_path / "none" / "mine.toml"),
        ({"turn_id": turn, "rating": "good", "ident": "a b"}, "'a b' must be letters", path),
    ):
        with pytest.raises(UsageError, match=word):
            await add_turn(runtime.store, given.pop("turn_id"), target, Settings(home=str(tmp_path)), **given)
    with pytest.raises(UnknownName, match="'nobody'"):
        await add_turn(runtime.store, "nobody", path, Settings(home=str(tmp_path)))
    assert not path.exists()


async def test_a_suite_of_another_assistant_is_not_for_it(asked, path, tmp_path):
    path.write_text('name = "m"\nassistant = "general"\n[[cases]]\nid = "old"\nquestion = "Q"\ntools = "none"\n')
    runtime, (turn,) = await asked(["Hello."], "Hi?")
    with pytest.raises(UsageError, match="'shop' and the suite asks 'general'"):
        await add_turn(runtime.store, turn, path, Settings(home=str(tmp_path)), rating="good")


async def test_texts_of_any_kind_come_back_as_they_were(asked, path, tmp_path):
    question = 'Say "x" \\ \n\ttwo lines, 订单 \x7f and {braces} = 1 # no comment'
    runtime, (turn,) = await asked([call("price", item='a "b" \\\n'), "So."], question)
    await add_turn(runtime.store, turn, path, Settings(home=str(tmp_path)), rating="good")
    (case,) = read_suite(path).cases
    assert case.question == question
    assert case.arguments["price"]["item"] == 'a "b" \\\n'


async def test_an_answer_without_figures_that_was_rated_bad_must_not_be_given_again(asked, asks, path, tmp_path):
    runtime, (turn,) = await asked(["I will not say."], "Hi?")
    await add_turn(runtime.store, turn, path, Settings(home=str(tmp_path)), rating="bad")
    suite = read_suite(path)
    (again,) = await asks(suite, ["I will  not say."])
    assert not again.passed
    (better,) = await asks(suite, ["Hello!"], path=tmp_path / "other.jsonl")
    assert better.passed
