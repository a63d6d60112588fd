"""Everyday things to look up or work out: weather, currencies, units, sums, time, journeys, days."""

import datetime
from typing import Final

from training.data.catalogue import Tool
from training.data.conversation import Answer, Call, Language
from training.data.days import clock, coming_day, day, say_day
from training.data.talks.task import Task, args_of, in_language
from training.data.values import CHINESE_CITIES, CITIES, CURRENCIES, Rng, dumps, tidy

UNITS: Final = {
    "miles": ("kilometres", 1.609344, "Meilen", "英里", "Kilometer", "公里"),
    "pounds": ("kilograms", 0.453592, "Pfund", "磅", "Kilogramm", "公斤"),
    "feet": ("metres", 0.3048, "Fuß", "英尺", "Meter", "米"),
    "litres": ("gallons", 0.264172, "Liter", "升", "Gallonen", "加仑"),
    "inches": ("centimetres", 2.54, "Zoll", "英寸", "Zentimeter", "厘米"),
    "hectares": ("acres", 2.47105, "Hektar", "公顷", "Acres", "英亩"),
}

_TRAVELS: Final = {
    "car": ("by car", "if I drive", "when I drive", "with the car"),
    "train": ("by train", "if I take the train", "by rail", "on the train"),
    "plane": ("by plane", "if I fly", "by air"),
    "bike": ("by bike", "if I cycle", "on my bicycle"),
    "foot": ("on foot", "if I walk", "walking"),
}
_VEHICLES: Final = {
    "car": ("mit dem Auto", "开车"),
    "train": ("mit dem Zug", "坐火车"),
    "plane": ("mit dem Flugzeug", "坐飞机"),
    "bike": ("mit dem Rad", "骑车"),
    "foot": ("zu Fuß", "走路"),
}


def weather(rng: Rng, tool: Tool, language: Language) -> Task:
    place = rng.some(CHINESE_CITIES if language == "zh" else CITIES)
    when, said = coming_day(rng, language)
    high, low = rng.randrange(8, 34), rng.randrange(-9, 8)
    sky = rng.some(["sunny", "cloudy", "rainy", "windy", "snowy"])
    observed = rng.some(
        [
            dumps({"place": place, "date": when, "sky": sky, "high_c": high, "low_c": low}),
            f"{place}, {when}: {sky}, {low} to {high} °C.",
        ]
    )
    en = rng.some(
        [
            f"What will the weather be like in {place} {said}?",
            f"How warm does it get in {place} {said}?",
            f"Do I need a coat in {place} {said}?",
        ]
    )
    question = in_language(language, en, f"Wie wird das Wetter {said} in {place}?", f"{said}{place}的天气怎么样？")
    german = {"sunny": "sonnig", "cloudy": "bewölkt", "rainy": "regnerisch", "windy": "windig", "snowy": "verschneit"}[
        sky
    ]
    chinese = {"sunny": "晴", "cloudy": "多云", "rainy": "有雨", "windy": "有风", "snowy": "有雪"}[sky]
    text = in_language(
        language,
        f"In {place} it will be {sky} on {when}, {low} to {high} °C.",
        f"In {place} wird es am {when} {german}, {low} bis {high} °C.",
        f"{place}{when}{chinese}，{low}到{high}°C。",
    )
    thought = in_language(
        language,
        f"The user wants the weather in {place}.",
        f"Gefragt ist das Wetter in {place}.",
        f"用户想知道{place}的天气。",
    )
    return Task(
        question,
        Call(thought, tool.name, args_of(tool, place, when), observed),
        Answer(in_language(language, "I have the weather.", "Ich habe das Wetter.", "已查到天气。"), text),
        language,
    )


