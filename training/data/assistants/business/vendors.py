"""Talks about procurement, vendors and their prices."""

from training.data.assistants.business.buying import CATEGORIES
from training.data.assistants.business.parts import (
    MONTHLY,
    asked,
    listed,
    named,
    number,
    rows_of,
    span,
    table,
    told,
    totals,
    vendors,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng

LONG = ("this_year", "last_year", "last_quarter", "last_12_months")


BY = {
    "category": ("category", "Kategorie", "类别"), "vendor": ("vendor", "Lieferant", "供应商"),
    "warehouse": ("warehouse", "Lager", "仓库"), "buyer": ("buyer", "Einkäufer", "采购员"),
    "country": ("country", "Land", "国家"), "month": ("month", "Monat", "月份"),
}  # fmt: skip


def spend_by(rng: Rng, language: Language) -> Talk:
    """The highest of a grouping."""
    by, when = rng.some(["category", "category", "warehouse", "buyer", "country", "month"]), span(rng, language,
        LONG, 0.2)  # fmt: skip
    if by == "month":
        when = named(rng, language, rng.some(["this_year", "last_year", "last_12_months"]))
    en, de, zh = BY[by]
    yield asked(rng, language, "erp",
        en=f"Which {en} has the highest procurement spend {when.q}?|procurement spend by {en} {when.q}, who is on "
        "top?|on " f"which {en} did purchasing spend the most {when.q}|Break our purchasing spend {when.q} down by "
        f"{en}: which is " "the biggest?",
        de=f"Einkaufsausgaben {when.q} je {de}: wo sind sie am höchsten?|Einkaufsvolumen nach {de} {when.q}: "
        "was liegt vorn?",
        zh=f"{when.q}按{zh}看，采购支出最高的是哪个？|{when.q}哪个{zh}的采购额最大",
    )  # fmt: skip
    more = {} if by == "category" else {"group_by": by}
    seen = yield call(f"Spend for each {by}: procurement summary.", "get_procurement_summary", **more, **when.args)
    rows = table(seen)
    if not rows:
        return
    row = max(rows, key=lambda each: number(each["ordered"]))
    key = row.get("warehouse id") or row[by]
    yield told(language, f"Highest ordered among the rows: {key}, ordered {row['ordered']} USD.",
        en=f"{key} has the highest procurement spend {when.a}: {row['ordered']} USD.",
        de=f"{key} liegt {when.a} mit {row['ordered']} USD vorn.",
        zh=f"{when.a}采购支出最高的是 {key}，{row['ordered']} USD。",
    )  # fmt: skip
    other = rng.some([each for each in rows if each is not row] or [row])
    if other is not row and rng.chance(0.45):
        name = other.get("warehouse id") or other[by]
        yield asked(rng, language, "erp", again=True,
            en=f"and {name}?|what about {name}|how much was it for {name}?",
            de=f"Und {name}?|Wie viel war es bei {name}?",
            zh=f"{name} 呢？|那 {name} 是多少",
        )  # fmt: skip
        yield told(
            language, f"Row {name}: ordered {other['ordered']} USD.",
            en=f"{name}: {other['ordered']} USD {when.a}.", de=f"{name}: {other['ordered']} USD {when.a}.",
            zh=f"{name} {when.a}为 {other['ordered']} USD。",
        )  # fmt: skip


def spend_of(rng: Rng, language: Language) -> Talk:
    """Spend of one category, vendor or warehouse, from the totals line."""
    when = span(rng, language, MONTHLY)
    kind = rng.randrange(4)
    if kind == 0:
        args, en, de, zh = {}, "in total", "insgesamt", "总共"
    elif kind == 1:
        category = rng.some(list(CATEGORIES))
        args, en, de, zh = (
            {"category": category},
            f"on {CATEGORIES[category][0]}",
            f"für {category}",
            f"在 {category} 上",
        )
    elif kind == 2:
        vendor = rng.some(vendors())
        args, en, de, zh = {"vendor": vendor}, f"with {vendor}", f"bei {vendor}", f"在 {vendor} 上"
    else:
        place = rng.some(["WH-001", "WH-004"])
        args, en, de, zh = {"warehouse_id": place}, f"for warehouse {place}", f"für Lager {place}", f"为仓库 {place} "
    yield asked(rng, language, "erp",
        en=f"What is our procurement spend {en} {when.q}?|how much has purchasing spent {en} {when.q}|purchasing "
        f"spend {en} " f"{when.q}?|I need the procurement spending {en} {when.q}",
        de=f"Wie hoch sind die Einkaufsausgaben {de} {when.q}?|Was hat der Einkauf {when.q} {de} ausgegeben?",
        zh=f"{when.q}{zh}采购支出是多少？|{when.q}采购{zh}花了多少钱",
    )  # fmt: skip
    seen = yield call("Procurement spend with that filter; the totals line.", "get_procurement_summary", **args, **
        when.args)  # fmt: skip
    sums = totals(seen)
    yield told(
        language, f"Totals: ordered {sums['ordered']}.",
        en=f"The procurement spend {en} {when.a} is {sums['ordered']}, cancelled orders left out.",
        de=f"Die Einkaufsausgaben {de} betragen {when.a} {sums['ordered']} (ohne stornierte Bestellungen).",
        zh=f"{when.a}{zh}采购支出为 {sums['ordered']}（不含已取消订单）。",
    )  # fmt: skip


def on_time(rng: Rng, language: Language) -> Talk:
    """The share of deliveries on time, of all or of one vendor or category."""
    when = span(rng, language, LONG, 0.15)
    kind = rng.randrange(3)
    args, en, de, zh = {}, "our vendors", "unsere Lieferanten", "供应商"
    if kind == 1:
        vendor = rng.some(vendors())
        args, en, de, zh = {"vendor": vendor}, vendor, vendor, f" {vendor} "
    elif kind == 2:
        category = rng.some(list(CATEGORIES))
        args, en, de, zh = (
            {"category": category},
            f"{category} vendors",
            f"{category}-Lieferanten",
            f" {category} 供应商",
        )
    yield asked(rng, language, "erp",
        en=f"What share of deliveries from {en} came on time {when.q}?|on-time delivery rate of {en} {when.q}|how "
        "punctual " f"were deliveries from {en} {when.q}, in percent?|OTD of {en} {when.q} (supplier deliveries)",
        de=f"Wie viel Prozent der Lieferungen waren {when.q} pünktlich ({de})?|Liefertreue {when.q}, {de}?",
        zh=f"{when.q}{zh}的准时交货率是多少？|{when.q}{zh}按时到货的比例",
    )  # fmt: skip
    seen = yield call("Deliveries on time: the procurement totals.", "get_procurement_summary", **args, **when.args)
    sums = totals(seen)
    if "on time" not in sums or sums["on time"] == "–":
        yield told(language, "Totals: complete 0, on time –.",
            en=f"No order of {en} was completed {when.a}, so there is no rate.",
            de=f"Es gab {when.a} keine abgeschlossene Lieferung ({de}), also keine Quote.",
            zh=f"{when.a}{zh}没有已完成的订单，因此没有准时率。",
        )  # fmt: skip
        return
    share, base = sums["on time"], sums.get("on time of", "")
    yield told(
        language, f"Totals: on time {share} ({base}).",
        en=f"{share} of the deliveries from {en} were on time {when.a} ({base} completed orders).",
        de=f"{share} der Lieferungen waren {when.a} pünktlich ({de}; {base.replace(' of ', ' von ')}).",
        zh=f"{when.a}{zh}准时交货率为 {share}（{base.replace(' of ', '/')}）。",
    )  # fmt: skip


def top_vendors(rng: Rng, language: Language) -> Talk:
    """A ranking, of one or several."""
    by, order, column, en, de, zh = rng.some([("spend", "", "ordered", "highest spend", "den höchsten Ausgaben",
        "采购额最高"), ("spend", "", "ordered", "biggest order value", "dem größten Bestellwert", "采购金额最大"), (
        "orders", "", "orders", "most orders", "den meisten Bestellungen", "订单数最多"), ("delivered_late", "",
        "delivered late", "most late arrivals", "den meisten verspäteten Lieferungen", "迟到交货次数最多"), (
        "on_time", "lowest", "on time", "worst punctuality", "der schlechtesten Liefertreue", "准时率最低"), (
        "on_time", "", "on time", "best on-time rate", "der besten Liefertreue", "准时率最高"), ("late", "", "late",
        "most orders overdue right now", "den meisten derzeit überfälligen Bestellungen", "目前逾期订单最多"), ]
    )  # fmt: skip
    few, when = rng.some([0, 0, 2, 3, 4]), named(rng, language, rng.some(["", "", *LONG]) or "last_12_months")
    given = when.args if when.args["period"] != "last_12_months" or rng.chance(0.3) else {}
    given = {} if by == "late" else given
    q, ask_zh = (f" {when.q}", when.q) if given else ("", "")
    a = "" if by == "late" else when.a if given else named(rng, language, "last_12_months").a
    n = f"{few} " if few else ""
    yield asked(rng, language, "erp",
        en=f"Which {n}vendor{'s have' if few else ' has'} the {en}{q}?|{'top ' + n if few else ''}suppliers with "
        f"the {en}{q}|" f"vendor ranking{q}: {n or 'the one '}with the {en}?|who "
        f"{'are the ' + n + 'suppliers' if few else 'is the supplier'} " f"with the {en}{q}",
        de=f"{f'Wer sind die {n}Lieferanten' if few else 'Wer ist der Lieferant'} mit {de}{q}?|Nenne "
        f"{f'die {n}Lieferanten' if few else 'den Lieferanten'} mit {de}{q}",
        zh=f"{ask_zh}{zh}的{f'前{few}家' if few else ''}供应商是{'哪些' if few else '哪家'}？|{ask_zh}哪"
        f"{f'{few}' if few else ''}家供应商{zh}",
    )  # fmt: skip
    args = {"by": by} if by != "spend" else {}
    args |= {"order": order} if order else {}
    seen = yield call(
        f"Vendors ranked by {by}{', from the lower end' if order else ''}.", "get_top_vendors", **args, **given,
        **({"limit": few} if few else {}),
    )  # fmt: skip
    rows = table(seen)[: few or 1]
    if not rows:
        return
    unit = " USD" if column == "ordered" else ""
    parts = [f"{row['vendor']} ({row[column]}{unit})" for row in rows]
    yield told(
        language, f"Rank 1{f' to {few}' if few else ''}, {column}: {', '.join(parts)}."[:160],
        en=f"With the {en} {a}: {listed('en', parts)}.".replace(" :", ":"),
        de=f"Mit {de} {a}: {listed('de', parts)}.".replace(" :", ":"), zh=f"{a}{zh}的是 {listed('zh', parts)}。",
    )  # fmt: skip


def vendor_share(rng: Rng, language: Language) -> Talk:
    category, when = rng.some(list(CATEGORIES)), named(rng, language, rng.some(["this_year", "last_quarter",
        "last_year"]))  # fmt: skip
    en, _de, _zh = CATEGORIES[category]
    yield asked(rng, language, "erp",
        en=f"What share of our {en} spend goes to the top vendor {when.q}?|largest {en} supplier {when.q} and its "
        "share|who " f"is our number one vendor for {en} {when.q}, in percent of spend?|{en}: main supplier "
        f"{when.q} and its percentage",
        de=f"Welchen Anteil hat der größte Lieferant für {category} {when.q}?|Hauptlieferant {category} {when.q} "
        "mit Anteil?",
        zh=f"{when.q} {category} 类最大供应商占采购额的比例？|{when.q} {category} 的第一大供应商及其份额",
    )  # fmt: skip
    seen = yield call("Ranked by spend within one category, with share.", "get_top_vendors", category=category, **
        when.args)  # fmt: skip
    rows = table(seen)
    if not rows:
        return
    row = rows[0]
    yield told(
        language, f"Rank 1: {row['vendor']}, ordered {row['ordered']} USD, share {row['share']}.",
        en=f"{row['vendor']} has {row['share']} of the {en} spend {when.a} ({row['ordered']} USD).",
        de=f"{row['vendor']} hat {when.a} {row['share']} der Ausgaben für {category} ({row['ordered']} USD).",
        zh=f"{when.a} {row['vendor']} 占 {category} 采购额的 {row['share']}（{row['ordered']} USD）。",
    )  # fmt: skip


def vendor_facts(rng: Rng, language: Language) -> Talk:
    """Payment terms, country, status or category of one vendor."""
    vendor = rng.some(vendors())
    field = rng.some(["payment days", "country", "status", "category"])
    en, de, zh, label = {"payment days": (f"What payment terms does {vendor} give us?|payment days of {vendor}|how "
        "many days do we have to pay " f"{vendor}?|{vendor} payment term in days",
        f"Welches Zahlungsziel hat {vendor}?|Zahlungsziel {vendor}?",
        f"{vendor} 的账期是多少天？|{vendor} 付款条件", ("payment term", "Zahlungsziel", "账期")), "country": (
        f"Where is {vendor} based?|which country is supplier {vendor} from|country of vendor {vendor}?|where does "
        f"our supplier {vendor} sit", f"Aus welchem Land ist der Lieferant {vendor}?|Land von {vendor}?",
        f"供应商 {vendor} 在哪个国家？|{vendor} 是哪国的供应商", ("country", "Land", "国家")), "status": (
        f"Is {vendor} blocked?|can we still order from {vendor}, or is the vendor blocked?|vendor status of "
        f"{vendor}|is supplier {vendor} active", f"Ist der Lieferant {vendor} gesperrt?|Status von {vendor}?",
        f"供应商 {vendor} 被冻结了吗？|{vendor} 的供应商状态", ("status", "Status", "状态")), "category": (
        f"What does {vendor} sell us?|which category of goods comes from {vendor}|purchasing category of vendor "
        f"{vendor}?|what do we buy from {vendor}, which category", f"Was liefert {vendor}?|Kategorie von {vendor}?",
        f"供应商 {vendor} 卖什么？|{vendor} 属于哪个采购类别", ("category", "Kategorie", "类别")), }[field]  # fmt: skip
    yield asked(rng, language, "erp", en=en, de=de, zh=zh)
    seen = yield call("Facts about one vendor.", "get_vendors", vendor=vendor)
    row = table(seen)[0]
    cell = row[field]
    days = field == "payment days"
    if field == "status":
        blocked = cell == "blocked"
        yield told(
            language, f"Row {row['vendor id']} {vendor}: status {cell}.",
            en=f"{vendor} is {'blocked' if blocked else 'active, not blocked'}.",
            de=f"{vendor} ist {'gesperrt' if blocked else 'aktiv, nicht gesperrt'}.",
            zh=f"{vendor} {'已被冻结' if blocked else '状态正常，没有被冻结'}。",
        )  # fmt: skip
        return
    yield told(language, f"Row {row['vendor id']} {vendor}: {field} {cell}.",
        en=f"{vendor}: {label[0]} {cell}{' days' if days else ''}.",
        de=f"{vendor}: {label[1]} {cell}{' Tage' if days else ''}.",
        zh=f"{vendor} 的{label[2]}：{cell}{' 天' if days else ''}。",
    )  # fmt: skip


def vendor_counts(rng: Rng, language: Language) -> Talk:
    """How many, from where, of what; which are blocked."""
    kind = rng.randrange(4)
    if kind == 0:
        yield asked(rng, language, "erp",
            en="Which suppliers are blocked at the moment?|any vendors on hold/blocked?|list blocked vendors|who "
            "may we not " "order from, blocked suppliers",
            de="Welche Lieferanten sind derzeit gesperrt?|Gibt es gesperrte Lieferanten?",
            zh="现在有哪些供应商被冻结？|冻结的供应商有谁",
        )  # fmt: skip
        seen = yield call("Vendors with status blocked.", "get_vendors", status="blocked")
        names = [row["vendor"] for row in table(seen)]
        yield told(language, f"Totals: vendors {len(names)}. Rows: {', '.join(names)}.",
            en=f"Blocked: {listed('en', names)} ({len(names)} in all).",
            de=f"Gesperrt: {listed('de', names)} ({len(names)}).",
            zh=f"被冻结的供应商：{listed('zh', names)}（共 {len(names)} 家）。",
        )  # fmt: skip
        return
    if kind == 1:
        country = rng.some(sorted({row[3] for row in rows_of("vendors")}))
        yield asked(rng, language, "erp",
            en=f"How many vendors do we have in {country}?|suppliers from {country}, how many|number of {country} "
            "based " f"vendors|count our suppliers in {country}",
            de=f"Wie viele Lieferanten haben wir in {country}?|Anzahl der Lieferanten aus {country}?",
            zh=f"{country} 有多少家供应商？|来自 {country} 的供应商数量",
        )  # fmt: skip
        seen = yield call("Vendors of one country.", "get_vendors", country=country)
        many = totals(seen)["vendors"]
        yield told(
            language, f"Totals: vendors {many}.", en=f"We have {many} vendor{'s' * (many != '1')} in {country}.",
            de=f"In {country} haben wir {many} Lieferanten.", zh=f"{country} 有 {many} 家供应商。",
        )  # fmt: skip
        return
    by = rng.some(["country", "category"])
    en, de, zh = BY[by]
    yield asked(rng, language, "erp",
        en=f"From which {en} do most of our vendors come?|vendors per {en}: which has most|in which {en} do we "
        "have the most " f"suppliers?|split suppliers by {en}, top one please",
        de=f"Wie verteilen sich die Lieferanten nach {de}, wo gibt es die meisten?|Lieferanten nach {de}: wo sind "
        "es die meisten?",
        zh=f"哪个{zh}的供应商最多？|按{zh}统计供应商，最多的是哪个",
    )  # fmt: skip
    seen = yield call(f"Vendors counted by {by}.", "get_vendors", group_by=by)
    row = table(seen)[0]
    yield told(
        language, f"First row: {row[by]}, vendors {row['vendors']}.",
        en=f"{row[by]}, with {row['vendors']} vendors.", de=f"{row[by]}, mit {row['vendors']} Lieferanten.",
        zh=f"{row[by]}，共 {row['vendors']} 家供应商。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    spend_by: 4,
    spend_of: 4,
    on_time: 3,
    top_vendors: 4,
    vendor_share: 2,
    vendor_facts: 3,
    vendor_counts: 2,
}
