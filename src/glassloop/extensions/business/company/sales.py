"""Customers, leads and deals of the sample company, and what won deals promise to deliver."""

from itertools import count

import msgspec

from glassloop.extensions.business.company.frame import Dice, Frame
from glassloop.extensions.business.company.goods import Goods
from glassloop.extensions.business.company.office import Staff
from glassloop.extensions.business.company.words import WORDS

CUSTOMERS, DEALS, LEADS = 80, 640, 320
STAGES = ("prospecting", "qualification", "proposal", "negotiation")
PROBABILITY = {"prospecting": 10, "qualification": 25, "proposal": 50, "negotiation": 75, "won": 100, "lost": 0}


class Delivery(msgspec.Struct):
    """Pieces that a won deal promises for a day."""

    day: int
    number: int
    deal: str
    customer: str
    region: str
    item: str
    quantity: int


class Customer(msgspec.Struct):
    id: str
    name: str
    region: str
    since: int
    until: int
    owner: str


def make_sales(frame: Frame, goods: Goods, people: Staff) -> list[Delivery]:
    """Writes all of it; returns the deliveries, those still to come included."""
    dice = frame.dice("sales")
    owners = [person.name for person in people.of("Sales")]
    customers = _make_customers(frame, dice, owners)
    deliveries: list[Delivery] = []
    leads = count(1)
    items = list(goods.finished.values())
    for number in range(1, DEALS * frame.scale + 1):
        created = frame.workday(dice.between(-300, frame.last))
        customer = dice.pick(customers)
        # A customer that has gone, or is not won yet, asks for nothing.
        if not customer.since <= created < customer.until or created > frame.last:
            continue
        item, deal = dice.pick(items), f"D-{number:05d}"
        pieces = max(100, dice.between(6_000_000, 90_000_000) // item.price // 100 * 100)
        parts = dice.between(2, 9)
        each = max(100, pieces // parts // 100 * 100)
        amount = each * parts * item.price
        stage, closed = _write_deal(frame, dice, deal, customer, f"{goods.names[item.id][0]} supply", amount, created)
        if stage == "won":
            start, gap = closed + dice.between(14, 40), dice.between(18, 32)
            deliveries += [
                Delivery(frame.workday(start + gap * part), 0, deal, customer.id, customer.region, item.id, each)
                for part in range(parts)
                if start + gap * part >= 0
            ]
        if dice.chance(0.4):
            lead_day = frame.workday(created - dice.between(5, 40))
            if 0 <= lead_day <= frame.last:
                _write_lead(frame, dice, next(leads), lead_day, "converted", customer.owner, amount, deal, customer)
    _make_other_leads(frame, dice, leads, owners)
    deliveries.sort(key=lambda delivery: (delivery.day, delivery.deal))
    for number, delivery in enumerate(deliveries):
        delivery.number = number
    return deliveries


def _make_customers(frame: Frame, dice: Dice, owners: list[str]) -> list[Customer]:
    customers: list[Customer] = []
    firms = [
        (f"{first} {last}", industry)
        for industry, lasts in WORDS.industries.items()
        for last in lasts
        for first in WORDS.customer_first
    ]
    for number, (name, industry) in enumerate(dice.sample(firms, CUSTOMERS), 1):
        for series in range(frame.larger):
            region = dice.weighted({"EMEA": 4.0, "Americas": 3.5, "APAC": 2.5})
            since = -dice.between(1, 2000) if dice.chance(0.7) else dice.between(0, frame.last - 20)
            until = dice.between(max(since, 0) + 60, frame.last + 1) if dice.chance(0.12) else frame.last + 1
            until = frame.last + 1 if until > frame.last else until
            gone = until <= frame.last
            status = "churned" if gone else "at_risk" if dice.chance(0.1) else "active"
            full = f"{name} {series + 1}" if series else name
            customer = Customer(f"C-{number + series * CUSTOMERS:04d}", full, region, since, until, dice.pick(owners))
            customers.append(customer)
            row = (customer.id, full, industry, region, dice.pick(WORDS.countries[region]), status, frame.iso(since),
                   frame.iso(until) if gone else None, customer.owner)  # fmt: skip
            frame.add("customers", row)
    return customers


def _write_deal(
    frame: Frame, dice: Dice, deal: str, customer: Customer, name: str, amount: int, created: int
) -> tuple[str, int]:
    """The deal as far as it has come; returns its stage and the day it entered that."""
    day = since = created
    stage = STAGES[0]
    end = "won" if dice.chance(0.45) else "lost"
    path = list(STAGES) if end == "won" else list(STAGES[: dice.between(1, 4)])
    for entered in (*path, end):
        if day > frame.last:
            break
        stage, since = entered, day
        frame.add("deal_stages", (deal, entered, frame.iso(day)))
        day = frame.workday(day + dice.between(8, 45))
    else:
        day = since
    is_closed = stage in ("won", "lost")
    expected = since if is_closed else frame.workday(frame.last + dice.between(-12, 120))
    row = (deal, customer.id, name, stage, amount, PROBABILITY[stage], frame.iso(created), frame.iso(expected),
           frame.iso(since) if is_closed else None, customer.owner)  # fmt: skip
    frame.add("deals", row)
    return stage, since


def _write_lead(
    frame: Frame,
    dice: Dice,
    number: int,
    day: int,
    status: str,
    owner: str,
    amount: int,
    deal: str | None = None,
    customer: Customer | None = None,
) -> None:
    name = customer.name if customer else f"{dice.pick(WORDS.customer_first)} {dice.pick(WORDS.family)} Ltd"
    region = customer.region if customer else dice.pick(list(WORDS.regions))
    contact = f"{dice.pick(WORDS.given)} {dice.pick(WORDS.family)}"
    value = amount // 100_000 * 100_000
    row = (f"L-{number:05d}", name, contact, dice.weighted(WORDS.lead_sources), region, status, frame.iso(day), owner,
           value, deal)  # fmt: skip
    frame.add("leads", row)


def _make_other_leads(frame: Frame, dice: Dice, leads: "count[int]", owners: list[str]) -> None:
    """Those that came to nothing, and the fresh ones of which nobody knows."""
    for _ in range(LEADS * frame.scale):
        day = frame.workday(dice.between(0, frame.last))
        if day > frame.last:
            continue
        age = frame.last - day
        status = "lost"
        if age < 75:
            status = dice.weighted({"new": 60.0 / (age + 5), "contacted": 2.5, "qualified": 1.5, "lost": age / 40})
        _write_lead(frame, dice, next(leads), day, status, dice.pick(owners), dice.between(3_000_000, 90_000_000))
