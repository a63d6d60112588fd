"""Observations as readable text, without a language model: lines, tables, and who wrote them.

Owns the look of `reflex`'s answers. It adds no figure of its own: everything said stands in the observation.
"""

import re
from collections.abc import Sequence
from textwrap import indent
from typing import Any, cast

import msgspec

from glassloop.core.messages import ToolMessage, ToolSpec
from glassloop.core.records import Json
from glassloop.core.words import has_cjk
from glassloop.models.reflex.labels import in_chinese
from glassloop.models.reflex.parameters import Parameter
from glassloop.models.reflex.terms import is_german

LONGEST_ANSWER = 6000
MOST_ROWS = 20
MOST_COLUMNS = 8
LONGEST_CELL = 120
LONGEST_TEXT = 1500
_DEEPEST = 4
_MORE = "…"

_LABEL = "_Put together by reflex from the tool's output, without a language model._"
_LABEL_DE = "_Von reflex aus der Ausgabe des Werkzeugs zusammengestellt, ohne Sprachmodell._"
_LABEL_ZH = "_由 reflex 根据工具输出整理，未使用语言模型。_"
_SAID = "_Said by reflex, without a language model._"
_SAID_DE = "_Von reflex gesagt, ohne Sprachmodell._"
_SAID_ZH = "_由 reflex 回答，未使用语言模型。_"
_UNUSED = "Not used from your question: {pieces}."
_UNUSED_DE = "Aus der Frage nicht verwendet: {pieces}."
_UNUSED_ZH = "问题中未用到：{pieces}。"
_IN_VAIN = (
    "Searched for the words “{words}” and found nothing: it may be the wrong tool or the wrong words, and does not "
    "show that there is nothing."
)
_IN_VAIN_DE = (
    "Gesucht wurde nach „{words}“, gefunden nichts: Es kann das falsche Werkzeug sein oder das falsche Wort, und zeigt "
    "nicht, dass es nichts gibt."
)
_IN_VAIN_ZH = "搜索了“{words}”，没有找到：可能是工具或用词不对，并不说明没有。"
_NOTHING = re.compile(
    r"^[^\w\n]*+(?:(?:nothing|none|no\s+(?:\w+\s+){0,2}(?:results?|match(?:es)?|hits?|entries|rows|records|found)"
    r"|0\s+(?:results?|match(?:es)?|hits?))\b|没有)",
    re.IGNORECASE | re.MULTILINE,
)
_FAILED = "`{tool}` could not do this: {text}"
_FAILED_ZH = "`{tool}` 未能完成：{text}"
_UNABLE = (
    "I am reflex, which works without a language model: I can only match a question to a tool, and found none for "
    "this one.{tools}\n\nFor real answers, download the model that runs on this machine (`glassloop models pull`), "
    "set one of ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY or OLLAMA_HOST, or name a model with --model."
)
_UNABLE_ZH = (
    "我是 reflex，不使用语言模型：只能把问题匹配到工具，而这个问题没有合适的工具。{tools}\n\n"
    "要得到真正的回答，请下载在本机运行的模型（`glassloop models pull`），"
    "设置 ANTHROPIC_API_KEY、OPENAI_API_KEY、GOOGLE_API_KEY 或 OLLAMA_HOST 之一，或用 --model 指定模型。"
)

_ASK = "Which `{name}`{about} do you mean? `{tool}` needs it.\n\n_Asked by reflex, without a language model._"
_ASK_DE = (
    "Welcher Wert für `{name}`{about} ist gemeint? `{tool}` braucht ihn.\n\n_Gefragt von reflex, ohne Sprachmodell._"
)
_ASK_ZH = "请问 `{name}`{about} 是什么？`{tool}` 需要它。\n\n_由 reflex 提问，未使用语言模型。_"


