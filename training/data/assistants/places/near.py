"""Talks in which places are found by name, around others or by their hours, and in which nothing is found."""

from training.data.assistants.places.parts import (
    CHAINS,
    CITIES,
    DAYS,
    LOCAL_CHAINS,
    MALLS,
    METROS,
    ask,
    by,
    cell,
    chain,
    counted,
    kind_of,
    line,
    metro,
    plain,
    street,
    table,
    told,
    town,
    when,
)
from training.data.assistants.places.place import missing
from training.data.assistants.places.search import listed, quoted
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng

NEAR_KINDS = ("coffee shops", "restaurants", "fast food", "clothing stores", "pharmacies", "hotels", "bars", "banks")


def where_is(rng: Rng, language: Language) -> Talk:
    mall = rng.some(list(MALLS))
    city = MALLS[mall]
    told_city = rng.chance(0.5)
    at = f" in {city}" if told_city else ""
    yield ask(rng, language, {"en": [f"Where is {mall}{at}?", f"address of {mall}{at}",
        f"what's the address of {mall}{at}?", f"find {mall}{at}, which street?",
        f"Do we have {mall}{at}? what is its id"], "de": [f"Wo liegt {mall}{at}?", f"Adresse von {mall}{at}?"], "zh": [
        f"{mall}{f'（{city}）' if told_city else ''}的地址是什么？", f"查一下{mall}在哪里"]})  # fmt: skip
    if language == "zh":
        told_city = False
    seen = yield call("A place by its name.", "search_places", geo_filter=city if told_city else "all", name=mall)
    rows = table(seen.text, "Places")
    if not rows:
        yield missing(language)
        return
    row = rows[0]
    yield told(rng, language, f"Row 1: id {row['Id']}, {row['Name']}, {row['Address']}.",
        en=f"{row['Name']} is at {row['Address']} (id {row['Id']}).",
        de=f"{row['Name']} liegt hier: {row['Address']} (ID {row['Id']}).",
        zh=f"{row['Name']}位于{row['Address']}（编号{row['Id']}）。")  # fmt: skip


def near_mall(rng: Rng, language: Language) -> Talk:
    mall, of = rng.some(list(MALLS)), kind_of(rng, language, NEAR_KINDS)
    meters, said = rng.some([(500, "500 m"), (1000, "1 km"), (2000, "2 km"), (1500, "1.5 km"), (1609, "a mile")])
    if language != "en" and meters == 1609:
        meters, said = 3000, "3 km"
    nearest = rng.chance(0.5)
    many = {"en": [f"How many {of.said} are within {said} of {mall}?",
        f"{of.said} within {said} around {mall} - number?", f"count {of.said} in a radius of {said} around {mall}",
        f"number of {of.said} no more than {said} from {mall}"], "de": [
        f"Wie viele {of.said} liegen im Umkreis von {said} um {mall}?",
        f"{of.said} höchstens {said} von {mall} entfernt: wie viele?"], "zh": [f"{mall}周围{said}内有多少{of.said}？",
        f"距{mall}{said}以内的{of.said}数量"]}  # fmt: skip
    close = {"en": [f"Which {of.said} are nearest to {mall}? Look within {said}.",
        f"closest {of.said} to {mall} (up to {said})", f"nearest of the {of.said} within {said} of {mall}?",
        f"what's the closest of the {of.said} around {mall}, max {said}"], "de": [
        f"Welche {of.said} sind {mall} am nächsten, bis {said}?", f"Die nächsten {of.said} zu {mall}, maximal {said}?"],
        "zh": [f"离{mall}最近的{of.said}是哪家？{said}以内", f"{mall}{said}内最近的{of.said}"]}  # fmt: skip
    yield ask(rng, language, close if nearest else many)
    seen = yield call(f"The id of {mall} first: it is the centre.", "search_places", geo_filter="all", name=mall)
    rows = table(seen.text, "Places")
    if not rows:
        yield missing(language)
        return
    circle = {"type": "radius", "meters": meters, "place_id": rows[0]["Id"]}
    order = {"sort": "distance"} if nearest else {}
    seen = yield call(f"{of.arg} in a circle of {meters} m around {rows[0]['Id']}.", "search_places", geo_filter=circle,
        category_ids=[of.arg], **order)  # fmt: skip
    count, found = line(seen.text, "Total:"), table(seen.text, "Places")
    if not found or not nearest:
        yield told(rng, language, f"Total: {count}.",
            en=f"The data has {counted(count, of.arg)} within {said} of {mall}.",
            de=f"{of.said} im Umkreis von {said} um {mall}: {count}.",
            zh=f"{mall}周围{said}内有{count}家{of.said}。")  # fmt: skip
        return
    first = found[0]
    yield told(rng, language,
        f"Row 1: {first['Name']}, {street(first['Address'])}, distance {first['Distance (m)']} m.",
        en=f"The nearest is {first['Name']}, {street(first['Address'])}, {first['Distance (m)']} m away in a "
        "straight line.",
        de=f"Am nächsten ist {first['Name']}, {street(first['Address'])}, {first['Distance (m)']} m Luftlinie.",
        zh=f"最近的是{first['Name']}（{street(first['Address'])}），直线距离{first['Distance (m)']}米。")  # fmt: skip


