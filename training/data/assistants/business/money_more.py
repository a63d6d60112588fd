"""Talks about profit and loss, and unpaid invoices: more of them."""

from training.data.assistants.business.money import FIGURES
from training.data.assistants.business.parts import (
    asked,
    cap,
    customers,
    month_span,
    number,
    plural,
    rows_of,
    table,
    then,
    told,
    totals,
    vendors,
)
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng


def unpaid(rng: Rng, language: Language) -> Talk:
    """All that is unpaid on one side, due or not."""
    section = rng.some(["payable", "receivable"])
    pay = section == "payable"
    part = rng.some(["amount", "invoices", "overdue"])
    en, de, zh = (
        ("accounts payable", "offene Verbindlichkeiten", "应付账款") if pay
        else ("accounts receivable", "offene Forderungen", "应收账款")
    )  # fmt: skip
    what = {"amount": (f"How much are our {en} at present?|total {en} right now|{en}: sum of "
        "what is unpaid?|what " "do "
        f"{'we still have to pay to vendors' if pay else 'customers still have to pay us'}, "
        "due or not", f"Wie hoch sind unsere {de}?|Summe: {de}?",
        f"目前{zh}总额是多少？|{zh}一共多少"), "invoices": (f"How many invoices are in {en}?|number of "
        f"unpaid {'vendor' if pay else 'customer'} invoices|how many " "bills "
        f"are open in {en}?|count open invoices, {en}", "Wie viele Rechnungen umfassen unsere "
        f"{de}?|" f"Anzahl Rechnungen, {de}?", f"{zh}里有多少张未付发票？|未付{zh}发票数量"),
        "overdue": (f"How much of our {en} is overdue?|" f"overdue part of {en}|of all {en}, "
        f"which amount is past due?|{en}: overdue " "share in USD",
        f"Welcher Teil unserer {de.replace('offene ', 'offenen ')} ist überfällig?|{cap(de)}: "
        "überfälliger Teil?", f"{zh}中逾期的有多少？|{zh}的逾期金额"), }[part]  # fmt: skip
    yield asked(rng, language, "erp", en=what[0], de=what[1], zh=what[2])
    seen = yield call(f"Unpaid invoices of one side: {section}.", "get_financial_summary", section=section)
    sums = totals(seen)
    yield told(language, f"Totals: invoices {sums['invoices']}, amount {sums['amount']}, overdue "
        f"{sums['overdue']}. Asked: {part}.", en={"amount": f"The {en} stand at {sums['amount']} today "
        f"({sums['invoices']} invoices).", "invoices": f"{sums['invoices']} invoices are unpaid in {en}.",
        "overdue": f"{sums['overdue']} of the {en} is overdue "
        f"({plural(sums['overdue invoices'], 'invoice', 'invoices')})."}[part], de={"amount":
        f"Heute {de}: {sums['amount']} ({sums['invoices']} Rechnungen).", "invoices":
        f"{cap(de)}: {sums['invoices']} " "unbezahlte Rechnungen.", "overdue": f"{cap(de)}, davon überfällig: "
        f"{sums['overdue']}."}[part], zh={"amount": f"目前{zh}为 {sums['amount']}（{sums['invoices']} 张发票）。",
        "invoices": f"{zh}中有 {sums['invoices']} 张未付发票。", "overdue": f"{zh}中已逾期 {sums['overdue']}。"}[
        part],
    )  # fmt: skip


def unpaid_of_company(rng: Rng, language: Language) -> Talk:
    vendor = rng.chance(0.4)
    open_ids = {row[2] for row in rows_of("invoices") if row[6] is None}
    names = [row[1] for row in rows_of("vendors" if vendor else "customers") if row[0] in open_ids]
    name = rng.some(names if names and rng.chance(0.8) else vendors() if vendor else customers())
    if vendor:
        yield asked(rng, language, "erp",
            en=f"What do we still owe {name}?|open invoices from vendor {name}|unpaid bills of {name}, how much?|"
            "how much payable to " f"{name}",
            de=f"Was schulden wir {name} noch?|Offene Rechnungen von {name}?",
            zh=f"我们还欠 {name} 多少应付款？|{name} 的未付发票",
        )  # fmt: skip
    else:
        yield asked(rng, language, "erp",
            en=f"How much does {name} still have to pay us?|open receivables of {name}|unpaid invoices of customer "
            f"{name}?|what does " f"{name} owe us, overdue or not",
            de=f"Wie viel muss {name} uns noch zahlen?|Offene Forderungen an {name}?",
            zh=f"{name} 还欠我们多少应收款？|{name} 的应收账款余额",
        )  # fmt: skip
    section = "payable" if vendor else "receivable"
    seen = yield call(f"Unpaid invoices of one company: {section}.", "get_financial_summary", section=section,
        company=name)  # fmt: skip
    sums = totals(seen)
    if sums["invoices"] == "0":
        yield told(
            language, "Totals: invoices 0.", en=f"Nothing: there are no unpaid invoices of {name} today.",
            de=f"Nichts: von {name} sind heute keine Rechnungen offen.", zh=f"没有，{name} 目前没有未付发票。",
        )  # fmt: skip
        return
    yield told(language, f"Totals: invoices {sums['invoices']}, amount {sums['amount']}.",
        en=f"{sums['amount']} in {plural(sums['invoices'], 'unpaid invoice', 'unpaid invoices')} of {name}, "
        f"{sums['overdue']} of it overdue.",
        de=f"{sums['amount']} in {sums['invoices']} offenen Rechnungen ({name}), davon {sums['overdue']} "
        "überfällig.",
        zh=f"{name} 有 {sums['invoices']} 张未付发票，共 {sums['amount']}，其中逾期 {sums['overdue']}。",
    )  # fmt: skip


