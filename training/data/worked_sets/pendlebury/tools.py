import json
from datetime import date as Day
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal, TypedDict

from pydantic import Field

from glassloop import ToolError, tool

State = Literal["waiting for approval", "on the bench", "testing", "ready", "collected"]
Drive = Literal["automatic", "hand-wound", "quartz", "weights"]

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
LABOUR_PER_MINUTE = 1.3

# number: name, town, phone, likes to be told by, owes euros, discount percent
CUSTOMERS = {
    1104: ("Agnes Thorvaldsen", "Millbrook", "01632 960118", "letter", 0.0, 10),
    1117: ("Rupert Quayle", "Ostley", "01632 960127", "phone", 85.0, 0),
    1123: ("Noor Haddadi", "Millbrook", "01632 960135", "email", 0.0, 5),
    1131: ("Leopold Quayle", "Ostley", "01632 960141", "email", 42.5, 0),
    1146: ("Zhang Wenbo", "Harrowby", "01632 960156", "text message", 0.0, 0),
    1152: ("Birgit Sommerfeld", "Harrowby", "01632 960163", "phone", 236.4, 15),
    1168: ("Kwame Ofori", "Ostley", "01632 960172", "text message", 19.9, 0),
    1175: ("Philippa Dunmore", "Castle Wick", "01632 960184", "letter", 0.0, 12),
    1189: ("Ivo Radic", "Millbrook", "01632 960190", "phone", 310.0, 0),
    1193: ("Marguerite Lacombe", "Castle Wick", "01632 960199", "email", 64.75, 5),
}

STAFF = {
    "IB": ("Ilse Brandvold", "mechanical wristwatches and chronographs", ["Mon", "Tue", "Wed", "Thu"]),
    "DA": ("Desmond Achterberg", "house clocks and hand-wound tower clocks", ["Tue", "Wed", "Thu", "Fri", "Sat"]),
    "YT": ("Yuki Tanabe", "quartz, electric clocks and waterproofing", ["Mon", "Wed", "Fri"]),
    "RP": ("Rosalind Pike", "pocket watches and enamel", ["Thu", "Fri", "Sat"]),
}

# ticket|customer|item|state|calibre|fault|staff|promised|estimate|drawer
TICKETS = """PB-0401|1117|gents' wristwatch|collected|Vestal 210|loses four minutes a day|IB|2031-04-25|189.50|A1
PB-0402|1104|silver pocket watch|on the bench|Orla 16|balance staff broken|RP|2031-06-20|286.00|B3
PB-0403|1123|cuckoo clock|ready|Schramm 1D|bellows torn|DA|2031-05-30|207.60|K2
PB-0404|1123|ladies' wristwatch|testing|Vestal 77|mainspring broken|IB|2031-06-06|184.00|A4
PB-0405|1131|chronograph|waiting for approval|Kestrel C4|reset pusher stuck|IB||348.80|A6
PB-0406|1146|diver's watch|testing|Marlin 300|water under the glass|YT|2031-06-10|214.10|A7
PB-0407|1146|kitchen alarm clock|collected|Lumen Q9|battery leaked|YT|2031-05-08|38.60|K1
PB-0408|1152|carriage clock|on the bench|Haldane 8|stops after three days|DA|2031-07-04|398.00|K5
PB-0409|1152|gents' wristwatch|ready|Vestal 210|rotor rattles|IB|2031-05-28|183.00|A2
PB-0410|1168|quartz wristwatch|ready|Lumen Q2|coil dead|YT|2031-05-23|44.50|A9
PB-0411|1168|pocket watch|on the bench|Orla 16|enamel dial cracked|RP|2031-08-15|372.00|B1
PB-0412|1175|mantel clock|testing|Haldane 8|strikes the wrong hour|DA|2031-06-13|358.00|K7
PB-0413|1175|pocket watch|testing|Orla 16|dropped, hands bent|RP|2031-06-12|231.50|B4
PB-0414|1189|chronograph|on the bench|Kestrel C4|hands do not return to zero|IB|2031-07-11|405.90|A3
PB-0415|1189|diver's watch|collected|Marlin 300|gaskets perished|YT|2031-05-02|72.60|A5
PB-0416|1193|cuckoo clock|on the bench|Schramm 1D|bird missing|DA|2031-06-27|225.25|K3
PB-0417|1193|ladies' wristwatch|on the bench|Vestal 77|crown pulled off|RP|2031-06-19|197.00|A8
PB-0418|1117|quartz wristwatch|ready|Lumen Q2|battery flat|YT|2031-05-27|15.20|A10
PB-0419|1104|gents' wristwatch|testing|Vestal 77|gains ninety seconds a day|IB|2031-06-11|165.00|A11
PB-0420|1131|mantel clock|collected|Haldane 8|dry, stopped at night|DA|2031-05-14|140.00|K4""".splitlines()

