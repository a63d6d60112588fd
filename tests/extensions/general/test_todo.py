"""`todo`: a list per session that every action returns."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from glassloop.core.errors import BadArguments
from glassloop.tools.tool import Tool, ToolContext


async def todo(tools: dict[str, Tool], action: str, session: str = "s1", call: str = "", **more: Any) -> list[Any]:
    context = ToolContext(session_id=session, turn_id="t", call_id=call)
    found = (await tools["todo"].execute({"action": action, **more}, context)).data
    return [(item["item"], item["text"], item["done"]) for item in found["items"]]


async def test_items_are_added_done_removed_and_cleared(tools: dict[str, Tool]) -> None:
    assert await todo(tools, "list") == []
    await todo(tools, "add", text="find the recipe")
    assert await todo(tools, "add", text="buy flour") == [(1, "find the recipe", False), (2, "buy flour", False)]
    assert await todo(tools, "done", item=1) == [(1, "find the recipe", True), (2, "buy flour", False)]
    assert await todo(tools, "remove", item=1) == [(2, "buy flour", False)]
    assert await todo(tools, "clear") == []


async def test_open_items_are_counted(tools: dict[str, Tool]) -> None:
    await todo(tools, "add", text="one")
    await todo(tools, "add", text="two")
    found = await tools["todo"].execute({"action": "done", "item": 2}, ToolContext(session_id="s1"))
    assert found.data["open"] == 1


async def test_the_model_reads_what_is_open_and_how_many_are_done(tools: dict[str, Tool]) -> None:
    for text in ("one", "two", "three"):
        await todo(tools, "add", text=text)
    found = await tools["todo"].execute({"action": "done", "item": 2}, ToolContext(session_id="s1"))
    assert found.output == "1. [ ] one\n3. [ ] three\n1 of 3 done"
    listed = await tools["todo"].execute({"action": "list"}, ToolContext(session_id="s1"))
    assert listed.output == "1. [ ] one\n2. [x] two\n3. [ ] three\n1 of 3 done"
    cleared = await tools["todo"].execute({"action": "clear"}, ToolContext(session_id="s1"))
    assert cleared.output == "The list is empty."


async def test_an_item_can_be_named_by_its_text(tools: dict[str, Tool]) -> None:
    await todo(tools, "add", text="Buy flour")
    assert await todo(tools, "done", text="flour") == [(1, "Buy flour", True)]


async def test_sessions_have_lists_of_their_own(tools: dict[str, Tool]) -> None:
    await todo(tools, "add", text="one", session="s1")
    assert await todo(tools, "list", session="s2") == []


async def test_a_replayed_call_changes_nothing_more(tools: dict[str, Tool]) -> None:
    for _ in range(2):
        assert await todo(tools, "add", call="c1", text="one") == [(1, "one", False)]
    await todo(tools, "add", call="c2", text="two")
    for _ in range(2):
        assert await todo(tools, "remove", call="c3", item=1) == [(2, "two", False)]


async def test_numbers_are_not_used_again(tools: dict[str, Tool]) -> None:
    await todo(tools, "add", text="one")
    await todo(tools, "clear")
    assert await todo(tools, "add", text="two") == [(2, "two", False)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"action": "add"}, "give its text"),
        ({"action": "add", "text": "x" * 301}, "300"),
        ({"action": "done", "item": 7}, "numbers are 1"),
        ({"action": "remove", "text": "nowhere"}, "'nowhere' is not one item"),
        ({"action": "polish"}, "action"),
    ],
)
async def test_what_cannot_be_done_is_said(tools: dict[str, Tool], arguments: dict[str, Any], words: str) -> None:
    await todo(tools, "add", text="one")
    with pytest.raises(BadArguments, match=words):
        await tools["todo"].execute(arguments, ToolContext(session_id="s1"))


async def test_a_full_list_is_refused(tools: dict[str, Tool], tmp_path: Path) -> None:
    await todo(tools, "add", text="one")
    with closing(sqlite3.connect(tmp_path / "home" / "notes.db")) as connection, connection:
        rows = [("s1", number, "more", 0) for number in range(2, 101)]
        connection.executemany("INSERT INTO todos (owner, number, text, done) VALUES (?, ?, ?, ?)", rows)
    with pytest.raises(BadArguments, match="limit"):
        await todo(tools, "add", text="one too many")
