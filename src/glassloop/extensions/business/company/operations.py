"""Day by day through the sample company: goods arrive, are made into others, lie in stock, leave; the ledger follows.

Every cent of stock stands in a movement and in the ledger's inventory account. An issue takes its share of the value
that lies there, so that nothing is lost to rounding.
"""

from heapq import heappop, heappush
from itertools import count

from glassloop.extensions.business.company.books import Books
from glassloop.extensions.business.company.frame import Frame
from glassloop.extensions.business.company.goods import Goods, Item
from glassloop.extensions.business.company.purchasing import Arrival, Purchasing
from glassloop.extensions.business.company.sales import Delivery
from glassloop.extensions.business.company.words import WORDS

LATER_DAYS = 3
PAYMENT_DAYS = (30, 45, 60)


class Stock:
    """What lies where, with its value."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._numbers = count(1)
        self.levels: dict[tuple[str, str], list[int]] = {}

    def quantity(self, item: str, warehouse: str) -> int:
        level = self.levels.get((item, warehouse))
        return level[0] if level else 0

    def put(self, day: int, item: str, warehouse: str, kind: str, quantity: int, cents: int, reference: str) -> None:
        level = self.levels.setdefault((item, warehouse), [0, 0, 0])
        level[0] += quantity
        level[1] += cents
        level[2] = day
        row = (f"M-{next(self._numbers):07d}", item, warehouse, self._frame.iso(day), kind, quantity, cents, reference)
        self._frame.add("stock_movements", row)

    def take(self, day: int, item: str, warehouse: str, kind: str, quantity: int, reference: str) -> int:
        """Takes so many out and returns what they were worth: their share of the value there."""
        held, value, _ = self.levels[item, warehouse]
        cents = value * quantity // held
        self.put(day, item, warehouse, kind, -quantity, -cents, reference)
        return cents

    def close_month(self, day: int) -> None:
        month = self._frame.iso(day)[:7]
        for (item, warehouse), (quantity, value, _) in self.levels.items():
            self._frame.add("stock_months", (month, item, warehouse, quantity, value))

    def close(self) -> None:
        for (item, warehouse), (quantity, value, last) in self.levels.items():
            self._frame.add("stock", (item, warehouse, quantity, value, self._frame.iso(last)))


class Operations:
    """Runs the plants: what is delivered is made, what is used up is bought again."""

    def __init__(self, frame: Frame, goods: Goods, books: Books, buyers: list[str]) -> None:
        self._frame = frame
        self._goods = goods
        self._books = books
        self._dice = frame.dice("operations")
        self._stock = Stock(frame)
        self._purchasing = Purchasing(frame, goods, books, buyers)
        self._runs = count(1)
        self._invoices = count(1)

    def run(self, deliveries: list[Delivery]) -> None:
        """From the first day to today."""
        self._open(deliveries)
        due = [(delivery.day, delivery.number, delivery) for delivery in deliveries if delivery.day <= self._frame.last]
        ends = self._frame.month_ends()
        for day in range(self._frame.last + 1):
            for arrival in self._purchasing.arrivals(day):
                self._receive(day, arrival)
            while due and due[0][0] <= day:
                _, number, delivery = heappop(due)
                if not self._deliver(day, delivery):
                    heappush(due, (day + LATER_DAYS, number, delivery))
            if self._frame.workday(day) == day:
                self._maintain(day)
                self._purchasing.order_wanted(day)
            if day % 7 == 2:
                self._count(day)
            if day in ends:
                self._stock.close_month(day)
        self._stock.close()

    def _open(self, deliveries: list[Delivery]) -> None:
        """Stock for the first weeks. What will be used tells how much of each to keep."""
        usage: dict[tuple[str, str], int] = {}
        for delivery in deliveries:
            item = self._goods.finished[delivery.item]
            for part, amount in item.recipe:
                key = (part, item.plant)
                usage[key] = usage.get(key, 0) + _needed(amount, delivery.quantity)
        days = max((delivery.day for delivery in deliveries), default=1)
        daily = {key: total / days for key, total in usage.items()}
        daily |= {(item, WORDS.spares): 0.4 * self._frame.scale / self._frame.larger for item in self._goods.spares}
        self._purchasing.plan(daily)
        for (item, warehouse), quantity in self._purchasing.openings.items():
            cents = quantity * self._goods.price(self._goods.offers[item][0], item, 0)
            self._stock.put(0, item, warehouse, "opening", quantity, cents, "OPENING")
            self._books.post(0, "Inventory", "Share capital", cents, "OPENING")

    def _receive(self, day: int, arrival: Arrival) -> None:
        self._stock.put(
            day, arrival.item, arrival.warehouse, "receipt", arrival.quantity, arrival.cents, arrival.receipt
        )

    def _deliver(self, day: int, delivery: Delivery) -> bool:
        item = self._goods.finished[delivery.item]
        warehouse = WORDS.regions[delivery.region]
        missing = delivery.quantity - self._stock.quantity(item.id, warehouse)
        if missing > 0 and not self._produce(day, item, missing + missing // 10 // 100 * 100, warehouse):
            return False
        invoice = f"SI-{next(self._invoices):06d}"
        cost = self._stock.take(day, item.id, warehouse, "shipment", delivery.quantity, invoice)
        cents = delivery.quantity * item.price
        books = self._books
        books.post(day, "Cost of goods sold", "Inventory", cost, invoice, item.category)
        books.post(day, "Accounts receivable", "Sales revenue", cents, invoice, item.category)
        due = day + self._dice.pick(PAYMENT_DAYS)
        paid = due + (self._dice.between(-5, 4) if self._dice.chance(0.8) else self._dice.between(5, 70))
        books.post(paid, "Cash", "Accounts receivable", cents, invoice)
        frame = self._frame
        row = (invoice, "receivable", delivery.customer, delivery.deal, frame.iso(day), frame.iso(due),
               frame.past(paid), cents)  # fmt: skip
        frame.add("invoices", row)
        line = (invoice, 1, item.id, delivery.customer, frame.iso(day), delivery.quantity, cents)
        frame.add("sales_lines", line)
        return True

    def _produce(self, day: int, item: Item, pieces: int, warehouse: str) -> bool:
        """Makes the pieces and brings them where they are wanted; not at all while a material is missing."""
        needs = [(part, _needed(amount, pieces)) for part, amount in item.recipe]
        if any(self._stock.quantity(part, item.plant) < amount for part, amount in needs):
            for part, amount in needs:
                self._purchasing.want(part, item.plant, self._stock.quantity(part, item.plant), amount)
            return False
        run, cents = f"PR-{next(self._runs):06d}", 0
        for part, amount in needs:
            cents += self._stock.take(day, part, item.plant, "issue", amount, run)
            self._purchasing.want(part, item.plant, self._stock.quantity(part, item.plant))
        conversion = pieces * item.conversion
        self._books.post(day, "Inventory", "Production cost absorbed", conversion, run)
        self._books.post(day, "Production labor", "Cash", conversion * self._dice.between(97, 103) // 100, run)
        self._stock.put(day, item.id, item.plant, "production", pieces, cents + conversion, run)
        if warehouse != item.plant:
            moved = self._stock.take(day, item.id, item.plant, "transfer", pieces, run)
            self._stock.put(day, item.id, warehouse, "transfer", pieces, moved, run)
        return True

    def _maintain(self, day: int) -> None:
        """Spare parts that were used up."""
        for _ in range(self._dice.between(0, 2 * self._frame.scale)):
            item = self._dice.pick(list(self._goods.spares))
            held = self._stock.quantity(item, WORDS.spares)
            if held:
                reference = f"MO-{next(self._runs):06d}"
                cents = self._stock.take(
                    day, item, WORDS.spares, "issue", min(held, self._dice.between(1, 2)), reference
                )
                self._books.post(day, "Maintenance", "Inventory", cents, reference)
            self._purchasing.want(item, WORDS.spares, self._stock.quantity(item, WORDS.spares))

    def _count(self, day: int) -> None:
        """A cycle count finds a little less, or more, than the books say."""
        keys = list(self._stock.levels)
        for _ in range(2 * self._frame.scale):
            item, warehouse = self._dice.pick(keys)
            held, value, _ = self._stock.levels[item, warehouse]
            off = held * self._dice.between(-12, 8) // 1000
            if not off:
                continue
            cents = value * off // held
            reference = f"CC-{next(self._runs):06d}"
            self._stock.put(day, item, warehouse, "adjustment", off, cents, reference)
            self._books.post(day, "Inventory", "Stock adjustments", cents, reference)


def _needed(per_thousand: int, pieces: int) -> int:
    return -(-per_thousand * pieces // 1000)
