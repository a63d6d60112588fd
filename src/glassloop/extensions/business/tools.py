"""The business assistant's tools, over the sample company or a company's own database."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from glassloop.core.ports import Clock
from glassloop.extensions.business.desk import Business
from glassloop.extensions.business.finance_tools import FinanceTools
from glassloop.extensions.business.machine_tools import MachineTools
from glassloop.extensions.business.mold_tools import MoldTools
from glassloop.extensions.business.office_tools import OfficeTools
from glassloop.extensions.business.purchasing_tools import PurchasingTools
from glassloop.extensions.business.sales_tools import SalesTools
from glassloop.tools.tool import Tool, tool

LIVE_S = 30.0
"""How long what machines say is remembered; the rest for as long as any read."""


def make_tools(home: Path, clock: Clock = time.time, business_database_url: str | None = None) -> Sequence[Tool]:
    """All of them. The sample company is made in the home folder when first needed, unless there is a URL."""
    business = Business(home, clock, business_database_url)
    return [made for make in BY_DOMAIN.values() for made in make(business)]


def erp_tools(business: Business) -> Sequence[Tool]:
    buying, money = PurchasingTools(business), FinanceTools(business)
    return _reads(
        "erp",
        buying.get_purchase_orders,
        money.get_inventory_levels,
        money.get_financial_summary,
        buying.get_vendor_price_trends,
        buying.get_procurement_summary,
        buying.get_top_vendors,
    )


def crm_tools(business: Business) -> Sequence[Tool]:
    sales = SalesTools(business)
    return _reads("crm", sales.get_leads, sales.get_customers, sales.get_deals, sales.get_sales_pipeline)


def itops_tools(business: Business) -> Sequence[Tool]:
    machines = MachineTools(business)
    return _reads("itops", machines.get_server_status, machines.get_alerts, machines.search_logs, cache_ttl_s=LIVE_S)


def oa_tools(business: Business) -> Sequence[Tool]:
    office = OfficeTools(business)
    asks_first = tool(effect="write", idempotent=True, confirm=True, preview=office.preview, domain="oa")
    return [
        *_reads("oa", office.get_calendar, office.get_emails, cache_ttl_s=LIVE_S),
        asks_first(office.schedule_meeting),
    ]


def mold_tools(business: Business) -> Sequence[Tool]:
    molds = MoldTools(business)
    return _reads(
        "mold",
        molds.search_defect_cases,
        molds.get_defect_case,
        molds.get_trial_history,
        molds.get_defect_remedies,
    )


BY_DOMAIN: Mapping[str, Callable[[Business], Sequence[Tool]]] = {
    "erp": erp_tools,
    "crm": crm_tools,
    "itops": itops_tools,
    "oa": oa_tools,
    "mold": mold_tools,
}


def _reads(domain: str, *functions: Callable[..., Any], cache_ttl_s: float = 300.0) -> list[Tool]:
    return [tool(effect="read", domain=domain, cache_ttl_s=cache_ttl_s)(function) for function in functions]
