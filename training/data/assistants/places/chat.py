"""Talks that need no tool, or none of places: small talk, what can be asked, what is missing, what was said before."""

import re

from training.data.assistants.places.parts import ask, chain, data_days, kind_of, line, metro, plain, told
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng


def thanks(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, {"en": ["thanks, that's all", "Great, thank you!", "ok cool thx", "perfect, cheers"],
        "de": ["Danke, das reicht!", "super, vielen Dank"], "zh": ["谢谢，够了", "好的，多谢！"]},
        again=True)  # fmt: skip
    yield plain(language, "Thanks: nothing is asked.", en=rng.some(["You're welcome.",
        "Glad to help. Ask again any time."]), de=rng.some(["Gern geschehen.", "Gerne, jederzeit wieder."]),
        zh=rng.some(["不客气。", "随时可以再问。"]))  # fmt: skip


def hello(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, {"en": ["hi there", "Good morning!", "hey", "hello, anyone there?"], "de": [
        "Guten Morgen!", "hallo"], "zh": ["你好", "嗨，在吗"]}, again=True)  # fmt: skip
    yield plain(language, "A greeting: no tool.", en="Hello! Which place, chain or area shall I look at?",
        de="Hallo! Welchen Ort, welche Kette oder welches Gebiet soll ich ansehen?",
        zh="您好！想了解哪个地点、连锁或地区？")  # fmt: skip


def abilities(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, {"en": ["what can you do?", "What kind of questions can I ask here?", "help",
        "how can you help me"], "de": ["Was kannst du alles?", "Womit kannst du helfen?"], "zh": ["你能做什么？",
        "可以问哪些问题？"]}, again=True)  # fmt: skip
    yield plain(language, "What I can do is known: no tool.",
        en="I find and rank places, tell their visits, dwell time and busiest times, compare them, and say where "
        "visitors live, who they are, where they go next, and what a new store changed. The data here is a sample.",
        de="Ich finde und ordne Orte, nenne Besuche, Verweildauer und Stoßzeiten, vergleiche sie und sage, wo "
        "Besucher wohnen, wer sie sind, wohin sie gehen und was eine neue Filiale bewirkt. Die Daten hier sind "
        "Beispieldaten.",
        zh="我可以查找和排名地点，给出访问量、停留时间和高峰时段，进行比较，并说明访客住在哪、是谁、接着去哪，"
        "以及新店的影响。这里是样本数据。")  # fmt: skip


def which_metros(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, {"en": ["which cities does the data cover?", "What areas can you tell me about?",
        "what metros do you have", "which regions are in there?"], "de": ["Welche Städte sind in den Daten?",
        "Welche Regionen kennst du?"], "zh": ["数据覆盖哪些城市？", "有哪些地区的数据"]})  # fmt: skip
    cities = "Atlanta, Chicago, Dallas, Denver, Los Angeles"
    yield plain(language, "The prompt names the metros.", en=f"These metros: {cities} and San Francisco (sample data).",
        de=f"Diese Metropolregionen: {cities} und San Francisco (Beispieldaten).",
        zh="这些都会区：Atlanta、Chicago、Dallas、Denver、Los Angeles和San Francisco（样本数据）。")  # fmt: skip


def which_days(rng: Rng, language: Language) -> Talk:
    first, last = data_days(rng)
    yield ask(rng, language, {"en": ["how far back does the data go?", "What period do the visits cover?",
        "until when do you have data", "from when to when is your data?"], "de": [
        "Welchen Zeitraum decken die Daten ab?", "Bis wann hast du Daten?"], "zh": ["数据覆盖什么时间段？",
        "数据截止到什么时候"]})  # fmt: skip
    yield plain(language, f"The prompt: visits from {first} to {last}.",
        en=f"Visits are from {first} to {last} (sample data).",
        de=f"Die Besuche reichen vom {first} bis {last} (Beispieldaten).",
        zh=f"访问数据从{first}到{last}（样本数据）。")  # fmt: skip


