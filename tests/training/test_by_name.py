"""Tools that take a name, too: the look-up is left out, and the catalogue says so."""

import msgspec
from training.data.by_name import by_name
from training.data.conversation import Answer, Call, Conversation, Exchange, Group, ToolText
from training.data.requests import PlayedTools
from training.data.values import Rng

from glassloop.core.protocols.brief_json_protocol import BriefJsonProtocol


def tool(name, /, **described):
    properties = {key: {"type": "string", "description": text} for key, text in described.items()}
    return ToolText(name, f"{name} by its number.", {"type": "object", "properties": properties})


TOOLS = (
    tool("find_boat", name="Name."),
    tool("berth", boat="Number, such as B-417."),
    tool("owner", boat="Such as B-417."),
)
FIND = Call("I search.", "find_boat", {"name": "Tansy"}, '[{"boat":"B-417","name":"Tansy"}]')
BERTH = Call("Now it.", "berth", {"boat": "B-417"}, '{"boat":"B-417","pier":"N12"}')
TWO = msgspec.structs.replace(FIND, observation='[{"boat":"B-417","name":"Tansy"},{"boat":"B-9","name":"Tansy II"}]')
GREEN = msgspec.structs.replace(FIND, observation='{"boat":"B-417","paint":"green"}')
TALK = Conversation("x", (Exchange("Where does Tansy lie?", (FIND, BERTH, Answer("pier N12.", "At N12."))),))


def made(*conversations, seeds=60):
    group = Group("You help.", TOOLS, conversations)
    found = (by_name(Rng(seed), group) for seed in range(seeds))
    return [each for each in found if each != group]


def test_the_look_up_is_left_out_and_the_catalogue_says_that_a_name_will_do():
    changed = made(TALK)
    assert 10 < len(changed) < 60
    for group in changed:
        (call, answer) = group.conversations[0].exchanges[0].steps
        assert (call.tool, call.args, answer.text) == ("berth", {"boat": "Tansy"}, "At N12.")
        told = BriefJsonProtocol(tuned=True).frame("x", PlayedTools(group).specs).system
        assert "berth(boat? like B-417 or by name): berth by number or name." in told
        assert "owner(boat? like B-417): owner by its number." in told


def _with(**changed):
    return msgspec.structs.replace(TALK, exchanges=(msgspec.structs.replace(TALK.exchanges[0], **changed),))


def test_a_look_up_that_tells_more_than_the_id_stays():
    for steps in (
        (TWO, *TALK.exchanges[0].steps[1:]),
        (
            GREEN,
            BERTH,
            Answer("t", "A green one."),
        ),
        (FIND, msgspec.structs.replace(BERTH, learned=False), BERTH, Answer("t", "At N12.")),
        (FIND, BERTH, Call("Who?", "owner", {"boat": "B-417"}, "Ada"), Answer("t", "Ada.")),
    ):
        groups = made(_with(steps=steps))
        assert all(len(each.conversations) == 0 or each.conversations[0] == _with(steps=steps) for each in groups)
        assert not groups or steps[1].tool != "berth"


def test_a_group_does_not_lose_more_than_it_gains():
    other = _with(steps=(TWO, *TALK.exchanges[0].steps[1:]))
    assert made(TALK, other) == []
    assert {len(each.conversations) for each in made(TALK, TALK, other)} == {2}
