"""The books of Sallowgate Nursery and Garden Care (all data invented). What is booked is forgotten."""

import json
import re
import unicodedata
import zlib
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

Row = dict[str, Any]
BOOKS: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
CREW, CUSTOMERS, PLOTS = BOOKS["crew"], BOOKS["customers"], BOOKS["plots"]
PLANTS, LOTS, HIRE = BOOKS["plants"], BOOKS["lots"], BOOKS["hire"]
TODAY = "2032-05-19"
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FILLERS = {"the", "and", "of", "a", "mr", "mrs", "miss", "dr", "s"}
TABLES = {"account": CUSTOMERS, "plot": PLOTS, "badge": CREW, "variety": PLANTS, "lot": LOTS, "hire tool": HIRE}
HINTS = {
    "account": "KU and four digits. crm_lookup finds it by name.",
    "plot": "always three digits, so plot-005 and not plot 5. crm_account lists a customer's plots.",
    "badge": "HD and two digits. crew_profile tells the badge that belongs to a name.",
    "variety": "three letters and three digits. stock_lookup finds plants by name; hire_items has what is on hire.",
    "lot": "they are year, W, week and a letter. stock_plant names the lot on sale and the next lot of a variety.",
    "hire tool": "HT- and three digits. hire_items finds them by name.",
}


def _words(text: object) -> list[str]:
    plain = unicodedata.normalize("NFKD", str(text).casefold().replace("'s", "").replace("’s", ""))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return [w for w in re.findall(r"\w+", plain) if w not in FILLERS]


