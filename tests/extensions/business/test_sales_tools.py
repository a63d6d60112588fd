"""Leads, customers, deals and the pipeline: every filter, against figures worked out from the plain rows."""

from collections import defaultdict
from typing import Any

import pytest

AS_OF = "2026-11-15"
OPEN = ("prospecting", "qualification", "proposal", "negotiation")
FRESH = ("new", "contacted", "qualified")


def share(part: int, whole: int) -> float | None:
    return round(part / whole * 100, 1) if whole else None


def lead_figures(leads: list[Any]) -> dict[str, Any]:
    converted = sum(lead.status == "converted" for lead in leads)
    return {
        "leads": len(leads), "value": sum(lead.value_cents for lead in leads) / 100,
        "open": sum(lead.status in FRESH for lead in leads), "converted": converted,
        "conversion_percent": share(converted, len(leads)),
    }  # fmt: skip


LEAD_FILTERS = [
    ({}, lambda x: x.created_on >= "2026-08-18"),
    ({"status": "open", "period": "all"}, lambda x: x.status in FRESH),
    *[
        ({"status": status, "period": "all"}, lambda x, status=status: x.status == status)
        for status in (*FRESH, "converted", "lost")
    ],
    ({"source": "trade fair", "period": "all"}, lambda x: x.source == "Trade fair"),
    ({"region": "emea", "period": "all"}, lambda x: x.region == "EMEA"),
    ({"min_value": 500000, "period": "all"}, lambda x: x.value_cents >= 50000000),
    ({"start_date": "2026-01", "end_date": "2026-03"}, lambda x: "2026-01" <= x.created_on[:7] <= "2026-03"),
    (
        {"status": "lost", "source": "Website", "region": "APAC", "period": "last_year"},
        lambda x: (x.status, x.source, x.region, x.created_on[:4]) == ("lost", "Website", "APAC", "2025"),
    ),
]


@pytest.mark.parametrize(("args", "wanted"), LEAD_FILTERS, ids=[str(args) for args, _ in LEAD_FILTERS])
async def test_leads_by_every_filter(ask, company, counts, args, wanted) -> None:
    leads = [lead for lead in company["leads"] if wanted(lead)]
    found = await ask("get_leads", **args, limit=200)
    assert counts(found["totals"]) == counts(lead_figures(leads))
    newest = sorted(leads, key=lambda lead: (lead.created_on, lead.lead_id), reverse=True)
    assert [row["lead_id"] for row in found["rows"]] == [lead.lead_id for lead in newest[:200]]


@pytest.mark.parametrize("group_by", ["status", "source", "region", "owner"])
async def test_leads_by_every_group(ask, company, counts, group_by) -> None:
    groups = defaultdict(list)
    for lead in company["leads"]:
        groups[getattr(lead, group_by)].append(lead)
    rows = [{group_by: key, **lead_figures(leads)} for key, leads in groups.items()]
    if group_by == "status":
        # Of converted leads all are: a ratio of each status would say nothing.
        rows = [counts(row) for row in rows]
    rows.sort(key=lambda row: (-row["leads"], row[group_by]))
    assert (await ask("get_leads", group_by=group_by, period="all", limit=100))["rows"] == rows


async def test_leads_of_an_owner_by_month_compared(ask, company, counts) -> None:
    owner = company["leads"][0].owner
    mine = [lead for lead in company["leads"] if lead.owner == owner]
    found = await ask("get_leads", owner=owner, period="last_year", compare="previous_period", trend="month")
    groups = defaultdict(list)
    for lead in mine:
        if lead.created_on[:4] == "2025":
            groups[lead.created_on[:7]].append(lead)
    assert found["trend"] == [{"month": month, **lead_figures(groups[month])} for month in sorted(groups)]
    before = [lead for lead in mine if lead.created_on[:4] == "2024"]
    assert counts(found["comparison"]["totals"]) == counts(lead_figures(before))


