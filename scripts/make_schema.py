"""Writes the schema of the events to docs/events.schema.json: `python scripts/make_schema.py`. Additive only."""

import json
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

from glassloop.core.events import AnyEvent

TARGET = Path(__file__).parent.parent / "docs" / "events.schema.json"


def schema() -> str:
    return json.dumps(_evened(msgspec.json.schema(AnyEvent)), indent=1, sort_keys=True) + "\n"


def _evened(part: Any) -> Any:
    """With descriptions as Python 3.13 has them: before, docstrings kept the indent of the code around them."""
    if isinstance(part, dict):
        found = {name: _evened(value) for name, value in part.items()}
        told = found.get("description")
        return {**found, "description": cleandoc(told)} if isinstance(told, str) else found
    return [_evened(each) for each in part] if isinstance(part, list) else part


if __name__ == "__main__":
    TARGET.write_text(schema(), "utf-8")
    print(f"wrote {TARGET.relative_to(Path.cwd())}")