POINTS = {"San Francisco": (37.79, -122.40), "Los Angeles": (34.05, -118.25), "Atlanta": (33.78, -84.38), "Chicago": (
    41.88, -87.63), "Dallas": (32.78, -96.80), "Denver": (39.74, -104.99)}  # fmt: skip


def around_point(rng: Rng, language: Language) -> Talk:
    lat, lon = POINTS[rng.some(list(POINTS))]
    of, meters = kind_of(rng, language, NEAR_KINDS), rng.some([800, 1000, 1500, 2000])
    yield ask(rng, language, {"en": [f"How many {of.said} are within {meters} m of {lat}, {lon}?",
        f"{of.said} around {lat}, {lon} ({meters} meters), count",
        f"site at {lat}, {lon}: number of {of.said} in {meters} m",
        f"count the {of.said} in a {meters} m circle around {lat}, {lon}"], "de": [
        f"Wie viele {of.said} liegen {meters} m um {lat}, {lon}?",
        f"{of.said} im Radius von {meters} m um {lat}, {lon}?"], "zh": [
        f"坐标{lat}, {lon}周围{meters}米内有多少{of.said}？",
        f"{lat}, {lon}半径{meters}米的{of.said}数量"]})  # fmt: skip
    circle = {"type": "radius", "meters": meters, "lat": lat, "lon": lon}
    seen = yield call("A circle around given coordinates.", "search_places", geo_filter=circle, category_ids=[of.arg])
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.",
        en=f"The data has {counted(count, of.arg)} within {meters} m of that point.",
        de=f"{of.said} im Umkreis von {meters} m: {count}.", zh=f"该点{meters}米内有{count}家{of.said}。")  # fmt: skip


def downtown(rng: Rng, language: Language) -> Talk:
    """A name that four cities have, with the city said."""
    city = metro(rng, language, rng.some(["Atlanta", "Dallas", "Denver", "Los Angeles"]))
    of = kind_of(rng, language, NEAR_KINDS)
    yield ask(rng, language, {"en": [f"How many {of.said} are in downtown {city.said}?",
        f"{of.said} in Downtown, {city.said} - count", f"number of {of.said} downtown in {city.said}",
        f"downtown {city.said}: how many {of.said}?"], "de": [f"Wie viele {of.said} gibt es in Downtown {city.said}?",
        f"Anzahl der {of.said} in Downtown {city.said}?"], "zh": [f"{city.said}市中心（Downtown）有多少{of.said}？",
        f"{city.said} Downtown的{of.said}数量"]})  # fmt: skip
    seen = yield call("Downtown is a neighborhood of several cities: name it with its city.", "search_places",
        geo_filter={"type": "neighborhood", "name": "Downtown", "city": city.arg}, category_ids=[of.arg])  # fmt: skip
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.", en=f"Downtown {city.said} has {counted(count, of.arg)}.",
        de=f"{of.said} in Downtown {city.said}: {count}.",
        zh=f"{city.said} Downtown有{count}家{of.said}。")  # fmt: skip


