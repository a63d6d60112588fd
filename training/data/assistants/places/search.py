"""Talks in which places are found, counted and ranked."""

from training.data.assistants.places.parts import (
    BUSY_CHAINS,
    BUSY_KINDS,
    LOCAL_CHAINS,
    METROS,
    area,
    ask,
    by,
    cell,
    chain,
    counted,
    kind_of,
    line,
    metro,
    month_back,
    pair,
    period,
    say_month,
    street,
    table,
    told,
    town,
    when,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

NUMBERS = {2: ("two", "zwei", "两"), 3: ("three", "drei", "三"), 4: ("four", "vier", "四"), 5: ("five", "fünf", "五"),
    6: ("six", "sechs", "六")}  # fmt: skip


def listed(rows: list[dict[str, str]], language: Language) -> str:
    """Rows with streets and visits, as a sentence has them."""
    parts = [by(language, f"{row['Name']}, {street(row['Address'])}: ", f"{row['Name']}, {street(row['Address'])}: ",
        f"{row['Name']}，{street(row['Address'])}：") + _visits(row, language) for row in rows]  # fmt: skip
    return by(language, "; ", "; ", "；").join(parts)


def _visits(row: dict[str, str], language: Language) -> str:
    value = row.get("Visits", "suppressed")
    if value in ("suppressed", "–"):
        return by(language, "visits cannot be told", "Besuche nicht angebbar", "访问量无法公布")
    return cell(value, language)


def quoted(rows: list[dict[str, str]]) -> str:
    return "; ".join(f"{row['Name']} {street(row['Address'])} {row.get('Visits', 'suppressed').partition(' ')[0]}"
        for row in rows)  # fmt: skip


def count_chain(rng: Rng, language: Language) -> Talk:
    of, where = chain(rng, language), area(rng, language)
    yield ask(rng, language, {"en": [f"How many {of.said} are there {where.said}?",
        f"{of.said} {where.said} - how many locations", f"number of {of.said} stores {where.said}?",
        f"how many {of.said} branches does the data have {where.said}",
        f"Count the {of.said} sites {where.said}, please.", f"do you know how many {of.said} there are {where.said}?"],
        "de": [f"Wie viele {of.said}-Filialen gibt es {where.said}?", f"Anzahl {of.said} {where.said}?",
        f"Wie oft gibt es {of.said} {where.said}?"], "zh": [f"{where.said}有多少家{of.said}？",
        f"{of.said}在{where.said}有几家门店", f"统计一下{where.said}的{of.said}数量"]})  # fmt: skip
    seen = yield call(f"Count {of.arg} in this area: search_places has the total.", "search_places",
        geo_filter=where.arg, chain_ids=[of.arg])  # fmt: skip
    count = line(seen.text, "Total:")
    if count == "0":
        yield told(rng, language, "Total: 0. No place fits.", en=f"There is no {of.arg} {where.said}.",
            de=f"{where.said[:1].upper()}{where.said[1:]} gibt es kein {of.arg}.",
            zh=f"{where.said}没有{of.arg}。")  # fmt: skip
        return
    plural = "location" if count == "1" else "locations"
    yield told(rng, language, f"Total: {count} places.", en=f"{of.arg} has {count} {plural} {where.said}.",
        de=f"{of.arg} hat {where.said} {count} {'Filiale' if count == '1' else 'Filialen'}.",
        zh=f"{where.said}共有{count}家{of.arg}。")  # fmt: skip
    if rng.chance(0.35):
        yield from _and_busiest(rng, language, of.arg, seen.text)


def _and_busiest(rng: Rng, language: Language, name: str, text: str) -> Talk:
    """The row is in what was shown already."""
    yield ask(rng, language, {"en": ["and which of them is the busiest?", "Which one gets the most visits?",
        "which is no. 1 of those", "where is the busiest of them?"], "de": ["Und welche davon ist am besten besucht?",
        "welche hat die meisten Besuche?"], "zh": ["其中哪家访问量最高？", "哪一家最忙？"]}, again=True)  # fmt: skip
    first = table(text, "Places")[0]
    if first.get("Visits", "suppressed") == "suppressed":
        yield told(rng, language, "Row 1: visits suppressed.",
            en="That cannot be told: too few of the panel were there.",
            de="Das lässt sich nicht sagen: zu wenige des Panels waren dort.",
            zh="无法判断：样本人数太少。")  # fmt: skip
        return
    yield told(rng, language, f"Row 1 of the list before: {first['Address']}, visits {first['Visits']}.",
        en=f"The {name} at {street(first['Address'])}: {first['Visits']} visits {when(text, language)}.",
        de=f"{name}, {street(first['Address'])}: {cell(first['Visits'], 'de')} Besuche {when(text, language)}.",
        zh=
        f"{street(first['Address'])}的{name}：{when(text, language)}访问{cell(first['Visits'], 'zh')}次。")  # fmt: skip


def count_category(rng: Rng, language: Language) -> Talk:
    of, where = kind_of(rng, language), area(rng, language)
    yield ask(rng, language, {"en": [f"How many {of.said} are {where.said}?",
        f"{of.said} {where.said}, how many are there", f"I need the number of {of.said} {where.said}.",
        f"how many {of.said} do we have {where.said}?", f"count of {of.said} {where.said}"], "de": [
        f"Wie viele {of.said} gibt es {where.said}?", f"Wie groß ist die Zahl der {of.said} {where.said}?"], "zh": [
        f"{where.said}有多少{of.said}？", f"{where.said}的{of.said}一共几家",
        f"数一下{where.said}的{of.said}"]})  # fmt: skip
    seen = yield call(f"The number of {of.arg} there: category filter, read the total.", "search_places",
        geo_filter=where.arg, category_ids=[of.arg])  # fmt: skip
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.", en=f"The data has {counted(count, of.arg)} {where.said}.",
        de=f"{of.said} {where.said}: {count}.", zh=f"{where.said}共有{count}家{of.said}。")  # fmt: skip


