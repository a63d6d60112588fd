"""Talks in which several places are meant, something is not in a row, or one of two tools fits."""

from training.data.assistants.places.parts import (
    MALLS,
    ask,
    by,
    cell,
    chain,
    line,
    metro,
    pair,
    plain,
    street,
    table,
    told,
    when,
)
from training.data.assistants.places.place import Subject, find, missing, spot, value_of
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng

FEW = ("Target", "Best Buy", "Costco", "Whole Foods", "Trader Joe's", "Home Depot", "Olive Garden", "PetSmart")
SHOWN = 5


def which_store(rng: Rng, language: Language) -> Talk:
    """A chain in a city as if it were one store: its streets are offered, and the bare street is the reply."""
    of, where = chain(rng, language, FEW), metro(rng, language)
    label = rng.some(["Visitors", "Visits"])
    unit = {"Visitors": ("visitors", "Besucher", "名访客"), "Visits": ("visits", "Besuche", "次访问")}[label]
    noun = by(language, *unit)
    yield ask(rng, language, {"en": [f"How many {noun} does the {of.said} in {where.said} get?",
        f"{noun} of the {of.said} store in {where.said}?", f"that {of.said} in {where.said}: how many {noun}"], "de": [
        f"Wie viele {noun} hat der {of.said} in {where.said}?", f"{noun} des {of.said} in {where.said}?"], "zh": [
        f"{where.said}那家{of.said}有多少{noun[1:]}？", f"{where.said}的那家{of.said}的{noun[1:]}"]})  # fmt: skip
    seen = yield call(f"The {of.arg} in {where.arg}: its id.", "search_places", geo_filter=where.arg, chain_ids=[
        of.arg])  # fmt: skip
    rows = table(seen.text, "Places")
    if not rows:
        yield missing(language)
        return
    row = rows[0]
    if len(rows) > 1:
        count, streets = line(seen.text, "Total:"), [street(each["Address"]) for each in rows[:SHOWN]]
        said = by(language, "; ", "; ", "；").join(streets)
        more = int(count) > len(streets)
        yield plain(language, f"Total: {count}, not one: ask which. {'; '.join(streets)}",
            en=f"There are {count} {of.said} in {where.said}{', the most visited at' if more else ':'} {said}. Which "
            "one?",
            de=f"In {where.said} gibt es {count} {of.said}{', die meistbesuchten' if more else ''}: {said}. Welcher?",
            zh=f"{where.said}有{count}家{of.said}{'，访问最多的在' if more else '：'}{said}。您指哪一家？")  # fmt: skip
        row = rng.some(rows[:SHOWN])
        yield ask(rng, language, {language: [street(row["Address"])]}, again=True)
    seen = yield call(f"{street(row['Address'])} is {row['Id']}: its summary.", "get_place_summary", place_ids=[row[
        "Id"]])  # fmt: skip
    value = yield from value_of(seen, label)
    place, head = spot(language, row), when(seen.text, language)
    if value in ("", "–", "suppressed"):
        yield told(rng, language, f"{label}: suppressed.", en=f"That cannot be told of {place}: too few of the panel.",
            de=f"Das lässt sich von {place} nicht sagen: zu wenige im Panel.",
            zh=f"{place}的样本人数太少，无法给出。")  # fmt: skip
        return
    yield told(rng, language, f"{label}: {value}.", en=f"{place} had {value} {noun} {head}.",
        de=f"{place} hatte {head} {cell(value, 'de')} {noun}.",
        zh=f"{place}{head}有{cell(value, 'zh')}{noun}。")  # fmt: skip


def when_opened(rng: Rng, language: Language) -> Talk:
    """The row of the place is there, without a day of opening."""
    mall = rng.some(list(MALLS))
    yield ask(rng, language, {"en": [f"When did {mall} open?", f"opening date of {mall}",
        f"since when is there {mall}?"], "de": [f"Wann wurde {mall} eröffnet?", f"Eröffnungsdatum von {mall}?"],
        "zh": [f"{mall}是什么时候开业的？", f"{mall}的开业日期"]})  # fmt: skip
    row = yield from find(Subject(mall, {"geo_filter": "all", "name": mall}, f"The row of {mall}, with its opening."))
    if row is None:
        yield missing(language)
        return
    place, opened = spot(language, row), row.get("Opened on", "–")
    if opened != "–":
        yield told(rng, language, f"Opened on {opened}.", en=f"{place} opened on {opened}.",
            de=f"{place} hat am {opened} eröffnet.", zh=f"{place}于{opened}开业。")  # fmt: skip
        return
    yield told(rng, language, f"The row of {mall} has no opening date.",
        en=f"The data has {place}, but no opening date for it.",
        de=f"{place} ist in den Daten, aber ohne Eröffnungsdatum.",
        zh=f"数据中有{place}，但没有开业日期。")  # fmt: skip


