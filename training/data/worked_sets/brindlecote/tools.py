"""Brindlecote's records. The data is fixed; what changes something only returns a reference."""

import datetime
import json
import re
from pathlib import Path

from glassloop import ToolError, tool

DATA = json.loads(Path(__file__).with_name("records.json").read_text(encoding="utf-8"))
SMALL = {
    "st",
    "saint",
    "sankt",
    "the",
    "of",
    "in",
    "at",
    "and",
    "church",
    "tower",
    "bells",
    "bell",
    "parish",
    "kirche",
    "a",
}


def words(text: str) -> list[str]:
    found = re.findall(r"\w+", re.sub(r"['’]s\b", "", text.casefold()))
    return [word for word in found if word not in SMALL] or found


def matching(text: str, rows: list[dict], keys: tuple[str, ...]) -> list[dict]:
    wanted = words(text)
    hay = [(" ".join(str(row[key]) for key in keys).casefold(), row) for row in rows]
    if not wanted:
        return []
    return [row for line, row in hay if all(word in line for word in wanted)]


def number_of(text: str, pattern: str, shape: str) -> str:
    """`s 412` or `S0412` to `S-0412`."""
    key = re.sub(r"[\s_/.]+", "-", text.strip().upper())
    if re.fullmatch(pattern, key):
        return key
    bare = key.replace("-", "")
    for known in re.findall(r"\S+", shape):
        if known.replace("-", "").upper() == bare:
            return known
    return key


