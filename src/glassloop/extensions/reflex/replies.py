"""Texts that `reflex` says: what tools returned, as they gave it, and why it does not answer. English and Chinese."""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Final, Literal, cast

import msgspec

from glassloop.core.messages import ToolMessage, ToolSpec
from glassloop.core.text_terms import has_cjk
from glassloop.extensions.reflex.fit import DeclinedQuestion

MAX_ANSWER: Final = 6_000
_MAX_WORDS = _MAX_TOOLS = 8

_texts: Final = msgspec.toml.decode(
    (files("glassloop.extensions.reflex") / "replies.toml").read_bytes(), type=dict[str, dict[Literal["en", "zh"], str]]
)
_GREETING: Final = re.compile(
    r"^ ?(?:(?:hello|hi|hey|good (?:morning|afternoon|evening)|thanks|thank you(?: very much)?|help|你好|您好|谢谢)"
    r"[\s!.?？！。,，]*+)?(?:(?:who are you|what are you|what can you do(?: for (?:me|us))?|"
    r"你是谁|你能做什么|你能帮我做什么|你会做什么)[\s!.?？！。,，]*+)?$",
    re.IGNORECASE,
)
_FIELD = re.compile(r"\{([a-z_]{1,40}(?:(?:\[\])?\.[a-z_]{1,40}){0,3})\}")
_MORE = re.compile(r"; read_result\(result=[^\n]{0,200}\]$", re.MULTILINE)
"""How the rest of a long result is read: for models, and no words for people."""


def greeting(text: str, tools: Sequence[ToolSpec]) -> str | None:
    """What it is, for who greets or asks what it can do; None for anything else."""
    if not text.strip() or not _GREETING.match(" ".join(text.split())):
        return None
    names = ", ".join(f"`{spec.name}`" for spec in tools[:_MAX_TOOLS])
    if (more := len(tools) - _MAX_TOOLS) > 0:
        names += _in(text, "further").format(count=more)
    listed = _in(text, "tools").format(names=names) if tools else ""
    return f"{_in(text, 'about').format(tools=listed)}\n\n{_in(text, 'real')}"


def declined(why: DeclinedQuestion, question: str) -> str:
    """Why there is no answer, and how to get one."""
    mark = "`{}`" if why.reason in ("missing", "several") else "“{}”"
    words = ", ".join(mark.format(word) for word in why.words[:_MAX_WORDS])
    words += ", …" if len(why.words) > _MAX_WORDS else ""
    said = _in(question, why.reason).format(words=words, tool=why.tool)
    return f"{said}\n\n{_in(question, 'real')}"


def shown(observations: Sequence[ToolMessage], question: str, tools: Sequence[ToolSpec] = ()) -> str:
    """What the tools returned: in sentences, where each of them says how, else as they gave it."""
    known = {spec.name: spec for spec in tools}
    said = [_sentence(known.get(seen.tool), seen, question) for seen in observations]
    if all(said):
        return "\n\n".join([*filter(None, said), _in(question, "sentence_label")])
    parts: list[str] = []
    for seen in observations:
        text = _MORE.sub("]", _as_lines(seen.content.strip()))
        text = text if len(text) <= MAX_ANSWER else f"{text[:MAX_ANSWER]}…"
        parts.append(_in(question, "failed").format(tool=seen.tool, text=text) if seen.is_error else text)
    return "\n\n".join([*parts, _in(question, "label")])


def _sentence(spec: ToolSpec | None, seen: ToolMessage, question: str) -> str | None:
    """The result in the words of its tool; None where it has none that fit."""
    templates = () if spec is None else spec.sentences.get(_language(question), ())
    if not templates or seen.is_error:
        return None
    try:
        told = msgspec.json.decode(seen.content)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    filled = (_filled(template, cast("dict[str, object]", told)) for template in templates)
    text = "\n".join(next((lines for lines in filled if lines), ()))
    return text if text and len(text) <= MAX_ANSWER else None


def _filled(template: str, told: dict[str, object]) -> list[str]:
    """The template with its fields, a line for each item of a list that it names; none where a field is missing."""
    names: list[str] = _FIELD.findall(template)
    listed = next((name.partition("[]")[0] for name in names if "[]" in name), None)
    items = [told] if listed is None else told.get(listed)
    if not isinstance(items, list):
        return []
    lines: list[str] = []
    for item in cast("list[object]", items):
        values = {name: _field(name, told, item) for name in names}
        if any(value is None for value in values.values()):
            return []
        lines.append(_FIELD.sub(lambda found, values=values: str(values[found[1]]), template))
    return lines


def _field(name: str, told: object, item: object) -> object:
    """A value inside the result, or inside the item where the name has a list in it; None where there is no text or
    number."""
    _, listed, rest = name.partition("[].")
    found = item if listed else told
    for part in (rest or name).split("."):
        found = cast("dict[str, object]", found).get(part) if isinstance(found, dict) else None
    return found if isinstance(found, str | int | float) else None


def _as_lines(text: str) -> str:
    """A flat JSON object with a line for each of its values; anything else as it is."""
    try:
        found = msgspec.json.decode(text) if text.startswith("{") else None
    except (msgspec.DecodeError, RecursionError):
        return text
    if not isinstance(found, dict):
        return text
    table = cast("dict[str, object]", found)
    if any(isinstance(value, dict | list) for value in table.values()):
        return text
    return "\n".join(f"- {name}: {value}" for name, value in table.items())


def _in(question: str, name: str) -> str:
    return _texts[name][_language(question)]


def _language(question: str) -> Literal["en", "zh"]:
    return "zh" if has_cjk(question) else "en"
