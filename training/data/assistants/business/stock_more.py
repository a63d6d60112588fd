"""Talks about stock and about what was sold: more of them."""

from training.data.assistants.business.parts import (
    asked,
    customers,
    items,
    listed,
    named,
    number,
    span,
    table,
    told,
    totals,
)
from training.data.assistants.business.stock import SOLD, YEARS
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng


def unknown_item(rng: Rng, language: Language) -> Talk:
    name = rng.some(["ABS 900X", "Unobtainium", "PVC S65", "Copper Wire 2 mm", "Silicone 40", "Teflon Rod"])
    yield asked(
        rng, language, "erp",
        en=f"How much {name} is in stock?|stock of {name}|inventory level of {name}?|do we have {name} on hand",
        de=f"Wie viel {name} haben wir auf Lager?|Bestand {name}?", zh=f"{name} 的库存有多少？|库存里有 {name} 吗",
    )  # fmt: skip
    seen = yield call("The item as named.", "get_inventory_levels", item=name)
    assert seen is not None
    yield told(language, f"Error: There is no item {name!r}."[:160],
        en=f"There is no item called {name} in our stock list. Is it perhaps under another " "name or id?",
        de=f"Einen Artikel {name} gibt es im Bestand nicht. Hat er einen anderen Namen?",
        zh=f"库存中没有名为 {name} 的物料，会不会是其他名称或编号？",
    )  # fmt: skip


def best_products(rng: Rng, language: Language) -> Talk:
    by, column, en, de, zh = rng.some([("revenue", "revenue", "revenue", "Umsatz", "销售额"), ("quantity",
        "quantity", "pieces sold", "Stückzahl", "销量")])  # fmt: skip
    low, few, when = rng.chance(0.25), rng.some([0, 0, 2, 3]), span(rng, language, YEARS, 0.2)
    line = rng.some(["", "", rng.some(SOLD)])
    n, of = f"{few} " if few else "", f" in the {line} line" if line else ""
    yield asked(rng, language, "crm",
        en=f"What {'are our ' + n if few else 'is our '}{'weakest' if low else 'best'}-selling "
        f"product{'s' * bool(few)}{of} by {en} {when.q}?|" f"{'bottom' if low else 'top'} "
        f"{n}product{'s' * bool(few)} by {en}{of} {when.q}|which {n}product{'s' * bool(few)}{of} sold "
        f"{'least' if low else 'most'} {when.q}, by {en}?|product sales {when.q}{of}: "
        f"{n}{'lowest' if low else 'leader'} by {en}",
        de=f"Welche {n}Produkte{f' der Linie {line}' if line else ''} verkauften sich {when.q} am "
        f"{'schlechtesten' if low else 'besten'} (nach " f"{de})?|Produktverkäufe {when.q} nach "
        f"{de}{f', {line}' if line else ''}: {'Schlusslicht' if low else 'Spitze'}, {few or 1} Stück?",
        zh=f"{when.q}{line}按{zh}{'卖得最差' if low else '最畅销'}的{few or '一'}个产品是什么？|"
        f"{when.q}{line}产品{zh}{'最低' if low else '最高'}的{few or '一'}个",
    )  # fmt: skip
    args = ({"by": by} if by != "revenue" else {}) | ({"order": "lowest"} if low else {}) | ({"category": line} if
        line else {})  # fmt: skip
    seen = yield call(f"Products ranked by {by}{', lowest first' if low else ''}.", "get_product_sales", **args, **
        when.args, **({"limit": few} if few else {}))  # fmt: skip
    rows = table(seen)[: few or 1]
    if not rows:
        return
    after = {"revenue": " USD", "quantity": {"en": " pieces", "de": " Stück", "zh": " 件"}[language]}[column]
    parts = [f"{row['product']} ({row[column]}{after})" for row in rows]
    yield told(language, f"First row{'s' * bool(few)}, {column}: " + ", ".join(f"{row['product']} {row[column]}" for
        row in rows) + ".",
        en=f"By {en} {when.a}{of}: {listed('en', parts)}.",
        de=f"Nach {de} {when.a}: {listed('de', parts)}.",
        zh=f"{when.a}按{zh}：{listed('zh', parts)}。",
    )  # fmt: skip


