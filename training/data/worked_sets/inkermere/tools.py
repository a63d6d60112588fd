"""The tools of Inkermere Map Engravers (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))


def _has(part: str, text: str) -> bool:
    """Whether every word of the part is in the text, in any case."""
    return all(word in text.casefold() for word in part.casefold().split())


def _day(text: str) -> str:
    """The day checked, as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"{text!r} is not a day. Write days as YYYY-MM-DD, such as 2030-03-05.") from None


def _title(title_id: str) -> dict:
    """The title with this id."""
    for title in _RECORDS["titles"]:
        if title["title_id"] == title_id.strip().upper():
            return title
    raise ToolError(f"No title {title_id}. Title ids run from MT-101 to MT-142; find_titles finds them by name.")


@tool
def find_titles(
    name: str = "",
    kind: Literal["any", "land", "sea", "city", "sky"] = "any",
    drawn_by: str = "",
    limit: int = 10,
) -> list[dict]:
    """Search the catalogue of printed maps: title id, name, kind and year first published.

    Args:
        name: Name of the map or a part of it; empty for all.
        kind: Only land maps, sea charts, city plans or sky charts.
        drawn_by: Only maps drawn by this draughtsperson, as a staff id such as DR-02.
        limit: At most this many maps.
    """
    found = [
        {key: title[key] for key in ("title_id", "name", "kind", "year")}
        for title in _RECORDS["titles"]
        if _has(name, title["name"])
        and kind in ("any", title["kind"])
        and drawn_by.strip().upper() in ("", title["drawn_by"])
    ]
    if not found:
        raise ToolError("No map in the catalogue matches. Try a shorter part of the name.")
    return found[: max(1, limit)]


@tool
def title_record(title_id: str) -> dict:
    """One printed map in full: price, scale, sheet size, year, who drew it (staff id) and its plate id.

    Args:
        title_id: Id of the map, such as MT-104.
    """
    return _title(title_id)


@tool
def stock_level(title_id: str) -> dict:
    """How many copies of one printed map are in the storeroom, flat and rolled, the shelf and the reorder level.

    Args:
        title_id: Id of the map, such as MT-104.
    """
    title = _title(title_id)
    return {"title_id": title["title_id"], "name": title["name"], **_RECORDS["stock"][title["title_id"]]}


@tool
def sales_by_title(year: Literal[2028, 2029]) -> list[dict]:
    """The sales table of one whole year: copies sold and revenue in euros for every printed map (42 rows).

    Args:
        year: The year; 2028 and 2029 are closed and available.
    """
    if str(year) not in _RECORDS["sales"]:
        raise ToolError(f"No sales table for {year}. There are tables for 2028 and 2029.")
    return _RECORDS["sales"][str(year)]


@tool
def plate_record(plate_id: str) -> dict:
    """One printing plate: metal, engraver (staff id), wear, impressions left, day of last regrinding, drawer.

    Args:
        plate_id: Id of the plate, such as PL-305.
    """
    for plate in _RECORDS["plates"]:
        if plate["plate_id"] == plate_id.strip().upper():
            return plate
    raise ToolError(f"No plate {plate_id}. Plates are PL-301 to PL-342.")


@tool
def print_runs(from_day: str = "", to_day: str = "", title_id: str = "", limit: int = 12) -> list[dict]:
    """Print runs, past and planned, in order of day: run id, map, day, copies, press, status.

    Args:
        from_day: Only runs on or after this day, YYYY-MM-DD; empty for no lower bound.
        to_day: Only runs on or before this day, YYYY-MM-DD; empty for no upper bound.
        title_id: Only runs of this map, such as MT-104; empty for all maps.
        limit: At most this many runs.
    """
    first = _day(from_day) if from_day.strip() else ""
    last = _day(to_day) if to_day.strip() else "9999"
    wanted = _title(title_id)["title_id"] if title_id.strip() else ""
    found = [run for run in _RECORDS["runs"] if first <= run["day"] <= last and wanted in ("", run["title_id"])]
    if not found:
        raise ToolError("No print runs match. The book of runs covers May to September 2030.")
    return found[: max(1, limit)]


