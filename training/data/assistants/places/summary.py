"""Talks about how chains, categories and single places do."""

from datetime import date, timedelta

from training.data.assistants.places.parts import (
    BUSY_CHAINS,
    BUSY_KINDS,
    Said,
    ask,
    by,
    card,
    cell,
    chain,
    data_days,
    kind_of,
    line,
    metro,
    month_back,
    pair,
    period,
    plain,
    say_month,
    told,
    town,
    when,
)
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng


def some_group(rng: Rng, language: Language) -> tuple[Said, dict[str, list[str]]]:
    """A chain or a category with the argument that it is."""
    if rng.chance(0.6):
        of = chain(rng, language, (*BUSY_CHAINS, "Costco", "Trader Joe's", "Home Depot", "Taco Bell", "Chipotle"))
        return of, {"chain_id": [of.arg]}
    of = kind_of(rng, language, BUSY_KINDS)
    return of, {"category_ids": [of.arg]}


def total_of(text: str, figure: str) -> str:
    """A figure of the total, or of the one place."""
    return pair(line(text, "Total:"), figure) or card(text).get(figure.capitalize(), "")


def group_visits(rng: Rng, language: Language) -> Talk:
    (of, given), where, span = some_group(rng, language), town(rng, language), period(rng, language)
    visitors = rng.chance(0.4)
    yield ask(rng, language, {"en": [f"How many {'different people went to' if visitors else 'visits did'} {of.said} "
        f"{where.said}{'' if visitors else ' get'} {span.said}?",
        f"{'visitors' if visitors else 'visits'} of {of.said} {where.said} {span.said}",
        f"what was the {'number of visitors' if visitors else 'visit count'} for {of.said} {where.said} {span.said}?",
        f"{of.said} {where.said}: {'unique visitors' if visitors else 'total visits'} {span.said}?",
        f"I need the {'visitors' if visitors else 'visits'} to {of.said} {where.said} {span.said}."], "de": [
        f"Wie viele {'Besucher' if visitors else 'Besuche'} hatten {of.said} {where.said} {span.said}?",
        f"{'Besucherzahl' if visitors else 'Zahl der Besuche'}: {of.said} {where.said} {span.said}"], "zh": [
        f"{span.said}{where.said}的{of.said}有多少{'访客' if visitors else '次访问'}？",
        f"{where.said}{of.said}{span.said}的{'访客人数' if visitors else '访问量'}"]})  # fmt: skip
    yield from _told_total(rng, language, of, given, where, span, "visitors" if visitors else "visits")
    if rng.chance(0.35):
        other = period(rng, language)
        if other.arg == span.arg:
            return
        yield ask(rng, language, {"en": [f"and how many {other.said}?", f"same {other.said}",
            f"what about {other.said.removeprefix('in ')}?"], "de": [f"Und {other.said}?", f"und {other.said}"], "zh": [
            f"{other.said}呢？", f"那{other.said}的呢"]}, again=True)  # fmt: skip
        yield from _told_total(rng, language, of, given, where, other, "visitors" if visitors else "visits")
    elif rng.chance(0.25):
        city = metro(rng, language)
        if city.arg in str(where.arg):
            return
        yield ask(rng, language, {"en": [f"and in {city.said}?", f"what about {city.said}",
            f"same thing for {city.said}?"], "de": [f"Und in {city.said}?", f"und für {city.said}"], "zh": [
            f"{city.said}呢？", f"那{city.said}的呢"]}, again=True)  # fmt: skip
        place = Said(city.arg, by(language, f"in {city.said}", f"in {city.said}", city.said))
        yield from _told_total(rng, language, of, given, place, span, "visitors" if visitors else "visits")


def _told_total(
    rng: Rng, language: Language, of: Said, given: dict[str, list[str]], where: Said, span: Said, figure: str
) -> Talk:
    seen = yield call(f"Total {figure} of {of.arg} there in that period.", "get_place_summary", **given,
        geo_filter=where.arg, period=span.arg)  # fmt: skip
    value, head = total_of(seen.text, figure), when(seen.text, language)
    if not value or value == "suppressed":
        yield told(rng, language, "No figure: suppressed or no place.",
            en="That cannot be told: too few people of the panel, or no such place.",
            de="Das lässt sich nicht sagen: zu wenige Personen im Panel oder kein solcher Ort.",
            zh="无法给出：样本人数太少或没有这样的地点。")  # fmt: skip
        return
    noun = by(language, figure, "Besuche" if figure == "visits" else "Besucher", "次访问" if figure == "visits"
        else "名访客")  # fmt: skip
    yield told(rng, language, f"Total: {figure} {value}.",
        en=f"{of.arg[:1].upper()}{of.arg[1:]} {where.said} had {value} {noun} {head}.",
        de=f"{of.said} {where.said}: {cell(value, 'de')} {noun} {head}.",
        zh=f"{where.said}的{of.said}，{head}有{cell(value, 'zh')}{noun}。")  # fmt: skip


