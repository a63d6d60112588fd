"""What the answers of the suite `business120` must say, worked out from the company's rows without any SQL.

Days are those of the suite's company, which stands at 15 November 2026.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

Rows = dict[str, list[Any]]

TODAY = "2026-11-15"
LAST_MONTH = ("2026-10-01", "2026-10-31")
LAST_QUARTER = ("2026-07-01", "2026-09-30")
THIS_QUARTER = ("2026-10-01", TODAY)
THIS_MONTH = ("2026-11-01", TODAY)
THIS_YEAR = ("2026-01-01", TODAY)
LAST_30 = ("2026-10-17", TODAY)
LAST_90 = ("2026-08-18", TODAY)
LAST_7 = ("2026-11-09", TODAY)
LAST_12_MONTHS = ("2025-11-16", TODAY)
OPEN_STAGES = ("prospecting", "qualification", "proposal", "negotiation")


def within(rows: Iterable[Any], day: str, period: tuple[str, str]) -> list[Any]:
    return [row for row in rows if getattr(row, day) and period[0] <= getattr(row, day)[:10] <= period[1]]


def amount(rows: Iterable[Any], column: str) -> float:
    return round(sum(getattr(row, column) for row in rows) / 100, 2)


def late(c: Rows) -> list[Any]:
    return [o for o in c["purchase_orders"] if o.status in ("open", "partial") and o.due_on < TODAY]


def spent(c: Rows, period: tuple[str, str], **wanted: str) -> list[Any]:
    orders = [o for o in within(c["purchase_orders"], "ordered_on", period) if o.status != "cancelled"]
    return [o for o in orders if all(getattr(o, name) == value for name, value in wanted.items())]


def stock(c: Rows, warehouse: str = "", item: str = "") -> list[Any]:
    return [s for s in c["stock"] if warehouse in ("", s.warehouse_id) and item in ("", s.item_id)]


def short(c: Rows, warehouse: str = "") -> int:
    items = {i.item_id: i for i in c["items"]}
    kept = [s for s in stock(c, warehouse) if items[s.item_id].kind != "finished"]
    return sum(items[s.item_id].reorder_point > 0 and s.quantity < items[s.item_id].reorder_point for s in kept)


def booked(c: Rows, kind: str, period: tuple[str, str], category: str = "") -> float:
    sign = 1 if kind == "revenue" else -1
    entries = [e for e in within(c["ledger"], "posted_on", period) if e.account_type == kind]
    entries = [e for e in entries if category in ("", e.category)]
    return round(sign * sum(e.credit_cents - e.debit_cents for e in entries) / 100, 2)


def profit(c: Rows, period: tuple[str, str]) -> float:
    return round(booked(c, "revenue", period) - booked(c, "cost_of_sales", period) - booked(c, "expense", period), 2)


def unpaid(c: Rows, kind: str) -> list[Any]:
    return [i for i in c["invoices"] if i.kind == kind and not i.paid_on]


def top_vendor(c: Rows, period: tuple[str, str]) -> float:
    sums: Counter[str] = Counter()
    for order in spent(c, period):
        sums[order.vendor_id] += order.total_cents
    return sums.most_common(1)[0][1] / 100


def deals(c: Rows, *stages: str) -> list[Any]:
    return [d for d in c["deals"] if d.stage in stages]


def revenue(c: Rows, period: tuple[str, str], customers: Iterable[str] | None = None) -> float:
    sold = [i for i in within(c["invoices"], "issued_on", period) if i.kind == "receivable"]
    known = None if customers is None else set(customers)
    return amount([i for i in sold if known is None or i.party_id in known], "amount_cents")


def win_rate(c: Rows, period: tuple[str, str]) -> float:
    won, lost = (len(within(deals(c, stage), "closed_on", period)) for stage in ("won", "lost"))
    return round(won / (won + lost) * 100, 1)


def weighted(c: Rows) -> float:
    return round(sum(d.amount_cents * d.probability for d in deals(c, *OPEN_STAGES)) / 10_000, 2)


def customers(c: Rows, **wanted: str) -> list[Any]:
    return [x for x in c["customers"] if all(getattr(x, name) == value for name, value in wanted.items())]


def alerts(c: Rows, period: tuple[str, str] = ("0", "9"), **wanted: str) -> list[Any]:
    found = within(c["alerts"], "raised_at", period)
    return [a for a in found if all(getattr(a, name) == value for name, value in wanted.items())]


def logs(c: Rows, period: tuple[str, str], word: str = "", **wanted: str) -> int:
    found = [line for line in within(c["logs"], "logged_at", period) if word.lower() in line.message.lower()]
    return sum(all(getattr(line, name) == value for name, value in wanted.items()) for line in found)


def events(c: Rows, period: tuple[str, str], kind: str = "") -> int:
    """What is in the calendar then, begun before or not."""
    return sum(e.starts_at[:10] <= period[1] and e.ends_at >= period[0] and kind in ("", e.kind) for e in c["calendar"])


def mails(c: Rows, period: tuple[str, str], word: str = "", **wanted: Any) -> int:
    found = [m for m in within(c["emails"], "sent_at", period) if m.folder == "inbox"]
    found = [m for m in found if word.lower() in f"{m.subject}\n{m.body}".lower()]
    return sum(all(getattr(m, name) == value for name, value in wanted.items()) for m in found)


def cases(c: Rows, defect: str = "", **wanted: str) -> list[Any]:
    found = [d for d in c["defect_cases"] if defect in ("", d.defect)]
    return [d for d in found if all(getattr(d, name) == value for name, value in wanted.items())]


def server(c: Rows, host: str) -> Any:
    return next(s for s in c["servers"] if s.hostname == host)


def staff(c: Rows, department: str = "") -> int:
    return sum(p.status == "active" and department in ("", p.department) for p in c["employees"])


FIGURES: dict[str, Callable[[Rows], list[float]]] = {
    "late-orders": lambda c: [len(late(c)), amount(late(c), "total_cents")],
    "late-orders-zh": lambda c: [len(late(c))],
    "october-orders": lambda c: [len(within(c["purchase_orders"], "ordered_on", LAST_MONTH))],
    "spend-last-quarter": lambda c: [amount(spent(c, LAST_QUARTER), "total_cents")],
    "spend-resins": lambda c: [amount(spent(c, THIS_YEAR, category="Resins"), "total_cents")],
    "spend-zh": lambda c: [amount(spent(c, LAST_QUARTER), "total_cents")],
    "stock-wh1": lambda c: [len(stock(c, "WH-001")), amount(stock(c, "WH-001"), "value_cents")],
    "stock-wh2-zh": lambda c: [amount(stock(c, "WH-002"), "value_cents")],
    "stock-total": lambda c: [amount(stock(c), "value_cents")],
    "stock-abs": lambda c: [s.quantity for s in stock(c, item="MAT-0001")],
    "stock-pallets": lambda c: [s.quantity for s in stock(c, item="MAT-0029")],
    "reorder": lambda c: [short(c)],
    "reorder-zh": lambda c: [short(c, "WH-001")],
    "top-vendor": lambda c: [top_vendor(c, THIS_YEAR)],
    "po-321": lambda c: [next(o.total_cents for o in c["purchase_orders"] if o.order_id == "PO-00321") / 100],
    "profit-october": lambda c: [profit(c, LAST_MONTH)],
    "profit-zh": lambda c: [profit(c, LAST_QUARTER)],
    "payroll": lambda c: [booked(c, "expense", LAST_MONTH, "Payroll")],
    "energy-zh": lambda c: [booked(c, "expense", THIS_YEAR, "Energy")],
    "revenue-month": lambda c: [booked(c, "revenue", THIS_MONTH)],
    "payables": lambda c: [amount(unpaid(c, "payable"), "amount_cents")],
    "receivables-zh": lambda c: [amount(unpaid(c, "receivable"), "amount_cents")],
    "orders-rosa": lambda c: [len(spent(c, THIS_YEAR, buyer="Rosa Keller"))],
    "packaging-wh4": lambda c: [
        amount(spent(c, THIS_YEAR, category="Packaging", warehouse_id="WH-004"), "total_cents")
    ],
    "open-deals": lambda c: [len(deals(c, *OPEN_STAGES)), amount(deals(c, *OPEN_STAGES), "amount_cents")],
    "pipeline": lambda c: [len(deals(c, *OPEN_STAGES)), weighted(c)],
    "pipeline-zh": lambda c: [weighted(c)],
    "negotiation": lambda c: [len(deals(c, "negotiation")), amount(deals(c, "negotiation"), "amount_cents")],
    "won-quarter": lambda c: [len(within(deals(c, "won"), "closed_on", LAST_QUARTER))],
    "won-quarter-zh": lambda c: [len(within(deals(c, "won"), "closed_on", LAST_QUARTER))],
    "lost-year": lambda c: [amount(within(deals(c, "lost"), "closed_on", THIS_YEAR), "amount_cents")],
    "win-rate": lambda c: [win_rate(c, THIS_YEAR)],
    "customer-revenue": lambda c: [revenue(c, LAST_12_MONTHS)],
    "revenue-emea": lambda c: [revenue(c, LAST_12_MONTHS, [x.customer_id for x in customers(c, region="EMEA")])],
    "calder": lambda c: [revenue(c, LAST_12_MONTHS, ["C-0009"])],
    "at-risk": lambda c: [len(customers(c, status="at_risk"))],
    "at-risk-zh": lambda c: [len(customers(c, status="at_risk"))],
    "churn-year": lambda c: [len(within(c["customers"], "churned_on", THIS_YEAR))],
    "churn-zh": lambda c: [len(within(c["customers"], "churned_on", THIS_YEAR))],
    "leads-month": lambda c: [len(within(c["leads"], "created_on", LAST_30))],
    "leads-zh": lambda c: [len(within(c["leads"], "created_on", LAST_MONTH))],
    "leads-website": lambda c: [sum(x.source == "Website" for x in within(c["leads"], "created_on", LAST_90))],
    "new-leads": lambda c: [sum(x.status == "new" for x in within(c["leads"], "created_on", LAST_90))],
    "medical-customers": lambda c: [len(customers(c, industry="Medical"))],
    "not-up": lambda c: [sum(s.status != "up" for s in c["servers"])],
    "down-zh": lambda c: [sum(s.status == "down" for s in c["servers"])],
    "servers": lambda c: [len(c["servers"])],
    "db-01": lambda c: [server(c, "db-01").cpu_percent, server(c, "db-01").disk_percent],
    "web-02-zh": lambda c: [server(c, "web-02").memory_percent],
    "staging": lambda c: [sum(s.environment == "staging" for s in c["servers"])],
    "critical-open": lambda c: [
        len(alerts(c, severity="critical", status="open")) + len(alerts(c, severity="critical", status="acknowledged"))
    ],
    "alerts-month": lambda c: [len(alerts(c, LAST_MONTH))],
    "alerts-zh": lambda c: [len(alerts(c, LAST_30))],
    "critical-month-zh": lambda c: [len(alerts(c, LAST_MONTH, severity="critical"))],
    "alerts-db": lambda c: [len(alerts(c, LAST_30, server_id="SRV-004"))],
    "log-errors": lambda c: [logs(c, LAST_7, level="error")],
    "log-timeouts": lambda c: [logs(c, LAST_7, "timeout")],
    "log-timeouts-zh": lambda c: [logs(c, LAST_7, level="error")],
    "log-deadlock": lambda c: [logs(c, LAST_30, "deadlock")],
    "meetings-tomorrow": lambda c: [events(c, ("2026-11-16", "2026-11-16"), "meeting")],
    "meetings-zh": lambda c: [events(c, ("2026-11-16", "2026-11-16"), "meeting")],
    "leave-next-week": lambda c: [events(c, ("2026-11-16", "2026-11-22"), "leave")],
    "leave-zh": lambda c: [events(c, ("2026-11-16", "2026-11-22"), "leave")],
    "trips": lambda c: [events(c, ("2026-11-01", "2026-11-30"), "trip")],
    "unread": lambda c: [mails(c, LAST_7, is_read=0)],
    "unread-zh": lambda c: [mails(c, LAST_7, is_read=0)],
    "important": lambda c: [mails(c, LAST_7, importance="high")],
    "mail-complaints": lambda c: [mails(c, LAST_30, "complaint")],
    "flash-cases": lambda c: [len(cases(c, "flash"))],
    "flash-zh": lambda c: [len(cases(c, "flash"))],
    "sink-cases": lambda c: [len(cases(c, "sink_mark"))],
    "whitening-zh": lambda c: [len(cases(c, "whitening"))],
    "open-cases": lambda c: [len(cases(c, status="open"))],
    "spark-zh": lambda c: [len(cases(c, "spark_marks"))],
    "critical-cases": lambda c: [len(cases(c, severity="critical"))],
    "trials-md2": lambda c: [sum(t.mold_id == "MD-002" for t in c["trials"]), len(cases(c, mold_id="MD-002"))],
    "trials-md11-zh": lambda c: [sum(t.mold_id == "MD-011" for t in c["trials"])],
    "short-shot-zh": lambda c: [len(cases(c, "short_shot"))],
    "contamination": lambda c: [len(cases(c, "contamination"))],
    "kb-buyer-limit": lambda _c: [10_000],
    "kb-buyer-limit-zh": lambda _c: [10_000],
    "kb-leave-days": lambda _c: [25],
    "kb-leave-days-zh": lambda _c: [25],
    "kb-discount": lambda _c: [5],
    "kb-hotel": lambda _c: [160],
    "kb-hotel-zh": lambda _c: [160],
    "kb-backup": lambda _c: [35],
    "kb-staff": lambda c: [staff(c)],
    "kb-password-zh": lambda _c: [14],
    "kb-gifts": lambda _c: [50],
    "kb-reject-rate": lambda _c: [2],
    "kb-blocked": lambda c: [sum(v.status == "blocked" for v in c["vendors"])],
    "follow-quarter": lambda c: [amount(spent(c, LAST_QUARTER), "total_cents")],
    "follow-warehouse": lambda c: [amount(stock(c, "WH-003"), "value_cents")],
    "follow-warehouse-zh": lambda c: [amount(stock(c, "WH-004"), "value_cents")],
    "follow-lost": lambda c: [len(within(deals(c, "lost"), "closed_on", LAST_QUARTER))],
    "follow-critical": lambda c: [len(alerts(c, LAST_MONTH, severity="critical"))],
}
