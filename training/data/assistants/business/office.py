"""Talks about calendars, meetings, mail and employees."""

from datetime import timedelta
from typing import Any

from training.data.assistants.business.parts import (  # fmt: skip
    Span,
    asked,
    cap,
    listed,
    named,
    people,
    plural,
    rows_of,
    table,
    told,
    totals,
)
from training.data.assistants.data_sets import Drawn
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.days import GERMAN_WEEKDAYS, WEEKDAYS
from training.data.values import Rng

SOON = ("today", "tomorrow", "this_week", "next_week")


DEPARTMENTS = ["Production", "Tooling", "Quality", "Purchasing", "Sales", "Finance", "IT", "HR", "Logistics",
    "Management"]  # fmt: skip


TITLES = ["Supplier audit", "Price talk", "Mold review", "Quarter closing", "Safety briefing", "Packaging test",
    "Cost workshop", "Contract check", "Shift planning", "Launch call"]  # fmt: skip


def soon(rng: Rng, language: Language) -> Span:
    """A day or week from today on."""
    when = named(rng, language, rng.some(SOON))
    return Span(when.args, when.a, when.a)


def busy_people(period: str) -> list[str]:
    """Who has something in the calendar then, of those whose names are clear."""
    monday = Drawn.day - timedelta(Drawn.day.weekday())
    first, days = {"today": (Drawn.day, 1), "tomorrow": (Drawn.day + timedelta(1), 1), "this_week": (monday, 7),
        "next_week": (monday + timedelta(7), 7)}[period]  # fmt: skip
    window = {(first + timedelta(number)).isoformat() for number in range(days)}
    events = {row[0] for row in rows_of("calendar") if row[3][:10] in window}
    mails = {row[1] for row in rows_of("attendees") if row[0] in events and row[2] != "declined"}
    clear = set(people())
    return [row[1] for row in rows_of("employees") if row[2] in mails and row[1] in clear]


def moment(rng: Rng, language: Language) -> tuple[str, str]:
    """A day with a time: as it is said, and as the tool wants it."""
    hour, minute = rng.randrange(8, 17), rng.some([0, 0, 30, 15])
    clock = f"{hour:02d}:{minute:02d}"
    if rng.chance(0.5):
        day = {"en": "tomorrow", "de": "morgen", "zh": "明天"}[language]
        return {"en": f"tomorrow at {clock}", "de": f"morgen um {clock}", "zh": f"{day}{clock}"}[
            language], f"tomorrow {clock}"  # fmt: skip
    if rng.chance(0.5):
        weekday = rng.randrange(5)
        said = {"en": f"next {WEEKDAYS[weekday]} at {clock}", "de": f"nächste Woche {GERMAN_WEEKDAYS[weekday]} um "
            f"{clock}", "zh": f"下周{'一二三四五'[weekday]}{clock}"}[language]  # fmt: skip
        return said, f"next {WEEKDAYS[weekday]} {clock}"
    day = Drawn.day + timedelta(rng.randrange(3, 60))
    return {"en": f"on {day.isoformat()} at {clock}", "de": f"am {day.day}.{day.month}.{day.year} um {clock}", "zh":
        f"{day.year}年{day.month}月{day.day}日{clock}"}[language], f"{day.isoformat()} {clock}"  # fmt: skip


