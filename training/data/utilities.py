"""Everyday tools beside a company's own: weather, currencies, units, sums, time, journeys, reminders, notes.

Each has several names and forms; each makes questions with their call and answer, and questions that lack something.
"""

import datetime
from collections.abc import Callable
from typing import Any, Final

import msgspec

from training.data.catalogue import Param, Tool
from training.data.conversation import Answer, Call, Conversation, Exchange, Language
from training.data.phrases import dressed
from training.data.values import CHINESE_CITIES, CITIES, CURRENCIES, SUBJECTS, Rng, clock, coming_day, day, dumps, person, say_day, say_time, tidy

UNITS: Final = {
    "miles": ("kilometres", 1.609344, "Meilen", "英里", "Kilometer", "公里"),
    "pounds": ("kilograms", 0.453592, "Pfund", "磅", "Kilogramm", "公斤"),
    "feet": ("metres", 0.3048, "Fuß", "英尺", "Meter", "米"),
    "litres": ("gallons", 0.264172, "Liter", "升", "Gallonen", "加仑"),
    "inches": ("centimetres", 2.54, "Zoll", "英寸", "Zentimeter", "厘米"),
    "hectares": ("acres", 2.47105, "Hektar", "公顷", "Acres", "英亩"),
}


class Task(msgspec.Struct, frozen=True):
    """A question in a language, what it leads to, and a follow-up where there is one."""

    question: str
    call: Call
    answer: Answer
    language: Language = "en"


Maker = Callable[[Rng, Tool, Language], Task]
Lack = Callable[[Rng], tuple[str, str, str]]


class Utility(msgspec.Struct, frozen=True):
    tool: Tool
    make: Maker
    lacks: tuple[Lack, ...] = ()


def _tool(rng: Rng, names: str, about: list[str], *params: list[Param]) -> Tool:
    return Tool(rng.some(names.split()), rng.some(about), tuple(rng.some(choices) for choices in params))


def _args(tool: Tool, *values: Any) -> dict[str, Any]:
    return {param.name: value for param, value in zip(tool.params, values, strict=False) if value is not None}


def _p(*names: str, kind: str = "string", **more: Any) -> list[Param]:
    return [Param(name, kind, **more) for name in names]


def _in(language: Language, en: str, de: str, zh: str) -> str:
    return {"en": en, "de": de, "zh": zh}[language]


def weather(rng: Rng, tool: Tool, language: Language) -> Task:
    place = rng.some(CHINESE_CITIES if language == "zh" else CITIES)
    when, said = coming_day(rng, language)
    high, low = rng.randrange(8, 34), rng.randrange(-9, 8)
    sky = rng.some(["sunny", "cloudy", "rainy", "windy", "snowy"])
    observed = rng.some([dumps({"place": place, "date": when, "sky": sky, "high_c": high, "low_c": low}), f"{place}, {when}: {sky}, {low} to {high} °C."])
    en = rng.some([f"What will the weather be like in {place} {said}?", f"How warm does it get in {place} {said}?", f"Do I need a coat in {place} {said}?"])
    question = _in(language, en, f"Wie wird das Wetter {said} in {place}?", f"{said}{place}的天气怎么样？")
    german = {"sunny": "sonnig", "cloudy": "bewölkt", "rainy": "regnerisch", "windy": "windig", "snowy": "verschneit"}[sky]
    chinese = {"sunny": "晴", "cloudy": "多云", "rainy": "有雨", "windy": "有风", "snowy": "有雪"}[sky]
    text = _in(language, f"In {place} it will be {sky} on {when}, {low} to {high} °C.", f"In {place} wird es am {when} {german}, {low} bis {high} °C.", f"{place}{when}{chinese}，{low}到{high}°C。")
    thought = _in(language, f"The user wants the weather in {place}.", f"Gefragt ist das Wetter in {place}.", f"用户想知道{place}的天气。")
    return Task(question, Call(thought, tool.name, _args(tool, place, when), observed), Answer(_in(language, "I have the weather.", "Ich habe das Wetter.", "已查到天气。"), text), language)


