"""One question for an everyday tool: how it is said, the call, the answer."""

from typing import Any

import msgspec

from training.data.catalogue import Tool
from training.data.conversation import Answer, Call, Language


class Task(msgspec.Struct, frozen=True):
    """A question in a language, the call it leads to, and the answer."""

    question: str
    call: Call
    answer: Answer
    language: Language = "en"


def args_of(tool: Tool, *values: Any) -> dict[str, Any]:
    """The values under the names of the tool's parameters; None is left out."""
    names = tool.given or tuple(param.name for param in tool.params)
    known = {name: value for name, value in zip(names, values, strict=False) if value is not None}
    return {param.name: known[param.name] for param in tool.params if param.name in known}


def in_language(language: Language, en: str, de: str, zh: str) -> str:
    return {"en": en, "de": de, "zh": zh}[language]
