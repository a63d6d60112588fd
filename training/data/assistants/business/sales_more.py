"""Talks about leads, customers, deals and the pipeline: more of them."""

from training.data.assistants.business.parts import (
    asked,
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
)
from training.data.assistants.business.sales import PAST, REGIONS, STAGES, owners
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng


def deals_closed(rng: Rng, language: Language) -> Talk:
    """Won or lost in a period, perhaps by one account manager or in a region."""
    stage, when = rng.some(["won", "won", "lost"]), span(rng, language, PAST)
    args, en, de, zh = {}, "", "", ""
    kind = rng.randrange(3)
    if kind == 1:
        owner = rng.some(owners())
        args, en, de, zh = {"owner": owner}, f" by {owner}", f" von {owner}", f"{owner} "
    elif kind == 2:
        region = rng.some(REGIONS)
        args, en, de, zh = {"region": region}, f" in {region}", f" in {region}", f"{region} "
    d, z = ("gewonnen", "赢得") if stage == "won" else ("verloren", "丢失")
    count = rng.chance(0.5)
    if count:
        yield asked(rng, language, "crm",
            en=f"How many deals were {stage}{en} {when.q}?|deals {stage}{en} {when.q}, count|number of {stage} "
            f"deals{en} {when.q}|{when.q}, how many deals were {stage}{en}?",
            de=f"Wie viele Deals wurden {when.q}{de} {d}?|Anzahl {d}er Deals{de} {when.q}?",
            zh=f"{when.q}{zh}{z}了多少个商机？|{when.q}{zh}{z}的商机数量",
        )  # fmt: skip
    else:
        yield asked(rng, language, "crm",
            en=f"What amount of deals was {stage}{en} {when.q}?|value of deals {stage}{en} {when.q}|{stage} deal "
            f"volume{en} {when.q} in USD?|sum of the deals {stage}{en} {when.q}",
            de=f"Welcher Betrag an Deals wurde {when.q}{de} {d}?|Wert der {d}en Deals{de} {when.q}?",
            zh=f"{when.q}{zh}{z}的商机金额是多少？|{when.q}{zh}{z}商机总额",
        )  # fmt: skip
    seen = yield call(f"Deals {stage} then: stage {stage}, by closing day.", "get_deals", stage=stage, **args, **
        when.args)  # fmt: skip
    sums, rows = totals(seen), table(seen)
    yield told(language, f"Totals: deals {sums['deals']}, amount {sums['amount']}.",
        en=f"{plural(sums['deals'], 'deal', 'deals')} {stage}{en} {when.a}, {sums['amount']} in all.",
        de=f"{plural(sums['deals'], 'Deal', 'Deals')} {d}{de} {when.a}, zusammen {sums['amount']}.",
        zh=f"{when.a}{zh}{z} {sums['deals']} 个商机，共 {sums['amount']}。",
    )  # fmt: skip
    if len(rows) == int(number(sums["deals"])) > 1 and rng.chance(0.4):
        row = max(rows, key=lambda each: number(each["amount"]))
        yield asked(rng, language, "crm", again=True,
            en="what was the biggest of them?|which one is the largest|the largest, and with whom?",
            de="Welcher war der größte?|Und der größte davon?",
            zh="最大的一个是哪个？|其中最大的是哪家的",
        )  # fmt: skip
        yield told(language, f"Largest amount: {row['deal id']}, {row['customer']}, {row['amount']} USD.",
            en=f"{row['deal id']} ({row['deal']}) with {row['customer']}: {row['amount']} USD.",
            de=f"{row['deal id']} ({row['deal']}) mit {row['customer']}: {row['amount']} USD.",
            zh=f"{row['deal id']}（{row['customer']}，{row['deal']}）：{row['amount']} USD。",
        )  # fmt: skip


def win_rate(rng: Rng, language: Language) -> Talk:
    """Of a period by get_deals; of the last twelve months also by the pipeline."""
    when = span(rng, language, ("last_quarter", "last_month", "this_year", "last_year", "this_quarter"))
    owner = rng.some(["", "", rng.some(owners())])
    en, de, zh = (f" of {owner}", f" von {owner}", f"{owner} ") if owner else ("", "", "")
    yield asked(rng, language, "crm",
        en=f"What was the win rate{en} {when.q}?|win rate{en} {when.q}?|of the deals closed {when.q}, what share "
        f"was won{en and ' by' + en[3:]}?|sales win rate{en} {when.q} in " "percent",
        de=f"Wie hoch war die Gewinnquote{de} {when.q}?|Abschlussquote (win rate){de} {when.q}?",
        zh=f"{when.q}{zh}赢单率是多少？|{when.q}{zh}的赢单比例",
    )  # fmt: skip
    more = {"owner": owner} if owner else {}
    seen = yield call("Win rate of a period: deals by closing day.", "get_deals", date_field="closed", **more, **
        when.args)  # fmt: skip
    sums = totals(seen)
    cell = sums.get("win rate", "–")
    if cell == "–":
        yield told(language, "Totals: won 0, lost 0, win rate –.",
            en=f"No deals{en} were closed {when.a}, so there is no win rate.",
            de=f"Es wurden {when.a} keine Deals{de} abgeschlossen, also keine Quote.",
            zh=f"{when.a}{zh}没有关闭的商机，因此没有赢单率。",
        )  # fmt: skip
        return
    base = sums.get("win rate of", "")
    yield told(language, f"Totals: win rate {cell} ({base}).",
        en=f"The win rate{en} {when.a} is {cell} ({base} closed deals).",
        de=f"Die Gewinnquote{de} beträgt {when.a} {cell} ({base.replace(' of ', ' von ')}).",
        zh=f"{when.a}{zh}赢单率为 {cell}（{base.replace(' of ', '/')}）。",
    )  # fmt: skip


