"""Night desk of Skyridge: everything here is plain data, so that the desk also works offline."""

import math
from typing import Literal

from glassloop import ToolError, tool

Telescope = Literal["Alba 2.1m", "Corvid 1.0m", "Wide Eye 0.6m"]

# id, names, type, constellation, ra hours, dec degrees, magnitude, distance (ly), size (arcmin)
OBJECTS = [
    ("SR-2003", ["M13", "Hercules Cluster", "NGC 6205"], "globular cluster", "Hercules", 16.695, 36.46, 5.8, 22200, 20.0),
    ("SR-2011", ["M57", "Ring Nebula", "NGC 6720"], "planetary nebula", "Lyra", 18.893, 33.03, 8.8, 2570, 1.4),
    ("SR-2017", ["M51", "Whirlpool Galaxy", "NGC 5194"], "spiral galaxy", "Canes Venatici", 13.498, 47.2, 8.4, 31000000, 11.2),
    ("SR-2024", ["NGC 7662", "Blue Snowball"], "planetary nebula", "Andromeda", 23.432, 42.53, 8.3, 5600, 0.5),
    ("SR-2029", ["M81", "Bode's Galaxy", "NGC 3031"], "spiral galaxy", "Ursa Major", 9.926, 69.07, 6.9, 11800000, 26.9),
    ("SR-2030", ["M82", "Cigar Galaxy", "NGC 3034"], "starburst galaxy", "Ursa Major", 9.931, 69.68, 8.4, 12000000, 11.2),
    ("SR-2036", ["Vesna's Star", "SKR 114"], "eruptive variable star", "Cassiopeia", 1.118, 60.9, 13.7, 4100, 0.0),
    ("SR-2041", ["Tarn Object", "SKR 209"], "supernova remnant", "Perseus", 3.262, 45.1, 15.2, 9300, 3.6),
    ("SR-2045", ["HR 8799"], "star with planets", "Pegasus", 23.125, 21.13, 6.0, 133, 0.0),
    ("SR-2050", ["Comet Ilmarinen", "C/2030 Q4"], "comet", "Leo", 10.402, 12.75, 11.3, 0, 4.8),
    ("SR-2058", ["M31", "Andromeda Galaxy", "NGC 224"], "spiral galaxy", "Andromeda", 0.712, 41.27, 3.4, 2540000, 190.0),
    ("SR-2063", ["Lantern Quasar", "QSO 0914+51"], "quasar", "Ursa Major", 9.233, 51.4, 16.9, 8100000000, 0.0),
]

# code, title, state, investigator id, instrument, hours awarded, hours used, priority, object ids
PROPOSALS = [
    ("P31-02", "Eruption watch on Vesna's Star", "running", 318, "FLINT", 24.0, 17.5, "A", ["SR-2036"]),
    ("P31-05", "Dust lanes in interacting galaxies", "running", 204, "MOSAIC-4", 40.0, 12.25, "B", ["SR-2017", "SR-2030"]),
    ("P31-07", "Expansion of the Tarn supernova remnant", "running", 277, "NARWHAL", 32.0, 30.0, "A", ["SR-2041"]),
    ("P31-09", "Central stars of planetary nebulae", "on hold", 204, "FLINT", 18.0, 3.0, "C", ["SR-2011", "SR-2024"]),
    ("P31-12", "Coma chemistry of Comet Ilmarinen", "running", 351, "NARWHAL", 15.0, 6.5, "A", ["SR-2050"]),
    ("P31-14", "Rapid variability of the Lantern Quasar", "submitted", 366, "FLINT", 0.0, 0.0, "-", ["SR-2063"]),
    ("P31-15", "Blue stragglers in globular clusters", "submitted", 318, "MOSAIC-4", 0.0, 0.0, "-", ["SR-2003"]),
    ("P30-21", "Astrometry of directly imaged planets", "finished", 239, "NARWHAL", 20.0, 20.0, "B", ["SR-2045"]),
    ("P30-26", "Starburst winds", "finished", 277, "NARWHAL", 28.0, 26.75, "A", ["SR-2030"]),
]

