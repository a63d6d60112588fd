"""The books of the Garroway Mending House, as its desk assistant may use them."""

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_BOOKS = json.loads(Path(__file__).with_name("records.json").read_text(encoding="utf-8"))
MAX_LOAN_DAYS = 14


def _entry(book: str, number: str, form: str, remedy: str) -> dict:
    wanted = number.strip().upper()
    if wanted not in _BOOKS[book]:
        raise ToolError(f"There is no {number!r}. A number looks like {form}; {remedy}")
    return {"number": wanted, **_BOOKS[book][wanted]}


def _member(number: str) -> dict:
    return _entry("members", number, "M-1001", "find_member gives it for a name.")


def _part(number: str) -> dict:
    return _entry("parts", number, "P-2001", "find_part gives it for a name.")


def _job(number: str) -> dict:
    return _entry("jobs", number, "J-3001", "repair_board lists the open ones.")


def _item(number: str) -> dict:
    return _entry("items", number, "L-001", "lending_shelf lists them.")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"{text!r} is no day. Write it as YYYY-MM-DD.") from None


def _table(heads: str, rows: list[str]) -> str:
    return "\n".join([heads, *rows])


def _words(text: str) -> list[str]:
    return [
        word.removesuffix("s") if len(word) > 3 else word
        for word in re.findall(r"\w+", text.casefold())
        if (len(word) > 1 or word.isdigit()) and word not in ("for", "the", "a", "an", "of", "part", "parts", "spare")
    ]


@tool(effect="read", integrity="trusted")
def find_member(name: str) -> str:
    """Finds members by their name, or part of it, and returns the member number (M-1001) and the part of town of each.

    Args:
        name: First name, surname or both.
    """
    wanted = name.casefold().split()
    rows = [
        f"{number} | {member['name']} | {member['quarter']}"
        for number, member in _BOOKS["members"].items()
        if wanted and all(word in member["name"].casefold() for word in wanted)
    ]
    if not rows:
        raise ToolError(f"No member is called {name!r}. Try the surname alone, or ask how it is spelt.")
    return _table("member | name | part of town", rows[:20])


@tool(effect="read", integrity="trusted")
def member_account(member_no: str) -> str:
    """A member's account: phone, dues paid until, deposit we hold, what they owe, machines on loan with the day they are due back, and their repair jobs, open and finished.

    Args:
        member_no: The member number, such as M-1001.
    """
    member = _member(member_no)
    number = member["number"]
    loans = [
        f"{item} {entry['what']}, due {entry['out_until']}"
        for item, entry in _BOOKS["items"].items()
        if entry.get("member") == number
    ]
    jobs = [
        f"{job} {entry['device']} ({entry['stage']})" for job, entry in _BOOKS["jobs"].items() if entry["member"] == number
    ]
    return "\n".join(
        [
            f"{number} {member['name']}, {member['quarter']}",
            f"phone: {member['phone']}",
            f"dues paid until: {member['paid_until']}",
            f"deposit held: {member['deposit']:.2f} euros",
            f"owes: {member['owes']:.2f} euros" + (f" ({member['owes_for']})" if member.get("owes_for") else ""),
            f"on loan: {'; '.join(loans) or 'nothing'}",
            f"repair jobs: {'; '.join(jobs) or 'none'}",
        ]
    )


@tool(effect="read", integrity="trusted")
def repair_board(
    bench: Literal["all", "electronics", "motors", "heating", "sewing"] = "all",
    stage: Literal["all", "in the queue", "on the bench", "waiting for part", "ready"] = "all",
) -> str:
    """Lists the open repair jobs: job number (J-3001), device, bench, stage, promised day and owner. What is wrong with a device is on its job_ticket.

    Args:
        bench: Only jobs of this bench.
        stage: Only jobs at this stage; ready means repaired and not yet picked up.
    """
    rows = [
        f"{number} | {job['device']} | {job['bench']} | {job['stage']} | {job['promised']} | {_BOOKS['members'][job['member']]['name']}"
        for number, job in _BOOKS["jobs"].items()
        if job["stage"] != "finished" and bench in ("all", job["bench"]) and stage in ("all", job["stage"])
    ]
    if not rows:
        return f"No open job at bench {bench}, stage {stage}."
    return _table("job | device | bench | stage | promised | owner", rows)