def _top_words(what: str, where: str, count: int, language: Language) -> list[str]:
    en, de, zh = NUMBERS[count]
    return {"en": [f"top {count} {what} {where}", f"What are the {en} busiest {what} {where}?",
        f"show me the {count} most visited {what} {where}", f"which {en} {what} {where} get the most visits?",
        f"rank the {what} {where} by visits, first {count} only",
        f"give me the {count} best {what} {where} by traffic"], "de": [f"Die {de} meistbesuchten {what} {where}?",
        f"Zeig mir die Top {count} {what} {where}.", f"welche {de} {what} {where} haben die meisten Besuche"], "zh": [
        f"{where}访问量最高的{zh}家{what}是哪些？", f"{where}{what}前{zh}名", f"列出{where}最忙的{count}家{what}"]}[
        language]  # fmt: skip


def _top(rng: Rng, language: Language, of: str, seen_text: str, count: int) -> Answer:
    rows = table(seen_text, "Places")[:count]
    if not rows:
        return told(rng, language, "Total: 0.", en=f"There are no {of} there.", de=f"Dort gibt es keine {of}.",
            zh=f"那里没有{of}。")  # fmt: skip
    head = when(seen_text, language)
    return told(rng, language, f"Rows: {quoted(rows)}", en=f"Most visits {head}: {listed(rows, language)}.",
        de=f"Die meisten Besuche {head}: {listed(rows, language)}.",
        zh=f"{head}访问最多：{listed(rows, language)}。")  # fmt: skip


def top_chain(rng: Rng, language: Language) -> Talk:
    of, where, count = chain(rng, language, BUSY_CHAINS), town(rng, language), rng.randrange(2, 6)
    yield ask(rng, language, {language: _top_words(of.said, where.said, count, language)})
    seen = yield call(f"Top {count} of a chain: ranked by visits, limit {count}.", "search_places",
        geo_filter=where.arg, chain_ids=[of.arg], limit=count)  # fmt: skip
    yield _top(rng, language, of.said, seen.text, count)
    if len(table(seen.text, "Places")) < count or rng.chance(0.6):
        return
    other = metro(rng, language, rng.some([name for name in METROS if name not in str(where.arg)]))
    yield ask(rng, language, {"en": [f"and in {other.said}?", f"same for {other.said} please",
        f"what about {other.said}"], "de": [f"Und in {other.said}?", f"das Gleiche für {other.said}"], "zh": [
        f"那{other.said}呢？", f"{other.said}的也看一下"]}, again=True)  # fmt: skip
    seen = yield call(f"The same top {count} for {other.arg}.", "search_places", geo_filter=other.arg, chain_ids=[
        of.arg], limit=count)  # fmt: skip
    yield _top(rng, language, of.said, seen.text, count)


