"""What a question said and an answer has nothing to do with: no argument took it, and no tool or observation knows it.

Owns finding such pieces, so that the answer can name them instead of passing over them. Small words, politeness and
words of asking are left out. A day or period counts as used only where an argument took it: that dates in a table
happen to lie in it says nothing.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from glassloop.core.messages import ToolMessage, ToolSpec
from glassloop.core.records import ToolCall
from glassloop.core.words import CJK, SMALL_WORDS, content_words, has_cjk, stem, word_set
from glassloop.models.reflex.counting import counted_in, rows_in
from glassloop.models.reflex.lexicon import LONGEST_CHINESE, fold, lexicon
from glassloop.models.reflex.matching import MEANT, Offer, Profile, offer
from glassloop.models.reflex.measures import Measure, measures_in
from glassloop.models.reflex.parameters import name_words
from glassloop.models.reflex.question import Found, Question
from glassloop.models.reflex.ranges import coarse_in, range_of
from glassloop.models.reflex.remainder import PHRASES
from glassloop.models.reflex.spans import is_period, spans_in
from glassloop.models.reflex.terms import GERMAN_SMALL, WEAK_WORDS, is_german
from glassloop.models.reflex.when import length_in

MOST = 6
LONGEST = 60
_LONGEST_READ = 8000
_TOKEN = re.compile(rf"[^\W\d_{CJK}]+(?:['’-][^\W\d_{CJK}]+)*|[{CJK}]+")
_ASKING = frozenset(
    map(
        stem,
        word_set(
            "list find search look lookup display check see overview count number total sum compare comparison "
            "compared versus vs against detail information info current currently latest please thanks thank "
            "kindly exactly all company happen happened happening tell overall together data figure figures table "
            "chart report summary summarize explain describe answer question moment really actually well time "
            "date day days week month quarter year period between during since until before after over under "
            "above below least than only just place placed must run runs still left out "
            "up down off far long soon again once always never often "
            "there here else ours us them thing things status state situation development develop change changed "
            "biggest largest most best top highest worst through within per each both either any some none around "
            "about regarding concerning wanted like could would should have had been being were do does did done "
            "make made take took get got go went come came became become looked looks need needs expect expected "
            "know want wants "
        ),
    )
)
_SAID_CHINESE = PHRASES | word_set(
    "多少钱 钱 我们 公司 目前 情况 数据 列出 显示 统计 一共 总共 分别 以及 还是 所有 全部 查看 每个 各个 各 每 按 和 "
    "与 跟 比 相比 对比 比较 里 里面 中 上 下 个 条 笔 家 台 位 名 次 件 元 吗 呢 吧 要 能 能不能 可以 "
    "是否 为什么 谁 哪个 哪家 哪 几 最近 最 都 也 还 就 已经 已 没 没有 不 给 从 到 从到 为止 以来 期间 "
    "之间 左右 大概 详细 简单 说明 介绍 总结 怎么办 用 让 会 被 对 于 其中 该 此 多 时候 时间 月份 年份 "
    "季度 变化 走势 汇总 总体 整体 需要 必须 应该 应 说 讲 写 看 做 办 请给我 给我们 我司 "
)


_SAME = {"worth": ("value", "amount", "price"), "cost": ("price", "amount"), "owe": ("amount", "due")}
"""Words of asking, and what the answer to them is called."""

_NAMED_SPAN = re.compile(r"\b(?:last|next) \d+ \w+")
_ON = re.compile(r"^(?:on|this|am|diesen)\s+", re.IGNORECASE)


class _Known(msgspec.Struct, frozen=True):
    """What the calls and their results speak of, as words and as text."""

    words: frozenset[str]
    text: str
    seen: str
    given: str
    values: frozenset[str]
    pieces: frozenset[tuple[int, int]]
    timed: bool


def unused(
    question: Question, tools: Sequence[ToolSpec], calls: Sequence[ToolCall], observations: Sequence[ToolMessage]
) -> list[str]:
    """The pieces in their order, at most a few; nothing where a call has an effect, failed, or is not known."""
    among = offer(tools)
    by_name = {profile.spec.name: profile for profile in among.profiles}
    called = [(by_name[call.tool], call) for call in calls if call.tool in by_name]
    if not called or any(seen.is_error for seen in observations):
        return []
    if any(profile.spec.effect != "read" for profile, _ in called):
        return []
    known = _known(question, called, observations)
    pieces = list(_pieces(question, known))
    pieces += _words(question, among, known, pieces)
    left = [found for found, used in sorted(pieces, key=lambda pair: pair[0].start) if not used]
    return [piece[:LONGEST] for piece in dict.fromkeys(_joined(question.text, left))][:MOST]


def _known(
    question: Question, called: Sequence[tuple[Profile, ToolCall]], observations: Sequence[ToolMessage]
) -> _Known:
    seen = " ".join(each.content[:_LONGEST_READ] for each in observations)
    given = " ".join(msgspec.json.encode(call.args).decode() for _, call in called)
    words = set(content_words(f"{seen} {given}".replace("_", " ")))
    told: list[str] = [seen, given]
    pieces: set[tuple[int, int]] = set()
    for profile, call in called:
        filled = [p for p in profile.parameters if p.name in call.args]
        about = " ".join((profile.spec.description, *(p.description for p in filled)))
        words |= {*content_words(about), *(stem(w) for p in filled for w in name_words(p.name))}
        words |= {stem(w) for w in name_words(profile.spec.name)}
        told.append(about)
        taken = range_of(question, profile.parameters)
        if all(call.args.get(name) == value for name, value in taken.args.items()):
            pieces |= {(piece.start, piece.end) for piece in taken.pieces}
        lengths = [said for p in filled if (said := length_in(question, p)) and said.value == call.args[p.name]]
        pieces |= {(piece.start, piece.end) for said in lengths for piece in said.pieces}
    return _Known(
        words=frozenset(words),
        text=" ".join(told).lower(),
        seen=seen.lower(),
        given=given.lower(),
        values=frozenset(str(value).lower() for _, call in called for value in call.args.values()),
        pieces=frozenset(pieces),
        timed=any(is_period(p.choices) or p.kind == "date" for profile, _ in called for p in profile.parameters),
    )


def _pieces(question: Question, known: _Known) -> Iterator[tuple[Found, bool]]:
    """Days, numbers, identifiers and quotations, each with whether it was used."""
    text = question.text
    taken: list[Found] = []
    for measure in measures_in(text):
        taken.append(measure.found)
        yield measure.found, _measured(measure, known) or _took(measure.found, known)
    for span in spans_in(text):
        piece = Found(text[span.start : span.end], span.start, span.end)
        now = span.name == "today" and not known.timed
        taken.append(piece)
        yield piece, now or span.name in known.values or _took(piece, known)
    for coarse in coarse_in(question):
        if not _overlaps(coarse.found, taken):
            taken.append(coarse.found)
            yield coarse.found, coarse.value.lower() in known.values or _took(coarse.found, known)
    for day in (*question.dates, *question.spoken_dates):
        if not _overlaps(day, taken):
            said = Found(text[day.start : day.end], day.start, day.end)
            taken.append(said)
            yield said, _ON.sub("", day.text.lower()) in known.given or _took(said, known)
    for piece in (*question.quoted, *question.identifiers, *question.numbers):
        if not _overlaps(piece, taken):
            taken.append(piece)
            yield piece, piece.text.lower() in known.text or piece.text.replace(",", "") in known.text.replace(",", "")
    counted = counted_in(text)
    rows = rows_in(text)
    for wanted in (counted or (rows.found if rows else None),):
        if wanted is not None and not _overlaps(wanted, taken):
            yield Found(text[wanted.start : wanted.end], wanted.start, wanted.end), wanted.text in known.values


def _measured(measure: Measure, known: _Known) -> bool:
    """Whether an argument took it, or what it asks for is shown in that unit."""
    if measure.unit:
        shown = _NAMED_SPAN.sub("", known.seen)
        return measure.unit == "-" or re.search(rf"\b{measure.unit.rstrip('s')}s?\b", shown) is not None
    place = measure.found
    inside = any(place.start <= start and end <= place.end for start, end in known.pieces)
    return inside or bool(known.values & {measure.name, *re.findall(r"\d+", place.text)} - {""})


def _took(piece: Found, known: _Known) -> bool:
    inside = any(start <= piece.start and piece.end <= end for start, end in known.pieces)
    return inside or piece.text.lower() in known.given


def _words(
    question: Question, among: Offer, known: _Known, pieces: Sequence[tuple[Found, bool]]
) -> list[tuple[Found, bool]]:
    taken = [piece for piece, _ in pieces]
    meant = {
        part
        for (word, _), term in zip(question.terms, among.terms(question), strict=True)
        if any(weight >= MEANT and key in known.words for key, weight in term.items())
        for part in (word, *word.split("_"))
    }
    small = GERMAN_SMALL if is_german(question.text) else frozenset[str]()
    found: list[tuple[Found, bool]] = []
    for match in _TOKEN.finditer(question.text):
        piece = Found(match.group(), match.start(), match.end())
        if has_cjk(piece.text):
            found += _chinese(piece, taken, known)
            continue
        word = piece.text.lower().replace("’", "'").removesuffix("'s")
        if len(word) < 2 or word in SMALL_WORDS or fold(word) in small or _overlaps(piece, taken):
            continue
        keys = {stem(word), fold(word), *map(stem, word.split("-"))}
        keys |= {stem(other) for key in tuple(keys) for other in _SAME.get(key, ())}
        everyday = not keys.isdisjoint(_ASKING | WEAK_WORDS)
        found.append((piece, everyday or not keys.isdisjoint(meant | known.words) or word in known.text))
    return found


def _chinese(run: Found, taken: Sequence[Found], known: _Known) -> Iterator[tuple[Found, bool]]:
    """Cut into the longest words that are known, to us or to what was observed; what is left over is a piece too."""
    at, start = 0, 0
    text = run.text
    while at < len(text):
        size, used = _longest(text[at : at + LONGEST_CHINESE], known)
        place = Found(text[at : at + max(size, 1)], run.start + at, run.start + at + max(size, 1))
        if not size and not _overlaps(place, taken):
            at += 1
            continue
        yield from _left(run, start, at)
        if not used and not _overlaps(place, taken):
            yield place, False
        at += max(size, 1)
        start = at
    yield from _left(run, start, at)


def _longest(text: str, known: _Known) -> tuple[int, bool]:
    """How many characters the longest known word has, and whether it was used."""
    for size in range(len(text), 0, -1):
        piece = text[:size]
        if piece in _SAID_CHINESE or (size > 1 and piece in known.text):
            return size, True
        if lexicon().knows_chinese(piece):
            meant = dict(lexicon().chinese(piece))[piece]
            everyday = not _ASKING.isdisjoint(key for key, weight in meant.items() if weight > 0.6)
            return size, everyday or size < 2 or not known.words.isdisjoint(meant)
    return 0, False


def _left(run: Found, start: int, end: int) -> Iterator[tuple[Found, bool]]:
    if end - start > 1:
        yield Found(run.text[start:end], run.start + start, run.start + end), False


def _joined(text: str, left: Sequence[Found]) -> Iterator[str]:
    """Neighbours are one piece: `Ben Zhang`."""
    at = 0
    while at < len(left):
        last = at
        while last + 1 < len(left) and not text[left[last].end : left[last + 1].start].strip():
            last += 1
        yield text[left[at].start : left[last].end]
        at = last + 1


def _overlaps(found: Found, others: Sequence[Found]) -> bool:
    return any(found.start < other.end and other.start < found.end for other in others)