@tool(effect="read", integrity="trusted")
def job_ticket(job_no: str) -> str:
    """The ticket of one repair job: device, owner with member number, who works on it, fault, finding, part needed with its number, estimate, and the day it was taken in and is promised.

    Args:
        job_no: The job number, such as J-3001.
    """
    job = _job(job_no)
    part = job.get("part")
    finished = job["stage"] == "finished"
    return "\n".join(
        [
            f"{job['number']}: {job['device']}",
            f"owner: {_BOOKS['members'][job['member']]['name']} ({job['member']})",
            f"bench: {job['bench']}; volunteer: {job['volunteer'] or 'nobody yet'}; stage: {job['stage']}",
            f"taken in: {job['taken_in']}; " + (f"finished: {job['finished']}" if finished else f"promised: {job['promised']}"),
            f"fault as told: {job['fault']}",
            f"finding: {job['finding'] or 'not looked at yet'}",
            f"part needed: {part} {_BOOKS['parts'][part]['name']}" if part else "part needed: none",
            f"price paid: {job['price']:.2f} euros" if finished else f"estimate: {job['price']:.2f} euros" if job["price"] else "estimate: not made yet",
        ]
    )


@tool(effect="read", integrity="trusted")
def guarantee_of_job(job_no: str) -> str:
    """Our guarantee on a finished repair: the day it runs out, what it covers and what it does not.

    Args:
        job_no: The number of the finished job, such as J-2801; member_account lists a member's jobs.
    """
    job = _job(job_no)
    if job["stage"] != "finished":
        raise ToolError(f"{job['number']} is not finished ({job['stage']}); the guarantee begins when it is picked up.")
    return (
        f"{job['number']} {job['device']}, finished {job['finished']}. Guarantee until {job['guarantee_until']}. "
        f"Covers: {job['covers']}. Does not cover: {job['not_covered']}."
    )


@tool(effect="read", integrity="trusted")
def find_part(words: str) -> str:
    """Finds spare parts by English words for the part or the device it fits, and returns part numbers (P-2001). Stock, bin, price and supplier are on part_stock.

    Args:
        words: Such as "door seal" or "coffee grinder".
    """
    wanted = _words(words)
    hits = []
    for number, part in _BOOKS["parts"].items():
        text = f"{number} {part['name']} {part['fits']}".casefold()
        count = sum(word in text for word in wanted)
        hits.append((count, f"{number} | {part['name']} | {part['fits']}"))
    best = max(count for count, _ in hits)
    if not best:
        raise ToolError(f"No part for {words!r}. Use English words: the part, the device or its make.")
    return _table("part | name | fits", [row for count, row in hits if count == best][:15])


@tool(effect="read", integrity="trusted")
def part_stock(part_no: str) -> str:
    """One spare part: how many we have, its bin, price, minimum stock, what is on order and when it is expected, and the number of its supplier.

    Args:
        part_no: The part number, such as P-2001; find_part gives it.
    """
    part = _part(part_no)
    coming = part.get("on_order")
    return "\n".join(
        [
            f"{part['number']} {part['name']}, fits {part['fits']}",
            f"in stock: {part['stock']} (minimum {part['minimum']}); bin: {part['bin']}",
            f"price: {part['price']:.2f} euros each",
            f"on order: {coming['quantity']}, expected {coming['expected']}" if coming else "on order: nothing",
            f"supplier: {part['supplier']}",
        ]
    )


@tool(effect="read", integrity="trusted")
def supplier_sheet(supplier_no: str) -> str:
    """A supplier of spare parts: name, contact person with phone, delivery time in working days, minimum order, postage and time for returns.

    Args:
        supplier_no: The supplier number, such as S-01; part_stock gives it for a part.
    """
    supplier = _entry("suppliers", supplier_no, "S-01", "part_stock gives it for a part.")
    return "\n".join(
        [
            f"{supplier['number']} {supplier['name']}",
            f"contact: {supplier['contact']}, phone {supplier['phone']}",
            f"delivery: {supplier['working_days']} working days",
            f"minimum order: {supplier['minimum']:.2f} euros; postage: {supplier['postage']:.2f} euros",
            f"returns: within {supplier['returns']} days",
        ]
    )


@tool(effect="read", integrity="trusted")
def lending_shelf(category: Literal["kitchen", "power tools", "sewing", "cleaning", "garden"]) -> str:
    """Lists the machines we lend in one category: item number (L-001), fee per day, deposit, whether it is in, and if out, until when and which member has it.

    Args:
        category: The shelf to list.
    """
    rows = []
    for number, item in _BOOKS["items"].items():
        if item["category"] != category:
            continue
        state = item["state"]
        if state == "out":
            state = f"out until {item['out_until']}, {item['member']} {_BOOKS['members'][item['member']]['name']}"
        rows.append(f"{number} | {item['what']} | {item['fee']:.2f} | {item['deposit']} | {state}")
    return _table("item | machine | fee per day, euros | deposit, euros | state", rows)