PEOPLE = {
    204: ("Dr. Amparo Liddell", "University of Tarrin", "a.liddell@tarrin.example", "+44 20 5550 118"),
    239: ("Prof. Jun Hasegawa", "Kitami Institute", "hasegawa@kitami.example", "+81 3 5550 442"),
    277: ("Dr. Oriel Vance", "Skyridge staff", "vance@skyridge.example", "ext. 31"),
    318: ("Dr. Milena Dostál", "Brno Variable Star Group", "dostal@bvsg.example", "+420 5550 907"),
    351: ("Dr. Kwabena Asare", "Volta Observatory", "asare@volta.example", "+233 5550 260"),
    366: ("Saoirse Finnegan, PhD student", "University of Tarrin", "s.finnegan@tarrin.example", "+44 20 5550 131"),
}

INSTRUMENTS = {
    "FLINT": {"kind": "photometer", "telescope": "Corvid 1.0m", "detector": {"pixels": "1024 x 1024", "read_noise_e": 3.1, "cooled_to_c": -70},
              "field_arcmin": 7.5, "filters": ["U", "B", "V", "R", "I"]},
    "NARWHAL": {"kind": "spectrograph", "telescope": "Alba 2.1m", "detector": {"pixels": "4096 x 2048", "read_noise_e": 2.4, "cooled_to_c": -95},
                "resolving_power": 14500, "range_nm": [370, 920], "filters": []},
    "MOSAIC-4": {"kind": "camera", "telescope": "Wide Eye 0.6m", "detector": {"pixels": "9600 x 9600", "read_noise_e": 5.8, "cooled_to_c": -40},
                 "field_arcmin": 96, "filters": ["g", "r", "i", "H-alpha"]},
}

SCHEDULE = {
    "2031-03-14": """1|19:30|90|Alba 2.1m|P31-12
2|21:00|120|Alba 2.1m|P31-07
3|23:00|150|Alba 2.1m|engineering
4|19:45|60|Corvid 1.0m|P31-02
5|20:45|195|Corvid 1.0m|P31-09
6|00:15|180|Corvid 1.0m|P31-02
7|19:30|240|Wide Eye 0.6m|P31-05
8|23:30|300|Wide Eye 0.6m|sky survey""",
    "2031-03-15": """1|19:30|210|Alba 2.1m|P31-12
2|23:00|330|Alba 2.1m|P31-07
3|19:45|540|Corvid 1.0m|P31-02
4|19:30|360|Wide Eye 0.6m|sky survey
5|01:30|180|Wide Eye 0.6m|P31-05""",
    "2031-03-16": """1|19:30|480|Alba 2.1m|mirror washing
2|20:00|240|Corvid 1.0m|P31-09
3|00:00|240|Corvid 1.0m|school visit
4|19:30|540|Wide Eye 0.6m|sky survey""",
}

FAULTS = [
    (881, "2031-02-11", "Alba 2.1m", "minor", "Dust cover does not report closed", "open", "T. Brandvold", 0.0),
    (884, "2031-02-19", "Corvid 1.0m", "major", "Filter wheel of FLINT stuck on V", "fixed", "T. Brandvold", 5.5),
    (886, "2031-02-27", "Wide Eye 0.6m", "minor", "Guide camera noisy after power cut", "open", "R. Iyer", 1.25),
    (889, "2031-03-03", "Alba 2.1m", "critical", "Dome shutter jammed half open", "fixed", "R. Iyer", 9.75),
    (890, "2031-03-05", "Alba 2.1m", "minor", "Coolant of NARWHAL below mark", "fixed", "T. Brandvold", 0.5),
    (893, "2031-03-08", "Corvid 1.0m", "major", "Declination drive slips below 10 degrees", "open", "R. Iyer", 3.0),
    (895, "2031-03-12", "Wide Eye 0.6m", "major", "Focus motor loses steps in the cold", "open", "L. Quist", 2.25),
    (896, "2031-03-13", "Alba 2.1m", "minor", "Lamp in the control room flickers", "open", "L. Quist", 0.0),
]

ZERO = {"U": 21.1, "B": 22.6, "V": 22.4, "R": 22.5, "I": 21.9}


