"""Talks about procurement, vendors and their prices: more of them."""

from training.data.assistants.business.buying import CATEGORIES
from training.data.assistants.business.parts import (
    asked,
    items,
    listed,
    named,
    number,
    plural,
    table,
    told,
    totals,
    unit,
    vendors,
)
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng


def price_of_item(rng: Rng, language: Language) -> Talk:
    """How one item's prices moved; which vendor is cheapest."""
    item, cheapest = rng.some(items()), rng.chance(0.45)
    if cheapest:
        yield asked(rng, language, "erp",
            en=f"Which vendor sells {item} cheapest right now?|cheapest supplier for {item}?|lowest current price "
            f"of {item}, " f"and from whom|who has the best price for {item}",
            de=f"Welcher Lieferant verkauft {item} am günstigsten?|Wer hat derzeit den besten Preis für {item}?",
            zh=f"现在哪家供应商的 {item} 最便宜？|{item} 最低价是哪家",
        )  # fmt: skip
    else:
        yield asked(rng, language, "erp",
            en=f"Did {item} get more expensive over the last 12 months?|how have vendor prices for {item} "
            "developed|price change " f"of {item} on average?|did suppliers raise the price of {item}",
            de=f"Ist {item} in den letzten 12 Monaten teurer geworden?|Wie haben sich die Preise von {item} "
            "entwickelt?",
            zh=f"过去一年 {item} 涨价了吗？|{item} 的供应商价格变化如何",
        )  # fmt: skip
    seen = yield call("Prices of one item, vendor by vendor.", "get_vendor_price_trends", item=item)
    rows, sums = table(seen), totals(seen)
    if not rows:
        return
    if cheapest:
        row = min(rows, key=lambda each: number(each["last price"]))
        tied = [each["vendor"] for each in rows if each["last price"] == row["last price"]]
        if len(tied) > 1:
            yield told(
                language, "Last prices: " + ", ".join(f"{each['vendor']} {each['last price']}" for each in rows) + ".",
                en=f"{listed('en', tied)} are equally cheap for {item}: {row['last price']} USD per {row['unit']}.",
                de=f"{listed('de', tied)} sind gleich günstig: {row['last price']} USD je "
                f"{unit('de', row['unit'])} {item}.",
                zh=f"{item} 最便宜的是 {listed('zh', tied)}，价格相同：每 {unit('zh', row['unit'])} "
                f"{row['last price']} USD。",
            )  # fmt: skip
            return
        yield told(
            language, "Last prices: " + ", ".join(f"{each['vendor']} {each['last price']}" for each in rows) + ".",
            en=f"{row['vendor']} is cheapest for {item}: {row['last price']} USD per {row['unit']}.",
            de=f"{row['vendor']} ist am günstigsten: {row['last price']} USD je {row['unit']} {item}.",
            zh=f"{item} 最便宜的是 {row['vendor']}，每 {row['unit']} {row['last price']} USD。",
        )  # fmt: skip
        return
    change = sums["average change"]
    up = not change.startswith("-") and change != "0 %"
    yield told(language, f"Totals: raised {sums['raised']}, lowered {sums['lowered']}, average change {change}.",
        en=f"{'Yes' if up else 'No'}: on average the price of {item} changed by {change} in the last 12 months "
        f"({sums['raised']} raised, {sums['lowered']} lowered).",
        de=f"{'Ja' if up else 'Nein'}: im Schnitt {change} in den letzten 12 Monaten ({sums['raised']} erhöht, "
        f"{sums['lowered']} gesenkt).",
        zh=f"{'是的' if up else '没有'}，过去12个月 {item} 平均变化 {change}（上调 {sums['raised']}，下调 "
        f"{sums['lowered']}）。",
    )  # fmt: skip


