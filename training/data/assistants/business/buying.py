"""Talks about purchase orders."""

from training.data.assistants.business.parts import (
    MONTHLY,
    RECENT,
    asked,
    cap,
    listed,
    named,
    number,
    plural,
    rows_of,
    span,
    table,
    then,
    told,
    totals,
    vendors,
)
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng

WAREHOUSES = {"WH-001": "Dongguan", "WH-002": "Rotterdam", "WH-003": "Chicago", "WH-004": "Monterrey"}
CATEGORIES = {
    "Resins": ("resins", "Harze", "树脂"),
    "Colorants": ("colorants", "Farbmittel", "着色剂"),
    "Inserts": ("inserts", "Einlegeteile", "嵌件"),
    "Packaging": ("packaging", "Verpackung", "包装材料"),
    "Electronics": ("electronics", "Elektronik", "电子件"),
    "Spare parts": ("spare parts", "Ersatzteile", "备件"),
}


def orders_of_period(rng: Rng, language: Language) -> Talk:
    """How many, or for how much."""
    when = span(rng, language, (*MONTHLY, *RECENT))
    count = rng.chance(0.5)
    if count:
        yield asked(rng, language, "erp",
            en=f"How many purchase orders did we place {when.q}?|number of POs {when.q}?|Count of orders to "
            "vendors " f"{when.q}, please|how often did we order from suppliers {when.q}",
            de=f"Wie viele Bestellungen haben wir {when.q} aufgegeben?|Anzahl der Bestellungen an Lieferanten "
            f"{when.q}?",
            zh=f"{when.q}我们下了多少张采购订单？|{when.q}采购订单有几张",
        )  # fmt: skip
    else:
        yield asked(
            rng, language, "erp",
            en=f"What was the value of the purchase orders we placed {when.q}?|for how much did we order from vendors "
            f"{when.q}?|Total amount of POs {when.q}|order volume with suppliers {when.q}, in USD",
            de=f"Welchen Wert hatten unsere Bestellungen {when.q}?|Für wie viel haben wir {when.q} bestellt?",
            zh=f"{when.q}采购订单总金额是多少？|{when.q}我们向供应商下单多少钱",
        )  # fmt: skip
    seen = yield call("All orders of that period; the totals have it.", "get_purchase_orders", **when.args)
    sums = totals(seen)
    orders, amount = sums["orders"], sums["ordered"]
    if count:
        yield told(
            language, f"Totals: orders {orders} (asked is the count, not the amount).",
            en=f"We placed {plural(orders, 'purchase order', 'purchase orders')} {when.a}.",
            de=f"Wir haben {when.a} {plural(orders, 'Bestellung', 'Bestellungen')} aufgegeben.",
            zh=f"{when.a}共下了 {orders} 张采购订单。",
        )  # fmt: skip
    else:
        yield told(
            language, f"Totals: ordered {amount} (not what was received).",
            en=f"The purchase orders placed {when.a} come to {amount}.",
            de=f"Die Bestellungen haben {when.a} zusammen einen Wert von {amount}.",
            zh=f"{when.a}采购订单总金额为 {amount}。",
        )  # fmt: skip
    if rng.chance(0.4):
        yield asked(
            rng, language, "erp",
            en="and how much of that has arrived?|how much of it was received|What is the received amount?",
            de="Und wie viel davon ist eingetroffen?|Welcher Betrag ist schon geliefert?",
            zh="其中已到货多少？|已收到的金额呢", again=True,
        )  # fmt: skip
        yield told(
            language, f"Same result: received {sums['received']}.",
            en=f"Of the orders placed {when.a}, {sums['received']} worth has been received.",
            de=f"Davon sind Waren für {sums['received']} eingetroffen (Bestellungen {when.a}).",
            zh=f"{when.a}的订单中已到货 {sums['received']}。",
        )  # fmt: skip


