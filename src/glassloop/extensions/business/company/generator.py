"""The sample company as a whole: 24 months of a mid-size molder, row by row.

`VERSION` changes with every change that makes other rows: files made by an older one are made anew.
"""

from collections.abc import Callable
from datetime import date

from glassloop.extensions.business.company.books import Books, open_books
from glassloop.extensions.business.company.frame import Frame, Sink
from glassloop.extensions.business.company.goods import make_goods
from glassloop.extensions.business.company.machines import make_machines
from glassloop.extensions.business.company.molding import make_molding
from glassloop.extensions.business.company.office import make_office, make_people
from glassloop.extensions.business.company.operations import Operations
from glassloop.extensions.business.company.sales import make_sales
from glassloop.extensions.business.company.words import WORDS

VERSION = 2
SEED = 7

Tell = Callable[[str, float], None]
"""Hears what is being made, and how much of all is done."""


def make_company(
    sink: Sink, *, today: date, seed: int = SEED, scale: int = 1, tell: Tell = lambda _stage, _done: None
) -> None:
    """Gives every row of the company to the sink."""
    frame = Frame(sink, today=today, seed=seed, scale=scale)
    frame.add("company", (WORDS.company, WORDS.currency, today.isoformat()))
    tell("people and goods", 0.0)
    people, goods = make_people(frame), make_goods(frame)
    tell("sales", 0.1)
    deliveries = make_sales(frame, goods, people)
    sales = sum(delivery.quantity * goods.finished[delivery.item].price for delivery in deliveries)
    books = Books(frame)
    open_books(frame, books, sales)
    tell("purchasing, production and stock", 0.2)
    Operations(frame, goods, books, [person.name for person in people.of("Purchasing")]).run(deliveries)
    books.close()
    tell("servers", 0.65)
    make_machines(frame)
    tell("calendars and mail", 0.75)
    make_office(frame, people, [goods.names[item][0] for item in goods.finished])
    tell("molds", 0.9)
    make_molding(frame, goods)
    tell("done", 1.0)
