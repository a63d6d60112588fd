"""Talks with the business assistant."""

from training.data.assistants.business import (
    buying,
    chat,
    machines,
    molds,
    money,
    money_more,
    office,
    office_more,
    sales,
    sales_more,
    stock,
    stock_more,
    unclear,
    vendors,
    vendors_more,
)
from training.data.assistants.talk import MakeTalk

TALKS: dict[MakeTalk, int] = {
    **buying.TALKS,
    **chat.TALKS,
    **machines.TALKS,
    **molds.TALKS,
    **money.TALKS,
    **money_more.TALKS,
    **office.TALKS,
    **office_more.TALKS,
    **sales.TALKS,
    **sales_more.TALKS,
    **stock.TALKS,
    **stock_more.TALKS,
    **unclear.TALKS,
    **vendors.TALKS,
    **vendors_more.TALKS,
}