def late_orders(rng: Rng, language: Language) -> Talk:
    """Late ones, perhaps for a warehouse or of a category: count, amount or the one that waits longest."""
    args: dict[str, str] = {}
    en = de = zh = ""
    kind = rng.randrange(3)
    if kind == 0:
        args["warehouse_id"] = rng.some(["WH-001", "WH-004"])
        en, de, zh = (f" {word} {args['warehouse_id']}" for word in ("for", "für", "仓库"))
    elif kind == 1:
        args["category"] = rng.some(list(CATEGORIES))
        words = CATEGORIES[args["category"]]
        en, de, zh = f" for {words[0]}", f" der Kategorie {args['category']}", f"{args['category']} 类"
    yield asked(rng, language, "erp",
        en=f"How many deliveries from vendors{en} are overdue?|purchase orders{en} that should have arrived by now "
        "- how " f"many|how many POs{en} are behind schedule|Do we have delayed purchase orders{en}? How many?",
        de=f"Wie viele Bestellungen{de} sind überfällig?|Sind Lieferungen{de} in Verzug, und wie viele?",
        zh=f"{zh}逾期未到的采购订单有多少？|{zh}有几张采购订单延误了",
    )  # fmt: skip
    seen = yield call(
        rng.some(["Past due and not all here: status late.", "Overdue orders: status late, whatever the date."]),
        "get_purchase_orders", status="late", **args,
    )  # fmt: skip
    sums, rows = totals(seen), table(seen)
    if sums["orders"] == "0":
        yield told(
            language, "Totals: orders 0. Nothing matches.",
            en=f"There are no late purchase orders{en}.", de=f"Es gibt keine überfälligen Bestellungen{de}.",
            zh=f"目前没有逾期的{zh}采购订单。",
        )  # fmt: skip
        return
    yield told(
        language, f"Totals: orders {sums['orders']}, ordered {sums['ordered']}.",
        en=f"{plural(sums['orders'], 'purchase order is', 'purchase orders are')} late{en} today, "
        f"worth {sums['ordered']}.",
        de=f"Heute sind {plural(sums['orders'], 'Bestellung', 'Bestellungen')}{de} überfällig, "
        f"zusammen {sums['ordered']}.",
        zh=f"截至今天有 {sums['orders']} 张{zh}采购订单逾期，金额共 {sums['ordered']}。",
    )  # fmt: skip
    if rng.chance(0.45) and len(rows) == int(sums["orders"]) > 1:
        row = max(rows, key=lambda each: number(each["total"]))
        yield asked(rng, language, "erp",
            en="which of them is the largest?|and the biggest one?|which one is worth the most",
            de="Welche davon ist die größte?|Und die teuerste?",
            zh="其中金额最大的是哪张？|最大的一张是哪个", again=True,
        )  # fmt: skip
        yield told(
            language, f"Largest total among the rows: {row['order id']}, {row['vendor']}, {row['total']} USD.",
            en=f"The largest is {row['order id']} with {row['vendor']}: {row['total']} USD.",
            de=f"Die größte ist {row['order id']} bei {row['vendor']} mit {row['total']} USD.",
            zh=f"最大的是 {row['order id']}（{row['vendor']}），{row['total']} USD。",
        )  # fmt: skip


def longest_late(rng: Rng, language: Language) -> Talk:
    few = rng.some([0, 0, 2, 3])
    if few:
        yield asked(
            rng, language, "erp",
            en=f"Show the {few} overdue purchase orders that have waited longest|the {few} POs we have waited for "
            f"longest|which {few} late orders were due first?|top {few} most delayed purchase orders",
            de=f"Welche {few} überfälligen Bestellungen sind am längsten fällig?|Die {few} am längsten verspäteten "
            "Bestellungen bitte",
            zh=f"逾期最久的{few}张采购订单是哪些？|列出最早到期的{few}张逾期订单",
        )  # fmt: skip
    else:
        yield asked(rng, language, "erp",
            en="Which late purchase order has been overdue the longest?|oldest overdue PO?|which overdue order do "
            "we wait for " "longest|Which delayed order was due first?",
            de="Welche Bestellung ist am längsten überfällig?|Welche verspätete Bestellung war zuerst fällig?",
            zh="哪张采购订单逾期最久？|最早到期还没到的订单是哪张",
        )  # fmt: skip
    seen = yield call(
        "Late orders, the earliest due date first.", "get_purchase_orders", status="late", sort="due",
        **({"limit": few} if few else {}),
    )  # fmt: skip
    rows = table(seen)[: few or 1]
    if not rows:
        yield told(
            language, "Totals: orders 0.", en="No purchase order is late today.",
            de="Heute ist keine Bestellung überfällig.", zh="今天没有逾期的采购订单。",
        )  # fmt: skip
        return
    parts = {
        "en": [f"{row['order id']} ({row['vendor']}, due {row['due on']})" for row in rows],
        "de": [f"{row['order id']} ({row['vendor']}, fällig {row['due on']})" for row in rows],
        "zh": [f"{row['order id']}（{row['vendor']}，交期 {row['due on']}）" for row in rows],
    }
    yield told(
        language, "First rows by due: " + "; ".join(f"{row['order id']} due {row['due on']}" for row in rows) + ".",
        en=f"Overdue the longest: {listed('en', parts['en'])}.",
        de=f"Am längsten überfällig: {listed('de', parts['de'])}.",
        zh=f"逾期最久的是：{listed('zh', parts['zh'])}。",
    )  # fmt: skip


