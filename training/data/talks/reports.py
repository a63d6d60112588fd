"""Reporting tools with optional choices, as a business has them, and questions that say the choices by verbs and times.

"What has not been paid yet?" is `status="open"`; "by region" is `group_by="region"`; "last month" is a period.
"""

from typing import Any, Final

import msgspec

from training.data.catalogue import Param, Tool
from training.data.conversation import Answer, Call, Conversation, Exchange, Language
from training.data.phrases import dressed
from training.data.talks.report_pages import ReportForm, group_values
from training.data.values import CITIES, Rng, tidy


class Subject(msgspec.Struct, frozen=True):
    """Something that is counted. `states` maps a choice to ways of saying it after the plural, in three languages."""

    plural: str
    german: str
    chinese: str
    names: tuple[str, ...]
    states: dict[str, tuple[str, str, str]]
    groups: tuple[str, ...]
    sorts: dict[str, str]
    measure: str = "total_eur"


SUBJECTS: Final = (
    Subject(
        "invoices",
        "Rechnungen",
        "发票",
        ("invoice_report", "list_invoices_of", "bills"),
        {
            "open": (
                "have not been paid yet;are still unpaid;are we waiting for money on",
                "sind noch nicht bezahlt",
                "还没付款",
            ),
            "paid": ("have been settled;were paid;are done and paid", "sind bezahlt", "已付款"),
            "overdue": ("are past their date;should have been paid already", "sind überfällig", "已逾期"),
        },
        ("customer", "month", "region"),
        {"largest": "biggest", "oldest": "oldest"},
    ),
    Subject(
        "shipments",
        "Lieferungen",
        "货运",
        ("shipment_report", "deliveries_report", "freight_overview"),
        {
            "in_transit": ("are on the road;are under way;have left but not arrived", "sind unterwegs", "在路上"),
            "delivered": ("have arrived;reached the customer", "sind angekommen", "已送达"),
            "delayed": ("are running late;are behind schedule", "haben Verspätung", "延误"),
        },
        ("carrier", "country", "week"),
        {"heaviest": "heaviest", "newest": "most recent"},
        "weight_kg",
    ),
    Subject(
        "tickets",
        "Anfragen",
        "工单",
        ("ticket_stats", "support_report", "service_cases"),
        {
            "open": ("still need an answer;are not solved", "sind noch offen", "还没解决"),
            "solved": ("did we close;have been dealt with", "wurden gelöst", "已解决"),
            "waiting": ("are we waiting on the customer for", "warten auf den Kunden", "在等客户回复"),
        },
        ("team", "product", "day"),
        {"oldest": "oldest", "most_urgent": "most pressing"},
        "hours",
    ),
    Subject(
        "contracts",
        "Verträge",
        "合同",
        ("contract_report", "agreements_overview"),
        {
            "active": ("are running;are in force", "laufen", "生效中"),
            "expiring": ("run out soon;are about to end", "laufen bald aus", "即将到期"),
            "terminated": ("were cancelled;have been ended", "wurden gekündigt", "已终止"),
        },
        ("department", "partner", "year"),
        {"largest": "largest", "next_to_end": "first to end"},
    ),
    Subject(
        "payments",
        "Zahlungen",
        "付款",
        ("payment_flow", "cash_movements"),
        {
            "incoming": ("came in;did we receive", "sind eingegangen", "收到"),
            "outgoing": ("went out;did we make", "sind rausgegangen", "支出"),
            "failed": ("bounced;did not go through", "sind fehlgeschlagen", "失败"),
        },
        ("bank", "month", "partner"),
        {"largest": "biggest", "newest": "latest"},
    ),
    Subject(
        "machines",
        "Maschinen",
        "机器",
        ("machine_status_report", "plant_overview"),
        {
            "running": ("are working right now;are up", "laufen gerade", "正在运行"),
            "stopped": ("stand still;are down", "stehen still", "停机"),
            "in_service": ("are being repaired;are in maintenance", "werden gewartet", "在维修"),
        },
        ("hall", "type", "shift"),
        {"most_hours": "busiest", "newest": "newest"},
        "hours",
    ),
    Subject(
        "orders",
        "Bestellungen",
        "订单",
        ("order_statistics", "purchase_overview", "orders_report"),
        {
            "placed": ("have just been placed;are new", "sind neu", "刚下单"),
            "shipped": ("have gone out;were sent", "wurden verschickt", "已发货"),
            "returned": ("came back;were sent back", "kamen zurück", "被退回"),
            "cancelled": ("were called off;did people cancel", "wurden storniert", "被取消"),
        },
        ("region", "channel", "month"),
        {"largest": "largest", "newest": "newest"},
    ),
    Subject(
        "applications",
        "Bewerbungen",
        "申请",
        ("application_report", "hiring_overview"),
        {
            "new": ("have nobody looked at;came in fresh", "sind neu", "未处理"),
            "invited": ("got an interview;were asked to come", "sind eingeladen", "已邀请面试"),
            "rejected": ("were turned down;did we decline", "wurden abgelehnt", "被拒绝"),
        },
        ("department", "source", "month"),
        {"best_fit": "best fitting", "newest": "newest"},
        "points",
    ),
    Subject(
        "incidents",
        "Störungen",
        "故障",
        ("incident_overview", "outage_report"),
        {
            "critical": ("are really serious;stop everything", "sind kritisch", "很严重"),
            "minor": ("are small;hardly matter", "sind klein", "较轻"),
            "fixed": ("have been repaired;are over", "sind behoben", "已修复"),
        },
        ("site", "system", "week"),
        {"longest": "longest", "newest": "most recent"},
        "minutes",
    ),
    Subject(
        "visits",
        "Besuche",
        "访问",
        ("visit_statistics", "footfall_report"),
        {
            "new": ("were by people who came for the first time", "waren Erstbesuche", "首次到访"),
            "returning": ("were by people who had been there before", "waren Wiederholungsbesuche", "回访"),
            "group": ("were by groups", "waren Gruppenbesuche", "团体"),
        },
        ("hour", "weekday", "entrance"),
        {"busiest": "busiest", "quietest": "quietest"},
        "minutes",
    ),
)
PERIODS: Final = {
    "today": ("today", "heute", "今天"),
    "yesterday": ("yesterday", "gestern", "昨天"),
    "this_week": ("this week", "diese Woche", "本周"),
    "last_week": ("last week", "letzte Woche", "上周"),
    "this_month": ("this month", "diesen Monat", "本月"),
    "last_month": ("last month", "letzten Monat", "上个月"),
    "last_quarter": ("last quarter", "im letzten Quartal", "上季度"),
    "this_year": ("this year", "dieses Jahr", "今年"),
    "last_year": ("last year", "letztes Jahr", "去年"),
}


