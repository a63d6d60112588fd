"""Talks about profit and loss, and unpaid invoices."""

from training.data.assistants.business.parts import (
    MONTHLY,
    asked,
    cap,
    listed,
    month_span,
    named,
    number,
    span,
    table,
    then,
    told,
    totals,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng

FIGURES = {"revenue": ("revenue", "revenue|turnover|total sales figure from the books", "Umsatz|Erlöse",
    "营业收入|营收"), "cost of sales": ("cost_of_sales", "cost of sales|COGS|cost of goods sold",
    "Umsatzkosten|Herstellungskosten des Umsatzes", "销售成本|主营成本"), "expenses": ("expense",
    "operating expenses|total expenses|overhead expenses", "Betriebsausgaben|Aufwendungen", "费用总额|运营费用"),
    "gross profit": ("margins", "gross profit", "Rohertrag|Bruttogewinn", "毛利|毛利额"), "net profit": ("margins",
    "net profit|profit after all costs|bottom line profit", "Nettogewinn|Reingewinn", "净利润|净利"),
    "gross margin": ("margins", "gross margin|gross margin in percent", "Bruttomarge|Rohmarge in Prozent", "毛利率"),
    "net margin": ("margins", "net margin|net margin percentage", "Nettomarge|Nettomarge in Prozent",
    "净利率|净利润率"), }  # fmt: skip


EXPENSES = {"Payroll": ("payroll", "Löhne und Gehälter (Payroll)", "工资（Payroll）"), "Rent": ("rent",
    "Miete (Rent)", "租金（Rent）"), "Energy": ("energy", "Energie (Energy)", "能源（Energy）"), "Logistics": (
    "logistics", "Logistik (Logistics)", "物流（Logistics）"), "IT": ("IT", "IT", "IT"), "Marketing": ("marketing",
    "Marketing", "市场（Marketing）"), "Travel": ("travel", "Reisen (Travel)", "差旅（Travel）"), "Insurance": (
    "insurance", "Versicherung (Insurance)", "保险（Insurance）"), }  # fmt: skip


LINES = ["Housings", "Connectors", "Gears", "Automotive", "Medical", "Consumer"]


def one_figure(rng: Rng, language: Language) -> Talk:
    """One line of the statement, perhaps with another period after it."""
    figure = rng.some(list(FIGURES))
    section, *words = FIGURES[figure]
    en, de, zh = (rng.some(each.split("|")) for each in words)
    when = span(rng, language, MONTHLY)
    yield asked(rng, language, "erp",
        en=f"What was our {en} {when.q}?|{en} {when.q}?|how high was the {en} of the company {when.q}|I'd need the "
        f"{en} " f"{when.q} please|finance: {en} {when.q}",
        de=f"Wie hoch war {when.q} der Posten {de}?|{de} {when.q}?|Finanzen: {de} {when.q}",
        zh=f"{when.q}的{zh}是多少？|公司{when.q}{zh}多少|财务：{when.q}{zh}",
    )  # fmt: skip
    thought = (
        "Profit and margins: section margins." if section == "margins" else f"One part of the statement: {section}."
    )
    seen = yield call(thought, "get_financial_summary", section=section, **when.args)
    cell = totals(seen)[figure]
    if cell == "–":
        yield told(language, f"Totals: {figure} –, as revenue is 0.00 USD.",
            en=f"There is no {figure} {when.a}: no revenue was posted.",
            de=f"{cap(when.a)} gibt es keine Marge: kein Umsatz gebucht.",
            zh=f"{when.a}没有营业收入，因此没有{zh}。",
        )  # fmt: skip
        return
    yield told(language, f"Totals: {figure} {cell}.",
        en=f"The {figure} {when.a} {'were' if figure == 'expenses' else 'was'} {cell}.",
        de=f"{de} {when.a}: {cell}.",
        zh=f"{when.a}{zh}为 {cell}。",
    )  # fmt: skip
    if rng.chance(0.4):
        other = month_span(language, rng.randrange(2, 9)) if rng.chance(0.4) else named(rng, language, rng.some(
            MONTHLY))  # fmt: skip
        if other.args == when.args:
            return
        yield asked(
            rng, language, "erp", again=True, en=f"and {other.q}?|what about {other.q}|same {other.q}?",
            de=f"Und {other.q}?|Wie war es {other.q}?", zh=f"{other.q}呢？|那{other.q}是多少",
        )  # fmt: skip
        seen = yield call("The same for another period.", "get_financial_summary", section=section, **other.args)
        cell = totals(seen)[figure]
        if cell == "–":
            return
        yield told(language, f"Totals: {figure} {cell}.",
            en=f"{cap(other.a)} the {figure} {'were' if figure == 'expenses' else 'was'} {cell}.",
            de=f"{de} {other.a}: {cell}.",
            zh=f"{other.a}{zh}为 {cell}。",
        )  # fmt: skip


def figure_compared(rng: Rng, language: Language) -> Talk:
    figure = rng.some(["revenue", "cost of sales", "expenses", "net profit", "gross profit"])
    section, *words = FIGURES[figure]
    en, de, zh = (each.split("|")[0] for each in words)
    when, year = named(rng, language, rng.some(["last_month", "last_quarter"])), rng.chance(0.5)
    e, d, z = (
        ("a year earlier", "dem Vorjahr", "去年同期") if year else ("the period before", "dem Zeitraum davor", "上一期")
    )  # fmt: skip
    yield asked(rng, language, "erp",
        en=f"By how much did {en} change {when.q} compared with {e}?|{en} {when.q} vs {e}|was our {en} {when.q} up "
        "or down on " f"{e}?|change of {en} {when.q} against {e}, in percent too",
        de=f"Veränderung bei {de} {when.q} gegenüber {d}?|{de} {when.q}, verglichen mit {d}?",
        zh=f"{when.q}{zh}与{z}相比变化多少？|{when.q}{zh}比{z}增加还是减少",
    )  # fmt: skip
    seen = yield call(
        f"Section {section}, compared with {'last year' if year else 'the period before'}.", "get_financial_summary",
        section=section, compare="last_year" if year else "previous_period", **when.args,
    )  # fmt: skip
    sums, before = totals(seen), then(seen)
    if not before.get(f"share {figure}"):
        return
    change, share = before[f"change {figure}"], before[f"share {figure}"]
    up = change.startswith("+")
    yield told(language, f"Totals: {figure} {sums[figure]}. Compared: {figure} {change} ({share}). Then: "
        f"{before[figure]}.",
        en=f"{figure.capitalize()} {when.a}: {sums[figure]}, {'up' if up else 'down'} from {before[figure]} {e}: "
        f"{change} " f"USD ({share}).",
        de=f"{de} {when.a}: {sums[figure]}, gegenüber {before[figure]} in {d}: {change} USD ({share}).",
        zh=f"{when.a}{zh}为 {sums[figure]}，{z}为 {before[figure]}，{'增加' if up else '减少'}：{change} USD（"
        f"{share}）。",
    )  # fmt: skip


def kind_of_expense(rng: Rng, language: Language) -> Talk:
    category, when = rng.some(list(EXPENSES)), span(rng, language, MONTHLY)
    en, de, zh = EXPENSES[category]
    yield asked(rng, language, "erp",
        en=f"How much did we spend on {en} {when.q}?|{en} costs {when.q}|what were the {en} expenses {when.q}?|"
        f"cost of {en} " f"{when.q}, from the books",
        de=f"Wie hoch waren die Kosten für {de} {when.q}?|Ausgaben für {de} {when.q}?",
        zh=f"{when.q}{zh}费用是多少？|{when.q}在{zh}上的费用支出",
    )  # fmt: skip
    seen = yield call(f"One kind of expense: category {category}.", "get_financial_summary", category=category, **
        when.args)  # fmt: skip
    cell = totals(seen).get("expenses", "")
    if not cell:
        return
    yield told(
        language, f"Totals: expenses {cell} (category {category}).", en=f"We spent {cell} on {en} {when.a}.",
        de=f"Die Kosten für {de} betrugen {when.a} {cell}.", zh=f"{when.a}{zh}费用为 {cell}。",
    )  # fmt: skip


def product_line(rng: Rng, language: Language) -> Talk:
    line, when = rng.some(LINES), span(rng, language, ("last_month", "last_quarter", "this_year", "last_year"))
    figure = rng.some(["gross margin", "gross profit", "revenue"])
    _, *words = FIGURES[figure]
    en, de, zh = (each.split("|")[0] for each in words)
    yield asked(rng, language, "erp",
        en=f"What {en} did the {line} line make {when.q}?|{en} of {line} products {when.q}, from the P&L|profit "
        f"and loss: {en} " f"for {line} {when.q}?|{line} product line: {en} {when.q}",
        de=f"Produktlinie {line}: {de} {when.q}?|Ergebnisrechnung {line} {when.q}: {de}?",
        zh=f"{when.q} {line} 产品线的{zh}是多少？|财务上 {line} 产品线{when.q}{zh}",
    )  # fmt: skip
    more = {"section": "revenue"} if figure == "revenue" else {}
    seen = yield call(f"Statement of one product line: {line}.", "get_financial_summary", category=line, **more, **
        when.args)  # fmt: skip
    cell = totals(seen).get(figure, "–")
    if cell == "–":
        return
    yield told(language, f"Totals: {figure} {cell} (category {line}).",
        en=f"The {line} line made a {figure} of {cell} {when.a}.",
        de=f"{line}, {de} {when.a}: {cell}.",
        zh=f"{when.a} {line} 产品线的{zh}为 {cell}。",
    )  # fmt: skip


def made_profit(rng: Rng, language: Language) -> Talk:
    when = span(rng, language, MONTHLY)
    yield asked(rng, language, "erp",
        en=f"Did we make a profit {when.q}?|are we in the black {when.q}, profit wise?|profit or loss {when.q}?|"
        "was the company " f"profitable {when.q}",
        de=f"Haben wir {when.q} Gewinn gemacht?|Gewinn oder Verlust {when.q}?",
        zh=f"{when.q}盈利了吗？|{when.q}是利润还是亏损",
    )  # fmt: skip
    seen = yield call("Net profit: section margins.", "get_financial_summary", section="margins", **when.args)
    net = totals(seen)["net profit"]
    loss = net.startswith("-")
    yield told(
        language, f"Totals: net profit {net}{', below zero: a loss' if loss else ''}.",
        en=f"{'No' if loss else 'Yes'}, the net profit {when.a} is {net}.",
        de=f"{'Nein' if loss else 'Ja'}, der Nettogewinn beträgt {when.a} {net}.",
        zh=f"{'没有' if loss else '盈利了'}，{when.a}净利润为 {net}。",
    )  # fmt: skip


def largest_expense(rng: Rng, language: Language) -> Talk:
    few, when = rng.some([0, 2, 3]), span(rng, language, MONTHLY, 0.2)
    n = f"{few} " if few else ""
    yield asked(rng, language, "erp",
        en=f"What {'were our ' + n + 'largest expenses' if few else 'was our largest expense'} {when.q}?|biggest "
        f"{n}cost block" f"{'s' * bool(few)} among expenses {when.q}|top {n}expense categor{'ies' if few else 'y'} "
        f"{when.q}|which {n}kinds of " f"expense cost most {when.q}?",
        de=f"Was waren {when.q} die {n}größten Kostenarten?|Größte {n}Ausgabenposten {when.q}?",
        zh=f"{when.q}最大的{few or ''}{'项' if few else ''}费用是什么？|{when.q}费用最高的{few or '一'}项",
    )  # fmt: skip
    seen = yield call("Expenses line by line.", "get_financial_summary", section="expense", **when.args)
    rows = sorted(table(seen), key=lambda each: -number(each["amount"]))[: few or 1]
    if not rows or number(rows[-1]["amount"]) <= 0:
        return
    parts = [f"{row['category']} ({row['amount']} USD)" for row in rows]
    yield told(
        language, f"Highest amounts: {', '.join(parts)}.", en=f"Largest {when.a}: {listed('en', parts)}.",
        de=f"Am größten {when.a}: {listed('de', parts)}.", zh=f"{when.a}最大的是：{listed('zh', parts)}。",
    )  # fmt: skip


def best_month(rng: Rng, language: Language) -> Talk:
    figure, low = rng.some(["revenue", "expenses"]), rng.chance(0.35)
    section, *words = FIGURES[figure]
    en, de, zh = (each.split("|")[0] for each in words)
    when = named(rng, language, rng.some(["last_year", "last_12_months", "last_year"]))
    yield asked(rng, language, "erp",
        en=f"In which month were {en} {'lowest' if low else 'highest'} {when.q}?|{en} month by month {when.q}, "
        "which one was " f"{'weakest' if low else 'strongest'}?|monthly {en} {when.q}: "
        f"{'lowest' if low else 'peak'} month|{en} trend {when.q}, " f"month with the {'least' if low else 'most'}",
        de=f"In welchem Monat war {de} {when.q} am {'niedrigsten' if low else 'höchsten'}?|{de} je Monat {when.q}: "
        f"{'schwächster' if low else 'stärkster'} Monat?",
        zh=f"{when.q}哪个月{zh}最{'低' if low else '高'}？|按月看{when.q}{zh}，最{'低' if low else '高'}的是哪个月",
    )  # fmt: skip
    seen = yield call(f"{en.capitalize()} for each month: trend month.", "get_financial_summary", section=section,
        trend="month", **when.args)  # fmt: skip
    rows = table(seen, "Trend")
    if len(rows) < 6:
        return
    row = (min if low else max)(rows, key=lambda each: number(each[figure]))
    yield told(
        language, f"{'Lowest' if low else 'Highest'} row of the trend: {row['month']}, {figure} {row[figure]} USD.",
        en=f"{row['month']}, with {figure} of {row[figure]} USD.", de=f"{row['month']}, mit {row[figure]} USD ({de}).",
        zh=f"{row['month']}，{zh}为 {row[figure]} USD。",
    )  # fmt: skip


def past_due(rng: Rng, language: Language) -> Talk:
    """Overdue on one side, as a count or an amount; or the side that is larger."""
    ours, count = rng.chance(0.6), rng.chance(0.4)
    if ours:
        en, de, zh = "customer invoices", "Kundenrechnungen", "客户发票"
        who = "What sum of customer invoices is past due?|overdue amount from customers|overdue on the customer side?"
        wer, shui = (
            "Wie viel schulden uns Kunden überfällig?|Überfälliger Betrag der Kunden?",
            "客户逾期欠我们多少钱？|客户逾期款总额",
        )
    else:
        en, de, zh = "vendor invoices", "Lieferantenrechnungen", "供应商发票"
        who = "How much do we owe vendors past due?|our overdue bills to suppliers, amount|what do we pay vendors late?"
        wer, shui = (
            "Wie viel schulden wir Lieferanten überfällig?|Überfällige Beträge an Lieferanten?",
            "我们逾期未付给供应商多少钱？|逾期应付款金额",
        )
    if count:
        yield asked(rng, language, "erp",
            en=f"How many {en} are past due?|number of overdue {en}|count of {en} beyond their due date?|how many "
            f"unpaid {en} are " "overdue today",
            de=f"Wie viele {de} sind überfällig?|Anzahl überfälliger {de}?",
            zh=f"有多少张{zh}已逾期？|逾期{zh}数量",
        )  # fmt: skip
    else:
        yield asked(rng, language, "erp", en=who, de=wer, zh=shui)
    seen = yield call("Unpaid and past due, both sides: section overdue.", "get_financial_summary", section="overdue")
    sums = totals(seen)
    many, money = ((sums["customer invoices"], sums["customers owe us"]) if ours else (sums["vendor invoices"], sums
        ["we owe vendors"]))  # fmt: skip
    thought = (
        f"Totals: {'customer invoices' if ours else 'vendor invoices'} {many}, "
        f"{'customers owe us' if ours else 'we owe vendors'} {money}."
    )
    yield told(
        language, thought, en=f"{many} {en} are overdue today, {money} in all.",
        de=f"Heute sind {many} {de} überfällig, zusammen {money}.", zh=f"今天有 {many} 张{zh}逾期，共 {money}。",
    )  # fmt: skip
    side = "receivable" if ours else "payable"
    row = next((each for each in table(seen) if each["kind"] == side), None)
    if row is not None and rng.chance(0.4):
        yield asked(
            rng, language, "erp", again=True,
            en="which of these has been overdue longest?|and which one is the oldest|longest overdue of them?",
            de="Welche davon ist am längsten überfällig?|Und die älteste?", zh="逾期最久的是哪张？|最久的一张呢",
        )  # fmt: skip
        yield told(language, f"First {side} row, longest due first: {row['invoice id']}, {row['company']}, "
            f"{row['days overdue']} days.",
            en=f"{row['invoice id']} of {row['company']}: {row['days overdue']} days overdue, {row['amount']} USD.",
            de=f"{row['invoice id']} ({row['company']}): seit {row['days overdue']} Tagen überfällig, "
            f"{row['amount']} USD.",
            zh=f"{row['invoice id']}（{row['company']}），逾期 {row['days overdue']} 天，{row['amount']} USD。",
        )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    one_figure: 6,
    figure_compared: 3,
    kind_of_expense: 3,
    product_line: 2,
    made_profit: 2,
    largest_expense: 2,
    best_month: 2,
    past_due: 4,
}
