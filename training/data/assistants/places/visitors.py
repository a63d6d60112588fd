"""Talks about visitors: where they live, who they are, where they go, and places that are alike or new."""

from training.data.assistants.places.parts import (
    ask,
    by,
    cell,
    chain,
    line,
    metro,
    pair,
    places_of,
    street,
    table,
    told,
    town,
    when,
)
from training.data.assistants.places.place import Subject, find, missing, subject
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng

BIG = ("Starbucks", "Chick-fil-A", "Target")


def _none_told(rng: Rng, language: Language, what: tuple[str, str, str]):
    return told(
        rng,
        language,
        "None that may be told: too few of the panel.",
        en=f"{what[0]} cannot be told: too few people of the panel.",
        de=f"{what[1]} lässt sich nicht sagen: zu wenige Personen im Panel.",
        zh=f"{what[2]}无法给出：样本人数太少。",
    )


def trade_chain(rng: Rng, language: Language) -> Talk:
    of, where = chain(rng, language, BIG), town(rng, language)
    ask_far = rng.chance(0.5)
    far = {"en": [f"How far do people travel to {of.said} {where.said}?",
        f"median distance of visitors to {of.said} {where.said}",
        f"from how far away do {of.said} {where.said} draw people?",
        f"typical distance from home to {of.said} {where.said}?"], "de": [
        f"Wie weit fahren Besucher zu {of.said} {where.said}?",
        f"Mittlere Entfernung der Besucher von {of.said} {where.said}?"], "zh": [
        f"人们去{where.said}的{of.said}一般走多远？", f"{where.said}{of.said}访客的距离中位数"]}  # fmt: skip
    home = {"en": [f"In which areas do visitors of {of.said} {where.said} live?",
        f"catchment of {of.said} {where.said}: top areas",
        f"which areas send the most visits to {of.said} {where.said}?",
        f"trade area for {of.said} {where.said}, main areas"], "de": [
        f"In welchen Gebieten wohnen die Besucher von {of.said} {where.said}?",
        f"Einzugsgebiet von {of.said} {where.said}, wichtigste Gebiete?"], "zh": [
        f"{where.said}的{of.said}访客主要住在哪些区域？", f"{of.said}在{where.said}的商圈，主要区域"]}  # fmt: skip
    yield ask(rng, language, far if ask_far else home)
    seen = yield call("Where visitors of a chain in an area live: no ids needed.", "get_trade_area_profile", chain_id=[
        of.arg], geo_filter=where.arg)  # fmt: skip
    rows, head = table(seen.text, "Areas"), when(seen.text, language)
    if not rows:
        yield _none_told(rng, language, ("Where visitors live", "Wo die Besucher wohnen", "访客居住地"))
        return
    if ask_far:
        distance = line(seen.text, "Distance:")
        half, most = pair(distance, "median (m)"), pair(distance, "70 % of visits from within (m)")
        yield told(rng, language, f"Distance: median {half} m, 70 % of visits from within {most} m.",
            en=f"The median distance is {half} m, and 70 % of the visits come from within {most} m, in straight "
            f"lines {head}.", de=f"Im Median {half} m Luftlinie; 70 % der Besuche kommen aus bis zu {most} m {head}.",
            zh=f"{head}直线距离中位数{half}米，70 %的访问来自{most}米以内。")  # fmt: skip
        return
    unique = list({row["Name"]: row for row in reversed(rows)}.values())[::-1][:3]
    shown = [f"{row['Name']} ({row['Share of visits (%)']} %)" for row in unique]
    yield told(rng, language, "Share of visits (%): " + "; ".join(f"{row['Name']} {row['Share of visits (%)']}"
        for row in unique) + ".", en=f"Most visits {head} come from {'; '.join(shown)}.",
        de=f"Die meisten Besuche {head} kommen aus {'; '.join(shown)}.",
        zh=f"{head}访问最多的来源：{'；'.join(shown)}。")  # fmt: skip