def group_frequency(rng: Rng, language: Language) -> Talk:
    (of, given), where = some_group(rng, language), town(rng, language)
    yield ask(rng, language, {"en": [f"How often does a visitor come to {of.said} {where.said}?",
        f"visits per visitor at {of.said} {where.said}?", f"what's the visit frequency of {of.said} {where.said}",
        f"How loyal are visitors of {of.said} {where.said}, in visits per person?"], "de": [
        f"Wie oft kommt ein Besucher zu {of.said} {where.said}?", f"Besuche pro Besucher bei {of.said} {where.said}?"],
        "zh": [f"{where.said}的{of.said}每位访客平均来几次？", f"{of.said}在{where.said}的到访频率"]})  # fmt: skip
    seen = yield call("Frequency is in the summary's total.", "get_place_summary", **given, geo_filter=where.arg)
    value, head = total_of(seen.text, "frequency"), when(seen.text, language)
    if not value:
        return
    yield told(rng, language, f"Total: frequency {value}.", en=f"A visitor came {value} times on average {head}.",
        de=f"Ein Besucher kam {head} im Mittel {value} Mal.", zh=f"{head}平均每位访客来{value}次。")  # fmt: skip


def group_change(rng: Rng, language: Language) -> Talk:
    (of, given), where = some_group(rng, language), town(rng, language)
    year = rng.chance(0.6)
    span = rng.some([("last_month", ("last month", "im letzten Monat", "上个月")), ("last_quarter", ("last quarter",
        "im letzten Quartal", "上个季度")), ("last_90_days", ("in the last 90 days", "in den letzten 90 Tagen",
        "过去90天"))])  # fmt: skip
    said = by(language, *span[1])
    than = by(language, "a year earlier", "vor einem Jahr", "去年同期") if year else by(language, "the period before",
        "der Zeitraum davor", "上一期")  # fmt: skip
    yield ask(rng, language, {"en": [f"Did {of.said} {where.said} do better {said} than {than}?",
        f"change in visits of {of.said} {where.said} {said} vs {than}",
        f"{of.said} {where.said} {said}: up or down against {than}?",
        f"by how much did visits to {of.said} {where.said} change {said} compared with {than}?"], "de": [
        f"Wie haben sich die Besuche bei {of.said} {where.said} {said} verändert, Vergleich: {than}?",
        f"{of.said} {where.said} {said}: mehr oder weniger als {than}?"], "zh": [
        f"{where.said}的{of.said}{said}访问量和{than}相比变化多少？",
        f"{of.said}在{where.said}{said}比{than}涨了还是跌了"]})  # fmt: skip
    kind = "year" if year else "previous"
    seen = yield call(f"Change against {'the year' if year else 'the period'} before: compare {kind}.",
        "get_place_summary", **given, geo_filter=where.arg, period=span[0], compare=kind)  # fmt: skip
    change = line(seen.text, f"Total, changes, {kind}:")
    value, before, sure, now = pair(change, "change (%)"), pair(change, "visits"), pair(change, "certain"), total_of(
        seen.text, "visits")  # fmt: skip
    if not value or not now:
        yield told(
            rng, language, f"Changes {kind}: not told.",
            en="That cannot be told: one of the two periods has no figure.",
            de="Das lässt sich nicht sagen: ein Zeitraum hat keine Zahl.", zh="无法比较：其中一个时段没有数据。"
        )  # fmt: skip
        return
    doubt = "" if sure == "yes" else by(language, " The ranges overlap, so this is not certain.",
        " Die Bereiche überschneiden sich, sicher ist das nicht.", "区间重叠，变化不确定。")  # fmt: skip
    way = by(language, "Down", "Weniger", "下降") if value.startswith("−") else by(language, "Up", "Mehr", "上升")
    yield told(rng, language, f"Visits {now}; before {before}; change {value} %, certain {sure}.",
        en=f"{way}, {value} %: {now} visits {when(seen.text, 'en')} after {before}.{doubt}",
        de=f"{way}, {value} %: {cell(now, 'de')} Besuche {when(seen.text, 'de')} nach {cell(before, 'de')}.{doubt}",
        zh=f"{way}，{value} %：{when(seen.text, 'zh')}访问{cell(now, 'zh')}次，此前为{cell(before, 'zh')}。"
        f"{doubt}")  # fmt: skip


