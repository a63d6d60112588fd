from typing import Annotated, Literal, TypedDict

from pydantic import Field

from glassloop import ToolError, tool

Status = Literal["enquiry", "confirmed", "fired", "cancelled"]
Kind = Literal["shell", "cake", "mine", "fountain", "comet", "candle"]
Colour = Literal["red", "green", "blue", "gold", "silver", "purple"]
Task = Literal["lead", "firing desk", "setup", "safety", "driver"]

# number: name, licence, valid until, euros a day, home town, telephone
CREW = {
    3: ("Rosalind Achterberg", "lead", "2033-04-30", 385, "Altmark", "0171 555 0163"),
    5: ("Diego Paredes", "display", "2031-11-15", 260, "Sellin", "0171 555 0188"),
    8: ("Wen Jiahui", "display", "2034-02-28", 275, "Altmark", "0171 555 0117"),
    11: ("Marta Kowalczyk", "lead", "2032-09-12", 370, "Brodau", "0171 555 0154"),
    12: ("Fionn Gallagher", "helper", "2032-01-20", 165, "Sellin", "0171 555 0129"),
    15: ("Anneliese Brandt", "lead", "2032-03-31", 392, "Graunitz", "0171 555 0135"),
    19: ("Kofi Mensah", "lead", "2033-12-05", 355, "Brodau", "0171 555 0142"),
    21: ("Rosalind Pike", "helper", "2031-08-08", 150, "Graunitz", "0171 555 0196"),
    24: ("Ilse Thorvald", "display", "2033-06-17", 248, "Tarnow", "0171 555 0104"),
}

# id: name, kind, colour, calibre mm, height m, seconds, euros, decibels
EFFECTS = {
    "FX-01": ("Golden Willow", "shell", "gold", 125, 150, 6.5, 48.00, 112),
    "FX-04": ("Red Peony", "shell", "red", 75, 92, 3.0, 14.50, 108),
    "FX-07": ("Blue Peony", "shell", "blue", 100, 115, 3.5, 26.80, 110),
    "FX-10": ("Silver Rain", "fountain", "silver", 30, 5, 40, 9.90, 74),
    "FX-13": ("Tiger Tail", "comet", "gold", 50, 70, 4, 7.25, 88),
    "FX-16": ("Emerald Fan", "cake", "green", 30, 55, 28, 89.00, 99),
    "FX-19": ("Crackling Nest", "cake", "gold", 25, 45, 35, 112.50, 104),
    "FX-22": ("Violet Mine", "mine", "purple", 65, 40, 2, 19.60, 97),
    "FX-25": ("Kamuro King", "shell", "gold", 200, 220, 9, 164.00, 121),
    "FX-28": ("Ice Fountain", "fountain", "silver", 20, 4, 60, 12.40, 68),
    "FX-31": ("Jade Chrysanthemum", "shell", "green", 100, 118, 4, 29.30, 111),
    "FX-34": ("Lava Candle", "candle", "red", 38, 60, 22, 17.75, 93),
    "FX-37": ("Whisper Blue", "cake", "blue", 20, 25, 45, 64.00, 71),
}

# id: magazine, pieces, use before
STOCK = {
    "FX-01": [("North bunker", 44, "2033-01")],
    "FX-04": [("North bunker", 130, "2032-06"), ("Container 2", 25, "2031-12")],
    "FX-07": [("North bunker", 36, "2032-06"), ("Container 2", 14, "2033-03")],
    "FX-10": [("Barn store", 75, "2034-05")],
    "FX-13": [("Container 2", 210, "2032-10")],
    "FX-16": [("Container 2", 9, "2032-02")],
    "FX-19": [("Container 2", 6, "2031-10")],
    "FX-22": [("North bunker", 52, "2033-08")],
    "FX-25": [("North bunker", 8, "2032-04")],
    "FX-28": [("Barn store", 63, "2034-05")],
    "FX-31": [("North bunker", 27, "2032-11")],
    "FX-34": [("Barn store", 88, "2032-09")],
}

# id: name, contact, telephone, unpaid euros, discount percent
CLIENTS = {
    301: ("Town of Altmark", "Birgit Sommer", "03901 5550", 7100.00, 5),
    302: ("Hopfner Brewery", "Jens Ulrich", "03902 5561", 0.00, 8),
    303: ("Lakeside Culture Society", "Nadia Rahimi", "03907 5543", 8950.00, 12),
    304: ("Harlan and Osei family", "Grace Osei", "0170 555 9021", 1475.00, 0),
    305: ("Kestrel Rowing Club", "Piet Lorenz", "03907 5518", 640.00, 3),
    306: ("Altmark Jockey Club", "Sir Conrad Vane", "03901 5577", 0.00, 0),
    307: ("Terrace Foundation", "Dr. Leonie Falk", "03904 5502", 3650.00, 10),
    308: ("Loudstone Events", "Mick Tarrant", "0170 555 9084", 2380.00, 0),
    309: ("Kestrel Insurance", "Ursula Wirth", "03901 5529", 0.00, 6),
}