def which_downtown(rng: Rng, language: Language) -> Talk:
    """The tool asks which one is meant; the next question says it."""
    of = chain(rng, language, ("Starbucks", "McDonald's", "Subway", "Walgreens"))
    name = rng.some(["Downtown", "Lakewood"])
    yield ask(rng, language, {"en": [f"how many {of.said} are in {name}?", f"{of.said} in {name}, how many",
        f"Number of {of.said} in {name}?", f"count {of.said} {name}"], "de": [f"Wie viele {of.said} gibt es in {name}?",
        f"Anzahl {of.said} in {name}"], "zh": [f"{name}有几家{of.said}？", f"{name}的{of.said}有多少"]})  # fmt: skip
    seen = yield call(f"{of.arg} in {name}, as the user wrote it.", "search_places", geo_filter=name, chain_ids=[
        of.arg])  # fmt: skip
    if not seen.failed:
        return
    options = ["Atlanta", "Dallas", "Denver", "Los Angeles"] if name == "Downtown" else ["CA", "CO"]
    said = ", ".join(options[:-1])
    yield plain(language, f"{name} could be one of several: {', '.join(options)}. Ask which.",
        en=f"Which {name} do you mean: {said} or {options[-1]}?",
        de=f"Welches {name} ist gemeint: {said} oder {options[-1]}?",
        zh=f"您指哪个{name}：{said}还是{options[-1]}？")  # fmt: skip
    chosen = rng.some(options)
    yield ask(rng, language, {"en": [f"{chosen}", f"the one in {chosen}", f"{chosen} please"], "de": [f"{chosen}",
        f"das in {chosen}"], "zh": [f"{chosen}", f"{chosen}的那个"]}, again=True)  # fmt: skip
    geo = ({"type": "neighborhood", "name": name, "city": chosen} if name == "Downtown" else {"type": "city",
        "name": name, "state": chosen})  # fmt: skip
    seen = yield call(f"{name} in {chosen} is meant.", "search_places", geo_filter=geo, chain_ids=[of.arg])
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.", en=f"{name}, {chosen} has {count} {of.arg}.",
        de=f"{name}, {chosen} hat {count} {of.arg}.", zh=f"{name}（{chosen}）有{count}家{of.arg}。")  # fmt: skip


def open_then(rng: Rng, language: Language) -> Talk:
    of, where = kind_of(rng, language, ("gyms", "coffee shops", "bars", "restaurants", "supermarkets", "banks")), town(
        rng, language)  # fmt: skip
    day, hour = rng.some(list(DAYS)), rng.some([7, 8, 9, 18, 20, 22])
    german, chinese = DAYS[day]
    clock = f"{hour} am" if hour < 12 else f"{hour - 12} pm"
    yield ask(rng, language, {"en": [f"How many {of.said} {where.said} are open on {day} at {clock}?",
        f"{of.said} {where.said} open {day}s at {clock}?",
        f"which {of.said} {where.said} can you visit on a {day} at {clock}",
        f"number of {of.said} {where.said} open {day} {clock}"], "de": [
        f"Wie viele {of.said} {where.said} haben am {german} um {hour} Uhr offen?",
        f"{of.said} {where.said}, geöffnet {german} {hour} Uhr: wie viele?"], "zh": [
        f"{where.said}有多少{of.said}{chinese}{hour}点营业？",
        f"{chinese}{hour}点开门的{of.said}，{where.said}有几家"]})  # fmt: skip
    seen = yield call("Opening hours: open_at.", "search_places", geo_filter=where.arg, category_ids=[of.arg],
        open_at=f"{day} {hour}:00")  # fmt: skip
    count = line(seen.text, "Total:")
    head = table(seen.text, "Places")[:2]
    names = by(language, "; busiest: ", "; am besten besucht: ", "；最热门：") + listed(head, language) if head else ""
    yield told(rng, language, f"Total: {count}." + (f" First rows: {quoted(head)}" if head else ""),
        en=f"Open {where.said} on {day} at {clock}: {counted(count, of.arg)}{names}.",
        de=f"{of.said} {where.said}, die am {german} um {hour} Uhr offen haben: {count}{names}.",
        zh=f"{where.said}{chinese}{hour}点营业的{of.said}有{count}家{names}。")  # fmt: skip


