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
_FAILED = ("`{tool}` could not do this: {text}", "`{tool}` 未能完成：{text}")
_REAL = (
    "For real answers, download the model that runs on this machine (`glassloop models pull`), set one of "
    "ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY or OLLAMA_HOST, or name a model with --model.",
    "要得到真正的回答，请下载在本机运行的模型（`glassloop models pull`），设置 ANTHROPIC_API_KEY、OPENAI_API_KEY、"
    "GOOGLE_API_KEY 或 OLLAMA_HOST 之一，或用 --model 指定模型。",
)
_DECLINED: Final = {
    "unused": (
        "I am reflex, which works without a language model, and I do not answer this: I could not use {words}.",
        "我是 reflex，不使用语言模型，不回答这个问题：问题中我用不上的词：{words}。",
    ),
    "missing": (
        "I am reflex, which works without a language model. `{tool}` fits, but the question does not say {words}.",
        "我是 reflex，不使用语言模型。`{tool}` 合适，但问题没有说明 {words}。",
    ),
    "several": (
        "I am reflex, which works without a language model, and several tools fit this alike: {words}.",
        "我是 reflex，不使用语言模型，有几个工具同样合适：{words}。",
    ),
    "sentences": (
        "I am reflex, which works without a language model, and I take one sentence at a time: ask for one thing.",
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
    "I am reflex, which works without a language model: I call a tool where one fits every word of a question, and "
    "show what it returns.{tools}",
    "我是 reflex，不使用语言模型：当某个工具与问题的每个词都相符时，我会调用它并显示结果。{tools}",
)
_TOOLS = (" The tools here: {names}.", "这里的工具：{names}。")


_MORE = re.compile(r"; read_result\(result=[^\n]{0,200}\]$", re.MULTILINE)
"""How the rest of a long result is read: for models, and no words for people."""


def greeting(text: str, tools: Sequence[ToolSpec]) -> str | None:
    """What it is, for who greets or asks what it can do; None for anything else."""
    if not text.strip() or not _GREETING.match(" ".join(text.split())):
        return None
    names = ", ".join(f"`{spec.name}`" for spec in tools[:_MAX_TOOLS]) + (", …" if len(tools) > _MAX_TOOLS else "")
    listed = _in(text, _TOOLS).format(names=names) if tools else ""
    return f"{_in(text, _ABOUT).format(tools=listed)}\n\n{_in(text, _REAL)}"


def declined(why: DeclinedQuestion, question: str) -> str:
    """Why there is no answer, and how to get one."""
    mark = "`{}`" if why.reason in ("missing", "several") else "“{}”"
    words = ", ".join(mark.format(word) for word in why.words[:_MAX_WORDS])
    words += ", …" if len(why.words) > _MAX_WORDS else ""
    said = _in(question, _DECLINED[why.reason]).format(words=words, tool=why.tool)
    return f"{said}\n\n{_in(question, _REAL)}"


def shown(observations: Sequence[ToolMessage], question: str) -> str:
    """What the tools returned."""
    parts: list[str] = []
    for seen in observations:
        text = _MORE.sub("]", _as_lines(seen.content.strip()))
        text = text if len(text) <= MAX_ANSWER else f"{text[:MAX_ANSWER]}…"
        parts.append(_in(question, _FAILED).format(tool=seen.tool, text=text) if seen.is_error else text)
    return "\n\n".join([*parts, _in(question, _LABEL)])


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
