"""Talks in which places, chains, categories or cities are set side by side."""

from training.data.assistants.places.parts import (
    BUSY_CHAINS,
    BUSY_KINDS,
    DAYS,
    MALLS,
    METROS,
    Said,
    ask,
    by,
    cell,
    chain,
    kind_of,
    metro,
    period,
    table,
    told,
    when,
)
from training.data.assistants.places.place import missing
from training.data.assistants.talk import MakeTalk, Seen, Talk, call, mistake
from training.data.conversation import Answer, Language
from training.data.values import Rng

PAIRS = (("Starbucks", "Dunkin'"), ("Target", "Walmart"), ("CVS", "Walgreens"), ("McDonald's", "Burger King"), (
    "Chick-fil-A", "Popeyes"), ("Whole Foods", "Trader Joe's"), ("Home Depot", "Lowe's"), ("Chase", "Wells Fargo"), (
    "Subway", "Chipotle"), ("Taco Bell", "Wendy's"))  # fmt: skip


def _number(value: str) -> float:
    return float(value.partition(" ")[0].replace(",", "").replace("−", "-"))


def _bounds(value: str) -> tuple[float, float] | None:
    if "(" not in value:
        return None
    low, high = value.partition("(")[2].rstrip(")").split(" to ")
    return float(low.replace(",", "")), float(high.replace(",", ""))


def side_by_side(
    rng: Rng, language: Language, seen: Seen, names: tuple[str, str], unit: tuple[str, str, str]
) -> Answer | None:
    """The two totals, which is larger, and whether that is certain."""
    rows = table(seen.text, "Series")
    if len(rows) < 2 or any(row["Total"] in ("–", "suppressed") for row in rows[:2]):
        return None
    one, two = rows[0]["Total"], rows[1]["Total"]
    first = _number(one) >= _number(two)
    more, less = names if first else names[::-1]
    high, low = (one, two) if first else (two, one)
    upper, lower = _bounds(high), _bounds(low)
    doubt = ""
    if upper and lower and lower[1] >= upper[0]:
        doubt = by(language, " The ranges overlap, so it is not certain.",
            " Die Bereiche überschneiden sich, sicher ist es nicht.", "区间重叠，差异不确定。")  # fmt: skip
    head = when(seen.text, language)
    return told(rng, language, f"Total: {names[0]} {one}; {names[1]} {two}.",
        en=f"{more} is ahead with {high} {unit[0]} against {low} for {less} {head}.{doubt}",
        de=f"{more} liegt vorn: {cell(high, 'de')} {unit[1]} gegenüber {cell(low, 'de')} bei {less} {head}.{doubt}",
        zh=f"{more}更高：{head}{cell(high, 'zh')}{unit[2]}，{less}为{cell(low, 'zh')}。{doubt}")  # fmt: skip


def _groups(key: str, one: tuple[str, str], two: tuple[str, str]) -> list[dict[str, object]]:
    return [{key: value, "geo_filter": where} for value, where in (one, two)]