# code: name, town, largest calibre mm, last shot, remark
SITES = {
    "CASTLE": ("Castle terrace", "Graunitz", 75, "23:15", "no shells over the west wall"),
    "LAKE": ("Lake raft", "Brodau", 200, "22:55", "everything goes out by boat before 16:00"),
    "OBERAU": ("Oberau meadow", "Altmark", 100, "23:00", "two water tanks on the spot from May to September"),
    "QUARRY": ("Old quarry", "Tarnow", 250, "23:30", "rock falls on the north side"),
    "RACE": ("Race course", "Altmark", 125, "22:00", "the stables must be told a week before"),
}

# code: title, date, status, client, site, start, minutes, lead, euros, spectators
SHOWS = {
    "F-41": ("Brewery Jubilee", "2031-04-26", "fired", 302, "QUARRY", "22:00", 9, 3, 6400, 1800),
    "F-42": ("Rowing Club Night", "2031-05-17", "fired", 305, "LAKE", "22:15", 12, 11, 8150, 2500),
    "F-43": ("Midsummer on the Terrace", "2031-06-21", "confirmed", 301, "CASTLE", "22:45", 15.5, 3, 14200, 4000),
    "F-44": ("Harlan-Osei Wedding", "2031-06-28", "confirmed", 304, "OBERAU", "22:30", 6, 19, 2950, 140),
    "F-45": ("Derby Day", "2031-07-05", "enquiry", 306, "RACE", "21:40", 8, None, 5200, 6000),
    "F-46": ("Lantern Festival", "2031-07-19", "confirmed", 303, "LAKE", "22:30", 18, 11, 17900, 9000),
    "F-47": ("Silent Sparks", "2031-08-02", "confirmed", 307, "CASTLE", "22:00", 11, 15, 7300, 600),
    "F-48": ("Harvest Fair", "2031-09-13", "enquiry", 301, "OBERAU", "21:00", 10, None, 4800, 3000),
    "F-49": ("Quarry Rock Festival", "2031-09-20", "cancelled", 308, "QUARRY", "22:20", 13, 19, 9900, 5000),
    "F-50": ("Founders' Day", "2031-10-11", "confirmed", 302, "RACE", "20:00", 14, 15, 11600, 3500),
}

CUES = {
    "F-41": ["FX-04", "FX-13", "FX-01", "FX-34", "FX-31", "FX-22", "FX-07"],
    "F-42": ["FX-13", "FX-07", "FX-22", "FX-04", "FX-16", "FX-01"],
    "F-43": ["FX-10", "FX-13", "FX-04", "FX-34", "FX-22", "FX-16", "FX-28", "FX-19"],
    "F-44": ["FX-28", "FX-04", "FX-13", "FX-22", "FX-10"],
    "F-46": ["FX-13", "FX-01", "FX-07", "FX-22", "FX-31", "FX-34", "FX-04"],
    "F-47": ["FX-37", "FX-10", "FX-28", "FX-37"],
}

VANS = [
    {"plate": "AL-EM 14", "model": "box van", "payload_kg": 980, "seats": 3, "hazard_permit_until": "2032-05"},
    {"plate": "AL-EM 27", "model": "flatbed with crane", "payload_kg": 2450, "seats": 2, "hazard_permit_until": "2031-12"},
    {"plate": "AL-EM 31", "model": "crew bus", "payload_kg": 410, "seats": 9, "hazard_permit_until": None},
    {"plate": "AL-EM 58", "model": "box van", "payload_kg": 1260, "seats": 3, "hazard_permit_until": "2033-02"},
]


class Line(TypedDict):
    """A line of a quote."""

    effect_id: str
    pieces: int


def _effect(effect_id: str):
    key = effect_id.strip().upper()
    if key not in EFFECTS:
        raise ToolError(f"There is no effect {effect_id}. Ids look like FX-13; find_effects knows them.")
    return key, EFFECTS[key]


def _show(show_code: str):
    key = show_code.strip().upper()
    if key not in SHOWS:
        raise ToolError(f"There is no show {show_code}. The codes go from F-41 to F-50.")
    return key, SHOWS[key]


