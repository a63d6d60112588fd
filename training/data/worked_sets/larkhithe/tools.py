"""The tools of Larkhithe Brewery (all data invented). Nothing is kept of what is booked, reported or reserved."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))


def _plain(text: object) -> str:
    """Lower case words without apostrophes and articles."""
    found = re.findall(r"\w+", str(text).lower().replace("'", "").replace("’", "").replace("&", " and "))
    return " ".join(word for word in found if word != "the")


def _key(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).lower()


def _rows(kind: str, field: str, number: object, what: str, wanted: str) -> dict[str, Any]:
    """The record with this number."""
    for row in _RECORDS[kind]:
        if _key(row[field]) == _key(number):
            return row
    raise ToolError(f"There is no {what} {number}. {wanted}")


def _named(kind: str, field: str, text: str) -> list[dict[str, Any]]:
    """The records whose name has the words: those with just this name first of all."""
    plain = _plain(text)
    rows = _RECORDS[kind]
    exact = [row for row in rows if _plain(row[field]) == plain]
    return exact or [row for row in rows if plain and f" {plain}" in f" {_plain(row[field])}"]


def _one(kind: str, number: str, field: str, text: object, what: str) -> dict[str, Any]:
    """The one record with this number or name."""
    for row in _RECORDS[kind]:
        if _key(row[number]) == _key(text):
            return row
    hits = _named(kind, field, str(text))
    if len(hits) == 1:
        return hits[0]
    known = ", ".join(f"{row[field]} ({row[number]})" for row in hits or _RECORDS[kind])
    if hits:
        raise ToolError(f"'{text}' fits more than one {what}: {known}. Say which.")
    raise ToolError(f"No {what} called '{text}'. There are: {known}.")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"'{text}' is not a day: write YYYY-MM-DD.") from None


def _beer(slug: str) -> dict[str, Any]:
    for row in _RECORDS["beers"]:
        if row["slug"] == slug.strip():
            return row
    raise ToolError(f"No beer has the slug '{slug}'. find_beer gives the slug of a name.")


def _account(account: str) -> dict[str, Any]:
    return _rows("customers", "account", account, "account", "Accounts look like C/0399-Z; search_customers finds them.")


def _number(*parts: object) -> int:
    return 1000 + zlib.crc32("|".join(map(str, parts)).encode()) % 9000


@tool
def find_beer(
    name: str | None = None,
    style: Literal["bitter", "golden ale", "stout", "porter", "mild", "pale ale", "lager", "wheat", "gose"] | None = None,
) -> list[dict]:
    """Search our beers by name or style. Gives slug, name, style and strength.

    Args:
        name: The beer's name or a word of it.
        style: Only this style.
    """
    hits = _named("beers", "name", name) if name else _RECORDS["beers"]
    hits = [row for row in hits if not style or style in row["style"]]
    if not hits:
        raise ToolError(f"We brew no beer called '{name}'." if name else f"We brew no {style}.")
    return [{key: row[key] for key in ("slug", "name", "style", "abv")} for row in hits]


@tool
def beer_card(beer_slug: str) -> dict:
    """One beer in full: style, abv, bitterness, allergens, vegan or not, serving temperature, shelf life, malt and hop lot, whose recipe.

    Args:
        beer_slug: Slug of the beer, such as amber-heron.
    """
    return _beer(beer_slug)


@tool
def brew_sheet(brew_no: str) -> dict:
    """The sheet of one brew (gyle): beer, day, brewer, tank, litres, gravities, state, racking day.

    Args:
        brew_no: e.g. 30/0412
    """
    return _rows("brews", "brew_no", brew_no, "brew", "Brews run from 31/0181 to 31/0203.")


@tool
def brews_between(date_from: str, date_to: str, beer_slug: str | None = None) -> list[dict]:
    """Brews done or planned in a span of days, 31 at most: number, beer, day, tank, litres, state.

    Args:
        date_from: First day (YYYY-MM-DD).
        date_to: Last day, included.
        beer_slug: Only this beer.
    """
    first, last = _day(date_from), _day(date_to)
    if (date.fromisoformat(last) - date.fromisoformat(first)).days > 30:
        raise ToolError("At most 31 days at a time.")
    slug = _beer(beer_slug)["slug"] if beer_slug else None
    keys = ("brew_no", "beer", "brewed_on", "tank", "litres", "state")
    hits = [
        {key: row[key] for key in keys}
        for row in _RECORDS["brews"]
        if first <= row["brewed_on"] <= last and slug in (None, row["beer"])
    ]
    if not hits:
        raise ToolError(f"No brew from {first} to {last}. The book goes from 2031-05-06 to 2031-06-30.")
    return hits


@tool
def tank_state(tank: str) -> dict:
    """What a tank is and holds now: kind, litres it takes, state, brew in it, temperature, last cleaning, next inspection, minder.

    Args:
        tank: Number or painted name of the tank.
    """
    return _one("tanks", "tank", "painted_name", tank, "tank")


@tool
def trace_cask(cask_no: str) -> dict:
    """Where one cask is and what is in it: size, beer, brew, filled on, best before, pub or account it is at, state.

    Args:
        cask_no: The number stamped on the cask, two letters and five digits.
    """
    return _rows("casks", "cask_no", cask_no, "cask", "Casks look like LK39001, with two letters and five digits.")


@tool
def casks_at(site_id: int, state: Literal["full", "on tap", "empty"] | None = None) -> list[dict]:
    """Casks lying in the cellar of one of our pubs.

    Args:
        site_id: Number of the pub.
        state: Only casks in this state.
    """
    pub = _rows("pubs", "site_id", site_id, "pub with number", "pub_details tells a pub's number.")
    keys = ("cask_no", "size", "beer", "best_before", "state")
    hits = [
        {key: row[key] for key in keys}
        for row in _RECORDS["casks"]
        if row["is_at"] == str(pub["site_id"]) and state in (None, row["state"])
    ]
    if not hits:
        raise ToolError(f"No such casks at {pub['name']}.")
    return hits


@tool
def pub_details(pub: str) -> dict:
    """One of our own pubs: number, town, phone, manager, cellar contact, pumps, rooms, cellar temperature, weekdays, price list.

    Args:
        pub: Name of the pub, or its number.
    """
    return _one("pubs", "site_id", "name", pub, "pub of ours")


@tool
def search_customers(text: str, town: str | None = None) -> list[dict]:
    """Free-trade customers (not our own pubs) by name or contact person; gives account, name, town, contact.

    Args:
        text: A word of the customer's or of the contact's name.
        town: Only customers in this town.
    """
    hits = _named("customers", "name", text)
    hits += [row for row in _named("customers", "contact", text) if row not in hits]
    hits = [row for row in hits if not town or _plain(town) == _plain(row["town"])]
    if not hits:
        raise ToolError(f"No free-trade customer fits '{text}'.")
    return [{key: row[key] for key in ("account", "name", "town", "contact")} for row in hits]


@tool
def customer_account(account: str) -> dict:
    """A free-trade customer's account: contact, phone, price list, payment terms, what is owed, credit limit, sales rep, drop day.

    Args:
        account: The account, such as C/0399-Z. No names.
    """
    return _account(account)


@tool
def dray_round(day: str, van: str | None = None) -> list[dict]:
    """All drops of one day in order of time: number, time, whom to, van, number of casks, state.

    Args:
        day: The day, YYYY-MM-DD.
        van: Only this van, by its plate.
    """
    key = _day(day)
    hits = [
        {
            "ref": row["ref"],
            "time": row["time"],
            "to": row["to"],
            "name": row["name"],
            "van": row["van"],
            "casks": sum(line["casks"] for line in row["lines"]),
            "state": row["state"],
        }
        for row in _RECORDS["drops"]
        if row["day"] == key and (not van or _key(van) == _key(row["van"]))
    ]
    if not hits:
        raise ToolError(f"No drops on {key}{' with ' + van if van else ''}. There are drops from 2031-06-16 to 2031-06-24.")
    return sorted(hits, key=lambda row: row["time"])


@tool
def drop_note(ref: str) -> dict:
    """One delivery in full: day and time, customer or pub, beers and casks, driver, mate, van, state, empties taken back.

    Args:
        ref: Number of the drop, such as D-60017.
    """
    return _rows("drops", "ref", ref, "drop", "Drops run from D-61188 to D-61232; dray_round lists those of a day.")


@tool
def staff_card(who: str) -> dict:
    """Somebody on our staff: number, job, mobile, where based (pub number or brewery), since when, tickets, days away.

    Args:
        who: Staff number, or first name, surname or both.
    """
    return _one("staff", "staff_no", "name", who, "member of staff")


@tool
def ingredient_stock(item: str) -> dict:
    """Malt, hops or yeast in store: lot, supplier and phone, kilograms, reorder level, shelf, best before.

    Args:
        item: Name of the ingredient or its lot, such as HX99 ZZ.
    """
    return _one("ingredients", "lot", "name", item, "ingredient")


@tool
def price_of(list_code: str, beer_slug: str, size: Literal["pin", "firkin", "kilderkin"]) -> dict:
    """Price of one cask on a price list, and the deposit.

    Args:
        list_code: Code of the price list; customer_account or pub_details tells which one a customer or pub has.
        beer_slug: Slug of the beer, such as amber-heron.
        size: Size of the cask.
    """
    table = _RECORDS["prices"].get(list_code.strip().lower())
    if table is None:
        raise ToolError(f"No price list '{list_code}'. Lists: {', '.join(_RECORDS['prices'])}.")
    slug = _beer(beer_slug)["slug"]
    deposit = {"pin": 25, "firkin": 35, "kilderkin": 55}[size]
    return {"list": list_code.strip().lower(), "beer": slug, "size": size, "price_gbp": table[slug][size], "deposit_gbp": deposit}


@tool(effect="write")
def book_drop(account: str, beer_slug: str, size: Literal["pin", "firkin", "kilderkin"], casks: int, day: str) -> dict:
    """Book a delivery of casks of one beer to a free-trade customer.

    Args:
        account: The customer's account, such as C/0399-Z.
        beer_slug: Slug of the beer.
        size: Size of the casks.
        casks: How many casks.
        day: Day of the drop, YYYY-MM-DD; not on Saturdays and Sundays.
    """
    row, slug, when = _account(account), _beer(beer_slug)["slug"], _day(day)
    if casks < 1:
        raise ToolError("At least one cask.")
    if date.fromisoformat(when).weekday() > 4:
        raise ToolError(f"{when} is at the weekend: the dray goes from Monday to Friday. Choose another day.")
    return {
        "booked": f"D-7{_number(row['account'], slug, size, casks, when)}",
        "to": row["name"],
        "beer": slug,
        "casks": casks,
        "size": size,
        "day": when,
    }


@tool(effect="write")
def report_cask(
    cask_no: str, fault: Literal["flat", "sour", "hazy", "leaking", "damaged"], reported_by: str, note: str = ""
) -> dict:
    """Report a faulty cask, so that it is taken back and credited.

    Args:
        cask_no: Number stamped on the cask.
        fault: What is wrong with it.
        reported_by: Staff number of who reports it (no name), such as L-007.
        note: Anything more that was said.
    """
    cask = _rows("casks", "cask_no", cask_no, "cask", "Casks look like LK39001, with two letters and five digits.")
    person = _rows("staff", "staff_no", reported_by, "staff number", "They look like L-007; staff_card tells them.")
    number = f"UL{_number(cask['cask_no'], fault, person['staff_no'])}"
    return {"ullage_no": number, "cask_no": cask["cask_no"], "beer": cask["beer"], "fault": fault, "by": person["name"], "note": note}


@tool(effect="write")
def reserve_tank(tank_no: str, beer_slug: str, start: str, days: int) -> dict:
    """Reserve a tank for a coming brew.

    Args:
        tank_no: Number of the tank, such as FV-9 (tank_state tells it; painted names are not taken here).
        beer_slug: Slug of the beer that goes in.
        start: First day, YYYY-MM-DD.
        days: For how many days.
    """
    row = _rows("tanks", "tank", tank_no, "tank", "Give the number, such as FV-9; tank_state tells the number of a painted name.")
    slug, when = _beer(beer_slug)["slug"], _day(start)
    if row["state"] == "out of use":
        raise ToolError(f"{row['tank']} is out of use and cannot be reserved.")
    if days < 1:
        raise ToolError("At least one day.")
    return {"reservation": f"TR/{_number(row['tank'], slug, when)}", "tank": row["tank"], "beer": slug, "start": when, "days": days}
