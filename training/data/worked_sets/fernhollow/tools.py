"""Tools of the Fernhollow desk."""

import csv
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

Ward = Literal["ICU", "HEDGE", "AVIARY", "POOL", "MAMMAL", "QUARANTINE"]

with (Path(__file__).parent / "patients.csv").open(encoding="utf-8") as _file:
    PATIENTS = {int(row["no"]): row for row in csv.DictReader(_file, delimiter="|")}

WEIGHTS = {
    2101: "02-03 412,02-07 430,02-11 451,02-15 478,02-19 502,02-23 540,02-27 571,03-03 604",
    2102: "02-05 655,02-12 671,02-19 690,02-26 702,03-03 711",
    2105: "02-11 1840,02-12 1852,02-13 1849,02-14 1870,02-15 1888,02-16 1903,02-17 1921,02-18 1917,02-19 1940,"
    "02-20 1958,02-21 1977,02-22 1990,02-23 2006,02-24 2021,02-25 2044,02-26 2039,02-27 2061,02-28 2080,"
    "03-01 2097,03-02 2115,03-03 2132,03-04 2150,03-05 2146,03-06 2171,03-07 2190,03-08 2208,03-09 2223,"
    "03-10 2241,03-11 2236,03-12 2262,03-13 2279,03-14 2295,03-15 2318",
    2106: "02-12 5.2,02-19 5.4,02-26 5.1,03-05 5.6",
    2113: "02-19 467,02-23 455,02-27 449,03-03 462",
    2117: "02-21 320,02-25 402,03-01 497,03-05 588",
    2121: "02-24 389,02-28 405,03-04 433",
    2125: "02-26 402,03-01 395,03-04 399",
}

PLANS = {
    2101: (["07:00 puppy biscuit soaked|40", "21:00 cat food, chicken|65"], "Weigh before the evening meal."),
    2103: (["08:30 floating pellets|350", "16:00 lettuce and wheat|280"], "Serve in the water, never on the bank."),
    2105: (["06:00 trout, filleted|120", "12:00 trout, filleted|120", "18:00 sprats|150", "23:30 sprats|90"],
           "Do not talk while feeding: she must not get used to voices."),
    2107: (["20:00 dog food, beef|600", "23:00 peanuts and apple|150"], "Bowl at the far end of the pen."),
    2109: (["19:00 day-old chick|45"], "Vitamin K powder on the chick until the clotting test is clear."),
    2114: (["09:00 quail, whole|95", "17:00 mouse|30"], "Tongs only."),
    2116: (["07:30 sprats|160", "13:00 sprats|160", "18:30 sprats|130"], "Stand back: he stabs at eyes."),
    2117: (["07:00 goat milk formula|12", "13:00 goat milk formula|12", "19:00 goat milk formula|14"],
           "Syringe, held upright. From 500 g on leave fresh grass in the box."),
    2123: (["08:00 browse, bramble|700", "17:00 browse, ivy|500"], "No concentrates."),
    2129: (["06:30 wax worms|4", "09:30 wax worms|4", "12:30 wax worms|4", "15:30 wax worms|4", "18:30 wax worms|5"],
           "Open the beak from the side, with a fingernail."),
}

MEDICINE = {
    2102: [("enrofloxacin", 6.5, "oral", 2, "2031-03-09"), ("meloxicam", 0.13, "oral", 1, "2031-03-06")],
    2107: [("meloxicam", 1.8, "oral", 1, "2031-03-12"), ("tramadol", 18.0, "oral", 3, "2031-03-07")],
    2108: [("itraconazole", 5.0, "oral", 1, "2031-03-20")],
    2111: [("ivermectin", 0.94, "injection", 1, "2031-03-03")],
    2113: [("levamisole", 12.6, "injection", 1, "2031-03-05"), ("bromhexine", 0.5, "oral", 2, "2031-03-10")],
    2114: [("meloxicam", 0.42, "oral", 2, "2031-03-11"), ("co-amoxiclav", 105.0, "oral", 2, "2031-03-08")],
    2125: [("chloramphenicol", 2.0, "eye drops", 4, "2031-03-10")],
    2126: [("meloxicam", 0.32, "injection", 1, "2031-03-05")],
}

WARDS = {
    "ICU": ("Intensive care", 27.5, 55, 8, "Wren Castellano", "2 incubators are free"),
    "HEDGE": ("Hedgehog house", 21.0, 48, 24, "Odile Marchetti", "heat pad in box 9 is broken"),
    "AVIARY": ("Aviary", 9.5, 71, 15, "Piet Aldous", "flight tunnel closed until 12 March"),
    "POOL": ("Waterfowl pool", 7.0, 88, 10, "Tamsin Okoro", "water changed on 2 March"),
    "MAMMAL": ("Mammal block", 14.0, 60, 12, "Grete Sandvik", "pen 4 has a loose bolt"),
    "QUARANTINE": ("Quarantine", 19.5, 52, 6, "Wren Castellano", "gloves and overshoes at all times"),
}