def is_it_real(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, {"en": ["is this real data?", "are these figures real or made up?",
        "can I trust these numbers for a real decision?", "Is the data genuine?"], "de": ["Sind das echte Daten?",
        "Sind die Zahlen echt oder erfunden?"], "zh": ["这是真实数据吗？", "这些数字是真的还是虚构的"]})  # fmt: skip
    yield plain(language, "The prompt: sample data, made up.",
        en="No, it is sample data and made up; import your own data for real decisions.",
        de="Nein, das sind erfundene Beispieldaten; für echte Entscheidungen eigene Daten importieren.",
        zh="不是，这是虚构的样本数据；真实决策请导入您自己的数据。")  # fmt: skip


_OUTSIDE = ((("What's the revenue of {c} in {m}?", "how much money does {c} make in {m}",
    "sales of {c} {m} in dollars?", "Turnover of {c} in {m}?"), ("Wie viel Umsatz macht {c} in {m}?",
    "Umsatz von {c} in {m}?"), ("{c}在{m}的营业额是多少？", "{m}{c}的销售额"), (
    "I cannot tell revenue: the data has visits and visitors only. Shall I look at those?",
    "Umsatz habe ich nicht: die Daten haben nur Besuche und Besucher. Soll ich diese ansehen?",
    "没有营业额数据，只有访问量和访客。要看这些吗？")), (("Will it rain in {m} tomorrow?", "weather in {m}?",
    "how hot is it in {m} today", "do I need an umbrella in {m}?"), ("Wie wird das Wetter in {m}?",
    "Regnet es morgen in {m}?"), ("{m}明天下雨吗？", "{m}天气如何"), (
    "I have no weather data; I can tell about places and their visits.",
    "Wetterdaten habe ich nicht; ich kann über Orte und ihre Besuche Auskunft geben.",
    "我没有天气数据，只能回答地点和访问相关的问题。")), (("Book me a table at a restaurant in {m}.",
    "order a coffee from {c}", "reserve a room in {m} for tonight", "call the {c} in {m} for me"), (
    "Reserviere mir einen Tisch in {m}.", "Bestell mir etwas bei {c}."), ("帮我在{m}订一家餐厅", "帮我在{c}点杯咖啡"), (
    "I cannot book or order; I can find places and tell how they do.",
    "Buchen oder bestellen kann ich nicht; ich kann Orte finden und ihre Zahlen nennen.",
    "我不能预订或下单，但可以查找地点和数据。")), (("How many visits will {c} in {m} have next year?",
    "forecast {c} {m} for next year", "predict next month's visits of {c} in {m}",
    "What will {c} get in {m} in future?"), ("Wie viele Besuche wird {c} in {m} nächstes Jahr haben?",
    "Prognose für {c} in {m}?"), ("预测{c}在{m}明年的访问量", "{m}{c}下个月会有多少访问？"), (
    "I cannot forecast: the data only has past visits. I can show the trend so far.",
    "Prognosen kann ich nicht geben: die Daten haben nur vergangene Besuche. Ich kann den bisherigen Trend zeigen.",
    "无法预测，数据只有过去的访问。可以给出目前的趋势。")))  # fmt: skip


def outside(rng: Rng, language: Language) -> Talk:
    en, de, zh, answers = rng.some(_OUTSIDE)
    of, where = chain(rng, language), metro(rng, language)
    words = {"en": en, "de": de, "zh": zh}
    yield ask(rng, language, {language: [one.format(c=of.said, m=where.said) for one in words[language]]})
    yield plain(language, "No tool has this: say so.", en=answers[0], de=answers[1], zh=answers[2])


