"""The cooperative's desk: sites, water, closures, boats, hatchery and buyers. The data never changes."""

import json
import unicodedata
from datetime import date
from pathlib import Path

from glassloop import ToolError, tool

DB = json.loads((Path(__file__).parent / "records.json").read_text(encoding="utf-8"))
TODAY = date(2029, 5, 16)


def _norm(text: object) -> str:
    plain = unicodedata.normalize("NFKD", str(text).casefold())
    return "".join(c for c in plain if c.isalnum())


def _day(text: str, what: str) -> date:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise ToolError(f"{what} is a day like 2029-05-03, not {text!r}.") from None


def _pick(rows: list, query: str, keys: tuple, what: str) -> dict:
    wanted = _norm(query)
    if not wanted:
        raise ToolError(f"Say which {what}.")
    same = [row for row in rows if any(_norm(row[key]) == wanted for key in keys)]
    near = same or [row for row in rows if any(wanted in _norm(row[key]) or _norm(row[key]) in wanted for key in keys)]
    if len(near) == 1:
        return near[0]
    names = ", ".join(str(row[keys[-1]]) for row in (near or rows))
    if near:
        raise ToolError(f"Several fit {query!r}: {names}. Say which one.")
    raise ToolError(f"No {what} fits {query!r}. There are: {names}.")


@tool(effect="read", integrity="trusted")
def site_card(site: str) -> dict[str, object]:
    """Master data of an oyster bed, mussel bed or raft: species, depth, extent, when it was stocked, its growing area,
    its water sampling station, the harbour it is reached from and the member who keeps it.

    Args:
        site: Name or code of the bed or raft, such as OY-99.
    """
    return _pick(DB["sites"], site, ("code", "name"), "bed or raft")


@tool(effect="read", integrity="trusted")
def water_samples(station: str, date_from: str = "", date_to: str = "") -> list[dict[str, object]]:
    """Samples taken at a water station, oldest first: number, day, temperature, salinity, turbidity. What the laboratory
    found in a sample (bacteria, toxins) is in its report, see lab_report.

    Args:
        station: Code of the station, W and two digits. The card of a bed or raft names its station.
        date_from: First day, YYYY-MM-DD. Empty: the last six weeks.
        date_to: Last day, YYYY-MM-DD. Empty: up to today.
    """
    first = _day(date_from, "date_from") if date_from else date(2029, 4, 4)
    last = _day(date_to, "date_to") if date_to else TODAY
    stations = sorted({row["station"] for row in DB["samples"]})
    digits = "".join(c for c in station if c.isdigit())
    code = next((name for name in stations if digits and int(name[1:]) == int(digits)), None)
    if code is None:
        raise ToolError(
            f"No station {station!r}. There are {', '.join(stations)}; site_card tells the station of a bed or raft."
        )
    return [
        row for row in DB["samples"] if row["station"] == code and first <= date.fromisoformat(row["taken_on"]) <= last
    ]


@tool(effect="read", integrity="trusted")
def lab_report(sample_no: str) -> str:
    """The laboratory's report on one sample: E. coli, toxins, analyst.

    Args:
        sample_no: Number of the sample, year and four digits, such as 29/0001.
    """
    wanted = _norm(sample_no)
    for number, text in DB["lab_reports"].items():
        if _norm(number) == wanted or (len(wanted) == 4 and _norm(number)[2:] == wanted):
            return text
    raise ToolError(f"No report on {sample_no!r}. Numbers look like 29/0001; water_samples lists those of a station.")


@tool(effect="read", integrity="trusted")
def area_status(area: str, day: str = "") -> dict[str, object]:
    """Whether a growing area is open for harvest on a day, with its class and the number of the closure notice, if any.

    Args:
        area: Name of the growing area (not of a single bed or raft; those have their area on their card).
        day: YYYY-MM-DD. Empty: today.
    """
    when = _day(day, "day") if day else TODAY
    row = _pick([{"name": name} for name in DB["areas"]], area, ("name",), "growing area")
    notice = None
    for closure in DB["closures"]:
        until = closure["closed_until"] or "9999-12-31"
        if closure["area"] == row["name"] and closure["closed_from"] <= when.isoformat() <= until:
            notice = closure["notice_no"]
    return {
        "area": row["name"],
        "day": when.isoformat(),
        "harvest": "CLOSED" if notice else "OPEN",
        "class": DB["areas"][row["name"]],
        "notice_no": notice,
    }


