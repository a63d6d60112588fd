"""Orders, invoices, products, stock, customers, employees, tickets and notes of the office.

The data never changes, and effects change nothing.
"""

from pathlib import Path
from typing import Literal

import msgspec

from glassloop import ToolError, tool

Record = dict[str, object]


class _Data(msgspec.Struct):
    """What the tools answer from."""

    orders: dict[str, Record]
    shipments: dict[str, Record]
    invoices: dict[str, Record]
    products: dict[str, tuple[str, float]]
    stock: dict[str, dict[str, int]]
    customers: dict[str, Record]
    employees: dict[str, Record]
    tickets: dict[str, Record]
    notes: tuple[str, ...]


DATA = msgspec.json.decode(Path(__file__).with_name("data.json").read_bytes(), type=_Data)


def _of(customer: str, record: Record) -> bool:
    return customer.strip().casefold() in str(record["customer"]).casefold()


@tool(effect="read")
async def get_order(order_id: str) -> Record:
    """One order by its number: customer, date, status, number of items, total, tracking number.

    Args:
        order_id: The order's number, such as A-1001.
    """
    found = DATA.orders.get(order_id.strip().upper())
    if found is None:
        raise ToolError(f"There is no order {order_id!r}: numbers look like A-1001.")
    return {"order_id": order_id.strip().upper(), **found}


@tool(effect="read")
async def list_orders(
    customer: str, status: Literal["any", "open", "shipped", "delivered", "cancelled"] = "any"
) -> list[Record]:
    """All orders of one customer, oldest first.

    Args:
        customer: The customer's company name, or part of it.
        status: Only orders in this state.
    """
    every = [{"order_id": number, **order} for number, order in DATA.orders.items() if _of(customer, order)]
    return [order for order in every if status in ("any", order["status"])]


@tool(effect="read")
async def track_shipment(tracking_number: str) -> Record:
    """Where a parcel is and when it is expected.

    Args:
        tracking_number: The parcel's number, such as TRK-10000.
    """
    found = DATA.shipments.get(tracking_number.strip().upper())
    if found is None:
        raise ToolError(f"There is no parcel {tracking_number!r}: numbers look like TRK-10000.")
    return {"tracking_number": tracking_number.strip().upper(), **found}


@tool(effect="read")
async def get_invoice(invoice_id: str) -> Record:
    """One invoice by its number: customer, amount, due date, whether it is paid.

    Args:
        invoice_id: The invoice's number, such as INV-1000.
    """
    found = DATA.invoices.get(invoice_id.strip().upper())
    if found is None:
        raise ToolError(f"There is no invoice {invoice_id!r}: numbers look like INV-1000.")
    return {"invoice_id": invoice_id.strip().upper(), **found}


@tool(effect="read")
async def list_unpaid_invoices(customer: str = "") -> Record:
    """Invoices that are not paid yet, with their sum.

    Args:
        customer: Only this customer's. Empty for everybody's.
    """
    unpaid = [{"invoice_id": number, **invoice} for number, invoice in DATA.invoices.items() if not invoice["paid"]]
    chosen = [invoice for invoice in unpaid if _of(customer, invoice)]
    total = round(sum(float(str(invoice["amount_eur"])) for invoice in chosen), 2)
    return {"count": len(chosen), "sum_eur": total, "invoices": chosen}


@tool(effect="write", idempotent=True)
async def start_return(order_id: str, reason: str) -> Record:
    """Start the return of an order: gives the return number for the parcel.

    Args:
        order_id: The order's number, such as A-1001.
        reason: Why the goods come back, in a few words.
    """
    number = order_id.strip().upper()
    if number not in DATA.orders:
        raise ToolError(f"There is no order {order_id!r}: numbers look like A-1001.")
    return {"return_number": f"R-{number[2:]}", "order_id": number, "reason": reason}


def _known(sku: str) -> str:
    number = sku.strip().upper()
    if number not in DATA.products:
        raise ToolError(f"There is no product {sku!r}: numbers look like SKU-100; find_product looks them up.")
    return number


