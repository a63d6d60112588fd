"""Talks about how one place does: its id is found first, then one figure of its summary is told."""

import re
from collections.abc import Callable, Generator
from datetime import date
from typing import Any

import msgspec

from training.data.assistants.places.parts import (
    BUSY_CHAINS,
    DAYS,
    MALLS,
    METROS,
    Words,
    ask,
    by,
    card,
    cell,
    chain,
    metro,
    plain,
    result_of,
    say_month,
    street,
    table,
    told,
    when,
)
from training.data.assistants.talk import MakeTalk, Seen, Step, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng


class Subject(msgspec.Struct, frozen=True):
    """A place as a question names it, and how it is searched for."""

    said: str
    search: dict[str, Any]
    thought: str


def subject(rng: Rng, language: Language) -> Subject:
    if rng.chance(0.62):
        mall = rng.some(list(MALLS))
        if language != "zh" and rng.chance(0.4):
            city = MALLS[mall]
            return Subject(f"{mall} in {city}", {"geo_filter": city, "name": mall}, f"The id of {mall} first.")
        return Subject(mall, {"geo_filter": "all", "name": mall}, f"First the id of {mall}, by its name.")
    of, where = chain(rng, language, BUSY_CHAINS), metro(rng, language)
    said = by(language, f"the busiest {of.said} in {where.said}", f"„meistbesuchter {of.said} in {where.said}“",
        f"{where.said}最忙的{of.said}")  # fmt: skip
    search = {"geo_filter": where.arg, "chain_ids": [of.arg], "limit": 1}
    return Subject(said, search, f"The most visited {of.arg} in {where.arg} first: its id.")


Found = Generator[Step, Seen | None, dict[str, str] | None]


def find(one: Subject) -> Found:
    """The row of the place, or None."""
    seen = yield call(one.thought, "search_places", **one.search)
    assert seen is not None
    rows = table(seen.text, "Places")
    city = one.search["geo_filter"]
    if not rows and "name" in one.search and city != "all":
        wide = {"type": "metro", "name": city} if city in METROS else "all"
        seen = yield call("Not in the city itself: look wider.", "search_places", geo_filter=wide, name=one.search[
            "name"])  # fmt: skip
        assert seen is not None
        rows = table(seen.text, "Places")
    return rows[0] if rows else None


def spot(language: Language, row: dict[str, str]) -> str:
    """A place with its street."""
    name, place = row["Name"], street(row["Address"])
    return f"{name}（{place}）" if language == "zh" else f"{name} ({place})"


def missing(language: Language) -> Answer:
    """What is said of a place that is not found."""
    return plain(language, "Total: 0. It is not in the data, or closed for good.",
        en="I find no such place in the sample data.", de="Diesen Ort finde ich in den Beispieldaten nicht.",
        zh="样本数据中没有找到这个地点。")  # fmt: skip


def value_of(seen: Seen, label: str) -> Generator[Step, Seen | None, str]:
    """A cell of the card, which may have to be read on."""
    found = card(seen.text).get(label, "")
    if found or not result_of(seen.text):
        return found
    more = yield call(f"'{label}' is not shown yet: read on.", "read_result", result=result_of(seen.text), find=label)
    assert more is not None
    rest = re.search(rf"{re.escape(label)} \| ([^|\n]+?) \|", more.text)
    return rest[1] if rest else ""


Say = Callable[[Language, str, str, str], str]
"""From the language, the value, the name and the period: the answer."""


def figure_talk(name: str, label: str, words: Callable[[str], Words], say: Say) -> MakeTalk:
    def talk(rng: Rng, language: Language) -> Talk:
        one = subject(rng, language)
        yield ask(rng, language, words(one.said))
        row = yield from find(one)
        if row is None:
            yield missing(language)
            return
        seen = yield call(f"Its summary has: {label.lower()}.", "get_place_summary", place_ids=[row["Id"]])
        assert seen is not None
        value = yield from value_of(seen, label)
        place = spot(language, row)
        if not value or value in ("–", "suppressed", "none that may be told"):
            yield told(rng, language, f"{label}: not told.",
                en=f"That cannot be told of {place}: too few of the panel were there.",
                de=f"Das lässt sich von {place} nicht sagen: zu wenige des Panels waren dort.",
                zh=f"{place}的样本人数太少，无法给出。")  # fmt: skip
            return
        shown = value if label == "Busiest hours" else cell(value, language)
        text = say(language, shown, place, when(seen.text, language))
        yield told(rng, language, f"{label}: {value}.", en=text, de=text, zh=text)

    talk.__name__ = talk.__qualname__ = name
    return talk