def meetings_of(rng: Rng, language: Language) -> Talk:
    """Of one person: how many, the first one, whether there are any."""
    when = soon(rng, language)
    person = rng.some((busy_people(when.args["period"]) if rng.chance(0.75) else []) or people())
    yield asked(rng, language, "oa",
        en=f"What is on {person}'s calendar {when.q}?|does {person} have meetings {when.q}|{person}: appointments "
        f"{when.q}?|calendar of {person} {when.q}",
        de=f"Was steht {when.q} im Kalender von {person}?|Hat {person} {when.q} Termine?",
        zh=f"{person} {when.q}有什么日程？|{when.q} {person} 有会议吗",
    )  # fmt: skip
    seen = yield call("Calendar of one person.", "get_calendar", person=person, **when.args)
    rows = table(seen)
    if not rows:
        yield told(language, "Totals: events 0. Nothing matches.",
            en=f"{person} has nothing in the calendar {when.a}.",
            de=f"{person} hat {when.a} keine Termine.",
            zh=f"{person} {when.a}没有日程。")  # fmt: skip
        return
    parts = [f"{row['title']} ({row['starts at']})" for row in rows[:4]]
    yield told(language, f"Totals: events {len(rows)}. Rows: {', '.join(parts)}."[:160],
        en=f"{person} has {plural(str(len(rows)), 'entry', 'entries')} {when.a}: {listed('en', parts)}, times in "
        "UTC.",
        de=f"{person} hat {when.a} {plural(str(len(rows)), 'Termin', 'Termine')}: {listed('de', parts)} (UTC).",
        zh=f"{person} {when.a}有 {len(rows)} 项日程：{listed('zh', parts)}（UTC）。",
    )  # fmt: skip


def calendar_counts(rng: Rng, language: Language) -> Talk:
    kind, en, de, zh = rng.some([("meeting", "meetings", "Besprechungen", "会议"), ("trip", "business trips",
        "Dienstreisen", "出差"), ("leave", "absences for leave", "Urlaube", "休假")])  # fmt: skip
    when = named(rng, language, rng.some(["today", "tomorrow", "this_week", "next_week", "this_month", "next_month",
        "last_week"]))  # fmt: skip
    yield asked(rng, language, "oa",
        en=f"How many {en} are in the calendar {when.q}?|number of {en} {when.q} in all calendars|{en} {when.q}, "
        f"total?|count {en} in our calendar {when.q}",
        de=f"Wie viele {de} stehen {when.q} im Kalender?|Anzahl {de} {when.q} im Kalender?",
        zh=f"{when.q}日历里有多少{zh}？|{when.q}一共几个{zh}日程",
    )  # fmt: skip
    seen = yield call(f"Everybody's calendar, kind {kind}.", "get_calendar", kind=kind, **when.args)
    events = totals(seen)["events"]
    yield told(language, f"Totals: events {events}.",
        en=f"{events} {en} are in the calendar {when.a}.",
        de=f"{events} {de} stehen {when.a} im Kalender.",
        zh=f"{when.a}日历中有 {events} 个{zh}。")  # fmt: skip


def who_is_away(rng: Rng, language: Language) -> Talk:
    when = soon(rng, language)
    trip = rng.chance(0.35)
    yield asked(rng, language, "oa",
        en=f"Who of us is {'travelling' if trip else 'taking leave'} {when.q}?|"
        f"{'business trips' if trip else 'colleagues on annual leave'} {when.q}, names|"
        f"{'who is on a trip' if trip else 'who has taken leave'} {when.q}?|list who is "
        f"{'on a business trip' if trip else 'on vacation leave'} {when.q}",
        de=f"Wer ist {when.q} {'auf Dienstreise' if trip else 'im Urlaub'}?|"
        f"{'Dienstreisen' if trip else 'Urlaube'} {when.q}, wer?",
        zh=f"{when.q}有谁要{'出差' if trip else '休年假'}？|{when.q}{'出差' if trip else '请假'}的人有谁",
    )  # fmt: skip
    seen = yield call(f"Calendar of all, kind {'trip' if trip else 'leave'}.", "get_calendar", kind="trip" if trip
        else "leave", **when.args)  # fmt: skip
    names, many = list(dict.fromkeys(row["title"].split(":")[0] for row in table(seen))), totals(seen)["events"]
    if not names:
        yield told(language, "Totals: events 0.",
            en=f"Nobody is {'travelling' if trip else 'on leave'} {when.a}.",
            de=f"{cap(when.a)} ist niemand {'auf Dienstreise' if trip else 'im Urlaub'}.",
            zh=f"{when.a}没有人{'出差' if trip else '休假'}。")  # fmt: skip
        return
    if int(many) > len(table(seen)):
        return
    word = ("Travelling", "Auf Dienstreise", "出差") if trip else ("On leave", "Im Urlaub", "休假")
    yield told(language, f"Titles of the rows: {', '.join(names)}."[:160],
        en=f"{word[0]} {when.a}: {listed('en', names)}.",
        de=f"{word[1]} {when.a}: {listed('de', names)}.",
        zh=f"{when.a}{word[2]}的有：{listed('zh', names)}。")  # fmt: skip