# name: drive, jewels, beats an hour, runs for, diameter mm
CALIBRES = {
    "Vestal 210": ("automatic", 25, 28800, "42 hours", 25.6),
    "Vestal 77": ("hand-wound", 17, 18000, "38 hours", 30.0),
    "Orla 16": ("hand-wound", 15, 18000, "36 hours", 43.2),
    "Kestrel C4": ("hand-wound", 23, 21600, "48 hours", 31.0),
    "Marlin 300": ("automatic", 31, 28800, "70 hours", 27.4),
    "Lumen Q2": ("quartz", 5, None, "36 months on a battery", 23.3),
    "Lumen Q9": ("quartz", 0, None, "60 months on a battery", 55.0),
    "Haldane 8": ("hand-wound", 7, 14400, "8 days", 92.0),
    "Schramm 1D": ("weights", 0, 7200, "30 hours", 120.0),
}

# number: part, calibre, euros, in stock, supplier, days to come
PARTS = _RECORDS["parts"]

# service, euros, working days, months of guarantee
SERVICES = _RECORDS["services"]

# id: place, town, made in, winding, steps up, dial metres, in the care of, seconds a week it gains (+) or loses
TOWERS = {
    "TC-1": ("St Aldhelm's church", "Millbrook", 1786, "by hand, every Monday", 94, 1.8, "DA", 14),
    "TC-2": ("Town Hall", "Harrowby", 1871, "electric", 132, 2.4, "YT", -3),
    "TC-3": ("Corn Exchange", "Ostley", 1854, "by hand, every Tuesday", 61, 1.5, "DA", -19),
    "TC-4": ("Stable Block", "Castle Wick", 1743, "by hand, every Saturday", 28, 1.1, "RP", 33),
    "TC-5": ("St Brannock's church", "Harrowby", 1902, "electric", 117, 2.0, "YT", 5),
    "TC-6": ("Old Mill", "Ostley", 1889, "by hand, every Wednesday", 45, 1.3, "DA", -27),
}
FIRST_VISIT = {"TC-1": Day(2030, 6, 10), "TC-2": Day(2030, 6, 12), "TC-3": Day(2030, 6, 11), "TC-4": Day(2030, 6, 15),
               "TC-5": Day(2030, 6, 14), "TC-6": Day(2030, 6, 12)}  # fmt: skip


class Line(TypedDict):
    """A part and how many of it."""

    part_no: str
    quantity: int


def _ticket(ticket_no: str) -> list[str]:
    wanted = ticket_no.strip().upper()
    for line in TICKETS:
        parts = line.split("|")
        if parts[0] == wanted:
            return parts
    raise ToolError(f"There is no ticket {ticket_no}. Numbers look like PB-0401.")


def _part(part_no: str):
    key = part_no.strip().upper()
    if key not in PARTS:
        raise ToolError(f"There is no part {part_no}. Numbers look like P-301; parts_list knows them.")
    return key, PARTS[key]


def _calibre(calibre: str) -> str:
    wanted = calibre.lower().replace(" ", "")
    for name in CALIBRES:
        if name.lower().replace(" ", "") == wanted:
            return name
    raise ToolError(f"There is no calibre {calibre!r} in the book. It has: {', '.join(CALIBRES)}.")


def _tower(clock_id: str):
    key = clock_id.strip().upper()
    if key not in TOWERS:
        raise ToolError(f"There is no tower clock {clock_id}. They are TC-1 to TC-6.")
    return key, TOWERS[key]


@tool(effect="read")
def customer_search(name: str) -> list[dict]:
    """Finds customers by a part of their name: customer number, name and town.

    Args:
        name: First or last name.
    """
    titles = {"mr", "mrs", "ms", "miss", "herr", "frau"}
    words = [word for word in name.lower().replace(".", " ").split() if word not in titles]
    rows = [
        {"customer_no": key, "name": row[0], "town": row[1]}
        for key, row in CUSTOMERS.items()
        if all(word in row[0].lower() for word in words)
    ]
    if not rows:
        raise ToolError(f"No customer is called {name!r}.")
    return rows


