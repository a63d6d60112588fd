"""Ten conversations with the business assistant. Of each question: the tool, its arguments, the figures in the answer.

An argument that is not named must be left out or be the tool's default.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from extensions.business import suite_figures as f
from extensions.business.suite_figures import Rows

NEXT_WEEK = ("2026-11-16", "2026-11-22")
NOVEMBER = ("2026-11-01", "2026-11-30")


class Asked(NamedTuple):
    question: str
    tool: str
    args: dict[str, Any]
    figures: Callable[[Rows], list[float]]


def orders_of(c: Rows, period: tuple[str, str], **wanted: str) -> list[Any]:
    found = f.within(c["purchase_orders"], "ordered_on", period)
    return [o for o in found if all(getattr(o, name) == value for name, value in wanted.items())]


def late_of(c: Rows, **wanted: str) -> list[Any]:
    return [o for o in f.late(c) if all(getattr(o, name) == value for name, value in wanted.items())]


def leads_of(c: Rows, period: tuple[str, str], **wanted: str) -> int:
    found = f.within(c["leads"], "created_on", period)
    return sum(all(getattr(x, name) == value for name, value in wanted.items()) for x in found)


def servers_of(c: Rows, **wanted: str) -> int:
    found = [s for s in c["servers"] if s.status != "up"]
    return sum(all(getattr(s, name) == value for name, value in wanted.items()) for s in found)


def unresolved(c: Rows, period: tuple[str, str], **wanted: str) -> int:
    return sum(a.status != "resolved" for a in f.alerts(c, period, **wanted))


LAST_MONTH, LAST_QUARTER, THIS_YEAR = f.LAST_MONTH, f.LAST_QUARTER, f.THIS_YEAR

CONVERSATIONS: dict[str, list[Asked]] = {
    "late orders": [
        Asked("Which purchase orders are late?", "get_purchase_orders", {"status": "late"},
              lambda c: [len(f.late(c)), f.amount(f.late(c), "total_cents")]),
        Asked("And from Harbor Polymers?", "get_purchase_orders", {"status": "late", "vendor": "Harbor Polymers"},
              lambda c: [len(late_of(c, vendor_id="V-004"))]),
        Asked("How many orders did we place last month?", "get_purchase_orders", {"period": "last_month"},
              lambda c: [len(orders_of(c, LAST_MONTH))]),
        Asked("Which of those are late?", "get_purchase_orders", {"period": "last_month", "status": "late"},
              lambda c: [sum(o in f.late(c) for o in orders_of(c, LAST_MONTH))]),
        Asked("And last quarter?", "get_purchase_orders", {"period": "last_quarter", "status": "late"},
              lambda c: [sum(o in f.late(c) for o in orders_of(c, LAST_QUARTER))]),
    ],
    "stock": [
        Asked("How much stock is in WH-001?", "get_inventory_levels", {"warehouse_id": "WH-001"},
              lambda c: [f.amount(f.stock(c, "WH-001"), "value_cents")]),
        Asked("And in WH-003?", "get_inventory_levels", {"warehouse_id": "WH-003"},
              lambda c: [f.amount(f.stock(c, "WH-003"), "value_cents")]),
        Asked("What about WH-004?", "get_inventory_levels", {"warehouse_id": "WH-004"},
              lambda c: [f.amount(f.stock(c, "WH-004"), "value_cents")]),
        Asked("Which of those are below the reorder point?", "get_inventory_levels",
              {"warehouse_id": "WH-004", "below_reorder_point": True}, lambda c: [f.short(c, "WH-004")]),
        Asked("And in WH-001?", "get_inventory_levels", {"warehouse_id": "WH-001", "below_reorder_point": True},
              lambda c: [f.short(c, "WH-001")]),
    ],
    "profit": [
        Asked("What was our profit last month?", "get_financial_summary", {"period": "last_month"},
              lambda c: [f.profit(c, LAST_MONTH)]),
        Asked("And last quarter?", "get_financial_summary", {"period": "last_quarter"},
              lambda c: [f.profit(c, LAST_QUARTER), f.booked(c, "revenue", LAST_QUARTER)]),
        Asked("What were our payroll expenses last month?", "get_financial_summary",
              {"period": "last_month", "category": "Payroll", "section": "expense"},
              lambda c: [f.booked(c, "expense", LAST_MONTH, "Payroll")]),
        Asked("And last quarter?", "get_financial_summary",
              {"period": "last_quarter", "category": "Payroll", "section": "expense"},
              lambda c: [f.booked(c, "expense", LAST_QUARTER, "Payroll")]),
        Asked("How much is still open in unpaid invoices?", "get_financial_summary", {},
              lambda c: [f.amount(f.unpaid(c, "payable"), "amount_cents")]),
    ],
    "deals": [
        Asked("Show the sales pipeline", "get_sales_pipeline", {}, lambda c: [f.weighted(c)]),
        Asked("How many deals did we win last quarter?", "get_deals", {"stage": "won", "period": "last_quarter"},
              lambda c: [len(f.within(f.deals(c, "won"), "closed_on", LAST_QUARTER))]),
        Asked("And how many did we lose?", "get_deals", {"stage": "lost", "period": "last_quarter"},
              lambda c: [len(f.within(f.deals(c, "lost"), "closed_on", LAST_QUARTER))]),
        Asked("And this year?", "get_deals", {"stage": "lost", "period": "this_year"},
              lambda c: [f.amount(f.within(f.deals(c, "lost"), "closed_on", THIS_YEAR), "amount_cents")]),
        Asked("Which customers are at risk?", "get_customers", {"status": "at_risk"},
              lambda c: [len(f.customers(c, status="at_risk"))]),
    ],
    "leads": [
        Asked("How many leads came in last month?", "get_leads", {"period": "last_month"},
              lambda c: [leads_of(c, LAST_MONTH)]),
        Asked("And last quarter?", "get_leads", {"period": "last_quarter"}, lambda c: [leads_of(c, LAST_QUARTER)]),
        Asked("How many of those came from the Website?", "get_leads", {"period": "last_quarter", "source": "Website"},
              lambda c: [leads_of(c, LAST_QUARTER, source="Website")]),
        Asked("Which of them are new?", "get_leads",
              {"period": "last_quarter", "source": "Website", "status": "new"},
              lambda c: [leads_of(c, LAST_QUARTER, source="Website", status="new")]),
        Asked("And converted?", "get_leads", {"period": "last_quarter", "source": "Website", "status": "converted"},
              lambda c: [leads_of(c, LAST_QUARTER, source="Website", status="converted")]),
    ],
    "servers": [
        Asked("Which servers are not up?", "get_server_status", {"status": "not_up"}, lambda c: [servers_of(c)]),
        Asked("Only in production", "get_server_status", {"status": "not_up", "environment": "production"},
              lambda c: [servers_of(c, environment="production")]),
        Asked("Show critical alerts of last month", "get_alerts", {"severity": "critical", "period": "last_month"},
              lambda c: [len(f.alerts(c, LAST_MONTH, severity="critical"))]),
        Asked("Which of those are unresolved?", "get_alerts",
              {"severity": "critical", "period": "last_month", "status": "unresolved"},
              lambda c: [unresolved(c, LAST_MONTH, severity="critical")]),
        Asked("How many errors are in the logs of the last 7 days?", "search_logs",
              {"level": "error", "period": "last_7_days"}, lambda c: [f.logs(c, f.LAST_7, level="error")]),
    ],
    "calendar": [
        Asked("What meetings are there tomorrow?", "get_calendar", {"kind": "meeting", "period": "tomorrow"},
              lambda c: [f.events(c, ("2026-11-16", "2026-11-16"), "meeting")]),
        Asked("And next week?", "get_calendar", {"kind": "meeting", "period": "next_week"},
              lambda c: [f.events(c, NEXT_WEEK, "meeting")]),
        Asked("Who is on leave next week?", "get_calendar", {"kind": "leave", "period": "next_week"},
              lambda c: [f.events(c, NEXT_WEEK, "leave")]),
        Asked("And this month?", "get_calendar", {"kind": "leave", "period": "this_month"},
              lambda c: [f.events(c, NOVEMBER, "leave")]),
        Asked("How many unread mails are there?", "get_emails", {"unread": True},
              lambda c: [f.mails(c, f.LAST_7, is_read=0)]),
    ],
    "molds": [
        Asked("披锋怎么解决？", "get_defect_remedies", {"defect": "披锋"}, lambda c: [len(f.cases(c, "flash"))]),
        Asked("那缩水呢？", "get_defect_remedies", {"defect": "缩水"}, lambda c: [len(f.cases(c, "sink_mark"))]),
        Asked("有多少火花纹案例？", "search_defect_cases", {"defect": "火花纹"},
              lambda c: [len(f.cases(c, "spark_marks"))]),
        Asked("MD-002 的试模记录", "get_trial_history", {"mold": "MD-002"},
              lambda c: [sum(t.mold_id == "MD-002" for t in c["trials"]), len(f.cases(c, mold_id="MD-002"))]),
        Asked("那 MD-004 呢？", "get_trial_history", {"mold": "MD-004"},
              lambda c: [sum(t.mold_id == "MD-004" for t in c["trials"]), len(f.cases(c, mold_id="MD-004"))]),
    ],
    "采购": [
        Asked("上个月采购支出是多少？", "get_procurement_summary", {"period": "last_month"},
              lambda c: [f.amount(f.spent(c, LAST_MONTH), "total_cents")]),
        Asked("那上个季度呢？", "get_procurement_summary", {"period": "last_quarter"},
              lambda c: [f.amount(f.spent(c, LAST_QUARTER), "total_cents")]),
        Asked("WH-002 有多少库存？", "get_inventory_levels", {"warehouse_id": "WH-002"},
              lambda c: [f.amount(f.stock(c, "WH-002"), "value_cents")]),
        Asked("那 WH-004 呢？", "get_inventory_levels", {"warehouse_id": "WH-004"},
              lambda c: [f.amount(f.stock(c, "WH-004"), "value_cents")]),
        Asked("本季度的利润是多少？", "get_financial_summary", {"period": "this_quarter"},
              lambda c: [f.profit(c, f.THIS_QUARTER)]),
    ],
    "departments": [
        Asked("What does the procurement policy say about approval limits?", "search_knowledge_base", {},
              lambda _c: [10_000]),
        Asked("Which orders are late?", "get_purchase_orders", {"status": "late"}, lambda c: [len(f.late(c))]),
        Asked("What does the employee handbook say about annual leave?", "search_knowledge_base", {}, lambda _c: [25]),
        Asked("Who is on leave next week?", "get_calendar", {"kind": "leave", "period": "next_week"},
              lambda c: [f.events(c, NEXT_WEEK, "leave")]),
        Asked("Which servers are down?", "get_server_status", {"status": "down"},
              lambda c: [sum(s.status == "down" for s in c["servers"])]),
    ],
}  # fmt: skip
