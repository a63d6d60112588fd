"""What the business tools read: every view with its columns, written once.

The sample company's tables, the check of imported CSV files and the docs all come from here. Dates are text
(`2026-03-31`), moments are text in UTC (`2026-03-31 14:05`), money is whole cents: so SQLite and PostgreSQL add up to
the same figure, and a month is the first seven characters. What the columns are filled with is the company's.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

PREFIX = "biz_"
"""Before every name, so that the views can live beside a company's own tables."""

Kind = Literal["text", "day", "moment", "whole", "cents"]


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """One column. `refers` names the table whose key its values are; `choices` are all it may hold."""

    name: str
    kind: Kind = "text"
    optional: bool = False
    choices: tuple[str, ...] = ()
    refers: str = ""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A view by its name without the prefix."""

    name: str
    about: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    indexes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def text(name: str, *choices: str, optional: bool = False) -> Column:
    return Column(name=name, choices=choices, optional=optional)


def day(name: str, *, optional: bool = False) -> Column:
    return Column(name=name, kind="day", optional=optional)


def moment(name: str, *, optional: bool = False) -> Column:
    return Column(name=name, kind="moment", optional=optional)


def whole(name: str) -> Column:
    return Column(name=name, kind="whole")


def cents(name: str) -> Column:
    return Column(name=name, kind="cents")


def ref(name: str, table: str, *, optional: bool = False) -> Column:
    return Column(name=name, refers=table, optional=optional)


def _table(name: str, about: str, columns: Iterable[Column], *indexes: str, key: str = "") -> Table:
    listed = tuple(columns)
    keys = tuple(key.split()) or (listed[0].name,)
    return Table(name=name, about=about, columns=listed, key=keys, indexes=indexes)


_PURCHASING = (
    _table(
        "vendors",
        "Who is bought from.",
        [text("vendor_id"), text("name"), text("category"), text("country"), text("status", "active", "blocked"),
         whole("payment_days")],
    ),
    _table(
        "warehouses",
        "Where stock lies.",
        [text("warehouse_id"), text("name"), text("city"), text("kind")],
    ),
    _table(
        "items",
        "What is bought, made and sold. `reorder_point` is the stock of one warehouse below which it is bought again.",
        [text("item_id"), text("name"), text("kind", "material", "finished", "spare"), text("category"), text("unit"),
         cents("price_cents"), whole("reorder_point")],
    ),
    _table(
        "purchase_orders",
        "Orders to vendors. `received_cents` is what has arrived of `total_cents`; `received_on` is set when all has.",
        [text("order_id"), ref("vendor_id", "vendors"), ref("warehouse_id", "warehouses"), text("category"),
         text("status", "open", "partial", "received", "cancelled"), day("ordered_on"), day("due_on"),
         day("received_on", optional=True), text("buyer"), cents("total_cents"), cents("received_cents")],
        "ordered_on, status, due_on, received_on, total_cents, received_cents, vendor_id, category, warehouse_id",
        "vendor_id, ordered_on, status, due_on, received_on, total_cents, received_cents, category, warehouse_id",
        "status, due_on",
    ),
    _table(
        "purchase_lines",
        "The lines of the orders.",
        [ref("order_id", "purchase_orders"), whole("line_no"), ref("item_id", "items"), whole("quantity"),
         cents("unit_price_cents"), cents("amount_cents"), whole("received_quantity")],
        "item_id, order_id",
        key="order_id line_no",
    ),
    _table(
        "receipts",
        "What arrived: one row for each delivery of a line.",
        [text("receipt_id"), ref("order_id", "purchase_orders"), whole("line_no"), ref("item_id", "items"),
         ref("warehouse_id", "warehouses"), day("received_on"), whole("quantity"), cents("amount_cents")],
        "item_id, received_on", "order_id",
    ),
    _table(
        "prices",
        "Prices as they were agreed: one row from each day on which a vendor's price of an item changed.",
        [ref("vendor_id", "vendors"), ref("item_id", "items"), day("effective_on"), cents("unit_price_cents")],
        "item_id, effective_on",
        key="vendor_id item_id effective_on",
    ),
)  # fmt: skip

_STOCK = (
    _table(
        "stock_movements",
        "Every change of stock, signed, with its value.",
        [text("movement_id"), ref("item_id", "items"), ref("warehouse_id", "warehouses"), day("moved_on"),
         text("kind", "opening", "receipt", "issue", "production", "shipment", "transfer", "adjustment"),
         whole("quantity"), cents("amount_cents"), text("reference", optional=True)],
        "item_id, warehouse_id, moved_on", "moved_on",
    ),
    _table(
        "stock",
        "What lies where now: the sum of the movements.",
        [ref("item_id", "items"), ref("warehouse_id", "warehouses"), whole("quantity"), cents("value_cents"),
         day("last_moved_on")],
        "warehouse_id",
        key="item_id warehouse_id",
    ),
    _table(
        "stock_months",
        "What lay there at the end of each month (`2026-03`); the running month as it stands.",
        [text("month"), ref("item_id", "items"), ref("warehouse_id", "warehouses"), whole("quantity"),
         cents("value_cents")],
        "warehouse_id, month",
        key="month item_id warehouse_id",
    ),
)  # fmt: skip

_FINANCE = (
    _table(
        "invoices",
        "Of vendors (`payable`) and to customers (`receivable`). `paid_on` is empty while they are open.",
        [text("invoice_id"), text("kind", "payable", "receivable"), text("party_id"), text("reference"),
         day("issued_on"), day("due_on"), day("paid_on", optional=True), cents("amount_cents")],
        "kind, issued_on, amount_cents, party_id", "kind, party_id, issued_on, amount_cents",
        "kind, paid_on, due_on, amount_cents, party_id", "reference",
    ),
    _table(
        "ledger",
        "Double entry: the debits of a `journal_id` are as much as its credits.",
        [text("entry_id"), text("journal_id"), day("posted_on"), text("account"),
         text("account_type", "asset", "liability", "equity", "revenue", "cost_of_sales", "expense"),
         text("category"), cents("debit_cents"), cents("credit_cents"), text("reference")],
        "posted_on", "reference",
    ),
    _table(
        "ledger_days",
        "The ledger added up by day and account.",
        [day("posted_on"), text("account"),
         text("account_type", "asset", "liability", "equity", "revenue", "cost_of_sales", "expense"),
         text("category"), cents("debit_cents"), cents("credit_cents")],
        key="posted_on account category",
    ),
)  # fmt: skip

_SALES = (
    _table(
        "customers",
        "Who is sold to.",
        [text("customer_id"), text("name"), text("industry"), text("region"), text("country"),
         text("status", "active", "at_risk", "churned"), day("since"), day("churned_on", optional=True),
         text("owner")],
    ),
    _table(
        "leads",
        "Who might be sold to. `deal_id` is what a converted one became.",
        [text("lead_id"), text("company"), text("contact"), text("source"), text("region"),
         text("status", "new", "contacted", "qualified", "converted", "lost"), day("created_on"), text("owner"),
         cents("value_cents"), ref("deal_id", "deals", optional=True)],
        "created_on", "status, created_on",
    ),
    _table(
        "deals",
        "Offers to customers. `probability` in percent; `expected_on`: when it should close, `closed_on`: when it did.",
        [text("deal_id"), ref("customer_id", "customers"), text("name"),
         text("stage", "prospecting", "qualification", "proposal", "negotiation", "won", "lost"),
         cents("amount_cents"), whole("probability"), day("created_on"), day("expected_on"),
         day("closed_on", optional=True), text("owner")],
        "created_on", "closed_on, stage", "stage, expected_on", "customer_id",
    ),
    _table(
        "deal_stages",
        "When a deal came into which stage.",
        [ref("deal_id", "deals"), text("stage", "prospecting", "qualification", "proposal", "negotiation", "won",
         "lost"), day("entered_on")],
        key="deal_id stage",
    ),
)  # fmt: skip

_IT = (
    _table(
        "servers",
        "Machines, as they were when last seen. The three loads in percent.",
        [text("server_id"), text("hostname"), text("role"), text("environment", "production", "staging", "test"),
         text("location"), text("status", "up", "degraded", "down", "maintenance"), whole("cpu_percent"),
         whole("memory_percent"), whole("disk_percent"), whole("uptime_days"), moment("last_seen_at")],
    ),
    _table(
        "alerts",
        "What monitoring raised.",
        [text("alert_id"), ref("server_id", "servers"), text("severity", "critical", "warning", "info"),
         text("status", "open", "acknowledged", "resolved"), text("title"), moment("raised_at"),
         moment("resolved_at", optional=True), whole("minutes_to_resolve")],
        "raised_at, severity, status, server_id, minutes_to_resolve",
        "server_id, raised_at, severity, status, minutes_to_resolve",
        "status, server_id, raised_at",
    ),
    _table(
        "logs",
        "Lines of the logs.",
        [text("log_id"), ref("server_id", "servers"), text("service"), text("level", "debug", "info", "warning",
         "error"), moment("logged_at"), text("message")],
        "logged_at", "level, logged_at", "server_id, logged_at",
    ),
)  # fmt: skip

_OFFICE = (
    _table(
        "employees",
        "Who works here.",
        [text("employee_id"), text("name"), text("email"), text("department"), text("title"), text("location"),
         day("hired_on"), text("status", "active", "left")],
        "email",
    ),
    _table(
        "calendar",
        "Meetings, trips and leave. `schedule_meeting` adds rows here, so to use it this must be a table.",
        [text("event_id"), text("title"), text("kind", "meeting", "leave", "trip"), moment("starts_at"),
         moment("ends_at"), text("location"), text("organizer"), text("notes")],
        "ends_at, starts_at, kind",
    ),
    _table(
        "attendees",
        "Who takes part, by address. `schedule_meeting` adds rows here too.",
        [ref("event_id", "calendar"), text("email"), text("response", "accepted", "tentative", "invited", "declined")],
        "email, event_id",
        key="event_id email",
    ),
    _table(
        "emails",
        "Mail, one row for each mailbox it lies in.",
        [text("email_id"), text("mailbox"), text("folder", "inbox", "sent"), moment("sent_at"), text("sender"),
         text("recipient"), text("subject"), text("body"), text("importance", "high", "normal"), whole("is_read")],
        "mailbox, sent_at", "sent_at",
    ),
)  # fmt: skip

_MOLDING = (
    _table(
        "molds",
        "Injection molds and the parts they make.",
        [text("mold_id"), text("name"), ref("part_id", "items"), text("material"), whole("cavities"),
         whole("press_tons"), text("steel"), text("toolmaker"),
         text("status", "design", "trial", "released"), day("ordered_on")],
    ),
    _table(
        "trials",
        "Trial runs, T0 first. `cycle_tenths` is the cycle time in tenths of a second.",
        [text("trial_id"), ref("mold_id", "molds"), text("trial"), day("run_on"), text("press"),
         text("result", "failed", "conditional", "passed"), whole("melt_celsius"), whole("pressure_bar"),
         whole("cycle_tenths"), whole("shots"), whole("rejects"), text("notes_en"), text("notes_zh")],
        "mold_id, trial", "run_on",
    ),
    _table(
        "defect_cases",
        "Defects found in trials and in production. `defect` is a name of the catalogue in the docs.",
        [text("case_id"), ref("mold_id", "molds"), ref("trial_id", "trials", optional=True), text("defect"),
         text("severity", "minor", "major", "critical"), text("status", "open", "resolved"), day("found_on"),
         day("resolved_on", optional=True), text("position"), text("title_en"), text("title_zh"),
         text("description_en"), text("description_zh"), text("cause_en"), text("cause_zh"), text("remedy_en"),
         text("remedy_zh")],
        "defect, found_on", "mold_id", "found_on",
    ),
)  # fmt: skip

TABLES: tuple[Table, ...] = (
    _table(
        "company",
        "One row: whose data this is. `as_of` is the day the data stands at; empty means today.",
        [text("name"), text("currency"), day("as_of", optional=True)],
    ),
    *_PURCHASING,
    *_STOCK,
    *_FINANCE,
    *_SALES,
    *_IT,
    *_OFFICE,
    *_MOLDING,
)

BY_NAME = {table.name: table for table in TABLES}

_SQL_KINDS = {"text": "TEXT", "day": "TEXT", "moment": "TEXT", "whole": "BIGINT", "cents": "BIGINT"}


def create_table(table: Table) -> str:
    """The table in SQL that SQLite and PostgreSQL both read."""
    columns = [
        f"{column.name} {_SQL_KINDS[column.kind]}{'' if column.optional else ' NOT NULL'}" for column in table.columns
    ]
    return f"CREATE TABLE {PREFIX}{table.name} ({', '.join(columns)}, PRIMARY KEY ({', '.join(table.key)}))"


def create_indexes(table: Table) -> list[str]:
    """Made after the rows are in, which is quicker."""
    return [
        f"CREATE INDEX {PREFIX}{table.name}_{number} ON {PREFIX}{table.name} ({columns})"
        for number, columns in enumerate(table.indexes, 1)
    ]