def tagged(rng: Rng, language: Language) -> Talk:
    of, where = kind_of(rng, language, ("coffee shops", "clothing stores", "fast food", "restaurants", "gyms")), town(
        rng, language)  # fmt: skip
    tag, words = rng.some([("in a mall", ("in malls", "in Einkaufszentren", "开在商场里的")), ("independent", (
        "independent, no chain", "ohne Kette", "独立（非连锁）的"))])  # fmt: skip
    yield ask(rng, language, {"en": [f"{of.said} {where.said} that are {words[0]}: how many?",
        f"How many {of.said} {where.said} are {words[0]}?", f"count {of.said} {where.said}, only those {words[0]}",
        f"only {words[0]}: number of {of.said} {where.said}"], "de": [
        f"Wie viele {of.said} {where.said} gibt es {words[1]}?", f"{of.said} {where.said}, nur {words[1]}: Anzahl?"],
        "zh": [f"{where.said}{words[2]}{of.said}有多少？", f"统计{where.said}{words[2]}{of.said}"]})  # fmt: skip
    seen = yield call(f"Only those with the tag '{tag}'.", "search_places", geo_filter=where.arg, category_ids=[of.arg],
        tags=[tag])  # fmt: skip
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.",
        en=f"{words[0][:1].upper()}{words[0][1:]}: {counted(count, of.arg)} {where.said}.",
        de=f"{of.said} {where.said} {words[1]}: {count}.",
        zh=f"{where.said}{words[2]}{of.said}有{count}家。")  # fmt: skip


def is_there(rng: Rng, language: Language) -> Talk:
    of, city = chain(rng, language, (*CHAINS, *LOCAL_CHAINS)), rng.some(CITIES)
    yield ask(rng, language, {"en": [f"Is there a {of.said} in {city}?", f"does {city} have a {of.said}",
        f"any {of.said} in {city}?", f"is {of.said} present in {city}?"], "de": [f"Gibt es in {city} einen {of.said}?",
        f"Hat {city} ein {of.said}?"], "zh": [f"{city}有{of.said}吗？", f"{of.said}在{city}有店吗"]})  # fmt: skip
    seen = yield call(f"Yes or no: is {of.arg} in {city}.", "search_places", geo_filter=city, chain_ids=[of.arg])
    rows, count = table(seen.text, "Places"), line(seen.text, "Total:")
    if not rows:
        yield told(rng, language, "Total: 0.", en=f"No, the data has no {of.arg} in {city}.",
            de=f"Nein, die Daten haben kein {of.arg} in {city}.", zh=f"没有，数据中{city}没有{of.arg}。")  # fmt: skip
        return
    spot = street(rows[0]["Address"])
    yield told(rng, language, f"Total: {count}. Row 1: {rows[0]['Address']}.", en=f"Yes, {count}" + (f", at {spot}."
        if count == "1" else f", for instance at {spot}."), de=f"Ja, {count}" + (f": {spot}." if count == "1"
        else f", zum Beispiel {spot}."), zh=f"有，共{count}家，如{spot}。")  # fmt: skip