def orders_of_vendor(rng: Rng, language: Language) -> Talk:
    vendor, when = rng.some(vendors()), span(rng, language, ("this_year", "last_quarter", "last_month", "last_year"))
    status = rng.some(["", "", "late", "cancelled"])
    if status == "late":
        yield asked(rng, language, "erp",
            en=f"Is anything overdue from {vendor}?|does {vendor} owe us late deliveries|{vendor}: any late "
            "orders?|are we " f"still waiting for delayed shipments of {vendor}?",
            de=f"Ist bei {vendor} etwas überfällig?|Hat {vendor} verspätete Lieferungen offen?",
            zh=f"{vendor} 有逾期的订单吗？|{vendor} 有没有迟交",
        )  # fmt: skip
        seen = yield call("Late orders of one vendor.", "get_purchase_orders", status="late", vendor=vendor)
        sums = totals(seen)
        no = sums["orders"] == "0"
        yield told(
            language, f"Totals: orders {sums['orders']}, ordered {sums['ordered']}.",
            en=f"No, nothing from {vendor} is late today." if no
            else f"Yes: {plural(sums['orders'], 'late order', 'late orders')} from {vendor}, {sums['ordered']}.",
            de=f"Nein, bei {vendor} ist heute nichts überfällig." if no
            else f"Ja: {plural(sums['orders'], 'überfällige Bestellung', 'überfällige Bestellungen')} bei {vendor}, "
            f"{sums['ordered']}.",
            zh=f"没有，{vendor} 目前没有逾期订单。" if no
            else f"有，{vendor} 有 {sums['orders']} 张逾期订单，共 {sums['ordered']}。",
        )  # fmt: skip
        return
    en, de, zh = ("cancelled ", "stornierte ", "已取消的") if status else ("", "", "")
    yield asked(rng, language, "erp",
        en=f"How many {en}orders with {vendor} {when.q}?|{en}POs to {vendor} {when.q}, count and amount|what did "
        "we order " f"from {vendor} {when.q} in total{f' that was {en}' if en else ''}?|{vendor} {en}purchase "
        f"orders {when.q}",
        de=f"Wie viele {de}Bestellungen gab es {when.q} bei {vendor}?|{vendor}: {de}Bestellungen {when.q}, Anzahl "
        "und Wert?",
        zh=f"{when.q}向 {vendor} 下了多少张{zh}采购订单？|{vendor} {when.q}的{zh}采购订单数量和金额",
    )  # fmt: skip
    more = {"status": status} if status else {}
    seen = yield call("Orders of one vendor in a period.", "get_purchase_orders", vendor=vendor, **more, **when.args)
    sums = totals(seen)
    yield told(
        language, f"Totals: orders {sums['orders']}, ordered {sums['ordered']}.",
        en=f"{vendor} has {plural(sums['orders'], f'{en}order', f'{en}orders')} {when.a}, {sums['ordered']} in all.",
        de=f"{vendor} hat {when.a} {sums['orders']} {de}Bestellungen, zusammen {sums['ordered']}.",
        zh=f"{when.a} {vendor} 有 {sums['orders']} 张{zh}采购订单，共 {sums['ordered']}。",
    )  # fmt: skip


def one_order(rng: Rng, language: Language) -> Talk:
    """A field of one order, by its id."""
    row = rng.some(rows_of("purchase_orders")[-400:])
    order = row[0]
    field = rng.some(["status", "due on", "total", "buyer", "vendor"])
    en = {"status": "what is the status of", "due on": "when is the due date of", "total": "how much is",
          "buyer": "who is the buyer of", "vendor": "which vendor has"}[field]  # fmt: skip
    de = {"status": "Welchen Status hat", "due on": "Wann ist der Liefertermin von", "total": "Wie hoch ist",
          "buyer": "Wer ist der Einkäufer von", "vendor": "Welcher Lieferant hat"}[field]  # fmt: skip
    zh = {"status": "是什么状态", "due on": "的交期是哪天", "total": "金额是多少", "buyer": "的采购员是谁",
          "vendor": "是哪家供应商的"}[field]  # fmt: skip
    yield asked(rng, language, "erp",
        en=f"{en} {order}?|{order}: {en} it?|{en.capitalize()} purchase order {order}?|can you look up {order}, "
        f"{en} it",
        de=f"{de} {order}?|{de} die Bestellung {order}?",
        zh=f"{order} {zh}？|采购订单 {order} {zh}",
    )  # fmt: skip
    seen = yield call("One order by its id.", "get_purchase_orders", order_id=order)
    rows = table(seen)
    if not rows:
        return
    cell = rows[0][field] + (" USD" if field == "total" else "")
    label = {"status": ("status", "Status", "状态"), "due on": ("due date", "Liefertermin", "交期"),
             "total": ("total", "Gesamtwert", "总金额"), "buyer": ("buyer", "Einkäufer", "采购员"),
             "vendor": ("vendor", "Lieferant", "供应商")}[field]  # fmt: skip
    yield told(
        language, f"Row {order}: {field} {cell}.",
        en=f"The {label[0]} of {order} is {cell}.", de=f"{label[1]} von {order}: {cell}.",
        zh=f"{order} 的{label[2]}是 {cell}。",
    )  # fmt: skip