def _object(object_id):
    for row in OBJECTS:
        if row[0] == object_id.strip().upper():
            return row
    raise ToolError(f"Unknown object id {object_id!r}. Get the id (SR-…) from resolve_object first.")


def _clock(hours):
    minutes = round(hours * 60) % 1440
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


@tool(effect="read")
def resolve_object(name: str) -> dict:
    """Finds an object by its name or catalogue number and gives its Skyridge id, type and constellation.

    Args:
        name: e.g. "Ring Nebula", "M57" or "NGC 6720".
    """
    wanted = "".join(name.lower().replace("'s", "").split())
    hits = [row for row in OBJECTS if any(wanted in "".join(one.lower().replace("'s", "").split()) for one in row[1])]
    exact = [row for row in hits if any(wanted == "".join(one.lower().replace("'s", "").split()) for one in row[1])]
    hits = exact or hits
    if not hits:
        raise ToolError(f"Nothing called {name!r} is in the Skyridge list of {len(OBJECTS)} objects.")
    return {"matches": [{"object_id": r[0], "names": r[1], "type": r[2], "constellation": r[3]} for r in hits]}


@tool(effect="read")
def object_data(object_id: str) -> dict:
    """Position, brightness, distance and apparent size of an object.

    Args:
        object_id: Skyridge id such as SR-2011.
    """
    row = _object(object_id)
    return {"object_id": row[0], "ra_hours": row[4], "dec_deg": row[5], "magnitude": row[6],
            "distance_ly": row[7] or None, "size_arcmin": row[8]}


@tool(effect="read")
def visibility(object_id: str, night: str) -> str:
    """When an object crosses the meridian during a night, and how high it stands then.

    Args:
        object_id: Skyridge id.
        night: Date of the evening, YYYY-MM-DD.
    """
    row = _object(object_id)
    try:
        year, month, day = (int(part) for part in night.split("-"))
    except ValueError:
        raise ToolError("night must be written YYYY-MM-DD.") from None
    turned = (month * 30.4 + day) * 24 / 365.25
    transit = (row[4] - turned + 19.4) % 24
    altitude = 90 - abs(47.5 - row[5])
    return f"{row[1][0]} culminates at {_clock(transit)} local time in the night of {night}, {altitude:.1f} degrees above the horizon."


@tool(effect="read")
def search_proposals(text: str = "", state: Literal["submitted", "running", "on hold", "finished"] | None = None) -> list[dict]:
    """Searches the observing proposals by words of their title.

    Args:
        text: A word of the title; empty for all.
        state: Only proposals in this state.
    """
    words = text.lower().split()
    rows = [{"code": p[0], "title": p[1], "state": p[2]} for p in PROPOSALS
            if (not state or p[2] == state) and all(w.rstrip("s") in p[1].lower() for w in words)]
    if not rows:
        raise ToolError("No proposal fits; try a single word of the title.")
    return rows


@tool(effect="read")
def proposal_status(code: str) -> dict:
    """Hours awarded and used, instrument, priority, targets and principal investigator (by id) of a proposal.

    Args:
        code: Such as P31-07.
    """
    for p in PROPOSALS:
        if p[0] == code.strip().upper():
            return {"code": p[0], "state": p[2], "principal_investigator_id": p[3], "instrument": p[4],
                    "hours": {"awarded": p[5], "used": p[6], "left": p[5] - p[6]}, "priority": p[7], "target_ids": p[8]}
    raise ToolError(f"There is no proposal {code}. Codes look like P31-07.")


@tool(effect="read")
def get_person(person_id: int) -> dict:
    """Name, institute, mail and phone of an astronomer.

    Args:
        person_id: Number of the person.
    """
    if person_id not in PEOPLE:
        raise ToolError(f"Nobody has the number {person_id}.")
    return dict(zip(("name", "institute", "email", "phone"), PEOPLE[person_id], strict=True))


@tool(effect="read")
def instrument_specs(instrument: Literal["FLINT", "NARWHAL", "MOSAIC-4"]) -> dict:
    """What an instrument can do: kind, telescope, detector, field of view, filters.

    Args:
        instrument: Its name.
    """
    return {"instrument": instrument, **INSTRUMENTS[instrument]}