def sales_of_product(rng: Rng, language: Language) -> Talk:
    """Revenue or pieces of one product; who bought most of it."""
    item, when = rng.some(items("finished")), span(rng, language, YEARS, 0.25)
    way = rng.some(["revenue", "quantity", "customer"])
    what = {"revenue": (f"What revenue did {item} bring {when.q}?|sales of product {item} "
        f"{when.q} in USD|how much " f"did we earn selling {item} {when.q}?|"
        f"{item}: sales revenue {when.q}", f"Welchen Umsatz brachte das Produkt {item} "
        f"{when.q}?|Verkauf {item} {when.q}, Umsatz?", f"{when.q}产品 {item} 的销售额是多"
        f"少？|{item} {when.q}销售收入"), "quantity": (f"How many pieces of {item} were sold "
        f"{when.q}?|sold quantity of {item} {when.q}|number of {item} we sold {when.q}?|{item} "
        "units " f"sold {when.q}", f"Wie viele Stück {item} wurden {when.q} verkauft?|"
        f"Verkaufte Menge {item} {when.q}?", f"{when.q} {item} 卖了多少件？|{item} "
        f"{when.q}的销售数量"), "customer": (f"Which customer bought the most {item} "
        f"{when.q}?|top customer for {item} {when.q}|who is the main buyer of product {item} "
        f"{when.q}, " f"sales?|sales of {item} by customer {when.q}, first place",
        f"Welcher Kunde kaufte {when.q} am meisten " f"{item}?|Größter Kunde für "
        f"{item} {when.q}?", f"{when.q}哪个客户买 {item} 最多？|{item} {when.q}的" "最大客户"), }[
        way]  # fmt: skip
    yield asked(rng, language, "crm", en=what[0], de=what[1], zh=what[2])
    more = {"group_by": "customer"} if way == "customer" else {}
    seen = yield call("Customers of one product, ranked by revenue." if more else
        "Sales of one product: the totals.", "get_product_sales", item=item, **more, **when.args,
    )  # fmt: skip
    sums, row = totals(seen), next(iter(table(seen)), None)
    if row is None:
        yield told(language, "Totals: lines 0. Nothing matches.",
            en=f"No {item} was sold {when.a}.",
            de=f"{item} wurde {when.a} nicht verkauft.",
            zh=f"{when.a}没有卖出 {item}。",
        )  # fmt: skip
        return
    if way == "customer":
        yield told(language, f"First row: {row['customer']}, revenue {row['revenue']} USD.",
            en=f"{row['customer']}, with {row['revenue']} USD {when.a}.",
            de=f"{row['customer']}, mit {row['revenue']} USD {when.a}.",
            zh=f"{when.a}是 {row['customer']}，{row['revenue']} USD。",
        )  # fmt: skip
        return
    after = {"revenue": ("", "", ""), "quantity": (" pieces", " Stück", " 件")}[way]
    yield told(language, f"Totals: {way} {sums[way]}.",
        en=f"{item} {when.a}: {sums[way]}{after[0]} sold.",
        de=f"{item} {when.a}: {sums[way]}{after[1]} verkauft.",
        zh=f"{when.a} {item} 销售 {sums[way]}{after[2]}。",
    )  # fmt: skip


def sales_to_customer(rng: Rng, language: Language) -> Talk:
    """What one customer bought most; or the line that sells best."""
    when = span(rng, language, YEARS, 0.1)
    if rng.chance(0.5):
        yield asked(rng, language, "crm",
            en=f"Which product line had the highest sales {when.q}?|sales by product line {when.q}, who leads?|"
            f"best product category in sales {when.q}|rank " f"our product lines by sales revenue {when.q}: first?",
            de=f"Welche Produktlinie hatte {when.q} den höchsten Absatzumsatz?|Verkäufe nach "
            f"Produktlinie {when.q}: Platz eins?",
            zh=f"{when.q}哪条产品线销售额最高？|{when.q}按产品线看销售，第一是谁",
        )  # fmt: skip
        seen = yield call("Sales for each product line.", "get_product_sales", group_by="category", **when.args)
        row = next(iter(table(seen)), None)
        if row is None:
            return
        yield told(language, f"First row: {row['category']}, revenue {row['revenue']} USD, share {row['share']}.",
            en=f"{row['category']}: {row['revenue']} USD {when.a}, {row['share']} of the sales.",
            de=f"{row['category']}: {row['revenue']} USD {when.a}, Anteil {row['share']}.",
            zh=f"{when.a}是 {row['category']}：{row['revenue']} USD，占 {row['share']}。",
        )  # fmt: skip
        return
    customer = rng.some(customers())
    yield asked(rng, language, "crm",
        en=f"What does {customer} buy most from us ({when.q})?|top product of customer {customer} {when.q}|which "
        f"product did we sell most to {customer} {when.q}?" f"|{customer}: best-selling product {when.q}",
        de=f"Was kauft {customer} {when.q} am meisten?|Wichtigstes Produkt für {customer} {when.q}?",
        zh=f"{when.q} {customer} 买得最多的产品是什么？|{when.q}卖给 {customer} 最多的产品",
    )  # fmt: skip
    seen = yield call("Products of one customer, ranked.", "get_product_sales", customer=customer, **when.args)
    row = next(iter(table(seen)), None)
    if row is None:
        yield told(language, "Totals: lines 0. Nothing matches.",
            en=f"{customer} bought nothing {when.a}.",
            de=f"{customer} hat {when.a} nichts gekauft.",
            zh=f"{when.a} {customer} 没有购买。",
        )  # fmt: skip
        return
    yield told(language, f"First row: {row['product']}, revenue {row['revenue']} USD.",
        en=f"{row['product']}: {row['revenue']} USD {when.a}.",
        de=f"{row['product']}: {row['revenue']} USD {when.a}.",
        zh=f"{row['product']}，{when.a} {row['revenue']} USD。",
    )  # fmt: skip


