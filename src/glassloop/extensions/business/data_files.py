"""The files in `data`: what this extension knows that is no code."""

import tomllib
from importlib.resources import files
from typing import Any

_FOLDER = files("glassloop.extensions.business") / "data"


def read_text(path: str) -> str:
    return (_FOLDER / path).read_text("utf-8")


def read_toml(path: str) -> dict[str, Any]:
    return tomllib.loads(read_text(path))