def next_page(rng: Rng, language: Language) -> Talk:
    of, where = chain(rng, language, ("Starbucks", "McDonald's", "Subway", "Walgreens", "CVS")), metro(rng, language)
    yield ask(rng, language, {"en": [f"List the {of.said} in {where.said} by visits.",
        f"show {of.said} in {where.said}", f"{of.said} {where.said} please, ranked",
        f"which {of.said} are in {where.said}?"], "de": [f"Liste die {of.said} in {where.said} nach Besuchen auf.",
        f"Zeig {of.said} in {where.said}"], "zh": [f"按访问量列出{where.said}的{of.said}",
        f"{where.said}有哪些{of.said}？"]})  # fmt: skip
    seen = yield call(f"{of.arg} in {where.arg}, ranked by visits.", "search_places", geo_filter=where.arg, chain_ids=[
        of.arg])  # fmt: skip
    rows, count = table(seen.text, "Places"), line(seen.text, "Total:")
    if len(rows) < 10 or count == "10":
        return
    head = when(seen.text, language)
    yield told(rng, language, f"Total: {count}. Rows: {quoted(rows[:3])}",
        en=f"{count} in all; the first {head}: {listed(rows[:3], language)}.",
        de=f"Insgesamt {count}; die ersten {head}: {listed(rows[:3], language)}.",
        zh=f"共{count}家；{head}前几名：{listed(rows[:3], language)}。")  # fmt: skip
    yield ask(rng, language, {"en": ["next page", "show the next ones", "and the ten after those?", "more"], "de": [
        "Die nächsten bitte", "und die weiteren?"], "zh": ["下一页", "后面的呢？"]}, again=True)  # fmt: skip
    seen = yield call("Ten were listed: go on at offset 10.", "search_places", geo_filter=where.arg, chain_ids=[of.arg],
        offset=10)  # fmt: skip
    rows = table(seen.text, "Places")[:3]
    yield told(rng, language, f"Rows from 11 on: {quoted(rows)}", en=f"From rank 11 on: {listed(rows, language)}.",
        de=f"Ab Platz 11: {listed(rows, language)}.", zh=f"第11名起：{listed(rows, language)}。")  # fmt: skip


def not_here(rng: Rng, language: Language) -> Talk:
    """A chain that the city has not."""
    name = rng.some([one for one, where in LOCAL_CHAINS.items() if len(where) < 3])
    where = metro(rng, language, rng.some([city for city in METROS if city not in LOCAL_CHAINS[name]]))
    yield ask(rng, language, {"en": [f"How is {name} doing in {where.said}?",
        f"visits of {name} in {where.said} last month?", f"{name} {where.said} traffic",
        f"How many people went to {name} in {where.said}?"], "de": [f"Wie läuft {name} in {where.said}?",
        f"Besuche bei {name} in {where.said}?"], "zh": [f"{name}在{where.said}表现如何？",
        f"{where.said}的{name}访问量"]})  # fmt: skip
    seen = yield call(f"Figures of {name} in {where.arg}.", "get_place_summary", chain_id=[name], geo_filter=where.arg)
    if "places 0" not in seen.text:
        return
    yield told(rng, language, "Total: places 0. No place fits.",
        en=f"The data has no {name} in {where.said}, so there are no figures.",
        de=f"In den Daten gibt es kein {name} in {where.said}, also auch keine Zahlen.",
        zh=f"数据中{where.said}没有{name}，因此没有数字。")  # fmt: skip


def unknown(rng: Rng, language: Language) -> Talk:
    """A city, chain or category that the data does not have."""
    kind = rng.some(["city", "chain", "category"])
    city = rng.some(["Seattle", "Boston", "Miami", "New York", "Berlin", "Phoenix",
        "Houston"]) if kind == "city" else rng.some(list(METROS))  # fmt: skip
    of = {"city": "Starbucks", "chain": rng.some(["Tim Hortons", "Lidl", "Wawa", "Wegmans", "Krispy Kreme",
        "Hobby Lobby"]), "category": rng.some(["ice rinks", "escape rooms", "heliports", "casinos"])}[
        kind]  # fmt: skip
    key = "category_ids" if kind == "category" else "chain_ids"
    yield ask(rng, language, {"en": [f"How many {of} are in {city}?", f"{of} in {city}?", f"list {of} {city}",
        f"Which {of} in {city} is busiest?"], "de": [f"Wie viele {of} gibt es in {city}?", f"Zeig mir {of} in {city}."],
        "zh": [f"{city}有多少{of}？", f"查{city}的{of}"]})  # fmt: skip
    seen = yield call(f"{of} in {city}, as written.", "search_places", geo_filter=city, **{key: [of]})
    if not seen.failed:
        return
    if kind == "city":
        yield plain(language, f"Error: no area called {city}.",
            en=f"The data has no {city}; it has Atlanta, Chicago, Dallas, Denver, Los Angeles and San Francisco.",
            de=f"{city} ist nicht in den Daten; es gibt Atlanta, Chicago, Dallas, Denver, Los Angeles und San "
            "Francisco.",
            zh=f"数据中没有{city}，只有Atlanta、Chicago、Dallas、Denver、Los Angeles和San Francisco。")  # fmt: skip
        return
    what = by(language, *(("chain", "Kette", "连锁") if kind == "chain" else ("category", "Kategorie", "类别")))
    yield plain(language, f"Error: there is no {kind} {of} in the data.",
        en=f"The data has no {what} called {of}, so I cannot tell.",
        de=f"Die Daten haben keine {what} namens {of}, das kann ich also nicht sagen.",
        zh=f"数据中没有名为{of}的{what}，无法回答。")  # fmt: skip