def price_extremes(rng: Rng, language: Language) -> Talk:
    """The largest rise or fall; then what is still open with that vendor."""
    down, when = rng.chance(0.35), named(rng, language, rng.some(["this_year", "last_quarter", "last_12_months"]))
    category = rng.some(["", rng.some(list(CATEGORIES))])
    en = f" for {CATEGORIES[category][0]}" if category else ""
    word, wort, ci = ("fall", "Preissenkung", "降价") if down else ("rise", "Preiserhöhung", "涨价")
    yield asked(rng, language, "erp",
        en=f"Which price showed the largest {word}{en} {when.q}?|biggest price {word}{en} at our vendors {when.q}|"
        "steepest " f"vendor price {word}{en} {when.q}?|what item had the strongest price {word}{en} {when.q}, and "
        "at which supplier",
        de=f"Was war {when.q} die größte {wort}{f' bei {category}' if category else ''}?|Stärkste {wort} eines "
        "Lieferanten " f"{when.q}{f' für {category}' if category else ''}?",
        zh=f"{when.q}{category}{ci}幅度最大的是什么？|{when.q}哪家供应商的{category}{ci}最多",
    )  # fmt: skip
    args = {"sort": "largest_decrease" if down else "largest_increase"} | ({"category": category} if category else {})
    seen = yield call(
        f"Price changes, the largest {'decrease' if down else 'increase'} first.", "get_vendor_price_trends", **args,
        **when.args,
    )  # fmt: skip
    rows = table(seen)
    if not rows:
        return
    first = number(rows[0]["change"])
    if first == 0 or (first < 0) != down:
        count = totals(seen)["lowered" if down else "raised"]
        yield told(
            language, f"Totals: {'lowered' if down else 'raised'} {count}. First row: change {rows[0]['change']}.",
            en=f"None: no vendor {'lowered' if down else 'raised'} a price{en} {when.a}.",
            de=f"Keine: {when.a} hat kein Lieferant{f' bei {category}' if category else ''} einen Preis "
            f"{'gesenkt' if down else 'erhöht'}.",
            zh=f"没有：{when.a}{category}没有供应商{'降价' if down else '涨价'}。",
        )  # fmt: skip
        return
    most = [row for row in rows if row["change"] == rows[0]["change"]]
    if len(most) > 3:
        return
    tied = " Tied." if len(most) > 1 else ""
    shown = [f"{row['vendor']}, {row['item']}, {row['first price']} → {row['last price']} USD" for row in most]
    yield told(
        language, f"First row{'s' * bool(tied)}, change {rows[0]['change']}: {'; '.join(shown)}.{tied}"[:200],
        en=" and ".join(f"{row['item']} from {row['vendor']}: {row['change']} {when.a} ({row['first price']} → "
        f"{row['last price']} USD per {row['unit']})" for row in most) + ".",
        de=" und ".join(f"{row['item']} von {row['vendor']}: {row['change']} {when.a} ({row['first price']} → "
        f"{row['last price']} USD je {unit('de', row['unit'])})" for row in most) + ".",
        zh=f"{when.a}是" + "和".join(f" {row['vendor']} 的 {row['item']}，变化 {row['change']}（{row['first price']} → "
        f"{row['last price']} USD）" for row in most) + "。",
    )  # fmt: skip
    if len(most) == 1 and rng.chance(0.5):
        yield from _open_there(rng, language, rows[0]["vendor"])


def _open_there(rng: Rng, language: Language, vendor: str) -> Talk:
    """What is still open with the vendor of the answer before."""
    yield asked(rng, language, "erp", again=True,
        en="do we have open orders with them?|any open orders with that vendor|what have we on order there, "
        "nothing of it " "arrived yet?",
        de="Haben wir dort offene Bestellungen?|Offene Bestellungen bei diesem Lieferanten?",
        zh="我们在这家还有未到货的订单吗？|这家供应商有未到货订单吗",
    )  # fmt: skip
    seen = yield call("Open orders of that vendor.", "get_purchase_orders", status="open", vendor=vendor)
    sums = totals(seen)
    none = sums["orders"] == "0"
    yield told(
        language, f"Totals: orders {sums['orders']}, ordered {sums['ordered']}.",
        en=f"No, nothing is open with {vendor}." if none
        else f"{vendor} has {plural(sums['orders'], 'open order', 'open orders')}, {sums['ordered']}.",
        de=f"Nein, bei {vendor} ist nichts offen." if none
        else f"Bei {vendor} sind {sums['orders']} Bestellungen offen, {sums['ordered']}.",
        zh=f"没有，{vendor} 没有未到货订单。" if none
        else f"{vendor} 有 {sums['orders']} 张未到货订单，{sums['ordered']}。",
    )  # fmt: skip


