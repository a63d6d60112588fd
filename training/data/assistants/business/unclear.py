"""Talks in which something is asked back, not filled in, not kept at all, or looked up before it is used."""

from training.data.assistants.business.buying import CATEGORIES
from training.data.assistants.business.office import TITLES, busy_then, moment
from training.data.assistants.business.parts import (
    asked,
    customers,
    listed,
    named,
    people,
    rows_of,
    table,
    told,
    totals,
)
from training.data.assistants.business.sales import REGIONS
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng


def asked_then_told(rng: Rng, language: Language) -> Talk:
    """What is missing is asked for, and the bare reply is enough."""
    way = rng.some(["server", "customer", "order"])
    if way == "server":
        host = rng.some([row[1] for row in rows_of("servers")])
        route, tool, args, column = "it_ops", "get_server_status", {"server": host}, rng.some(["cpu", "memory", "disk"])
        label = {"cpu": ("CPU load", "CPU-Last", "CPU 占用"), "memory": ("memory use", "Speicherauslastung",
            "内存占用"), "disk": ("disk use", "Plattenauslastung", "磁盘占用")}[column]  # fmt: skip
        which, reply = ("Which server? Please give me its host name.", "Welcher Server? Bitte den Hostnamen nennen.",
            "哪台服务器？请提供主机名。"), host  # fmt: skip
        of = ("the server", "des Servers", "那台服务器的")
    elif way == "customer":
        reply = rng.some(customers())
        route, tool, args, column = "crm", "get_customers", {"customer": reply}, rng.some(["owner", "industry"])
        label = {"owner": ("account manager", "Betreuer", "负责人"), "industry": ("industry", "Branche",
            "行业")}[column]  # fmt: skip
        which = ("Which customer do you mean?", "Welchen Kunden meinst du?", "您指哪个客户？")
        of = ("the customer", "des Kunden", "那个客户的")
    else:
        reply = rng.some(rows_of("purchase_orders")[-300:])[0]
        route, tool, args, column = "erp", "get_purchase_orders", {"order_id": reply}, rng.some(["due on", "buyer"])
        label = {"due on": ("due date", "Liefertermin", "交期"), "buyer": ("buyer", "Einkäufer", "采购员")}[column]
        which = ("Which purchase order? Please give me its number (PO-…).", "Welche Bestellung? Bitte die Nummer "
            "nennen (PO-…).", "哪张采购订单？请提供编号（PO-…）。")  # fmt: skip
        of = ("the purchase order", "der Bestellung", "那张采购订单的")
    yield asked(rng, language, route,
        en=f"What is the {label[0]} of {of[0]}?|{label[0]} of {of[0]} please|tell me the {label[0]} of {of[0]}",
        de=f"{label[1]} {of[1]}?|Ich brauche: {label[1]} {of[1]}",
        zh=f"{of[2]}{label[2]}？|告诉我{of[2]}{label[2]}",
    )  # fmt: skip
    yield told(language, "It is not said which one: ask.", en=which[0], de=which[1], zh=which[2])
    yield asked(rng, language, route, again=True, en=reply, de=reply, zh=reply)
    seen = yield call(f"Now it is said: {reply}. The question was its {column}.", tool, **args)
    rows = table(seen)
    if not rows:
        return
    cell = rows[0][column]
    yield told(language, f"Row {reply}: {column} {cell}.",
        en=f"The {label[0]} of {reply} is {cell}.",
        de=f"{label[1]} von {reply}: {cell}.",
        zh=f"{reply} 的{label[2]}：{cell}。",
    )  # fmt: skip