def exchange(rng: Rng, tool: Tool, language: Language) -> Task:
    source, target = rng.sample(list(CURRENCIES), 2)
    amount = rng.some([rng.randrange(10, 900), rng.randrange(1000, 90000), round(rng.uniform(5, 900), 2)])
    result = tidy(amount * rng.uniform(0.2, 9))
    place = {"en": 0, "de": 1, "zh": 2}[language]
    first, second = CURRENCIES[source][place], CURRENCIES[target][place]
    en = rng.some(
        [
            f"What is {amount} {first} in {second}?",
            f"Convert {amount} {source} to {target}.",
            f"How many {second} do I get for {amount} {first}?",
        ]
    )
    question = in_language(
        language, en, f"Wie viel sind {amount} {first} in {second}?", f"{amount}{first}是多少{second}？"
    )
    observed = rng.some(
        [
            dumps({"amount": amount, "from": source, "to": target, "result": result}),
            f"{result} {target}",
            dumps({"converted": result}),
        ]
    )
    text = in_language(
        language,
        f"{amount} {first} are {result} {second}.",
        f"{amount} {first} sind {result} {second}.",
        f"{amount}{first}是{result}{second}。",
    )
    thought = in_language(
        language,
        f"The user wants {target} for {source}.",
        f"{source} in {target} umrechnen.",
        f"把{source}换算成{target}。",
    )
    return Task(
        question,
        Call(thought, tool.name, args_of(tool, amount, source, target), observed),
        Answer(in_language(language, "I have the amount.", "Ich habe den Betrag.", "已查到金额。"), text),
        language,
    )


def unit(rng: Rng, tool: Tool, language: Language) -> Task:
    source = rng.some(list(UNITS))
    target, factor, de_from, zh_from, de_to, zh_to = UNITS[source]
    amount = rng.some([rng.randrange(2, 300), round(rng.uniform(1, 120), 1)])
    result = tidy(amount * factor)
    question = in_language(
        language,
        rng.some([f"How many {target} are {amount} {source}?", f"Convert {amount} {source} to {target}."]),
        f"Wie viele {de_to} sind {amount} {de_from}?",
        f"{amount}{zh_from}是多少{zh_to}？",
    )
    observed = rng.some([dumps({"value": result, "unit": target}), str(result)])
    text = in_language(
        language,
        f"{amount} {source} are {result} {target}.",
        f"{amount} {de_from} sind {result} {de_to}.",
        f"{amount}{zh_from}是{result}{zh_to}。",
    )
    thought = in_language(language, f"The user wants {target}.", f"In {de_to} umrechnen.", f"换算成{zh_to}。")
    return Task(
        question,
        Call(thought, tool.name, args_of(tool, amount, source, target), observed),
        Answer(in_language(language, "I have the result.", "Ich habe das Ergebnis.", "已得到结果。"), text),
        language,
    )


def _sum(rng: Rng) -> tuple[str, float, str, str, str]:
    """An expression, its result, and the question in three languages."""
    a, b = rng.some(
        [(rng.randrange(12, 999), rng.randrange(12, 999)), (round(rng.uniform(5, 900), 2), rng.randrange(3, 60))]
    )
    share = rng.some([3, 5, 7, 12, 15, 22, 35])
    kind = rng.some(["share", "times", "sum", "minus", "each", "order"])
    high, low = max(a, b), min(a, b)
    return {
        "share": (
            f"{a}*{share}/100",
            a * share / 100,
            f"What is {share}% of {a}?",
            f"Wie viel sind {share} Prozent von {a}?",
            f"{a}的{share}%是多少？",
        ),
        "times": (
            f"{a}*{b}",
            a * b,
            f"How much do {b} pieces cost at {a} each?",
            f"Was ist {a} mal {b}?",
            f"{a}乘以{b}等于多少？",
        ),
        "sum": (f"{a}+{b}", a + b, f"Add {a} and {b}.", f"Was ergeben {a} und {b} zusammen?", f"{a}加{b}等于多少？"),
        "minus": (
            f"{high}-{low}",
            high - low,
            f"I had {high} and spent {low}. What is left?",
            f"Was bleibt von {high} nach Abzug von {low}?",
            f"{high}减{low}等于多少？",
        ),
        "each": (
            f"{a}/{b}",
            a / b,
            f"If {a} is split among {b}, how much does each get?",
            f"Teile {a} durch {b}.",
            f"{a}除以{b}等于多少？",
        ),
        "order": (
            f"{b}*{a}+{share}*{b}",
            b * a + share * b,
            f"We buy {b} boxes at {a} and {share} at {b}. What is the total?",
            f"{b} Kisten zu {a} und {share} zu {b}: was macht das?",
            f"{b}个{a}加上{share}个{b}一共多少？",
        ),
    }[kind]