def which_vendor(rng: Rng, language: Language) -> Talk:
    """A first name that several vendors share: asked back, then answered."""
    first = rng.some(["Falcon", "Granite", "Alpine", "Ironbridge", "Harbor", "Jade", "Delta"])
    full = [name for name in vendors() if first in name]
    when = named(rng, language, rng.some(["this_year", "last_year", "last_quarter"]))
    yield asked(rng, language, "erp",
        en=f"How many purchase orders did we place with {first} {when.q}, and for how much?|purchase orders to {first} "
        f"{when.q}: number and value|POs with vendor {first} {when.q}, count and amount?",
        de=f"Wie viele Bestellungen gingen {when.q} an {first}, und über welchen Betrag?|Bestellungen bei {first} "
        f"{when.q}: Anzahl und Wert?",
        zh=f"{when.q}向 {first} 下了多少张采购订单，金额多少？|{when.q}{first} 的采购订单数量和金额",
    )  # fmt: skip
    yield call("Orders of the vendor as named.", "get_purchase_orders", vendor=first, **when.args)
    yield told(
        language, f"Error: {first!r} can mean several vendors. Ask which one."[:160],
        en=f"There are several vendors called {first}: {listed('en', full)}. Which one do you mean?",
        de=f"Es gibt mehrere Lieferanten namens {first}: {listed('de', full)}. Welchen meinst du?",
        zh=f"叫 {first} 的供应商有好几家：{listed('zh', full)}。您指哪一家？",
    )  # fmt: skip
    chosen = rng.some(full)
    yield asked(
        rng, language, "erp", again=True, en=f"{chosen}|the {chosen.split()[-1].lower()} one: {chosen}|I mean {chosen}",
        de=f"{chosen}|Ich meine {chosen}", zh=f"{chosen}|我指的是 {chosen}",
    )  # fmt: skip
    seen = yield call("The same with the full name.", "get_purchase_orders", vendor=chosen, **when.args)
    sums = totals(seen)
    yield told(language, f"Totals: orders {sums['orders']}, ordered {sums['ordered']}.",
        en=f"{plural(sums['orders'], 'purchase order', 'purchase orders')} with {chosen} {when.a}, {sums['ordered']}.",
        de=f"{sums['orders']} Bestellungen bei {chosen} {when.a}, zusammen {sums['ordered']}.",
        zh=f"{when.a}向 {chosen} 下了 {sums['orders']} 张采购订单，共 {sums['ordered']}。",
    )  # fmt: skip


def unknown_vendor(rng: Rng, language: Language) -> Talk:
    name = rng.some(["Acme Plastics", "Bolton Resins", "Starlight Chemicals", "Quarz & Söhne", "Nimbus Trading"])
    yield asked(rng, language, "erp",
        en=f"Any late orders from {name}?|what is on order with {name}|is something of {name} overdue?|late "
        f"deliveries of {name}",
        de=f"Sind Lieferungen von {name} überfällig?|Verspätete Bestellungen bei {name}?",
        zh=f"{name} 有逾期的采购订单吗？|{name} 有没有迟交的订单",
    )  # fmt: skip
    seen = yield call("Late orders of this vendor.", "get_purchase_orders", status="late", vendor=name)
    assert seen is not None
    yield told(
        language, f"Error: There is no vendor {name!r}.",
        en=f"I find no vendor called {name}. Could it be listed under another name?",
        de=f"Einen Lieferanten namens {name} gibt es im System nicht. Läuft er unter einem anderen Namen?",
        zh=f"系统里没有名为 {name} 的供应商，会不会是别的名称？",
    )  # fmt: skip


def name_where_id(rng: Rng, language: Language) -> Talk:
    """A product line taken for a purchasing category: the error names them."""
    slip, right = rng.some([("Resin", "Resins"), ("Plastics", "Resins"), ("Colors", "Colorants"), ("Boxes",
        "Packaging")])  # fmt: skip
    when = named(rng, language, rng.some(["this_year", "last_quarter", "last_month"]))
    en = slip.lower()
    yield asked(rng, language, "erp",
        en=f"How much did procurement spend on {en} {when.q}?|procurement spend for {en} {when.q}|{en}: purchasing "
        f"spend {when.q}" f"|what went into {en} {when.q}, purchasing wise?",
        de=f"Einkaufsausgaben für {slip} {when.q}?|Was gab der Einkauf {when.q} für {slip} aus?",
        zh=f"{when.q} {slip} 的采购支出是多少？|{when.q}在 {slip} 上采购花了多少",
    )  # fmt: skip
    if slip == "Resin":
        seen = yield call("The purchasing category is Resins.", "get_procurement_summary", category=right, **when.args)
    else:
        yield mistake(f"Spend on {en}.", "get_procurement_summary", category=slip, **when.args)
        seen = yield call(f"No such category; {right} is the one meant.", "get_procurement_summary", category=right,
            **when.args)  # fmt: skip
    sums = totals(seen)
    yield told(
        language, f"Totals: ordered {sums['ordered']}.",
        en=f"The procurement spend in the category {right} {when.a} is {sums['ordered']}.",
        de=f"In der Kategorie {right} wurden {when.a} {sums['ordered']} ausgegeben.",
        zh=f"{when.a} {right} 类的采购支出为 {sums['ordered']}。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    price_of_item: 3,
    price_extremes: 3,
    which_vendor: 2,
    unknown_vendor: 2,
    name_where_id: 2,
}