_TERMS = ((("dwell time", "Verweildauer", "停留时间"), (
    "Dwell time is how long a visitor stays at a place, here in minutes.",
    "Verweildauer ist, wie lange ein Besucher an einem Ort bleibt, hier in Minuten.",
    "停留时间是访客在一个地点停留多久，这里以分钟计。")), (("a trade area", "ein Einzugsgebiet", "商圈"), (
    "A trade area is the set of areas where most visitors of a place live.",
    "Ein Einzugsgebiet sind die Gebiete, in denen die meisten Besucher eines Ortes wohnen.",
    "商圈是一个地点大多数访客居住的区域。")), (("lift in shared audiences", "Lift bei gemeinsamen Besuchern",
    "共同访客中的lift"), ("Lift says how much more often visitors are shared than chance would give; 1 is chance.",
    "Lift sagt, wie viel häufiger Besucher geteilt werden als durch Zufall; 1 ist Zufall.",
    "lift表示共同访客比随机情况多多少倍，1即随机。")), (("cannibalization", "Kannibalisierung", "蚕食效应"), (
    "Cannibalization is when a new store takes visits from other stores of its own chain.",
    "Kannibalisierung heißt, dass eine neue Filiale anderen der eigenen Kette Besuche nimmt.",
    "蚕食效应是指新店从本连锁其他门店抢走访问。")), (("the difference between visits and visitors",
    "der Unterschied zwischen Besuchen und Besuchern", "访问次数和访客的区别"), (
    "Visits count every time somebody comes; visitors count different persons in a month.",
    "Besuche zählen jedes Kommen; Besucher sind verschiedene Personen eines Monats.",
    "访问次数计每次到访，访客计一个月内的不同人数。")), (("a suppressed figure", "eine unterdrückte Zahl",
    "被隐去的数字"), ("A suppressed figure rests on too few people of the panel, so it is not told.",
    "Eine unterdrückte Zahl beruht auf zu wenigen Personen im Panel und wird nicht genannt.",
    "被隐去的数字因样本人数太少而不公布。")))  # fmt: skip


def explain(rng: Rng, language: Language) -> Talk:
    terms, answers = rng.some(_TERMS)
    en, de, zh = terms
    yield ask(rng, language, {"en": [f"What is {en}?", f"explain {en}", f"what does {en} mean",
        f"Can you tell me what {en} is?"], "de": [f"Was ist {de}?", f"Erklär mir kurz: {de}"], "zh": [f"什么是{zh}？",
        f"解释一下{zh}"]})  # fmt: skip
    yield plain(language, "A term: explained without a tool.", en=answers[0], de=answers[1], zh=answers[2])


def what_place(rng: Rng, language: Language) -> Talk:
    """The question names no place: ask back, then count."""
    of = chain(rng, language, ("Starbucks", "Target", "Costco", "Chipotle", "Best Buy"))
    yield ask(rng, language, {"en": ["how is the store doing?", "how many visits did it get", "compare the two",
        "who visits that place?"], "de": ["Wie läuft der Laden?", "Vergleich die beiden."], "zh": ["那家店怎么样？",
        "比较这两家"]}, again=True)  # fmt: skip
    yield plain(language, "No place is named: ask which.", en="Which place or chain do you mean, and in which city?",
        de="Welchen Ort oder welche Kette meinen Sie, und in welcher Stadt?",
        zh="您指哪个地点或连锁，在哪个城市？")  # fmt: skip
    where = metro(rng, language)
    yield ask(rng, language, {"en": [f"{of.said} in {where.said}, just how many there are",
        f"sorry: number of {of.said} in {where.said}"], "de": [f"{of.said} in {where.said}, nur die Anzahl",
        f"Anzahl von {of.said} in {where.said}"], "zh": [f"{where.said}的{of.said}，有几家就行",
        f"{of.said}，{where.said}，数量"]}, again=True)  # fmt: skip
    seen = yield call(f"Now it is said: {of.arg} in {where.arg}.", "search_places", geo_filter=where.arg, chain_ids=[
        of.arg])  # fmt: skip
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.", en=f"{of.arg} has {count} places in {where.said}.",
        de=f"{of.arg} hat {count} Standorte in {where.said}.", zh=f"{where.said}有{count}家{of.arg}。")  # fmt: skip