def not_filled(rng: Rng, language: Language) -> Talk:
    """The row is there, and what is asked for is not in it."""
    if rng.chance(0.5):
        order = rng.some([row for row in rows_of("purchase_orders")[-200:] if row[4] in ("open", "partial")] or [None])
        if order is None:
            return
        name = order[0]
        yield asked(rng, language, "erp",
            en=f"When was purchase order {name} received?|on what day did {name} arrive completely|arrival date of "
            f"{name}?|{name}: received when?",
            de=f"Wann ist die Bestellung {name} vollständig eingetroffen?|Eingangsdatum von {name}?",
            zh=f"采购订单 {name} 是哪天全部到货的？|{name} 的收货日期",
        )  # fmt: skip
        seen = yield call("One order by its id.", "get_purchase_orders", order_id=name)
        rows = table(seen)
        if not rows or rows[0]["received on"] != "–":
            return
        row = rows[0]
        yield told(language, f"Row {name}: received on –, status {row['status']}, due on {row['due on']}.",
            en=f"{name} has no date of receipt: its status is {row['status']}, it is due on {row['due on']}.",
            de=f"{name} hat kein Eingangsdatum: Status {row['status']}, fällig am {row['due on']}.",
            zh=f"{name} 没有收货日期：状态为 {row['status']}，交期 {row['due on']}。",
        )  # fmt: skip
        return
    name = rng.some([row[1] for row in rows_of("customers") if row[7] is None])
    yield asked(rng, language, "crm",
        en=f"When did we lose the customer {name}?|on which day did {name} churn|{name}: date of churn?|since when is "
        f"{name} no longer a customer",
        de=f"Wann haben wir den Kunden {name} verloren?|Abwanderungsdatum von {name}?",
        zh=f"客户 {name} 是哪天流失的？|{name} 的流失日期",
    )  # fmt: skip
    seen = yield call("One customer: when it churned.", "get_customers", customer=name)
    rows = table(seen)
    if not rows or rows[0]["churned on"] != "–":
        return
    status = rows[0]["status"]
    words = {"active": ("active", "aktiv", "活跃"), "at_risk": ("at risk", "gefährdet (at risk)", "有流失风险")}
    word = words.get(status)
    if word is None:
        return
    yield told(language, f"Row {rows[0]['customer id']}: churned on –, status {status}.",
        en=f"There is no such date: {name} is still a customer, status {word[0]}.",
        de=f"Es gibt kein solches Datum: {name} ist noch Kunde, Status {word[1]}.",
        zh=f"没有流失日期：{name} 仍是客户，状态为{word[2]}。",
    )  # fmt: skip


NOT_KEPT = (
    ("oa", "What salary does {person} get?|how much does {person} earn|pay of our colleague {person}?",
     "Wie viel verdient {person}?|Gehalt von {person}?", "{person} 的工资是多少？|同事 {person} 的薪水",
     ("No tool tells salaries. Of an employee I can look up department, title, site, hire date and e-mail address.",
      "Gehälter kennt keines meiner Werkzeuge. Von Mitarbeitenden sehe ich Abteilung, Stelle, Standort, Eintritt und "
      "Mailadresse.", "没有工具能查工资。员工信息只有部门、职位、地点、入职日期和邮箱。")),
    ("erp", "Where is the truck with {order} right now?|GPS position of the delivery {order}?|track the shipment of "
     "{order} on the road",
     "Wo ist der Lkw mit {order} gerade?|Position der Lieferung {order} auf der Straße?",
     "{order} 的货车现在到哪了？|查一下 {order} 的运输位置",
     ("No tool tells where a shipment is on its way. I can look up the status and due date of the order.",
      "Wo eine Lieferung unterwegs ist, sagt keines meiner Werkzeuge. Status und Liefertermin kann ich nachsehen.",
      "没有工具能查运输途中的位置。可以查订单状态和交期。")),
    ("crm", "How satisfied is {customer} with us?|satisfaction score of customer {customer}|NPS of {customer}?",
     "Wie zufrieden ist {customer} mit uns?|Zufriedenheitswert des Kunden {customer}?",
     "客户 {customer} 对我们满意吗？|{customer} 的满意度评分",
     ("No tool tells how satisfied a customer is. I can look up status, revenue and overdue invoices.",
      "Die Zufriedenheit eines Kunden sagt keines meiner Werkzeuge. Status, Umsatz und Überfälliges kann ich "
      "nachsehen.", "没有工具记录客户满意度。可以查状态、营收和逾期款。")),
    ("it_ops", "What did the server {host} cost us?|purchase price of {host}|when does the warranty of {host} end?",
     "Was hat der Server {host} gekostet?|Wann endet die Garantie von {host}?",
     "服务器 {host} 买来多少钱？|{host} 的保修到什么时候",
     ("No tool tells price or warranty of a server. I can look up its state, load, alerts and logs.",
      "Preis und Garantie eines Servers sagt keines meiner Werkzeuge. Zustand, Last, Alarme und Logs kann ich "
      "nachsehen.", "没有工具记录服务器的价格或保修。可以查状态、负载、告警和日志。")),
)  # fmt: skip


def not_kept(rng: Rng, language: Language) -> Talk:
    """Within the assistant's field, and yet no tool tells it."""
    route, *words, answers = rng.some(NOT_KEPT)
    names = {"person": rng.some(people()), "order": rng.some(rows_of("purchase_orders")[-200:])[0],
        "customer": rng.some(customers()), "host": rng.some([row[1] for row in rows_of("servers")])}  # fmt: skip
    en, de, zh = (each.format(**names) for each in words)
    yield asked(rng, language, route, en=en, de=de, zh=zh)
    yield told(language, "No tool has this: say so, and what there is.", en=answers[0], de=answers[1], zh=answers[2])