def _crew(crew_no: int):
    if crew_no not in CREW:
        raise ToolError(f"Nobody in the crew has the number {crew_no}.")
    return CREW[crew_no]


@tool(effect="read")
def shows(status: Status | None = None, month: Annotated[int, Field(ge=1, le=12)] | None = None) -> list[dict]:
    """Shows of the year 2031 with code, title, date and status.

    Args:
        status: Only shows in this status (fired: it has taken place).
        month: Only shows in this month, 1 to 12.
    """
    rows = [
        {"show_code": code, "title": s[0], "date": s[1], "status": s[2]}
        for code, s in SHOWS.items()
        if (not status or s[2] == status) and (not month or int(s[1][5:7]) == month)
    ]
    if not rows:
        raise ToolError("No show fits.")
    return rows


@tool(effect="read")
def show_details(show_code: str) -> str:
    """One show: start, length, price, spectators, number of the client, code of the site, crew number of its lead.

    Args:
        show_code: Such as F-44.
    """
    code, (title, date, status, client, site, start, minutes, lead, euros, people) = _show(show_code)
    led = f"It is led by crew number {lead}." if lead else "Nobody leads it yet."
    return (
        f"{code} {title} ({status}): {date}, start {start}, {minutes:g} minutes, site {site}, client {client}. "
        f"Price {euros} euros, {people} spectators expected. {led}"
    )