class Report(msgspec.Struct, frozen=True):
    """One reporting tool and the names of its parameters."""

    subject: Subject
    tool: Tool
    status: str
    period: str
    group: str
    sort: str
    place: str


def make_report(rng: Rng, subject: Subject) -> Report:
    none, null = rng.chance(0.5), rng.chance(0.35)
    status, period = rng.some(["status", "state", "kind"]), rng.some(["period", "when", "time_range"])
    group, sort, place = (
        rng.some(["group_by", "per", "split_by"]),
        rng.some(["sort", "order_by"]),
        rng.some(["city", "site", "branch"]),
    )
    params = [
        Param(status, required=False, nullable=null, choices=(*(("any",) if none else ()), *subject.states)),
        Param(
            period,
            required=False,
            nullable=null,
            choices=(*rng.sample(list(PERIODS), rng.randrange(5, 10)), "all"),
        ),
        Param(group, required=False, nullable=null, choices=(*(("none",) if none else ()), *subject.groups)),
        Param(sort, required=False, nullable=null, choices=tuple(subject.sorts)),
        Param("limit", "integer", required=False),
        Param(place, required=False),
        Param(rng.some(["start_date", "since"]), required=False, description="Date, such as 2026-03-01."),
    ]
    fixed, rest = params[:2], params[2:]
    rng.shuffle(rest)
    about = rng.some(
        [
            f"{subject.plural.capitalize()}: how many, which, and their {subject.measure.split('_')[0]}.",
            f"Counts and lists {subject.plural} by state and period.",
            f"Report on {subject.plural}, with totals.",
        ]
    )
    tool = Tool(rng.some(subject.names), about, (*fixed, *rest))
    return Report(subject, tool, status, period, group, sort, place)


def _sentence(language: Language, values: tuple[str, str, str]) -> str:
    return values[{"en": 0, "de": 1, "zh": 2}[language]]


def ask_report(rng: Rng, report: Report) -> Conversation:
    """One to three questions; a later one keeps what it does not change."""
    language: Language = rng.choices(("en", "de", "zh"), (70, 15, 15))[0]
    exchanges = [_first(rng, report, language)]
    if language == "en":
        for _ in range(rng.some([0, 0, 1, 1, 2])):
            last = exchanges[-1].steps[0]
            assert isinstance(last, Call)
            exchanges.append(_next(rng, report, dict(last.args)))
    return Conversation("report" if len(exchanges) == 1 else "report-follow", tuple(exchanges), language)


