"""Remainder of a question once the words that only choose the tool are trimmed off its ends.

It never cuts inside: what a person wants remembered or searched for stays as they wrote it.
"""

import re
from collections.abc import Sequence

from glassloop.core.messages import ToolSpec
from glassloop.core.text_terms import CJK, SMALL_WORDS, content_words, stem, word_set
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words

_MAX_PHRASE = 6
_EDGE = " \t\n.,;:!?\"'“”‘’「」『』《》`()[]。，；：！？、…-–—"
_FIRST = re.compile(rf"[^\W_{CJK}]+(?:['’][^\W\d_]+)?")
_LAST = re.compile(rf"(?<![^\W_{CJK}])[^\W_{CJK}]++(?:['’][^\W\d_]++)?$")
_COMMAND = word_set("please can could would will you that to me kindly hey hi hello let's and also just")
_OPENING = re.compile(r"i(?:['’]d|\s+would)?\s+(?:want|need|like)\s+(?:you\s+)?to\s+", re.IGNORECASE)
_TAIL = word_set("please to my the on in into from as a of off now thanks")
_SEARCH = SMALL_WORDS | word_set(
    "search find look up get list check lookup query fetch information info details something anything everything "
    "remember recall today currently current latest newest recent last first top all"
)
PHRASES = word_set(
    "请 请问 请你 帮我 帮忙 给我 替我 我想 我要 想要 想知道 知道 告诉我 告诉 查询 查一下 查查 查 搜索 搜一下 搜 "
    "找一下 找 看看 看一下 一下 关于 有关 有没有 有哪些 哪些 什么 是什么 怎么样 怎样 怎么 如何 多少 是多少 "
    "几点 几点了 现在 目前 当前 的 了 吗 呢 吧 啊 是 在 把 有 我 你 这个 那个 记住 记下 记得 记一下 "
    "今天 明天 后天 昨天 未来 谢谢 那 那么 还有 状态 情况 进度 的状态 的情况 的进度"
)


def remainder(text: str, spec: ToolSpec, parameters: Sequence[ParameterHints], said: frozenset[str]) -> str:
    """The text without the words at its ends that name the tool, its parameters or its choices (`said`)."""
    stems = {stem(word) for name in (spec.name, *(p.name for p in parameters)) for word in name_words(name)} | said
    described = {*stems, *content_words(spec.description)}
    asks = spec.effect == "read"
    first, last = (_SEARCH, _SEARCH) if asks else (_COMMAND, _TAIL)
    text = _OPENING.sub("", text.strip(_EDGE), count=1) if _OPENING.match(text.strip(_EDGE)) else text.strip(_EDGE)
    while shorter := _cut_first(text, first, described, spec.description):
        text = shorter
    while shorter := _cut_last(text, last, described if asks else stems, spec.description):
        text = shorter
    says_something = content_words(text) or any(character.isdigit() for character in text)
    return text if says_something and text not in PHRASES and not _droppable(text, first, described) else ""


def _cut_first(text: str, small: frozenset[str], stems: set[str], told: str) -> str | None:
    word = _FIRST.match(text)
    cut = _phrase(text, told) if word is None else word.end() if _droppable(word.group(), small, stems) else 0
    return text[cut:].strip(_EDGE) if 0 < cut < len(text) else None


def _cut_last(text: str, small: frozenset[str], stems: set[str], told: str) -> str | None:
    word = _LAST.search(text[-60:])
    said = word.group() if word else ""
    cut = _phrase(text[::-1], told, backwards=True) if not said else len(said) if _droppable(said, small, stems) else 0
    return text[: len(text) - cut].strip(_EDGE) if 0 < cut < len(text) else None


def _droppable(word: str, small: frozenset[str], stems: set[str]) -> bool:
    word = word.lower().replace("’", "'")
    return word in small or stem(word.removesuffix("'s")) in stems


def _phrase(text: str, told: str, *, backwards: bool = False) -> int:
    """The length of the longest phrase at the start that is small talk or the tool's own words."""
    for length in range(min(_MAX_PHRASE, len(text) - 1), 0, -1):
        piece = text[:length][::-1] if backwards else text[:length]
        if piece in PHRASES or (length > 1 and piece in told and not piece.isascii()):
            return length
    return 0
