"""The tools of Hollinmoor Glasshouse Restoration (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))


def _by_id(table: str, key: str, value: str, noun: str) -> dict:
    """The record of a table with this id, or a helpful error."""
    rows = _RECORDS[table]
    for row in rows:
        if row[key].lower() == value.strip().lower():
            return row
    raise ToolError(f"There is no {noun} {value}. Numbers run from {rows[0][key]} to {rows[-1][key]}.")


def _fits(part: str, name: str) -> bool:
    """Whether every word of part is in the name, in any case."""
    return all(word in name.lower() for word in part.lower().split())


def _day(text: str) -> date:
    """A day written as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"'{text}' is not a day. Write days as YYYY-MM-DD, such as 2033-06-21.") from None


def _pick(row: dict, *keys: str) -> dict:
    """Only these fields of a record."""
    return {key: row[key] for key in keys}


@tool
def find_sites(name: str | None = None, county: str | None = None, limit: int = 15) -> list[dict]:
    """Find sites (greenhouses and orangeries) by name or county: site number, name and county.

    Args:
        name: Part of the site's name, such as "fernery". Leave out for all names.
        county: Part of the county, such as "Devon". Leave out for all counties.
        limit: At most this many sites.
    """
    rows = [
        _pick(site, "site_id", "name", "county")
        for site in _RECORDS["sites"]
        if _fits(name or "", site["name"]) and _fits(county or "", site["county"])
    ]
    if not rows:
        raise ToolError("No site matches. Try a single word of the name, or leave out name and county for all sites.")
    return rows[: max(1, limit)]


@tool
def site_record(site_id: str) -> dict:
    """One site: name, county, year built, client (owner), caretaker and phone, glazed area, number of panes.

    Args:
        site_id: Number of the site, such as ST-12.
    """
    return _by_id("sites", "site_id", site_id, "site")


@tool
def jobs_of_site(
    site_id: str, status: Literal["planned", "running", "on hold", "done"] | None = None
) -> list[dict] | str:
    """The glazing jobs of a site: job number, title, status.

    Args:
        site_id: Number of the site, such as ST-12.
        status: Only jobs with this status. Leave out for all.
    """
    site = _by_id("sites", "site_id", site_id, "site")
    rows = [
        _pick(job, "job_no", "title", "status")
        for job in _RECORDS["jobs"]
        if job["site_id"] == site["site_id"] and status in (None, job["status"])
    ]
    return rows or f"No {status or 'glazing'} jobs at {site['site_id']}."


@tool
def job_record(job_no: str) -> dict:
    """One glazing job: site, status, foreman, start and planned end, budget, pane code, panes needed and fitted so far.

    Args:
        job_no: Number of the job, such as GJ-2019.
    """
    return _by_id("jobs", "job_no", job_no, "job")


@tool
def pane_stock(
    glass: Literal["horticultural", "cylinder", "rolled", "laminated", "toughened"] | None = None,
) -> list[dict]:
    """The stock of glass panes in the workshop: pane code, glass, size, pieces in stock, price per pane, bay.

    Args:
        glass: Only panes of this kind of glass. Leave out for the whole stock.
    """
    return [row for row in _RECORDS["panes"] if glass in (None, row["glass"])]


@tool
def boilers_of_site(site_id: str) -> list[dict] | str:
    """The boilers installed at a site: boiler number, where it stands, fuel.

    Args:
        site_id: Number of the site, such as ST-12.
    """
    site = _by_id("sites", "site_id", site_id, "site")
    rows = [
        _pick(row, "boiler_id", "stands_in", "fuel") for row in _RECORDS["boilers"] if row["site_id"] == site["site_id"]
    ]
    return rows or f"No boilers at {site['site_id']}."


@tool
def boiler_record(boiler_id: str) -> dict:
    """One boiler: site, maker, fuel, output in kW, last and next service, the engineer in charge of it.

    Args:
        boiler_id: Number of the boiler, such as BO-21.
    """
    return _by_id("boilers", "boiler_id", boiler_id, "boiler")


@tool
def heating_log(site_id: str, month: str) -> list[dict]:
    """The heating log of a site for one month, a row per day: lowest and highest inside temperature, hours of heating.

    Args:
        site_id: Number of the site, such as ST-12.
        month: The month as YYYY-MM, such as 2032-12.
    """
    site = _by_id("sites", "site_id", site_id, "site")
    logs = _RECORDS["heating_logs"].get(site["site_id"])
    if logs is None:
        raise ToolError(f"{site['site_id']} has no logger. Sites with one: {', '.join(_RECORDS['heating_logs'])}.")
    if month.strip() not in logs:
        raise ToolError(f"No log for '{month}'. Months kept: {', '.join(logs)}.")
    return [
        {"day": day, "lowest_c": low, "highest_c": high, "heating_hours": hours}
        for day, low, high, hours in logs[month.strip()]
    ]


@tool
def crew_member(name: str) -> list[dict]:
    """A member of the crew: trade, mobile phone, day rate, how long the ladder ticket is valid.

    Args:
        name: Part of the name, such as "fiona".
    """
    rows = [row for row in _RECORDS["crew"] if _fits(name, row["name"])]
    if not rows:
        names = ", ".join(row["name"] for row in _RECORDS["crew"])
        raise ToolError(f"Nobody called '{name}' in the crew. The crew: {names}.")
    return rows