def two_chains(rng: Rng, language: Language) -> Talk:
    (a, b), where = rng.some(PAIRS), metro(rng, language)
    if "Dunkin'" in (a, b) and where.arg in ("San Francisco", "Los Angeles"):
        where = metro(rng, language, "Chicago")
    span = period(rng, language)
    late = rng.chance(0.5)
    said = f" {span.said}" if late else ""
    one, two = chain(rng, language, (a,)).said, chain(rng, language, (b,)).said
    yield ask(rng, language, {"en": [f"Compare {one} and {two} in {where.said}{said}.",
        f"{one} vs {two} in {where.said}{said}, who gets more visits",
        f"who is busier in {where.said}{said}, {one} or {two}?",
        f"{one} or {two}: which draws more visits in {where.said}{said}?"], "de": [
        f"Vergleiche {one} und {two} in {where.said}{said}.",
        f"Wer hat in {where.said}{said} mehr Besuche, {one} oder {two}?"], "zh": [
        f"比较{where.said}的{one}和{two}{f'（{span.said}）' if late else ''}",
        f"{where.said}{span.said if late else ''}{one}和{two}谁的访问更多？"]})  # fmt: skip
    extra = {"period": span.arg} if late else {}
    seen = yield call("Two chains in one city side by side: groups.", "compare_locations", groups=_groups("chain_id", (
        a, where.arg), (b, where.arg)), **extra)  # fmt: skip
    answer = side_by_side(rng, language, seen, (one, two), ("visits", "Besuche", "次访问"))
    if answer is None:
        return
    yield answer
    if rng.chance(0.3):
        yield ask(rng, language, {"en": ["by how many percent do they differ?", "and the difference in percent?",
            "how big is the gap in %"], "de": ["Um wie viel Prozent unterscheiden sie sich?", "Abstand in Prozent?"],
            "zh": ["相差百分之几？", "差距多少%"]}, again=True)  # fmt: skip
        gap = table(seen.text, "Series")[1].get("Difference (%)", "–")
        yield told(rng, language, f"Row {b}: difference {gap} % against {a}.", en=f"{two} is at {gap} % against {one}.",
            de=f"{two} liegt bei {gap} % gegenüber {one}.", zh=f"{two}相对{one}为{gap} %。")  # fmt: skip


def two_cities(rng: Rng, language: Language) -> Talk:
    names = rng.sample(list(METROS), 2)
    a, b = metro(rng, language, names[0]), metro(rng, language, names[1])
    by_chain = rng.chance(0.6)
    of = chain(rng, language, BUSY_CHAINS) if by_chain else kind_of(rng, language, BUSY_KINDS)
    key = "chain_id" if by_chain else "category_ids"
    yield ask(rng, language, {"en": [f"Do {of.said} do better in {a.said} or {b.said}?",
        f"compare visits of {of.said} in {a.said} and {b.said}", f"visits to {of.said}, {a.said} versus {b.said}",
        f"where do {of.said} get more visits, {a.said} or {b.said}?"], "de": [
        f"Laufen {of.said} in {a.said} oder in {b.said} besser?", f"{of.said}: Besuche in {a.said} gegen {b.said}"],
        "zh": [f"{of.said}在{a.said}和{b.said}哪边访问更多？", f"对比{a.said}与{b.said}的{of.said}"]})  # fmt: skip
    seen = yield call("The same in two cities: two groups.", "compare_locations", groups=_groups(key, (of.arg, a.arg), (
        of.arg, b.arg)))  # fmt: skip
    answer = side_by_side(rng, language, seen, (a.said, b.said), ("visits", "Besuche", "次访问"))
    if answer is not None:
        yield answer


def dwell_of_two(rng: Rng, language: Language) -> Talk:
    (a, b), where = rng.some(PAIRS[1:]), metro(rng, language)
    metric, words = rng.some([("dwell", ("minutes", "Minuten", "分钟")), ("visitors", ("visitors", "Besucher",
        "名访客")), ("frequency", ("visits per visitor", "Besuche je Besucher", "次/人"))])  # fmt: skip
    ask_for = {"dwell": ("do people stay longer", "bleiben Leute länger", "停留更久"), "visitors": (
        "are there more different visitors", "gibt es mehr verschiedene Besucher", "访客人数更多"), "frequency": (
        "do people come more often", "kommen Leute öfter", "来得更频繁")}[metric]  # fmt: skip
    yield ask(rng, language, {"en": [f"Where {ask_for[0]} in {where.said}, at {a} or at {b}?",
        f"{a} vs {b} in {where.said}: where {ask_for[0]}", f"in {where.said}, {ask_for[0]} at {a} than at {b}?",
        f"{metric} of {a} and {b} in {where.said}, which is higher?"], "de": [
        f"Wo {ask_for[1]} in {where.said}, bei {a} oder {b}?", f"{a} oder {b} in {where.said}: wo {ask_for[1]}?"],
        "zh": [f"{where.said}的{a}和{b}，哪家{ask_for[2]}？", f"{where.said}：{a}还是{b}{ask_for[2]}"]})  # fmt: skip
    seen = yield call(f"Compared by {metric}.", "compare_locations", groups=_groups("chain_id", (a, where.arg), (b,
        where.arg)), metric=metric)  # fmt: skip
    answer = side_by_side(rng, language, seen, (a, b), words)
    if answer is not None:
        yield answer