FINDERS = {
    "F-104": ("Ishbel Crane", "Pellbridge", "01552 440 118", True),
    "F-109": ("Rolf Tannert", "Hartle", "01552 440 736", True),
    "F-111": ("Dunmore Farm (Mrs Abney)", "Dunmore", "01552 447 090", False),
    "F-118": ("Lucian Pruitt", "Tolley", "01552 441 265", True),
    "F-122": ("Highways depot", "Stype", "01552 449 500", False),
    "F-127": ("Marguerite Bell", "Ossing", "01552 443 871", True),
    "F-131": ("Yusuf Demirel", "Rennick", "01552 446 324", True),
    "F-133": ("Kilnside Pottery", "Kilnside", "01552 442 019", False),
    "F-136": ("Cat Hollis", "Pellbridge", "01552 440 902", True),
    "F-140": ("Revd. Amos Lightbody", "Pellbridge", "01552 440 333", True),
    "F-145": ("Forest warden Juno Strand", "Stype", "01552 449 127", True),
    "F-150": ("Hedley Marsh", "Tolley", "01552 441 588", False),
}

SHIFTS = """mon|06:00-10:00|feeder|Agnes Pole
mon|06:00-10:00|cleaner|Bertil Ng
mon|10:00-14:00|feeder|Corin Blight
mon|10:00-14:00|driver|Dee Farrow
mon|14:00-18:00|reception|Edda Voss
mon|18:00-22:00|feeder|Floyd Imber
tue|06:00-10:00|feeder|Bertil Ng
tue|06:00-10:00|cleaner|Gwen Harrow
tue|10:00-14:00|driver|Hal Quince
tue|10:00-14:00|reception|Edda Voss
tue|14:00-18:00|feeder|Agnes Pole
tue|18:00-22:00|feeder|Imke Roos
wed|06:00-10:00|feeder|Corin Blight
wed|06:00-10:00|cleaner|Joss Penhale
wed|10:00-14:00|driver|Dee Farrow
wed|10:00-14:00|reception|Kit Sorley
wed|14:00-18:00|feeder|Gwen Harrow
wed|18:00-22:00|feeder|Floyd Imber
thu|06:00-10:00|feeder|Agnes Pole
thu|06:00-10:00|cleaner|Bertil Ng
thu|10:00-14:00|driver|Lorna Tweed
thu|10:00-14:00|reception|Kit Sorley
thu|14:00-18:00|feeder|Joss Penhale
thu|18:00-22:00|feeder|Imke Roos
fri|06:00-10:00|feeder|Gwen Harrow
fri|06:00-10:00|cleaner|Joss Penhale
fri|10:00-14:00|driver|Hal Quince
fri|10:00-14:00|reception|Edda Voss
fri|14:00-18:00|feeder|Corin Blight
fri|18:00-22:00|feeder|Floyd Imber
sat|07:00-12:00|feeder|Imke Roos
sat|07:00-12:00|cleaner|Magnus Tull
sat|07:00-12:00|driver|Lorna Tweed
sat|12:00-18:00|feeder|Nan Ostrow
sat|12:00-18:00|reception|Kit Sorley
sun|07:00-12:00|feeder|Nan Ostrow
sun|07:00-12:00|cleaner|Magnus Tull
sun|12:00-18:00|feeder|Floyd Imber
sun|12:00-18:00|driver|Dee Farrow"""

SITES = [
    ("WD-1", "Stype Wood north ride", "woodland", 6, "Juno Strand"),
    ("WD-2", "Old Coppice", "woodland", 3, "Elspeth Dray"),
    ("WD-3", "Hanger Bank", "woodland", 4, "Elspeth Dray"),
    ("WT-1", "Hartle Brook weir pool", "wetland", 2, "Rolf Tannert"),
    ("WT-2", "Pell Water Meadows", "wetland", 12, "Ishbel Crane"),
    ("FM-1", "Dunmore stackyard", "farmland", 5, "Mrs Abney"),
    ("FM-2", "Ossing headland", "farmland", 8, "Marguerite Bell"),
    ("GD-1", "Tolley allotments", "garden", 20, "Lucian Pruitt"),
    ("GD-2", "Vicarage garden", "garden", 9, "Amos Lightbody"),
]

