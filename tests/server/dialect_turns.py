"""What tests of the dialects share: turns of every kind, and what their answers have in common."""

import msgspec

from glassloop import ScriptedModel, tool
from glassloop.core.errors import ModelRejected
from glassloop.models.scripted_model import call
from server.authenticated import TOKEN

ADMIN = {"admin-token": TOKEN}


@tool(effect="read")
async def look(word: str) -> str:
    """Look a word up."""
    return f"{word} is 42"


@tool(effect="write", confirm=True)
async def write(text: str) -> str:
    """Write a text."""
    return f"wrote {text}"


LOOKED = (call("look", word="cat"), "It is 42.")
FAILS = (ModelRejected("The provider says no: ask something else."),)
WAITS = (call("write", text="a"), "Written.")
TRACE = ["think", "act", "observe", "think", "answer"]
"""Of a turn that looked once."""


def said_to(model, number=-1):
    """Everything a model was told in one request, as text."""
    return msgspec.json.encode(model.requests[number].messages).decode()


async def scripted(serve, script, **options):
    model = ScriptedModel(script)
    return model, await serve(script=model, tools=[look, write], **options)


def fields(record):
    return set(record.__struct_fields__)


def is_error(answer, status, kind, *words):
    """An `ErrorResponse`, whole."""
    assert answer.status_code == status, answer.text
    told = answer.json()
    assert set(told) == {"success", "error", "error_type", "details", "suggestions", "timestamp"}
    assert (told["success"], told["error_type"]) == (False, kind)
    for word in words:
        assert word in told["error"]


async def approve(client, waits):
    (asked,) = waits["approvals"]
    decision = {"call_id": asked["call"]["id"], "digest": asked["digest"], "approved": True}
    answer = await client.post(f"/api/turns/{waits['turn_id']}/approvals", json={"decisions": [decision]})
    assert answer.json() == {"done": True}


def chat(*texts, **more):
    roles = ("user", "assistant")
    said = [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
    return {"messages": said, **more}