def arithmetic(rng: Rng, tool: Tool, language: Language) -> Task:
    expression, result, en, de, zh = _sum(rng)
    result = tidy(result)
    observed = rng.some(
        [str(result), dumps({"result": result}), dumps({tool.params[0].name: expression, "result": result})]
    )
    text = in_language(
        language,
        rng.some([f"It is {result}.", f"The result is {result}."]),
        f"Das Ergebnis ist {result}.",
        f"结果是{result}。",
    )
    thought = in_language(language, "This has to be calculated.", "Das muss berechnet werden.", "需要计算。")
    return Task(
        in_language(language, en, de, zh),
        Call(thought, tool.name, args_of(tool, expression), observed),
        Answer(in_language(language, "I have the result.", "Ich habe das Ergebnis.", "已得到结果。"), text),
        language,
    )


def time_in(rng: Rng, tool: Tool, language: Language) -> Task:
    place, time = rng.some(CHINESE_CITIES if language == "zh" else CITIES), clock(rng)
    question = in_language(
        language,
        rng.some([f"What time is it in {place}?", f"How late is it in {place} now?"]),
        f"Wie spät ist es in {place}?",
        f"{place}现在几点？",
    )
    call = Call(
        in_language(
            language,
            f"The user wants the time in {place}.",
            f"Gefragt ist die Uhrzeit in {place}.",
            f"用户想知道{place}的时间。",
        ),
        tool.name,
        args_of(tool, place),
        rng.some([dumps({"place": place, "time": time}), time]),
    )
    return Task(
        question,
        call,
        Answer(
            in_language(language, "I have the time.", "Ich habe die Uhrzeit.", "已查到时间。"),
            in_language(
                language, f"It is {time} in {place}.", f"In {place} ist es {time} Uhr.", f"{place}现在是{time}。"
            ),
        ),
        language,
    )


def journey(rng: Rng, tool: Tool, language: Language) -> Task:
    start, end = rng.sample(CITIES, 2)
    km, minutes, how = (
        rng.randrange(60, 1900),
        rng.randrange(45, 900),
        rng.some(["car", "train", "plane", "bike", "foot"]),
    )
    said = rng.some(_TRAVELS[how])
    german, chinese = _VEHICLES[how]
    question = in_language(
        language,
        rng.some(
            [
                f"How long does it take from {start} to {end} {said}?",
                f"How long do I need from {start} to {end} {said}?",
                f"I want to get from {start} to {end} {said}. How long is that?",
            ]
        ),
        f"Wie lange dauert es von {start} nach {end} {german}?",
        f"从{start}到{end}{chinese}要多久？",
    )
    observed = rng.some(
        [dumps({"from": start, "to": end, "km": km, "minutes": minutes}), f"{km} km, {minutes} minutes by {how}."]
    )
    text = in_language(
        language,
        f"From {start} to {end} it takes {minutes} minutes by {how} ({km} km).",
        f"Von {start} nach {end} dauert es {minutes} Minuten ({km} km).",
        f"从{start}到{end}需要{minutes}分钟（{km}公里）。",
    )
    call = Call(
        in_language(
            language, f"The user wants the journey by {how}.", "Gefragt ist die Reisezeit.", "用户想知道路程时间。"
        ),
        tool.name,
        args_of(tool, start, end, how),
        observed,
    )
    return Task(
        question,
        call,
        Answer(in_language(language, "I have the time.", "Ich habe die Dauer.", "已查到时间。"), text),
        language,
    )


def days_between(rng: Rng, tool: Tool, language: Language) -> Task:
    first = day(rng, -1, 0)
    count = rng.randrange(3, 400)
    last = (datetime.date.fromisoformat(first) + datetime.timedelta(days=count)).isoformat()
    a, b = say_day(rng, first, language), say_day(rng, last, language)
    question = in_language(
        language,
        f"How many days lie between {a} and {b}?",
        f"Wie viele Tage liegen zwischen {a} und {b}?",
        f"{a}到{b}有多少天？",
    )
    call = Call(
        in_language(
            language,
            "The user wants the days between two dates.",
            "Gefragt sind die Tage dazwischen.",
            "计算两个日期之间的天数。",
        ),
        tool.name,
        args_of(tool, first, last),
        rng.some([dumps({"days": count}), str(count)]),
    )
    return Task(
        question,
        call,
        Answer(
            in_language(language, "I have the days.", "Ich habe die Tage.", "已得到天数。"),
            in_language(
                language,
                f"There are {count} days between {first} and {last}.",
                f"Dazwischen liegen {count} Tage.",
                f"中间有{count}天。",
            ),
        ),
        language,
    )