def top_category(rng: Rng, language: Language) -> Talk:
    of, where, count = kind_of(rng, language, BUSY_KINDS), area(rng, language), rng.randrange(2, 7)
    yield ask(rng, language, {language: _top_words(of.said, where.said, count, language)})
    seen = yield call(f"Most visited {of.arg}: category, limit {count}.", "search_places", geo_filter=where.arg,
        category_ids=[of.arg], limit=count)  # fmt: skip
    yield _top(rng, language, of.said, seen.text, count)


def top_in_period(rng: Rng, language: Language) -> Talk:
    of, where, count = kind_of(rng, language, BUSY_KINDS), town(rng, language), rng.randrange(2, 5)
    span = period(rng, language)
    word = NUMBERS[count]
    yield ask(rng, language, {"en": [f"Which {word[0]} {of.said} {where.said} had the most visits {span.said}?",
        f"top {count} {of.said} {where.said} {span.said}",
        f"{of.said} {where.said} ranked by visits {span.said}, top {count}",
        f"the {count} busiest {of.said} {where.said} {span.said}?"], "de": [
        f"Welche {word[1]} {of.said} {where.said} hatten {span.said} die meisten Besuche?",
        f"Top {count} {of.said} {where.said} {span.said}?"], "zh": [
        f"{span.said}{where.said}访问量前{word[2]}的{of.said}？",
        f"{where.said}{span.said}最热门的{count}家{of.said}"]})  # fmt: skip
    seen = yield call(f"Ranking by visits in that period, limit {count}.", "search_places", geo_filter=where.arg,
        category_ids=[of.arg], limit=count, period=span.arg)  # fmt: skip
    if seen.failed:
        return
    yield _top(rng, language, of.said, seen.text, count)


def busiest_one(rng: Rng, language: Language) -> Talk:
    of, where = (chain if rng.chance(0.5) else kind_of)(rng, language), town(rng, language)
    key = "category_ids" if of.arg == of.arg.lower() else "chain_ids"
    one = of.said
    yield ask(rng, language, {"en": [f"Which of the {one} {where.said} is visited most?",
        f"busiest of all {one} {where.said}?", f"Where is the most popular one of the {one} {where.said}?",
        f"no. 1 by visits among {one} {where.said}"], "de": [f"Was ist der meistbesuchte Standort: {one} {where.said}?",
        f"{one} {where.said}: wo ist am meisten los?"], "zh": [f"{where.said}最热门的{one}是哪家？",
        f"{where.said}哪家{one}访问最多"]})  # fmt: skip
    seen = yield call(f"The most visited of {of.arg}: only the first row is needed.", "search_places",
        geo_filter=where.arg, limit=1, **{key: [of.arg]})  # fmt: skip
    rows = table(seen.text, "Places")
    if not rows or "Visits" not in rows[0] or rows[0]["Visits"] == "suppressed":
        yield _top(rng, language, of.said, seen.text, 1)
        return
    first, head = rows[0], when(seen.text, language)
    yield told(rng, language, f"Row 1: {quoted(rows[:1])}.",
        en=f"{first['Name']} at {first['Address']}, with {first['Visits']} visits {head}.",
        de=f"{first['Name']}, {first['Address']}, mit {cell(first['Visits'], 'de')} Besuchen {head}.",
        zh=f"{first['Name']}（{first['Address']}），{head}访问{cell(first['Visits'], 'zh')}次。")  # fmt: skip