def _whom(rng: Rng, language: Language) -> tuple[list[str], str, str]:
    """Who is to meet and when; now and then at a time when one of them is busy."""
    who, (said, start) = rng.sample(people(), rng.randrange(1, 4)), moment(rng, language)
    today, names = Drawn.day.isoformat(), {row[2]: row[1] for row in rows_of("employees") if row[1] in people()}
    coming = [row for row in rows_of("calendar") if row[2] == "meeting" and row[3][:10] > today and row[6] in names]
    if coming and rng.chance(0.25):
        event = rng.some(coming)
        (day, clock), busy = event[3].split(), names[event[6]]
        said = {"en": f"on {day} at {clock}", "de": f"am {day} um {clock}", "zh": f"{day} {clock}"}[language]
        return [busy, *(one for one in who[1:] if one != busy)], said, event[3]
    return who, said, start


def busy_then(rng: Rng, language: Language, args: dict[str, Any], text: str) -> Talk:
    """Somebody is busy: the free time is offered, and taken."""
    title = args["title"]
    if "All are free at " not in text:
        yield told(language, "Not scheduled: somebody is busy, and nobody finds a common time that day.",
            en="Not scheduled: somebody is busy then, and there is no common time that day. Which other day suits?",
            de="Nicht angesetzt: jemand ist belegt, und an dem Tag gibt es keine gemeinsame Zeit. Welcher andere "
            "Tag passt?",
            zh="未安排：有人时间冲突，当天没有共同空闲时间。换哪一天？")  # fmt: skip
        return
    free = text.partition("All are free at ")[2][:16]
    yield told(language, f"Not scheduled, somebody is busy. All are free at {free}.",
        en=f"Not scheduled: somebody is busy then. All are free at {free} UTC; shall I take that?",
        de=f"Nicht angesetzt: jemand ist dann belegt. Alle sind frei um {free} UTC; soll ich das nehmen?",
        zh=f"未安排：有人时间冲突。大家都有空的时间是 {free} UTC，要改到这个时间吗？")  # fmt: skip
    yield asked(rng, language, "oa", again=True,
        en="yes please|ok, take that time for the meeting|yes",
        de="Ja, bitte|Ja, nimm die Zeit für die Besprechung",
        zh="好的|可以，就这个时间开会")  # fmt: skip
    seen = yield call("The same at the free time.", "schedule_meeting", **(args | {"start": free}))
    assert seen is not None
    if seen.failed:
        return
    yield told(language, f"Scheduled from {free} UTC.",
        en=f"Done: '{title}' is scheduled for {free} UTC.",
        de=f"Erledigt: '{title}' ist am {free} UTC angesetzt.",
        zh=f"已安排：「{title}」，{free} UTC。")  # fmt: skip