@tool(effect="read")
async def find_product(description: str) -> list[Record]:
    """Look up a product's number (SKU) in the catalogue by what it is called.

    Args:
        description: The product's name or part of it, in English.
    """
    words = description.casefold().split()
    return [
        {"sku": sku, "name": name} for sku, (name, _) in DATA.products.items() if any(word in name for word in words)
    ]


@tool(effect="read")
async def check_stock(sku: str, warehouse: Literal["all", "Hamburg", "Madrid"] = "all") -> Record:
    """How many pieces of a product are in the warehouses.

    Args:
        sku: The product's number, such as SKU-100.
        warehouse: Only this warehouse.
    """
    held = DATA.stock[_known(sku)]
    chosen = {place: pieces for place, pieces in held.items() if warehouse in ("all", place)}
    return {"sku": _known(sku), "pieces": sum(chosen.values()), "by_warehouse": chosen}


@tool(effect="read")
async def quote_price(sku: str, quantity: int = 1) -> Record:
    """What a number of pieces of a product costs; 10 % off from 10 pieces on.

    Args:
        sku: The product's number, such as SKU-100.
        quantity: How many pieces.
    """
    name, each = DATA.products[_known(sku)]
    if not 1 <= quantity <= 100_000:
        raise ToolError(f"{quantity} pieces cannot be quoted: ask for 1 to 100,000.")
    total = each * quantity * (0.9 if quantity >= 10 else 1.0)
    return {"sku": _known(sku), "name": name, "quantity": quantity, "total_eur": round(total, 2)}


def _one(name: str, among: dict[str, Record], kind: str) -> tuple[str, Record]:
    asked = name.strip().casefold()
    found = [entry for entry in among.items() if asked and asked in f"{entry[0]} {entry[1].get('contact')}".casefold()]
    if len(found) != 1:
        raise ToolError(f"{len(found)} {kind}s are called {name!r}: there are {', '.join(among)}.")
    return found[0]


@tool(effect="read")
async def find_customer(name: str) -> Record:
    """A customer's contact person, email address, city, and the year since when they buy.

    Args:
        name: The company or its contact person, or part of the name.
    """
    found, facts = _one(name, DATA.customers, "customer")
    return {"company": found, **facts}


@tool(effect="read")
async def find_employee(name: str) -> Record:
    """A colleague's department, telephone extension and manager.

    Args:
        name: The colleague's name or part of it.
    """
    found, facts = _one(name, DATA.employees, "employee")
    return {"name": found, **{key: value for key, value in facts.items() if key != "vacation_left"}}


@tool(effect="read")
async def get_vacation_days(employee: str) -> Record:
    """How many days of vacation a colleague has left this year.

    Args:
        employee: The colleague's name or part of it.
    """
    found, facts = _one(employee, DATA.employees, "employee")
    return {"name": found, "days_left": facts["vacation_left"]}


@tool(effect="read")
async def get_ticket(ticket_id: str) -> Record:
    """A support ticket: subject, priority, state, and who works on it.

    Args:
        ticket_id: The ticket's number, such as T-100.
    """
    found = DATA.tickets.get(ticket_id.strip().upper())
    if found is None:
        raise ToolError(f"There is no ticket {ticket_id!r}: numbers look like T-100.")
    return {"ticket_id": ticket_id.strip().upper(), **found}


@tool(effect="write", idempotent=True)
async def create_ticket(subject: str, priority: Literal["low", "normal", "high"] = "normal") -> Record:
    """Open a new support ticket.

    Args:
        subject: The problem in a few words.
        priority: How urgent it is.
    """
    return {"ticket_id": "T-540", "subject": subject, "priority": priority, "state": "open"}


@tool(effect="write", idempotent=True)
async def add_note(text: str) -> Record:
    """Keep a note for the whole office.

    Args:
        text: What to write down.
    """
    return {"note": len(DATA.notes) + 1, "text": text}


@tool(effect="read")
async def search_notes(query: str) -> list[str]:
    """Notes of the office that hold any of these words.

    Args:
        query: One or a few words to look for.
    """
    words = [word for word in query.casefold().split() if len(word) > 2]
    return [note for note in DATA.notes if any(word in note.casefold() for word in words)]