def customer_figures(company, customers: list[Any], first: str, last: str) -> dict[str, Any]:
    ids = {customer.customer_id for customer in customers}
    there = [c for c in customers if c.since < first and (c.churned_on is None or c.churned_on >= first)]
    churned = sum(c.churned_on is not None and first <= c.churned_on <= last for c in customers)
    revenue = sum(
        i.amount_cents for i in company["invoices"]
        if i.kind == "receivable" and i.party_id in ids and first <= i.issued_on <= last
    )  # fmt: skip
    return {
        "customers": len(customers), "active": sum(c.status == "active" for c in customers),
        "at_risk": sum(c.status == "at_risk" for c in customers),
        "won_in_period": sum(first <= c.since <= last for c in customers), "churned_in_period": churned,
        "there_at_start": len(there), "revenue": revenue / 100,
    }  # fmt: skip


CUSTOMER_FILTERS = [
    ({}, "2025-11-16", AS_OF, lambda c: True),
    ({"status": "active"}, "2025-11-16", AS_OF, lambda c: c.status == "active"),
    ({"status": "at_risk"}, "2025-11-16", AS_OF, lambda c: c.status == "at_risk"),
    ({"status": "churned"}, "2025-11-16", AS_OF, lambda c: c.status == "churned"),
    ({"customer": "C-0015"}, "2025-11-16", AS_OF, lambda c: c.customer_id == "C-0015"),
    ({"region": "Americas"}, "2025-11-16", AS_OF, lambda c: c.region == "Americas"),
    ({"industry": "automotive"}, "2025-11-16", AS_OF, lambda c: c.industry == "Automotive"),
    ({"period": "last_quarter"}, "2026-07-01", "2026-09-30", lambda c: True),
    ({"period": "all"}, "0001-01-01", "9999-12-31", lambda c: True),
    ({"start_date": "2025-05-01", "end_date": "2025-05-31"}, "2025-05-01", "2025-05-31", lambda c: True),
]


@pytest.mark.parametrize(
    ("args", "first", "last", "wanted"), CUSTOMER_FILTERS, ids=[str(case[0]) for case in CUSTOMER_FILTERS]
)
async def test_customers_by_every_filter(ask, company, counts, args, first, last, wanted) -> None:
    customers = [customer for customer in company["customers"] if wanted(customer)]
    found = await ask("get_customers", **args, limit=200)
    expected = customer_figures(company, customers, first, last)
    if "status" in args:
        del expected["there_at_start"]
    assert counts(found["totals"]) == expected
    revenue: dict[str, int] = defaultdict(int)
    overdue: dict[str, int] = defaultdict(int)
    for invoice in company["invoices"]:
        if invoice.kind == "receivable" and first <= invoice.issued_on <= last:
            revenue[invoice.party_id] += invoice.amount_cents
        if invoice.kind == "receivable" and invoice.paid_on is None and invoice.due_on < AS_OF:
            overdue[invoice.party_id] += invoice.amount_cents
    ordered = sorted(customers, key=lambda c: (-revenue[c.customer_id], c.customer_id))
    assert [(row["customer_id"], row["revenue"], row["overdue"]) for row in found["rows"]] == [
        (c.customer_id, revenue[c.customer_id] / 100, overdue[c.customer_id] / 100) for c in ordered
    ]


async def test_customers_of_an_owner_sorted_by_name_age_and_debt(ask, company) -> None:
    owner = company["customers"][0].owner
    mine = [customer for customer in company["customers"] if customer.owner == owner]
    by_name = await ask("get_customers", owner=owner, sort="name")
    assert [row["customer"] for row in by_name["rows"]] == sorted(customer.name for customer in mine)
    by_age = await ask("get_customers", owner=owner, sort="newest")
    assert [row["since"] for row in by_age["rows"]] == sorted((c.since for c in mine), reverse=True)
    by_debt = [row["overdue"] for row in (await ask("get_customers", sort="overdue", limit=80))["rows"]]
    assert by_debt == sorted(by_debt, reverse=True)
    assert by_debt[0] > 0