def long_overdue(rng: Rng, language: Language) -> Talk:
    days = rng.some([7, 10, 14, 20, 30])
    yield asked(rng, language, "erp",
        en=f"Which customer invoices are at least {days} days overdue?|receivables {days}+ days past due, how many|"
        "invoices that " f"customers should have paid {days} or more days ago?|how much is owed to us for {days} "
        "days or longer",
        de=f"Welche Kundenrechnungen sind seit mindestens {days} Tagen überfällig?|Forderungen, {days} Tage oder "
        "mehr überfällig?",
        zh=f"逾期{days}天以上的客户发票有多少？|应收账款中逾期至少{days}天的",
    )  # fmt: skip
    if rng.chance(0.3):
        yield mistake("Old unpaid invoices.", "get_financial_summary", min_days_overdue=days)
    seen = yield call(f"Receivable, at least {days} days overdue.", "get_financial_summary", section="receivable",
        min_days_overdue=days)  # fmt: skip
    sums = totals(seen)
    many = sums["invoices"]
    yield told(language, f"Totals: invoices {many}, amount {sums['amount']}.",
        en=f"{plural(many, 'customer invoice is', 'customer invoices are')} {days} or more days overdue, "
        f"{sums['amount']}.",
        de=f"{many} Kundenrechnungen sind seit {days} Tagen oder länger überfällig, {sums['amount']}.",
        zh=f"逾期{days}天以上的客户发票有 {many} 张，共 {sums['amount']}。",
    )  # fmt: skip


def cash(rng: Rng, language: Language) -> Talk:
    account, en, de, zh = rng.some(
        [("Cash", "cash", "Kasse und Bank (Cash)", "现金"), ("Cash", "cash balance", "Kassenbestand", "现金余额"),
         ("Inventory", "inventory account balance in the books", "Saldo des Kontos Inventory", "账面存货余额")]
    )  # fmt: skip
    yield asked(
        rng, language, "erp",
        en=f"What is our {en} today?|{en} right now, finance|how much {en} do we have?|current {en}",
        de=f"Wie hoch ist heute: {de}?|Finanzen: {de}?", zh=f"公司目前{zh}是多少？|财务：{zh}多少",
    )  # fmt: skip
    seen = yield call("Balances come with the whole summary.", "get_financial_summary")
    row = next((each for each in table(seen, "Balances") if each["account"] == account), None)
    if row is None:
        return
    yield told(language, f"Balances: {account} {row['balance']} USD on {row['day']}.",
        en=f"{account} stands at {row['balance']} USD as of {row['day']}.",
        de=f"{account}: {row['balance']} USD am {row['day']}.",
        zh=f"截至 {row['day']}，{zh}为 {row['balance']} USD。",
    )  # fmt: skip


def two_months(rng: Rng, language: Language) -> Talk:
    """One month and the one before it are one call that compares; two others are two calls and one difference."""
    figure = rng.some(["revenue", "expenses"])
    section, *words = FIGURES[figure]
    en, de, zh = (each.split("|")[0] for each in words)
    near = rng.chance(0.5)
    back = rng.randrange(1, 8)
    late, early = (month_span(language, each) for each in (back, back + 1 if near else back + rng.randrange(2, 6)))
    yield asked(rng, language, "erp",
        en=f"What is the difference in {en} between what we had {early.q} and {late.q}?|{en}: {late.q} versus "
        f"{early.q}, how far " f"apart|how much more or less {en} {late.q} than {early.q}?|compare {en} {early.q} "
        f"with {late.q}",
        de=f"Wie groß ist der Unterschied bei {de}: {early.q} und {late.q}?|{de} {late.q} gegenüber {early.q}?",
        zh=f"{late.q}和{early.q}的{zh}相差多少？|{zh}：{late.q}比{early.q}多还是少多少",
    )  # fmt: skip
    if near:
        seen = yield call("The month before is the period before: compare.", "get_financial_summary", section=section,
            compare="previous_period", **late.args)  # fmt: skip
        two, one = totals(seen)[figure], then(seen).get(figure, "")
        if not one:
            return
    else:
        seen = yield call("The first month.", "get_financial_summary", section=section, **early.args)
        one = totals(seen)[figure]
        seen = yield call("And the other month.", "get_financial_summary", section=section, **late.args)
        two = totals(seen)[figure]
    first, second = number(one), number(two)
    size = f"{abs(second - first):,.2f}"
    more = second >= first
    high, low = (two, one) if more else (one, two)
    yield told(
        language, f"{high.removesuffix(' USD')} − {low.removesuffix(' USD')} = {size}.",
        en=f"{en.capitalize()} {late.a}: {two}; {early.a}: {one}. That is {size} USD {'more' if more else 'less'}.",
        de=f"{de} {late.a}: {two}, {early.a}: {one}. Das sind {size} USD {'mehr' if more else 'weniger'}.",
        zh=f"{late.a}{zh} {two}，{early.a} {one}，{'多' if more else '少'} {size} USD。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    unpaid: 4,
    unpaid_of_company: 3,
    long_overdue: 2,
    cash: 2,
    two_months: 2,
}