def _hours(language: Language, value: str, place: str, head: str) -> str:
    found = re.findall(r"day (\w+), hour (\d+)", value)
    if not found:
        return by(
            language,
            f"The busiest hours of {place} cannot be told.",
            f"Die Stoßzeiten von {place} lassen sich nicht sagen.",
            f"{place}的高峰时段无法给出。",
        )
    day, hour = found[0]
    german, chinese = DAYS[day]
    return by(
        language,
        f"{place} is busiest on {day} at {hour} h {head}.",
        f"{place} ist am {german} um {hour} Uhr am vollsten, {head}.",
        f"{place}{head}最忙的时段是{chinese}{hour} h。",
    )


def _weekday(language: Language, value: str, place: str, head: str) -> str:
    german, chinese = DAYS[value]
    return by(
        language,
        f"{value} is the busiest day of the week at {place} {head}.",
        f"Der stärkste Wochentag von {place} ist {head} der {german}.",
        f"{place}{head}一周中{chinese}最忙。",
    )


LEVEL = 0.25
"""Per cent a month: below it a trend is neither growth nor decline."""


def _going(language: Language, value: str, place: str) -> str:
    down = value.startswith("−")
    if float(value.lstrip("−")) < LEVEL:
        return by(
            language,
            f"{place} stays about level: {value} % a month, seasons left out, is too little to call a trend.",
            f"{place} bleibt etwa gleich: {value} % im Monat, ohne Saison, sind kaum ein Trend.",
            f"{place}基本持平：每月{value} %（已除季节因素），算不上趋势。",
        )
    return by(
        language,
        f"{place} is {'shrinking' if down else 'growing'}: {value} % a month, seasons left out.",
        f"{place} {'schrumpft' if down else 'wächst'}: {value} % im Monat, ohne Saison.",
        f"{place}{'在下降' if down else '在增长'}：每月{value} %（已除季节因素）。",
    )


visits = figure_talk("place_visits", "Visits", lambda p: {"en": [f"How many visits does {p} get?",
    f"visits at {p} last month", f"traffic of {p}?", f"how busy was {p}, in visits?"], "de": [
    f"Wie viele Besuche hat {p}?", f"Besuche bei {p}?"], "zh": [f"{p}有多少访问量？", f"{p}的到访次数"]}, lambda lang,
    v, p, h: by(lang, f"{p} had {v} visits {h}.", f"{p} hatte {v} Besuche {h}.", f"{p}{h}有{v}次访问。"))  # fmt: skip
visitors = figure_talk("place_visitors", "Visitors", lambda p: {"en": [f"How many different people visited {p}?",
    f"unique visitors of {p}?", f"visitors (not visits) at {p}", f"Number of visitors at {p}?"], "de": [
    f"Wie viele verschiedene Besucher hatte {p}?", f"Besucherzahl von {p}?"], "zh": [f"{p}有多少访客（人数）？",
    f"{p}的独立访客数"]}, lambda lang, v, p, h: by(lang, f"{p} had {v} visitors {h}.", f"{p} hatte {v} Besucher {h}.",
    f"{p}{h}有{v}名访客。"))  # fmt: skip
dwell = figure_talk("place_dwell", "Dwell median (minutes)", lambda p: {"en": [f"How long do people stay at {p}?",
    f"typical dwell time at {p}", f"median time spent at {p}?", f"how much time does a visitor spend at {p}"], "de": [
    f"Wie lange bleiben Leute bei {p}?", f"Typische Verweildauer bei {p}?"], "zh": [f"人们在{p}停留多久？",
    f"{p}的停留时间中位数"]}, lambda lang, v, p, h: by(lang, f"The median stay at {p} was {v} minutes {h}.",
    f"Die mittlere Verweildauer (Median) bei {p} war {h} {v} Minuten.",
    f"{p}{h}停留时间中位数为{v}分钟。"))  # fmt: skip
