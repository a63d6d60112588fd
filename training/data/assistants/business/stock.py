"""Talks about stock and about what was sold."""

from training.data.assistants.business.parts import (
    asked,
    listed,
    number,
    plural,
    rows_of,
    table,
    then,
    told,
    totals,
    unit,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng

PLACES = {
    "WH-001": "Dongguan Plant", "WH-002": "Rotterdam Distribution Center", "WH-003": "Chicago Distribution Center",
    "WH-004": "Monterrey Plant", "WH-005": "Spare Parts Store",
}  # fmt: skip


KINDS = {
    "material": ("materials", "Materialien", "原料"), "finished": ("finished goods", "Fertigwaren", "成品"),
    "spare": ("spare parts", "Ersatzteile", "备件"),
}  # fmt: skip


SOLD = ["Housings", "Connectors", "Gears", "Automotive", "Medical", "Consumer"]


YEARS = ("this_year", "last_year", "last_quarter", "last_month", "last_12_months")


def stock_value(rng: Rng, language: Language) -> Talk:
    """Of everything, a warehouse, a kind or a category: value, positions or how many are low."""
    kind = rng.randrange(4)
    args, en, de, zh = {}, "in all warehouses together", "in allen Lagern zusammen", "所有仓库"
    if kind == 1:
        place = rng.some(list(PLACES))
        name = rng.some([place, PLACES[place]])
        args, en, de, zh = {"warehouse_id": name}, f"in {name}", f"in {name}", f"{name} 仓库"
    elif kind == 2:
        which = rng.some(list(KINDS))
        args, en, de, zh = {"kind": which}, f"of {KINDS[which][0]}", f"an {KINDS[which][1]}n".replace("nn", "n"), KINDS[
            which][2]  # fmt: skip
    elif kind == 3:
        category = rng.some(["Resins", "Colorants", "Inserts", "Electronics", "Housings", "Gears"])
        args, en, de, zh = {"category": category}, f"of {category}", f"an {category}", f"{category} 类"
    part = rng.some(["value", "value", "positions", "below reorder point"])
    what = {"value": (f"What is the stock {en} worth?|inventory value {en}|how much money is "
        "tied up in stock " f"{en}?|stock {en}: value please",
        f"Was ist der Bestand {de} wert?|Bestandswert {de}?",
        f"{zh}的库存价值是多少？|{zh}库存金额"), "positions": (f"How many stock positions are there {en}?|"
        "number of positions " f"in inventory {en}|count stock items {en}, "
        f"positions|stock {en}: how many positions?", "Wie viele Lagerpositionen gibt es "
        f"{de}?|Anzahl Positionen im Bestand {de}?", f"{zh}有多少个库存项？|{zh}库存条目数"),
        "below reorder point": (f"How many stock positions {en} are under their "
        f"reorder point?|what number of items {en} needs reordering"
        f"|stock {en} too low: how many?|how many " f"things must be bought again {en}",
        f"Wie viele Positionen {de} liegen unter dem Meldebestand?|Was muss "
        f"nachbestellt werden {de}, wie viele?", f"{zh}有多少项低于再订货点？|{zh}需要补货的"
        "有几项"), }[part]  # fmt: skip
    yield asked(rng, language, "erp", en=what[0], de=what[1], zh=what[2])
    more = {"below_reorder_point": True} if part == "below reorder point" else {}
    seen = yield call(
        "Stock below its reorder point, counted." if more else f"Stock with that filter; totals: {part}.",
        "get_inventory_levels", **args, **more,
    )  # fmt: skip
    sums = totals(seen)
    cell = sums[part]
    yield told(language, f"Totals: {part} {cell}.", en={"value": f"The stock {en} is worth {cell} today.",
        "positions": f"There are {plural(cell, 'position', 'positions')} {en}.", "below reorder point":
        f"{plural(cell, 'position', 'positions')} {en} below the reorder point."}[part], de={"value":
        f"Der Bestand {de} ist heute {cell} wert.", "positions": f"Es gibt {cell} Positionen {de}.",
        "below reorder point": f"{cell} Positionen {de} liegen unter dem Meldebestand."}[part], zh={"value":
        f"{zh}库存价值为 {cell}。", "positions": f"{zh}有 {cell} 个库存项。", "below reorder point":
        f"{zh}有 {cell} 项低于再订货点。"}[part],
    )  # fmt: skip


def quantity_of_item(rng: Rng, language: Language) -> Talk:
    """How much of one item lies somewhere, or everywhere together; or whether it is low."""
    names = {row[0]: row for row in rows_of("items")}
    stock = rng.some(rows_of("stock"))
    item, place = names[stock[0]], stock[1]
    name, way = item[1] if rng.chance(0.75) else item[0], rng.randrange(3)
    if way == 0:
        yield asked(rng, language, "erp",
            en=f"How much {name} is in {place}?|{name} on hand in {place}|stock of {name} at warehouse {place}?|"
            "what quantity of " f"{name} do we have in {place}",
            de=f"Wie viel {name} liegt in {place}?|Bestand {name} in {place}?",
            zh=f"{place} 仓库有多少 {name}？|{name} 在 {place} 的库存",
        )  # fmt: skip
        seen = yield call("One item in one warehouse.", "get_inventory_levels", item=name, warehouse_id=place)
        row = next(iter(table(seen)), None)
    elif way == 1:
        yield asked(rng, language, "erp",
            en=f"How much {name} do we have across all warehouses?|total stock quantity of {name}|{name}: overall "
            "quantity on hand?|" f"sum of {name} over all warehouses",
            de=f"Wie viel {name} haben wir in allen Lagern zusammen?|Gesamtmenge {name} auf Lager?",
            zh=f"所有仓库一共有多少 {name}？|{name} 的总库存量",
        )  # fmt: skip
        seen = yield call("Sum over warehouses: group by item.", "get_inventory_levels", item=name, group_by="item")
        row = next(iter(table(seen)), None)
    else:
        yield asked(rng, language, "erp",
            en=f"Is {name} below its reorder point anywhere?|do we need to restock {name}?|are we low on {name} in "
            "any warehouse|is the " f"stock of {name} running low",
            de=f"Liegt {name} irgendwo unter dem Meldebestand?|Müssen wir {name} nachbestellen (Bestand)?",
            zh=f"{name} 有没有低于再订货点？|{name} 需要补货吗",
        )  # fmt: skip
        seen = yield call("The item in every warehouse, with reorder point.", "get_inventory_levels", item=name)
        low = [row for row in table(seen) if row["low"] == "yes"]
        shown = listed(language, [f"{row['warehouse id']} ({row['quantity']} {unit(language, row['unit'])}, < "
            f"{row['reorder point']})" for row in low] or [""])  # fmt: skip
        yield told(language, f"Totals: below reorder point {len(low)}. Low yes: "
            f"{', '.join(row['warehouse id'] for row in low) or 'none'}.",
            en=f"Yes, {name} is low in {shown}." if low else f"No, {name} is not below its reorder point in any "
            "warehouse.",
            de=f"Ja, {name} ist knapp in {shown}." if low else f"Nein, {name} liegt nirgends unter dem "
            "Meldebestand.",
            zh=f"是的，{name} 偏低：{shown}。" if low else f"没有，{name} 在各仓库都不低于再订货点。",
        )  # fmt: skip
        return
    if row is None:
        return
    at = place if way == 0 else {"en": "all warehouses together", "de": "allen Lagern zusammen", "zh": "所有仓库"}[
        language]  # fmt: skip
    yield told(language, f"Row {row['item id']}: quantity {row['quantity']} {unit(language, row['unit'])}.",
        en=f"{row['quantity']} {unit(language, row['unit'])} of {name} in {at}.",
        de=f"{row['quantity']} {unit(language, row['unit'])} {name} in {at}.",
        zh=f"{at}有 {row['quantity']} {unit(language, row['unit'])} {name}。",
    )  # fmt: skip


def shortages(rng: Rng, language: Language) -> Talk:
    """What is missing most; then whether it is on order."""
    place = rng.some(["", "WH-001", "WH-004"])
    en, de, zh = (f" in {place}", f" in {place}", f"{place} 仓库") if place else ("", "", "")
    yield asked(rng, language, "erp",
        en=f"Which item{en} is furthest below its reorder point?|biggest shortage in stock{en}?|what is missing "
        f"most{en}, stock vs reorder " f"point|worst stock shortage{en}",
        de=f"Welcher Artikel liegt{de} am weitesten unter dem Meldebestand?|Größter Fehlbestand{de}?",
        zh=f"{zh}哪个物料低于再订货点最多？|{zh}缺货最严重的是什么",
    )  # fmt: skip
    more = {"warehouse_id": place} if place else {}
    seen = yield call("Below reorder point, the largest shortage first.", "get_inventory_levels",
        below_reorder_point=True, sort="shortage", **more)  # fmt: skip
    row = next(iter(table(seen)), None)
    if row is None:
        yield told(language, "Nothing matches.",
            en=f"Nothing{en} is below its reorder point.",
            de=f"Nichts{de} liegt unter dem Meldebestand.",
            zh=f"{zh}没有低于再订货点的物料。",
        )  # fmt: skip
        return
    yield told(language, f"First row: {row['item']} in {row['warehouse id']}, quantity {row['quantity']}, reorder "
        f"point {row['reorder point']}.",
        en=f"{row['item']} in {row['warehouse id']}: {row['quantity']} {unit(language, row['unit'])} against a "
        f"reorder point of {row['reorder point']}.",
        de=f"{row['item']} in {row['warehouse id']}: {row['quantity']} {unit(language, row['unit'])} bei einem "
        f"Meldebestand von {row['reorder point']}.",
        zh=f"{row['warehouse id']} 的 {row['item']}：现有 {row['quantity']} {unit(language, row['unit'])}，再订货"
        f"点 {row['reorder point']}。",
    )  # fmt: skip
    if rng.chance(0.55):
        yield asked(rng, language, "erp", again=True,
            en="is it on order already?|do we have an open order for it|any open purchase order for this item?",
            de="Ist er schon bestellt?|Gibt es eine offene Bestellung dafür?",
            zh="已经下单了吗？|有这个物料的未到货订单吗",
        )  # fmt: skip
        seen = yield call("Open orders that have this item.", "get_purchase_orders", status="open", item=row["item"])
        sums, first = totals(seen), next(iter(table(seen)), None)
        if first is None:
            yield told(language, "Totals: orders 0.",
                en=f"No, there is no open order for {row['item']}.",
                de=f"Nein, für {row['item']} gibt es keine offene Bestellung.",
                zh=f"没有，{row['item']} 没有未到货订单。",
            )  # fmt: skip
            return
        yield told(language, f"Totals: orders {sums['orders']}. First row: {first['order id']}, {first['vendor']}, "
            f"due {first['due on']}.",
            en=f"Yes: {plural(sums['orders'], 'open order', 'open orders')} for {row['item']}, such as "
            f"{first['order id']} from " f"{first['vendor']}, due {first['due on']}.",
            de=f"Ja: {sums['orders']} offen für {row['item']}, etwa {first['order id']} von {first['vendor']}, "
            f"fällig {first['due on']}.",
            zh=f"有：{row['item']} 有 {sums['orders']} 张未到货订单，如 {first['order id']}（"
            f"{first['vendor']}，交期 {first['due on']}）。",
        )  # fmt: skip


def stock_ranking(rng: Rng, language: Language) -> Talk:
    """By warehouse, category or item: which holds most; or the N most valuable positions."""
    by = rng.some(["warehouse", "category", "kind"])
    few = rng.some([0, 0, 2, 3])
    if few:
        yield asked(rng, language, "erp",
            en=f"What are our {few} most valuable stock positions?|top {few} stock positions by value|the {few} "
            "positions in inventory worth most" f"|{few} biggest stock positions in USD?",
            de=f"Was sind die {few} wertvollsten Lagerpositionen?|Die {few} größten Positionen nach "
            "Bestandswert?",
            zh=f"库存价值最高的{few}项是什么？|列出金额最大的{few}个库存项",
        )  # fmt: skip
        seen = yield call("By value, the first few.", "get_inventory_levels", limit=few)
        parts = [f"{row['item']} {row['warehouse id']} ({row['value']} USD)" for row in table(seen)[:few]]
    else:
        en, de, zh = {"warehouse": ("warehouse", "Lager", "仓库"), "category": ("category", "Kategorie", "类别"),
                      "kind": ("kind of goods", "Warenart", "物料类型")}[by]  # fmt: skip
        yield asked(rng, language, "erp",
            en=f"Which {en} holds the most stock by value?|inventory value per {en}, the highest?|where is most "
            f"stock value, by {en}|split the " f"inventory by {en}: which leads",
            de=f"Bestandswert nach {de}: was liegt vorn?|Wo liegt der höchste Bestandswert je {de}?",
            zh=f"哪个{zh}的库存价值最高？|按{zh}看库存金额，最大的是哪个",
        )  # fmt: skip
        seen = yield call(f"Stock value for each {by}.", "get_inventory_levels", group_by=by)
        row = table(seen)[0]
        parts = [f"{row[by]} ({row['value']} USD)"]
    yield told(
        language, f"First row{'s' * bool(few)}: {', '.join(parts)}."[:160], en=f"Most valuable: {listed('en', parts)}.",
        de=f"Am höchsten: {listed('de', parts)}.", zh=f"最高的是 {listed('zh', parts)}。",
    )  # fmt: skip


def stock_over_time(rng: Rng, language: Language) -> Talk:
    if rng.chance(0.5):
        year = rng.chance(0.3)
        e, d, z = ("a year ago", "vor einem Jahr", "一年前") if year else ("the end of last month",
            "Ende letzten Monats", "上月底")  # fmt: skip
        yield asked(rng, language, "erp",
            en=f"Is our stock worth more than at {e}?|inventory value now compared with {e}|change in stock value "
            f"since {e}?|did the inventory " f"value grow since {e}",
            de=f"Ist unser Bestand mehr wert als {d}?|Bestandswert im Vergleich zu {d}?",
            zh=f"库存价值比{z}高吗？|与{z}相比库存金额变化",
        )  # fmt: skip
        seen = yield call("Value now and then: compare.", "get_inventory_levels", compare="last_year" if year else
            "previous_period")  # fmt: skip
        sums, before = totals(seen), then(seen)
        change = before.get("change value", "")
        if not change:
            return
        up = change.startswith("+")
        share = before["share value"]
        yield told(language, f"Totals: value {sums['value']}. Compared: value {change} ({share}). Then: "
            f"{before['value']}.",
            en=f"{'Higher' if up else 'Lower'}: {sums['value']} now, {before['value']} then ({change} USD, "
            f"{share}).",
            de=f"{'Höher' if up else 'Niedriger'}: jetzt {sums['value']}, damals {before['value']} ({change} USD, "
            f"{share}).",
            zh=f"{'更高' if up else '更低'}：现在 {sums['value']}，当时 {before['value']}（{change} USD，{share}）"
            "。",
        )  # fmt: skip
        return
    high = rng.chance(0.5)
    yield asked(rng, language, "erp",
        en=f"At the end of which month was our stock value {'highest' if high else 'lowest'}?|stock value month by "
        "month, " f"{'peak' if high else 'low point'}?|inventory trend by month: "
        f"{'maximum' if high else 'minimum'}|when did stock value reach its " f"{'top' if high else 'bottom'}, by "
        "month",
        de=f"Am Ende welches Monats war der Bestandswert am {'höchsten' if high else 'niedrigsten'}?|Bestandswert "
        "je Monat: " f"{'Höchststand' if high else 'Tiefststand'}?",
        zh=f"哪个月末的库存价值最{'高' if high else '低'}？|按月看库存金额，最{'高' if high else '低'}是哪个月",
    )  # fmt: skip
    seen = yield call("Stock value at each month's end: trend.", "get_inventory_levels", trend="month")
    rows = table(seen, "Trend")
    if len(rows) < 20:
        return
    row = (max if high else min)(rows, key=lambda each: number(each["value"]))
    yield told(
        language, f"{'Highest' if high else 'Lowest'} row of the trend: {row['month']}, value {row['value']} USD.",
        en=f"At the end of {row['month']}: {row['value']} USD.", de=f"Ende {row['month']}: {row['value']} USD.",
        zh=f"{row['month']} 月末，{row['value']} USD。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    stock_value: 5,
    quantity_of_item: 4,
    shortages: 3,
    stock_ranking: 3,
    stock_over_time: 2,
}
