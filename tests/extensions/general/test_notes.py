"""`remember`, `recall`, `forget`: kept per user, once per call, found by what they say."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from glassloop.core.errors import BadArguments, ToolError
from glassloop.extensions.general.tools import make_tools
from glassloop.runtime.tools.notes_file import NotesFile
from glassloop.store.log.redaction import Redactor
from glassloop.tools.tool import Tool, ToolContext


def by(user: str, call: str = "", turn: str = "t1") -> ToolContext:
    return ToolContext(user=user, turn_id=turn, call_id=call, session_id="s")


async def recall(tools: dict[str, Tool], user: str, query: str = "", limit: int = 5) -> dict[str, Any]:
    return (await tools["recall"].execute({"query": query, "limit": limit}, by(user))).data


async def texts(tools: dict[str, Tool], user: str, query: str = "", limit: int = 5) -> list[str]:
    return [note["text"] for note in (await recall(tools, user, query, limit))["notes"]]


async def keep(tools: dict[str, Tool], user: str, *notes: str) -> None:
    for note in notes:
        await tools["remember"].execute({"text": note}, by(user))


async def test_a_note_is_found_by_its_words_and_others_are_not(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "My sister's birthday is 3 May.", "I prefer trains to planes.", "The cat is called Moss.")
    assert await texts(tools, "ada", "when is my sister's birthday?") == ["My sister's birthday is 3 May."]


async def test_the_note_that_shares_more_comes_first_and_the_newer_breaks_ties(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "Garden: roses", "Garden: tulips", "Garden roses need water in June")
    assert await texts(tools, "ada", "garden roses") == [
        "Garden roses need water in June",
        "Garden: roses",
        "Garden: tulips",
    ]


async def test_chinese_notes_are_found_without_spaces(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "我妹妹的生日是五月三日", "我住在柏林")
    assert await texts(tools, "ada", "妹妹什么时候生日") == ["我妹妹的生日是五月三日"]


async def test_a_topic_is_searched_too(tools: dict[str, Tool]) -> None:
    await tools["remember"].execute({"text": "Moss is five", "topic": "cat"}, by("ada"))
    (note,) = (await recall(tools, "ada", "my cats"))["notes"]
    assert note == {"id": 1, "text": "Moss is five", "topic": "cat", "saved": "2026-11-16 12:00 UTC"}


async def test_an_empty_query_gives_the_latest_within_the_limit(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "one", "two", "three")
    assert await texts(tools, "ada", limit=2) == ["three", "two"]


async def test_users_do_not_see_each_others_notes(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "The safe opens with 1815")
    assert await recall(tools, "bob", "safe") == {"notes": [], "known": 0, "message": "Nothing is known."}
    with pytest.raises(BadArguments, match="no note 1"):
        await tools["forget"].execute({"note_id": 1}, by("bob"))
    assert await texts(tools, "ada", "safe") == ["The safe opens with 1815"]


async def test_recall_says_when_nothing_is_known_about_it(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "I like tea")
    assert (await recall(tools, "ada", "shoes"))["message"] == "Nothing is known about 'shoes'."


async def test_the_same_call_replayed_stores_once_and_gives_the_same_note(tools: dict[str, Tool]) -> None:
    first = await tools["remember"].execute({"text": "I like tea"}, by("ada", "c1"))
    again = await tools["remember"].execute({"text": "I like tea"}, by("ada", "c1"))
    assert first.data == again.data
    assert (await recall(tools, "ada"))["known"] == 1


async def test_the_same_words_are_kept_once(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "I like tea", "  I like tea ")
    assert (await recall(tools, "ada"))["known"] == 1


async def test_a_forgotten_note_is_gone_from_every_table(tools: dict[str, Tool], tmp_path: Path) -> None:
    await tools["remember"].execute({"text": "zanzibar"}, by("ada", "c1"))
    await tools["forget"].execute({"note_id": 1}, by("ada", "c2"))
    replayed = await tools["forget"].execute({"note_id": 1}, by("ada", "c2"))
    assert replayed.data == {"forgotten": 1}
    assert (await recall(tools, "ada"))["known"] == 0
    with sqlite3.connect(tmp_path / "home" / "notes.db") as connection:
        assert not [line for line in connection.iterdump() if "zanzibar" in line]
    connection.close()


async def test_a_new_note_never_takes_the_number_of_a_forgotten_one(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "one")
    await tools["forget"].execute({"note_id": 1}, by("ada", "c1"))
    await keep(tools, "ada", "two")
    assert (await recall(tools, "ada"))["notes"][0]["id"] == 2


async def test_forget_asks_first_and_shows_the_note(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "I like tea")
    forget = tools["forget"]
    assert forget.spec.confirm
    shown = await forget.preview(forget.validate({"note_id": 1}), by("ada"))
    assert shown["forget"]["text"] == "I like tea"
    with pytest.raises(BadArguments, match="There is no note 2: use recall"):
        await forget.preview(forget.validate({"note_id": 2}), by("ada"))


async def test_notes_outlive_the_process_that_wrote_them(tmp_path: Path) -> None:
    for text in ("one", "two"):
        made = {tool.name: tool for tool in make_tools(tmp_path)}
        await keep(made, "ada", text)
    assert await texts({tool.name: tool for tool in make_tools(tmp_path)}, "ada") == ["two", "one"]


async def test_many_writers_at_once_lose_nothing(tools: dict[str, Tool]) -> None:
    await asyncio.gather(*(keep(tools, "ada", f"fact number {index}") for index in range(24)))
    found = await recall(tools, "ada", limit=50)
    assert found["known"] == 24
    assert {note["id"] for note in found["notes"]} == set(range(1, 25))


@pytest.mark.parametrize(
    ("text", "topic", "words"), [("  ", "", "nothing"), ("x" * 2001, "", "too long"), ("x", "t" * 81, "too long")]
)
async def test_empty_and_oversized_notes_are_refused(tools: dict[str, Tool], text: str, topic: str, words: str) -> None:
    with pytest.raises(BadArguments, match=words):
        await tools["remember"].execute({"text": text, "topic": topic}, by("ada"))


async def test_text_that_looks_like_sql_is_only_text(tools: dict[str, Tool]) -> None:
    await keep(tools, "ada", "x'); DROP TABLE notes; --")
    assert await texts(tools, "ada", "drop table") == ["x'); DROP TABLE notes; --"]


async def test_what_is_deleted_of_a_user_is_gone_from_the_files_and_that_of_others_is_not(
    tools: dict[str, Tool], tmp_path: Path
) -> None:
    await keep(tools, "ada", "Ada likes cormorants.", "Ada likes herons.")
    await keep(tools, "bob", "Bob likes cormorants.")
    await tools["todo"].execute({"action": "add", "text": "Ada feeds the herons"}, by("ada"))
    notes = NotesFile(tmp_path / "home")
    assert (notes.count("ada"), notes.count("bob")) == (2, 1)
    assert notes.forget("ada", ["s"]) == 3
    left = b"".join(path.read_bytes() for path in (tmp_path / "home").glob("notes.db*"))
    assert b"Ada" not in left
    assert b"Bob likes cormorants." in left
    assert (notes.count("ada"), notes.forget("ada")) == (0, 0)
    assert await texts(tools, "bob") == ["Bob likes cormorants."]


async def test_there_is_nothing_to_delete_where_nothing_was_kept(tmp_path: Path) -> None:
    notes = NotesFile(tmp_path / "home")
    assert (notes.count("ada"), notes.forget("ada")) == (0, 0)
    assert not (tmp_path / "home").exists()


async def test_making_the_tools_writes_nothing(tools: dict[str, Tool], tmp_path: Path) -> None:
    assert not (tmp_path / "home").exists()


async def test_the_file_is_readable_by_its_owner_only(tools: dict[str, Tool], tmp_path: Path) -> None:
    await keep(tools, "ada", "secret")
    assert (tmp_path / "home" / "notes.db").stat().st_mode & 0o077 == 0


async def test_a_file_that_is_no_database_is_reported_with_the_remedy(tools: dict[str, Tool], tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "notes.db").write_bytes(b"not a database, but long enough to be read as one" * 10)
    with pytest.raises(ToolError, match=r"notes\.db.*move it away"):
        await recall(tools, "ada")


async def test_a_file_of_a_newer_version_is_left_alone(tools: dict[str, Tool], tmp_path: Path) -> None:
    await keep(tools, "ada", "one")
    connection = sqlite3.connect(tmp_path / "home" / "notes.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ToolError, match="newer version"):
        await recall(tools, "ada")


async def test_keys_and_passwords_are_left_out_of_notes_and_lists_and_that_is_told(tmp_path: Path) -> None:
    tools = {made.name: made for made in make_tools(tmp_path, redact=Redactor(["Blaubeere-Nord"]).text)}
    key, password = "sk-ant-" + "api03-abcdefghijklmnop1234", "hunter2hunter2"
    said = f"The build key is {key}, password: {password}, and ours is Blaubeere-Nord."
    note = (await tools["remember"].execute({"text": said}, by("ada"))).data["remembered"]
    await tools["todo"].execute({"action": "add", "text": f"Change {key}"}, by("ada"))
    assert note["text"] == "The build key is [redacted], password: [redacted], and ours is [redacted]."
    assert "left out" in note["left_out"]
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not [secret for secret in (key, password, "Blaubeere") if secret.encode() in kept]
