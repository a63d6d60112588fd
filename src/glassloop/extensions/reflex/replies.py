"""Texts that `reflex` says: what tools returned, as they gave it, and why it does not answer. English and Chinese."""

import re
from collections.abc import Sequence
from typing import Final, cast

import msgspec

from glassloop.core.messages import ToolMessage, ToolSpec
from glassloop.core.text_terms import has_cjk
from glassloop.extensions.reflex.choice import DeclinedQuestion

MAX_ANSWER: Final = 6_000
_MAX_WORDS: Final = 8
_MAX_TOOLS: Final = 8

_LABEL = (
    "_Shown by reflex as the tool gave it, without a language model._",
    "_由 reflex 按工具的输出显示，未使用语言模型。_",
)
_SENTENCE_LABEL = ("_Answered by reflex, without a language model._", "_由 reflex 回答，未使用语言模型。_")
_LANGUAGES: Final = ("en", "zh")
_FAILED = ("`{tool}` could not do this: {text}", "`{tool}` 未能完成：{text}")
_REAL = (
    "To chat about anything, connect a model: enter a key in Settings, download the model that runs on this machine "
    "(`glassloop models pull`), or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY or OLLAMA_HOST.",
    "要畅所欲言，请连接一个模型：在页面的设置中输入密钥，下载在本机运行的模型（`glassloop models pull`），或设置 "
    "ANTHROPIC_API_KEY、OPENAI_API_KEY、GOOGLE_API_KEY 或 OLLAMA_HOST。",
)
_DECLINED: Final = {
    "unused": (
        "I am reflex and work without a language model. I can't answer this: I don't know what to do with {words}.",
        "我是 reflex，不使用语言模型，不回答这个问题：问题中我用不上的词：{words}。",
    ),
    "missing": (
        "I am reflex, which works without a language model. `{tool}` fits, but the question does not say {words}.",
        "我是 reflex，不使用语言模型。`{tool}` 合适，但问题没有说明 {words}。",
    ),
    "several": (
        "I am reflex, which works without a language model, and several tools fit equally well: {words}.",
        "我是 reflex，不使用语言模型，有几个工具同样合适：{words}。",
    ),
    "sentences": (
        "I am reflex, which works without a language model, and I answer one sentence at a time: ask for one thing.",
        "我是 reflex，不使用语言模型，一次只能回答一句话：请只问一件事。",
    ),
    "long": (
        "I am reflex, which works without a language model, and this is too long for me.",
        "我是 reflex，不使用语言模型，这个问题太长了。",
    ),
}
_GREETING: Final = re.compile(
    r"^ ?(?:(?:hello|hi|hey|good (?:morning|afternoon|evening)|thanks|thank you(?: very much)?|help|你好|您好|谢谢)"
    r"[\s!.?？！。,，]*+)?(?:(?:who are you|what are you|what can you do(?: for (?:me|us))?|"
    r"你是谁|你能做什么|你能帮我做什么|你会做什么)[\s!.?？！。,，]*+)?$",
    re.IGNORECASE,
)
_ABOUT = (
    "Hello! No language model is set up yet, so I cannot chat. I am reflex, and I can only run tools.{tools}",
    "你好！还没有设置语言模型，所以我不能聊天。我是 reflex，只回答我的工具能回答的问题。{tools}",
)
_TOOLS = (" Available tools: {names}.", "可用的工具：{names}。")
_FURTHER = (" and {count} more", " 等另外 {count} 个")


_FIELD = re.compile(r"\{([a-z_]{1,40}(?:(?:\[\])?\.[a-z_]{1,40}){0,3})\}")
_MORE = re.compile(r"; read_result\(result=[^\n]{0,200}\]$", re.MULTILINE)
"""How the rest of a long result is read: for models, and no words for people."""


def greeting(text: str, tools: Sequence[ToolSpec]) -> str | None:
    """What it is, for who greets or asks what it can do; None for anything else."""
    if not text.strip() or not _GREETING.match(" ".join(text.split())):
        return None
    names = ", ".join(f"`{spec.name}`" for spec in tools[:_MAX_TOOLS])
    if (more := len(tools) - _MAX_TOOLS) > 0:
        names += _in(text, _FURTHER).format(count=more)
    listed = _in(text, _TOOLS).format(names=names) if tools else ""
    return f"{_in(text, _ABOUT).format(tools=listed)}\n\n{_in(text, _REAL)}"


def declined(why: DeclinedQuestion, question: str) -> str:
    """Why there is no answer, and how to get one."""
    mark = "`{}`" if why.reason in ("missing", "several") else "“{}”"
    words = ", ".join(mark.format(word) for word in why.words[:_MAX_WORDS])
    words += ", …" if len(why.words) > _MAX_WORDS else ""
    said = _in(question, _DECLINED[why.reason]).format(words=words, tool=why.tool)
    return f"{said}\n\n{_in(question, _REAL)}"


def shown(observations: Sequence[ToolMessage], question: str, tools: Sequence[ToolSpec] = ()) -> str:
    """What the tools returned: in sentences, where each of them says how, else as they gave it."""
    known = {spec.name: spec for spec in tools}
    said = [_sentence(known.get(seen.tool), seen, question) for seen in observations]
    if all(said):
        return "\n\n".join([*filter(None, said), _in(question, _SENTENCE_LABEL)])
    parts: list[str] = []
    for seen in observations:
        text = _MORE.sub("]", _as_lines(seen.content.strip()))
        text = text if len(text) <= MAX_ANSWER else f"{text[:MAX_ANSWER]}…"
        parts.append(_in(question, _FAILED).format(tool=seen.tool, text=text) if seen.is_error else text)
    return "\n\n".join([*parts, _in(question, _LABEL)])


def _sentence(spec: ToolSpec | None, seen: ToolMessage, question: str) -> str | None:
    """The result in the words of its tool; None where it has none that fit."""
    templates = () if spec is None else spec.sentences.get(_in(question, _LANGUAGES), ())
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


def _in(question: str, texts: tuple[str, str]) -> str:
    return texts[has_cjk(question)]