STOCK = {
    "sprats": (18.5, "kg", 2.1, "freezer 2"),
    "trout": (6.0, "kg", 0.5, "freezer 1"),
    "mealworms": (4.2, "kg", 0.7, "insect cabinet"),
    "wax worms": (0.9, "kg", 0.1, "insect cabinet"),
    "day-old chicks": (260, "pieces", 13, "freezer 3"),
    "puppy biscuit": (45.0, "kg", 1.5, "dry store"),
    "cat food": (96, "tins", 12, "dry store"),
    "goat milk formula": (3.2, "kg", 0.08, "dry store"),
    "straw": (31, "bales", 2, "cart shed"),
    "nitrile gloves": (1400, "pairs", 70, "prep room"),
}

# mg per kg of body weight: mammal, bird, reptile
DOSES = {
    "meloxicam": (0.2, 0.5, 0.3),
    "enrofloxacin": (10.0, 15.0, 5.0),
    "ivermectin": (0.2, 0.2, None),
    "itraconazole": (10.0, 10.0, 5.0),
}


def _patient(patient_no: int) -> dict[str, str]:
    if patient_no not in PATIENTS:
        raise ToolError(f"There is no patient {patient_no}. Numbers run from 2060 to 2134; find_patients lists them.")
    return PATIENTS[patient_no]


@tool(effect="read")
def find_patients(
    species: str | None = None,
    ward: Ward | None = None,
    status: Literal["in care", "released", "transferred", "died", "any"] = "in care",
    name: str | None = None,
) -> list[dict]:
    """Lists animals of the hospital with number, name, species and ward.

    Args:
        species: Part of the English name of the species, such as owl or hedgehog.
        ward: Only those of this ward.
        status: What became of them. Animals that left are only listed when asked for.
        name: Part of the name that the animal was given.
    """
    rows = [
        {"patient_no": no, "name": row["name"], "species": row["species"], "ward": row["ward"], "status": row["status"]}
        for no, row in sorted(PATIENTS.items())
        if (status == "any" or row["status"] == status)
        and (not species or species.lower().rstrip("s") in row["species"])
        and (not ward or row["ward"] == ward)
        and (not name or name.lower() in row["name"].lower())
    ]
    if not rows:
        raise ToolError("No animal fits. Try another species, name, or status 'any'.")
    return rows


@tool(effect="read")
def patient_record(patient_no: int) -> dict:
    """The admission record of one animal: sex, when and where it was found, by whom, why it came, its weight then, keeper.

    Args:
        patient_no: Number of the patient, such as 2101.
    """
    row = _patient(patient_no)
    return {
        "patient_no": patient_no,
        "name": row["name"],
        "species": row["species"],
        "sex": {"f": "female", "m": "male"}[row["sex"]],
        "admission": {
            "date": row["admitted"],
            "found_at": row["found_at"],
            "finder_id": row["finder"],
            "cause": row["cause"],
            "weight_g": float(row["weight_g"]),
        },
        "keeper": row["keeper"],
        "status": row["status"],
    }


@tool(effect="read")
def weight_history(patient_no: int) -> list[dict]:
    """All weighings of a patient since it came, in grams, oldest first.

    Args:
        patient_no: Number of the patient.
    """
    _patient(patient_no)
    if patient_no not in WEIGHTS:
        raise ToolError(f"Patient {patient_no} was not weighed again after admission.")
    rows = []
    for part in WEIGHTS[patient_no].split(","):
        day, grams = part.split()
        rows.append({"date": f"2031-{day}", "grams": float(grams)})
    return rows


@tool(effect="read")
def feeding_plan(patient_no: int) -> dict:
    """What a patient is fed, at what time, how many grams, and what the feeder must mind.

    Args:
        patient_no: Number of the patient.
    """
    row = _patient(patient_no)
    if patient_no not in PLANS:
        return {"patient": row["name"], "meals": [], "note": "No plan of its own: standard diet of the ward."}
    meals, note = PLANS[patient_no]
    listed = [
        {"time": meal[:5], "food": meal[6:].split("|")[0], "grams": int(meal.split("|")[1])} for meal in meals
    ]
    return {"patient": row["name"], "meals": listed, "note": note}


@tool(effect="read")
def medication_chart(patient_no: int) -> list[dict]:
    """The medicines that a patient is given now: drug, dose in mg, route, how often a day, and the last day.

    Args:
        patient_no: Number of the patient.
    """
    row = _patient(patient_no)
    if patient_no not in MEDICINE:
        raise ToolError(f"{row['name']} ({patient_no}) is given no medicine.")
    keys = ("drug", "dose_mg", "route", "times_per_day", "until")
    return [dict(zip(keys, line, strict=True)) for line in MEDICINE[patient_no]]