def wrong_place(rng: Rng, language: Language) -> Talk:
    """A city that is no warehouse: the error names those there are."""
    slip, right, name = rng.some([("Rotterdam warehouse", "WH-002", "Rotterdam"), ("Chicago DC", "WH-003",
        "Chicago"), ("WH-02", "WH-002", "WH-02")])  # fmt: skip
    yield asked(rng, language, "erp",
        en=f"Value of the stock in our {name} warehouse?|stock value, {name} warehouse|what is in the {name} "
        f"warehouse worth|inventory of {name} in USD",
        de=f"Bestandswert im Lager {name}?|Was ist der Bestand im Lager {name} wert?",
        zh=f"{name} 仓库的库存价值？|{name} 仓库库存金额",
    )  # fmt: skip
    seen = None
    if name != "WH-02":
        seen = yield mistake("The warehouse as named.", "get_inventory_levels", warehouse_id=slip)
    if seen is not None and not seen.failed:
        return
    more = "Its id is in the message." if seen is not None else "One warehouse, by what was said."
    seen = yield call(more, "get_inventory_levels", warehouse_id=right if name != "WH-02" else name)
    value = totals(seen).get("value")
    if value is None:
        return
    yield told(language, f"Totals: value {value}.",
        en=f"The stock in {name} is worth {value}.",
        de=f"Der Bestand in {name} ist {value} wert.",
        zh=f"{name} 仓库库存价值 {value}。",
    )  # fmt: skip


def month_of_sales(rng: Rng, language: Language) -> Talk:
    when = named(rng, language, rng.some(["last_year", "last_12_months"]))
    item = rng.some(items("finished"))
    yield asked(rng, language, "crm",
        en=f"In which month {when.q} did {item} sell best?|best sales month of product {item} {when.q}|{item} "
        f"sales per month {when.q}, top month?|month with most " f"sales of {item} {when.q}",
        de=f"In welchem Monat verkaufte sich {item} {when.q} am besten?|Bester Verkaufsmonat von {item} {when.q}?",
        zh=f"{when.q} {item} 哪个月销售最好？|{item} {when.q}按月销售最高的月份",
    )  # fmt: skip
    seen = yield call("Sales of one product for each month.", "get_product_sales", item=item, group_by="month", **
        when.args)  # fmt: skip
    rows = table(seen)
    if not rows:
        yield told(language, "Totals: lines 0. Nothing matches.",
            en=f"No {item} was sold {when.a}.",
            de=f"{item} wurde {when.a} nicht verkauft.",
            zh=f"{when.a}没有卖出 {item}。",
        )  # fmt: skip
        return
    row = max(rows, key=lambda each: number(each["revenue"]))
    yield told(language, f"Highest revenue: {row['month']}, {row['revenue']} USD.",
        en=f"{row['month']}, with {row['revenue']} USD for {item}.",
        de=f"{row['month']}, mit {row['revenue']} USD für {item}.",
        zh=f"{row['month']}，{item} 销售 {row['revenue']} USD。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    unknown_item: 1,
    best_products: 4,
    sales_of_product: 3,
    sales_to_customer: 3,
    wrong_place: 1,
    month_of_sales: 1,
}