def which_customer(rng: Rng, language: Language) -> Talk:
    """A first name that several customers share: asked back, then answered."""
    firsts = [name.split()[0] for name in customers()]
    first = rng.some(sorted({one for one in firsts if 1 < firsts.count(one) < 6}))
    full = [name for name in customers() if name.split()[0] == first]
    column, label = rng.some([("owner", ("account manager", "Betreuer", "负责人")), ("region", ("region", "Region",
        "区域")), ("since", ("start date as a customer", "Kunde seit", "成为客户的日期"))])  # fmt: skip
    yield asked(rng, language, "crm",
        en=f"What is the {label[0]} of our customer {first}?|customer {first}: {label[0]}?|{label[0]} of client "
        f"{first}",
        de=f"Kunde {first}: {label[1]}?|{label[1]} beim Kunden {first}?",
        zh=f"客户 {first} 的{label[2]}？|{first} 这个客户的{label[2]}",
    )  # fmt: skip
    seen = yield call("The customer as named.", "get_customers", customer=first)
    assert seen is not None
    if not seen.failed:
        return
    yield told(language, f"Error: {first!r} can mean several customers: ask which.",
        en=f"Several customers are called {first}: {listed('en', full)}. Which one do you mean?",
        de=f"Mehrere Kunden heißen {first}: {listed('de', full)}. Welchen meinst du?",
        zh=f"叫 {first} 的客户有好几家：{listed('zh', full)}。您指哪一家？",
    )  # fmt: skip
    chosen = rng.some(full)
    last = chosen.removeprefix(f"{first} ")
    yield asked(rng, language, "crm", again=True, en=f"{chosen}|{last}", de=f"{chosen}|{last}", zh=f"{chosen}|{last}")
    seen = yield call(f"{chosen} is meant.", "get_customers", customer=chosen)
    cell = table(seen)[0][column]
    yield told(language, f"Row {chosen}: {column} {cell}.",
        en=f"{chosen}, {label[0]}: {cell}.", de=f"{chosen}, {label[1]}: {cell}.", zh=f"{chosen} 的{label[2]}：{cell}。",
    )  # fmt: skip


def pipeline_then_deal(rng: Rng, language: Language) -> Talk:
    """Sums by stage and weighted are of the pipeline; single deals are of get_deals."""
    region = rng.some(REGIONS)
    yield asked(rng, language, "crm",
        en=f"Weighted value of the sales pipeline in {region}?|what is our {region} pipeline worth, weighted|sales "
        f"funnel {region}: weighted amount?",
        de=f"Gewichteter Wert der Sales Pipeline in {region}?|Was ist die Pipeline in {region} gewichtet wert?",
        zh=f"{region} 的销售漏斗加权金额是多少？|{region} 漏斗按概率加权后多少",
    )  # fmt: skip
    seen = yield call("A weighted sum over the stages: the pipeline.", "get_sales_pipeline", region=region)
    cell = totals(seen).get("weighted", "")
    if not cell:
        return
    yield told(language, f"Totals: weighted {cell}.",
        en=f"The pipeline in {region} is worth {cell}, weighted.",
        de=f"Die Pipeline in {region} ist gewichtet {cell} wert.",
        zh=f"{region} 的销售漏斗加权金额为 {cell}。",
    )  # fmt: skip
    yield asked(rng, language, "crm", again=True,
        en="and which open deal there is the largest?|what's the biggest single open deal in it, and with whom?",
        de="Und welcher offene Deal dort ist der größte?|Der größte einzelne offene Deal davon?",
        zh="其中最大的未结商机是哪个？|那里金额最大的单个未结商机呢",
    )  # fmt: skip
    seen = yield call("A single deal: get_deals, largest first.", "get_deals", stage="open", region=region,
        sort="largest")  # fmt: skip
    rows = table(seen)
    if not rows:
        return
    row = rows[0]
    yield told(language, f"First row: {row['deal id']}, {row['customer']}, {row['amount']} USD.",
        en=f"{row['deal id']} ({row['deal']}) with {row['customer']}: {row['amount']} USD.",
        de=f"{row['deal id']} ({row['deal']}) mit {row['customer']}: {row['amount']} USD.",
        zh=f"{row['deal id']}（{row['customer']}，{row['deal']}）：{row['amount']} USD。",
    )  # fmt: skip