@tool
def find_staff(
    who: str = "",
    role: Literal["any", "draughtsperson", "engraver", "globe maker", "press hand", "surveyor"] = "any",
) -> list[dict]:
    """People of the house: staff id, name, role, speciality, telephone extension, year they began, hourly rate.

    Args:
        who: Name or a part of it, or a staff id such as DR-02; empty for all.
        role: Only people with this role.
    """
    found = [
        person
        for person in _RECORDS["staff"]
        if (_has(who, person["name"]) or person["staff_id"] == who.strip().upper()) and role in ("any", person["role"])
    ]
    if not found:
        raise ToolError(f"Nobody here matches {who!r}. Try a part of the name or an id such as DR-02.")
    if len(found) > 8:
        return [{key: person[key] for key in ("staff_id", "name", "role")} for person in found]
    return found


@tool
def bench_rota(day: str) -> list[dict]:
    """Who works at benches 1 to 6 of the workshop on one day: person, hours and task.

    Args:
        day: The day, YYYY-MM-DD.
    """
    wanted = _day(day)
    if date.fromisoformat(wanted).weekday() > 4:
        raise ToolError(f"{wanted} is a weekend day; the workshop is closed on Saturdays and Sundays.")
    if wanted not in _RECORDS["rota"]:
        raise ToolError(f"No rota for {wanted}. The rota runs from 2030-08-12 to 2030-09-06.")
    return _RECORDS["rota"][wanted]


@tool
def find_commissions(
    client: str = "",
    status: Literal["any", "accepted", "drawing", "inking", "delivered"] = "any",
    due_from: str = "",
    due_to: str = "",
    limit: int = 14,
) -> list[dict]:
    """Search the commissions (maps drawn to order): number, client, due day and status.

    Args:
        client: Name of the client or a part of it; empty for all.
        status: Only commissions in this state.
        due_from: Only commissions due on or after this day, YYYY-MM-DD; empty for no lower bound.
        due_to: Only commissions due on or before this day, YYYY-MM-DD; empty for no upper bound.
        limit: At most this many commissions.
    """
    first = _day(due_from) if due_from.strip() else ""
    last = _day(due_to) if due_to.strip() else "9999"
    found = [
        {key: item[key] for key in ("commission_no", "client", "due", "status")}
        for item in _RECORDS["commissions"]
        if _has(client, item["client"]) and status in ("any", item["status"]) and first <= item["due"] <= last
    ]
    if not found:
        raise ToolError("No commission matches. Try a shorter part of the client's name or fewer filters.")
    return found[: max(1, limit)]


@tool
def commission_record(commission_no: int) -> dict:
    """One commission in full: client, subject, who draws it (staff id), fee, deposit paid, hours, due day, status.

    Args:
        commission_no: Number of the commission, such as 3305.
    """
    for item in _RECORDS["commissions"]:
        if item["commission_no"] == commission_no:
            return item
    raise ToolError(f"There is no commission {commission_no}. Commissions are 3301 to 3314.")


@tool
def globe_catalogue(mount: Literal["any", "table", "floor", "hanging"] = "any", max_price: float = 0) -> list[dict]:
    """The globes we make: model, name, diameter in cm, mount, price in euros, weeks until delivery.

    Args:
        mount: Only globes with this mount.
        max_price: Only globes up to this price in euros; 0 for no limit.
    """
    found = [
        globe
        for globe in _RECORDS["globes"]
        if mount in ("any", globe["mount"]) and (max_price <= 0 or globe["price_eur"] <= max_price)
    ]
    if not found:
        raise ToolError("No globe matches. Prices begin at 185 euros.")
    return found


@tool
def find_resellers(name: str = "", town: str = "", country: str = "", limit: int = 12) -> list[dict]:
    """Search the shops that sell our maps: reseller id, name, town, country, contact person.

    Args:
        name: Name of the shop or of its contact person, or a part of it; empty for all.
        town: Town in English or a part of it; empty for all.
        country: Country in English, such as Norway, or a part of it; empty for all.
        limit: At most this many shops.
    """
    found = [
        {key: shop[key] for key in ("reseller_id", "name", "town", "country", "contact")}
        for shop in _RECORDS["resellers"]
        if (_has(name, shop["name"]) or _has(name, shop["contact"]))
        and _has(town, shop["town"])
        and _has(country, shop["country"])
    ]
    if not found:
        raise ToolError("No reseller matches. Try a shorter part of the name, or only the country.")
    return found[: max(1, limit)]