@tool(effect="read", integrity="trusted")
def shift_rota(day: str) -> str:
    """Which volunteers are on shift on a day: at the front desk, the lending counter and each bench (electronics, motors, heating, sewing), with hours.

    Args:
        day: The day as YYYY-MM-DD.
    """
    wanted = _day(day)
    if wanted.weekday() in (0, 6):
        return f"{wanted}: closed (Sundays and Mondays), nobody is on shift."
    rows = _BOOKS["rota"].get(wanted.isoformat())
    if not rows:
        days = list(_BOOKS["rota"])
        raise ToolError(f"There is no rota for {wanted}; it goes from {days[0]} to {days[-1]}.")
    return _table(f"{wanted}\nplace | hours | volunteer", [" | ".join(row) for row in rows])


@tool(effect="read", integrity="trusted")
def workshop_programme(month: str) -> str:
    """Lists the workshops (courses) of a month: workshop number (W-01), title, day and time, fee, seats left and who leads it.

    Args:
        month: The month as YYYY-MM.
    """
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month.strip()):
        raise ToolError(f"{month!r} is no month. Write it as YYYY-MM.")
    rows = [
        f"{number} | {shop['title']} | {shop['day']} {shop['time']} | {shop['fee']:.2f} | {shop['left'] or 'full'} | {shop['leader']}"
        for number, shop in _BOOKS["workshops"].items()
        if shop["day"].startswith(month.strip())
    ]
    if not rows:
        return f"No workshops are planned for {month}; the programme covers October to December 2031."
    return _table("workshop | title | day, time | fee, euros | seats left | led by", rows)


@tool(effect="write", integrity="trusted")
def reserve_item(item_no: str, member_no: str, from_day: str, to_day: str) -> str:
    """Reserves a machine of the lending library for a member, from one day to another (14 days at most), and returns the number of the reservation.

    Args:
        item_no: The item number, such as L-001; lending_shelf gives it.
        member_no: The member number, such as M-1001; find_member gives it.
        from_day: The day of collection, as YYYY-MM-DD.
        to_day: The day it comes back, as YYYY-MM-DD.
    """
    item, member, start, end = _item(item_no), _member(member_no), _day(from_day), _day(to_day)
    if end < start:
        raise ToolError("to_day lies before from_day.")
    if end - start > timedelta(days=MAX_LOAN_DAYS):
        raise ToolError(f"A loan lasts {MAX_LOAN_DAYS} days at most. Ask for a shorter one.")
    if item["state"] == "in repair":
        raise ToolError(f"{item['number']} is in repair and cannot be reserved.")
    if item["state"] == "out" and item["out_until"] >= start.isoformat():
        raise ToolError(f"{item['number']} is out until {item['out_until']}. Ask for a later day.")
    return f"Reservation R-{_sum(item['number'], member['number'])}: {item['number']} {item['what']} for {member['name']} ({member['number']}), {start} to {end}."


@tool(effect="write", integrity="trusted")
def order_part(part_no: str, quantity: int) -> str:
    """Orders pieces of a spare part from its supplier and returns the number of the order.

    Args:
        part_no: The part number, such as P-2001; find_part gives it.
        quantity: How many pieces, as the staff said.
    """
    part = _part(part_no)
    if not 1 <= quantity <= 200:
        raise ToolError("quantity must be from 1 to 200. Ask how many are needed.")
    return f"Order O-{_sum(part['number'], str(quantity))}: {quantity} x {part['number']} {part['name']} from {part['supplier']}."


@tool(effect="write", integrity="trusted")
def book_workshop_seat(workshop_no: str, member_no: str) -> str:
    """Books a member a seat in a workshop and returns the number of the booking.

    Args:
        workshop_no: The workshop number, such as W-01; workshop_programme gives it.
        member_no: The member number, such as M-1001; find_member gives it.
    """
    shop = _entry("workshops", workshop_no, "W-01", "workshop_programme lists them.")
    member = _member(member_no)
    if not shop["left"]:
        raise ToolError(f"{shop['number']} {shop['title']} is full. Offer another workshop.")
    return f"Booking B-{_sum(shop['number'], member['number'])}: {member['name']} ({member['number']}) in {shop['number']} {shop['title']}, {shop['day']} {shop['time']}."


def _sum(*parts: str) -> int:
    """A number that is always the same for the same things."""
    return 4000 + sum(ord(letter) * (place + 1) for place, letter in enumerate("".join(parts))) % 5000