def nth_place(rng: Rng, language: Language) -> Talk:
    of, where, rank = chain(rng, language, BUSY_CHAINS), town(rng, language), rng.randrange(2, 5)
    en = ("", "", "second", "third", "fourth")[rank]
    de = ("", "", "zweit", "dritt", "viert")[rank]
    yield ask(rng, language, {"en": [f"Which {of.said} {where.said} is the {en} busiest?",
        f"{en} most visited {of.said} {where.said}?",
        f"what's the address of the {of.said} {where.said} that ranks {en} by visits",
        f"the {en}-ranked {of.said} {where.said} please"], "de": [
        f"Welcher {of.said} {where.said} liegt bei den Besuchen auf Platz {rank}?",
        f"der {de}größte {of.said} {where.said} nach Besuchen?"], "zh": [
        f"{where.said}访问量排第{'零一二三四'[rank]}的{of.said}是哪家？",
        f"{of.said}在{where.said}第{rank}名的门店在哪"]})  # fmt: skip
    seen = yield call(f"Rank {rank} by visits: the first {rank} rows show it.", "search_places", geo_filter=where.arg,
        chain_ids=[of.arg], limit=rank)  # fmt: skip
    rows = table(seen.text, "Places")
    if len(rows) < rank or rows[rank - 1].get("Visits", "suppressed") == "suppressed":
        return
    row, head = rows[rank - 1], when(seen.text, language)
    yield told(rng, language, f"Row {rank}: {row['Address']}, visits {row['Visits']}.",
        en=f"The {en} busiest is at {row['Address']}: {row['Visits']} visits {head}.",
        de=f"Platz {rank} hat {row['Address']}: {cell(row['Visits'], 'de')} Besuche {head}.",
        zh=f"第{rank}名在{row['Address']}，{head}访问{cell(row['Visits'], 'zh')}次。")  # fmt: skip


def growing(rng: Rng, language: Language) -> Talk:
    of, where = kind_of(rng, language, BUSY_KINDS[:8]), town(rng, language)
    count = rng.randrange(1, 4)
    yield ask(rng, language, {"en": [f"Which {of.said} {where.said} are growing fastest?" + ("" if count == 3
        else f" Only the top {count}."), f"fastest growing {of.said} {where.said}, top {count}",
        f"who is up the most among {of.said} {where.said}? {count} is enough",
        f"strongest growth in visits among {of.said} {where.said}, first {count}"], "de": [
        f"Welche {of.said} {where.said} wachsen am stärksten? Die ersten {count} reichen.",
        f"Top {count} der {of.said} {where.said} nach Wachstum"], "zh": [f"{where.said}增长最快的{count}家{of.said}？",
        f"{where.said}哪些{of.said}涨得最快，前{count}名"]})  # fmt: skip
    seen = yield call("Growth is asked for: sort by trend.", "search_places", geo_filter=where.arg, category_ids=[
        of.arg], sort="trend", limit=count)  # fmt: skip
    rows = [row for row in table(seen.text, "Places") if row.get("Trend (%)", "–") != "–"]
    if not rows:
        return
    said = "; ".join(f"{row['Name']}, {street(row['Address'])}: {row['Trend (%)']} %" for row in rows)
    head = when(seen.text, language)
    yield told(rng, language, "Trend (%): " + "; ".join(f"{row['Name']} {row['Trend (%)']}" for row in rows) + ".",
        en=f"Change of visits {head} against the period before: {said}.",
        de=f"Veränderung der Besuche {head} gegenüber dem Zeitraum davor: {said}.",
        zh=f"{head}访问量环比变化：{said}。")  # fmt: skip


def visits_or_places(rng: Rng, language: Language) -> Talk:
    """Two figures of one line, of which one is asked for, then the other."""
    of, where = kind_of(rng, language, BUSY_KINDS), town(rng, language)
    yield ask(rng, language, {"en": [f"List the {of.said} {where.said} and tell me how many there are.",
        f"Find {of.said} {where.said} - how many hits?", f"search {of.said} {where.said}, I need the count",
        f"what {of.said} exist {where.said} and how many in all?"], "de": [
        f"Such mir {of.said} {where.said}: wie viele sind es?", f"Finde {of.said} {where.said} und nenne die Anzahl."],
        "zh": [f"查找{where.said}的{of.said}，一共多少家？",
        f"搜一下{where.said}的{of.said}，告诉我总数"]})  # fmt: skip
    seen = yield call(f"All {of.arg} in the area with their number.", "search_places", geo_filter=where.arg,
        category_ids=[of.arg])  # fmt: skip
    totals = line(seen.text, "Totals:")
    count, visits, hidden = pair(totals, "places"), pair(totals, "visits"), pair(totals, "places suppressed")
    yield told(rng, language, f"Totals: places {count}.", en=f"There are {count} {of.arg} {where.said}.",
        de=f"{of.said} {where.said}: insgesamt {count}.", zh=f"{where.said}共有{count}家{of.said}。")  # fmt: skip
    if not visits:
        return
    yield ask(rng, language, {"en": ["how many visits did they get together?", "And the visits of all of them?",
        "total visits?"], "de": ["Und wie viele Besuche hatten sie zusammen?", "Besuche insgesamt?"], "zh": [
        "它们总共有多少次访问？", "总访问量呢"]}, again=True)  # fmt: skip
    head, dark = when(seen.text, language), ("", "", "")
    if hidden:
        dark = (f", without {hidden} suppressed places", f", ohne {hidden} unterdrückte Orte",
            f"，不含{hidden}家被隐去的")  # fmt: skip
    yield told(rng, language, f"Totals of the same result: visits {visits}" + (f", suppressed {hidden}." if hidden
        else "."), en=f"{visits} visits in all {head}{dark[0]}.",
        de=f"Zusammen {cell(visits, 'de')} Besuche {head}{dark[1]}.",
        zh=f"{head}合计{cell(visits, 'zh')}次访问{dark[2]}。")  # fmt: skip


