"""Finding sessions by the exact words in them, the same on every database."""

import pytest

from glassloop.core.errors import UsageError
from store.made_events import answered, finished, started


async def tell(store, turn, question, answer, *, session, user="ann", at=1_700_000_000.0):
    await store.turns.append(
        turn,
        [
            started(turn, session=session, user=user, question=question, at=at),
            answered(turn, 2, answer),
            finished(turn, 3),
        ],
    )


async def found(store, *words, user="ann", **more):
    return [hit.session.id for hit in await store.search.find_words(user, words, **more)]


@pytest.fixture
async def talks(store):
    await tell(store, "t1", "How high is the Zugspitze?", "It is 2,962 m high.", session="s1", at=1_700_000_001.0)
    await tell(store, "t2", "And in feet?", "9,718 ft.", session="s1", at=1_700_000_002.0)
    await tell(store, "t3", "Convert 100% of it_all", "50!", session="s2", at=1_700_000_003.0)
    await tell(store, "t4", "How high is the Zugspitze?", "Bob's own.", session="s3", user="bob", at=1_700_000_004.0)
    return store


async def test_a_session_is_found_by_its_question_its_answer_and_any_part_of_a_word(talks):
    assert await found(talks, "Zugspitze") == ["s1"]
    assert await found(talks, "9,718") == ["s1"]
    assert await found(talks, "gspit") == ["s1"]
    assert await found(talks, "Matterhorn") == []


async def test_upper_and_lower_case_do_not_matter(talks):
    assert await found(talks, "zugSPITZE") == ["s1"]


async def test_every_word_must_occur_somewhere_in_the_session(talks):
    assert await found(talks, "zugspitze", "feet") == ["s1"]
    assert await found(talks, "zugspitze", "convert") == []


async def test_sessions_come_newest_first_and_at_most_so_many(talks):
    assert await found(talks, "i") == ["s2", "s1"]
    assert await found(talks, "i", limit=1) == ["s2"]


async def test_nobody_finds_the_sessions_of_another_user(talks):
    assert await found(talks, "zugspitze", user="bob") == ["s3"]
    assert await found(talks, "zugspitze", user="eve") == []


@pytest.mark.parametrize(("word", "expected"), [("%", ["s2"]), ("_", ["s2"]), ("!", ["s2"]), ("100%", ["s2"])])
async def test_signs_that_mean_something_to_the_database_mean_themselves(talks, word, expected):
    assert await found(talks, word) == expected


async def test_letters_of_other_scripts_are_found_as_they_were_written(store):
    await tell(store, "t1", "披锋 on part 8841, Änderung?", "Grat 🙂", session="s1")
    for word in ("披锋", "锋", "Änderung", "🙂"):
        assert await found(store, word) == ["s1"], word


async def test_the_excerpt_shows_the_text_with_most_of_the_words_and_its_turn(talks):
    (hit,) = await talks.search.find_words("ann", ["high"])
    assert (hit.excerpt, hit.turn_id, hit.share) == ("How high is the Zugspitze? It is 2,962 m high.", "t1", 1.0)
    (hit,) = await talks.search.find_words("ann", ["feet"])
    assert (hit.excerpt, hit.turn_id) == ("And in feet?", "t2")
    (hit,) = await talks.search.find_words("ann", ["zugspitze", "high", "feet"])
    assert (hit.turn_id, hit.share) == ("t1", pytest.approx(2 / 3))


async def test_a_title_is_found_as_soon_as_it_is_given(talks):
    await talks.sessions.rename("s2", "Mountains")
    (hit,) = await talks.search.find_words("ann", ["mount"])
    assert (hit.session.id, hit.excerpt, hit.turn_id) == ("s2", "Mountains", None)


async def test_what_still_runs_and_what_was_forgotten_is_not_found(store):
    await tell(store, "t1", "Where is the heron?", "By the weir.", session="s1", at=1_000.0)
    await store.turns.append("t2", [started("t2", session="s1", user="ann", question="A marmot?", at=1_001.0)])
    assert await found(store, "marmot") == []
    assert await found(store, "weir") == ["s1"]
    await store.sessions.forget("s1")
    assert await found(store, "weir") == []


async def test_a_long_text_is_cut_around_the_word(store):
    await tell(store, "t1", "Tell me", f"{'before ' * 100}needle{' after' * 100}", session="s1")
    (hit,) = await store.search.find_words("ann", ["needle"])
    assert "needle" in hit.excerpt
    assert hit.excerpt.startswith("…")
    assert hit.excerpt.endswith("…")
    assert len(hit.excerpt) < 250


async def test_messages_that_belong_to_no_turn_are_searched_too(store):
    session = await store.sessions.create("ann")
    await store.sessions.add_message(session.id, "user", "A note about marmots")
    (hit,) = await store.search.find_words("ann", ["marmot"])
    assert (hit.session.id, hit.excerpt, hit.turn_id) == (session.id, "A note about marmots", None)


@pytest.mark.parametrize("word", ["\x00", "a\x00b", "\ud800", "'; DROP TABLE sessions; --", ":user", "%s", "\\"])
async def test_no_word_breaks_the_search(talks, word):
    assert await found(talks, word) == []
    assert await found(talks, "zugspitze") == ["s1"]


async def test_of_too_many_or_too_long_words_only_so_much_is_looked_for(talks):
    assert await found(talks, *["zugspitze"] * 12, "marmot") == ["s1"]
    assert await found(talks, "", "  ") == []
    assert await found(talks, "a" * 5_000) == []


@pytest.mark.parametrize("limit", [0, 101])
async def test_a_search_out_of_bounds_is_refused_with_the_bounds(store, limit):
    with pytest.raises(UsageError, match="1 to 100"):
        await store.search.find_words("ann", ["a"], limit)