def mistyped_city(rng: Rng, language: Language) -> Talk:
    wrong, right = rng.some([("San Fransisco", "San Francisco"), ("Los Angelas", "Los Angeles"), ("Chcago", "Chicago"),
        ("Attlanta", "Atlanta"), ("Dalas", "Dallas")])  # fmt: skip
    of = chain(rng, language, ("Starbucks", "Target", "CVS", "Chipotle", "Costco"))
    yield ask(rng, language, {"en": [f"how many {of.said} in {wrong}?", f"{of.said} {wrong} count",
        f"number of {of.said} in {wrong}", f"How many {of.said} are there in {wrong}?"], "de": [
        f"Wie viele {of.said} in {wrong}?", f"Anzahl {of.said} {wrong}"], "zh": [f"{wrong}有几家{of.said}？",
        f"{wrong} {of.said}数量"]})  # fmt: skip
    seen = yield mistake(f"{of.arg} in {wrong}.", "search_places", geo_filter=wrong, chain_ids=[of.arg])
    if not seen.failed or right not in seen.text:
        return
    seen = yield call(f"No area '{wrong}'; the nearest is {right}.", "search_places", geo_filter=right, chain_ids=[
        of.arg])  # fmt: skip
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.", en=f"{of.arg} has {count} places in {right}.",
        de=f"{of.arg} hat {count} Standorte in {right}.", zh=f"{right}有{count}家{of.arg}。")  # fmt: skip


def wrong_sort(rng: Rng, language: Language) -> Talk:
    of, where = kind_of(rng, language, ("gyms", "supermarkets", "fast food", "pharmacies")), metro(rng, language)
    yield ask(rng, language, {"en": [f"Which of the {of.said} in {where.said} grew the most?",
        f"biggest gain in visits: {of.said} {where.said}", f"{of.said} in {where.said}: who gained most",
        f"which {of.said} in {where.said} improved most last month?"], "de": [
        f"Welches der {of.said} in {where.said} hat am meisten zugelegt?",
        f"größtes Plus bei {of.said} in {where.said}"], "zh": [f"{where.said}哪家{of.said}增幅最大？",
        f"{where.said}{of.said}谁增长最多"]})  # fmt: skip
    seen = yield mistake("Sorted by growth.", "search_places", geo_filter=where.arg, category_ids=[of.arg],
        sort="growth", limit=1)  # fmt: skip
    if not seen.failed:
        return
    seen = yield call("There is no sort 'growth': it is called trend.", "search_places", geo_filter=where.arg,
        category_ids=[of.arg], sort="trend", limit=1)  # fmt: skip
    rows = [row for row in table(seen.text, "Places") if row.get("Trend (%)", "–") != "–"]
    if not rows:
        return
    row, head = rows[0], when(seen.text, language)
    yield told(rng, language,
        f"Row 1: {row['Name']}, {street(row['Address'])}, trend {row['Trend (%)']} %, visits {row['Visits']}.",
        en=f"{row['Name']}, {street(row['Address'])}: {row['Trend (%)']} % against the period before, "
        f"{row['Visits']} visits {head}.",
        de=f"{row['Name']}, {street(row['Address'])}: {row['Trend (%)']} % zum Zeitraum davor, "
        f"{cell(row['Visits'], 'de')} Besuche {head}.",
        zh= f"{row['Name']}（{street(row['Address'])}）：环比{row['Trend (%)']} %，"
        f"{head}访问{cell(row['Visits'], 'zh')}次。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {where_is: 3, near_mall: 4, around_point: 2, downtown: 2, which_downtown: 2, open_then: 3,
    tagged: 2, is_there: 4, next_page: 2, not_here: 2, unknown: 3, mistyped_city: 2, wrong_sort: 1}  # fmt: skip