def large_orders(rng: Rng, language: Language) -> Talk:
    least = rng.some([20000, 30000, 40000, 50000, 60000])
    when = span(rng, language, ("this_year", "last_quarter", "last_month", "last_12_months"), 0.2)
    said = rng.some([f"{least:,}", f"{least // 1000}k"])
    yield asked(
        rng, language, "erp",
        en=f"How many purchase orders of at least {said} USD {when.q}?|POs worth {said} dollars or more {when.q}: how "
        f"many|count the orders from {said} USD up, placed {when.q}|purchase orders of {said} USD and above {when.q}?",
        de=f"Wie viele Bestellungen ab {least} USD gab es {when.q}?|Bestellungen von mindestens {least} USD {when.q}?",
        zh=f"{when.q}金额不低于 {least} USD 的采购订单有多少张？|{when.q} {least} 美元以上的采购订单有几张",
    )  # fmt: skip
    seen = yield call(
        f"Orders of at least {least}: min_amount.", "get_purchase_orders", min_amount=least, **when.args
    )  # fmt: skip
    sums = totals(seen)
    yield told(
        language, f"Totals: orders {sums['orders']}, ordered {sums['ordered']}.",
        en=f"{plural(sums['orders'], 'purchase order', 'purchase orders')} of {said} USD or more {when.a}, together "
        f"{sums['ordered']}.",
        de=f"{cap(when.a)} waren es {plural(sums['orders'], 'Bestellung', 'Bestellungen')} ab {least} USD, "
        f"zusammen {sums['ordered']}.",
        zh=f"{when.a}有 {sums['orders']} 张 {least} USD 以上的采购订单，共 {sums['ordered']}。",
    )  # fmt: skip


def largest_order(rng: Rng, language: Language) -> Talk:
    when = span(rng, language, ("this_month", "last_month", "this_year", "last_quarter"))
    category = rng.some(["", rng.some(list(CATEGORIES))])
    en = f" for {category.lower()}" if category else ""
    yield asked(
        rng, language, "erp",
        en=f"What was our largest purchase order{en} {when.q}?|biggest PO{en} {when.q}|which{en} order was the most "
        f"expensive {when.q}?|highest single purchase order{en} {when.q}, with vendor",
        de=f"Was war {when.q} unsere größte Bestellung{f' der Kategorie {category}' if category else ''}?|Größte "
        f"Einzelbestellung{f' für {category}' if category else ''} {when.q}?",
        zh=f"{when.q}金额最大的{category}采购订单是哪张？|{when.q}最大的一张{category}采购单",
    )  # fmt: skip
    more = {"category": category} if category else {}
    seen = yield call("Largest first: its row is the first.", "get_purchase_orders", sort="largest", **more, **when.
        args)  # fmt: skip
    rows = table(seen)
    if not rows:
        yield told(
            language, "Totals: orders 0.", en=f"There were no such purchase orders {when.a}.",
            de=f"Es gab {when.a} keine solchen Bestellungen.", zh=f"{when.a}没有这样的采购订单。",
        )  # fmt: skip
        return
    row = rows[0]
    yield told(
        language, f"First row: {row['order id']}, {row['vendor']}, total {row['total']} USD.",
        en=f"The largest order{en} {when.a} is {row['order id']} with {row['vendor']}: {row['total']} USD.",
        de=f"Die größte Bestellung {when.a} ist {row['order id']} bei {row['vendor']}: {row['total']} USD.",
        zh=f"{when.a}最大的采购订单是 {row['order id']}（{row['vendor']}），{row['total']} USD。",
    )  # fmt: skip


