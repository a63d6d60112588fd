"""How long the business tools take: at the size of the sample company, and at a hundred times that.

    python bench/business.py [--scale N] [--rounds R] [--folder F] [--json FILE]

Every tool is asked as people ask most, and as widely as it can be asked. The company is made in a folder that is
removed again, unless `--folder` names one to keep it in (a hundred times the sample is about a gigabyte, and takes some
minutes to make). Prints every call, and the slowest with its bar; exits with 1 when one is missed.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import bars
from glassloop.extensions.business.company.generator import VERSION, make_company
from glassloop.extensions.business.database.writer import write_sqlite
from glassloop.extensions.business.tools import make_tools
from glassloop.tools.registry import ToolRegistry

TODAY = date(2026, 11, 15)
NOW = datetime(2026, 11, 15, 9, tzinfo=UTC).timestamp()
BARS_MS = {1: 50.0, 100: 500.0}

ALL: dict[str, Any] = {"period": "all", "trend": "month", "limit": 200}
WIDE: dict[str, Any] = {"period": "last_12_months", "compare": "previous_period", "trend": "month", "limit": 200}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_purchase_orders", {}),
    ("get_purchase_orders", {"status": "late"}),
    ("get_purchase_orders", ALL),
    ("get_purchase_orders", WIDE),
    ("get_purchase_orders", {"item": "MAT-0001", "period": "all"}),
    ("get_purchase_orders", {"order_id": "PO-00100"}),
    ("get_inventory_levels", {"warehouse_id": "WH-001"}),
    ("get_inventory_levels", {"trend": "month", "compare": "last_year", "limit": 200}),
    ("get_financial_summary", {}),
    ("get_financial_summary", ALL),
    ("get_financial_summary", WIDE),
    ("get_vendor_price_trends", {}),
    ("get_vendor_price_trends", {"item": "MAT-0001", "trend": "month", "period": "all"}),
    ("get_procurement_summary", {}),
    ("get_procurement_summary", {**WIDE, "group_by": "vendor"}),
    ("get_top_vendors", {}),
    ("get_top_vendors", {"by": "on_time", "period": "all"}),
    ("get_vendors", {"group_by": "country"}),
    ("get_product_sales", {}),
    ("get_product_sales", {**WIDE, "group_by": "category"}),
    ("get_employees", {}),
    ("get_leads", {}),
    ("get_leads", ALL),
    ("get_leads", {**WIDE, "group_by": "source"}),
    ("get_customers", {}),
    ("get_customers", {**WIDE, "region": "EMEA"}),
    ("get_customers", ALL),
    ("get_deals", {}),
    ("get_deals", ALL),
    ("get_deals", {"stage": "won", "region": "EMEA", "period": "all", "trend": "month"}),
    ("get_sales_pipeline", {}),
    ("get_server_status", {}),
    ("get_alerts", {}),
    ("get_alerts", ALL),
    ("get_alerts", {**WIDE, "group_by": "server"}),
    ("search_logs", {"query": "deadlock"}),
    ("search_logs", {"query": "deadlock", "period": "last_30_days"}),
    ("search_logs", {"query": "deadlock", "period": "all", "limit": 200}),
    ("search_logs", {"query": "deadlock", "level": "error", "period": "all"}),
    ("search_logs", {"level": "error", "period": "last_30_days", "trend": "day", "group_by": "service"}),
    ("get_calendar", {}),
    ("get_calendar", {"period": "this_month", "kind": "leave"}),
    ("get_emails", {}),
    ("get_emails", {"query": "complaint", "period": "last_90_days"}),
    ("get_emails", {"query": "complaint", "period": "all", "folder": "any"}),
    ("get_emails", {"unread": True, "period": "all"}),
    ("get_calendar", {"period": "all", "query": "mold trial", "limit": 200}),
    ("search_defect_cases", {"query": "披锋"}),
    ("search_defect_cases", {"query": "flash at the parting line", **ALL}),
    ("get_defect_case", {"case_id": "DC-0007"}),
    ("get_trial_history", {"mold": "MD-007"}),
    ("get_defect_remedies", {"defect": "缩水"}),
)


def make(path: Path, scale: int) -> None:
    """The company in a file, unless it is there from before."""
    if path.exists():
        return
    began = time.perf_counter()
    write_sqlite(path, lambda sink: make_company(sink, today=TODAY, scale=scale), VERSION)
    size = path.stat().st_size / 1e6
    print(
        f"made a company of {scale} times the sample: {size:,.0f} MB in {time.perf_counter() - began:.1f} s", flush=True
    )


async def measure(tools: ToolRegistry, name: str, args: dict[str, Any], rounds: int) -> list[float]:
    """Milliseconds of a call in each round; the first one, which warms the caches of the machine, does not count."""
    took: list[float] = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        result = await tools.execute(name, args)
        took.append((time.perf_counter() - began) * 1000)
        if not result.success:
            raise RuntimeError(f"{name} {args} failed: {result.error}")
    return took[1:]


async def meeting(tools: ToolRegistry, rounds: int) -> list[float]:
    """The same for the tool that writes; each meeting on a day of its own."""
    person = (await tools.execute("get_calendar", {"limit": 1})).data["rows"][0]["organizer"]
    took: list[float] = []
    for number in range(rounds + 1):
        start = f"2027-{number % 12 + 1:02d}-{number // 12 + 1:02d} 20:00"
        began = time.perf_counter()
        result = await tools.execute(
            "schedule_meeting", {"title": "Bench", "start": start, "attendees": [person], "allow_conflicts": True}
        )
        took.append((time.perf_counter() - began) * 1000)
        if not result.success:
            raise RuntimeError(f"schedule_meeting failed: {result.error}")
    return took[1:]


async def run(folder: Path, scale: int, rounds: int) -> bars.Bar:
    """Every call at one scale, told as it is measured; the slowest is judged."""
    path = folder / f"company-{scale}.db"
    make(path, scale)
    tools = ToolRegistry(make_tools(folder, clock=lambda: NOW, database_url=f"sqlite:///{path}"))
    took = {
        f"{name} {json.dumps(args, ensure_ascii=False)}": await measure(tools, name, args, rounds)
        for name, args in CALLS
    }
    took["schedule_meeting"] = await meeting(tools, rounds)
    if untested := set(tools.names) - {call.split()[0] for call in took}:
        raise RuntimeError(f"No call of {', '.join(sorted(untested))} is measured: add one.")
    print(f"\nscale {scale}")
    for call, each in took.items():
        print(f"  {statistics.median(each):8.1f} ms  {call}")
    slowest = max(took, key=lambda call: statistics.median(took[call]))
    print(f"  slowest: {slowest}")
    size = "sample company" if scale == 1 else f"company of {scale}x"
    return bars.Bar(
        title=f"{size}: slowest of {len(took)} calls", limit=BARS_MS.get(scale, 500.0),
        unit=" ms", figures={bars.OURS: statistics.median(took[slowest])}, spread=bars.span(took[slowest]),
        source="#7",
    )  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("How long the business tools take.", 5)
    parser.add_argument("--scale", type=int, nargs="*", default=[1, 100])
    parser.add_argument("--folder", type=Path, help="keep the companies there")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows = [asyncio.run(run(folder, scale, asked.rounds)) for scale in asked.scale]
    return bars.tell(bars.Report(rows=rows), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