@tool(effect="read")
def cue_sheet(show_code: str) -> list[dict]:
    """The whole cue sheet of a show: every cue with its time from the start (min:sec), position, effect id and pieces.

    Args:
        show_code: Such as F-44.
    """
    code, show = _show(show_code)
    if code not in CUES:
        raise ToolError(f"No cue sheet has been written for {code}.")
    palette, rows, second, step = CUES[code], [], 0, 0
    while second < show[6] * 60:
        effect = palette[(step * 3 + step // 4) % len(palette)]
        if code == "F-46" and step in (53, 66, 79):
            effect = "FX-25"
        rows.append(
            {
                "cue": step + 1,
                "at": f"{second // 60}:{second % 60:02d}",
                "position": ("left", "centre", "right", "centre")[step * 3 % 4],
                "effect_id": effect,
                "pieces": 1 if effect == "FX-25" else (2, 6, 3, 8, 4)[(step * 3 + step // 7) % 5],
            }
        )
        second += (12, 9, 17, 14, 8, 20)[step % 6]
        step += 1
    return rows


@tool(effect="read")
def find_effects(name: str | None = None, kind: Kind | None = None, colour: Colour | None = None) -> list[dict]:
    """Searches the effects catalogue: effect id, name, kind and colour.

    Args:
        name: Part of the name.
        kind: Kind of firework.
        colour: Main colour.
    """
    words = (name or "").lower().split()
    rows = [
        {"effect_id": key, "name": e[0], "kind": e[1], "colour": e[2]}
        for key, e in EFFECTS.items()
        if all(word.rstrip("s") in e[0].lower() for word in words) and (not kind or e[1] == kind) and (not colour or e[2] == colour)
    ]
    if not rows:
        raise ToolError("No effect in the catalogue fits.")
    return rows


@tool(effect="read")
def effect_data(effect_id: str) -> dict:
    """Data sheet of one effect: calibre, height, how long it burns, price of a piece, loudness.

    Args:
        effect_id: Such as FX-13.
    """
    key, (name, kind, colour, calibre, height, seconds, euros, decibels) = _effect(effect_id)
    return {
        "effect_id": key,
        "name": name,
        "kind": kind,
        "colour": colour,
        "calibre_mm": calibre,
        "height_m": height,
        "burns_seconds": seconds,
        "eur_per_piece": euros,
        "decibels": decibels,
    }


@tool(effect="read")
def stock(effect_id: str) -> list[dict]:
    """What is in stock of an effect: pieces in each magazine and the month before which they must be used.

    Args:
        effect_id: Such as FX-13.
    """
    key, effect = _effect(effect_id)
    if key not in STOCK:
        raise ToolError(f"{key} {effect[0]} is out of stock.")
    return [{"magazine": where, "pieces": pieces, "use_before": until} for where, pieces, until in STOCK[key]]


@tool(effect="read")
def quote(lines: Annotated[list[Line], Field(description="The lines, each an effect_id and a number of pieces.")]) -> dict:
    """Prices a list of effects: euros of every line and the total, without discount."""
    rows = []
    for line in lines:
        key, effect = _effect(line["effect_id"])
        rows.append({"effect_id": key, "name": effect[0], "pieces": line["pieces"], "eur": round(line["pieces"] * effect[6], 2)})
    return {"lines": rows, "total_eur": round(sum(row["eur"] for row in rows), 2)}


@tool(effect="read")
def safety_distance(calibre_mm: float, wind_kmh: float = 0) -> dict:
    """Works out how many metres the public must stay away from a firework of a calibre.

    Args:
        calibre_mm: Calibre in millimetres.
        wind_kmh: Speed of the wind in km/h; 0 for calm air.
    """
    if wind_kmh > 45:
        raise ToolError("Above 45 km/h nothing is fired at all.")
    return {"calibre_mm": calibre_mm, "wind_kmh": wind_kmh, "distance_m": round(calibre_mm * 0.9 * (1 + wind_kmh / 100), 1)}


@tool(effect="read")
def site_rules(site_code: str) -> str:
    """Rules of a firing site: town, largest calibre, when the last shot must be fired, remarks.

    Args:
        site_code: One of CASTLE, LAKE, OBERAU, QUARRY, RACE.
    """
    site = SITES.get(site_code.strip().upper())
    if site is None:
        raise ToolError(f"No site {site_code}. Sites: {', '.join(SITES)}.")
    return f"{site[0]} in {site[1]}: calibres up to {site[2]} mm, last shot at {site[3]}. Remark: {site[4]}."


@tool(effect="read")
def crew_search(name: str) -> list[dict]:
    """Finds people of the crew by a part of their name: crew number and name.

    Args:
        name: First or last name.
    """
    words = name.lower().split()
    rows = [{"crew_no": no, "name": c[0]} for no, c in CREW.items() if all(word in c[0].lower() for word in words)]
    if not rows:
        raise ToolError(f"Nobody in the crew is called {name!r}.")
    return rows


@tool(effect="read")
def crew_card(crew_no: int) -> dict:
    """Card of somebody in the crew: name, kind of licence and how long it is valid, day rate in euros, home town, telephone.

    Args:
        crew_no: Crew number.
    """
    name, licence, until, rate, home, phone = _crew(crew_no)
    return {
        "crew_no": crew_no,
        "name": name,
        "licence": licence,
        "licence_valid_until": until,
        "day_rate_eur": rate,
        "home": home,
        "telephone": phone,
    }


@tool(effect="read")
def client_search(name: str) -> list[dict]:
    """Finds clients by a part of their name: client number and name.

    Args:
        name: Part of the client's name.
    """
    words = name.lower().split()
    rows = [{"client_no": no, "name": c[0]} for no, c in CLIENTS.items() if all(word in c[0].lower() for word in words)]
    if not rows:
        raise ToolError(f"No client is called {name!r}.")
    return rows


@tool(effect="read")
def client_account(client_no: int) -> dict:
    """Account of a client: name, contact person, telephone, euros still unpaid, discount in percent.

    Args:
        client_no: Number of the client.
    """
    if client_no not in CLIENTS:
        raise ToolError(f"No client has the number {client_no}.")
    name, contact, phone, unpaid, discount = CLIENTS[client_no]
    return {"client": name, "contact": contact, "telephone": phone, "unpaid_eur": unpaid, "discount_percent": discount}


@tool(effect="read")
def vans() -> list[dict]:
    """All vehicles: plate, model, payload in kilograms, seats, permit for hazardous goods."""
    return VANS


@tool(effect="write")
def assign_crew(show_code: str, crew_no: int, task: Task) -> str:
    """Puts somebody of the crew on a show.

    Args:
        show_code: Such as F-44.
        crew_no: Crew number.
        task: What the person does there.
    """
    code, show = _show(show_code)
    person = _crew(crew_no)
    if show[2] in ("fired", "cancelled"):
        raise ToolError(f"{code} is {show[2]}; nobody can be put on it.")
    if task == "lead" and person[1] != "lead":
        raise ToolError(f"{person[0]} has no licence to lead.")
    return f"{person[0]} is now on {code} {show[0]} ({show[1]}): {task}."


@tool(effect="write")
def hold_stock(show_code: str, effect_id: str, pieces: int) -> str:
    """Sets pieces of an effect aside for a show.

    Args:
        show_code: Such as F-44.
        effect_id: Such as FX-13.
        pieces: How many.
    """
    code, show = _show(show_code)
    key, effect = _effect(effect_id)
    if show[2] in ("fired", "cancelled"):
        raise ToolError(f"{code} is {show[2]}; nothing is held for it.")
    there = sum(row[1] for row in STOCK.get(key, []))
    if pieces > there:
        raise ToolError(f"Only {there} pieces of {key} are in stock.")
    return f"{pieces} pieces of {key} {effect[0]} are held for {code} {show[0]}."
