"""Events to put into a store: what a small turn records."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from glassloop.core import events as e
from glassloop.core.records import ToolCall, ToolResult
from glassloop.store.stored_form import Row, to_lines


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
    return e.TurnPaused(turn_id=turn, seq=seq, at=1_700_000_003.0, reason="approval", call_ids=("c1",))


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
    """Changes the line of that event in the log of a file, in every turn that has it; as version 0004 wrote lines."""
    rows = "SELECT turn_id, seq, last, at, kind, body FROM events WHERE seq <= ? AND last >= ?"
    with closing(sqlite3.connect(path)) as connection, connection:
        for row in map(Row._make, connection.execute(rows, [seq, seq]).fetchall()):
            lines = list(to_lines(row))
            lines[seq - row.seq] = change(lines[seq - row.seq])
            values = [b"\n".join(lines), row.turn_id, row.seq]
            connection.execute("UPDATE events SET body = ? WHERE turn_id = ? AND seq = ?", values)


def renamed(line, kind="dream_dreamt"):
    """The line of an event of a kind that nobody knows."""
    return re.sub(rb'"type":"\w+"', f'"type":"{kind}"'.encode(), line, count=1)