def ask_back(tool: str, missing: Sequence[Parameter], question: str) -> str:
    """One sentence that names what is missing."""
    form = _ASK_ZH if has_cjk(question) else _ASK_DE if is_german(question) else _ASK
    about = missing[0].description.strip().rstrip(".。")
    names = "`, `".join(parameter.name for parameter in missing[:MOST_COLUMNS])
    return form.format(name=names, tool=tool, about=f" ({_cut(about, LONGEST_CELL)})" if about else "")


def was_asked_back(text: str) -> bool:
    """Whether an earlier answer of anyone's ended in a question."""
    lines = [line for line in text[-1000:].splitlines() if line.strip() and not line.startswith("_")]
    return bool(lines) and ("?" in lines[-1] or "？" in lines[-1])


def plainly(sentence: str, question: str) -> str:
    """A sentence of reflex's own, with the label."""
    return f"{sentence}\n\n{_in_language(question, _SAID, _SAID_DE, _SAID_ZH)}"


def not_used(pieces: Sequence[str], question: str) -> str:
    """That these pieces of the question had no part in the answer."""
    form = _in_language(question, _UNUSED, _UNUSED_DE, _UNUSED_ZH)
    return form.format(pieces=("、" if has_cjk(question) else ", ").join(pieces))


def in_vain(words: str, question: str) -> str:
    """That these words of the question were searched for in vain, and what that does not mean."""
    return _in_language(question, _IN_VAIN, _IN_VAIN_DE, _IN_VAIN_ZH).format(words=_cut(words, LONGEST_CELL))


def _in_language(question: str, english: str, german: str, chinese: str) -> str:
    return chinese if has_cjk(question) else german if is_german(question) else english