def group_size(rng: Rng, language: Language) -> Talk:
    """Places, those with visits, those suppressed: one line has all three."""
    of, where = kind_of(rng, language, ("gyms", "pharmacies", "fast food", "gas stations", "restaurants")), town(rng,
        language)  # fmt: skip
    yield ask(rng, language, {"en": [f"For how many {of.said} {where.said} are visits suppressed?",
        f"how many of the {of.said} {where.said} have too little data",
        f"{of.said} {where.said}: number of suppressed ones last month?",
        f"How many {of.said} {where.said} have no figures because of the panel?"], "de": [
        f"Wie viele {of.said} {where.said} sind unterdrückt?",
        f"Für wie viele {of.said} {where.said} gibt es zu wenige Daten?"], "zh": [
        f"{where.said}有多少{of.said}因样本太少没有数据？", f"{where.said}被隐去的{of.said}有几家"]})  # fmt: skip
    seen = yield call("The summary's total tells how many are suppressed.", "get_place_summary", category_ids=[of.arg],
        geo_filter=where.arg)  # fmt: skip
    total, head = line(seen.text, "Total:"), when(seen.text, language)
    hidden, places = pair(total, "places suppressed") or "0", pair(total, "places")
    yield told(rng, language, f"Total: places {places}, places suppressed {hidden}.",
        en=f"{hidden} of {places} {head}.", de=f"{hidden} von {places} {head}.",
        zh=f"{head}{places}家中有{hidden}家。")  # fmt: skip


def _days(rng: Rng, language: Language) -> tuple[date, date, str]:
    first = month_back(rng, rng.randrange(0, 12)) + timedelta(days=rng.randrange(0, 10))
    last = first + timedelta(days=rng.some([6, 9, 13]))
    said = by(language, rng.some([f"between {first} and {last}", f"from {first} to {last}"]), f"vom {first} bis {last}",
        f"{first}到{last}")  # fmt: skip
    return first, last, said


def between_days(rng: Rng, language: Language) -> Talk:
    of, where = chain(rng, language, BUSY_CHAINS), town(rng, language)
    first, last, said = _days(rng, language)
    yield ask(rng, language, {"en": [f"Visits to {of.said} {where.said} {said}?",
        f"how many visits had {of.said} {where.said} {said}", f"{of.said} {where.said}, {said}: visits",
        f"total traffic of {of.said} {where.said} {said}?"], "de": [f"Besuche bei {of.said} {where.said} {said}?",
        f"Wie viele Besuche hatte {of.said} {where.said} {said}?"], "zh": [
        f"{said}{where.said}的{of.said}访问量是多少？", f"{of.said}在{where.said}{said}的访问次数"]})  # fmt: skip
    seen = yield call("Certain days: start_date and end_date.", "get_place_summary", chain_id=[of.arg],
        geo_filter=where.arg, start_date=f"{first}", end_date=f"{last}")  # fmt: skip
    value = total_of(seen.text, "visits")
    if not value or value == "suppressed":
        yield told(rng, language, "Total: no visits told.",
            en="That cannot be told: too few people of the panel in those days.",
            de="Das lässt sich nicht sagen: zu wenige im Panel.", zh="无法给出：样本人数太少。")  # fmt: skip
        return
    head = when(seen.text, language)
    yield told(rng, language, f"Total: visits {value}.", en=f"{value} visits {head}.",
        de=f"{cell(value, 'de')} Besuche {head}.", zh=f"{head}共{cell(value, 'zh')}次访问。")  # fmt: skip


def season(rng: Rng, language: Language) -> Talk:
    """A season is no period: its months are given as days."""
    of, where, first = kind_of(rng, language, BUSY_KINDS), town(rng, language), data_days(rng)[0]
    names = {"spring": (3, 5, 31, "Frühling", "春季"), "summer": (6, 8, 31, "Sommer", "夏季")}
    name = rng.some(list(names))
    begin, end, day, german, chinese = names[name]
    year = first.year + 1
    said = by(language, f"in {name} {year}", f"im {german} {year}", f"{year}年{chinese}")
    yield ask(rng, language, {"en": [f"How many visits did {of.said} {where.said} have {said}?",
        f"{of.said} {where.said} {said}, visits?", f"visits to {of.said} {where.said} {said}",
        f"traffic at {of.said} {where.said} {said}?"], "de": [
        f"Wie viele Besuche hatten {of.said} {where.said} {said}?", f"Besuche: {of.said} {where.said} {said}"], "zh": [
        f"{said}{where.said}的{of.said}有多少访问？", f"{where.said}{of.said}{said}访问量"]})  # fmt: skip
    days = {"start_date": f"{year}-{begin:02d}-01", "end_date": f"{year}-{end:02d}-{day}"}
    thought = f"{name.capitalize()} {year}: from {days['start_date']} to {days['end_date']}."
    if rng.chance(0.35):
        seen = yield mistake("The period as said.", "get_place_summary", category_ids=[of.arg], geo_filter=where.arg,
            period=f"{name} {year}")  # fmt: skip
        if not seen.failed:
            return
        thought = f"No such period: give its days, {days['start_date']} to {days['end_date']}."
    seen = yield call(thought, "get_place_summary", category_ids=[of.arg], geo_filter=where.arg, **days)
    value = total_of(seen.text, "visits")
    if not value or value == "suppressed":
        return
    head = when(seen.text, language)
    yield told(rng, language, f"Total: visits {value}.", en=f"{value} visits {head}.",
        de=f"{cell(value, 'de')} Besuche {head}.", zh=f"{head}共{cell(value, 'zh')}次访问。")  # fmt: skip