def open_deals(rng: Rng, language: Language) -> Talk:
    """Open ones or those of a stage: count, amount; the next to close; the largest."""
    way = rng.some(["count", "count", "closing", "largest"])
    stage = rng.some(["open", *STAGES]) if way == "count" else "open"
    en, de, zh = STAGES.get(stage, ("open", "offen", "未结"))
    if way == "count":
        yield asked(rng, language, "crm",
            en=f"How many deals are {en}, and for how much?|deals currently {en}: count and amount|number and "
            f"value of deals {en}|what do we have {en}, deals wise?",
            de=f"Wie viele Deals sind {de} und über welchen Betrag?|Deals {de}: Anzahl und Wert?",
            zh=f"{zh}的商机有多少个，金额多少？|目前{zh}的商机数量和金额",
        )  # fmt: skip
        seen = yield call(f"Deals in the stage {stage}.", "get_deals", stage=stage)
        sums = totals(seen)
        yield told(language, f"Totals: deals {sums['deals']}, amount {sums['amount']}.",
            en=f"{plural(sums['deals'], 'deal is', 'deals are')} {en}, {sums['amount']} in all.",
            de=f"{sums['deals']} Deals sind {de}, zusammen {sums['amount']}.",
            zh=f"{zh}的商机有 {sums['deals']} 个，共 {sums['amount']}。",
        )  # fmt: skip
        return
    few, big = rng.some([2, 3, 4]), way == "largest"
    yield asked(rng, language, "crm",
        en=f"What are the {few} {'largest open deals' if big else 'open deals expected to close first'}?|top {few} "
        f"open deals by {'amount' if big else 'expected closing date'}|" f"{few} "
        f"{'biggest' if big else 'next closing'} open opportunities?|show the {few} open deals "
        f"{'worth most' if big else 'closing soonest'}",
        de=f"Was sind die {few} "
        f"{'größten offenen Deals' if big else 'offenen Deals, die zuerst abschließen sollen'}?|Die {few} offenen "
        "Deals " f"{'mit dem höchsten Betrag' if big else 'mit dem frühesten Abschluss'}?",
        zh=f"{'金额最大' if big else '最早预计成交'}的{few}个未结商机是哪些？|列出{few}个"
        f"{'最大' if big else '预计最早关闭'}的未结商机",
    )  # fmt: skip
    seen = yield call(f"Open deals, {'largest' if big else 'earliest expected'} first.", "get_deals", stage="open",
        sort="largest" if big else "closing", limit=few)  # fmt: skip
    parts = [f"{row['deal id']} {row['customer']} ({row['amount'] + ' USD' if big else row['expected on']})" for row
        in table(seen)[:few]]  # fmt: skip
    yield told(language, f"First rows: {', '.join(parts)}."[:160],
        en=f"{listed('en', parts)}.",
        de=f"{listed('de', parts)}.",
        zh=f"{listed('zh', parts)}。",
    )  # fmt: skip