async def test_revenue_of_customers_by_month_compared(ask, company, counts) -> None:
    mine = [customer for customer in company["customers"] if customer.region == "EMEA"]
    ids = {customer.customer_id for customer in mine}
    months: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for invoice in company["invoices"]:
        if invoice.kind == "receivable" and invoice.party_id in ids and "2026-07" <= invoice.issued_on[:7] <= "2026-09":
            months[invoice.issued_on[:7]][0] += invoice.amount_cents
            months[invoice.issued_on[:7]][1] += 1
    found = await ask("get_customers", region="EMEA", period="last_quarter", compare="previous_period", trend="month")
    assert found["trend"] == [
        {"month": month, "revenue": cents / 100, "invoices": many} for month, (cents, many) in sorted(months.items())
    ]
    before = customer_figures(company, mine, "2026-04-01", "2026-06-30")
    assert counts(found["comparison"]["totals"]) == before


def deal_figures(deals: list[Any]) -> dict[str, Any]:
    won = [deal for deal in deals if deal.stage == "won"]
    lost = sum(deal.stage == "lost" for deal in deals)
    return {
        "deals": len(deals), "amount": sum(deal.amount_cents for deal in deals) / 100,
        "open": sum(deal.stage in OPEN for deal in deals), "won": len(won),
        "won_amount": sum(deal.amount_cents for deal in won) / 100, "lost": lost,
        "win_rate_percent": share(len(won), len(won) + lost),
    }  # fmt: skip


DEAL_FILTERS = [
    ({}, lambda d, r: d.created_on[:4] == "2026"),
    ({"stage": "open"}, lambda d, r: d.stage in OPEN),
    *[({"stage": stage}, lambda d, r, stage=stage: d.stage == stage) for stage in OPEN],
    ({"stage": "won"}, lambda d, r: d.stage == "won" and d.closed_on[:4] == "2026"),
    ({"stage": "lost", "period": "last_quarter"},
     lambda d, r: d.stage == "lost" and "2026-07" <= d.closed_on[:7] <= "2026-09"),
    ({"stage": "won", "date_field": "created", "period": "last_year"},
     lambda d, r: d.stage == "won" and d.created_on[:4] == "2025"),
    ({"stage": "open", "date_field": "expected", "period": "next_month"},
     lambda d, r: d.stage in OPEN and d.expected_on[:7] == "2026-12"),
    ({"date_field": "expected", "period": "this_month", "stage": "open"},
     lambda d, r: d.stage in OPEN and d.expected_on[:7] == "2026-11"),
    ({"date_field": "expected", "period": "next_quarter"}, lambda d, r: "2027-01" <= d.expected_on[:7] <= "2027-03"),
    ({"date_field": "expected", "period": "next_30_days"}, lambda d, r: "2026-11-15" <= d.expected_on <= "2026-12-14"),
    ({"date_field": "closed", "period": "all"}, lambda d, r: d.closed_on is not None),
    ({"customer": "C-0015", "period": "all"}, lambda d, r: d.customer_id == "C-0015"),
    ({"region": "APAC", "period": "all"}, lambda d, r: r[d.customer_id] == "APAC"),
    ({"min_amount": 700000, "period": "all"}, lambda d, r: d.amount_cents >= 70000000),
    ({"start_date": "2026-05-05", "end_date": "2026-06-06"}, lambda d, r: "2026-05-05" <= d.created_on <= "2026-06-06"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "wanted"), DEAL_FILTERS, ids=[str(args) for args, _ in DEAL_FILTERS])
async def test_deals_by_every_filter(ask, company, counts, args, wanted) -> None:
    regions = {customer.customer_id: customer.region for customer in company["customers"]}
    deals = [deal for deal in company["deals"] if wanted(deal, regions)]
    found = await ask("get_deals", **args, limit=200)
    assert counts(found["totals"]) == counts(deal_figures(deals))
    newest = sorted(deals, key=lambda deal: (deal.created_on, deal.deal_id), reverse=True)
    assert [row["deal_id"] for row in found["rows"]] == [deal.deal_id for deal in newest[:200]]