mean_dwell = figure_talk("place_mean_dwell", "Dwell mean (minutes)", lambda p: {"en": [
    f"average (mean) dwell time at {p}?", f"What is the mean stay at {p} in minutes?", f"mean minutes per visit, {p}",
    f"on average how many minutes at {p}, mean not median"], "de": [
    f"Durchschnittliche Verweildauer bei {p}, Mittelwert?", f"Mittelwert der Verweildauer bei {p}?"], "zh": [
    f"{p}平均停留多少分钟（均值）？", f"{p}停留时间的平均值"]}, lambda lang, v, p, h: by(lang,
    f"The mean stay at {p} was {v} minutes {h}.", f"Im Mittel blieb man bei {p} {h} {v} Minuten.",
    f"{p}{h}平均停留{v}分钟。"))  # fmt: skip
weekday = figure_talk("place_weekday", "Busiest day day of week", lambda p: {"en": [f"Which weekday is busiest at {p}?",
    f"best day of the week for {p}", f"on what weekday do most people come to {p}?", f"peak weekday {p}"], "de": [
    f"An welchem Wochentag ist bei {p} am meisten los?", f"Stärkster Wochentag von {p}?"], "zh": [
    f"{p}一周中哪天最忙？", f"{p}哪个星期几人最多"]}, _weekday)  # fmt: skip
top_date = figure_talk("place_date", "Busiest day date", lambda p: {"en": [f"On which date was {p} busiest last month?",
    f"busiest single day (date) of {p}", f"what date had the most visits at {p}?", f"peak date for {p} last month"],
    "de": [f"An welchem Datum war {p} am vollsten?", f"Der besuchsstärkste Tag von {p} mit Datum?"], "zh": [
    f"{p}上个月哪一天（日期）最忙？", f"{p}访问最多的日期"]}, lambda lang, v, p, h: by(lang,
    f"The busiest day of {p} {h} was {v}.", f"Der stärkste Tag von {p} {h} war der {v}.",
    f"{p}{h}最忙的一天是{v}。"))  # fmt: skip
hours = figure_talk("place_hours", "Busiest hours", lambda p: {"en": [f"When is {p} most crowded?",
    f"peak hours at {p}?", f"at what hour is {p} the fullest", f"which day and hour see the biggest crowd at {p}?"],
    "de": [f"Zu welcher Stunde ist {p} am vollsten?", f"Spitzenstunden von {p}?"], "zh": [f"{p}什么时候人最多？",
    f"{p}的高峰时段"]}, _hours)  # fmt: skip
rank = figure_talk("place_rank", "Rank category rank", lambda p: {"en": [f"What rank does {p} have in its category?",
    f"how does {p} rank among places of its kind", f"category rank of {p}?",
    f"position of {p} within its category in the metro"], "de": [f"Welchen Rang hat {p} in seiner Kategorie?",
    f"Platz von {p} unter seinesgleichen?"], "zh": [f"{p}在同类中排第几？", f"{p}的类别排名"]}, lambda lang, v, p,
    h: by(lang, f"{p} ranked {v} in its category in the metro {h}.",
    f"{p} lag {h} in seiner Kategorie der Region auf Rang {v}.", f"{p}{h}在本都会区同类中排第{v}。"))  # fmt: skip
region = figure_talk("place_region_rank", "Rank region rank", lambda p: {"en": [
    f"Where does {p} rank among all places of the metro?", f"overall rank of {p} in its region",
    f"region rank of {p}, any category?", f"how high is {p} among all places around, not just its kind"], "de": [
    f"Welchen Rang hat {p} unter allen Orten der Region?", f"Gesamtrang von {p} in der Region?"], "zh": [
    f"{p}在整个地区所有地点中排第几？", f"{p}的地区总排名"]}, lambda lang, v, p, h: by(lang,
    f"{p} ranked {v} of all places in its metro {h}.", f"{p} lag {h} unter allen Orten der Region auf Rang {v}.",
    f"{p}{h}在地区所有地点中排第{v}。"))  # fmt: skip