def where_to_search(rng: Rng, language: Language) -> Talk:
    """A kind without an area: ask back, then answer."""
    of = kind_of(rng, language, ("gyms", "coffee shops", "supermarkets", "hotels", "bars", "bookstores"))
    yield ask(rng, language, {"en": [f"find {of.said} near me", f"how many {of.said} are around here?",
        f"{of.said} in my area please", f"which {of.said} are close to me"], "de": [f"{of.said} in meiner Nähe?",
        f"Wie viele {of.said} gibt es hier?"], "zh": [f"我附近有哪些{of.said}？",
        f"这附近有多少{of.said}"]})  # fmt: skip
    yield plain(language, "Where the user is, is not known: ask.", en="Which city or neighbourhood shall I search?",
        de="In welcher Stadt oder welchem Viertel soll ich suchen?", zh="要查哪个城市或街区？")  # fmt: skip
    where = metro(rng, language)
    yield ask(rng, language, {"en": [f"{where.said}", f"in {where.said}, just the number", f"{where.said} please"],
        "de": [f"{where.said}", f"in {where.said}"], "zh": [f"{where.said}", f"在{where.said}"]},
        again=True)  # fmt: skip
    seen = yield call(f"{of.arg} in {where.arg}.", "search_places", geo_filter=where.arg, category_ids=[of.arg])
    count = line(seen.text, "Total:")
    yield told(rng, language, f"Total: {count}.", en=f"There are {count} {of.arg} in {where.said}.",
        de=f"{of.said} in {where.said}: {count}.", zh=f"{where.said}有{count}家{of.said}。")  # fmt: skip


def past(rng: Rng, language: Language) -> Talk:
    topic = rng.some([("parking fees", "Parkgebühren", "停车费"), ("store closures at airports",
        "Schließungen an Flughäfen", "机场关店"), ("the drone pilot", "den Drohnenversuch", "无人机试点"), (
        "rent levels", "Mietpreise", "租金水平")])  # fmt: skip
    said = {"en": topic[0], "de": topic[1], "zh": topic[2]}[language]
    yield ask(rng, language, {"en": [f"What did we say about {said} last week?", f"didn't we talk about {said} before?",
        f"look up our earlier chat on {said}", f"what was my question about {said}?"], "de": [
        f"Was hatten wir über {said} gesagt?", f"Haben wir schon mal über {said} gesprochen?"], "zh": [
        f"我们之前聊过{said}吗？", f"上次关于{said}说了什么"]})  # fmt: skip
    seen = yield call("Earlier talk: search past conversations.", "search_past_conversations", query=said)
    if found := re.search(r'"question":"([^"]+)"', seen.text):
        asked = found[1]
        yield plain(language, f"Found: {asked}", en=f"Yes, you asked before: “{asked}”",
            de=f"Ja, Sie fragten schon: „{asked}“", zh=f"有，您之前问过：“{asked}”")  # fmt: skip
        return
    yield plain(language, f"No earlier conversation is about {said}.",
        en=f"I find no earlier conversation about {said}.", de=f"Ich finde kein früheres Gespräch über {said}.",
        zh=f"没有找到关于{said}的早前对话。")  # fmt: skip


def todo(rng: Rng, language: Language) -> Talk:
    of, where = chain(rng, language), metro(rng, language)
    text = {"en": f"check {of.said} in {where.said}", "de": f"{of.said} in {where.said} prüfen",
        "zh": f"检查{where.said}的{of.said}"}[language]  # fmt: skip
    yield ask(rng, language, {"en": [f"put on my list: {text}", f"Add a to-do: {text}",
        f"remind me in the list to {text}", f"note a task: {text}"], "de": [f"Setz auf die Liste: {text}",
        f"Neue Aufgabe: {text}"], "zh": [f"加入待办：{text}", f"记一个任务：{text}"]})  # fmt: skip
    yield call("A task for the list.", "todo", action="add", text=text)
    yield plain(language, "It is on the list.", en=f"It is on the list: {text}.", de=f"Steht auf der Liste: {text}.",
        zh=f"已加入清单：{text}。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {thanks: 1, hello: 1, abilities: 1, which_metros: 1, which_days: 1, is_it_real: 1,
    outside: 3, explain: 3, what_place: 2, where_to_search: 2, past: 1, todo: 1}  # fmt: skip