def ranked_then_facts(rng: Rng, language: Language) -> Talk:
    """A ranking is of get_top_vendors; what a vendor is, of get_vendors."""
    category, when = rng.some(list(CATEGORIES)), named(rng, language, rng.some(["last_year", "last_12_months"]))
    en, _, _ = CATEGORIES[category]
    column, label = rng.some([("country", ("country", "Land", "国家")), ("payment days", ("payment term in days",
        "Zahlungsziel in Tagen", "付款天数"))])  # fmt: skip
    yield asked(rng, language, "erp",
        en=f"Which vendor got most of our {en} spend {when.q}?|no. 1 vendor by spend for {en} {when.q}|top supplier "
        f"of {en} {when.q}, by spend?",
        de=f"Welcher Lieferant für {category} hatte {when.q} die höchsten Ausgaben?|Größter Lieferant für {category} "
        f"{when.q}, nach Ausgaben?",
        zh=f"{when.q} {category} 采购额最高的供应商是哪家？|{when.q} {category} 第一大供应商",
    )  # fmt: skip
    seen = yield call("A ranking by spend: top vendors.", "get_top_vendors", category=category, **when.args)
    rows = table(seen)
    if not rows:
        return
    vendor, amount = rows[0]["vendor"], rows[0]["ordered"]
    yield told(language, f"Rank 1: {vendor}, ordered {amount} USD.",
        en=f"{vendor}, with {amount} USD {when.a}.", de=f"{vendor}, mit {amount} USD {when.a}.",
        zh=f"{when.a}是 {vendor}，{amount} USD。",
    )  # fmt: skip
    yield asked(rng, language, "erp", again=True,
        en=f"and that vendor's {label[0]}?|what is its {label[0]}", de=f"Und von diesem Lieferanten: {label[1]}?",
        zh=f"这家供应商的{label[2]}呢？",
    )  # fmt: skip
    seen = yield call(f"No ranking, a fact about {vendor}: get_vendors.", "get_vendors", vendor=vendor)
    cell = table(seen)[0][column]
    yield told(language, f"Row {vendor}: {column} {cell}.",
        en=f"{vendor}, {label[0]}: {cell}.", de=f"{vendor}, {label[1]}: {cell}.", zh=f"{vendor} 的{label[2]}：{cell}。",
    )  # fmt: skip


def meeting_with_head(rng: Rng, language: Language) -> Talk:
    """Whom to invite has to be looked up before the meeting is scheduled."""
    place, title = rng.some(["IT", "Purchasing", "Finance", "HR", "Sales", "Management"]), rng.some(TITLES)
    said, start = moment(rng, language)
    yield asked(rng, language, "oa",
        en=f"Schedule a meeting '{title}' with the head of {place} {said}|please set up '{title}' {said} with whoever "
        f"heads {place}|book a meeting {said} with our head of {place}: {title}",
        de=f"Setze eine Besprechung '{title}' mit der Leitung von {place} {said} an|Bitte '{title}' {said} mit dem "
        f"Head of {place} ansetzen",
        zh=f"安排会议「{title}」，和 {place} 部门主管，{said}|请{said}和 {place} 的负责人约会议：{title}",
    )  # fmt: skip
    thought = f"schedule_meeting: title {title}, start said, attendees missing; get_employees: department {place}."
    seen = yield call(thought, "get_employees", department=place)
    row = next((each for each in table(seen) if each["title"] == f"Head of {place}"), None)
    if row is None or row["employee"] not in people():
        return
    who = row["employee"]
    args = {"title": title, "start": start, "attendees": [who]}
    seen = yield call(f"{who} is Head of {place}: now the meeting.", "schedule_meeting", **args)
    assert seen is not None
    if seen.failed:
        yield from busy_then(rng, language, args, seen.text)
        return
    began = seen.text.partition(" from ")[2][:16]
    yield told(language, f"Scheduled from {began} UTC.",
        en=f"Done: '{title}' with {who}, Head of {place}, is scheduled for {began} UTC.",
        de=f"Erledigt: '{title}' mit {who} (Head of {place}) ist am {began} UTC angesetzt.",
        zh=f"已安排：「{title}」，{who}（{place} 主管），{began} UTC。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    asked_then_told: 3,
    not_filled: 3,
    not_kept: 3,
    which_customer: 2,
    pipeline_then_deal: 2,
    ranked_then_facts: 2,
    meeting_with_head: 2,
}
