"""What `search_past_conversations` tells of each conversation."""

from glassloop.runtime.conversations.index import PastTurn
from glassloop.runtime.tools.conversations import make_tools
from glassloop.tools.tool import ToolContext


class Past:
    """Finds one turn, whatever is looked for."""

    def __init__(self, **fields) -> None:
        told = {"session_id": "s", "turn_id": "t", "title": "", "at": "2026-11-01T10:00:00Z", "assistant": "places"}
        given = {"question": "How is it?", "passage": "", "tools": (), "relevance": 0.5, "why": "both"}
        self.turn = PastTurn(**told | given | fields)

    async def search(self, query, *, user, session_id):
        return [self.turn]

    async def sourced(self, found):
        return ()


async def told(tmp_path, **fields):
    (found,) = make_tools(tmp_path, Past(**fields))
    result = await found.execute({"query": "it"}, ToolContext(user="ann"))
    (one,) = result.data["conversations"]
    return one


async def test_a_conversation_has_a_link_and_no_field_that_says_nothing(tmp_path):
    found = await told(tmp_path, session_id="a/b", passage="How is it?\n\nFine.")
    assert found["link"] == "/#/s/a%2Fb"
    assert found["passage"] == "Fine."
    assert "title" not in found and "tools" not in found


async def test_a_long_passage_is_cut_and_says_by_how_much(tmp_path):
    found = await told(tmp_path, passage="x" * 9_000)
    assert len(found["passage"]) < 2_100
    assert found["passage"].endswith("(7,000 characters left out)")