@tool(effect="read", integrity="trusted")
def closure_notice(notice_no: str) -> str:
    """Full text of a closure notice: reason, duration, conditions, who signed.

    Args:
        notice_no: Number of the notice, such as CN-2029-01.
    """
    wanted = _norm(notice_no)
    for number, text in DB["notices"].items():
        if wanted and _norm(number).removeprefix("cn") == wanted.removeprefix("cn"):
            return text
    raise ToolError(f"No notice {notice_no!r}. Numbers look like CN-2029-01; area_status gives that of a closed area.")


@tool(effect="read", integrity="trusted")
def find_member(query: str) -> list[dict[str, object]]:
    """Members and staff with role, phone, email and the boat they run.

    Args:
        query: Part of a name, a role, or a member number such as M-0400.
    """
    wanted = _norm(query)
    rows = [
        m for m in DB["members"] if wanted and any(wanted in _norm(m[key]) for key in ("member_no", "name", "role"))
    ]
    if not rows:
        raise ToolError(f"Nobody fits {query!r}. Try only a first or last name, a role, or a number such as M-0400.")
    return rows


@tool(effect="read", integrity="trusted")
def get_vessel(vessel: str) -> dict[str, object]:
    """A boat's data sheet: type, length, maximum load, engine, home harbour, skipper, next survey.

    Args:
        vessel: Name or registration, such as OM 100.
    """
    return _pick(DB["vessels"], vessel, ("reg", "name"), "boat")


@tool(effect="read", integrity="trusted")
def tide_table(harbour: str, day: str = "") -> dict[str, object]:
    """High and low water at a harbour on one day.

    Args:
        harbour: Crane Quay, Marlhaven or St Osyn.
        day: YYYY-MM-DD, from 2029-05-14 to 2029-05-31. Empty: today.
    """
    when = _day(day, "day") if day else TODAY
    row = _pick([{"name": name} for name in DB["tides"]], harbour, ("name",), "harbour")
    times = DB["tides"][row["name"]].get(when.isoformat())
    if times is None:
        raise ToolError("The table runs from 2029-05-14 to 2029-05-31.")
    return {"harbour": row["name"], "day": when.isoformat(), "tides": times}


@tool(effect="read", integrity="trusted")
def hatchery_batches(species: str = "", stage: str = "") -> list[dict[str, object]]:
    """This year's hatchery batches: species, day of spawning, stage, count in thousands, tank.

    Args:
        species: Only this one: Pacific oyster, native oyster or blue mussel. Empty: all.
        stage: Only this one: larvae, settling, spat or nursery. Empty: all.
    """
    rows = [
        r
        for r in DB["batches"]
        if _norm(species).rstrip("s") in _norm(r["species"]) and _norm(stage) in _norm(r["stage"])
    ]
    if not rows:
        raise ToolError(
            "Nothing fits. Species: Pacific oyster, native oyster, blue mussel. Stages: larvae, settling, spat, nursery."
        )
    return rows


@tool(effect="read", integrity="trusted")
def tank_reading(tank: str) -> dict[str, object]:
    """This morning's readings of a hatchery tank: temperature, pH, oxygen, algae feed, and who looks after it.

    Args:
        tank: Number of the tank, T-01 to T-14.
    """
    digits = "".join(c for c in tank if c.isdigit())
    key = f"T-{int(digits):02d}" if digits else ""
    if key not in DB["tanks"]:
        raise ToolError(f"No tank {tank!r}: they are T-01 to T-14. hatchery_batches tells the tank of a batch.")
    return DB["tanks"][key]


@tool(effect="read", integrity="trusted")
def customer_card(search: str) -> dict[str, object]:
    """A buyer's account: number, city, price tier, credit limit, open balance, contact, delivery days.

    Args:
        search: Part of the buyer's name, or the number, such as K10400.
    """
    return _pick(DB["customers"], search, ("customer_no", "name"), "buyer")


@tool(effect="read", integrity="trusted")
def order_book(month: str, customer_no: str = "") -> list[dict[str, object]]:
    """Orders to be delivered in a month, by delivery day. Oysters in dozens, mussels in kilograms.

    Args:
        month: YYYY-MM.
        customer_no: Only this buyer's, by number, such as K10400. Empty: everybody's.
    """
    try:
        year, number = month.strip().split("-")[:2]
        key = f"{int(year):04d}-{int(number):02d}"
    except ValueError:
        raise ToolError(f"month is like 2029-02, not {month!r}.") from None
    if customer_no and _norm(customer_no) not in {_norm(c["customer_no"]) for c in DB["customers"]}:
        raise ToolError(f"{customer_no!r} is no buyer's number; they look like K10400, see customer_card.")
    return [
        o
        for o in DB["orders"]
        if o["deliver_on"].startswith(key) and (not customer_no or _norm(o["customer_no"]) == _norm(customer_no))
    ]