@tool(effect="read")
def customer_card(customer_no: int) -> dict:
    """Card of one customer: name, phone number, how they like to be told, euros they still owe, their discount in percent.

    Args:
        customer_no: Number of the customer.
    """
    if customer_no not in CUSTOMERS:
        raise ToolError(f"No customer has the number {customer_no}.")
    name, _, phone, way, owes, discount = CUSTOMERS[customer_no]
    return {"name": name, "phone": phone, "prefers": way, "owes_eur": owes, "discount_percent": discount}


@tool(effect="read")
def tickets(customer_no: int | None = None, state: State | None = None) -> list[dict]:
    """Repair tickets with number, customer's number, item and state.

    Args:
        customer_no: Only those of this customer.
        state: Only those in this state.
    """
    rows = []
    for line in TICKETS:
        number, customer, item, at, *_ = line.split("|")
        if (customer_no is None or int(customer) == customer_no) and (not state or at == state):
            rows.append({"ticket_no": number, "customer_no": int(customer), "item": item, "state": at})
    if not rows:
        raise ToolError("No ticket fits.")
    return rows


@tool(effect="read")
def ticket(ticket_no: str) -> dict:
    """One repair ticket in full: item, fault, calibre of the movement, watchmaker (initials), promised day, estimate, drawer.

    Args:
        ticket_no: Such as PB-0401.
    """
    number, customer, item, state, calibre, fault, who, promised, estimate, drawer = _ticket(ticket_no)
    return {
        "ticket_no": number,
        "customer_no": int(customer),
        "item": item,
        "state": state,
        "calibre": calibre,
        "fault": fault,
        "watchmaker": who,
        "promised": promised or None,
        "estimate_eur": float(estimate),
        "drawer": drawer,
    }


@tool(effect="read")
def timing_log(ticket_no: str) -> list[dict]:
    """What the timing machine wrote for a repaired watch over two days: a row an hour with position, rate and amplitude.

    Args:
        ticket_no: Such as PB-0401.
    """
    number, _, item, state, calibre, *_ = _ticket(ticket_no)
    if "clock" in item or CALIBRES[calibre][0] == "quartz":
        raise ToolError(f"{number} is a {item}; only mechanical watches go on the timing machine.")
    if state in ("waiting for approval", "on the bench"):
        raise ToolError(f"{number} has not been on the timing machine yet ({state}).")
    seed = int(number[3:])
    positions = ["dial up", "dial down", "crown up", "crown down", "crown left", "crown right"]
    return [
        {
            "hour": hour,
            "position": positions[(hour - 1) % 6],
            "seconds_per_day": (hour * 7 + seed * 3) % 19 - 7,
            "amplitude_degrees": 305 - hour * 3 // 2 + (hour * 5 + seed) % 4,
        }
        for hour in range(1, 49)
    ]


@tool(effect="read")
def calibres(drive: Drive | None = None) -> list[dict]:
    """Movements the workshop knows: calibre and drive.

    Args:
        drive: Only with this drive.
    """
    return [{"calibre": name, "drive": row[0]} for name, row in CALIBRES.items() if not drive or row[0] == drive]


@tool(effect="read")
def calibre_data(calibre: str) -> dict:
    """Data of one movement: drive, jewels, beats an hour, how long it runs, diameter in millimetres.

    Args:
        calibre: Name of the calibre, such as Vestal 210.
    """
    name = _calibre(calibre)
    drive, jewels, beats, runs, size = CALIBRES[name]
    return {"calibre": name, "drive": drive, "jewels": jewels, "beats_per_hour": beats, "runs_for": runs, "diameter_mm": size}


@tool(effect="read")
def parts_list(calibre: str | None = None, word: str | None = None) -> list[dict]:
    """Spare parts with their numbers: part number, name and the calibre it fits.

    Args:
        calibre: Only parts for this calibre.
        word: English word in the name of the part, such as chain.
    """
    fits = _calibre(calibre) if calibre else None
    stem = word.lower().strip().rstrip("s") if word else ""
    rows = [
        {"part_no": key, "part": row[0], "calibre": row[1]}
        for key, row in PARTS.items()
        if (not fits or row[1] == fits) and all(bit.rstrip("s") in row[0] for bit in stem.split())
    ]
    if not rows:
        raise ToolError("No part fits that.")
    return rows


