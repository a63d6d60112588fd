"""Talks about leads, customers, deals and the pipeline."""

from training.data.assistants.business.parts import (
    asked,
    customers,
    listed,
    named,
    number,
    plural,
    rows_of,
    span,
    table,
    told,
    totals,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng

PAST = ("last_month", "this_month", "last_quarter", "this_quarter", "this_year", "last_year")


REGIONS = ("EMEA", "Americas", "APAC")


STAGES = {
    "prospecting": ("in prospecting", "in der Anbahnung (prospecting)", "处于 prospecting 阶段"),
    "qualification": ("in qualification", "in der Qualifizierung", "处于 qualification 阶段"),
    "proposal": ("in the proposal stage", "im Angebotsstadium (proposal)", "处于 proposal 阶段"),
    "negotiation": ("in negotiation", "in Verhandlung", "在谈判中"),
}  # fmt: skip


def owners() -> list[str]:
    """Account managers whose name is no part of another one's."""
    return sorted({row[8] for row in rows_of("customers")})


def leads_of_period(rng: Rng, language: Language) -> Talk:
    """How many leads came in, perhaps of a source or region; value or conversion."""
    when, filtered = span(rng, language, PAST), rng.randrange(3)
    args, en, de, zh = {}, "", "", ""
    if filtered == 1:
        source = rng.some(["Trade fair", "Website", "Referral", "Cold call", "Partner"])
        args, en, de, zh = {"source": source}, f" from {source}", f" über {source}", f"来自 {source} 的"
    elif filtered == 2:
        region = rng.some(REGIONS)
        args, en, de, zh = {"region": region}, f" in {region}", f" in {region}", f" {region} 的"
    part = rng.some(["leads", "leads", "value", "conversion"])
    what = {"leads": (f"How many sales leads{en} came in {when.q}?|new leads{en} {when.q}, "
        "count|number of " f"leads{en} {when.q}?|leads{en} we got {when.q}",
        f"Wie viele Leads{de} kamen {when.q} herein?|Anzahl " f"Leads{de} {when.q}?",
        f"{when.q}{zh}销售线索有多少？|{when.q}{zh}线索数量"), "value": (
        f"What are the leads{en} that came in {when.q} worth?|value of sales leads{en} "
        f"{when.q}|total value of " f"leads{en} that came in {when.q}?|lead value{en} "
        f"{when.q} in USD", f"Was sind die Leads{de} {when.q} "
        f"wert?|Gesamtwert der Leads{de} {when.q}?", f"{when.q}{zh}线索价值多少？|"
        f"{when.q}{zh}线索总金额"), "conversion": (f"What is the conversion rate of leads{en} "
        f"{when.q}?|which share of leads{en} {when.q} " f"became deals|lead conversion{en} "
        f"{when.q}?|leads{en} " f"{when.q}: how many percent converted",
        f"Wie hoch ist die Konversionsrate der Leads{de} {when.q}?|Welcher Anteil der "
        f"Leads{de} " f"{when.q} wurde zu Deals?", f"{when.q}{zh}线索转化率是多少？|"
        f"{when.q}{zh}线索转化为商机的比例"), }[part]  # fmt: skip
    yield asked(rng, language, "crm", en=what[0], de=what[1], zh=what[2])
    seen = yield call(f"Leads of that time{' with that filter' if args else ''}; totals: {part}.", "get_leads", **
        args, **when.args)  # fmt: skip
    sums = totals(seen)
    cell = sums.get(part, "–")
    if cell == "–" or sums["leads"] == "0":
        yield told(language, f"Totals: leads {sums['leads']}.",
            en=f"No leads{en} came in {when.a}.",
            de=f"Es kamen {when.a} keine Leads{de}.",
            zh=f"{when.a}没有{zh}线索。",
        )  # fmt: skip
        return
    base = sums.get("conversion of", "")
    yield told(language, f"Totals: {part} {cell}{f' ({base})' if part == 'conversion' else ''}.", en={"leads":
        f"{plural(cell, 'lead', 'leads')}{en} {when.a}.", "value": f"The leads{en} {when.a} are worth {cell}.",
        "conversion": f"{cell} of the leads{en} {when.a} were converted ({base})."}[part], de={"leads":
        f"{plural(cell, 'Lead', 'Leads')}{de} {when.a}.", "value": f"Die Leads{de} {when.a} sind {cell} wert.",
        "conversion": f"{cell} der Leads{de} {when.a} wurden umgewandelt ({base.replace(' of ', ' von ')})."}[part],
        zh={"leads": f"{when.a}{zh}线索有 {cell} 条。", "value": f"{when.a}{zh}线索价值 {cell}。", "conversion":
        f"{when.a}{zh}线索转化率为 {cell}（{base.replace(' of ', '/')}）。"}[part],
    )  # fmt: skip


def leads_by(rng: Rng, language: Language) -> Talk:
    by, en, de, zh = rng.some([("source", "source", "Quelle", "来源"), ("region", "region", "Region", "区域"), (
        "owner", "account manager", "Kundenbetreuer", "负责人")])  # fmt: skip
    column, when = rng.some(["leads", "conversion"] if by == "source" else ["leads"]), named(rng, language, rng.some
        (PAST[2:]))  # fmt: skip
    c = column == "conversion"
    yield asked(rng, language, "crm",
        en=f"Which {en} has the {'best lead conversion' if c else 'most leads'} {when.q}?|leads by {en} {when.q}: "
        f"{'highest conversion' if c else 'who is first'}?|" f"{'best converting' if c else 'strongest'} lead {en} "
        f"{when.q}|compare leads per {en} {when.q}, top one {'by conversion' if c else 'by number'}",
        de=f"Leads nach {de} {when.q}: wo ist die {'beste Konversion' if c else 'größte Zahl'}?|Welche {de} bringt "
        f"{when.q} " f"{'die beste Konversion bei Leads' if c else 'die meisten Leads'}?",
        zh=f"{when.q}哪个{zh}的线索{'转化率最高' if c else '最多'}？|按{zh}看{when.q}线索，"
        f"{'转化率' if c else '数量'}第一是谁",
    )  # fmt: skip
    seen = yield call(f"Leads counted by {by}.", "get_leads", group_by=by, **when.args)
    rows = table(seen)
    if not rows:
        yield told(language, "Nothing matches.",
            en=f"There were no leads {when.a}.",
            de=f"Es gab {when.a} keine Leads.",
            zh=f"{when.a}没有线索。")  # fmt: skip
        return
    row = max(rows, key=lambda each: number(each[column]))
    yield told(language, f"Highest {column}: {row[by]}, {row[column]}.",
        en=f"{row[by]}: {row[column]}{' conversion' if c else ' leads'} {when.a}.",
        de=f"{row[by]}: {row[column]}{' Konversion' if c else ' Leads'} {when.a}.",
        zh=f"{when.a}是 {row[by]}：{row[column]}{'' if c else ' 条'}。",
    )  # fmt: skip


def open_leads(rng: Rng, language: Language) -> Talk:
    status, en, de, zh = rng.some([("open", "open", "offene", "跟进中"), ("qualified", "qualified", "qualifizierte",
        "已确认(qualified)"), ("new", "brand-new (status new)", "neue (Status new)", "状态为 new")])  # fmt: skip
    least = rng.some([0, 0, 200000, 500000])
    e, d, z = (f" worth {least:,} USD or more", f" ab {least} USD", f"价值 {least} USD 以上的") if least else ("",
        "", "")  # fmt: skip
    yield asked(rng, language, "crm",
        en=f"How many {en} leads{e} do we have from the last 90 days?|{en} sales leads{e}, last 90 days|count {en} "
        f"leads{e} of the past 90 days|are there {en} " f"leads{e} in the last 90 days, and how many?",
        de=f"Wie viele {de} Leads{d} haben wir aus den letzten 90 Tagen?|{de} Leads{d} der letzten 90 Tage, "
        "Anzahl?",
        zh=f"最近90天{z}{zh}的线索有多少？|最近90天{zh}的{z}销售线索数量",
    )  # fmt: skip
    more = {"min_value": least} if least else {}
    seen = yield call(f"Leads with status {status}.", "get_leads", status=status, period="last_90_days", **more)
    sums = totals(seen)
    yield told(language, f"Totals: leads {sums['leads']}, value {sums['value']}.",
        en=f"{sums['leads']} {en} leads{e} from the last 90 days, {sums['value']} in all.",
        de=f"{sums['leads']} {de} Leads{d} aus den letzten 90 Tagen, zusammen {sums['value']}.",
        zh=f"最近90天{zh}的{z}线索有 {sums['leads']} 条，共 {sums['value']}。",
    )  # fmt: skip


def customer_ranking(rng: Rng, language: Language) -> Talk:
    """By revenue or by what they owe; of a region or industry."""
    overdue, few = rng.chance(0.35), rng.some([0, 0, 2, 3])
    kind = rng.randrange(3)
    args, en, de, zh = {}, "", "", ""
    if kind == 1:
        args, en, de, zh = (
            ((region := rng.some(REGIONS)) and {"region": region}),
            f" in {region}",
            f" in {region}",
            f"{region} ",
        )
    elif kind == 2:
        industry = rng.some(["Automotive", "Medical", "Electronics", "Industrial", "Consumer goods"])
        args, en, de, zh = (
            {"industry": industry},
            f" in the {industry} industry",
            f" der Branche {industry}",
            f"{industry} 行业",
        )
    when, n = named(rng, language, rng.some(["this_year", "last_year", "last_quarter"])), f"{few} " if few else ""
    s, have = "s" * bool(few), "have" if few else "has"
    if overdue:
        yield asked(rng, language, "crm",
            en=f"Which {n}customer{s}{en} {have} the highest overdue amount?|top {n}customer{s}{en} by overdue "
            f"invoices|who owes us most past due{en}, {n or 'the '}" f"customer{s}?|customers{en} with the most "
            f"overdue money, {n or 'first one '}please",
            de=f"Welche {n}Kunden{de} haben die höchsten überfälligen Beträge?|"
            f"Kunden{de} mit dem größten überfälligen Betrag, {few or 1}?",
            zh=f"{zh}逾期欠款最多的{few or '一'}个客户是谁？|{zh}客户逾期金额前{few or 1}名",
        )  # fmt: skip
        args |= {"sort": "overdue"}
        given = {}
    else:
        yield asked(rng, language, "crm",
            en=f"Who {'are our ' + n if few else 'is our '}biggest customer{s}{en} by revenue {when.q}?|top "
            f"{n}customer{s}{en} {when.q}|largest {n}client{s}{en} {when.q}, " f"revenue?|which {n}customer{s}{en} "
            f"brought most revenue {when.q}",
            de=f"Wer sind {when.q} unsere {n}umsatzstärksten Kunden{de}?|Größte {n}Kunden{de} nach "
            f"Umsatz {when.q}?",
            zh=f"{when.q}{zh}营收最大的{few or '一'}个客户是谁？|{when.q}{zh}客户销售额前{few or 1}名",
        )  # fmt: skip
        given = when.args
    seen = yield call(f"Customers sorted by {'overdue' if overdue else 'revenue'}.", "get_customers", **args, **
        given, **({"limit": few} if few else {}))  # fmt: skip
    column = "overdue" if overdue else "revenue"
    parts = [f"{row['customer']} ({row[column]} USD)" for row in table(seen)[: few or 1] if row[column] != "0.00"]
    a = "" if overdue else f" {when.a}"
    if not parts:
        yield told(
            language, f"First row: {column} 0.00.", en=f"No customer{en} has an amount there: {column} 0.00 USD{a}.",
            de=f"Kein Kunde{de}: 0.00 USD{a}.", zh=f"{zh}没有客户有此金额：0.00 USD。",
        )  # fmt: skip
        return
    yield told(language, f"First row{s}, {column}: {', '.join(parts)}."[:160],
        en=f"By {column}{en}{a}: {listed('en', parts)}.",
        de=f"Nach {'überfälligem Betrag' if overdue else 'Umsatz'}{a}: {listed('de', parts)}.",
        zh=f"{a.strip()}{'逾期欠款' if overdue else '营收'}最多的是 {listed('zh', parts)}。",
    )  # fmt: skip


def customer_facts(rng: Rng, language: Language) -> Talk:
    customer, field = rng.some(customers()), rng.some(["owner", "region", "status", "since", "revenue", "industry"])
    what = {"owner": (f"Who is the account manager of {customer}?|who looks after customer {customer}|owner of the "
        f"account {customer}?|which colleague handles {customer} in sales", f"Wer betreut den Kunden {customer}?|"
        f"Kundenbetreuer von {customer}?", f"客户 {customer} 的负责人是谁？|谁负责客户 {customer}", (
        "account manager", "Betreuer", "负责人")), "region": (f"Which region is {customer} in?|sales region of "
        f"customer {customer}|where does customer {customer} belong, region?|{customer} customer region",
        f"In welcher Region ist der Kunde {customer}?|Region von {customer}?", f"客户 {customer} 属于哪个区域？"
        f"|{customer} 客户区域", ("region", "Region", "区域")), "status": (f"Is {customer} still an active customer?|"
        f"customer status of {customer}|is {customer} at risk or active?|did customer {customer} leave us",
        f"Ist {customer} noch ein aktiver Kunde?|Status des Kunden {customer}?",
        f"客户 {customer} 现在的状态？|{customer} 还是我们的活跃客户吗", ("status", "Status", "状态")), "since": (
        f"Since when is {customer} a customer?|when did {customer} become a client|customer {customer}: since "
        f"when?|start date of customer {customer}", f"Seit wann ist {customer} Kunde?|Kunde {customer}: seit wann?",
        f"{customer} 从什么时候开始是我们的客户？|客户 {customer} 的起始日期", ("customer since", "Kunde seit",
        "成为客户日期")), "revenue": (f"How much revenue did we make with {customer} in the last 12 months?|{customer} "
        f"customer revenue, last 12 months|revenue with client {customer} over the last "
        f"12 months?|sales to {customer} in the last 12 months in total", "Wie viel Umsatz haben wir mit "
        f"{customer} in den letzten 12 Monaten gemacht?|Umsatz mit dem " f"Kunden {customer} der letzten 12 "
        "Monate?", f"过去12个月客户 {customer} 的营收是多少？|{customer} 过去12个月销售额", ("revenue", "Umsatz",
        "营收")), "industry": (f"What industry is {customer} in?|industry of customer {customer}|which sector is "
        f"client {customer}?|{customer}: customer's industry", f"In welcher Branche ist der Kunde {customer}?|"
        f"Branche von {customer}?", f"客户 {customer} 是什么行业？|{customer} 客户行业", ("industry", "Branche",
        "行业")), }[field]  # fmt: skip
    yield asked(rng, language, "crm", en=what[0], de=what[1], zh=what[2])
    args = {"period": "last_12_months"} if field == "revenue" and rng.chance(0.5) else {}
    seen = yield call(f"One customer: its {field}.", "get_customers", customer=customer, **args)
    row = table(seen)[0]
    cell = row[field] + (" USD" if field == "revenue" else "")
    label = what[3]
    if field == "status":
        plain = {"active": ("is an active customer", "ist ein aktiver Kunde", "是活跃客户"), "at_risk": (
            "is still a customer, but at risk", "ist noch Kunde, aber gefährdet (at risk)",
            "仍是客户，但有流失风险"), "churned": ("has left: status churned", "ist abgewandert (churned)",
            "已流失")}[cell]  # fmt: skip
        yield told(language, f"Row {row['customer id']}: status {cell}.",
            en=f"{customer} {plain[0]}.",
            de=f"{customer} {plain[1]}.",
            zh=f"{customer} {plain[2]}。",
        )  # fmt: skip
        return
    yield told(language, f"Row {row['customer id']}: {field} {cell}.",
        en=f"{customer}, {label[0]}: {cell}.",
        de=f"{customer}, {label[1]}: {cell}.",
        zh=f"{customer} 的{label[2]}：{cell}。",
    )  # fmt: skip


def customer_status(rng: Rng, language: Language) -> Talk:
    """At risk, churned, won: counts, names and the churn rate."""
    way = rng.some(["at risk", "names", "churn", "won in period", "churned in period"])
    when = named(rng, language, rng.some(["this_year", "last_year", "last_quarter", "last_12_months"]))
    if way in ("at risk", "names"):
        yield asked(rng, language, "crm",
            en="Which customers are at risk, and how many?|customers that might leave us: who|at-risk clients?|"
            "list customers in danger of churning",
            de="Welche Kunden sind gefährdet (at risk)?|Welche Kunden könnten wir verlieren?",
            zh="有哪些客户有流失风险？|流失风险客户名单",
        )  # fmt: skip
        seen = yield call("Customers with status at_risk.", "get_customers", status="at_risk")
        many, names = totals(seen)["customers"], [row["customer"] for row in table(seen)]
        yield told(language, f"Totals: customers {many}. Rows: {', '.join(names[:3])} …",
            en=f"{many} customers are at risk: {listed('en', names)}.",
            de=f"{many} Kunden sind gefährdet: {listed('de', names)}.",
            zh=f"有流失风险的客户共 {many} 家：{listed('zh', names)}。",
        )  # fmt: skip
        return
    what = {"churn": (f"What is our churn rate {when.q}?|customer churn {when.q} in percent|"
        f"churn {when.q}?|which " f"share of customers did we lose {when.q}",
        f"Wie hoch ist die Kundenabwanderung (Churn) {when.q}?|" f"Churn-Rate {when.q}?",
        f"{when.q}客户流失率是多少？|{when.q}客户流失比例"), "won in period": (
        f"How many new customers did we win {when.q}?|customers won {when.q}|number of newly "
        f"won clients {when.q}?|" f"new customers {when.q}, count",
        f"Wie viele neue Kunden haben wir {when.q} gewonnen?|Neukunden {when.q}, " "Anzahl?",
        f"{when.q}新增客户多少家？|{when.q}赢得了几个新客户"), "churned in period": (
        "How many customers left " f"{when.q}?|customers lost {when.q}, how many|number of "
        f"churned clients {when.q}?|client losses {when.q}, " "how many",
        f"Wie viele Kunden haben wir {when.q} verloren?|Abgewanderte Kunden {when.q}?",
        f"{when.q}离开我们的客户有几家？|{when.q}流失客户数"), }[way]  # fmt: skip
    yield asked(rng, language, "crm", en=what[0], de=what[1], zh=what[2])
    seen = yield call(f"Customers of that time; totals: {way}.", "get_customers", **when.args)
    sums = totals(seen)
    cell, base = sums[way], sums.get("churn of", "")
    yield told(language, f"Totals: {way} {cell}{f' ({base})' if way == 'churn' else ''}.", en={"churn":
        f"The churn {when.a} is {cell} ({base} customers).", "won in period": f"{cell} customers were won "
        f"{when.a}.", "churned in period": f"{cell} customers left {when.a}."}[way], de={"churn":
        f"Die Abwanderung beträgt {when.a} {cell} ({base.replace(' of ', ' von ')}).", "won in period":
        f"{cell} Kunden wurden {when.a} gewonnen.", "churned in period": f"{cell} Kunden gingen {when.a} verloren."}
        [way], zh={"churn": f"{when.a}客户流失率为 {cell}（{base.replace(' of ', '/')}）。", "won in period":
        f"{when.a}新增客户 {cell} 家。", "churned in period": f"{when.a}流失客户 {cell} 家。"}[way],
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    leads_of_period: 4,
    leads_by: 3,
    open_leads: 2,
    customer_ranking: 4,
    customer_facts: 4,
    customer_status: 3,
}