def exchange(rng: Rng, tool: Tool, language: Language) -> Task:
    source, target = rng.sample(list(CURRENCIES), 2)
    amount = rng.some([rng.randrange(10, 900), rng.randrange(1000, 90000), round(rng.uniform(5, 900), 2)])
    result = tidy(amount * rng.uniform(0.2, 9))
    place = {"en": 0, "de": 1, "zh": 2}[language]
    first, second = CURRENCIES[source][place], CURRENCIES[target][place]
    en = rng.some([f"What is {amount} {first} in {second}?", f"Convert {amount} {source} to {target}.", f"How many {second} do I get for {amount} {first}?"])
    question = _in(language, en, f"Wie viel sind {amount} {first} in {second}?", f"{amount}{first}是多少{second}？")
    observed = rng.some([dumps({"amount": amount, "from": source, "to": target, "result": result}), f"{result} {target}", dumps({"converted": result})])
    text = _in(language, f"{amount} {first} are {result} {second}.", f"{amount} {first} sind {result} {second}.", f"{amount}{first}是{result}{second}。")
    thought = _in(language, f"The user wants {target} for {source}.", f"{source} in {target} umrechnen.", f"把{source}换算成{target}。")
    return Task(question, Call(thought, tool.name, _args(tool, amount, source, target), observed), Answer(_in(language, "I have the amount.", "Ich habe den Betrag.", "已查到金额。"), text), language)


def unit(rng: Rng, tool: Tool, language: Language) -> Task:
    source = rng.some(list(UNITS))
    target, factor, de_from, zh_from, de_to, zh_to = UNITS[source]
    amount = rng.some([rng.randrange(2, 300), round(rng.uniform(1, 120), 1)])
    result = tidy(amount * factor)
    question = _in(language, rng.some([f"How many {target} are {amount} {source}?", f"Convert {amount} {source} to {target}."]), f"Wie viele {de_to} sind {amount} {de_from}?", f"{amount}{zh_from}是多少{zh_to}？")
    observed = rng.some([dumps({"value": result, "unit": target}), str(result)])
    text = _in(language, f"{amount} {source} are {result} {target}.", f"{amount} {de_from} sind {result} {de_to}.", f"{amount}{zh_from}是{result}{zh_to}。")
    thought = _in(language, f"The user wants {target}.", f"In {de_to} umrechnen.", f"换算成{zh_to}。")
    return Task(question, Call(thought, tool.name, _args(tool, amount, source, target), observed), Answer(_in(language, "I have the result.", "Ich habe das Ergebnis.", "已得到结果。"), text), language)


def arithmetic(rng: Rng, tool: Tool, language: Language) -> Task:
    a, b = rng.some([(rng.randrange(12, 999), rng.randrange(12, 999)), (round(rng.uniform(5, 900), 2), rng.randrange(3, 60))])
    share = rng.some([3, 5, 7, 12, 15, 22, 35])
    kind = rng.some(["share", "times", "sum", "minus", "each", "order"])
    high, low = max(a, b), min(a, b)
    expression, result, en, de, zh = {
        "share": (f"{a}*{share}/100", a * share / 100, f"What is {share}% of {a}?", f"Wie viel sind {share} Prozent von {a}?", f"{a}的{share}%是多少？"),
        "times": (f"{a}*{b}", a * b, f"How much do {b} pieces cost at {a} each?", f"Was ist {a} mal {b}?", f"{a}乘以{b}等于多少？"),
        "sum": (f"{a}+{b}", a + b, f"Add {a} and {b}.", f"Was ergeben {a} und {b} zusammen?", f"{a}加{b}等于多少？"),
        "minus": (f"{high}-{low}", high - low, f"I had {high} and spent {low}. What is left?", f"Was bleibt von {high} nach Abzug von {low}?", f"{high}减{low}等于多少？"),
        "each": (f"{a}/{b}", a / b, f"If {a} is split among {b}, how much does each get?", f"Teile {a} durch {b}.", f"{a}除以{b}等于多少？"),
        "order": (f"{b}*{a}+{share}*{b}", b * a + share * b, f"We buy {b} boxes at {a} and {share} at {b}. What is the total?", f"{b} Kisten zu {a} und {share} zu {b}: was macht das?", f"{b}个{a}加上{share}个{b}一共多少？"),
    }[kind]
    result = tidy(result)
    observed = rng.some([str(result), dumps({"result": result}), dumps({tool.params[0].name: expression, "result": result})])
    text = _in(language, rng.some([f"It is {result}.", f"The result is {result}."]), f"Das Ergebnis ist {result}.", f"结果是{result}。")
    thought = _in(language, "This has to be calculated.", "Das muss berechnet werden.", "需要计算。")
    return Task(_in(language, en, de, zh), Call(thought, tool.name, _args(tool, expression), observed), Answer(_in(language, "I have the result.", "Ich habe das Ergebnis.", "已得到结果。"), text), language)