def two_malls(rng: Rng, language: Language) -> Talk:
    a, b = rng.sample(list(MALLS), 2)
    yield ask(rng, language, {"en": [f"{a} or {b}, which is busier?", f"compare {a} with {b}",
        f"Which mall gets more visits, {a} or {b}?", f"{a} vs {b} please"], "de": [
        f"Was ist besser besucht, {a} oder {b}?", f"Vergleiche {a} mit {b}."], "zh": [f"{a}和{b}哪个更热闹？",
        f"对比一下{a}和{b}"]})  # fmt: skip
    ids = []
    for name in (a, b):
        seen = yield call(f"The id of {name}.", "search_places", geo_filter="all", name=name)
        rows = table(seen.text, "Places")
        if not rows:
            yield missing(language)
            return
        ids.append(rows[0]["Id"])
    seen = yield call("Both ids are known: side by side.", "compare_locations", place_ids=ids)
    answer = side_by_side(rng, language, seen, (a, b), ("visits", "Besuche", "次访问"))
    if answer is not None:
        yield answer


def top_two(rng: Rng, language: Language) -> Talk:
    of, where = chain(rng, language, BUSY_CHAINS[:4]), metro(rng, language)
    yield ask(rng, language, {"en": [
        f"Compare the two busiest {of.said} in {where.said} over the last quarter by month.",
        f"top 2 {of.said} in {where.said} side by side, monthly, last quarter",
        f"how do the two most visited {of.said} in {where.said} compare month by month last quarter?",
        f"monthly comparison of the 2 biggest {of.said} in {where.said}, last quarter"], "de": [
        f"Vergleiche die zwei meistbesuchten {of.said} in {where.said} nach Monaten im letzten Quartal.",
        f"Top 2 {of.said} in {where.said} monatlich im letzten Quartal vergleichen"], "zh": [
        f"按月比较上个季度{where.said}最忙的两家{of.said}",
        f"{where.said}前两名{of.said}上季度逐月对比"]})  # fmt: skip
    seen = yield call("The two most visited first, for their ids.", "search_places", geo_filter=where.arg, chain_ids=[
        of.arg], limit=2)  # fmt: skip
    rows = table(seen.text, "Places")
    if len(rows) < 2:
        return
    seen = yield call("Side by side by month in the last quarter.", "compare_locations", place_ids=[row["Id"]
        for row in rows], granularity="month", period="last_quarter")  # fmt: skip
    series = table(seen.text, "Series")
    answer = side_by_side(rng, language, seen, (series[0]["Name"], series[1]["Name"]), ("visits", "Besuche", "次访问"))
    if answer is not None:
        yield answer


