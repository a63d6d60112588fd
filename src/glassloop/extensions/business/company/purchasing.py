"""Purchasing of the sample company: orders when stock runs low, deliveries in time or not, invoices, payments."""

from itertools import count
from typing import Any

import msgspec

from glassloop.extensions.business.company.books import Books
from glassloop.extensions.business.company.frame import Frame
from glassloop.extensions.business.company.goods import Goods, Vendor

COVER_DAYS, LOT_DAYS, OPENING_DAYS = 30, 26, 50


class Arrival(msgspec.Struct):
    """Goods of one order line that arrive on a day."""

    receipt: str
    item: str
    warehouse: str
    quantity: int
    cents: int


class Purchasing:
    """Keeps materials coming. What it decides on the day of an order (when it arrives, is invoiced and paid) it
    writes down at once, as far as that is in the past."""

    def __init__(self, frame: Frame, goods: Goods, books: Books, buyers: list[str]) -> None:
        self._frame = frame
        self._goods = goods
        self._books = books
        self._buyers = buyers
        self._dice = frame.dice("purchasing")
        self._orders = count(1)
        self._receipts = count(1)
        self._invoices = count(1)
        self._daily: dict[tuple[str, str], float] = {}
        self._points: dict[tuple[str, str], int] = {}
        self._coming: dict[tuple[str, str], int] = {}
        self._wanted: dict[tuple[str, str], int] = {}
        self._arrivals: dict[int, list[Arrival]] = {}
        self.openings: dict[tuple[str, str], int] = {}

    def plan(self, daily: dict[tuple[str, str], float]) -> None:
        """What is used a day decides what to keep, and how much lies there at first; then the items are known."""
        self._daily = daily
        for key, used in daily.items():
            self._points[key] = max(5, round(used * COVER_DAYS))
            self.openings[key] = max(20, round(used * OPENING_DAYS))
        points: dict[str, int] = {}
        for (item, _), point in self._points.items():
            points[item] = max(points.get(item, 0), point)
        for kind, items in (
            ("material", self._goods.materials),
            ("spare", self._goods.spares),
            ("finished", self._goods.finished),
        ):
            for item in items.values():
                name, unit = self._goods.names[item.id]
                row = (item.id, name, kind, item.category, unit, item.price, points.get(item.id, 0))
                self._frame.add("items", row)

    def arrivals(self, day: int) -> list[Arrival]:
        found = self._arrivals.pop(day, [])
        for arrival in found:
            self._coming[arrival.item, arrival.warehouse] -= arrival.quantity
        return found

    def want(self, item: str, warehouse: str, held: int, needed: int = 0) -> None:
        """Notes that an item should be ordered, if with what is coming too little of it lies there."""
        key = (item, warehouse)
        level = held + self._coming.get(key, 0)
        if level < max(self._points[key], needed):
            lot = self._daily[key] * LOT_DAYS * (0.7 + 0.6 * self._dice.random())
            # A busier company orders more often, not only more.
            lot = lot * self._frame.larger / self._frame.scale
            self._wanted[key] = max(5, round(lot), needed - level)

    def order_wanted(self, day: int) -> None:
        """One order for each vendor and warehouse."""
        orders: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for (item, warehouse), quantity in self._wanted.items():
            vendor = self._dice.pick(self._goods.offers[item])
            orders.setdefault((vendor, warehouse), []).append((item, quantity))
        self._wanted.clear()
        for (vendor, warehouse), lines in orders.items():
            self._order(day, self._goods.vendors[vendor], warehouse, lines)

    def _order(self, day: int, vendor: Vendor, warehouse: str, lines: list[tuple[str, int]]) -> None:
        frame, dice = self._frame, self._dice
        order = f"PO-{next(self._orders):05d}"
        due = frame.workday(day + vendor.lead_days + dice.between(0, 4))
        cancelled = dice.chance(0.03)
        parts = [] if cancelled else self._parts(due, vendor)
        total = received = 0
        arrived: dict[int, int] = {}
        for number, (item, quantity) in enumerate(lines, 1):
            price = self._goods.price(vendor.id, item, day)
            came = 0
            for part, (on, share) in enumerate(parts):
                pieces = quantity - came if part == len(parts) - 1 else quantity * share // 100
                if on > frame.last:
                    self._expect(item, warehouse, quantity - came)
                    break
                if not pieces:
                    continue
                came += pieces
                arrived[on] = arrived.get(on, 0) + pieces * price
                self._receipt(on, order, number, item, warehouse, pieces, pieces * price)
            total += quantity * price
            received += came * price
            frame.add("purchase_lines", (order, number, item, quantity, price, quantity * price, came))
        status = "cancelled" if cancelled else "received" if received == total else "partial" if received else "open"
        whole = frame.iso(parts[-1][0]) if status == "received" else None
        row: tuple[Any, ...] = (order, vendor.id, warehouse, vendor.category, status, frame.iso(day), frame.iso(due),
                                whole, dice.pick(self._buyers), total, received)  # fmt: skip
        frame.add("purchase_orders", row)
        for on, cents in arrived.items():
            self._invoice(on, vendor, order, cents)

    def _parts(self, due: int, vendor: Vendor) -> list[tuple[int, int]]:
        """On which days it arrives, and how many percent of it."""
        dice = self._dice
        late = not dice.chance(vendor.punctual)
        first = self._frame.workday(due + (dice.between(1, 16) if late else -dice.between(0, 2)))
        first = max(first, due - vendor.lead_days + 1)
        if dice.chance(0.14):
            return [(first, 60), (self._frame.workday(first + dice.between(4, 12)), 40)]
        return [(first, 100)]

    def _expect(self, item: str, warehouse: str, pieces: int) -> None:
        self._coming[item, warehouse] = self._coming.get((item, warehouse), 0) + pieces

    def _receipt(self, day: int, order: str, line: int, item: str, warehouse: str, quantity: int, cents: int) -> None:
        receipt = f"GR-{next(self._receipts):06d}"
        self._expect(item, warehouse, quantity)
        self._arrivals.setdefault(day, []).append(Arrival(receipt, item, warehouse, quantity, cents))
        row = (receipt, order, line, item, warehouse, self._frame.iso(day), quantity, cents)
        self._frame.add("receipts", row)
        self._books.post(day, "Inventory", "Goods received, not invoiced", cents, receipt)

    def _invoice(self, day: int, vendor: Vendor, order: str, cents: int) -> None:
        """Follows the goods by a few days; paid about when it is due."""
        issued = day + self._dice.between(1, 5)
        due = issued + vendor.payment_days
        paid = due + self._dice.between(-3, 7)
        if issued > self._frame.last:
            return
        invoice = f"VI-{next(self._invoices):06d}"
        frame = self._frame
        row = (invoice, "payable", vendor.id, order, frame.iso(issued), frame.iso(due), frame.past(paid), cents)
        frame.add("invoices", row)
        self._books.post(issued, "Goods received, not invoiced", "Accounts payable", cents, invoice)
        self._books.post(paid, "Accounts payable", "Cash", cents, invoice)