def schedule(rng: Rng, language: Language) -> Talk:
    """A meeting, at once or after the missing time was asked for; on a conflict the free time is offered."""
    who, said, start = _whom(rng, language)
    title = rng.some(TITLES)
    minutes, room, missing = rng.some([0, 0, 45, 60, 90]), rng.some(["", "", "Room Jade",
        "Online", "Room Pearl"]), rng.chance(0.3)  # fmt: skip
    names = listed(language, who)
    en = f"{f' for {minutes} minutes' if minutes else ''}{f', {room}' if room else ''}"
    de = f"{f', {minutes} Minuten' if minutes else ''}{f', {room}' if room else ''}"
    zh = f"{f'，{minutes}分钟' if minutes else ''}{f'，{room}' if room else ''}"
    at = "" if missing else f" {said}"
    yield asked(rng, language, "oa",
        en=f"Schedule a meeting '{title}' with {names}{at}{en}|please set up {title} with {names}{at}{en}|book a "
        f"meeting{at} with {names}: {title}{en}|can you put a meeting '{title}' in the calendars of "
        f"{names}{at}{en}?",
        de=f"Setze eine Besprechung '{title}' mit {names}{at} an{de}|Bitte einen Termin {title} mit "
        f"{names}{at}{de} ansetzen",
        zh=f"安排会议「{title}」，参加者 {names}{f'，{said}' if at else ''}{zh}|请帮我和 {names} 约个会："
        f"{title}{f'，{said}' if at else ''}{zh}",
    )  # fmt: skip
    if missing:
        yield told(language, "No day and time given: ask for it.",
            en=f"When should '{title}' take place? Please give me a day and a time.",
            de=f"Wann soll '{title}' stattfinden? Bitte Tag und Uhrzeit nennen.",
            zh=f"「{title}」安排在什么时候？请告诉我日期和时间。")  # fmt: skip
        yield asked(rng, language, "oa", again=True,
            en=f"{said}|{said} please|make it {said}",
            de=f"{said}|{said} bitte",
            zh=f"{said}|就{said}吧")  # fmt: skip
    args = {"title": title, "start": start, "attendees": who} | ({"duration_minutes": minutes} if minutes else {}) | (
        {"location": room} if room else {})  # fmt: skip
    seen = yield call("All is known: title, start, who.", "schedule_meeting", **args)
    assert seen is not None
    if not seen.failed:
        began = seen.text.partition(" from ")[2][:16]
        yield told(language, f"Scheduled from {began} UTC.",
            en=f"Done: '{title}' with {names} is scheduled for {began} UTC.",
            de=f"Erledigt: '{title}' mit {names} ist am {began} UTC angesetzt.",
            zh=f"已安排：「{title}」，{names}，{began} UTC。")  # fmt: skip
        return
    yield from busy_then(rng, language, args, seen.text)


def mails_of(rng: Rng, language: Language) -> Talk:
    """Unread or important mail of one mailbox or of all."""
    kind, en, de, zh = rng.some([("unread", "unread", "ungelesene", "未读"), ("high", "important", "wichtige",
        "重要"), ("", "", "", "")])  # fmt: skip
    box = rng.some(["", rng.some([row[1] for row in rows_of("employees") if row[2] in {mail[1] for mail in rows_of(
        "emails")[-260:]} and row[1] in people()])])  # fmt: skip
    when = named(rng, language, rng.some(["last_7_days", "last_30_days", "last_7_days" if box else "yesterday"]))
    args = ({"unread": True} if kind == "unread" else {"importance": "high"} if kind else {}) | ({"mailbox": box} if
        box else {})  # fmt: skip
    of, von, de_of = (f" for {box}", f" für {box}", f"{box} ") if box else ("", "", "")
    yield asked(rng, language, "oa",
        en=f"How many {en} mails came in{of} {when.q}?|{en} e-mails{of} {when.q}, how many|number of {en} mails in "
        f"the inbox{of} {when.q}?|count {en} emails{of} {when.q}",
        de=f"Wie viele {de} Mails kamen {when.q}{von} an?|Anzahl {de} E-Mails{von} {when.q}?",
        zh=f"{when.q}{de_of}收到多少{zh}邮件？|{when.q}{de_of}{zh}邮件数量",
    )  # fmt: skip
    thought = f"Inbox of {'one person' if box else 'all'}{', ' + en + ' only' if kind else ''}."
    seen = yield call(thought, "get_emails", **args, **when.args)
    sums, row = totals(seen), next(iter(table(seen)), None)
    yield told(language, f"Totals: mails {sums['mails']}.",
        en=f"{sums['mails']} {en} mails{of} {when.a}.",
        de=f"{sums['mails']} {de} Mails{von} {when.a}.",
        zh=f"{when.a}{de_of}有 {sums['mails']} 封{zh}邮件。")  # fmt: skip
    if row is not None and rng.chance(0.5):
        yield asked(rng, language, "oa", again=True,
            en="who sent the newest one, and about what?|what is the latest about|the most recent mail: from whom?",
            de="Von wem ist die neueste?|Worum geht es in der neuesten Mail?",
            zh="最新一封是谁发的？|最近一封邮件说什么")  # fmt: skip
        yield told(language, f"First row: {row['sender']}, subject {row['subject']}, {row['sent at']}.",
            en=f"The newest is from {row['sender']}: {row['subject']} ({row['sent at']}).",
            de=f"Die neueste ist von {row['sender']}: {row['subject']} ({row['sent at']}).",
            zh=f"最新一封来自 {row['sender']}：{row['subject']}（{row['sent at']}）。",
        )  # fmt: skip