def best_month(rng: Rng, language: Language) -> Talk:
    """A cell in the middle of the rows."""
    (a, b), where = rng.some(PAIRS[1:5]), metro(rng, language)
    yield ask(rng, language, {"en": [
        f"Compare {a} and {b} in {where.said} by month over the last 12 months. Which month was best for {a}?",
        f"monthly {a} vs {b} in {where.said}, last 12 months: best month of {a}?",
        f"{a} and {b} {where.said} month by month for the last 12 months, peak month of {a}?",
        f"in which of the last 12 months did {a} in {where.said} peak, beside {b}?"], "de": [
        f"{a} und {b} in {where.said} nach Monaten, letzte 12 Monate: bester Monat von {a}?",
        f"Vergleiche {a} und {b} in {where.said} monatlich über 12 Monate; wann war {a} am stärksten?"], "zh": [
        f"按月比较{where.said}的{a}和{b}（过去12个月），{a}哪个月最高？",
        f"过去12个月{where.said}{a}对{b}逐月，{a}峰值在几月"]})  # fmt: skip
    seen = yield call("By month over 12 months.", "compare_locations", groups=_groups("chain_id", (a, where.arg), (b,
        where.arg)), granularity="month", period="last_12_months")  # fmt: skip
    rows = table(seen.text, "Rows")
    columns = [name for name in (rows[0] if rows else {}) if name not in ("Month", "Days")]
    rows = [row for row in rows if columns and row.get(columns[0], "–") not in ("–", "suppressed")]
    if not rows or len(table(seen.text, "Rows")) < 12:
        return
    best = max(rows, key=lambda row: _number(row[columns[0]]))
    value = best[columns[0]]
    yield told(rng, language, f"Highest of {a}: row {best['Month']}, {value}.",
        en=f"{best['Month']}, with {value} visits.", de=f"{best['Month']} mit {cell(value, 'de')} Besuchen.",
        zh=f"{best['Month']}，{cell(value, 'zh')}次访问。")  # fmt: skip


_SHORT = {day[:3]: day for day in DAYS}


def week_pattern(rng: Rng, language: Language) -> Talk:
    (a, b), where = rng.some(PAIRS[1:]), metro(rng, language)
    day = rng.some(list(_SHORT))
    german, chinese = DAYS[_SHORT[day]]
    yield ask(rng, language, {"en": [
        f"Weekday pattern of {a} and {b} in {where.said}: what does {a} get on a {_SHORT[day]}?",
        f"by day of week, {a} vs {b} in {where.said} - {a} on {_SHORT[day]}s?",
        f"how many visits does {a} have on an average {_SHORT[day]} in {where.said}, compared with {b}?",
        f"{a} and {b} {where.said} by weekday; {_SHORT[day]} figures please"], "de": [
        f"{a} und {b} in {where.said} nach Wochentag: wie viele Besuche am {german}?",
        f"Wochentagsmuster {a} gegen {b} in {where.said}, {german}?"], "zh": [
        f"{where.said}的{a}和{b}按星期几比较，{chinese}各多少？",
        f"{a}与{b}在{where.said}的{chinese}平均访问量"]})  # fmt: skip
    seen = yield call("The pattern by day of the week.", "compare_locations", groups=_groups("chain_id", (a, where.arg),
        (b, where.arg)), granularity="day_of_week")  # fmt: skip
    row = next((row for row in table(seen.text, "Rows") if row.get("Day of week") == day), None)
    if row is None:
        return
    one, two = [value for name, value in row.items() if name != "Day of week"][:2]
    if "suppressed" in (one, two) or "–" in (one, two):
        return
    head = when(seen.text, language)
    yield told(rng, language, f"Row {day}: {a} {one}; {b} {two}.",
        en=f"On an average {_SHORT[day]} {head}: {a} {one} visits, {b} {two}.",
        de=f"Am {german} im Mittel {head}: {a} {cell(one, 'de')} Besuche, {b} {cell(two, 'de')}.",
        zh=f"{head}平均每个{chinese}：{a} {cell(one, 'zh')}次，{b} {cell(two, 'zh')}次。")  # fmt: skip