def _about_pipeline(way: str, stage: str, en: str, de: str, zh: str) -> tuple[str, str, str]:
    """How it is asked in English, German and Chinese."""
    return {"weighted": (f"What is the weighted sales pipeline{en}?|weighted value of the "
        f"pipeline{en}|" f"pipeline{en}, probability-weighted?|how much is our funnel{en} "
        "worth, weighted", f"Wie hoch ist die gewichtete Pipeline{de}?|Gewichteter "
        f"Pipeline-Wert{de}?", f"{zh}销售漏斗按概率加权后值多少？|{zh}漏斗加权后的金额"),
        "amount": (f"How big is the sales pipeline{en}, unweighted?|total "
        f"amount in the pipeline{en}|full value of the sales pipeline{en}?|pipeline amount{en} "
        "before weighting", f"Wie groß ist die Sales Pipeline{de} insgesamt (ungewichtet)?|"
        f"Gesamtbetrag der Pipeline{de}?", f"{zh}销售漏斗总金额是多少？|{zh}漏斗里的商机总额"),
        "stage": (f"How much is in the {stage} stage of the pipeline{en}?|"
        f"pipeline{en}: amount in {stage}|{stage} stage of our sales funnel{en}, amount?|"
        "pipeline value at " f"{stage}{en}", f"Wie viel steht in der Pipeline{de} auf {stage}?|"
        f"Pipeline{de}, Stufe {stage}: Betrag?", f"{zh}销售漏斗中 {stage} 阶段金额？|"
        f"{zh}漏斗 {stage} 阶段有多少"), "month": ("In which month do we expect the most "
        f"pipeline{en} to close?|pipeline{en} by expected month: the largest|month with the "
        "highest expected " "closings in the " f"pipeline{en}?|sales pipeline{en}, strongest "
        "expected month", f"In welchem Monat soll am meisten Pipeline{de} abschließen?|"
        f"Pipeline{de} nach Monat: der stärkste?", f"{zh}销售漏斗预计哪个月成交最多？|"
        f"{zh}漏斗按预计月份，最高的是"), "win rate": (f"What win rate does the pipeline{en} show?|"
        "pipeline " f"win rate{en}, last 12 months|win rate beside our sales pipeline{en}?|how "
        "good is our hit rate in the " f"pipeline report{en}",
        f"Welche Gewinnquote zeigt die Pipeline{de}?|Win Rate laut Pipeline{de}?",
        f"{zh}销售漏斗里的赢单率？|{zh}漏斗显示的赢单率"), }[way]  # fmt: skip


def pipeline(rng: Rng, language: Language) -> Talk:
    """The whole, one stage, one month; of a region or a person."""
    way = rng.some(["weighted", "amount", "stage", "month", "win rate"])
    args, en, de, zh = {}, "", "", ""
    if rng.chance(0.4):
        region = rng.some(REGIONS)
        args, en, de, zh = {"region": region}, f" for {region}", f" für {region}", f"{region} "
    stage = rng.some(list(STAGES))
    what = _about_pipeline(way, stage, en, de, zh)
    yield asked(rng, language, "crm", en=what[0], de=what[1], zh=what[2])
    seen = yield call(f"The pipeline{' of a region' if args else ''}: {way}.", "get_sales_pipeline", **args)
    sums = totals(seen)
    if way in sums:
        cell, thought = sums[way], f"Totals: {way} {sums[way]}."
    elif way == "stage":
        row = next((each for each in table(seen) if each["stage"] == stage), None)
        cell = f"{row['amount']} USD ({row['deals']})" if row else "0.00 USD"
        thought = f"Row {stage}: deals {row['deals']}, amount {row['amount']} USD." if row else f"No row {stage}."
        if row is None:
            yield told(language, thought,
                en=f"Nothing is in {stage}{en}.",
                de=f"In {stage}{de} ist nichts.",
                zh=f"{zh}{stage} 阶段没有商机。")  # fmt: skip
            return
        cell = f"{row['amount']} USD"
    elif way == "month":
        row = max(table(seen, "Trend"), key=lambda each: number(each["amount"]))
        cell, thought = (
            f"{row['month']}, {row['amount']} USD",
            f"Highest amount of the trend: {row['month']}, {row['amount']} USD.",
        )
    else:
        row = table(seen, "Closed deals")[0]
        cell, thought = (
            row["win rate"],
            f"Closed deals: win rate {row['win rate']} ({row['win rate of']}), last 12 months.",
        )
    name = {"weighted": ("weighted", "gewichtet", "加权金额"), "amount": ("in all", "gesamt", "总金额"), "stage": (
        f"stage {stage}", f"Stufe {stage}", f"{stage} 阶段"), "month": ("strongest expected month",
        "stärkster Monat", "预计最高月份"), "win rate": ("win rate, last 12 months", "Gewinnquote, letzte 12 "
        "Monate", "过去12个月赢单率")}[way]  # fmt: skip
    yield told(language, thought,
        en=f"Sales pipeline{en}, {name[0]}: {cell}.",
        de=f"Pipeline{de}, {name[1]}: {cell}.",
        zh=f"{zh}销售漏斗{name[2]}：{cell}。",
    )  # fmt: skip