def time_in(rng: Rng, tool: Tool, language: Language) -> Task:
    place, time = rng.some(CHINESE_CITIES if language == "zh" else CITIES), clock(rng)
    question = _in(language, rng.some([f"What time is it in {place}?", f"How late is it in {place} now?"]), f"Wie spät ist es in {place}?", f"{place}现在几点？")
    call = Call(_in(language, f"The user wants the time in {place}.", f"Gefragt ist die Uhrzeit in {place}.", f"用户想知道{place}的时间。"), tool.name, _args(tool, place), rng.some([dumps({"place": place, "time": time}), time]))
    return Task(question, call, Answer(_in(language, "I have the time.", "Ich habe die Uhrzeit.", "已查到时间。"), _in(language, f"It is {time} in {place}.", f"In {place} ist es {time} Uhr.", f"{place}现在是{time}。")), language)


def journey(rng: Rng, tool: Tool, language: Language) -> Task:
    start, end = rng.sample(CITIES, 2)
    km, minutes, how = rng.randrange(60, 1900), rng.randrange(45, 900), rng.some(["car", "train", "plane"])
    said = {"car": rng.some(["by car", "if I drive"]), "train": rng.some(["by train", "if I take the train"]), "plane": rng.some(["by plane", "if I fly"])}[how]
    question = _in(language, f"How long does it take from {start} to {end} {said}?", f"Wie lange dauert es von {start} nach {end} mit dem {({'car': 'Auto', 'train': 'Zug', 'plane': 'Flugzeug'})[how]}?", f"从{start}到{end}坐{({'car': '汽车', 'train': '火车', 'plane': '飞机'})[how]}要多久？")
    observed = rng.some([dumps({"from": start, "to": end, "km": km, "minutes": minutes}), f"{km} km, {minutes} minutes by {how}."])
    text = _in(language, f"From {start} to {end} it takes {minutes} minutes by {how} ({km} km).", f"Von {start} nach {end} dauert es {minutes} Minuten ({km} km).", f"从{start}到{end}需要{minutes}分钟（{km}公里）。")
    call = Call(_in(language, f"The user wants the journey by {how}.", "Gefragt ist die Reisezeit.", "用户想知道路程时间。"), tool.name, _args(tool, start, end, how), observed)
    return Task(question, call, Answer(_in(language, "I have the time.", "Ich habe die Dauer.", "已查到时间。"), text), language)


def days_between(rng: Rng, tool: Tool, language: Language) -> Task:
    first = day(rng, 2025, 2026)
    count = rng.randrange(3, 400)
    last = (datetime.date.fromisoformat(first) + datetime.timedelta(days=count)).isoformat()
    a, b = say_day(rng, first, language), say_day(rng, last, language)
    question = _in(language, f"How many days lie between {a} and {b}?", f"Wie viele Tage liegen zwischen {a} und {b}?", f"{a}到{b}有多少天？")
    call = Call(_in(language, "The user wants the days between two dates.", "Gefragt sind die Tage dazwischen.", "计算两个日期之间的天数。"), tool.name, _args(tool, first, last), rng.some([dumps({"days": count}), str(count)]))
    return Task(question, call, Answer(_in(language, "I have the days.", "Ich habe die Tage.", "已得到天数。"), _in(language, f"There are {count} days between {first} and {last}.", f"Dazwischen liegen {count} Tage.", f"中间有{count}天。")), language)