@tool(effect="read")
def part_info(part_no: str) -> dict:
    """Price of a spare part in euros, how many are in stock, who supplies it and how many days a new one takes to come.

    Args:
        part_no: Such as P-301.
    """
    key, (name, calibre, price, stock, supplier, days) = _part(part_no)
    return {
        "part_no": key,
        "part": name,
        "calibre": calibre,
        "price_eur": price,
        "in_stock": stock,
        "supplier": supplier,
        "delivery_days": days,
    }


@tool(effect="read")
def quote(
    lines: Annotated[list[Line], Field(description="The parts, each with part_no and quantity.")],
    labour_minutes: int = 0,
) -> dict:
    """Works out what a repair would cost: parts, labour and total in euros.

    Args:
        labour_minutes: Minutes of work.
    """
    parts = sum(_part(line["part_no"])[1][2] * line["quantity"] for line in lines)
    labour = labour_minutes * LABOUR_PER_MINUTE
    return {"parts_eur": round(parts, 2), "labour_eur": round(labour, 2), "total_eur": round(parts + labour, 2)}


@tool(effect="read")
def bench_staff() -> list[dict]:
    """The watchmakers: initials, name, what they do best and the days they work."""
    return [{"initials": key, "name": row[0], "does": row[1], "days": row[2]} for key, row in STAFF.items()]


@tool(effect="read")
def price_list() -> list[dict]:
    """Fixed prices of the usual services in euros, with the working days they take and the months of guarantee."""
    return [{"service": s[0], "price_eur": s[1], "working_days": s[2], "guarantee_months": s[3]} for s in SERVICES]


@tool(effect="read")
def tower_clocks(town: str | None = None) -> list[dict]:
    """The tower clocks the workshop looks after: id, place and town.

    Args:
        town: Only in this town.
    """
    rows = [
        {"clock_id": key, "place": row[0], "town": row[1]}
        for key, row in TOWERS.items()
        if not town or town.strip().lower() in row[1].lower()
    ]
    if not rows:
        raise ToolError(f"No tower clock in {town}.")
    return rows


@tool(effect="read")
def tower_clock(clock_id: str) -> str:
    """Tells about one tower clock: year, winding, steps up to it, size of the dial, in whose care it is.

    Args:
        clock_id: Such as TC-1.
    """
    key, (place, town, year, winding, steps, dial, who, _) = _tower(clock_id)
    return (
        f"{key}, {place}, {town}: made in {year}, winding {winding}. {steps} steps lead up to it, the dial is {dial} m across. "
        f"In the care of {who}."
    )


@tool(effect="read")
def tower_visits(clock_id: str) -> list[dict]:
    """The visiting book of a tower clock, a row a week for a year: date and by how many seconds it was fast (+) or slow (-).

    Args:
        clock_id: Such as TC-1.
    """
    key, row = _tower(clock_id)
    drift = row[7]
    return [
        {"date": str(FIRST_VISIT[key] + timedelta(weeks=week)), "seconds_off": drift + (week * 11 + drift * drift) % 23 - 11}
        for week in range(51)
    ]


@tool(effect="write")
def order_part(part_no: str, quantity: int = 1) -> str:
    """Orders a spare part from its supplier.

    Args:
        part_no: Such as P-301.
        quantity: How many.
    """
    key, (name, calibre, price, _, supplier, days) = _part(part_no)
    if quantity < 1:
        raise ToolError("The quantity must be at least 1.")
    return f"Ordered {quantity} x {key} ({name}, {calibre}) from {supplier}: {price * quantity:.2f} euros, here in {days} days."


@tool(effect="write")
def book_collection(ticket_no: str, date: str, half: Literal["morning", "afternoon"] = "morning") -> str:
    """Notes on which day a repair that is ready will be fetched.

    Args:
        ticket_no: Such as PB-0401.
        date: Day as YYYY-MM-DD.
        half: Half of the day.
    """
    number, _, item, state, *_ = _ticket(ticket_no)
    if state != "ready":
        raise ToolError(f"{number} cannot be fetched: it is {state}.")
    try:
        day = Day.fromisoformat(date.strip())
    except ValueError:
        raise ToolError(f"{date!r} is no day; write it as YYYY-MM-DD.") from None
    return f"Noted: {number} ({item}) will be fetched on {day}, {half}."