def orders_compared(rng: Rng, language: Language) -> Talk:
    when = named(rng, language, rng.some(["last_month", "this_month", "last_quarter", "this_quarter"]))
    year = rng.chance(0.4)
    en, de, zh = (
        ("the same period a year ago", "dem Vorjahr", "去年同期") if year
        else ("the period before", "dem Zeitraum davor", "前一期")
    )  # fmt: skip
    yield asked(rng, language, "erp",
        en=f"Did we place more purchase orders {when.q} than in {en}?|POs {when.q} compared with {en}|how does the "
        "number " f"of purchase orders {when.q} compare to {en}?|purchase orders {when.q} vs {en}: more or fewer?",
        de=f"Haben wir {when.q} mehr Bestellungen aufgegeben als in {de}?|Anzahl Bestellungen {when.q} verglichen "
        f"mit {de}?",
        zh=f"{when.q}的采购订单比{zh}多还是少？|{when.q}采购订单数和{zh}相比如何",
    )  # fmt: skip
    seen = yield call(
        f"Orders of the period, compared with {'a year before' if year else 'the one before'}.",
        "get_purchase_orders", compare="last_year" if year else "previous_period", **when.args,
    )  # fmt: skip
    sums, before = totals(seen), then(seen)
    if "orders" not in before or "change orders" not in before:
        return
    change = before["change orders"]
    size = change.lstrip("+-")
    more = change.startswith("+") and change != "+0"
    if size == "0":
        yield told(
            language, f"Totals: orders {sums['orders']}. Compared: orders {change}. Then: orders {before['orders']}.",
            en=f"Just as many: {sums['orders']} orders {when.a} and {before['orders']} in {en}.",
            de=f"Gleich viele: {sums['orders']} Bestellungen {when.a} und {before['orders']} in {de}.",
            zh=f"一样多：{when.a} {sums['orders']} 张，{zh} {before['orders']} 张。",
        )  # fmt: skip
        return
    yield told(
        language, f"Totals: orders {sums['orders']}. Compared: orders {change}. Then: orders {before['orders']}.",
        en=f"{'More' if more else 'Fewer'}: {sums['orders']} orders {when.a}, {before['orders']} in {en}, "
        f"{size} {'more' if more else 'fewer'}.",
        de=f"{'Mehr' if more else 'Weniger'}: {sums['orders']} Bestellungen {when.a}, {before['orders']} in {de} "
        f"({change}).",
        zh=f"{'更多' if more else '更少'}：{when.a} {sums['orders']} 张，{zh} {before['orders']} 张（{change}）。",
    )  # fmt: skip


def wrong_status(rng: Rng, language: Language) -> Talk:
    """A word of the question taken for the tool's own; the error says which there are."""
    slip, right, en, de, zh = rng.some([("overdue", "late", "overdue", "überfällig", "逾期"), ("delivered",
        "received", "delivered", "geliefert", "已到货"), ("canceled", "cancelled", "canceled", "storniert",
        "被取消"), ("partially", "partial", "partly delivered", "teilweise geliefert", "部分到货"), ])  # fmt: skip
    when = named(rng, language, rng.some(["last_month", "this_year", "last_quarter"]))
    more = when.args if right in ("received", "cancelled") else {}
    q, a = (f" {when.q}", f" {when.a}") if more else ("", "")
    zq = when.q if more else "目前"
    yield asked(
        rng, language, "erp",
        en=f"How many purchase orders{' placed' + q if more else ''} are {en}?|{en} POs{q}: how many?|count of {en} "
        f"purchase orders{q}|how many of our vendor orders{q} are {en}",
        de=f"Wie viele Bestellungen{q} sind {de}?|Anzahl Bestellungen{q}, die {de} sind?",
        zh=f"{zq}{zh}的采购订单有多少张？|{zq}有几张采购订单{zh}",
    )  # fmt: skip
    yield mistake(f"Orders that are {slip}.", "get_purchase_orders", status=slip, **more)
    seen = yield call(f"The status has another name: {right}.", "get_purchase_orders", status=right, **more)
    sums = totals(seen)
    yield told(
        language, f"Totals: orders {sums['orders']}.",
        en=f"{plural(sums['orders'], 'purchase order', 'purchase orders')}{a} {en} ({sums['ordered']}).",
        de=f"{plural(sums['orders'], 'Bestellung', 'Bestellungen')}{a} {de} ({sums['ordered']}).",
        zh=f"{when.a if more else '目前'}{zh}的采购订单有 {sums['orders']} 张（{sums['ordered']}）。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    orders_of_period: 4, late_orders: 4, longest_late: 2, orders_of_vendor: 4, one_order: 3, large_orders: 2,
    largest_order: 2, orders_compared: 2, wrong_status: 2,
}  # fmt: skip