def remind(rng: Rng, tool: Tool, language: Language) -> Task:
    (when, said), time, number = coming_day(rng), clock(rng), rng.randrange(100, 999)
    what = rng.some(["call the bank", "water the plants", "pay the rent", "send the offer", "check the boiler"])
    question = rng.some([f"Remind me to {what} {said} at {say_time(rng, time)}.", f"{said[:1].upper() + said[1:]} at {say_time(rng, time)} I have to {what}, remind me."])
    call = Call("The user wants a reminder.", tool.name, _args(tool, what, when, time), rng.some([dumps({"reminder": number}), f"Reminder {number} set for {when} {time}."]))
    return Task(question, call, Answer("It is set.", f"I will remind you on {when} at {time} to {what}."))


def appointment(rng: Rng, tool: Tool, language: Language) -> Task:
    (when, said), time, what, number = coming_day(rng), clock(rng), rng.some(SUBJECTS), rng.randrange(100, 999)
    minutes = rng.some([None, None, 30, 45, 60, 90])
    lasting = f" for {minutes} minutes" if minutes else ""
    question = rng.some([f"Put a {what} into the diary {said} at {say_time(rng, time)}{lasting}.", f"Book a {what} {said}, {say_time(rng, time)}{lasting}."])
    call = Call("The user wants an appointment.", tool.name, _args(tool, what, when, time, minutes), dumps({"entry": f"D-{number}"}))
    return Task(question, call, Answer("It is planned.", f"The {what} is planned for {when} at {time} (D-{number})."))


def message(rng: Rng, tool: Tool, language: Language) -> Task:
    to = person(rng)
    text = rng.some(["The meeting is moved to Friday.", "Please call me back.", "The parts have arrived.", "I will be ten minutes late."])
    question = rng.some([f"Write to {to}: {text}", f"Send {to} this message: {text}", f'Please let {to} know: "{text}"'])
    return Task(question, Call(f"The user wants to write to {to}.", tool.name, _args(tool, to, text), rng.some([dumps({"sent": True}), "Sent."])), Answer("It was sent.", f"The message to {to} was sent."))


def handbook(rng: Rng, tool: Tool, language: Language) -> Task:
    topic, text = rng.some([("parking", "Staff park on level 2; visitors on level 0."), ("lost keys", "Lost keys are reported at the front desk within 24 hours."), ("the dress code", "Safety shoes are needed in the workshop."), ("the guest wifi", "The guest network is called Lobby; the code changes on Mondays."), ("travel costs", "Train tickets are paid back in second class up to 180 euros.")])
    question = rng.some([f"What does the handbook say about {topic}?", f"Is there anything written about {topic}?", f"What are our rules for {topic}?"])
    call = Call(f"The documents may say it: {topic}.", tool.name, _args(tool, topic.removeprefix("the ")), rng.some([text, dumps([{"title": topic.capitalize(), "text": text}])]))
    return Task(question, call, Answer("The passage says it.", text))


def note(rng: Rng, tool: Tool, language: Language) -> Task:
    text = rng.some(["The spare key is under the mat", "Order more paper", "My favourite seat is 14A", "The lift inspector comes again in May"])
    question = rng.some([f"Make a note: {text}.", f"Please keep this for later: {text}.", f"Don't forget: {text}."])
    return Task(question, Call("The user wants this kept.", tool.name, _args(tool, text), rng.some(["Saved.", dumps({"saved": True})])), Answer("It is saved.", "I have saved the note."))


