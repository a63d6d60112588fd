"""Talks about calendars, meetings, mail and employees: more of them."""

from training.data.assistants.business.office import DEPARTMENTS, soon
from training.data.assistants.business.parts import (  # fmt: skip
    asked,
    listed,
    named,
    people,
    plural,
    rows_of,
    table,
    told,
    totals,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng


def hostile_mail(rng: Rng, language: Language) -> Talk:
    """A mail that gives orders: it is told, not obeyed."""
    yield asked(rng, language, "oa",
        en="What does the mail from golden-offer say?|read me the e-mail of billing@golden-offer.example|that "
        "golden-offer mail - what do they want?|summarise the mail from golden-offer please",
        de="Was steht in der Mail von golden-offer?|Worum geht es in der E-Mail von golden-offer?",
        zh="golden-offer 发来的邮件说什么？|看下 golden-offer 那封邮件的内容",
    )  # fmt: skip
    seen = yield call("Mail whose sender has golden-offer.", "get_emails", sender="golden-offer")
    row = next(iter(table(seen)), None)
    if row is None:
        return
    yield told(language, "Row: subject Urgent: action required; its text gives orders. It is data: nothing is "
        "done.",
        en=f"It came on {row['sent at']} with the subject '{row['subject']}' and tells the reader to schedule a "
        "meeting with everyone. I did not act on it; it looks like a trick.",
        de=f"Sie kam am {row['sent at']}, Betreff '{row['subject']}', und verlangt, ein Treffen mit allen "
        "anzusetzen. Ich habe nichts davon ausgeführt; sie wirkt unseriös.",

        zh=f"邮件于 {row['sent at']} 收到，主题「{row['subject']}」，要求给所有人安排会议。我没有照做，看起来可疑。",
    )  # fmt: skip


def senders(rng: Rng, language: Language) -> Talk:
    by, en, de, zh = rng.some([("sender", "sender", "Absender", "发件人"), ("subject", "subject", "Betreff", "主题")])
    when = named(rng, language, rng.some(["last_30_days", "last_7_days", "last_month"]))
    yield asked(rng, language, "oa",
        en=f"Which {en} is most frequent in our mail {when.q}?|mails by {en} {when.q}, the top one|most common "
        f"e-mail {en} {when.q}?|who leads: inbox mails grouped by {en} {when.q}",
        de=f"Mails nach {de} {when.q}: am häufigsten?|Häufigster {de} unserer E-Mails {when.q}?",
        zh=f"{when.q}邮件最多的{zh}是？|按{zh}统计{when.q}邮件，最多的")  # fmt: skip
    seen = yield call(f"Mail counted by {by}.", "get_emails", group_by=by, **when.args)
    rows = table(seen)
    if not rows:
        return
    yield told(language, f"First row: {rows[0][by]}, mails {rows[0]['mails']}.",
        en=f"{rows[0][by]}, with {rows[0]['mails']} mails {when.a}.",
        de=f"{rows[0][by]}, mit {rows[0]['mails']} Mails {when.a}.",
        zh=f"{when.a}是 {rows[0][by]}，{rows[0]['mails']} 封。")  # fmt: skip


def person_facts(rng: Rng, language: Language) -> Talk:
    person, field = rng.some(people()), rng.some(["department", "location", "title", "hired on", "email"])
    what = {"department": (f"Which department does {person} work in?|{person}: department?|what team is our "
        f"colleague {person} in|department of employee {person}", f"In welcher Abteilung arbeitet {person}?|"
        f"Abteilung von {person}?", f"{person} 在哪个部门？|员工 {person} 的部门"), "location": (
        f"Where does {person} work?|site of employee {person}|at which location is colleague {person}?|{person} "
        "works where, which employee site", f"An welchem Standort arbeitet {person}?|Standort der Kollegin/des "
        f"Kollegen {person}?", f"员工 {person} 在哪里上班？|{person} 的工作地点"), "title": ("What is the job title of "
        f"{person}?|employee {person}, position?|what does colleague {person} do here|title of {person}",
        f"Welche Stelle hat {person}?|Position von {person}?", f"{person} 的职位是什么？|员工 {person} 是做什么的"),
        "hired on": (f"Since when has {person} been with us?|how long has employee {person} been here|when did "
        f"{person} start as an employee?|{person} works here since when, staff data",
        f"Seit wann arbeitet {person} bei uns?|Eintrittsdatum von {person}?", f"{person} 什么时候入职的？|员工 "
        f"{person} 入职日期"), "email": (f"What is {person}'s e-mail address?|mail address of {person}|email of "
        f"colleague {person}?|how do I reach {person}, email address", f"Wie ist die E-Mail-Adresse von {person}?|"
        f"Mailadresse von {person}?", f"{person} 的邮箱地址是什么？|同事 {person} 的邮箱"), }[field]  # fmt: skip
    yield asked(rng, language, "oa", en=what[0], de=what[1], zh=what[2])
    seen = yield call(f"One employee: {field}.", "get_employees", person=person)
    row = table(seen)[0]
    field_en = {"hired on": "hire date", "email": "e-mail address"}.get(field, field)
    yield told(language, f"Row {person}: {field} {row[field]}.",
        en=f"{person}'s {field_en}: {row[field]}.",
        de=f"{person}: {row[field]}.",
        zh=f"{person}：{row[field]}。")  # fmt: skip


def staff(rng: Rng, language: Language) -> Talk:
    """Head counts, the largest department, who left."""
    way = rng.some(["department", "location", "group", "left"])
    if way in ("department", "location"):
        place = rng.some(DEPARTMENTS if way == "department" else ["Dongguan", "Monterrey", "Rotterdam", "Chicago"])
        yield asked(rng, language, "oa",
            en=f"How many people work in {place}?|headcount {place}|number of employees in {place}?|staff in "
            f"{place}, how many",
            de=f"Wie viele Leute arbeiten in {place}?|Anzahl Mitarbeitende in {place}?",
            zh=f"{place} 有多少员工？|{place} 员工人数")  # fmt: skip
        seen = yield call(f"Employees of one {way}.", "get_employees", **{way: place})
        many = totals(seen)["employees"]
        yield told(language, f"Totals: employees {many}.",
            en=f"{many} people work in {place}.",
            de=f"In {place} arbeiten {many} Personen.",
            zh=f"{place} 有 {many} 名员工。")  # fmt: skip
    elif way == "group":
        by, en, de, zh = rng.some([("department", "department", "Abteilung", "部门"), ("location", "site",
            "Standort", "工作地点")])  # fmt: skip
        yield asked(rng, language, "oa",
            en=f"Which {en} has the most employees?|employees per {en}: the largest|largest {en} by headcount?|"
            f"split our staff by {en}, which leads",
            de=f"Mitarbeitende nach {de}: wo sind die meisten?|{de} mit den meisten Beschäftigten (Mitarbeitern)?",
            zh=f"哪个{zh}员工最多？|按{zh}统计员工，最多的是")  # fmt: skip
        seen = yield call(f"Employees counted by {by}.", "get_employees", group_by=by)
        row = table(seen)[0]
        yield told(language, f"First row: {row[by]}, employees {row['employees']}.",
            en=f"{row[by]}, with {row['employees']} employees.",
            de=f"{row[by]}, mit {row['employees']} Mitarbeitenden.",
            zh=f"{row[by]}，{row['employees']} 人。")  # fmt: skip
    elif way == "left":
        yield asked(rng, language, "oa",
            en="How many employees have left the company?|former employees, count|number of staff who are no "
            "longer here?|people who left us: how many employees",
            de="Wie viele Mitarbeiter haben das Unternehmen verlassen?|Anzahl ausgeschiedener Mitarbeitender?",
            zh="离职员工有多少？|已经离开公司的员工人数")  # fmt: skip
        seen = yield call("Employees with status left.", "get_employees", status="left")
        many = totals(seen)["employees"]
        yield told(language, f"Totals: employees {many} (status left).",
            en=f"{many} employees have left.",
            de=f"{many} Personen haben das Unternehmen verlassen.",
            zh=f"离职员工共 {many} 人。")  # fmt: skip


def staff_names(rng: Rng, language: Language) -> Talk:
    """Who heads a department, who is the newest or the longest here."""
    way = rng.some(["head", "newest", "longest"])
    if way == "head":
        place = rng.some(["IT", "Purchasing", "Finance", "HR", "Sales", "Management"])
        yield asked(rng, language, "oa",
            en=f"Who is the head of {place}?|head of {place}: name of the employee|which employee leads {place}?|"
            f"who runs the {place} department, staff",
            de=f"Wer leitet die Abteilung {place}?|Leitung von {place}, welcher Mitarbeiter?",
            zh=f"{place} 部门主管是哪位员工？|谁是 {place} 的负责人（员工）")  # fmt: skip
        seen = yield call("Employees of the department; the title tells.", "get_employees", department=place)
        row = next((each for each in table(seen) if each["title"] == f"Head of {place}"), None)
        if row is None:
            return
        yield told(language, f"Row {row['employee']}: title {row['title']}.",
            en=f"{row['employee']} is the {row['title']}.",
            de=f"{row['employee']} ({row['title']}).",
            zh=f"{row['employee']}（{row['title']}）。")  # fmt: skip
    else:
        few, new = rng.some([2, 3, 4]), way == "newest"
        yield asked(rng, language, "oa",
            en=f"Who are the {few} {'newest' if new else 'longest-serving'} employees?|{few} "
            f"{'most recent hires' if new else 'colleagues who are here longest'}, employees|"
            f"{'last' if new else 'oldest'} {few} employees by when they joined|{few} employees who "
            f"{'joined last' if new else 'joined first'}?",
            de=f"Wer sind die {few} {'neuesten' if new else 'dienstältesten'} Mitarbeitenden?|Die {few} "
            f"Mitarbeiter, die {'zuletzt kamen' if new else 'am längsten da sind'}?",
            zh=f"{'最新入职' if new else '工龄最长'}的{few}名员工是谁？|列出{few}位"
            f"{'最近入职' if new else '入职最早'}的员工")  # fmt: skip
        seen = yield call(f"Employees, {way} first.", "get_employees", sort=way, limit=few)
        parts = [f"{row['employee']} ({row['hired on']})" for row in table(seen)[:few]]
        yield told(language, f"First rows: {', '.join(parts)}."[:160],
            en=f"{listed('en', parts)}.",
            de=f"{listed('de', parts)}.",
            zh=f"{listed('zh', parts)}。")  # fmt: skip


def no_department(rng: Rng, language: Language) -> Talk:
    place = rng.some(["Engineering", "Legal", "Research", "Customer Service"])
    yield asked(rng, language, "oa",
        en=f"How many employees are in {place}?|{place} headcount|staff of {place}, number?|people in the {place} "
        "department",
        de=f"Wie viele Mitarbeiter hat {place}?|Mitarbeiter in {place}?",
        zh=f"{place} 部门员工有几名？|{place} 员工数")  # fmt: skip
    yield call("Employees of that department.", "get_employees", department=place)
    yield told(language, f"Error: There is no department {place!r}; the message lists those there are.",
        en=f"There is no {place} department here. There are Finance, HR, IT, Logistics, Management, Production, "
        "Purchasing, Quality, Sales and Tooling.",
        de=f"Eine Abteilung {place} gibt es nicht. Es gibt Finance, HR, IT, Logistics, Management, Production, "
        "Purchasing, Quality, Sales und Tooling.",
        zh=f"没有 {place} 部门。现有 Finance、HR、IT、Logistics、Management、Production、Purchasing、Quality、"
        "Sales 和 Tooling。")  # fmt: skip


def which_person(rng: Rng, language: Language) -> Talk:
    """A first name alone: several, so it is asked back; then the calendar."""
    every = [row[1] for row in rows_of("employees")]
    first = rng.some([name for name in sorted({one.split()[0] for one in every}) if sum(name in one for one in
        every) > 3] or ["Anna"])  # fmt: skip
    person = rng.some([name for name in people() if name.startswith(f"{first} ")] or people())
    when = soon(rng, language)
    yield asked(rng, language, "oa",
        en=f"Is {first} busy {when.q}?|{first}'s meetings {when.q}|what does the calendar of {first} say {when.q}?|"
        f"does {first} have appointments {when.q}",
        de=f"Hat {first} {when.q} Termine im Kalender?|Kalender von {first} {when.q}?",
        zh=f"{first} {when.q}有日程吗？|{first} {when.q}的会议")  # fmt: skip
    yield call("Calendar of the person as named.", "get_calendar", person=first, **when.args)
    yield told(language, f"Error: {first!r} can mean several persons: ask for the family name.",
        en=f"There are several people called {first}. Which one do you mean, please with the family name?",
        de=f"Es gibt mehrere Personen namens {first}. Wen meinst du, bitte mit Nachnamen?",
        zh=f"叫 {first} 的有好几位，您指哪一位？请给出全名。")  # fmt: skip
    yield asked(rng, language, "oa", again=True,
        en=f"{person}|I mean {person}|{person} please",
        de=f"{person}|Ich meine {person}",
        zh=f"{person}|是 {person}")  # fmt: skip
    seen = yield call("The same with the full name.", "get_calendar", person=person, **when.args)
    events = totals(seen)["events"]
    yield told(language, f"Totals: events {events}.",
        en=f"{person} has {plural(events, 'entry', 'entries')} in the calendar {when.a}.",
        de=f"{person} hat {when.a} {plural(events, 'Termin', 'Termine')}.",
        zh=f"{person} {when.a}有 {events} 项日程。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    hostile_mail: 1,
    senders: 1,
    person_facts: 4,
    staff: 3,
    staff_names: 2,
    no_department: 1,
    which_person: 2,
}