@tool(effect="read")
def dose_for_weight(drug: str, weight_g: float, kind: Literal["mammal", "bird", "reptile"]) -> str:
    """Works out a single dose of a drug from body weight.

    Args:
        drug: meloxicam, enrofloxacin, ivermectin or itraconazole.
        weight_g: Body weight in grams.
        kind: Kind of animal; the doses differ.
    """
    rates = DOSES.get(drug.lower())
    if rates is None:
        raise ToolError(f"No rate for {drug!r}. Known: {', '.join(DOSES)}.")
    rate = rates[("mammal", "bird", "reptile").index(kind)]
    if rate is None:
        raise ToolError(f"{drug} must not be given to a {kind}.")
    return f"{drug.capitalize()} for a {kind} of {weight_g:g} g: {round(rate * weight_g / 1000, 3):g} mg per dose ({rate:g} mg/kg)."


@tool(effect="read")
def ward_status(ward: Ward) -> dict:
    """Climate, places and remarks of a ward, and who leads it.

    Args:
        ward: Code of the ward.
    """
    title, celsius, humidity, places, lead, remark = WARDS[ward]
    taken = sum(row["ward"] == ward and row["status"] == "in care" for row in PATIENTS.values())
    return {
        "ward": title,
        "temperature_c": celsius,
        "humidity_percent": humidity,
        "places": {"total": places, "taken": taken, "free": places - taken},
        "lead": lead,
        "remark": remark,
    }


@tool(effect="read")
def finder_contact(finder_id: str) -> dict:
    """Name, town and phone of a person who brought animals, and whether they want to hear how it goes.

    Args:
        finder_id: Such as F-118.
    """
    found = FINDERS.get(finder_id.strip().upper())
    if found is None:
        raise ToolError(f"No finder {finder_id}. The ids look like F-118 and stand in the patient's record.")
    return dict(zip(("name", "town", "phone", "wants_updates"), found, strict=True))


@tool(effect="read")
def volunteer_rota(
    day: Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"] | None = None,
    role: Literal["feeder", "cleaner", "driver", "reception"] | None = None,
) -> list[dict]:
    """The weekly rota of the volunteers; all of it where neither a day nor a role is given.

    Args:
        day: Day of the week.
        role: What they do.
    """
    rows = [dict(zip(("day", "hours", "role", "volunteer"), line.split("|"), strict=True)) for line in SHIFTS.splitlines()]
    return [row for row in rows if (not day or row["day"] == day) and (not role or row["role"] == role)]


@tool(effect="read")
def release_sites(habitat: Literal["woodland", "wetland", "farmland", "garden"] | None = None) -> list[dict]:
    """Places where animals may be set free, with code, how many they still take this season, and the warden.

    Args:
        habitat: Kind of country.
    """
    keys = ("site_code", "name", "habitat", "room_for", "warden")
    return [dict(zip(keys, site, strict=True)) for site in SITES if not habitat or site[2] == habitat]


@tool(effect="write")
def plan_release(patient_no: int, site_code: str, date: str) -> str:
    """Puts the release of a patient at a site on the calendar.

    Args:
        patient_no: Number of the patient.
        site_code: Code of the release site, such as WD-1.
        date: Day, YYYY-MM-DD.
    """
    row = _patient(patient_no)
    site = next((one for one in SITES if one[0] == site_code.strip().upper()), None)
    if site is None:
        raise ToolError(f"No release site {site_code}. Codes: {', '.join(one[0] for one in SITES)}.")
    if row["status"] != "in care":
        raise ToolError(f"{row['name']} is not in care any more ({row['status']}).")
    return f"Release R{patient_no % 100:02d}-{site[0]} planned: {row['name']} at {site[1]} on {date}. Warden {site[4]} gets a note."


@tool(effect="write")
def record_weight(patient_no: int, grams: float) -> str:
    """Enters a weighing of today into a patient's history.

    Args:
        patient_no: Number of the patient.
        grams: Weight in grams.
    """
    row = _patient(patient_no)
    before = float(WEIGHTS[patient_no].split()[-1]) if patient_no in WEIGHTS else float(row["weight_g"])
    return f"Entered {grams:g} g for {row['name']} ({patient_no}). Change since the last weighing: {grams - before:+g} g."


@tool(effect="read")
def stock_level(item: str) -> str:
    """How much there is of a food or supply, where it lies, and how long it will last.

    Args:
        item: Such as sprats, straw or nitrile gloves.
    """
    wanted = item.strip().lower()
    for name, (amount, unit, daily, place) in STOCK.items():
        if name in wanted or wanted.rstrip("s") in name:
            days = int(round(amount / daily, 6))
            return f"There are {amount:g} {unit} of {name} in {place}; at {daily:g} {unit} a day that lasts {days} days."
    raise ToolError(f"{item!r} is not kept in stock. Kept are: {', '.join(STOCK)}.")