def deals_compared(rng: Rng, language: Language) -> Talk:
    when, year = named(rng, language, rng.some(["last_month", "last_quarter"])), rng.chance(0.5)
    e, d, z = ("a year before", "dem Vorjahr", "去年同期") if year else ("the period before", "dem Zeitraum davor",
        "上一期")  # fmt: skip
    yield asked(rng, language, "crm",
        en=f"Did we win more deals {when.q} than {e}?|deals won {when.q} vs {e}|won deals {when.q} compared with "
        f"{e}?|are won deals up {when.q} against {e}",
        de=f"Haben wir {when.q} mehr Deals gewonnen als in {d}?|Gewonnene Deals {when.q}, verglichen mit {d}?",
        zh=f"{when.q}赢单数比{z}多吗？|{when.q}赢得的商机与{z}相比",
    )  # fmt: skip
    seen = yield call(f"Won deals, compared with {e}.", "get_deals", stage="won", compare="last_year" if year else
        "previous_period", **when.args)  # fmt: skip
    sums, before = totals(seen), then(seen)
    if "change deals" not in before:
        return
    change, same = before["change deals"], number(before["change deals"]) == 0
    up = number(change) > 0
    yield told(language, f"Totals: deals {sums['deals']}. Compared: deals {change}. Then: deals {before['deals']}.",
        en=f"{'Just as many' if same else 'More' if up else 'Fewer'}: {sums['deals']} deals won {when.a}, "
        f"{before['deals']} {e}.",
        de=f"{'Gleich viele' if same else 'Mehr' if up else 'Weniger'}: {sums['deals']} gewonnene Deals {when.a}, "
        f"{before['deals']} in {d}.",
        zh=f"{'一样多' if same else '更多' if up else '更少'}：{when.a} {sums['deals']} 个，{z} {before['deals']} 个。",
    )  # fmt: skip


def unknown_region(rng: Rng, language: Language) -> Talk:
    slip, right, en, de, zh = rng.some([("Europe", "EMEA", "Europe", "Europa", "欧洲"), ("Asia", "APAC", "Asia",
        "Asien", "亚洲"), ("America", "Americas", "America", "Amerika", "美洲")])  # fmt: skip
    yield asked(rng, language, "crm",
        en=f"How many open deals do we have in {en}?|open deals {en}|deals still open in {en}, amount?|{en}: open "
        "deals",
        de=f"Wie viele offene Deals haben wir in {de}?|Offene Deals in {de}?",
        zh=f"{zh}有多少未结商机？|{zh}未结的商机",
    )  # fmt: skip
    if slip != "America":
        yield mistake(f"Open deals in {slip}.", "get_deals", stage="open", region=slip)
    seen = yield call(f"The region is called {right}.", "get_deals", stage="open", region=right)
    sums = totals(seen)
    yield told(language, f"Totals: deals {sums['deals']}, amount {sums['amount']}.",
        en=f"{sums['deals']} open deals in {right}, {sums['amount']}.",
        de=f"{sums['deals']} offene Deals in {right}, {sums['amount']}.",
        zh=f"{right} 有 {sums['deals']} 个未结商机，共 {sums['amount']}。",
    )  # fmt: skip


def lead_of_company(rng: Rng, language: Language) -> Talk:
    """No filter names a lead's company: its row is found in the list, by reading on where it is not shown."""
    recent = sorted(rows_of("leads"), key=lambda row: (row[6], row[0]), reverse=True)[:19]
    lead = rng.some(recent)
    column, at, words = rng.some(
        [
            ("owner", 7, ("Who handles", "Wer betreut", "谁负责")),
            ("source", 3, ("From which source came", "Aus welcher Quelle kam", "来源是什么：")),
            ("status", 5, ("What is the status of", "Welchen Status hat", "状态是什么：")),
        ]
    )
    company = lead[1]
    if sum(row[1] == company for row in recent) > 1:
        return
    yield asked(
        rng, language, "crm",
        en=f"{words[0]} the lead of {company}?|the recent lead {company}: {column}?|{words[0]} our new lead {company}"
        f"|look at the latest leads: {column} of {company}",
        de=f"{words[1]} der Lead {company}?|Lead {company} aus der letzten Zeit: {column}?",
        zh=f"{words[2]}最近的线索 {company}？|最近线索 {company} 的 {column}",
    )  # fmt: skip
    seen = yield call("The latest leads; then the row of that company.", "get_leads")
    row = next((each for each in table(seen) if each["company"] == company), None)
    value = row[column] if row else str(lead[at])
    if row is None:
        seen = yield call("Its row is not shown: find it in the result.", "read_result", result="r1", find=company)
        assert seen is not None
        if seen.failed or value not in seen.text:
            return
    yield told(
        language, f"Row {lead[0]} {company}: {column} {value}.", en=f"Lead {lead[0]} of {company}: {column} {value}.",
        de=f"Lead {lead[0]} von {company}: {value}.", zh=f"{company} 的线索 {lead[0]}：{value}。",
    )  # fmt: skip


TALKS: dict[MakeTalk, int] = {
    lead_of_company: 3,
    deals_closed: 4,
    win_rate: 3,
    open_deals: 3,
    pipeline: 4,
    deals_compared: 2,
    unknown_region: 1,
}