@tool
def day_rota(day: str, site_id: str | None = None) -> list[dict] | str:
    """Who of the crew works where on one day: name, site number, task.

    Args:
        day: The day as YYYY-MM-DD.
        site_id: Only the people at this site, such as ST-12. Leave out for everyone.
    """
    wanted = _day(day).isoformat()
    rota = _RECORDS["rota"]
    if wanted not in rota:
        days = list(rota)
        raise ToolError(f"No rota for {wanted}. The rota has the working days from {days[0]} to {days[-1]}.")
    site = _by_id("sites", "site_id", site_id, "site")["site_id"] if site_id else None
    rows = [
        {"name": name, "site_id": where, "task": task} for name, where, task in rota[wanted] if site in (None, where)
    ]
    return rows or f"Nobody is at {site} on {wanted}."


@tool
def find_surveys(
    from_day: str | None = None,
    to_day: str | None = None,
    site_id: str | None = None,
    surveyor: str | None = None,
    limit: int = 12,
) -> list[dict] | str:
    """Find surveys, the latest day first: survey number, day, site, surveyor, whether done or booked.

    Args:
        from_day: First day as YYYY-MM-DD. Leave out for no limit.
        to_day: Last day as YYYY-MM-DD. Leave out for no limit.
        site_id: Only surveys of this site, such as ST-12.
        surveyor: Only surveys of this person (part of the name).
        limit: At most this many surveys.
    """
    first = _day(from_day).isoformat() if from_day else ""
    last = _day(to_day).isoformat() if to_day else "9999"
    site = _by_id("sites", "site_id", site_id, "site")["site_id"] if site_id else None
    rows = [
        _pick(row, "survey_no", "day", "site_id", "surveyor", "status")
        for row in reversed(_RECORDS["surveys"])
        if first <= row["day"] <= last and site in (None, row["site_id"]) and _fits(surveyor or "", row["surveyor"])
    ]
    return rows[: max(1, limit)] or "No surveys match."


@tool
def survey_report(survey_no: str) -> str:
    """The report of a survey that was done: cracked and missing panes, putty, ironwork, recommendation.

    Args:
        survey_no: Number of the survey, such as SV-288.
    """
    row = _by_id("surveys", "survey_no", survey_no, "survey")
    if row["status"] != "done":
        raise ToolError(f"{row['survey_no']} is booked for {row['day']}; there is no report yet.")
    return (
        f"Survey {row['survey_no']} of {row['site_id']}, {row['day']}, by {row['surveyor']}\n"
        f"Panes: {row['cracked']} cracked, {row['missing']} missing\n"
        f"Putty: {row['putty']}\nIronwork: {row['ironwork']}\nRecommendation: {row['advice']}"
    )


@tool
def find_quotes(
    site_id: str | None = None, status: Literal["draft", "sent", "accepted", "declined"] | None = None
) -> list[dict] | str:
    """Find quotes by site or status: quote number, site, title, status. The amounts are in quote_record.

    Args:
        site_id: Only quotes for this site, such as ST-12.
        status: Only quotes with this status ("sent": the client has not answered yet).
    """
    site = _by_id("sites", "site_id", site_id, "site")["site_id"] if site_id else None
    rows = [
        _pick(row, "quote_no", "site_id", "title", "status")
        for row in _RECORDS["quotes"]
        if site in (None, row["site_id"]) and status in (None, row["status"])
    ]
    return rows or "No quotes match."


@tool
def quote_record(quote_no: str) -> dict:
    """One quote: site, title, status, net amount, VAT, total with VAT, last day it is valid.

    Args:
        quote_no: Number of the quote, such as Q-540.
    """
    return _by_id("quotes", "quote_no", quote_no, "quote")


@tool(effect="write")
def book_survey(site_id: str, day: str, surveyor: str) -> str:
    """Book a new survey of a site.

    Args:
        site_id: Number of the site, such as ST-12.
        day: The day of the survey as YYYY-MM-DD, Monday to Friday.
        surveyor: Who does it (part of the name).
    """
    site = _by_id("sites", "site_id", site_id, "site")
    when = _day(day)
    if when.weekday() > 4:
        raise ToolError(f"{when} is a {when:%A}. Surveys are made from Monday to Friday.")
    people = [row["name"] for row in _RECORDS["crew"] if row["trade"] == "surveyor"]
    found = [name for name in people if _fits(surveyor, name)]
    if len(found) != 1:
        raise ToolError(f"Which surveyor? Surveyors are {' and '.join(people)}.")
    return f"Booked: survey SV-317 of {site['site_id']} ({site['name']}) on {when} by {found[0]}."


@tool(effect="write")
def reserve_panes(pane_code: str, quantity: int, job_no: str) -> dict:
    """Reserve panes from the stock for a glazing job.

    Args:
        pane_code: Code of the pane, such as P-155.
        quantity: How many panes.
        job_no: Number of the job they are for, such as GJ-2019.
    """
    pane = _by_id("panes", "pane_code", pane_code, "pane")
    job = _by_id("jobs", "job_no", job_no, "job")
    if not 1 <= quantity <= pane["in_stock"]:
        raise ToolError(f"Cannot reserve {quantity} of {pane['pane_code']}: {pane['in_stock']} are in stock.")
    return {
        "reservation": "R-884",
        "pane_code": pane["pane_code"],
        "quantity": quantity,
        "job_no": job["job_no"],
        "collect_from": f"bay {pane['bay']}",
    }


@tool(effect="write")
def report_boiler_fault(boiler_id: str, fault: str, urgent: bool = False) -> str:
    """Report a fault of a boiler to the engineer in charge of it.

    Args:
        boiler_id: Number of the boiler, such as BO-21.
        fault: What is wrong, in a few words.
        urgent: True if someone must come the same day.
    """
    boiler = _by_id("boilers", "boiler_id", boiler_id, "boiler")
    if not fault.strip():
        raise ToolError("Say in a few words what is wrong with the boiler.")
    speed = "urgent" if urgent else "not urgent"
    return f"Fault F-253 reported for {boiler['boiler_id']} ({speed}): {fault}. Sent to {boiler['engineer']}."
