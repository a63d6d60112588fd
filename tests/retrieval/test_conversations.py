"""The index of past conversations: each user's own, forgotten for good, and whole again after a kill."""

import signal
import subprocess
import sys

import pytest

from glassloop.core.errors import StoreAway
from glassloop.retrieval import Library
from glassloop.retrieval.collections.conversations import Conversations, IndexedTurn
from glassloop.retrieval.index.embedding import HashingEmbedder

START_S = 60


def told(session, turn, text, **more):
    return IndexedTurn(session_id=session, turn_id=turn, title=text[:40], said=text, **more)


def opened(folder, embedder=None, url=None):
    return Conversations(Library(folder, embedder, database_url=url, pgvector=False))


@pytest.fixture
async def talks(tmp_path):
    made = opened(tmp_path / "talks")
    yield made
    await made.aclose()


@pytest.fixture(params=["files", "postgres"])
async def anywhere(request, tmp_path):
    """On the disk and in PostgreSQL."""
    made = opened(tmp_path / "talks", url=_url(request))
    yield made
    await made.aclose()


def _url(request):
    return request.getfixturevalue("postgres_schema") if request.param == "postgres" else None


def files_with(folder, word):
    return [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes().lower()]


async def found(talks, query, user="ann", **more):
    return [(hit.session_id, hit.turn_id) for hit in await talks.search(query, user=user, **more)]


async def test_before_anything_was_said_nothing_is_found_and_nothing_is_made(talks, tmp_path):
    assert await found(talks, "heron") == []
    assert await talks.forget(["s"]) == 0
    assert await talks.embed_pending() == 0
    assert not (tmp_path / "talks").exists()


@pytest.mark.parametrize("embedder", [None, HashingEmbedder()], ids=["words", "meaning"])
@pytest.mark.slow
async def test_others_change_nothing_of_hits_scores_or_counts(tmp_path, embedder):
    def mine():
        return [told("s", str(number), f"The heron of {place} waits") for number, place in enumerate(("Basel", "Bern"))]

    alone, shared = opened(tmp_path / "alone", embedder), opened(tmp_path / "shared", embedder)
    try:
        await alone.add("ann", mine())
        await shared.add("bob", [told("b", str(number), f"heron Basel waits {number}") for number in range(40)])
        await shared.add("", [told("n", "1", "heron Basel of nobody")])
        await shared.add("ann", mine())
        if embedder:
            await alone.embed_pending()
            await shared.embed_pending()
        one = await alone.search("heron Basel", user="ann", max_results=50)
        other = await shared.search("heron Basel", user="ann", max_results=50)
        assert one
        assert one == other
        assert {hit.session_id for hit in await shared.search("heron", user="bob", max_results=50)} == {"b"}
        assert len(await shared.kept(user="ann")) == 1
        assert await found(shared, "heron", user="eve") == []
    finally:
        await alone.aclose()
        await shared.aclose()


async def test_steps_are_found_from_their_own_session_only(anywhere):
    await anywhere.add("ann", [told("s", "1", "A long day", steps="The valve was at 4711 millibar")])
    assert await found(anywhere, "valve millibar", session_id="s") == [("s", "1")]
    assert await found(anywhere, "valve millibar", session_id="t") == []
    assert await found(anywhere, "valve millibar") == []
    assert await found(anywhere, "long day") == [("s", "1")]


async def test_what_is_forgotten_is_in_no_file(talks, tmp_path):
    await talks.add(
        "ann",
        [
            told("s", "1", "The word quokkaroo is said here", steps="and here wombatoid"),
            told("t", "1", "Something else stays"),
        ],
        {"s": "1", "t": "1"},
    )
    assert files_with(tmp_path, "quokkaroo")
    assert await talks.forget(["s", "unknown"]) == 1
    assert await found(talks, "quokkaroo wombatoid", session_id="s") == []
    assert await found(talks, "something else") == [("t", "1")]
    assert set(await talks.kept()) == {"t"}
    await talks.aclose()
    assert not files_with(tmp_path, "quokkaroo")
    assert not files_with(tmp_path, "wombatoid")


async def test_everything_of_a_user_goes_and_nothing_of_others(talks, tmp_path):
    for user in ("ann", "bob"):
        await talks.add(user, [told(user + number, "1", f"{user} said quokka{user} {number}") for number in "12"])
    assert await talks.forget_user("ann") == 2
    assert await found(talks, "said") == []
    assert len(await found(talks, "said", user="bob")) == 2
    await talks.aclose()
    assert not files_with(tmp_path, "quokkaann")
    assert not files_with(tmp_path, "ann said")


async def test_ids_that_were_imported_may_be_anything(anywhere):
    await anywhere.add("ann", [told("a/b%", "../c d", "The heron waits")])
    assert await found(anywhere, "heron") == [("a/b%", "../c d")]
    assert await anywhere.forget(["a/b%"]) == 1
    assert await found(anywhere, "heron") == []