def mails_about(rng: Rng, language: Language) -> Talk:
    """Mail about something or from somebody; what the last one says."""
    topic, en, de, zh = rng.some([("Price increase", "a price increase", "einer Preiserhöhung", "Price increase"), (
        "Complaint", "complaints", "Reklamationen (Complaint)", "Complaint"), ("Quotation", "quotations",
        "Angeboten (Quotation)", "Quotation"), ("Invoice question", "invoice questions", "Invoice question",
        "Invoice question"), ("Leave request", "leave requests", "Leave request", "Leave request")])  # fmt: skip
    when = named(rng, language, rng.some(["last_7_days", "last_30_days", "this_month"]))
    if rng.chance(0.35):
        sender = rng.some(["jade", "harbor", "falcon", "lotus", "summit", "cobalt"])
        args, en, de, zh = {"sender": sender}, f"from {sender}", f"von {sender}", f"来自 {sender} 的"
    else:
        args, en, de, zh = {"query": topic}, f"about {en}", f"zu {de}", f"关于 {zh} 的"
    yield asked(rng, language, "oa",
        en=f"How many mails {en} did we get {when.q}?|emails {en} {when.q}: count and the latest|any mail {en} "
        f"{when.q}?|mails {en} {when.q}, how many",
        de=f"Wie viele Mails {de} kamen {when.q}?|E-Mails {de} {when.q}, Anzahl und die letzte?",
        zh=f"{when.q}{zh}邮件有多少？|{when.q}有没有{zh}邮件，几封",
    )  # fmt: skip
    seen = yield call("Mail with that in it, all mailboxes.", "get_emails", **args, **when.args)
    sums, row = totals(seen), next(iter(table(seen)), None)
    if row is None:
        yield told(language, "Totals: mails 0.",
            en=f"No mails {en} {when.a}.",
            de=f"Keine Mails {de} {when.a}.",
            zh=f"{when.a}没有{zh}邮件。")  # fmt: skip
        return
    yield told(language, f"Totals: mails {sums['mails']}. First row: {row['subject']}, {row['sent at']}.",
        en=f"{plural(sums['mails'], 'mail', 'mails')} {en} {when.a}; the latest is '{row['subject']}' of "
        f"{row['sent at']}.",
        de=f"{sums['mails']} Mails {de} {when.a}; die letzte: '{row['subject']}' vom {row['sent at']}.",
        zh=f"{when.a}{zh}邮件有 {sums['mails']} 封，最新一封是 {row['sent at']} 的「{row['subject']}」。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    meetings_of: 4,
    calendar_counts: 2,
    who_is_away: 3,
    schedule: 5,
    mails_of: 4,
    mails_about: 3,
}