@tool(effect="read")
def night_schedule(date: str, telescope: Telescope | None = None) -> list[dict]:
    """The observing slots of a night: number, start, length in minutes, telescope and who has it.

    Args:
        date: Date of the evening, YYYY-MM-DD.
        telescope: Only this one.
    """
    if date not in SCHEDULE:
        raise ToolError(f"No schedule for {date}; there is one for {', '.join(SCHEDULE)}.")
    rows = []
    for line in SCHEDULE[date].splitlines():
        slot, start, minutes, scope, use = line.split("|")
        if not telescope or scope == telescope:
            rows.append({"slot": int(slot), "start": start, "minutes": int(minutes), "telescope": scope, "use": use})
    return rows


@tool(effect="read")
def weather_log(date: str) -> list[dict]:
    """Weather of a night every quarter of an hour: humidity (percent), wind (km/h) and seeing (arcsec).

    Args:
        date: Date of the evening, YYYY-MM-DD; the log has 2031-03-10 to 2031-03-13.
    """
    if date not in ("2031-03-10", "2031-03-11", "2031-03-12", "2031-03-13"):
        raise ToolError(f"There is no weather log for {date}, only for 2031-03-10 to 2031-03-13.")
    day = int(date[-2:])
    rows = []
    for step in range(41):
        clock = _clock(19.0 + step / 4)
        humidity = 52 + (step * 7 + day * 5) % 31
        wind = 6 + (step * 11 + day * 3) % 37
        seeing = round(0.8 + ((step * 13 + day * 7) % 29) / 20, 2)
        rows.append({"time": clock, "humidity": humidity, "wind_kmh": wind, "seeing": seeing})
    return rows


@tool(effect="read")
def exposure_time(magnitude: float, snr: int, band: Literal["U", "B", "V", "R", "I"] = "V") -> str:
    """Estimates how long FLINT must expose to reach a signal-to-noise ratio on a star.

    Args:
        magnitude: Brightness of the star.
        snr: Signal-to-noise ratio wanted.
        band: Filter.
    """
    seconds = math.ceil(snr**2 / (10 ** (0.4 * (ZERO[band] - magnitude))) * 10)
    return f"FLINT needs {seconds} s in {band} for a star of magnitude {magnitude:g} at a signal-to-noise ratio of {snr}."


@tool(effect="read")
def list_faults(
    telescope: Telescope | None = None,
    severities: list[Literal["minor", "major", "critical"]] | None = None,
    only_open: bool = False,
) -> list[dict]:
    """Reported faults: number, day, telescope and what is wrong.

    Args:
        telescope: Only of this telescope.
        severities: Only of these severities.
        only_open: Leave out what is fixed.
    """
    rows = [{"fault": f[0], "reported": f[1], "telescope": f[2], "what": f[4]} for f in FAULTS
            if (not telescope or f[2] == telescope) and (not severities or f[3] in severities)
            and (not only_open or f[5] == "open")]
    if not rows:
        raise ToolError("No fault fits.")
    return rows


@tool(effect="read")
def fault_report(fault: int) -> str:
    """The report on one fault: severity, state, technician and observing hours lost.

    Args:
        fault: Number of the fault.
    """
    for f in FAULTS:
        if f[0] == fault:
            return f"Fault {fault} ({f[3]}, {f[5]}): {f[4].lower()}. {f[6]} is on it; {f[7]:g} hours of observing were lost."
    raise ToolError(f"No fault {fault}. The newest is {FAULTS[-1][0]}.")


@tool(effect="write")
def request_time(code: str, date: str, start: str, minutes: int) -> str:
    """Asks for an observing slot for a proposal.

    Args:
        code: Proposal.
        date: Evening, YYYY-MM-DD.
        start: Clock time, HH:MM.
        minutes: How long.
    """
    for p in PROPOSALS:
        if p[0] == code.strip().upper():
            if minutes / 60 > p[5] - p[6]:
                raise ToolError(f"{p[0]} has only {p[5] - p[6]:g} hours left.")
            return f"Request RQ-{p[0][-2:]}{date[-2:]} is in: {minutes} min for {p[0]} on {date} from {start}. It leaves {p[5] - p[6] - minutes / 60:g} hours."
    raise ToolError(f"There is no proposal {code}.")