def more_in_which(rng: Rng, language: Language) -> Talk:
    of = chain(rng, language, BUSY_CHAINS) if rng.chance(0.6) else kind_of(rng, language, BUSY_KINDS)
    names = rng.sample(list(METROS), 2)
    one, two = metro(rng, language, names[0]), metro(rng, language, names[1])
    key = "category_ids" if of.arg in BUSY_KINDS else "chain_ids"
    yield ask(rng, language, {"en": [f"Are there more {of.said} in {one.said} or in {two.said}?",
        f"{of.said}: does {one.said} have more than {two.said}?", f"who has more {of.said}, {one.said} or {two.said}",
        f"Number of {of.said} in {one.said} vs {two.said}?"], "de": [
        f"Gibt es in {one.said} oder in {two.said} mehr {of.said}?",
        f"Wo gibt es mehr {of.said}, {one.said} oder {two.said}?"], "zh": [
        f"{one.said}和{two.said}哪里的{of.said}更多？", f"{of.said}数量：{one.said}还是{two.said}多"]})  # fmt: skip
    seen = yield call(f"First the number in {one.arg}.", "search_places", geo_filter=one.arg, **{key: [of.arg]})
    first = line(seen.text, "Total:")
    seen = yield call(f"{one.arg} has {first}; now {two.arg}.", "search_places", geo_filter=two.arg, **{key: [of.arg]})
    second = line(seen.text, "Total:")
    more, less = (one, two) if int(first.replace(",", "")) > int(second.replace(",", "")) else (two, one)
    high, low = (first, second) if more is one else (second, first)
    thought = f"Total {one.arg}: {first}. Total {two.arg}: {second}."
    if high == low:
        yield told(rng, language, thought, en=f"Both have {high}.", de=f"Beide haben {high}.", zh=f"两地都是{high}家。")
        return
    yield told(rng, language, thought, en=f"{more.said} has more: {high} against {low} in {less.said}.",
        de=f"{more.said} hat mehr: {high} gegenüber {low} in {less.said}.",
        zh=f"{more.said}更多：{high}家，{less.said}为{low}家。")  # fmt: skip


def everywhere(rng: Rng, language: Language) -> Talk:
    of = chain(rng, language, ("IKEA", *BUSY_CHAINS, *LOCAL_CHAINS))
    yield ask(rng, language, {"en": [f"How many {of.said} are in the whole data set?",
        f"{of.said} across all six metros - how many?", f"total number of {of.said} everywhere",
        f"All {of.said} in the data, count please"], "de": [f"Wie viele {of.said} gibt es insgesamt in den Daten?",
        f"{of.said} über alle Regionen: wie viele?"], "zh": [f"全部数据里有多少家{of.said}？",
        f"所有城市加起来{of.said}有几家"]})  # fmt: skip
    seen = yield call("Everywhere: geo_filter all.", "search_places", geo_filter="all", chain_ids=[of.arg])
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.", en=f"{of.arg} has {count} places in the whole data.",
        de=f"In den gesamten Daten gibt es {count} Standorte von {of.arg}.",
        zh=f"整个数据中共有{count}家{of.arg}。")  # fmt: skip


