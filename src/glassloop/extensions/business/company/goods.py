"""Goods of the sample company, bought, made and sold: vendors, items, prices, recipes."""

from bisect import bisect_right
from itertools import count

import msgspec

from glassloop.extensions.business.company.frame import Dice, Frame
from glassloop.extensions.business.company.words import WORDS

PRICE_DAYS = (45, 150)


class Vendor(msgspec.Struct):
    """A vendor and how it delivers."""

    id: str
    category: str
    payment_days: int
    lead_days: int
    punctual: float


class Item(msgspec.Struct):
    """Anything that is stocked. `recipe` is what a thousand pieces of a finished item take."""

    id: str
    category: str
    price: int = 0
    recipe: tuple[tuple[str, int], ...] = ()
    plant: str = ""
    conversion: int = 0


class Goods(msgspec.Struct):
    """The catalogue. `offers` has, for each item, the vendors that sell it."""

    vendors: dict[str, Vendor] = {}
    materials: dict[str, Item] = {}
    spares: dict[str, Item] = {}
    finished: dict[str, Item] = {}
    names: dict[str, tuple[str, str]] = {}
    offers: dict[str, list[str]] = {}
    prices: dict[tuple[str, str], tuple[list[int], list[int]]] = {}

    def price(self, vendor: str, item: str, day: int) -> int:
        """What the vendor asks for a unit on that day."""
        days, cents = self.prices[vendor, item]
        return cents[max(0, bisect_right(days, day) - 1)]


def make_goods(frame: Frame) -> Goods:
    goods, dice = Goods(), frame.dice("goods")
    for row in WORDS.warehouses:
        frame.add("warehouses", row)
    _make_vendors(frame, dice, goods)
    numbers = count(1)
    for series in range(frame.larger):
        for category, kind in WORDS.materials.items():
            for title in kind.names:
                item = Item(id=f"MAT-{next(numbers):04d}", category=category)
                goods.materials[item.id] = item
                goods.names[item.id] = (_named(title, series), kind.unit)
                _offer(frame, dice, goods, item, dice.between(*kind.price_cents))
        for title in WORDS.spare_parts:
            item = Item(id=f"SPR-{next(numbers):04d}", category="Spare parts")
            goods.spares[item.id] = item
            goods.names[item.id] = (_named(title, series), "piece")
            _offer(frame, dice, goods, item, dice.between(600, 24_000))
    _make_finished(frame, dice, goods)
    return goods


def _make_vendors(frame: Frame, dice: Dice, goods: Goods) -> None:
    numbers = count(1)
    for series in range(frame.larger):
        for category, many in WORDS.vendors_per_category.items():
            for first in dice.sample(WORDS.vendor_first, many):
                vendor = Vendor(
                    id=f"V-{next(numbers):03d}",
                    category=category,
                    payment_days=dice.pick((30, 30, 45, 60)),
                    lead_days=dice.between(5, 21),
                    punctual=0.62 + 0.35 * dice.random(),
                )
                goods.vendors[vendor.id] = vendor
                name = f"{first} {WORDS.vendor_last[category]}"
                status = "blocked" if dice.chance(0.04) else "active"
                country = dice.pick(WORDS.vendor_countries)
                row = (vendor.id, _named(name, series), category, country, status, vendor.payment_days)
                frame.add("vendors", row)


def _offer(frame: Frame, dice: Dice, goods: Goods, item: Item, base: int) -> None:
    """Two or three vendors sell it, each at its own price, which changes a few times a year."""
    selling = [vendor.id for vendor in goods.vendors.values() if vendor.category == item.category]
    goods.offers[item.id] = dice.sample(selling, min(len(selling), dice.between(2, 3)))
    for vendor in goods.offers[item.id]:
        cents, day = max(1, round(base * (0.92 + 0.2 * dice.random()))), 0
        days, steps = list[int](), list[int]()
        while day <= frame.last:
            if not steps or steps[-1] != cents:
                days.append(day)
                steps.append(cents)
                frame.add("prices", (vendor, item.id, frame.iso(day), cents))
            day += dice.between(*PRICE_DAYS)
            cents = max(1, round(cents * (0.95 + 0.125 * dice.random())))
        goods.prices[vendor, item.id] = (days, steps)


def _make_finished(frame: Frame, dice: Dice, goods: Goods) -> None:
    numbers = count(1)
    by_category: dict[str, list[str]] = {}
    for item in goods.materials.values():
        by_category.setdefault(item.category, []).append(item.id)
    for series in range(frame.larger):
        for category, titles in WORDS.products.items():
            for title in titles:
                recipe = _recipe(dice, by_category)
                cost = sum(amount * goods.price(goods.offers[part][0], part, 0) for part, amount in recipe) / 1000
                item = Item(
                    id=f"FG-{next(numbers):04d}",
                    category=category,
                    recipe=recipe,
                    plant=WORDS.plants[0] if dice.chance(0.65) else WORDS.plants[1],
                    conversion=max(1, round(cost * (0.5 + 0.3 * dice.random()))),
                )
                item.price = max(5, round((cost + item.conversion) * (1.55 + 0.5 * dice.random())))
                goods.finished[item.id] = item
                goods.names[item.id] = (_named(title, series), "piece")


def _recipe(dice: Dice, by_category: dict[str, list[str]]) -> tuple[tuple[str, int], ...]:
    """For a thousand pieces: a resin, a little colour, something to pack it in; often an insert or a component."""
    parts = [
        (dice.pick(by_category["Resins"]), dice.between(18, 160)),
        (dice.pick(by_category["Colorants"]), dice.between(1, 4)),
        (dice.pick(by_category["Packaging"]), dice.between(4, 25)),
    ]
    if dice.chance(0.5):
        parts.append((dice.pick(by_category["Inserts"]), dice.pick((1000, 2000, 4000))))
    if dice.chance(0.2):
        parts.append((dice.pick(by_category["Electronics"]), 1000))
    return tuple(parts)


def _named(name: str, series: int) -> str:
    return f"{name} {series + 1}" if series else name
