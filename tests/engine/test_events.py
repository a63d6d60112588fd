"""Events are for ever: their schema is a snapshot, their names are documented, every kind can be folded or shown."""

import importlib.util
import json
from pathlib import Path

import msgspec
import pytest

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.loop.fold import apply
from glassloop.core.loop.state import TurnState

ROOT = Path(__file__).parent.parent.parent


def kinds():
    return {kind.__struct_config__.tag: kind for kind in e.AnyEvent.__args__}


def test_the_schema_is_the_one_that_was_written_down():
    spec = importlib.util.spec_from_file_location("make_schema", ROOT / "scripts" / "make_schema.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    written = (ROOT / "docs" / "events.schema.json").read_text("utf-8")
    assert script.schema() == written, "the events changed: if only by addition, run scripts/make_schema.py"


def test_every_event_is_documented_with_all_its_fields():
    page = (ROOT / "docs" / "events.md").read_text("utf-8")
    for tag, kind in kinds().items():
        row = next((line for line in page.splitlines() if line.startswith(f"| `{tag}`")), None)
        assert row, f"{tag} is not in docs/events.md"
        for field in msgspec.structs.fields(kind):
            if field.name not in ("turn_id", "seq", "at"):
                assert f"`{field.name}`" in row, f"{tag} does not tell of {field.name}"


def test_durable_and_transient_kinds_are_told_apart():
    durable = set(e.Durable.__args__)
    assert durable.isdisjoint(e.TRANSIENT)
    assert durable | e.TRANSIENT == set(e.AnyEvent.__args__)


def test_a_transient_event_cannot_be_folded():
    with pytest.raises(UsageError, match="TextDelta"):
        apply(TurnState(), e.TextDelta(turn_id="t", seq=1, at=0.0, block=1, offset=0, text="x"))


def test_an_unknown_kind_is_refused_when_read():
    with pytest.raises(msgspec.ValidationError):
        e.decode(json.dumps({"type": "turn_teleported", "turn_id": "t", "seq": 1, "at": 0.0}))


def test_fields_that_came_later_do_not_disturb_an_older_reader():
    line = e.encode(e.TurnResumed(turn_id="t", seq=1, at=0.0))
    more = json.dumps(json.loads(line) | {"added_later": [1, 2]})
    assert e.decode(more) == e.TurnResumed(turn_id="t", seq=1, at=0.0)