def opened(rng: Rng, language: Language) -> Talk:
    of = chain(rng, language, ("Starbucks", "McDonald's", "Walgreens", "Subway", "CVS"))
    where = metro(rng, language)
    month = month_back(rng, 0)
    arg, said = rng.some([("last_12_months", ("in the last 12 months", "in den letzten 12 Monaten", "过去12个月")), (
        str(month.year), (f"in {month.year}", f"im Jahr {month.year}", f"{month.year}年")), ("last_quarter", (
        "last quarter", "im letzten Quartal", "上个季度"))])  # fmt: skip
    closing = rng.chance(0.35)
    verb = ("closed", "geschlossen", "关闭") if closing else ("opened", "eröffnet", "新开")
    key, span = ("closed_within" if closing else "opened_within"), by(language, *said)
    wide = rng.chance(0.5)
    geo, place = ("all", by(language, "anywhere", "irgendwo", "各地")) if wide else (where.arg, f"in {where.said}")
    yield ask(rng, language, {"en": [f"How many {of.said} {verb[0]} {place} {span}?",
        f"which {of.said} {verb[0]} {place} {span}?", f"any {of.said} that {verb[0]} {place} {span}?",
        f"{of.said} stores {verb[0]} {span} {place} - give me the number"], "de": [
        f"Wie viele {of.said} haben {place} {span} {verb[1]}?", f"Welche {of.said} haben {span} {place} {verb[1]}?"],
        "zh": [f"{span}{place.removeprefix('in ')}{verb[2]}了多少家{of.said}？",
        f"{place.removeprefix('in ')}有哪些{of.said}是{span}{verb[2]}的"]})  # fmt: skip
    seen = yield call(f"{of.arg} that {verb[0]} in the period: {key}.", "search_places", geo_filter=geo, chain_ids=[
        of.arg], **{key: arg})  # fmt: skip
    count, rows = line(seen.text, "Total:"), table(seen.text, "Places")
    column = "Closed on" if closing else "Opened on"
    if not rows:
        yield told(rng, language, "Total: 0.", en=f"No {of.arg} {verb[0]} {place} {span}.",
            de=f"Kein {of.arg} hat {place} {span} {verb[1]}.", zh=f"{span}没有{of.arg}{verb[2]}。")  # fmt: skip
        return
    shown = "; ".join(f"{street(row['Address'])}, {row[column]}" for row in rows[:3])
    more = by(language, " and others", " und weitere", "等") if len(rows) > 3 else ""
    yield told(rng, language, f"Total: {count}. {column}: {shown}.",
        en=f"{count} {of.arg} {verb[0]} {'' if wide else place + ' '}{span}: {shown}{more}.",
        de=f"{count} {of.arg} haben {'' if wide else place + ' '}{span} {verb[1]}: {shown}{more}.",
        zh=f"{span}有{count}家{of.arg}{verb[2]}：{shown}{more}。")  # fmt: skip


def opened_since(rng: Rng, language: Language) -> Talk:
    """A month by its name."""
    where, month = town(rng, language), month_back(rng, rng.randrange(1, 10))
    said = say_month(month, language)
    yield ask(rng, language, {"en": [f"What opened {where.said} in {said}?",
        f"new places {where.said} in {said}, how many?", f"openings {where.said} {said}",
        f"How many places started business {where.said} in {said}?"], "de": [
        f"Was hat {where.said} im {said} eröffnet?", f"Neueröffnungen {where.said} im {said}?"], "zh": [
        f"{said}{where.said}新开了哪些地方？", f"{where.said}{said}有多少新店开业"]})  # fmt: skip
    seen = yield call("Openings of one month: opened_within.", "search_places", geo_filter=where.arg,
        opened_within=f"{month:%Y-%m}")  # fmt: skip
    count, rows = line(seen.text, "Total:"), table(seen.text, "Places")
    if not rows:
        yield told(rng, language, "Total: 0.", en=f"Nothing opened {where.said} in {said}.",
            de=f"Im {said} hat {where.said} nichts eröffnet.", zh=f"{said}{where.said}没有新开的地方。")  # fmt: skip
        return
    names = ", ".join(f"{row['Name']} ({row['Opened on']})" for row in rows[:3])
    number = len(rows[:3])
    yield told(rng, language, f"Total: {count}. Opened on: {names}.", en=f"{count} opened {where.said} in {said}. The "
        f"{'most visited: ' if number < int(count) else 'list: '}{names}.",
        de=f"Im {said} haben {where.said} {count} eröffnet: {names}.",
        zh=f"{said}{where.said}新开{count}家：{names}。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {count_chain: 5, count_category: 5, top_chain: 5, top_category: 6, top_in_period: 3,
    busiest_one: 3, nth_place: 2, growing: 3, visits_or_places: 3, more_in_which: 2, everywhere: 2, opened: 4,
    opened_since: 2}  # fmt: skip