def day_of(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise ToolError(f"{text!r} is not a day: write it as 2029-01-31.") from None


def site_of(text: str) -> dict:
    known = {row["site_id"]: row for row in DATA["sites"]}
    key = number_of(text, r"S-\d{4}", " ".join(known))
    if key not in known:
        raise ToolError(f"{text!r} is no site id. They look like S-0900; site_lookup finds them by name.")
    return known[key]


def job_of(text: str) -> dict:
    known = {row["job_no"]: row for row in DATA["jobs"]}
    key = number_of(text, r"J\d\d-\d{3}", " ".join(known))
    if key not in known:
        raise ToolError(f"There is no job {text!r}. Job numbers look like J29-900; worklist gives those of a site.")
    return known[key]


def sku_of(text: str) -> str:
    key = number_of(text, r"[A-Z]{2}-\w+", " ".join(DATA["bins"]))
    if key not in DATA["bins"]:
        raise ToolError(f"{text!r} is no stock code. They look like XX-00; spares_catalogue lists them.")
    return key


def people_of(text: str) -> list[dict]:
    code = [row for row in DATA["staff"] if row["code"] == text.strip().upper()]
    return code or matching(text, DATA["staff"], ("name",))


@tool(effect="read", integrity="trusted")
def site_lookup(name: str) -> list[dict[str, object]]:
    """Towers that the foundry looks after: site id, number of bells, tenor weight, key holder and phone, steps, practice night, account number, reference of the last inspection report.

    Args:
        name: The building or the place or a part of either, or a site id such as S-0900.
    """
    known = {row["site_id"]: row for row in DATA["sites"]}
    key = number_of(name, r"S-\d{4}", " ".join(known))
    if key in known:
        return [known[key]]
    rows = matching(name, DATA["sites"], ("building", "place", "country"))
    if not rows:
        raise ToolError(f"No site matches {name!r}. Try the name of the place alone.")
    return rows


@tool(effect="read", integrity="trusted")
def ring_inventory(site_id: str) -> list[dict[str, object]]:
    """The bells that hang at a site, from the treble (1) to the tenor (the last): tag, weight, note, year of casting, diameter.

    Args:
        site_id: Id of the site, such as S-0900.
    """
    return DATA["rings"][site_of(site_id)["site_id"]]


@tool(effect="read", integrity="trusted")
def partials_sheet(bell_tag: str) -> dict[str, object]:
    """How a bell is tuned: frequency of its nominal, and how many cents hum, prime, tierce and quint are off (minus: flat).

    Args:
        bell_tag: The bell's tag, such as BT1000.
    """
    key = re.sub(r"[\s-]", "", bell_tag.upper())
    key = key if key.startswith("BT") else "BT" + key
    if key not in DATA["partials"]:
        raise ToolError(
            f"No bell has the tag {bell_tag!r}. Tags look like BT1000; ring_inventory gives those of a site."
        )
    return DATA["partials"][key]


@tool(effect="read", integrity="trusted")
def job_card(job_no: str) -> dict[str, object]:
    """A job: site id, work, state, staff code of whoever leads it, due day, quote number.

    Args:
        job_no: The job's number, such as J29-900.
    """
    return job_of(job_no)


@tool(effect="read", integrity="trusted")
def worklist(site_id: str) -> list[dict[str, object]]:
    """All jobs at one site, finished or not: number, work and state.

    Args:
        site_id: Id of the site, such as S-0900.
    """
    key = site_of(site_id)["site_id"]
    return [{k: row[k] for k in ("job_no", "work", "state", "opened")} for row in DATA["jobs"] if row["site_id"] == key]


@tool(effect="read", integrity="trusted")
def staff_directory(who: str) -> dict[str, object]:
    """Somebody on the staff: full name, code, role, base, extension, mobile.

    Args:
        who: First name, last name or both, or the code of three letters.
    """
    rows = people_of(who)
    if not rows:
        raise ToolError(
            f"Nobody on the staff is called {who!r}. Give a first or last name or the code of three letters."
        )
    if len(rows) > 1:
        raise ToolError("Several match: " + ", ".join(row["name"] for row in rows) + ". Give the full name.")
    return rows[0]


@tool(effect="read", integrity="trusted")
def crew_rota(day: str) -> dict[str, object]:
    """Who works outside on a day, on which job, with which vehicle, and who is on call.

    Args:
        day: The day, such as 2029-01-31.
    """
    key = day_of(day).isoformat()
    if key not in DATA["rota"]:
        raise ToolError(f"There is no rota for {key}: it is kept from 2029-10-15 to 2029-10-28.")
    return DATA["rota"][key]


@tool(effect="read", integrity="trusted")
def furnace_diary(first_day: str, last_day: str) -> list[dict[str, object]]:
    """Castings, past and planned: day, furnace, kilograms of metal, what for, job number.

    Args:
        first_day: First day, such as 2029-01-01.
        last_day: Last day, such as 2029-01-31; the same as the first for one day.
    """
    first, last = day_of(first_day), day_of(last_day)
    if last < first:
        raise ToolError("The last day is before the first.")
    return [row for row in DATA["pours"] if first <= day_of(row["day"]) <= last]


@tool(effect="read", integrity="trusted")
def spares_catalogue(group: str | None = None) -> list[dict[str, object]]:
    """What the stores sell: stock code, item, group and price each without VAT.

    Args:
        group: Only this group: ropes, clappers, bearings, pulleys, stays, wheels or sundries. Everything when left out.
    """
    if not group or group.strip().casefold() in ("all", "everything"):
        return DATA["spares"]
    wanted = [re.sub(r"(?<=sh)es$|(?<=..)s$", "", word) for word in re.findall(r"\w+", group.casefold())]
    lines = [(f"{row['group']} {row['item']}".casefold(), row) for row in DATA["spares"]]
    rows = [row for line, row in lines if all(word in line for word in wanted)]
    if not rows:
        raise ToolError("The groups are ropes, clappers, bearings, pulleys, stays, wheels and sundries.")
    return rows


@tool(effect="read", integrity="trusted")
def bin_count(sku: str) -> dict[str, object]:
    """What lies in the stores of one item: bin, pieces on the shelf, set aside, free and on order.

    Args:
        sku: The stock code, such as XX-00.
    """
    return DATA["bins"][sku_of(sku)]


@tool(effect="read", integrity="trusted")
def quotation_details(quote_no: str) -> dict[str, object]:
    """A quote: customer, last day it is valid, lines, net, VAT and gross.

    Args:
        quote_no: The quote's number, such as Q-20000.
    """
    known = {row["quote_no"]: row for row in DATA["quotes"]}
    key = number_of(quote_no, r"Q-\d{5}", " ".join(known))
    if key not in known:
        raise ToolError(
            f"There is no quote {quote_no!r}. Numbers look like Q-20000; the card of a job gives its quote."
        )
    return known[key]


@tool(effect="read", integrity="trusted")
def customer_file(name: str) -> dict[str, object]:
    """A customer: account number, contact, address, e-mail, days to pay, customer since.

    Args:
        name: The customer's name or a part of it, or the account number.
    """
    rows = matching(name, DATA["customers"], ("name", "account_no", "contact"))
    if not rows:
        raise ToolError(f"No customer matches {name!r}. Try one word of the name, such as the place.")
    if len(rows) > 1:
        raise ToolError("Several match: " + "; ".join(row["name"] for row in rows) + ". Say which.")
    return rows[0]


@tool(effect="read", integrity="trusted")
def ledger_entries(account_no: str) -> list[dict[str, object]]:
    """Invoices of an account: number, issued, due, amount with VAT, and the day it was paid (null: not yet).

    Args:
        account_no: The account's number, such as 40-1000.
    """
    key = number_of(account_no, r"\d\d-\d{4}", " ".join(DATA["ledger"]))
    if key not in DATA["ledger"]:
        raise ToolError(
            f"There is no account {account_no!r}. They look like 40-1000; customer_file gives a customer's."
        )
    return DATA["ledger"][key]


@tool(effect="read", integrity="trusted")
def survey_report(report_ref: str) -> str:
    """The text of an inspection report, signed with a staff code.

    Args:
        report_ref: Reference of the report, such as IR-5000.
    """
    key = number_of(report_ref, r"IR-\d{4}", " ".join(DATA["reports"]))
    if key not in DATA["reports"]:
        raise ToolError(
            f"There is no report {report_ref!r}. They look like IR-5000; site_lookup gives the last one of a site."
        )
    return DATA["reports"][key]


@tool(effect="write", integrity="trusted")
def book_visit(site_id: str, day: str, inspector: str) -> dict[str, object]:
    """Books an inspector to visit a site on a day. Returns the booking's number.

    Args:
        site_id: Id of the site, such as S-0900.
        day: The day of the visit, such as 2029-01-31.
        inspector: Name or staff code of the inspector.
    """
    site, when, who = site_of(site_id), day_of(day), people_of(inspector)
    if when <= datetime.date(2029, 10, 17):
        raise ToolError("A visit can be booked from 2029-10-18 on.")
    if len(who) != 1:
        raise ToolError(f"{inspector!r} is not one person on the staff: give the full name or the code.")
    number = 3300 + int(site["site_id"][2:]) % 97 + when.day
    return {"booking": f"V-{number}", "site_id": site["site_id"], "day": when.isoformat(), "inspector": who[0]["name"]}


@tool(effect="write", integrity="trusted")
def reserve_spares(sku: str, quantity: int, job_no: str) -> dict[str, object]:
    """Sets pieces of one item aside for a job. Returns the reservation's number.

    Args:
        sku: The stock code, such as XX-00.
        quantity: How many pieces.
        job_no: The job that they are for, such as J29-900.
    """
    key, job = sku_of(sku), job_of(job_no)
    free = DATA["bins"][key]["free"]
    if quantity < 1:
        raise ToolError("The quantity has to be 1 or more.")
    if quantity > free:
        raise ToolError(f"Only {free} of {key} are free.")
    number = 77000 + 31 * quantity + int(job["job_no"][-3:])
    return {"reservation": f"R-{number}", "sku": key, "quantity": quantity, "job_no": job["job_no"]}
