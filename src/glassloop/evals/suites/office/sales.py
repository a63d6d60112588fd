"""Orders, invoices and shipments of the office. The data never changes, and effects change nothing."""

from typing import Literal

from glassloop import ToolError, tool

ORDERS: dict[str, dict[str, object]] = {
    "A-1042": {
        "customer": "Meyer GmbH",
        "date": "2026-02-03",
        "status": "shipped",
        "items": 3,
        "total_eur": 412.50,
        "tracking_number": "TRK-88213",
    },
    "A-1057": {
        "customer": "Lin Trading",
        "date": "2026-02-11",
        "status": "open",
        "items": 12,
        "total_eur": 1980.0,
        "tracking_number": None,
    },
    "A-1063": {
        "customer": "Meyer GmbH",
        "date": "2026-02-19",
        "status": "cancelled",
        "items": 1,
        "total_eur": 89.90,
        "tracking_number": None,
    },
    "A-1071": {
        "customer": "Okafor Ltd",
        "date": "2026-03-02",
        "status": "delivered",
        "items": 7,
        "total_eur": 655.20,
        "tracking_number": "TRK-90417",
    },
    "A-1088": {
        "customer": "Lin Trading",
        "date": "2026-03-06",
        "status": "shipped",
        "items": 4,
        "total_eur": 318.75,
        "tracking_number": "TRK-91166",
    },
}
SHIPMENTS: dict[str, dict[str, object]] = {
    "TRK-88213": {"carrier": "DHL", "place": "Leipzig", "state": "in transit", "expected": "2026-03-12"},
    "TRK-90417": {"carrier": "UPS", "place": "Lagos", "state": "delivered", "expected": "2026-03-07"},
    "TRK-91166": {"carrier": "SF Express", "place": "Shanghai", "state": "held at customs", "expected": "2026-03-18"},
    "TRK-77301": {"carrier": "DHL", "place": "Vienna", "state": "out for delivery", "expected": "2026-03-10"},
}
INVOICES: dict[str, dict[str, object]] = {
    "INV-2207": {"customer": "Meyer GmbH", "amount_eur": 412.50, "due": "2026-03-05", "paid": True},
    "INV-2213": {"customer": "Lin Trading", "amount_eur": 1980.0, "due": "2026-03-20", "paid": False},
    "INV-2219": {"customer": "Okafor Ltd", "amount_eur": 655.20, "due": "2026-04-01", "paid": False},
    "INV-2224": {"customer": "Lin Trading", "amount_eur": 318.75, "due": "2026-04-05", "paid": False},
}


def _of(customer: str, record: dict[str, object]) -> bool:
    return customer.strip().casefold() in str(record["customer"]).casefold()


@tool(effect="read")
async def get_order(order_id: str) -> dict[str, object]:
    """One order by its number: customer, date, status, number of items, total, tracking number.

    Args:
        order_id: The order's number, such as A-1001.
    """
    found = ORDERS.get(order_id.strip().upper())
    if found is None:
        raise ToolError(f"There is no order {order_id!r}: numbers look like A-1001.")
    return {"order_id": order_id.strip().upper(), **found}


@tool(effect="read")
async def list_orders(
    customer: str, status: Literal["any", "open", "shipped", "delivered", "cancelled"] = "any"
) -> list[dict[str, object]]:
    """All orders of one customer, oldest first.

    Args:
        customer: The customer's company name, or part of it.
        status: Only orders in this state.
    """
    every = [{"order_id": number, **order} for number, order in ORDERS.items() if _of(customer, order)]
    return [order for order in every if status in ("any", order["status"])]


@tool(effect="read")
async def track_shipment(tracking_number: str) -> dict[str, object]:
    """Where a parcel is and when it is expected.

    Args:
        tracking_number: The parcel's number, such as TRK-10000.
    """
    found = SHIPMENTS.get(tracking_number.strip().upper())
    if found is None:
        raise ToolError(f"There is no parcel {tracking_number!r}: numbers look like TRK-10000.")
    return {"tracking_number": tracking_number.strip().upper(), **found}


@tool(effect="read")
async def get_invoice(invoice_id: str) -> dict[str, object]:
    """One invoice by its number: customer, amount, due date, whether it is paid.

    Args:
        invoice_id: The invoice's number, such as INV-1000.
    """
    found = INVOICES.get(invoice_id.strip().upper())
    if found is None:
        raise ToolError(f"There is no invoice {invoice_id!r}: numbers look like INV-1000.")
    return {"invoice_id": invoice_id.strip().upper(), **found}


@tool(effect="read")
async def list_unpaid_invoices(customer: str = "") -> dict[str, object]:
    """Invoices that are not paid yet, with their sum.

    Args:
        customer: Only this customer's. Empty for everybody's.
    """
    unpaid = [{"invoice_id": number, **invoice} for number, invoice in INVOICES.items() if not invoice["paid"]]
    chosen = [invoice for invoice in unpaid if _of(customer, invoice)]
    total = round(sum(float(str(invoice["amount_eur"])) for invoice in chosen), 2)
    return {"count": len(chosen), "sum_eur": total, "invoices": chosen}


@tool(effect="write", idempotent=True)
async def start_return(order_id: str, reason: str) -> dict[str, object]:
    """Start the return of an order: gives the return number for the parcel.

    Args:
        order_id: The order's number, such as A-1001.
        reason: Why the goods come back, in a few words.
    """
    number = order_id.strip().upper()
    if number not in ORDERS:
        raise ToolError(f"There is no order {order_id!r}: numbers look like A-1001.")
    return {"return_number": f"R-{number[2:]}", "order_id": number, "reason": reason}