async def test_deals_of_an_owner_sorted_by_month_compared(ask, company, counts) -> None:
    owner = company["deals"][0].owner
    mine = [deal for deal in company["deals"] if deal.owner == owner]
    found = await ask("get_deals", owner=owner, period="last_year", trend="month", compare="previous_period")
    groups = defaultdict(list)
    for deal in mine:
        if deal.created_on[:4] == "2025":
            groups[deal.created_on[:7]].append(deal)
    assert found["trend"] == [{"month": month, **deal_figures(groups[month])} for month in sorted(groups)]
    before = [d for d in mine if d.created_on[:4] == "2024"]
    assert counts(found["comparison"]["totals"]) == counts(deal_figures(before))
    largest = await ask("get_deals", period="all", sort="largest", limit=5)
    expected = sorted(company["deals"], key=lambda deal: (-deal.amount_cents, deal.deal_id))[:5]
    assert [row["deal_id"] for row in largest["rows"]] == [deal.deal_id for deal in expected]
    closing = await ask("get_deals", stage="open", sort="closing", limit=5)
    expected = sorted((d for d in company["deals"] if d.stage in OPEN), key=lambda d: (d.expected_on, d.deal_id))[:5]
    assert [row["deal_id"] for row in closing["rows"]] == [deal.deal_id for deal in expected]


def pipeline(deals: list[Any]) -> dict[str, Any]:
    weighted = round(sum(deal.amount_cents * deal.probability for deal in deals) / 100)
    return {"deals": len(deals), "amount": sum(d.amount_cents for d in deals) / 100, "weighted": weighted / 100}


PIPELINE_FILTERS = [
    ({}, lambda d, r: True),
    ({"region": "EMEA"}, lambda d, r: r[d.customer_id] == "EMEA"),
    ({"period": "next_quarter"}, lambda d, r: "2027-01" <= d.expected_on[:7] <= "2027-03"),
    ({"start_date": "2026-12-01", "end_date": "2026-12-31"}, lambda d, r: d.expected_on[:7] == "2026-12"),
]


@pytest.mark.parametrize(("args", "wanted"), PIPELINE_FILTERS, ids=[str(args) for args, _ in PIPELINE_FILTERS])
async def test_the_pipeline_by_every_filter(ask, company, args, wanted) -> None:
    regions = {customer.customer_id: customer.region for customer in company["customers"]}
    deals = [deal for deal in company["deals"] if deal.stage in OPEN and wanted(deal, regions)]
    found = await ask("get_sales_pipeline", **args)
    assert found["totals"] == pipeline(deals)
    stages = {stage: [deal for deal in deals if deal.stage == stage] for stage in OPEN}
    assert [{k: v for k, v in row.items() if k != "probability_percent"} for row in found["rows"]] == [
        {"stage": stage, **pipeline(several)} for stage, several in stages.items() if several
    ]
    months = defaultdict(list)
    for deal in deals:
        months[deal.expected_on[:7]].append(deal)
    assert found.get("trend", []) == [{"month": month, **pipeline(months[month])} for month in sorted(months)]


async def test_the_pipeline_of_an_owner_or_customer_with_their_win_rate(ask, company) -> None:
    deal = next(deal for deal in company["deals"] if deal.stage in OPEN)
    for args, column in (({"owner": deal.owner}, "owner"), ({"customer": deal.customer_id}, "customer_id")):
        mine = [d for d in company["deals"] if getattr(d, column) == getattr(deal, column)]
        found = await ask("get_sales_pipeline", **args)
        assert found["totals"] == pipeline([d for d in mine if d.stage in OPEN])
        (closed,) = found["closed_deals"]
        expected = deal_figures([d for d in mine if d.closed_on is not None and d.closed_on >= "2025-11-16"])
        assert closed.pop("win_rate_of", "").endswith(
            f"{expected['won'] + expected['lost']}" if expected["deals"] else ""
        )
        assert closed == {"period": "2025-11-16 to 2026-11-15 (last 12 months)", **expected}