def _first(rng: Rng, report: Report, language: Language) -> Exchange:
    subject, args = report.subject, dict[str, Any]()
    state = rng.some(list(subject.states))
    args[report.status] = state
    offered = [choice for choice in report.tool.params[1].choices if choice != "all"]
    period = rng.some(offered) if rng.chance(0.6) else ""
    said = f" {_sentence(language, PERIODS[period])}" if period else ""
    if period:
        args[report.period] = period
    phrase = rng.some(_sentence(language, subject.states[state]).split(";"))
    if language == "zh":
        return _asked(rng, report, f"{said.strip()}{phrase}的{subject.chinese}有多少？", args, language)
    if language == "de":
        return _asked(
            rng, report, f"Wie viele {subject.german} {phrase}{said and ' (' + said.strip() + ')'}?", args, language
        )
    kind = rng.random()
    if kind < 0.25:
        group = rng.some(subject.groups)
        args[report.group] = group
        return _asked(
            rng,
            report,
            dressed(rng, f"How many {subject.plural} {phrase}{said}, {rng.some(['by', 'per', 'for each'])} {group}?"),
            args,
        )
    if kind < 0.5:
        sort, number = rng.some(list(subject.sorts)), rng.some([3, 5, 10])
        args |= {report.sort: sort, "limit": number}
        return _asked(
            rng,
            report,
            dressed(rng, f"Which {subject.plural} {phrase}{said}? The {number} {subject.sorts[sort]} ones, please."),
            args,
        )
    if kind < 0.65:
        place = rng.some(CITIES)
        args[report.place] = place
        return _asked(rng, report, dressed(rng, f"How many {subject.plural} {phrase} in {place}{said}?"), args)
    return _asked(
        rng,
        report,
        dressed(
            rng,
            rng.some(
                [
                    f"How many {subject.plural} {phrase}{said}?",
                    f"Which {subject.plural} {phrase}{said}?",
                    f"How many {subject.plural} {phrase}{said}, and how much is that in all?",
                    f"What do the {subject.plural} that {phrase}{said} come to?",
                ]
            ),
        ),
        args,
    )


def _next(rng: Rng, report: Report, args: dict[str, Any]) -> Exchange:
    subject, kind = report.subject, rng.random()
    if kind < 0.4:
        offered = [choice for choice in report.tool.params[1].choices if choice not in ("all", args.get(report.period))]
        period = rng.some(offered)
        question = rng.some(
            [
                f"And {PERIODS[period][0]}?",
                f"What about {PERIODS[period][0]}?",
                f"The same for {PERIODS[period][0]}, please.",
            ]
        )
        return _asked(rng, report, question, {**args, report.period: period})
    if kind < 0.7:
        state = rng.some([state for state in subject.states if state != args.get(report.status)])
        return _asked(
            rng,
            report,
            f"And how many {rng.some(subject.states[state][0].split(';'))}?",
            {**args, report.status: state},
        )
    if kind < 0.85:
        group = rng.some([each for each in subject.groups if each != args.get(report.group)])
        return _asked(rng, report, f"Can you split that by {group}?", {**args, report.group: group})
    place = rng.some([each for each in CITIES if each != args.get(report.place)])
    return _asked(rng, report, f"And in {place} only?", {**args, report.place: place})


def _asked(rng: Rng, report: Report, question: str, args: dict[str, Any], language: Language = "en") -> Exchange:
    """The call with its arguments in the tool's order, a made-up result, and the answer from it."""
    subject, tool, form = report.subject, report.tool, ReportForm(rng)
    ordered = {param.name: args[param.name] for param in tool.params if param.name in args}
    count, total = rng.randrange(2, 240), tidy(rng.uniform(50, 90000))
    rows: list[dict[str, Any]] = []
    if report.group in args:
        key = args[report.group]
        rows = [
            {key: value, "count": rng.randrange(1, 90), subject.measure: tidy(rng.uniform(20, 9000))}
            for value in group_values(rng, key, str(args.get(report.period, "")))
        ]
        rows.sort(key=lambda row: -row[subject.measure])
        count, total = sum(row["count"] for row in rows), tidy(sum(row[subject.measure] for row in rows))
        text = f"{count} {subject.plural}: " + ", ".join(f"{row[key]} {row['count']}" for row in rows)
    elif "limit" in args:
        rows = [
            {
                "id": f"{subject.plural[:2].upper()}-{rng.randrange(1000, 9999)}",
                subject.measure: tidy(rng.uniform(20, 9000)),
            }
            for _ in range(min(args["limit"], count))
        ]
        rows.sort(key=lambda row: -row[subject.measure])
        listed = ", ".join(f"{row['id']} ({form.figure(row[subject.measure])})" for row in rows)
        text = f"The {len(rows)} are {listed}, of {count} in all"
    else:
        unit = subject.measure.rpartition("_")[2]
        text = f"{count} {subject.plural}, {form.figure(total)} {unit.upper() if unit == 'eur' else unit} together"
    result: dict[str, Any] = {"count": count, subject.measure: total} | ({"rows": rows} if rows else {})
    if rng.chance(0.1):
        result, text = dict[str, Any](count=0, rows=[]), f"There are no such {subject.plural}"
    shown = form.written(subject.plural, ordered, result)
    if language == "de":
        count = result["count"]
        text = f"Es sind {count} {subject.german}." if count else f"Es gibt keine solchen {subject.german}."
        call = Call(f"Gefragt ist ein Bericht: {subject.german}.", tool.name, ordered, shown)
        return Exchange(question, (call, Answer("Ich habe die Zahl.", text)))
    if language == "zh":
        text = f"一共有{result['count']}个{subject.chinese}。" if result["count"] else f"没有这样的{subject.chinese}。"
        call = Call(f"用户想要{subject.chinese}的统计。", tool.name, ordered, shown)
        return Exchange(question, (call, Answer("已查到。", text)))
    call = Call(f"The user wants a report on {subject.plural}.", tool.name, ordered, shown)
    return Exchange(question, (call, Answer("I have the figures.", text + ".")))