async def test_what_is_forgotten_leaves_the_rest_as_it_was(anywhere):
    assert await anywhere.kept() == {}
    assert await anywhere.embed_pending() == await anywhere.forget(["s"]) == await anywhere.forget_user("ann") == 0
    for user in ("ann", "bob"):
        turns = [told(user + number, "1", f"{user} said quokka {number}", ended=number == "1") for number in "123"]
        await anywhere.add(user, turns, {turn.session_id: "all" for turn in turns})
    assert await anywhere.known_turns("ann1") == {"1"}
    assert await anywhere.known_turns("ann2") == set()
    assert await anywhere.forget(["ann1", "unknown"]) == 1
    assert len(await found(anywhere, "quokka")) == 2
    assert {each.mark for each in (await anywhere.kept(user="ann")).values()} == {"all"}
    assert await anywhere.forget_user("ann") == 2
    assert await found(anywhere, "quokka") == []
    assert len(await found(anywhere, "quokka", user="bob")) == 3
    await anywhere.drop()
    assert await anywhere.kept() == {}
    assert await anywhere.known_turns("bob1") == set()
    assert await found(anywhere, "quokka", user="bob") == []
    await anywhere.add("bob", [told("b", "1", "The heron waits")])
    assert await found(anywhere, "heron", user="bob") == [("b", "1")]


async def test_what_one_server_takes_in_another_finds_and_forgets(tmp_path, postgres_schema):
    one, other = (opened(tmp_path / name, url=postgres_schema) for name in ("one", "other"))
    try:
        await one.add("ann", [told("s", "1", "The heron waits")], {"s": "all"})
        assert await found(other, "heron") == [("s", "1")]
        assert await other.known_turns("s") == {"1"}
        assert await other.forget(["s"]) == 1
        assert await found(one, "heron") == []
        assert await one.kept() == {}
        assert not (tmp_path / "one").exists()
    finally:
        await one.aclose()
        await other.aclose()


async def test_an_index_that_was_lost_is_begun_again(talks, tmp_path):
    await talks.add("ann", [told("s", "1", "The heron waits")], {"s": "1"})
    (place,) = (tmp_path / "talks").glob("*/name")
    place.unlink()
    assert await talks.kept() == {}
    await talks.add("ann", [told("t", "1", "The marmot whistles")], {"t": "1"})
    assert set(await talks.kept()) == {"t"}


async def test_a_broken_ledger_is_told_and_made_anew(talks, tmp_path):
    await talks.add("ann", [told("s", "1", "The heron waits")], {"s": "1"})
    await talks.aclose()
    (tmp_path / "talks" / "ledger.db").write_bytes(b"nonsense" * 1000)
    again = opened(tmp_path / "talks")
    try:
        with pytest.raises(StoreAway, match="glassloop sessions index"):
            await again.kept()
        await again.drop()
        assert await again.kept() == {}
        await again.add("ann", [told("s", "1", "The heron waits")], {"s": "2"})
        assert await found(again, "heron") == [("s", "1")]
    finally:
        await again.aclose()


WRITER = """
import asyncio, sys
from pathlib import Path
from glassloop.retrieval import Library
from glassloop.retrieval.index import index_writer as writing
from glassloop.retrieval.collections.conversations import Conversations, IndexedTurn

# Small groups and many commits, so that the kill falls between any two of them.
writing.GROUP_CHUNKS, writing.COMMIT_S = 3, 0.01

async def main(folder):
    folder = Path(folder)
    talks = Conversations(Library(folder))
    for number in range(100):
        session = f"s{number}"
        turns = [
            IndexedTurn(
                session_id=session, turn_id=str(turn), title="t", said=f"heron{number}x{turn}", steps=f"valve{number}"
            )
            for turn in range(5)
        ]
        print(number, flush=True)
        await talks.add("ann", turns, {session: "all"})

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.slow
async def test_killed_while_it_writes_it_knows_what_is_missing_and_can_remove_what_went_in(tmp_path):
    folder = tmp_path / "talks"
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE)
    try:
        for _ in range(4):
            assert process.stdout.readline()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(START_S)
        process.stdout.close()
    talks = opened(folder)
    try:
        kept = await talks.kept()
        whole = [each.id for each in kept.values() if each.mark == "all"]
        assert {"s0", "s1", "s2"} <= set(whole)
        for session in whole:
            assert await talks.known_turns(session) == {"0", "1", "2", "3", "4"}
            assert (await found(talks, f"heron{session[1:]}x4"))[0] == (session, "4")
        # One may have been going in: it is written down, so that it can be removed.
        assert await talks.forget(list(kept)) == len(kept)
        assert await found(talks, "heron1x1 heron3x1") == []
        (index,) = folder.glob("*/truth.db")
        await talks.aclose()
        assert b"heron" not in index.read_bytes()
    finally:
        await talks.aclose()