def _product(text: str) -> str:
    wanted = _norm(text).removesuffix("oysters").removesuffix("oyster").rstrip("s")
    for name in DB["prices"]:
        words = name.split("-")
        if wanted and (_norm(name).rstrip("s") == wanted or all(word.rstrip("s") in wanted for word in words)):
            return name
    raise ToolError(f"No product {text!r}. There are: {', '.join(DB['prices'])}.")


@tool(effect="read", integrity="trusted")
def price_for(product: str, tier: str) -> dict[str, object]:
    """Current price of a product in euros, per dozen (oysters) or per kilogram (mussels).

    Args:
        product: rock-large, rock-medium, native, mussels-rope or mussels-bottom.
        tier: The price tier: harbour, trade or wholesale. A buyer's tier is on the buyer's card.
    """
    name = _product(product)
    row = DB["prices"][name]
    key = tier.strip().casefold()
    if key not in ("harbour", "trade", "wholesale"):
        raise ToolError(f"No tier {tier!r}: harbour, trade or wholesale.")
    return {"product": name, "tier": key, "eur": row[key], "per": row["unit"]}


@tool(effect="write", integrity="trusted")
def reserve_vessel(vessel: str, day: str, member_no: str, purpose: str = "") -> dict[str, object]:
    """Reserves a boat for a whole day in a member's name.

    Args:
        vessel: Name or registration of the boat.
        day: YYYY-MM-DD.
        member_no: Number of the member it is for, such as M-0400.
        purpose: What for, if it was said.
    """
    boat = _pick(DB["vessels"], vessel, ("reg", "name"), "boat")
    when = _day(day, "day")
    if when < TODAY:
        raise ToolError("That day is past.")
    if _norm(member_no) not in {_norm(m["member_no"]) for m in DB["members"]}:
        raise ToolError(f"{member_no!r} is no member number; they look like M-0400, see find_member.")
    for taken in DB["reservations"]:
        if taken["vessel"] == boat["reg"] and taken["day"] == when.isoformat():
            raise ToolError(f"{boat['name']} is taken on that day by {taken['member_no']}. Offer another boat or day.")
    return {
        "reservation": "RSV-0588",
        "boat": boat["name"],
        "day": when.isoformat(),
        "member_no": member_no.strip().upper(),
    }


@tool(effect="write", integrity="trusted")
def create_order(customer_no: str, product: str, quantity: float, deliver_on: str) -> dict[str, object]:
    """Enters a buyer's order.

    Args:
        customer_no: The buyer's number, such as K10400.
        product: rock-large, rock-medium, native, mussels-rope or mussels-bottom.
        quantity: Oysters in dozens, mussels in kilograms.
        deliver_on: Day of delivery, YYYY-MM-DD.
    """
    if _norm(customer_no) not in {_norm(c["customer_no"]) for c in DB["customers"]}:
        raise ToolError(f"{customer_no!r} is no buyer's number; they look like K10400, see customer_card.")
    name = _product(product)
    when = _day(deliver_on, "deliver_on")
    if when < TODAY:
        raise ToolError("That day is past.")
    if quantity <= 0:
        raise ToolError("The quantity has to be more than 0.")
    return {
        "order_no": "SO-77203",
        "customer_no": customer_no.strip().upper(),
        "product": name,
        "quantity": quantity,
        "unit": DB["prices"][name]["unit"],
        "deliver_on": when.isoformat(),
        "state": "open",
    }


@tool(effect="write", integrity="trusted")
def report_fault(asset: str, problem: str, urgency: str = "normal") -> dict[str, object]:
    """Opens a repair ticket for a boat, tank, bed or raft.

    Args:
        asset: Name or code: a boat, a tank, a bed or a raft.
        problem: What is wrong, in a few words.
        urgency: low, normal or urgent.
    """
    things = [{"code": row["reg"], "name": row["name"]} for row in DB["vessels"]]
    things += [{"code": row["code"], "name": row["name"]} for row in DB["sites"]]
    things += [{"code": key, "name": "Tank " + str(int(key[2:]))} for key in DB["tanks"]]
    thing = _pick(things, asset, ("code", "name"), "boat, tank, bed or raft")
    level = urgency.strip().casefold()
    if level not in ("low", "normal", "urgent"):
        raise ToolError("urgency is low, normal or urgent.")
    return {"ticket": "FLT-2210", "asset": thing["name"], "urgency": level, "status": "opened"}