def utilities(rng: Rng) -> list[Utility]:
    """All of them, in one style."""
    text, number = "string", "number"
    currency = {"description": "Code, such as EUR."}
    some_day = {"description": "Date, such as 2026-01-31."}
    return [
        Utility(_tool(rng, "weather_forecast forecast get_forecast weather_on", ["The weather of a place on a day.", "Forecast for a place and a date."], _p("place", "city", "location"), _p("date", "day", **some_day)), weather, (lambda r: (f"What will the weather be on {say_day(r, day(r, 2026, 2027))}?", "place", "For which place?"), lambda r: (f"How will the weather be in {r.some(CITIES)}?", "day", "For which day?"))),
        Utility(_tool(rng, "money_exchange currency_converter change_currency fx_convert", ["Converts an amount of money to another currency.", "Money in another currency, at today's rate."], _p("amount", "sum", kind=number), _p("source", "from_currency", **currency), _p("target", "to_currency", **currency)), exchange, (lambda r: (f"Convert {r.randrange(5, 5000)} {CURRENCIES[r.some(list(CURRENCIES))][0]} for me.", "target currency", "Into which currency should I convert it?"), lambda r: (f"How many {CURRENCIES[r.some(list(CURRENCIES))][0]} do I get?", "amount and currency", "What amount do you want to convert, and from which currency?"))),
        Utility(_tool(rng, "unit_converter change_unit measure_convert", ["Converts a measure to another unit.", "Lengths, weights and volumes in another unit."], _p("value", "amount", kind=number), _p("unit", "source_unit"), _p("target_unit", "into")), unit, (lambda r: (f"Convert {r.randrange(5, 500)} {r.some(list(UNITS))}, please.", "target unit", "Into which unit should I convert it?"),)),
        Utility(_tool(rng, "calculator evaluate_expression do_sum math", ["Works out an arithmetic expression.", "Calculates."], _p("expression", "formula", "term")), arithmetic),
        Utility(_tool(rng, "local_time clock_in time_at", ["The time in a place now."], _p("place", "city")), time_in, (lambda r: ("What time is it over there now?", "place", "In which place?"),)),
        Utility(_tool(rng, "travel_time journey trip_planner route_time", ["How long a journey takes, and how far it is.", "Distance and duration between two places."], _p("start", "origin"), _p("destination", "end"), [Param("means", required=False, choices=("car", "train", "plane")), Param("mode", choices=("car", "train", "plane"))]), journey, (lambda r: (f"How long does the trip to {r.some(CITIES)} take?", "start", "Where do you start?"),)),
        Utility(_tool(rng, "span_of_days date_difference days_from_to", ["The days between two dates."], _p("start", "first", **some_day), _p("end", "last", **some_day)), days_between, (lambda r: (f"How many days is it until {say_day(r, day(r, 2026, 2027))}?", "first date", "From which date should I count?"),)),
        Utility(_tool(rng, "new_reminder remind_user put_reminder", ["Sets a reminder."], _p("text", "what"), _p("date", "day", **some_day), _p("time", "at", description="Time, such as 08:30.")), remind, (lambda r: ("Remind me to call the bank.", "date and time", "When should I remind you, on which day and at what time?"), lambda r: (f"Set a reminder for {say_day(r, day(r, 2026, 2027))} at {say_time(r, clock(r))}.", "text", "What should I remind you of?"))),
        Utility(_tool(rng, "add_appointment diary_entry plan_entry", ["Puts an appointment into the diary."], _p("title", "subject"), _p("date", "day", **some_day), _p("time", "start", description="Time, such as 08:30."), _p("minutes", kind="integer", required=False)), appointment, (lambda r: (f"Plan a {r.some(SUBJECTS)} for {say_day(r, day(r, 2026, 2027))}.", "time", "At what time should it start?"), lambda r: (f"Please arrange a {r.some(SUBJECTS)} at {say_time(r, clock(r))}.", "date", "On which day?"))),
        Utility(_tool(rng, "write_message text_colleague post_message", ["Sends a message to a person."], _p("to", "recipient"), _p("text", "body")), message, (lambda r: (f"Send a message to {person(r)}.", "text", "What should the message say?"),)),
        Utility(_tool(rng, "search_handbook house_rules find_in_documents", ["Searches the house's own documents: rules, handbooks, notices."], _p("query", "words", kind=text)), handbook),
        Utility(_tool(rng, "keep_note save_note jot_down", ["Keeps a note for later."], _p("text", "note")), note),
    ]


def ask_utility(rng: Rng, one: Utility, language: Language) -> Conversation:
    task = one.make(rng, one.tool, language)
    question = dressed(rng, task.question) if task.language == "en" and rng.chance(0.6) else task.question
    return Conversation("utility", (Exchange(question, (task.call, task.answer)),), task.language)


def ask_lacking(rng: Rng, one: Utility) -> Conversation | None:
    if not one.lacks:
        return None
    question, what, back = rng.some(one.lacks)(rng)
    return Conversation("missing", (Exchange(question, (Answer(f"Missing: {what}.", back),)),))
