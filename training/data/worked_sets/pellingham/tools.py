"""The office records of Pellingham Walls and Hedges. The data never changes."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

DATA = json.loads((Path(__file__).parent / "records.json").read_text(encoding="utf-8"))
TODAY = date(2029, 10, 17)


def plain(text: str) -> str:
    return "".join(c for c in str(text).casefold() if c.isalnum())


def as_day(text: str) -> date:
    try:
        return date.fromisoformat(str(text).strip())
    except ValueError:
        raise ToolError(f"{text!r} is not a day: write it as YYYY-MM-DD, such as 2029-05-31.") from None


def pick(rows: list, field: str, wanted: str, what: str, advice: str) -> dict:
    """The one row whose field is, or contains, what is wanted."""
    key = plain(wanted)
    exact = [row for row in rows if plain(row[field]) == key]
    found = exact or [row for row in rows if key and (key in plain(row[field]) or plain(row[field]) in key)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ToolError(f"{wanted!r} could be: " + ", ".join(row[field] for row in found) + ". Say which.")
    raise ToolError(f"There is no {what} {wanted!r}. {advice}")


def by_number(rows: list, field: str, wanted: str, what: str, advice: str) -> dict:
    """The row with this number, with or without its letters in front."""
    key = plain(wanted)
    for row in rows:
        full = plain(row[field])
        if key == full or (len(key) >= 4 and full.endswith(key)):
            return row
    raise ToolError(f"There is no {what} {wanted!r}. {advice}")


def client_of(code: str) -> dict:
    return by_number(DATA["clients"], "client_code", code, "client with the code",
                     "Codes look like ABCD-00; client_lookup finds the code for a name.")


def job_of(job_no: str) -> dict:
    return by_number(DATA["jobs"], "job_no", job_no, "job",
                     "Numbers look like J29-000; jobs_for_client lists those of a client.")


def invoice_of(invoice_no: str) -> dict:
    return by_number(DATA["invoices"], "invoice_no", invoice_no, "invoice", "Numbers look like PW-10000.")


def quarry_of(name: str) -> dict:
    return pick(DATA["quarries"], "quarry", name, "quarry", "Give the quarry's name, as on the job sheet.")


@tool(effect="read", integrity="trusted")
def client_lookup(name: str) -> dict[str, object]:
    """A client's code, contact person, e-mail, telephone, parish and payment terms.

    Args:
        name: The name of the farm, estate, parish council or contact person, or a part of it; or the client code.
    """
    for row in DATA["clients"]:
        if plain(name) == plain(row["client_code"]):
            return row
    try:
        return pick(DATA["clients"], "name", name, "client", "")
    except ToolError as problem:
        if "could be" in str(problem):
            raise
    common = {"estate", "farm", "parish", "council", "house", "little"}
    words = [plain(word) for word in name.split() if len(word) > 3 and plain(word) not in common]
    found = [row for row in DATA["clients"] if any(w in plain(row["name"]) or w in plain(row["contact"]) for w in words)]
    if len(found) == 1:
        return found[0]
    return pick(DATA["clients"], "contact", name, "client", "Try one word of the name.")


@tool(effect="read", integrity="trusted")
def jobs_for_client(client_code: str, status: Literal["any", "quoted", "planned", "in progress", "finished"] = "any") -> list[dict[str, object]]:
    """The jobs of a client: number, work, length and status.

    Args:
        client_code: The client's code, such as ABCD-00.
        status: Only jobs with this status.
    """
    client = client_of(client_code)
    return [
        {"job_no": job["job_no"], "work": job["work"], "length_m": job["length_m"], "status": job["status"]}
        for job in DATA["jobs"]
        if job["client_code"] == client["client_code"] and status in ("any", job["status"])
    ]


@tool(effect="read", integrity="trusted")
def job_sheet(job_no: str) -> dict[str, object]:
    """Everything on the sheet of one job: client, work, length and height, gang, start and planned finish, status,
    quarry and stone, code of the grant, number of the survey, net price.

    Args:
        job_no: The job's number, such as J29-000.
    """
    return job_of(job_no)


@tool(effect="read", integrity="trusted")
def gang_card(gang: str) -> dict[str, object]:
    """Foreman, the foreman's mobile, members, van registration and trade of a gang.

    Args:
        gang: Name of the gang, or of a person who works in it.
    """
    key = plain(gang)
    for row in DATA["gangs"]:
        if key and (plain(row["gang"]) in key or key in plain(row["gang"]) or any(key in plain(m) for m in row["members"])):
            return row
    raise ToolError(f"No gang or member {gang!r}. The gangs are " + ", ".join(r["gang"] for r in DATA["gangs"]) + ".")


@tool(effect="read", integrity="trusted")
def gang_diary(gang: str, first_day: str, last_day: str) -> list[dict[str, object]]:
    """Where a gang works, day by day.

    Args:
        gang: Name of the gang.
        first_day: YYYY-MM-DD.
        last_day: YYYY-MM-DD, the same as first_day for a single day; at most 31 days in all.
    """
    name = gang_card(gang)["gang"]
    first, last = as_day(first_day), as_day(last_day)
    if last < first:
        raise ToolError("last_day is before first_day.")
    if (last - first).days > 30:
        raise ToolError("At most 31 days at once.")
    rows = []
    for offset in range((last - first).days + 1):
        day = first + timedelta(days=offset)
        if day.weekday() > 4:
            continue
        for who, start, end, job_no, what in DATA["diary"]:
            if who == name and date.fromisoformat(start) <= day <= date.fromisoformat(end):
                job = job_of(job_no) if job_no else None
                rows.append({"day": f"{day:%a} {day}", "job_no": job_no, "entry": f"{job['client']}: {job['work']}" if job else what})
    return rows or [{"day": f"{first} to {last}", "job_no": None, "entry": "nothing entered"}]


@tool(effect="read", integrity="trusted")
def survey_register(parish: str) -> list[dict[str, object]]:
    """Surveys made in a parish: number, site, day, surveyor, and the job that came of it, if any.

    Args:
        parish: The parish, or a part of its name.
    """
    key = plain(parish)
    rows = [row for row in DATA["surveys"] if key and (key in plain(row["parish"]) or plain(row["parish"]) in key)]
    if not rows:
        raise ToolError(f"No surveys in {parish!r}. Parishes: " + ", ".join(sorted({r["parish"] for r in DATA["surveys"]})) + ".")
    return [{k: v for k, v in row.items() if k != "text"} for row in rows]


@tool(effect="read", integrity="trusted")
def read_survey(survey_no: str) -> str:
    """What the surveyor wrote: condition, measurements, advice.

    Args:
        survey_no: Number of the survey, such as SV-1000.
    """
    row = by_number(DATA["surveys"], "survey_no", survey_no, "survey", "Numbers look like SV-1000; survey_register lists those of a parish.")
    return f"{row['survey_no']}, {row['site']} ({row['parish']}), {row['surveyor']}, {row['surveyed_on']}. {row['text']}"


@tool(effect="read", integrity="trusted")
def quarry_access(quarry: str) -> dict[str, object]:
    """Gate hours, manager, telephone, largest vehicle and winter closure of a quarry.

    Args:
        quarry: The quarry's name.
    """
    return quarry_of(quarry)


@tool(effect="read", integrity="trusted")
def quarry_prices(quarry: str) -> list[dict[str, object]]:
    """What a quarry sells: stone, pounds per tonne, smallest load in tonnes, lead time in days.

    Args:
        quarry: The quarry's name.
    """
    return DATA["prices"][quarry_of(quarry)["quarry"]]


@tool(effect="read", integrity="trusted")
def deliveries_between(start: str, end: str, quarry: str = "") -> list[dict[str, object]]:
    """Loads of stone that were delivered from one day to another, both included: note, day, quarry, stone, tonnes, job.

    Args:
        start: First day, YYYY-MM-DD.
        end: Last day, YYYY-MM-DD.
        quarry: Only loads from this quarry.
    """
    first, last = as_day(start), as_day(end)
    only = quarry_of(quarry)["quarry"] if quarry.strip() else None
    return [
        row for row in DATA["deliveries"]
        if first <= date.fromisoformat(row["day"]) <= last and only in (None, row["quarry"])
    ]


@tool(effect="read", integrity="trusted")
def grant_scheme(scheme: str) -> str:
    """Conditions of a grant: who pays, rate, upper limit, closing date, contact.

    Args:
        scheme: Its code, such as AB1, or a part of its title.
    """
    key = plain(scheme)
    for code, row in DATA["grants"].items():
        short = plain(row["title"].rsplit(" ", 1)[0])
        if key and (plain(code) in key or key in plain(row["title"]) or short in key):
            return row["text"]
    raise ToolError(f"No grant {scheme!r}. There are " + ", ".join(f"{c} ({r['title']})" for c, r in DATA["grants"].items()) + ".")


@tool(effect="read", integrity="trusted")
def invoice_details(invoice_no: str) -> dict[str, object]:
    """One invoice: client, job, what it is for, net, VAT, gross, issued, due, day of payment.

    Args:
        invoice_no: Number of the invoice, such as PW-10000.
    """
    return invoice_of(invoice_no)


@tool(effect="read", integrity="trusted")
def unpaid_invoices(overdue_only: bool = False) -> list[dict[str, object]]:
    """All invoices, of all clients, that have not been paid: number, client, gross amount, due day.

    Args:
        overdue_only: Leave out those that are not due yet.
    """
    return [
        {"invoice_no": row["invoice_no"], "client": row["client"], "gross": row["gross"], "due": row["due"]}
        for row in DATA["invoices"]
        if not row["paid_on"] and (not overdue_only or date.fromisoformat(row["due"]) < TODAY)
    ]


@tool(effect="write", integrity="trusted")
def book_survey(client_code: str, day: str, kind: Literal["wall", "hedge"]) -> dict[str, object]:
    """Puts a surveyor's visit to a client on the calendar.

    Args:
        client_code: The client's code, such as ABCD-00.
        day: A working day, YYYY-MM-DD.
        kind: What is to be surveyed.
    """
    client, when = client_of(client_code), as_day(day)
    if when <= TODAY or when.weekday() > 4:
        raise ToolError("A visit needs a working day, Monday to Friday, after today.")
    return {"visit": f"VIS-{when.toordinal() % 1000:03}-{kind[0].upper()}", "client": client["name"], "day": str(when),
            "surveyor": "Marcus Lowe" if kind == "wall" else "Hester Blane"}


@tool(effect="write", integrity="trusted")
def order_stone(quarry: str, stone: str, tonnes: float, job_no: str, delivery_day: str) -> dict[str, object]:
    """Orders a load from a quarry, to be brought to a job.

    Args:
        quarry: The quarry's name.
        stone: Which of the quarry's stones.
        tonnes: How much.
        job_no: The job, such as J29-000.
        delivery_day: A working day, YYYY-MM-DD.
    """
    source, job, when = quarry_of(quarry), job_of(job_no), as_day(delivery_day)
    price = pick(DATA["prices"][source["quarry"]], "stone", stone, "stone", "quarry_prices lists what the quarry sells.")
    if when <= TODAY or when.weekday() > 4:
        raise ToolError("Deliveries need a working day, Monday to Friday, after today.")
    if tonnes < price["min_load_t"]:
        raise ToolError(f"The smallest load of {price['stone']} is {price['min_load_t']} tonnes.")
    return {"order_ref": f"SO{when.toordinal() % 1000:03}/{job['job_no'][-3:]}", "quarry": source["quarry"], "stone": price["stone"],
            "tonnes": tonnes, "delivery_day": str(when), "cost_net": round(tonnes * price["per_tonne"], 2)}


@tool(effect="write", integrity="trusted")
def send_reminder(invoice_no: str, tone: Literal["friendly", "firm"] = "friendly") -> dict[str, object]:
    """Mails a client that an invoice is still to be paid.

    Args:
        invoice_no: Number of the invoice, such as PW-10000.
        tone: How the mail is worded.
    """
    row = invoice_of(invoice_no)
    if row["paid_on"]:
        raise ToolError(f"{row['invoice_no']} was paid on {row['paid_on']}: there is nothing to remind of.")
    client = client_of(row["client_code"])
    return {"mail_ref": f"RM{row['invoice_no'][-3:]}{'F' if tone == 'firm' else 'K'}", "to": client["email"], "tone": tone, "gross": row["gross"]}