def trade_place(rng: Rng, language: Language) -> Talk:
    one = _ikea(rng, language) if rng.chance(0.6) else subject(rng, language)
    yield ask(rng, language, {"en": [f"in which areas do people live who go to {one.said}?",
        f"trade area of {one.said}?", f"home areas of people who go to {one.said}",
        f"which areas do {one.said} customers come from, and how far?"], "de": [
        f"Wo wohnen die Besucher von {one.said}?", f"Einzugsgebiet: {one.said}?"], "zh": [f"{one.said}的访客住在哪里？",
        f"{one.said}的商圈"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    seen = yield call("Where its visitors live.", "get_trade_area_profile", place_ids=[row["Id"]])
    rows, head = table(seen.text, "Areas"), when(seen.text, language)
    if not rows:
        yield _none_told(rng, language, ("Where its visitors live", "Wo die Besucher wohnen", "访客居住地"))
        return
    half, first = pair(line(seen.text, "Distance:"), "median (m)"), rows[0]
    yield told(rng, language,
        f"Row 1: {first['Name']}, share {first['Share of visits (%)']} %; median distance {half} m.",
        en=f"Most come from {first['Name']} ({first['Share of visits (%)']} % of visits); the median distance is "
        f"{half} m {head}.",
        de=f"Die meisten kommen aus {first['Name']} ({first['Share of visits (%)']} % der Besuche); mittlere "
        f"Entfernung {half} m {head}.",
        zh=f"{head}最多来自{first['Name']}（占{first['Share of visits (%)']} %），距离中位数{half}米。")  # fmt: skip


def _ikea(rng: Rng, language: Language) -> Subject:
    where = metro(rng, language)
    said = by(language, f"IKEA in metro {where.said}", f"IKEA in der Metropolregion {where.said}",
        f"{where.said}都会区的宜家")  # fmt: skip
    return Subject(
        said,
        {"geo_filter": {"type": "metro", "name": where.arg}, "chain_ids": ["IKEA"]},
        f"The IKEA of the {where.arg} metro first: its id.",
    )


_FIGURES = {"household income (mean of area medians)": ("income", "Einkommen", "收入"), "age 25-34": (
    "share aged 25-34", "Anteil der 25- bis 34-Jährigen", "25-34岁占比"), "age 65+": ("share aged 65+", "Anteil ab 65",
    "65岁以上占比"), "household 1": ("share of single households", "Anteil der Einpersonenhaushalte", "单人家庭占比"),
    "education bachelor": ("share with a bachelor's degree", "Anteil mit Bachelor", "本科学历占比"), "age under 18": (
    "share under 18", "Anteil unter 18", "18岁以下占比")}  # fmt: skip


def profile(rng: Rng, language: Language) -> Talk:
    one = _ikea(rng, language) if rng.chance(0.5) else _busiest(rng, language)
    figure = rng.some(list(_FIGURES))
    said = by(language, *_FIGURES[figure])
    yield ask(rng, language, {"en": [f"What is the {said} among visitors of {one.said}, against the region?",
        f"{said} of {one.said} visitors", f"demographics of {one.said}: {said}?",
        f"who goes to {one.said}? I mean the {said}"], "de": [
        f"{said} der Besucher, verglichen mit der Region: {one.said}?", f"Demografie von {one.said}: {said}?"], "zh": [
        f"{one.said}访客的{said}与地区相比如何？", f"{one.said}的人群画像：{said}"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    seen = yield call("Who its visitors are: demographics.", "get_profile_and_overlap", place_ids=[row["Id"]])
    found = next((each for each in table(seen.text, "Profile") if each["Figure"] == figure), None)
    if found is None:
        yield _none_told(rng, language, ("The demographics of its visitors", "Die Demografie der Besucher", "访客画像"))
        return
    unit = " %" if found["Unit"] == "%" else by(language, " dollars a year", " Dollar im Jahr", "美元/年")
    head = when(seen.text, language)
    yield told(rng, language,
        f"Row {figure}: visitors {found['Visitors']}, region {found['Region']}, index {found['Index']}.",
        en=f"{said[:1].upper()}{said[1:]}: {found['Visitors']}{unit} in the visitors' home areas, "
        f"{found['Region']}{unit} in the region (index {found['Index']}) {head}.",
        de=f"{said}: {found['Visitors']}{unit} in den Wohngebieten der Besucher, {found['Region']}{unit} in der "
        f"Region (Index {found['Index']}) {head}.", zh=f"{head}{said}：访客居住区{found['Visitors']}{unit}，"
        f"地区{found['Region']}{unit}（指数{found['Index']}）。")  # fmt: skip


def _busiest(rng: Rng, language: Language) -> Subject:
    of, where = chain(rng, language, BIG), metro(rng, language)
    said = by(language, f"the most visited {of.said} in {where.said}", f"„meistbesuchter {of.said} in {where.said}“",
        f"{where.said}访问最多的{of.said}")  # fmt: skip
    return Subject(
        said,
        {"geo_filter": where.arg, "chain_ids": [of.arg], "limit": 1},
        f"The busiest {of.arg} in {where.arg}: its id.",
    )


def overlap(rng: Rng, language: Language) -> Talk:
    one, other = subject(rng, language), rng.some(["Starbucks", "Target", "McDonald's", "Chick-fil-A", "Best Buy",
        "Walgreens"])  # fmt: skip
    if other in one.said or other in str(one.search):
        return
    yield ask(rng, language, {"en": [f"What share of {one.said} visitors also go to {other}?",
        f"audience overlap of {one.said} with {other}",
        f"do visitors of {one.said} go to {other} as well? how many percent",
        f"shared visitors between {one.said} and {other}?"], "de": [
        f"Welcher Anteil der Besucher geht auch zu {other}: {one.said}?",
        f"Überschneidung von {one.said} mit {other}?"], "zh": [f"{one.said}的访客有多少也去{other}？",
        f"{one.said}与{other}的共同访客"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    if rng.chance(0.2):
        seen = yield mistake("Shared with a chain.", "get_profile_and_overlap", place_ids=[row["Id"]], chain_id=[other])
        if not seen.failed:
            return
    seen = yield call(f"Shared audience with {other}: with_chain_ids.", "get_profile_and_overlap", place_ids=[row[
        "Id"]], with_chain_ids=[other])  # fmt: skip
    rows = table(seen.text, "Shared chains")
    if not rows or rows[0].get("Share of own (%)", "–") == "–":
        yield _none_told(rng, language, ("The overlap", "Die Überschneidung", "共同访客"))
        return
    found, head = rows[0], when(seen.text, language)
    yield told(rng, language,
        f"Row {found['Name']}: shared visitors {found['Shared visitors']}, share of own {found['Share of own (%)']} %.",
        en=f"{found['Share of own (%)']} % of its visitors, {found['Shared visitors']}, also go to {other} {head}.",
        de=f"{found['Share of own (%)']} % der Besucher, {cell(found['Shared visitors'], 'de')}, gehen auch zu "
        f"{other} {head}.", zh= f"{head}有{found['Share of own (%)']} "
        f"%的访客（{found['Shared visitors'].partition(' ')[0]}人）也去{other}。")  # fmt: skip


def shared_places(rng: Rng, language: Language) -> Talk:
    one = subject(rng, language)
    yield ask(rng, language, {"en": [f"Where else do visitors of {one.said} go?",
        f"which other places share the most visitors with {one.said}?", f"cross shopping {one.said}: top places",
        f"what other places do people from {one.said} visit"], "de": [
        f"Wohin gehen die Besucher sonst noch: {one.said}?",
        f"Mit welchen Orten teilt {one.said} die meisten Besucher?"], "zh": [f"{one.said}的访客还去哪些地方？",
        f"与{one.said}共享访客最多的地点"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    seen = yield call("Shared audience with other places.", "get_profile_and_overlap", place_ids=[row["Id"]])
    rows = table(seen.text, "Shared places")[:2]
    if not rows:
        yield _none_told(rng, language, ("Where else they go", "Wohin sie sonst gehen", "其他去处"))
        return
    shown = "; ".join(f"{each['Name']}, {street(each['Address'])}: {each['Share of own (%)']} %" for each in rows)
    head = when(seen.text, language)
    yield told(rng, language, "Shared places, share of own (%): " + "; ".join(
        f"{each['Name']} {each['Share of own (%)']}" for each in rows) + ".",
        en=f"Most shared {head}: {shown} of its visitors.", de=f"Am häufigsten geteilt {head}: {shown} der Besucher.",
        zh=f"{head}共享最多：{shown}。")  # fmt: skip


def flows(rng: Rng, language: Language) -> Talk:
    one, after = (_ikea if rng.chance(0.3) else subject)(rng, language), rng.chance(0.5)
    way = "after" if after else "before"
    question = {"en": [f"Where do people go right after {one.said}?", f"next stop after visiting {one.said}",
        f"how many go home straight after {one.said}?", f"what do visitors do after {one.said}"], "de": [
        f"Wohin geht man direkt danach: {one.said}?", f"Nächster Halt nach dem Besuch: {one.said}?"], "zh": [
        f"人们离开{one.said}后去哪？", f"{one.said}之后的下一站"]} if after else {"en": [
        f"Where were people just before {one.said}?", f"previous stop before {one.said}",
        f"do visitors come to {one.said} straight from home?", f"what do visitors do before {one.said}"], "de": [
        f"Wo waren die Leute direkt davor: {one.said}?", f"Letzter Halt vor dem Besuch: {one.said}?"], "zh": [
        f"人们去{one.said}之前在哪？", f"{one.said}访客的上一站"]}  # fmt: skip
    yield ask(rng, language, question)
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    seen = yield call(f"Only what comes {way} the visit.", "get_visit_flows", place_id=row["Id"], direction=way)
    home = line(seen.text, f"{way.capitalize()} total, home:")
    share, rows, head = pair(home, "share (%)"), table(seen.text, way.capitalize()), when(seen.text, language)
    if not share:
        yield _none_told(rng, language, ("That", "Das", "去向"))
        return
    first = f" {rows[0]['Name']}: {rows[0]['Share (%)']} %." if rows and rows[0].get("Share (%)", "–") != "–" else ""
    where = ("go home", "gehen nach Hause", "回家") if after else ("come from home", "kommen von zu Hause", "从家来")
    yield told(rng, language, f"{way.capitalize()} total, home: share {share} %.{first}",
        en=f"{share} % {where[0]} {head}.{first}" if first
        else f"{share} % {where[0]} {head}; other places cannot be told.", de=f"{share} % {where[1]} {head}.{first}"
        if first else f"{share} % {where[1]} {head}; andere Orte lassen sich nicht sagen.",
        zh=f"{head}{share} %{where[2]}。{first.strip().replace(': ', '：').replace('%.', '%。')}" if first
        else f"{head}{share} %{where[2]}；其他地点无法给出。")  # fmt: skip


def flow_kinds(rng: Rng, language: Language) -> Talk:
    one, level = subject(rng, language), rng.some(["chain", "category"])
    word = by(language, *(("chains", "Ketten", "连锁店") if level == "chain" else ("kinds of places", "Arten von Orten",
        "类别")))  # fmt: skip
    yield ask(rng, language, {"en": [f"Which {word} do visitors of {one.said} go to right after?",
        f"{word} visited straight after {one.said}", f"after {one.said}, which {word} come next?",
        f"next {word} on the same trip after {one.said}?"], "de": [
        f"Welche {word} folgen direkt auf einen Besuch: {one.said}?", f"{word} direkt nach {one.said}?"], "zh": [
        f"离开{one.said}后去哪些{word}？", f"{one.said}之后访问的{word}"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    seen = yield call(f"After the visit, by {level}.", "get_visit_flows", place_id=row["Id"], direction="after",
        level=level)  # fmt: skip
    rows, head = [each for each in table(seen.text, "After") if each.get("Share (%)", "–") != "–"][:3], when(seen.text,
        language)  # fmt: skip
    if not rows:
        yield _none_told(rng, language, ("Where they go next", "Wohin sie danach gehen", "下一站"))
        return
    shown = "; ".join(f"{each['Name']} {each['Share (%)']} %" for each in rows)
    yield told(rng, language, f"After, share (%): {shown}.", en=f"Right after {head}: {shown} of the visits.",
        de=f"Direkt danach {head}: {shown} der Besuche.", zh=f"{head}随后去：{shown}。")  # fmt: skip


def similar(rng: Rng, language: Language) -> Talk:
    one = subject(rng, language)
    where = metro(rng, language) if rng.chance(0.45) else None
    count = rng.randrange(1, 4)
    at = f" in {where.said}" if where else ""
    yield ask(rng, language, {"en": [f"Which {count} places are most like {one.said}?" if count > 1
        else f"Which place is most like {one.said}?", f"{count} lookalikes of {one.said}",
        f"places similar to {one.said}, top {count}", f"find {count} comparable to {one.said}"] if where is None else [
        f"Which {count} place(s){at} are most like {one.said}?", f"{count} lookalikes of {one.said}{at}",
        f"something similar to {one.said} but{at}, top {count}", f"top {count} matches{at} for {one.said}"], "de": [
        f"Die {count} ähnlichsten Orte{at}, Vorbild: {one.said}?",
        f"Was ist {one.said} am ähnlichsten{at}? Top {count}"], "zh": [
        f"{where.said if where else ''}与{one.said}最相似的{count}个地点？",
        f"找{count}个{where.said if where else ''}类似{one.said}的地方"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    geo = {"geo_filter": where.arg} if where else {}
    seen = yield call("Places like it" + (f" in {where.arg}." if where else "."), "find_similar_places", place_id=row[
        "Id"], limit=count, **geo)  # fmt: skip
    rows = [each for each in places_of(seen.text) if "Name" in each and "Score" in each][:count]
    if not rows:
        yield told(rng, language, "No place found.", en="There is none like it there.",
            de="Dort gibt es keinen ähnlichen.", zh="那里没有类似的。")  # fmt: skip
        return
    shown = "; ".join(f"{each['Name']}, {each['Address']}: {each['Score']}" for each in rows)
    yield told(rng, language, "Score: " + "; ".join(f"{each['Name']} {each['Score']}" for each in rows) + ".",
        en=f"Most alike, with scores from 0 to 100: {shown}.", de=f"Am ähnlichsten, Wert von 0 bis 100: {shown}.",
        zh=f"最相似（0到100分）：{shown}。")  # fmt: skip


def new_store(rng: Rng, language: Language) -> Talk:
    of, weeks = chain(rng, language, ("Starbucks", "McDonald's", "Subway", "CVS")), rng.some([None, None, 8, 6])
    where = metro(rng, language) if rng.chance(0.4) else None
    at = f" in {where.said}" if where else ""
    late = "" if weeks is None else by(language, f" over {weeks} weeks", f" über {weeks} Wochen", f"{weeks}周内")
    yield ask(rng, language, {"en": [
        f"What did the busiest {of.said} opened in the last 12 months{at} take from its sister stores{late}?",
        f"cannibalization by the top new {of.said}{at} (opened last 12 months){late}",
        f"did the most visited new {of.said}{at} of the last 12 months hurt the other {of.said}{late}?",
        f"effect of the biggest {of.said} opening{at} in the last 12 months on the other stores{late}"], "de": [
        f"Was hat der meistbesuchte neue {of.said}{at} (letzte 12 Monate) den anderen Filialen genommen{late}?",
        f"Kannibalisierung durch den größten neuen {of.said}{at} der letzten 12 Monate{late}?"], "zh": [
        f"过去12个月{where.said if where else ''}新开的最大{of.said}{late}抢走了其他门店多少访问？",
        f"{where.said if where else ''}最热门新{of.said}（过去12个月）对姐妹店的影响{late}"]})  # fmt: skip
    seen = yield call("First the newly opened ones, busiest on top.", "search_places", geo_filter=where.arg if where
        else "all", chain_ids=[of.arg], opened_within="last_12_months", limit=1)  # fmt: skip
    rows = table(seen.text, "Places")
    if not rows:
        yield told(rng, language, "Total: 0.", en=f"No {of.arg} opened{at} in the last 12 months.",
            de=f"In den letzten 12 Monaten hat kein {of.arg}{at} eröffnet.",
            zh=f"过去12个月没有新开的{of.arg}。")  # fmt: skip
        return
    seen = yield call("What it took from its sisters.", "get_new_store_effect", place_id=rows[0]["Id"], **({}
        if weeks is None else {"weeks": weeks}))  # fmt: skip
    total = line(seen.text, "Total:")
    effect, share, sure, sisters = pair(total, "effect"), pair(total, "effect (%)"), pair(total, "certain"), pair(total,
        "sisters")  # fmt: skip
    if seen.failed or not effect:
        yield told(rng, language, "No effect is told.", en="The effect cannot be told for it.",
            de="Die Wirkung lässt sich nicht angeben.", zh="无法给出影响。")  # fmt: skip
        return
    doubt = by(language, *(("it is certain", "das ist sicher", "结论确定") if sure == "yes" else (
        "that is not certain, as the range holds 0", "sicher ist das nicht, der Bereich enthält 0",
        "区间含0，不确定")))  # fmt: skip
    yield told(rng, language, f"Total: sisters {sisters}, effect {effect}, effect {share} %, certain {sure}.",
        en=f"{rows[0]['Name']}, {street(rows[0]['Address'])}: {effect} visits ({share} %) at its {sisters} sisters; "
        f"{doubt}.",
        de=f"{rows[0]['Name']}, {street(rows[0]['Address'])}: {cell(effect, 'de')} Besuche ({share} %) bei {sisters} "
        f"Schwesterfilialen; {doubt}.", zh=f"{rows[0]['Name']}（{street(rows[0]['Address'])}）："
        f"{sisters}家姐妹店合计{cell(effect, 'zh')}次访问（{share} %），" f"{doubt}。")  # fmt: skip


def not_new(rng: Rng, language: Language) -> Talk:
    one = subject(rng, language)
    yield ask(rng, language, {"en": [f"What did the opening of {one.said} do to its neighbours?",
        f"new store effect of {one.said}", f"did {one.said} take visits from others when it opened?",
        f"impact of opening {one.said}"], "de": [f"Was hat die Eröffnung bei anderen bewirkt: {one.said}?",
        f"Wirkung der Eröffnung von {one.said}?"], "zh": [f"{one.said}开业对其他门店有何影响？",
        f"{one.said}的新店效应"]})  # fmt: skip
    row = yield from find(one)
    if row is None:
        yield missing(language)
        return
    if row.get("Opened on", "–") != "–":
        return
    seen = yield call("The effect of its opening.", "get_new_store_effect", place_id=row["Id"])
    if not seen.failed:
        return
    yield told(rng, language, "Error: it did not open within the data.",
        en=f"{row['Name']} did not open within the period of the data, so there is no opening effect to measure.",
        de=f"{row['Name']} hat nicht im Zeitraum der Daten eröffnet, also lässt sich keine Wirkung messen.",
        zh=f"{row['Name']}不是在数据期间开业的，无法衡量新店影响。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {trade_chain: 6, trade_place: 4, profile: 5, overlap: 4, shared_places: 3, flows: 5,
    flow_kinds: 2, similar: 5, new_store: 4, not_new: 1}  # fmt: skip