def _bare(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _entry(kind: str, ref: object) -> str:
    """The id as the books write it."""
    found = next((k for k in TABLES[kind] if _bare(k) == _bare(ref)), None)
    if found is None:
        raise ToolError(f"There is no {kind} {ref!r}: {HINTS[kind]}")
    return found


def _hits(said: object, table: dict[str, str]) -> list[str]:
    wanted = _words(said)
    return [k for k, text in table.items() if wanted and all(w in _words(text) for w in wanted)]


def _day(text: str, parameter: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{parameter} is no day: write YYYY-MM-DD, not {text!r}.") from None


def _minutes(text: str) -> int:
    match = re.fullmatch(r"(\d{1,2}):(\d\d)", str(text).strip())
    if match is None or int(match[1]) > 23 or int(match[2]) > 59:
        raise ToolError(f"{text!r} is no time: write HH:MM, of 24 hours.")
    return int(match[1]) * 60 + int(match[2])


def _serial(*parts: object) -> int:
    return zlib.crc32("/".join(map(str, parts)).encode()) % 9000 + 1000


def _fits(row: Row, **wanted: str | None) -> bool:
    return all(value in (None, row[field]) for field, value in wanted.items())


def _listed(rows: list[Row], none: str, narrower: str = "", most: int = 14) -> list[Row]:
    """The rows, of which there must be some and, where they can be made narrower, not too many."""
    if not rows:
        raise ToolError(none)
    if narrower and len(rows) > most:
        raise ToolError(f"{len(rows)} rows are too many: narrow it by {narrower}.")
    return rows


@tool
def crm_lookup(said: str) -> list[Row]:
    """Search the customers by name, contact or village. Tells account, name, village of the house and care plan; the
    rest is on the account.

    Args:
        said: A word or two of the name, of the contact person's name, or the village.
    """
    table = {k: f"{c['name']} {c['contact']} {c['village']}" for k, c in CUSTOMERS.items()}
    shown = ("name", "village", "plan")
    rows = [{"account": k, **{field: CUSTOMERS[k][field] for field in shown}} for k in _hits(said, table)]
    return _listed(rows, f"No customer fits {said!r}: try one word, or the village. Our own people: crew_profile.")


@tool
def crm_account(account: str) -> Row:
    """A customer's account: contact, phone, e-mail, monthly fee, visits a month, where invoices go, discount, days to
    pay, since when, and the plots.

    Args:
        account: The account's number, KU and four digits. No names.
    """
    ref = _entry("account", account)
    return {"account": ref, **{k: v for k, v in CUSTOMERS[ref].items() if k not in ("village", "plan")}}


@tool
def site_garden(plot: str) -> Row:
    """One garden: account, site, sizes, soil, gate code, the regular gardener's badge and weekday, parking, tap, dog.

    Args:
        plot: The plot's number. crm_account lists those of a customer.
    """
    ref = _entry("plot", plot)
    return {"plot": ref, **PLOTS[ref]}


@tool
def crew_profile(who: str) -> Row:
    """One of our own people: badge, trade, base, mobile, working days, start, rates by the hour, tickets, van, leave.

    Args:
        who: First name, surname, both, or the badge.
    """
    hits = [k for k in CREW if _bare(k) == _bare(who)] or _hits(who, {k: p["name"] for k, p in CREW.items()})
    if not hits:
        raise ToolError(f"Nobody on the crew is {who!r}. Customers and their contacts: crm_lookup.")
    if len(hits) > 1:
        raise ToolError(f"{who!r} fits {'; '.join(k + ' ' + CREW[k]['name'] for k in hits)}. Say which.")
    return {"badge": hits[0], **CREW[hits[0]]}


@tool
def stock_lookup(
    said: str = "",
    group: Literal["rose", "shrub", "perennial", "bulb", "fruit", "hedge"] | None = None,
    flowers: Literal["spring", "summer", "autumn", "winter"] | None = None,
) -> list[Row]:
    """Search the plants that we grow. Tells variety, name, price band (A under 8, B 8 to 15, C 15 to 30, D over 30
    pounds) and the season of the flowers; price, size and stock are on the plant.

    Args:
        said: A word or two of the name; may be left out.
        group: Only this group.
        flowers: Only what flowers in this season.
    """
    wanted = _words(said)
    rows = [
        {"variety": k, "name": p["name"], "band": p["band"], "flowers": p["season"]}
        for k, p in PLANTS.items()
        if all(w in _words(p["name"]) for w in wanted) and _fits(p, group=group, season=flowers)
    ]
    none = "No plant fits: try one word of the name. Machines and ladders are in hire_items."
    return _listed(rows, none, "group or season")


@tool
def stock_plant(variety: str) -> Row:
    """One plant: price, pot, months in bloom, height, spacing, position, hardiness, stock, how many of it are held,
    bench, the lot on sale and the next lot.

    Args:
        variety: Three letters and three digits, lower case.
    """
    ref = _entry("variety", variety)
    return {"variety": ref, **{k: v for k, v in PLANTS[ref].items() if k not in ("band", "season", "group")}}


@tool
def stock_batch(lot: str) -> Row:
    """One lot of young plants: variety, days of start, potting and sale, counts, bay, grower's badge, treatment,
    supplier, plant passport.

    Args:
        lot: The lot's number as on the plant's entry: year, week and a letter.
    """
    ref = _entry("lot", lot)
    return {"lot": ref, **LOTS[ref]}


@tool
def rounds_visits(
    from_day: str,
    to_day: str,
    gardener: str | None = None,
    plot: str | None = None,
    state: Literal["done", "planned", "cancelled"] | None = None,
) -> list[Row]:
    """The crew's visits to gardens in a span of days: visit, day, time, plot, badge, job, hours, state.

    Args:
        from_day: First day, YYYY-MM-DD.
        to_day: Last day, YYYY-MM-DD; the first day again for one day.
        gardener: Only this badge.
        plot: Only this plot.
        state: Only visits of this state.
    """
    first, last = _day(from_day, "from_day"), _day(to_day, "to_day")
    if last < first:
        raise ToolError("to_day lies before from_day.")
    who = _entry("badge", gardener) if gardener else None
    where = _entry("plot", plot) if plot else None
    rows = [v for v in BOOKS["visits"] if first <= v["day"] <= last and _fits(v, by=who, plot=where, state=state)]
    none = f"No such visit from {first} to {last}. The book runs from 2032-05-10 to 2032-06-05."
    return _listed(rows, none, "days, gardener or plot")


@tool
def desk_slots(day: str, adviser: str | None = None) -> list[Row]:
    """The advice desk on one day, half an hour each: time, adviser's badge, where, subject, free or taken.

    Args:
        day: YYYY-MM-DD.
        adviser: Only this badge.
    """
    when = _day(day, "day")
    who = _entry("badge", adviser) if adviser else None
    if when not in BOOKS["slots"]:
        raise ToolError(f"No advice desk on {when}: Monday to Saturday, from 2032-05-19 to 2032-06-05.")
    rows = [r for r in BOOKS["slots"][when] if _fits(r, adviser=who)]
    return _listed(rows, f"{who} is not at the desk on {when}.")


@tool
def hire_items(
    said: str = "",
    kind: Literal["lawn", "hedge", "soil", "tree", "water"] | None = None,
    state: Literal["in", "out", "workshop"] | None = None,
) -> list[Row]:
    """Tools on hire: number, name, depot, state, price by the day and by the week, deposit, day they are back.

    Args:
        said: A word of the name; may be left out if a kind or a state is given.
        kind: Only tools for this.
        state: Only tools in this state.
    """
    wanted = _words(said)
    if not (wanted or kind or state):
        raise ToolError("Give a word of the name, a kind or a state.")
    rows = [
        {"item": k, **{f: v for f, v in h.items() if f not in ("kind", "weight_kg")}}
        for k, h in HIRE.items()
        if all(w in _words(h["name"]) for w in wanted) and _fits(h, kind=kind, state=state)
    ]
    none = "No hire tool fits: try one word, or only a kind. Plants are in stock_lookup."
    return _listed(rows, none, "kind or state")


@tool
def books_statement(account: str, state: Literal["open", "paid"] | None = None) -> Row:
    """This year's invoices of a customer with the totals: billed, paid, open.

    Args:
        account: The account's number, KU and four digits. No names.
        state: Only invoices of this state; the totals are of all.
    """
    ref = _entry("account", account)
    rows = BOOKS["invoices"][ref]
    paid = sum(r["amount_gbp"] for r in rows if r["state"] == "paid")
    billed = sum(r["amount_gbp"] for r in rows)
    return {
        "account": ref,
        "billed_gbp": round(billed, 2),
        "paid_gbp": round(paid, 2),
        "open_gbp": round(billed - paid, 2),
        "invoices": [r for r in rows if _fits(r, state=state)],
    }


@tool
def care_complaints(
    state: Literal["open", "waiting", "closed"] | None = None, account: str | None = None, since: str | None = None
) -> list[Row]:
    """Complaints, oldest first: number, day, account, what about, against which badge, state, by when we must reply.

    Args:
        state: Only complaints of this state.
        account: Only those of this account.
        since: Only those that came in on this day or later, YYYY-MM-DD.
    """
    first = _day(since, "since") if since else ""
    whose = _entry("account", account) if account else None
    rows = [
        {k: v for k, v in r.items() if k != "urgency"}
        for r in BOOKS["complaints"]
        if _fits(r, state=state, account=whose) and r["day"] >= first
    ]
    return _listed(rows, f"No complaint fits{f' for {whose}' if whose else ''}.", "state or day", 12)


@tool(effect="write")
def stock_hold(variety: str, pieces: int, account: str, collect_on: str) -> Row:
    """Put plants aside for a customer until the day they are collected, at most 10 days from today.

    Args:
        variety: Three letters and three digits. No names.
        pieces: How many.
        account: The customer's account number. No names.
        collect_on: The day they are fetched, YYYY-MM-DD.
    """
    ref, whose, when = _entry("variety", variety), _entry("account", account), _day(collect_on, "collect_on")
    free = PLANTS[ref]["in_stock"] - PLANTS[ref]["on_hold"]
    if not 1 <= int(pieces) <= free:
        raise ToolError(f"{ref} has {free} free pieces, not {pieces}. stock_lookup shows others of its group.")
    if not TODAY <= when <= (date.fromisoformat(TODAY) + timedelta(days=10)).isoformat():
        raise ToolError("Plants are held for 10 days at most: collect_on from 2032-05-19 to 2032-05-29.")
    price = PLANTS[ref]["price_gbp"] * int(pieces)
    return {
        "hold": f"HP {_serial(ref, int(pieces), whose, when)}",
        "plant": f"{ref} {PLANTS[ref]['name']}",
        "pieces": int(pieces),
        "account": whose,
        "collect_on": when,
        "to_pay_gbp": round(price * (100 - CUSTOMERS[whose]["discount_pct"]) / 100, 2),
    }


@tool(effect="write")
def rounds_book(plot: str, gardener: str, day: str, start: str, job: str, hours: float = 2) -> Row:
    """Book a gardener for a visit to a plot. Refused on days off, on leave, or where a visit overlaps.

    Args:
        plot: The plot's number.
        gardener: The gardener's badge, HD and two digits. No names.
        day: YYYY-MM-DD.
        start: HH:MM.
        job: What is to be done.
        hours: How long; two hours if nothing is said.
    """
    where, who, when, begins = _entry("plot", plot), _entry("badge", gardener), _day(day, "day"), _minutes(start)
    person, weekday = CREW[who], date.fromisoformat(when).weekday()
    otherwise = "Choose another day or badge."
    first, _, last = person["work_days"].partition("-")
    if when < TODAY:
        raise ToolError(f"{when} is past.")
    if not WEEKDAYS.index(first) <= weekday <= WEEKDAYS.index(last):
        raise ToolError(f"{who} works {person['work_days']}; {when} is a {WEEKDAYS[weekday]}. {otherwise}")
    if person["leave"] and person["leave"][:10] <= when <= person["leave"][-10:]:
        raise ToolError(f"{who} is on leave from {person['leave']}. {otherwise}")
    for v in BOOKS["visits"]:
        if v["by"] == who and v["day"] == when and v["state"] == "planned":
            other = _minutes(v["at"])
            if begins < other + v["hours"] * 60 and other < begins + hours * 60:
                raise ToolError(
                    f"{who} is at {v['plot']} from {v['at']} for {v['hours']} h ({v['visit']}). "
                    "rounds_visits shows the day; choose another start or badge."
                )
    return {
        "visit": f"V3{_serial(where, who, when, begins)}",
        "plot": where,
        "site": PLOTS[where]["site"],
        "gardener": person["name"],
        "day": when,
        "start": f"{begins // 60:02}:{begins % 60:02}",
        "job": job,
        "hours": hours,
        "price_gbp": round(person["hourly_gbp"] * hours, 2),
    }


@tool(effect="write")
def hire_book(item: str, account: str, first_day: str, days: int) -> Row:
    """Hire a tool out to a customer.

    Args:
        item: The tool's number, HT- and three digits. No names.
        account: The customer's account number. No names.
        first_day: The day it is fetched, YYYY-MM-DD.
        days: How many days.
    """
    ref, whose, when = _entry("hire tool", item), _entry("account", account), _day(first_day, "first_day")
    thing = HIRE[ref]
    if when < TODAY:
        raise ToolError(f"{when} is past.")
    if thing["back_on"] and when <= thing["back_on"]:
        raise ToolError(f"{ref} {thing['name']} is away until {thing['back_on']}: take a later day or another tool.")
    if not 1 <= int(days) <= 21:
        raise ToolError("days must be from 1 to 21.")
    weeks, rest = divmod(int(days), 7)
    return {
        "agreement": f"RA-{_serial(ref, whose, when, int(days))}",
        "item": f"{ref} {thing['name']}",
        "account": whose,
        "first_day": when,
        "back_on": (date.fromisoformat(when) + timedelta(days=int(days))).isoformat(),
        "hire_gbp": weeks * thing["week_gbp"] + min(rest * thing["day_gbp"], thing["week_gbp"]),
        "deposit_gbp": thing["deposit_gbp"],
    }
