"""The records of Stonebeck Clinical Engineering (all invented). The data never changes; what is written gets a number and is forgotten."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

DATA = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
SITES, WARDS, TECHS, SUPPLIERS = DATA["sites"], DATA["wards"], DATA["technicians"], DATA["suppliers"]
PARTS, DEVICES, ORDERS, LOANS = DATA["parts"], DATA["devices"], DATA["orders"], DATA["loans"]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", str(text).casefold().replace("'", "").replace("’", "")))


def _key(text: str) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _by_id(wanted: str, table: dict[str, dict]) -> str | None:
    return next((k for k in table if _key(k) == _key(wanted)), None)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{text!r} is no day. Write days as YYYY-MM-DD.") from None


def _named(wanted: str, names: dict[str, str], what: str, hint: str) -> str:
    """The key of the one name that fits."""
    plain = _plain(wanted)
    table = {k: _plain(v) for k, v in names.items()}
    hits = [k for k, v in table.items() if v == plain]
    hits = hits or [k for k, v in table.items() if plain and re.search(rf"\b{re.escape(plain)}", v)]
    if len(hits) == 1:
        return hits[0]
    if hits:
        found = "; ".join(f"{k} {names[k]}" for k in hits)
        raise ToolError(f"{wanted!r} fits more than one {what}: {found}. Say which.")
    raise ToolError(f"No {what} fits {wanted!r}. {hint}")


def _columns(row: dict, *names: str) -> dict:
    return {name: row[name] for name in names}


def _known(number: str, table: dict[str, dict], missing: str) -> str:
    """The id that was meant; `missing` is what is told where there is none."""
    found = _by_id(number, table)
    if not found:
        raise ToolError(missing)
    return found


def _asset(number: str) -> str:
    hint = "Asset numbers have five digits; find_device finds them by model or serial number."
    return _known(number, DEVICES, f"There is no device {number!r}. {hint}")


def _ward(code: str) -> str:
    return _known(code, WARDS, f"There is no ward code {code!r}. Codes look like XX/9Z and are given by ward_info.")


def _site(slug: str) -> str:
    return _known(slug, SITES, f"There is no site_id {slug!r}. There are: {', '.join(SITES)}.")


def _loan(number: str) -> str:
    return _known(number, LOANS, f"There is no loan number {number!r}. The pool has {min(LOANS)} to {max(LOANS)}.")


def _part(number: str) -> str:
    return _known(number, PARTS, f"{number!r} is no part number. They look like 9999-X1; part_search finds them by name.")


def _number(*words: object) -> int:
    return zlib.crc32("|".join(map(str, words)).encode()) % 9000 + 1000


@tool
def find_device(
    text: str = "", ward_code: str = "", state: Literal["in use", "in workshop", "out of use"] | None = None
) -> list[dict]:
    """Search the devices that belong to wards. Gives asset number, model, kind, ward, place and state. Not the loan pool.

    Args:
        text: Model, kind of device or serial number, or a part of it. Empty for all of a ward.
        ward_code: Only devices of this ward (its code, not its name).
        state: Only devices in this state.
    """
    if not text and not ward_code and not state:
        raise ToolError("Give a text, a ward_code or a state.")
    ward = _ward(ward_code) if ward_code else None
    plain = _plain(text)
    hits = [
        {"asset_no": k, **_columns(d, "model", "kind", "ward_code", "place", "state")}
        for k, d in DEVICES.items()
        if plain in _plain(f"{d['model']} {d['kind']} {d['serial']}")
        and ward in (None, d["ward_code"])
        and state in (None, d["state"])
    ]
    if not hits:
        kinds = sorted({d["kind"] for d in DEVICES.values()})
        raise ToolError(f"No such device among those of the wards. Kinds: {', '.join(kinds)}.")
    return hits


@tool
def device_record(asset_no: str) -> dict:
    """Everything on file about one device: model, serial, ward, purchase, supplier, risk, services, state.

    Args:
        asset_no: The five digits on the label.
    """
    key = _asset(asset_no)
    return {"asset_no": key, **DEVICES[key]}


@tool
def ward_info(ward: str) -> dict:
    """A ward or department: code, speciality, site, floor, beds, who runs it, telephone, and when we may go in.

    Args:
        ward: Name or code of the ward, or the name of the person who runs it.
    """
    key = _by_id(ward, WARDS) or _named(
        ward,
        {k: f"{w['name']} ({w['manager']})" for k, w in WARDS.items()},
        "ward",
        f"Wards: {', '.join(w['name'] for w in WARDS.values())}.",
    )
    return {"ward_code": key, **WARDS[key]}


@tool
def site_card(site: str) -> dict:
    """Address, switchboard, porters' desk, delivery hours, distance from our workshop and parking of a hospital or clinic.

    Args:
        site: The site_id such as linnet-lane, or the name.
    """
    names = {k: s["name"] for k, s in SITES.items()}
    key = _by_id(site, SITES) or _named(site, names, "site", f"Sites: {', '.join(names.values())}.")
    return {"site_id": key, **SITES[key]}


@tool
def technician(who: str) -> dict:
    """One of our own technicians: number, speciality, base, mobile, van, tickets.

    Args:
        who: Name, a part of it, or the T number.
    """
    key = _by_id(who, TECHS) or _named(
        who,
        {k: t["name"] for k, t in TECHS.items()},
        "technician",
        "Only our own people are here, not those of wards or suppliers.",
    )
    return {"tech_no": key, **TECHS[key]}


@tool
def on_duty(day: str) -> list[dict]:
    """Who (by technician number) has which duty on a day: help desk, rounds, visits, evening cover, on call.

    Args:
        day: YYYY-MM-DD
    """
    key = _day(day)
    if key not in DATA["rota"]:
        raise ToolError(f"The rota is out for {min(DATA['rota'])} to {max(DATA['rota'])} only.")
    return DATA["rota"][key]


@tool
def list_jobs(
    site_id: str = "",
    status: Literal["new", "planned", "in progress", "in workshop", "waiting for parts", "closed"] | None = None,
    tech_no: str = "",
    asset_no: str = "",
    due_from: str = "",
    due_to: str = "",
) -> list[dict]:
    """Work orders, filtered: number, device, fault, urgency, due day, status. Without a status, closed ones are left out.

    Args:
        site_id: Only jobs at this site, such as linnet-lane.
        status: Only jobs with this status.
        tech_no: Only jobs of this technician (number).
        asset_no: Only jobs on this device.
        due_from: Only jobs due on this day or later.
        due_to: Only jobs due on this day or earlier.
    """
    site = _site(site_id) if site_id else None
    first, last = _day(due_from) if due_from else "0", _day(due_to) if due_to else "9"
    hits = []
    for k, o in ORDERS.items():
        d = DEVICES[str(o["asset_no"])]
        of_status = o["status"] == status if status else o["status"] != "closed"
        of_person = not tech_no or _key(o["tech_no"] or "") == _key(tech_no)
        of_device = not asset_no or _key(asset_no) == str(o["asset_no"])
        of_site = site in (None, WARDS[d["ward_code"]]["site_id"])
        if of_site and of_status and of_person and of_device and first <= o["due"] <= last:
            told = _columns(o, "fault", "urgency", "due", "status")
            hits.append({"job": k, "device": f"{o['asset_no']} {d['model']}", **told})
    if not hits:
        raise ToolError("No job fits these filters.")
    return hits


@tool
def job_details(ref: str) -> dict:
    """One work order in full: device, ward, fault, who reported it, days, status, technician, part needed, hours, note.

    Args:
        ref: Number of the work order: year and four digits, such as 29/0463.
    """
    hint = f"Numbers on file run from {min(ORDERS)} to {max(ORDERS)}; list_jobs lists them."
    key = _known(ref, ORDERS, f"There is no work order {ref!r}. {hint}")
    o = ORDERS[key]
    return {"job": key, "ward_code": DEVICES[str(o["asset_no"])]["ward_code"], **o}


@tool
def part_search(name: str) -> list[dict]:
    """Search spare parts by what they are called or by the model they fit. Gives part number, name, model, pieces in stock.

    Args:
        name: e.g. "door seal" or "Vigil 9"
    """
    plain = _plain(name)
    hits = [
        {"part_no": k, "name": p["name"], "fits": p["fits"], "stock": p["stock"]}
        for k, p in PARTS.items()
        if all(w.rstrip("s") in _plain(f"{p['name']} {p['fits']}") for w in plain.split())
    ]
    if not hits or not plain:
        raise ToolError(f"No part fits {name!r}. Try one word of the name, or the model.")
    return hits


@tool
def part_card(part_no: str) -> str:
    """Shelf, stock, reorder level, price and supplier's code of a spare part.

    Args:
        part_no: The part number. Names are not accepted.
    """
    key = _part(part_no)
    p = PARTS[key]
    return (
        f"Part {key}: {p['name']}\nFits: {p['fits']}\nStock: {p['stock']} pieces, reorder at {p['reorder_at']}\n"
        f"Shelf: {p['shelf']}\nPrice: {p['price']:.2f} each\nSupplier: {p['supplier']}"
    )


@tool
def supplier_info(supplier: str) -> dict:
    """A supplier of devices or parts: contact, telephone, e-mail, delivery time, smallest order, terms, discount.

    Args:
        supplier: Four-letter code, name, or the contact's name.
    """
    names = {k: f"{s['name']} ({s['contact']})" for k, s in SUPPLIERS.items()}
    hint = f"Suppliers: {', '.join(s['name'] for s in SUPPLIERS.values())}."
    key = _by_id(supplier, SUPPLIERS) or _named(supplier, names, "supplier", hint)
    return {"code": key, **SUPPLIERS[key]}


@tool
def calibration_cert(asset_no: str) -> dict:
    """The latest calibration certificate of a device: number, day, who did it, what was measured, deviation, result, valid until.

    Args:
        asset_no: Asset number of the device, such as 39001.
    """
    key = _asset(asset_no)
    if key not in DATA["calibrations"]:
        device = f"Device {key} ({DEVICES[key]['model']})"
        raise ToolError(f"{device} has no calibration certificate: it need not be calibrated.")
    return {"asset_no": key, **DATA["calibrations"][key]}


@tool
def calibrations_due(date_from: str, date_to: str) -> list[dict]:
    """Devices whose calibration runs out within a span of days: asset number, model, ward, last valid day.

    Args:
        date_from: First day, YYYY-MM-DD.
        date_to: Last day, YYYY-MM-DD (included).
    """
    first, last = _day(date_from), _day(date_to)
    rows = [
        {"asset_no": k, **_columns(DEVICES[k], "model", "ward_code"), "valid_until": c["valid_until"]}
        for k, c in DATA["calibrations"].items()
        if first <= c["valid_until"] <= last
    ]
    return sorted(rows, key=lambda r: r["valid_until"])


def _now(device: dict) -> str:
    return f"out until {device['back_on']}" if device["back_on"] else "free"


@tool
def loan_pool(kind: str = "", free_only: bool = False) -> list[dict]:
    """The loan devices that we lend to wards: number, nickname, kind, charge per week, and whether free or back when.

    Args:
        kind: Only this kind, such as "hoist".
        free_only: Only those that are free now.
    """
    rows = [
        {"loan_no": k, **_columns(v, "nickname", "kind", "weekly_charge"), "now": _now(v)}
        for k, v in LOANS.items()
        if _plain(kind).rstrip("s") in _plain(v["kind"]) and not (free_only and v["back_on"])
    ]
    if not rows:
        kinds = ", ".join(sorted({v["kind"] for v in LOANS.values()}))
        raise ToolError(f"No loan device fits. Kinds in the pool: {kinds}.")
    return rows


@tool
def loan_card(ref: str) -> dict:
    """One loan device: model, charge, weight, accessories, next service, and the ward that has it with the day it comes back.

    Args:
        ref: Loan number (LN and two digits) or the nickname on its sticker.
    """
    key = _by_id(ref, LOANS)
    if not key:
        names = {k: v["nickname"] for k, v in LOANS.items()}
        key = _named(ref, names, "loan device", f"Nicknames: {', '.join(names.values())}.")
    return {"loan_no": key, **LOANS[key]}


@tool(effect="write")
def open_job(asset_no: str, fault: str, urgency: Literal["routine", "urgent", "critical"], reported_by: str = "") -> dict:
    """Open a work order for a device that is faulty.

    Args:
        asset_no: Asset number of the device.
        fault: What is wrong, in a few words.
        urgency: How soon it is needed, as the caller says.
        reported_by: Who reports it, if said.
    """
    key = _asset(asset_no)
    if len(fault.strip()) < 4:
        raise ToolError("Say in a few words what is wrong.")
    device = {"device": f"{key} {DEVICES[key]['model']}", "ward_code": DEVICES[key]["ward_code"]}
    return {"job": f"30/{_number('fault', key)}", **device, "urgency": urgency, "status": "new"}


@tool(effect="write")
def lend_out(loan_no: str, ward_code: str, first_day: str, last_day: str) -> dict:
    """Book a loan device for a ward.

    Args:
        loan_no: Number of the loan device, such as LN12. Nicknames are not accepted.
        ward_code: Code of the ward that gets it.
        first_day: YYYY-MM-DD
        last_day: Day it comes back, YYYY-MM-DD
    """
    key, ward = _loan(loan_no), _ward(ward_code)
    start, end = _day(first_day), _day(last_day)
    if end < start:
        raise ToolError("last_day is before first_day.")
    back = LOANS[key]["back_on"]
    if back and start <= back:
        raise ToolError(f"{key} {LOANS[key]['nickname']} is out until {back}. Choose later days or another device.")
    booked = {"booking": f"LB{_number('loan', key, ward)}", "device": f"{key} {LOANS[key]['nickname']}"}
    return {**booked, "ward": f"{ward} {WARDS[ward]['name']}", "first_day": start, "last_day": end}


@tool(effect="write")
def buy_parts(part_no: str, quantity: int, cost_centre: str) -> dict:
    """Order spare parts from their supplier.

    Args:
        part_no: Part number.
        quantity: How many pieces.
        cost_centre: The ward code that pays, or "stock" for our own shelves.
    """
    key = _part(part_no)
    if int(quantity) < 1:
        raise ToolError("quantity must be 1 or more.")
    pays = "stock" if _key(cost_centre) == "stock" else _ward(cost_centre)
    p = PARTS[key]
    paid = {"total": round(p["price"] * int(quantity), 2), "supplier": SUPPLIERS[p["supplier"]]["name"]}
    order = {"order_no": f"PO-{_number('part', key)}", "part": f"{key} {p['name']}", "quantity": int(quantity)}
    return {**order, **paid, "cost_centre": pays}
