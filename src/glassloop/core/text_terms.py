"""Terms to compare texts by: stems for languages with spaces, pairs of characters for those without.

Owns splitting, stemming and stop words. Callers weigh and match.
"""

import re
import unicodedata

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
MAX_TEXT = 20_000

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(rf"[{CJK}]+|[^\W\d_{CJK}]+(?:'[^\W\d_]+)?")
_CJK_RUN = re.compile(rf"[{CJK}]")


def word_set(text: str) -> frozenset[str]:
    """A set of words, written as they are read."""
    return frozenset(text.split())


SMALL_WORDS = word_set(
    "a an and any are as at be been but by can could did do does for from had has have he her his how i if in into is "
    "it its just may me more most much many my no not of on or our please she should so some than that the their them "
    "then there these they this those to too us was we were what what's when where which who whom whose why will with "
    "would you your about also let tell give show want need know it's i'm i'd i've let's now right hey hi hello"
)
_SMALL_PAIRS = word_set(
    "什么 多少 怎么 怎样 请问 一下 我的 你的 现在 这个 那个 是不 可以 帮我 告诉 有没 没有 哪些 一个 的是 是多 么样"
)


def content_words(text: str) -> list[str]:
    """The words that carry meaning, in order, in the form they are compared in."""
    found: list[str] = []
    for match in _WORD.finditer(_plain(text)):
        run = match.group()
        if _CJK_RUN.match(run):
            pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
            found += [pair for pair in pairs if pair not in _SMALL_PAIRS]
        elif len(run) > 1 and (word := run.lower()) not in SMALL_WORDS:
            found.append(stem(word.removesuffix("'s")))
    return found


def stem(word: str) -> str:
    """A word without its commonest endings: `converting`, `converted` and `converts` meet in one form."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 5 and word.endswith("ing"):
        word = _undoubled(word[:-3])
    elif len(word) > 4 and word.endswith("ed"):
        word = _undoubled(word[:-2])
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def has_cjk(text: str) -> bool:
    return _CJK_RUN.search(text) is not None


def _undoubled(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _plain(text: str) -> str:
    """One spelling for look-alikes, names such as `getUserName` taken apart, `to-do` and `todo` the same."""
    text = unicodedata.normalize("NFKC", text[:MAX_TEXT]).replace("’", "'")
    return _CAMEL.sub(" ", re.sub(r"\bto-do", "todo", text, flags=re.IGNORECASE))