@tool
def reseller_account(reseller_id: str) -> dict:
    """The account of one reseller: discount, open balance, credit limit, day of the last order, days to pay.

    Args:
        reseller_id: Id of the reseller, such as RS-05.
    """
    keys = ("reseller_id", "discount_percent", "open_balance_eur", "credit_limit_eur", "last_order", "payment_days")
    for shop in _RECORDS["resellers"]:
        if shop["reseller_id"] == reseller_id.strip().upper():
            return {key: shop[key] for key in keys}
    raise ToolError(f"No reseller {reseller_id}. Resellers are RS-01 to RS-14.")


@tool
def expedition_report(name: str) -> str:
    """A survey expedition: leader (staff id), region, days, party, cost, the map whose new edition it serves.

    Args:
        name: Name of the expedition or a part of it, such as Kelp.
    """
    found = [item for item in _RECORDS["expeditions"] if _has(name, item["name"])]
    if not found:
        names = ", ".join(item["name"] for item in _RECORDS["expeditions"])
        raise ToolError(f"No expedition {name!r}. Expeditions: {names}.")
    return "\n\n".join(
        f"{item['name']} ({item['status']})\nLeader: {item['leader']}\nRegion: {item['region']}\n"
        f"Leaves: {item['left']}\nBack: {item['back']}\nParty: {item['party']} people\n"
        f"Cost: {item['cost_eur']} euros\nFor the new edition of: {item['title_id']}"
        for item in found
    )


@tool
def shipping_quote(country: str, packing: Literal["tube", "flat", "crate"], pieces: int) -> str:
    """What it costs to send maps or globes to a country, and how many days it takes.

    Args:
        country: Country in English, such as Norway.
        packing: tube for rolled maps, flat for flat maps, crate for globes.
        pieces: Number of maps or globes in the parcel.
    """
    table = _RECORDS["shipping"]
    found = [land for land in table["zones"] if country.strip() and _has(country, land)]
    if len(found) != 1:
        raise ToolError(f"No rate for {country!r}. Countries: {', '.join(table['zones'])}.")
    if pieces < 1:
        raise ToolError("The number of pieces must be at least 1.")
    zone = table["zones"][found[0]]
    price = table["first"][zone][packing] + (pieces - 1) * table["more"][packing]
    head = f"{pieces} x {packing} to {found[0]} (zone {zone})"
    return f"{head}\nPrice: {price:.2f} euros\nTime: {table['days'][zone]} days"


@tool(effect="write")
def reserve_copies(title_id: str, copies: int, customer: str, form: Literal["flat", "rolled"] = "rolled") -> dict:
    """Reserve copies of a printed map in the storeroom for a customer.

    Args:
        title_id: Id of the map, such as MT-104.
        copies: How many copies.
        customer: Name of the person or shop they are kept for.
        form: Whether the copies are flat or rolled; rolled unless the customer wishes otherwise.
    """
    title = _title(title_id)
    there = _RECORDS["stock"][title["title_id"]][form]
    if not 1 <= copies <= there:
        raise ToolError(f"Cannot reserve {copies}: {there} {form} copies of {title['name']} are in stock.")
    if not customer.strip():
        raise ToolError("For whom? The customer is missing.")
    number = f"RV-{7000 + int(title['title_id'][3:]) + copies}"
    return {"reservation": number, "map": title["name"], "copies": copies, "form": form, "customer": customer}


@tool(effect="write")
def plan_print_run(title_id: str, day: str, copies: int, press: Literal["Albion", "Columbian", "Wharfedale"]) -> dict:
    """Put a new print run of a map into the book of runs.

    Args:
        title_id: Id of the map, such as MT-104.
        day: Day of the run, YYYY-MM-DD, Monday to Friday.
        copies: How many copies to print.
        press: The press to use.
    """
    title, wanted = _title(title_id), _day(day)
    if date.fromisoformat(wanted).weekday() > 4:
        raise ToolError(f"{wanted} is a weekend day; the presses run Monday to Friday.")
    for run in _RECORDS["runs"]:
        if run["day"] == wanted and run["press"] == press:
            raise ToolError(f"The {press} press is taken on {wanted} by {run['run_id']}.")
    if copies < 1:
        raise ToolError("The number of copies must be at least 1.")
    number = f"RUN-{2100 + int(title['title_id'][3:])}"
    return {"run_id": number, "map": title["name"], "day": wanted, "copies": copies, "press": press}
