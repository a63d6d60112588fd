"""Word lists of `reflex` in English, German and Chinese: words that ask for nothing, synonyms, names of periods.

What is in no list here and in no tool's description counts as content, and an answer must use it.
"""

from collections.abc import Mapping
from typing import Final

from glassloop.core.text_terms import stem, word_set


def _tuple(*texts: str) -> tuple[str, ...]:
    return tuple(" ".join(texts).split())


NEUTRAL: Final = word_set(
    "a an the is are be am do does has have having can could what which who whom whose when where how many much "
    "of in on at for to from with about into as our ours we us you your please kindly there here any some show "
    "list give tell display get got find look lookup search check see view want need know still already yet "
    "hello hi hey ok okay so well s m re ve ll d what's whats where's who's whos how's when's let's"
)
"""They ask, or hold a sentence together. Negations, comparisons, conjunctions and pronouns are not among them."""

NEUTRAL_PHRASES: Final = (
    "show me", "tell me", "give me", "get me", "find me", "let me know", "let me see", "pull up", "bring up",
    "look up", "i want to know", "i want to see", "i need to know", "i need to see", "i would like to know",
    "i would like to see", "i'd like to know", "i'd like to see", "would you", "can i see", "may i see",
    "what time is it", "what day is it", "what date is it", "show all", "list all", "show me all", "all our",
    "all the", "all of our", "for me", "zeig mir", "zeige mir", "gib mir", "sag mir", "nenne mir",
)  # fmt: skip

OWN: Final = word_set("i me my mine myself ich mich mir mein meine meinen meinem meiner meines")
"""Whoever asks."""

GERMAN_SIGNS: Final = word_set(
    "wie wer wann warum wieso weshalb woran woher welche welcher welches welchen welchem wessen ist sind bin haben "
    "habe hatte hatten wurde wurden der dem ein eine einen einem einer und oder nicht kein keine mein meine meinem "
    "meinen meiner unser unsere unserem unseren unserer wir ich mich uns zeig zeige bitte bei beim vom zum zur für "
    "über viel viele letzte letzter letzten letztes vergleiche fehlen fehlt"
)
"""A question with one of them is German: no other language here has them."""

NEUTRAL_GERMAN: Final = word_set(
    "der die das dem den des ein eine einen einem einer eines ist sind war waren hat haben habe hatte hatten wie was "
    "wer wann wo welche welcher welches welchen welchem wieviel viel viele von vom in im an am bei beim auf für zu zum "
    "zur mit unser unsere unseren unserem unserer unseres wir uns mir du bitte zeig zeige zeigt gib gibt gab nenne "
    "liste mal wurde wurden denn gemacht getan sich"
)
"""As `NEUTRAL`, in German questions alone: `die` and `war` are English words, too."""

HARD_GERMAN: Final = word_set(
    "und oder nicht nie kein keine keinen keinem keiner keines ohne außer aber andere anderen anders als dann vor nach "
    "auch statt wieder es sie er ihr ihm ihn ihre sein seine diese dieser dieses dies jene mehr weniger meiste meisten "
    "beste besten bester schlechteste schlechtesten höchste höchsten warum wieso weshalb woran wenn ob sonst ich mich "
    "mein meine meinem meinen meiner meines nur"
)

NOW: Final = ("right now", "now", "currently", "current", "at the moment", "at present")
NOW_CHINESE: Final = ("现在", "目前", "当前", "此刻")
"""They ask for nothing only where a tool shows the present and has no days to choose."""

NEUTRAL_CHINESE: Final = _tuple(
    "请帮我查一下 请帮我看一下 帮我查一下 帮我看一下 我想知道 我想看看 请告诉我 告诉我 请问 请帮我 帮我 请 ",
    "查一下 查询一下 查询 查看 查找 看一下 看看 显示 列出 给我 我们的 我们 咱们 公司的 一共有 有没有 有哪些 哪些 ",
    "哪几家 哪几个 哪个 是什么 什么 还有多少 有多少 是多少 多少 几个 几条 几家 几台 几笔 多少个 多少条 多少家 ",
    "多少台 多少笔 有几 怎么样 的情况 所有的 所有 全部 的 是 有 在 吗 呢 了 里面 里 谁",
)