def wrong_granularity(rng: Rng, language: Language) -> Talk:
    (a, b), where = rng.some(PAIRS[1:]), metro(rng, language)
    yield ask(rng, language, {"en": [f"At which hour is {a} in {where.said} strongest, compared with {b}?",
        f"hourly pattern {a} vs {b} {where.said}, peak hour of {a}?",
        f"{a} and {b} in {where.said} by hour: when does {a} peak", f"peak hour of {a} beside {b} in {where.said}?"],
        "de": [f"Zu welcher Stunde ist {a} in {where.said} am stärksten, verglichen mit {b}?",
        f"{a} und {b} in {where.said} nach Stunde: Spitze von {a}?"], "zh": [
        f"{where.said}的{a}和{b}按小时比较，{a}几点最高？",
        f"{a}与{b}在{where.said}的小时分布，{a}峰值"]})  # fmt: skip
    groups = _groups("chain_id", (a, where.arg), (b, where.arg))
    if rng.chance(0.4):
        seen = yield mistake("By hour.", "compare_locations", groups=groups, granularity="hour")
        if not seen.failed:
            return
    seen = yield call("The hours of the day: granularity hour_of_day.", "compare_locations", groups=groups,
        granularity="hour_of_day")  # fmt: skip
    rows = table(seen.text, "Rows")
    if len(rows) < 8:
        return
    column = next(name for name in rows[0] if name != "Hour of day")
    told_rows = [row for row in rows if row[column] not in ("–", "suppressed")]
    if not told_rows:
        return
    best = max(told_rows, key=lambda row: _number(row[column]))
    hour = best["Hour of day"].removesuffix(" h")
    yield told(rng, language, f"Highest of {a}: row {best['Hour of day']}, {best[column]}.",
        en=f"At {hour} h, with {best[column]} visits {when(seen.text, 'en')}.",
        de=f"Um {hour} Uhr, mit {cell(best[column], 'de')} Besuchen {when(seen.text, 'de')}.",
        zh=f"{hour} h，{when(seen.text, 'zh')}访问{cell(best[column], 'zh')}次。")  # fmt: skip


def three_cities(rng: Rng, language: Language) -> Talk:
    of, names = chain(rng, language, BUSY_CHAINS), rng.sample(list(METROS), 3)
    a, b, c = (Said(name, METROS[name] if language == "zh" else name) for name in names)
    yield ask(rng, language, {"en": [
        f"Which of {a.said}, {b.said} and {c.said} has the most {of.said} visits last quarter?",
        f"{of.said} in {a.said}, {b.said}, {c.said}: most visits last quarter?",
        f"rank {a.said}, {b.said} and {c.said} by {of.said} visits, last quarter",
        f"compare {of.said} across {a.said}, {b.said} and {c.said} for last quarter"], "de": [
        f"Wo hatte {of.said} im letzten Quartal die meisten Besuche: {a.said}, {b.said} oder {c.said}?",
        f"{of.said} in {a.said}, {b.said} und {c.said} im letzten Quartal vergleichen"], "zh": [
        f"上个季度{of.said}在{a.said}、{b.said}、{c.said}中哪里访问最多？",
        f"比较{a.said}、{b.said}和{c.said}的{of.said}，上季度"]})  # fmt: skip
    seen = yield call("One chain in three cities: three groups.", "compare_locations", groups=[{"chain_id": of.arg,
        "geo_filter": city.arg} for city in (a, b, c)], period="last_quarter")  # fmt: skip
    rows = table(seen.text, "Series")
    if len(rows) < 3 or any("(" not in row["Total"] for row in rows):
        return
    ranked = sorted(zip((a, b, c), rows, strict=True), key=lambda one: -_number(one[1]["Total"]))
    said = by(language, "; ", "; ", "；").join(f"{city.said} {cell(row['Total'], language)}" for city, row in ranked)
    head = when(seen.text, language)
    yield told(rng, language, "Total: " + "; ".join(f"{city.arg} {row['Total']}" for city, row in ranked) + ".",
        en=f"{ranked[0][0].said}. Visits {head}: {said}.", de=f"{ranked[0][0].said}. Besuche {head}: {said}.",
        zh=f"{ranked[0][0].said}。{head}访问：{said}。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {two_chains: 5, two_cities: 5, dwell_of_two: 3, two_malls: 3, top_two: 2, best_month: 2,
    week_pattern: 2, wrong_granularity: 2, three_cities: 2}  # fmt: skip