def homes_then_income(rng: Rng, language: Language) -> Talk:
    """Where visitors live is the trade area; what they are like is the profile."""
    mall = rng.some(list(MALLS))
    yield ask(rng, language, {"en": [f"How far away do visitors of {mall} live?",
        f"distance from home for people who go to {mall}?", f"how far do people travel to {mall}"], "de": [
        f"Wie weit weg wohnen die Besucher von {mall}?", f"Entfernung vom Wohnort bei {mall}?"], "zh": [
        f"{mall}的访客住得多远？", f"人们到{mall}要走多远"]})  # fmt: skip
    row = yield from find(Subject(mall, {"geo_filter": "all", "name": mall}, f"The id of {mall} first."))
    if row is None:
        yield missing(language)
        return
    seen = yield call("Distance from home: the trade area.", "get_trade_area_profile", place_ids=[row["Id"]])
    half, head, place = pair(line(seen.text, "Distance:"), "median (m)"), when(seen.text, language), spot(language, row)
    if not half or half == "suppressed":
        return
    yield told(rng, language, f"Distance: median {half} m.",
        en=f"Half of the visits to {place} come from within {half} m {head}.",
        de=f"Die Hälfte der Besuche bei {place} kommt aus höchstens {half} m {head}.",
        zh=f"{head}{place}有一半访问来自{half}米以内。")  # fmt: skip
    yield ask(rng, language, {"en": ["and what income do they have?", "how much do they earn, against the region?"],
        "de": ["Und welches Einkommen haben sie?", "Was verdienen sie, verglichen mit der Region?"], "zh": [
        "他们的收入如何？", "和地区相比收入怎样？"]}, again=True)  # fmt: skip
    seen = yield call("Income is demographics: the profile.", "get_profile_and_overlap", place_ids=[row["Id"]])
    found = next((each for each in table(seen.text, "Profile") if "income" in each["Figure"]), None)
    if found is None:
        yield told(rng, language, "No profile is told.", en=f"The income of visitors of {place} cannot be told.",
            de=f"Das Einkommen der Besucher von {place} lässt sich nicht sagen.",
            zh=f"{place}访客的收入无法给出。")  # fmt: skip
        return
    ours, theirs, index, head = found["Visitors"], found["Region"], found["Index"], when(seen.text, language)
    yield told(rng, language, f"Row household income: visitors {ours}, region {theirs}, index {index}.",
        en=f"Their home areas have {ours} dollars a year on average, the region {theirs} (index {index}) {head}.",
        de=f"Ihre Wohngebiete haben im Mittel {ours} Dollar im Jahr, die Region {theirs} (Index {index}) {head}.",
        zh=f"{head}访客居住区平均每年{ours}美元，地区{theirs}（指数{index}）。")  # fmt: skip


def not_measured(rng: Rng, language: Language) -> Talk:
    """About places, and yet no tool tells it."""
    mall = rng.some(list(MALLS))
    what, answers = rng.some(((("How many parking spaces does {p} have?", "Wie viele Parkplätze hat {p}?",
        "{p}有多少停车位？"), ("parking", "Parkplätze", "停车位")), (("What rating does {p} have from customers?",
        "Welche Kundenbewertung hat {p}?", "{p}的顾客评分是多少？"), ("ratings", "Bewertungen", "评分")), (
        ("What rent per m² do shops in {p} pay?", "Welche Miete zahlen Läden im {p}?", "{p}的店铺租金是多少？"), (
        "rents", "Mieten", "租金"))))  # fmt: skip
    yield ask(rng, language, {language: [by(language, *what).format(p=mall)]})
    yield plain(language, "No tool has this: say so, and what there is.",
        en=f"The data has no {answers[0]}. I can tell visits, visitors, dwell time and floor area of {mall}.",
        de=f"{answers[1]} sind nicht in den Daten. Besuche, Besucher, Verweildauer und Fläche von {mall} kann ich "
        "nennen.",
        zh=f"数据中没有{answers[2]}。可以给出{mall}的访问量、访客、停留时间和面积。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {which_store: 4, when_opened: 2, homes_then_income: 3, not_measured: 2}