PAST: Final = word_set("was were did had been will")
"""They ask for nothing only where a tool has days to choose, or was given what to look up."""

DAYS: Final = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december christmas easter spring summer autumn winter"
)
"""Written like names, and none."""

STRICT: Final = word_set("which who whose whom any with that where whether")
STRICT_CHINESE: Final = ("哪", "谁", "有没有")
"""They pick some out of many: whatever is said of those must be an argument."""

HARD: Final = word_set(
    "and or not no never none nothing nobody without except besides but other others than then before after also "
    "instead again it its them they their those these that this he she his her him same worst best most least "
    "more less fewer highest lowest largest smallest biggest longest shortest oldest why if unless whether else "
    "another neither nor cannot i me my mine myself"
)
HARD_CHINESE: Final = _tuple(
    "不 没 未 除 别 最 更 比 之前 之后 以前 以后 它 他 她 这 那 还有 另外",
)
"""They change what is asked: a text that is only searched for does not use them up."""

SAME: Final = (
    "customer client", "vendor supplier", "email mail", "mold mould", "stock inventory", "employee colleague",
    "shipment parcel package", "pipeline funnel", "deal opportunity", "revenue turnover", "server host",
    "phone telephone", "color colour", "meter metre", "kilometer kilometre", "liter litre", "center centre",
    "calendar diary",
)  # fmt: skip

PERIODS: Final[Mapping[str, tuple[str, ...]]] = {
    "today": ("今天", "今日"),
    "yesterday": ("昨天", "昨日"),
    "tomorrow": ("明天", "明日"),
    "this_week": ("本周", "这周", "这个星期", "这一周"),
    "last_week": ("上周", "上个星期", "上星期"),
    "next_week": ("下周", "下个星期", "下星期"),
    "this_month": ("本月", "这个月"),
    "last_month": ("上月", "上个月"),
    "next_month": ("下月", "下个月"),
    "this_quarter": ("本季度", "这个季度"),
    "last_quarter": ("上季度", "上个季度"),
    "next_quarter": ("下季度", "下个季度"),
    "this_year": ("今年",),
    "last_year": ("去年",),
    "last_7_days": ("最近7天", "过去7天", "近7天", "past 7 days"),
    "last_30_days": ("最近30天", "过去30天", "近30天", "past 30 days"),
    "last_90_days": ("最近90天", "过去90天", "近90天", "past 90 days"),
    "last_12_months": ("最近12个月", "过去12个月", "近12个月", "past 12 months"),
    "next_30_days": ("未来30天", "今后30天"),
}

UNITS: Final[Mapping[str, str]] = {
    "kilometer": "km", "meter": "m", "centimeter": "cm", "millimeter": "mm", "feet": "foot", "kilogram": "kg",
    "kilo": "kg", "gram": "g", "lb": "pound", "degree celsius": "celsius", "°c": "celsius",
    "degree fahrenheit": "fahrenheit", "°f": "fahrenheit", "euro": "EUR", "€": "EUR", "dollar": "USD",
    "us dollar": "USD", "$": "USD", "yen": "JPY", "yuan": "CNY", "swiss franc": "CHF", "british pound": "GBP",
    "pound sterling": "GBP", "人民币": "CNY", "美元": "USD", "欧元": "EUR", "日元": "JPY", "英镑": "GBP",
    "公里": "km", "英里": "mile", "公斤": "kg", "磅": "pound", "米": "m",
}  # fmt: skip

GENERIC: Final = word_set(
    "get list find search show check fetch look lookup read view count one all new other word name number part "
    "thing give tell return such example id kind only else empty many much more most how what which who when "
    "where"
)
"""Of tools' names and descriptions: they tell no tool from another."""

_CANONICAL: Final = {stem(word): stem(group.split()[0]) for group in SAME for word in group.split()}


def norm(word: str) -> str:
    """A word in the form it is compared in: without endings, words for the same thing as one."""
    plain = word.lower().replace("’", "'").removesuffix("'s").rstrip("'")
    plain = plain.replace("-", "") if plain in ("e-mail", "e-mails") else plain
    if plain in HARD or plain in NEUTRAL:
        return plain
    found = stem(plain)
    # `note` without its ending must not be read as `not`.
    found = f"{found}e" if found in HARD or found in NEUTRAL else found
    return _CANONICAL.get(found, found)