def answer_from(observations: Sequence[ToolMessage], question: str, notes: Sequence[str] = ()) -> str:
    """What the tools returned, readable, with the label; what must be known first stands above."""
    chinese = has_cjk(question)
    parts: list[str] = list(notes)
    for seen in observations:
        if seen.is_error:
            form = _FAILED_ZH if chinese else _FAILED
            parts.append(form.format(tool=seen.tool, text=_cut(seen.content.strip(), LONGEST_ANSWER // 2)))
        else:
            text = _readable(seen.content)
            parts.append(in_chinese(text) if chinese else text)
    body = _cut("\n\n".join(part for part in parts if part), LONGEST_ANSWER).encode("utf-8", "replace").decode()
    return f"{body}\n\n{_LABEL_ZH if chinese else _LABEL_DE if is_german(question) else _LABEL}"


def unable(tools: Sequence[ToolSpec], question: str) -> str:
    """That there is nothing to say, why, and what would help."""
    names = ", ".join(f"`{spec.name}`" for spec in tools[:MOST_ROWS])
    if has_cjk(question):
        return _UNABLE_ZH.format(tools=f" 可用的工具：{names}。" if names else "")
    return _UNABLE.format(tools=f" The tools I have: {names}." if names else " I have no tools here.")


def is_unable(text: str) -> bool:
    """Whether that is what was said."""
    return text.startswith((_UNABLE.partition("{")[0], _UNABLE_ZH.partition("{")[0]))


def is_empty(content: str) -> bool:
    """Whether an observation only says that nothing was found: lists without an entry, or such words and no table."""
    text = content.strip()
    try:
        return _holds_nothing(msgspec.json.decode(text)) if text[:1] in ("{", "[") else _says_nothing(text)
    except (msgspec.DecodeError, RecursionError):
        return False


def _holds_nothing(value: Json) -> bool:
    if isinstance(value, dict):
        lists = [cast("list[Json]", item) for item in cast("dict[str, Json]", value).values() if isinstance(item, list)]
        return bool(lists) and not any(lists)
    return value == []


def _says_nothing(text: str) -> bool:
    return not text or ("|" not in text and _NOTHING.search(text) is not None)


def _readable(content: str) -> str:
    text = content.strip()
    if text[:1] not in ("{", "["):
        return text
    try:
        return _value(msgspec.json.decode(text), 0)
    except (msgspec.DecodeError, RecursionError):
        return text


def _value(value: Json, depth: int) -> str:
    if isinstance(value, dict):
        return _lines(cast("dict[str, Json]", value), depth)
    if isinstance(value, list):
        return _items(cast("list[Json]", value), depth)
    return _scalar(value)


def _prose(value: dict[str, Json]) -> str:
    """Passages as they were written, each with where it stands; beside them only what is said in words."""
    found = [rows for item in value.values() if (rows := _rows(item)) and _is_long(rows)]
    if len(found) != 1:
        return ""
    said = [text for text in value.values() if isinstance(text, str) and text.strip()]
    return "\n\n".join([*said, _passages(found[0])])


def _rows(item: Json) -> list[dict[str, Json]]:
    rows = cast("list[Json]", item) if isinstance(item, list) else []
    return cast("list[dict[str, Json]]", rows) if all(isinstance(row, dict) for row in rows) else []


def _is_long(rows: list[dict[str, Json]]) -> bool:
    return any(isinstance(value, str) and len(value) > LONGEST_CELL for row in rows for value in row.values())


def _lines(value: dict[str, Json], depth: int) -> str:
    """One line a key; what is itself made of parts comes below its key."""
    if not depth and (prose := _prose(value)):
        return prose
    lines: list[str] = []
    for key, item in value.items():
        name = key.replace("_", " ")
        if not _compound(item):
            lines.append(f"- {name}: {_scalar(item)}")
        elif not item:
            lines.append(f"- {name}: none")
        elif depth >= _DEEPEST:
            lines.append(f"- {name}: {_brief(item)}")
        elif isinstance(item, dict):
            lines.append(f"- {name}:\n{indent(_lines(cast('dict[str, Json]', item), depth + 1), '  ')}")
        else:
            lines.append(f"- {name}:\n\n{_value(item, depth + 1)}\n")
    return "\n".join(lines).strip()


def _items(items: list[Json], depth: int) -> str:
    if not items:
        return "none"
    if all(isinstance(item, dict) for item in items):
        rows = cast("list[dict[str, Json]]", items)
        return _passages(rows) if _is_long(rows) else _table(rows)
    lines = [f"- {_brief(item) if depth >= _DEEPEST else _scalar(item)}" for item in items[:MOST_ROWS]]
    return "\n".join([*lines, _MORE] if len(items) > MOST_ROWS else lines)


def _passages(rows: list[dict[str, Json]]) -> str:
    """Rows with a text too long for a table: the text of each, and after it the first of its short ones, its source."""
    parts: list[str] = []
    for row in rows[:MOST_ROWS]:
        texts = [value for value in row.values() if isinstance(value, str) and value.strip()]
        longest = max(texts, key=len, default="")
        head = next((text for text in texts if text is not longest and len(text) <= LONGEST_CELL), "")
        parts.append("\n\n".join(part for part in (_cut(longest, LONGEST_TEXT), f"— {head}" if head else "") if part))
    return "\n\n".join([*parts, _MORE] if len(rows) > MOST_ROWS else parts)


def _table(rows: list[dict[str, Json]]) -> str:
    shown = rows[:MOST_ROWS]
    columns = list(dict.fromkeys(key for row in shown for key in row))[:MOST_COLUMNS]
    if not columns:
        return "none"
    lines = [
        "| " + " | ".join(_cell(column.replace("_", " ")) for column in columns) + " |",
        "|" + " --- |" * len(columns),
        *("| " + " | ".join(_cell(_scalar(row.get(column, ""))) for column in columns) + " |" for row in shown),
    ]
    return "\n".join([*lines, "", _MORE] if len(rows) > MOST_ROWS else lines)


def _cell(text: str) -> str:
    return _cut(text.replace("\n", " "), LONGEST_CELL).replace("|", "\\|")


def _scalar(value: Json) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case str() | int() | float():
            return str(value)
        case _:
            return _brief(value)


def _brief(value: Json) -> str:
    return _cut(msgspec.json.encode(value).decode(), LONGEST_CELL)


def _compound(value: Any) -> bool:
    return isinstance(value, dict | list)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + _MORE