share = figure_talk("place_share", "Share of category (%)", lambda p: {"en": [
    f"What share of its category does {p} have?", f"market share of {p} within its category",
    f"how many percent of the category's visits go to {p}?", f"{p}: share of category"], "de": [
    f"Welchen Anteil an seiner Kategorie hat {p}?", f"Marktanteil von {p} in der Kategorie?"], "zh": [
    f"{p}占同类访问的比例？", f"{p}的类别份额"]}, lambda lang, v, p, h: by(
    lang, f"The share of {p} in its category was {v} % {h}.",
    f"Der Anteil von {p} an seiner Kategorie war {h} {v} %.", f"{p}{h}的类别份额为{v} %。"))  # fmt: skip
trend = figure_talk("place_trend", "Trend % per month", lambda p: {"en": [f"Is {p} growing or shrinking?",
    f"monthly trend of {p}", f"what's the long-term trend at {p}?", f"is traffic at {p} going up"], "de": [
    f"Wächst oder schrumpft {p}?", f"Wie ist der Trend von {p}?"], "zh": [f"{p}是在增长还是下降？", f"{p}的月度趋势"]},
    lambda lang, v, p, h: _going(lang, v, p))  # fmt: skip
density = figure_talk("place_density", "Visits per m²", lambda p: {"en": [f"visits per square meter at {p}?",
    f"How many visits per m² does {p} have?", f"productivity of the floor space at {p} (visits per m²)",
    f"visits by floor area for {p}"], "de": [f"Besuche pro Quadratmeter bei {p}?", f"Wie viele Besuche je m² hat {p}?"],
    "zh": [f"{p}每平方米访问量？", f"{p}的坪效（访问/平方米）"]}, lambda lang, v, p, h: by(lang,
    f"{p} had {v} visits per m² {h}.", f"{p} hatte {h} {v} Besuche je m².", f"{p}{h}每平方米{v}次访问。"))  # fmt: skip
size = figure_talk("place_size", "Floor area (m²)", lambda p: {"en": [f"How large is {p}?", f"floor area of {p}",
    f"square meters of {p}?", f"how big is {p} in m²"], "de": [f"Wie groß ist {p}?", f"Fläche von {p} in m²?"], "zh": [
    f"{p}面积多大？", f"{p}的建筑面积"]}, lambda lang, v, p, h: by(lang, f"{p} has a floor area of {v} m².",
    f"{p} hat {v} m² Fläche.", f"{p}的面积为{v}平方米。"))  # fmt: skip


