"""Events to put into a store: what a small turn records."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from glassloop.core import events as e
from glassloop.core.records import ToolCall, ToolResult
from glassloop.store.log.event_codec import row_body


def started(turn="t1", *, session="s1", user="ann", question="What is it?", at=1_700_000_000.0, **more):
    return e.TurnStarted(
        turn_id=turn, seq=1, at=at, question=question, user=user, session_id=session, assistant="general",
        model="scripted", protocol="native", **more,
    )  # fmt: skip


def thought(turn="t1", seq=2, text="Look it up.", at=1_700_000_001.0):
    return e.ThoughtRecorded(turn_id=turn, seq=seq, at=at, step=1, text=text)


def called(turn="t1", seq=2, **args):
    call = ToolCall(id="c1", tool="look", args=args)
    return e.ToolCalled(turn_id=turn, seq=seq, at=1_700_000_001.0, step=1, call=call, effect="read")


def returned(turn="t1", seq=3, output="42"):
    return e.ToolReturned(turn_id=turn, seq=seq, at=1_700_000_002.0, step=1, call_id="c1",
                          result=ToolResult(success=True, output=output))  # fmt: skip


def paused(turn="t1", seq=2):
    return e.TurnWaiting(turn_id=turn, seq=seq, at=1_700_000_003.0, reason="approval", call_ids=("c1",))


def resumed(turn="t1", seq=3):
    return e.TurnResumed(turn_id=turn, seq=seq, at=1_700_000_004.0)


def answered(turn="t1", seq=2, text="It is 42."):
    return e.AnswerGiven(turn_id=turn, seq=seq, at=1_700_000_005.0, text=text)


def finished(turn="t1", seq=3, status="completed", error=None):
    return e.TurnFinished(
        turn_id=turn, seq=seq, at=1_700_000_006.0, status=status, iterations=1, tool_calls=1, input_tokens=10,
        output_tokens=5, cost=0.25, unpriced_calls=0, seconds=1.5, error=error,
    )  # fmt: skip


def whole_turn(turn="t1", **start):
    """A turn with a call, from its question to its end."""
    return [started(turn, **start), called(turn, 2, key="a"), returned(turn, 3), answered(turn, 4), finished(turn, 5)]


def path_of(url):
    return Path(re.sub(r"^sqlite:///|\?.*$", "", url))


def spoil(path, seq, change):
    """Changes the JSON of that event in the log of a file, in every turn that has it."""
    rows = "SELECT turn_id, seq, body FROM events WHERE seq <= ? AND last >= ?"
    with closing(sqlite3.connect(path)) as connection, connection:
        for turn, first, body in connection.execute(rows, [seq, seq]).fetchall():
            items = [bytes(item) for item in msgspec.json.decode(row_body(body), type=list[msgspec.Raw])]
            items[seq - first] = change(items[seq - first])
            values = [b"[" + b",".join(items) + b"]", turn, first]
            connection.execute("UPDATE events SET body = ? WHERE turn_id = ? AND seq = ?", values)


def damaged(item):
    """The JSON of an event without its values."""
    return item[: item.index(b",")] + b"]"


def renamed(item, kind="dream_dreamt"):
    """The JSON of an event as one of a kind that nobody knows."""
    return re.sub(rb'^\["\w+"', f'["{kind}"'.encode(), item)