def no_data_then(rng: Rng, language: Language) -> Talk:
    """A period that the data does not have, and one that it has in part."""
    (of, given), where, (first, last) = some_group(rng, language), town(rng, language), data_days(rng)
    year = first.year - rng.randrange(1, 5)
    month = say_month(date(year, rng.randrange(1, 13), 1), language)
    whole = rng.chance(0.5)
    said = str(year) if whole else month
    arg = str(year) if whole else f"{year}-{_month_number(month, language):02d}"
    yield ask(rng, language, {"en": [f"How many visits did {of.said} {where.said} have in {said}?",
        f"{of.said} {where.said} in {said}: visits?", f"visits {of.said} {where.said} {said}",
        f"what were the visits to {of.said} {where.said} in {said}?"], "de": [
        f"Wie viele Besuche hatten {of.said} {where.said} im {'Jahr ' if whole else ''}{said}?",
        f"Besuche {of.said} {where.said} {said}"], "zh": [
        f"{said}{'年' if whole else ''}{where.said}的{of.said}有多少访问？",
        f"{where.said}{of.said}{said}{'年' if whole else ''}访问量"]})  # fmt: skip
    seen = yield call(f"Visits in {arg}.", "get_place_summary", **given, geo_filter=where.arg, period=arg)
    if not seen.failed:
        return
    yield plain(language, f"Error: no data for {arg}; the data has {first} to {last}.",
        en=f"There is no data for {said}: the sample data has visits from {first} to {last} only.",
        de=f"Für {said} gibt es keine Daten: die Beispieldaten reichen nur vom {first} bis {last}.",
        zh=f"{said}{'年' if whole else ''}没有数据：样本数据只有{first}至{last}的访问。")  # fmt: skip


def _month_number(said: str, language: Language) -> int:
    return next(n for n in range(1, 13) if say_month(date(int("".join(c for c in said if c.isdigit())[:4]), n, 1),
        language) == said)  # fmt: skip


def wrong_compare(rng: Rng, language: Language) -> Talk:
    of, where = chain(rng, language, BUSY_CHAINS), town(rng, language)
    yield ask(rng, language, {"en": [f"How does {of.said} {where.said} compare with last year?",
        f"{of.said} {where.said} vs last year", f"yoy change of {of.said} {where.said}?",
        f"Is {of.said} {where.said} above last year?"], "de": [
        f"Wie steht {of.said} {where.said} im Vergleich zum Vorjahr da?",
        f"{of.said} {where.said}: Veränderung zum Vorjahr?"], "zh": [f"{of.said}在{where.said}同比如何？",
        f"{where.said}{of.said}比去年怎么样"]})  # fmt: skip
    seen = yield mistake("Compared with last year.", "get_place_summary", chain_id=[of.arg], geo_filter=where.arg,
        compare="last_year")  # fmt: skip
    if not seen.failed:
        return
    seen = yield call("compare takes previous, year or both: year.", "get_place_summary", chain_id=[of.arg],
        geo_filter=where.arg, compare="year")  # fmt: skip
    change = line(seen.text, "Total, changes, year:")
    value, sure = pair(change, "change (%)"), pair(change, "certain")
    if not value:
        return
    head = when(seen.text, language)
    way = by(language, "Below", "Weniger", "下降") if value.startswith("−") else by(language, "Above", "Mehr", "上升")
    yield told(rng, language, f"Total, changes, year: change {value} %, certain {sure}.",
        en=f"{way}: visits {head} changed by {value} % against a year before "
        f"({'certain' if sure == 'yes' else 'not certain'}).",
        de=f"{way}: Die Besuche {head} veränderten sich um {value} % zum Vorjahr "
        f"({'sicher' if sure == 'yes' else 'nicht sicher'}).",
        zh=f"{way}：{head}访问量同比变化{value} %（{'确定' if sure == 'yes' else '不确定'}）。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {group_visits: 9, group_frequency: 2, group_change: 6, group_size: 1, between_days: 3,
    season: 1, no_data_then: 2, wrong_compare: 1}  # fmt: skip
