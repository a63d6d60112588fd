"""Writes the schema of the events to docs/events.schema.json: `python scripts/make_schema.py`. Additive only."""

import json
from pathlib import Path

import msgspec

from glassloop.core.events import AnyEvent

TARGET = Path(__file__).parent.parent / "docs" / "events.schema.json"


def schema() -> str:
    return json.dumps(msgspec.json.schema(AnyEvent), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    TARGET.write_text(schema(), "utf-8")
    print(f"wrote {TARGET.relative_to(Path.cwd())}")