def place_then_more(rng: Rng, language: Language) -> Talk:
    """Several figures of one summary, asked one after the other."""
    one = subject(rng, language)
    yield ask(rng, language, {"en": [f"How is {one.said} performing?", f"give me a short summary of {one.said}",
        f"how did {one.said} do last month?", f"{one.said}: key figures please"], "de": [f"Wie steht {one.said} da?",
        f"Kennzahlen zu {one.said} bitte"], "zh": [f"{one.said}情况怎么样？",
        f"给我{one.said}的关键数字"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    seen = yield call("How it does: its summary.", "get_place_summary", place_ids=[row["Id"]])
    found, head, place = card(seen.text), when(seen.text, language), row["Name"]
    if found.get("Visits", "suppressed") == "suppressed" or "Visitors" not in found:
        return
    yield told(rng, language,
        f"Visits {found['Visits']}; visitors {found['Visitors']}; dwell median {found['Dwell median (minutes)']}.",
        en=f"{place} had {found['Visits']} visits by {found['Visitors']} visitors {head}; the median stay was "
        f"{found['Dwell median (minutes)']} minutes.",
        de=f"{place} hatte {head} {cell(found['Visits'], 'de')} Besuche von {cell(found['Visitors'], 'de')} "
        f"Besuchern; Verweildauer im Median {found['Dwell median (minutes)']} Minuten.",
        zh=f"{place}：{head}有{cell(found['Visits'], 'zh')}次访问、{cell(found['Visitors'], 'zh')}名访客，"
        f"停留中位数{found['Dwell median (minutes)']}分钟。")  # fmt: skip
    yield ask(rng, language, {"en": ["and how often does each one come?", "visits per visitor?",
        "what is the frequency"], "de": ["Und wie oft kommt jeder?", "Besuche pro Besucher?"], "zh": [
        "每人平均来几次？", "频率是多少"]}, again=True)  # fmt: skip
    yield told(rng, language, f"Shown before: frequency {found['Frequency']}.",
        en=f"{found['Frequency']} visits per visitor {head}.", de=f"{found['Frequency']} Besuche je Besucher {head}.",
        zh=f"{head}每位访客平均{found['Frequency']}次。")  # fmt: skip


def place_change(rng: Rng, language: Language) -> Talk:
    one, kind = subject(rng, language), rng.some(["year", "previous"])
    than = by(language, *(("a year ago", "vor einem Jahr", "一年前") if kind == "year" else ("the month before",
        "im Monat davor", "前一个月")))  # fmt: skip
    yield ask(rng, language, {"en": [f"Did {one.said} have more visits last month than {than}?",
        f"{one.said} last month vs {than}", f"change of {one.said} compared to {than}?",
        f"how did visits at {one.said} develop against {than}"], "de": [
        f"Hatte {one.said} letzten Monat mehr Besuche als {than}?", f"{one.said}: Veränderung, verglichen mit {than}?"],
        "zh": [f"{one.said}上个月的访问比{than}多吗？", f"{one.said}与{than}相比变化多少"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    seen = yield call(f"With the change: compare {kind}.", "get_place_summary", place_ids=[row["Id"]], compare=kind)
    value = yield from value_of(seen, f"Changes {kind} change (%)")
    found, head = card(seen.text), when(seen.text, language)
    before, sure = found.get(f"Changes {kind} visits", ""), found.get(f"Changes {kind} certain", "no")
    place, then = spot(language, row), _earlier(seen.text, kind, language)
    if not value or value == "–" or not before:
        yield told(rng, language, f"Changes {kind}: not told.",
            en=f"That cannot be told of {place}: one of the two periods has no figure.",
            de=f"Das lässt sich von {place} nicht sagen: ein Zeitraum hat keine Zahl.",
            zh=f"{place}无法比较：其中一个时段没有数据。")  # fmt: skip
        return
    way = ("Fewer", "Weniger", "更少") if value.startswith("−") else ("More", "Mehr", "更多")
    way = way if float(value.lstrip("−")) else ("As many", "Gleich viele", "持平")
    doubt = "" if sure == "yes" else by(language, " It is not certain, as the ranges overlap.",
        " Sicher ist das nicht, die Bereiche überschneiden sich.", "区间重叠，并不确定。")  # fmt: skip
    yield told(rng, language, f"Visits {found['Visits']}; {kind}: {before}, change {value} %, certain {sure}.",
        en=f"{way[0]}: {place} had {found['Visits']} visits {head} against {before} {then}, "
        f"{value} %.{doubt}",
        de=f"{way[1]}: {place} hatte {head} {cell(found['Visits'], 'de')} Besuche gegenüber "
        f"{cell(before, 'de')} {then}, {value} %.{doubt}",
        zh=f"{way[2]}：{place}{head}访问{cell(found['Visits'], 'zh')}次，"
        f"{then}{cell(before, 'zh')}次，变化{value} %。{doubt}")  # fmt: skip


def _earlier(text: str, kind: str, language: Language) -> str:
    """The month that a result compares with, with its preposition."""
    words = "a year before" if kind == "year" else "previous period"
    found = re.search(rf"· {words} (\d{{4}})-(\d\d)\b", text)
    if not found:
        return by(language, "before", "davor", "此前")
    said = say_month(date(int(found[1]), int(found[2]), 1), language)
    return by(language, f"in {said}", f"im {said}", said)


TALKS: dict[MakeTalk, int] = {visits: 3, visitors: 2, dwell: 3, mean_dwell: 1, weekday: 3, top_date: 1, hours: 3,
    rank: 2, region: 1, share: 1, trend: 2, density: 1, size: 1, place_then_more: 3, place_change: 3}  # fmt: skip
