"""The books of the Brackenhull Harbour Office (all invented). The data never changes; what is written gets a number and is forgotten."""

import json
import re
import zlib
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

BOOKS: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
BOATS, SKIPPERS, BUYERS, PERMITS = BOOKS["boats"], BOOKS["skippers"], BOOKS["buyers"], BOOKS["permits"]
LANDINGS, BOXES, BERTHS, STAYS, GATES = (BOOKS[k] for k in ("landings", "boxes", "berths", "stays", "gates"))
FUEL_GBP = {"gas oil": 0.9, "hvo": 1.4, "petrol": 1.6}
TODAY, MOST_ROWS = "2032-05-18", 12
Row = dict[str, Any]


def _plain(text: object) -> str:
    return " ".join(re.findall(r"\w+", str(text).casefold().replace("'", "").replace("’", "").replace("&", " and ")))


def _squeezed(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _hits(said: str, table: dict[str, Row], *fields: str) -> list[str]:
    """Keys of the records that have all the words that were said, in their key or in one of the fields."""
    words = [w for w in _plain(said).split() if w not in ("the", "of", "and", "a")]
    texts = {k: _plain(f"{k} {' '.join(str(r[f]) for f in fields)}") for k, r in table.items()}
    return [k for k, text in texts.items() if words and all(w in text for w in words)]


def _entry(said: str, table: dict[str, Row], missing: str) -> str:
    """The key that was meant, whatever its case, spaces and dashes."""
    found = next((k for k in table if _squeezed(k) == _squeezed(said)), None)
    if found is None:
        raise ToolError(missing)
    return found


def _boat(mark: str) -> str:
    return _entry(
        mark, BOATS, f"No boat has the mark {mark!r}: BKN and three digits. fleet_lookup finds it by name or digits."
    )


def _buyer(paddle: str) -> str:
    return _entry(paddle, BUYERS, f"{paddle!r} is no paddle number: FB and three digits. buyer_index finds it by firm.")


def _day(text: str, name: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{name} {text!r} is no day: write YYYY-MM-DD.") from None


def _later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _coming(text: str, name: str) -> str:
    day = _day(text, name)
    if day < TODAY:
        raise ToolError(f"{name} {day} is past: choose {TODAY} or later.")
    return day


def _slip(*parts: object) -> int:
    return zlib.crc32("/".join(map(str, parts)).encode()) % 90000 + 10000


@tool
def fleet_lookup(
    words: str = "", gear: Literal["trawler", "netter", "potter", "dredger", "angling", "ferry"] | None = None
) -> list[Row]:
    """Look for boats by name, by the digits of the mark or by gear. Tells mark, name, gear and home quay, not where she lies.

    Args:
        words: The boat's name, a part of it, or the digits of her mark. May be left out if gear is said.
        gear: Only boats of this gear.
    """
    if not words.strip() and gear is None:
        raise ToolError("Say a name, digits of a mark, or a gear.")
    found = _hits(words, BOATS, "name") if words.strip() else list(BOATS)
    rows = [
        {"boatMark": k, "name": BOATS[k]["name"], "gear": BOATS[k]["gear"], "homeQuay": BOATS[k]["homeQuay"]}
        for k in found
        if gear in (None, BOATS[k]["gear"])
    ]
    if not rows:
        raise ToolError(f"No boat fits {words!r}. People are in skipper_roll, firms in buyer_index.")
    return rows


@tool
def vessel_papers(boatMark: str) -> Row:
    """All papers of one boat: size, draught, year, skipper's key, permit, tank, fuel, call sign, dues, berth she lies at now.

    Args:
        boatMark: The mark on her bow (BKN and three digits). Names are not read.
    """
    mark = _boat(boatMark)
    return {"boatMark": mark, **BOATS[mark]}


@tool
def skipper_roll(name: str) -> list[Row]:
    """Look for skippers by name. Tells key, name, class of ticket and home town.

    Args:
        name: First name, last name or both.
    """
    rows = [
        {"skipperKey": k, "name": s["name"], "ticket": s["ticket"], "town": s["town"]}
        for k, s in SKIPPERS.items()
        if k in _hits(name, SKIPPERS, "name")
    ]
    if not rows:
        raise ToolError(f"No skipper is called {name!r}. Buyers' people are in buyer_index, boats in fleet_lookup.")
    return rows


@tool
def skipper_file(skipperKey: str) -> Row:
    """The file of one skipper: mobile, until when the ticket is good, boat, name on the radio, birth, languages, next of kin.

    Args:
        skipperKey: SKP/ and two digits, as a boat's papers or the roll give it.
    """
    key = _entry(
        skipperKey, SKIPPERS, f"No skipper has the key {skipperKey!r}: SKP/ and two digits. skipper_roll finds it by name."
    )
    return {"skipperKey": key, **{f: v for f, v in SKIPPERS[key].items() if f != "ticket"}}


@tool
def buyer_index(
    text: str = "", trade: Literal["fishmonger", "processor", "smokehouse", "exporter", "restaurant"] | None = None
) -> list[Row]:
    """Look for buyers of the fish market by firm, contact or trade. Tells paddle number, firm, trade and credit band.

    Args:
        text: Firm or contact person, or a part of the name. May be left out if trade is said.
        trade: Only buyers of this trade.
    """
    if not text.strip() and trade is None:
        raise ToolError("Say a firm, a person or a trade.")
    found = _hits(text, BUYERS, "firm", "contact") if text.strip() else list(BUYERS)
    rows = [
        {"paddleNo": k, "firm": BUYERS[k]["firm"], "trade": BUYERS[k]["trade"], "creditBand": BUYERS[k]["creditBand"]}
        for k in found
        if trade in (None, BUYERS[k]["trade"])
    ]
    if not rows:
        raise ToolError(f"No buyer fits {text!r}. Boats are in fleet_lookup, skippers in skipper_roll.")
    return rows


@tool
def buyer_account(paddleNo: str) -> Row:
    """One buyer's account: contact, telephone, credit limit, what is owed, days to pay, deposit, seat in the market hall.

    Args:
        paddleNo: FB and three digits.
    """
    paddle = _buyer(paddleNo)
    return {"paddleNo": paddle, **{k: v for k, v in BUYERS[paddle].items() if k not in ("creditBand", "trade")}}


@tool
def quay_board(
    day: str, quay: Literal["East Quay", "West Quay", "Basin", "Ferry Pier"] | None = None, onlyFree: bool = False
) -> list[Row]:
    """Berths on the night of a day: longest boat, depth, pounds a night, who has it and until which night.

    Args:
        day: YYYY-MM-DD, not past.
        quay: Only this quay.
        onlyFree: Only berths that nobody has that night.
    """
    when = _coming(day, "day")
    if when > "2032-06-05":
        raise ToolError("The board is kept up to 2032-06-05.")
    rows = []
    for k, b in BERTHS.items():
        stay = next((s for s in STAYS if s["berth"] == k and s["fromDay"] <= when <= s["lastNight"]), None)
        if quay in (None, b["quay"]) and not (onlyFree and stay):
            told = {"berth": k, "maxLengthM": b["maxLengthM"], "depthM": b["depthM"], "gbpNight": b["gbpNight"]}
            rows.append({**told, "takenBy": stay and stay["boatMark"], "lastNight": stay and stay["lastNight"]})
    if not rows:
        raise ToolError(f"No berth is free{f' at {quay}' if quay else ''} on {when}. Try another quay or day.")
    return rows


@tool
def landings_between(
    fromDay: str,
    toDay: str,
    boatMark: str | None = None,
    species: str | None = None,
    state: Literal["waiting", "sold", "unsold"] | None = None,
) -> list[Row]:
    """Landings of some days, earliest first: lot, time, boat, species, kilos, whether sold, price per kilo, buyer's paddle.

    Args:
        fromDay: First day, YYYY-MM-DD.
        toDay: Last day, YYYY-MM-DD, the same for one day.
        boatMark: Only what this boat landed.
        species: Only this species, in English.
        state: waiting = not called yet, sold, or unsold = called and nobody bought.
    """
    first, last = _day(fromDay, "fromDay"), _day(toDay, "toDay")
    if last < first:
        raise ToolError("toDay is before fromDay.")
    mark = _boat(boatMark) if boatMark else None
    kinds = sorted({str(n["species"]) for n in LANDINGS.values()})
    if species and _plain(species) not in kinds:
        raise ToolError(f"No species {species!r} in the log. There are: {', '.join(kinds)}.")
    rows = [
        {"lot": k, **n}
        for k, n in LANDINGS.items()
        if first <= n["day"] <= last
        and mark in (None, n["boatMark"])
        and (not species or _plain(species) == n["species"])
        and state in (None, n["state"])
    ]
    if not rows:
        raise ToolError("No landing fits. The log runs from 2032-05-11 to 2032-05-18.")
    if len(rows) > MOST_ROWS:
        raise ToolError(f"{len(rows)} landings are too many: take fewer days, or one boatMark, species or state.")
    return rows


@tool
def permit_slip(permitNo: str) -> Row:
    """One permit: kind, boat, species, quota and kilos landed so far, status, last day, inspector, conditions.

    Args:
        permitNo: PM, two digits of the year, a dash and four digits. A boat's papers name hers.
    """
    near = [k for k in PERMITS if _squeezed(k).replace("0", "") == _squeezed(permitNo).replace("0", "")]
    hint = f"Is it {near[0]}? " if near else ""
    number = _entry(permitNo, PERMITS, f"No permit {permitNo!r} on file. {hint}vessel_papers name a boat's permit.")
    return {"permitNo": number, **PERMITS[number]}


@tool
def gate_openings(day: str) -> list[Row]:
    """When the tide gates stand open on a day: gate, opens, closes, high water, depth over the sill in metres.

    Args:
        day: YYYY-MM-DD
    """
    when = _day(day, "day")
    if when not in GATES:
        raise ToolError(f"Gate times are out for {min(GATES)} to {max(GATES)} only.")
    return GATES[when]


@tool
def cold_hall(
    hall: Literal["North Hall", "South Hall", "Live Tanks"] | None = None, onlyFree: bool = False
) -> list[Row]:
    """The market's cold boxes: temperature, how many crates it holds, pounds a day, who rents it, from when it is free.

    Args:
        hall: Only boxes of this hall.
        onlyFree: Only those that nobody rents today.
    """
    return [
        {"boxNo": k, **{f: v for f, v in b.items() if f != "hall"}}
        for k, b in BOXES.items()
        if hall in (None, b["hall"]) and not (onlyFree and b["paddleNo"])
    ]


@tool
def auction_totals(fromDay: str, toDay: str) -> Row:
    """What the auction sold in some days, by species and in all: lots, kilos, pounds; and the kilos that stayed unsold.

    Args:
        fromDay: First day, YYYY-MM-DD.
        toDay: Last day, YYYY-MM-DD.
    """
    first, last = _day(fromDay, "fromDay"), _day(toDay, "toDay")
    lots = [n for n in LANDINGS.values() if first <= n["day"] <= last]
    if not lots:
        raise ToolError("No auction in these days. Totals are kept from 2032-05-11 to 2032-05-18.")
    sold: dict[str, Row] = {}
    for n in lots:
        if n["state"] == "sold":
            row = sold.setdefault(n["species"], {"species": n["species"], "lots": 0, "kg": 0, "gbp": 0.0})
            row["lots"] += 1
            row["kg"] += n["kg"]
            row["gbp"] = round(row["gbp"] + n["kg"] * n["gbpPerKg"], 2)
    return {
        "totalLots": sum(r["lots"] for r in sold.values()),
        "totalKg": sum(r["kg"] for r in sold.values()),
        "totalGbp": round(sum(r["gbp"] for r in sold.values()), 2),
        "unsoldKg": sum(n["kg"] for n in lots if n["state"] == "unsold"),
        "bySpecies": sorted(sold.values(), key=lambda r: r["species"]),
    }


@tool(effect="write")
def lay_berth(berth: str, boatMark: str, arriveDay: str, nights: int) -> Row:
    """Assign a berth to a boat for some nights.

    Args:
        berth: Two letters, a dash and a digit, as on the board.
        boatMark: BKN and three digits.
        arriveDay: First night, YYYY-MM-DD.
        nights: How many nights.
    """
    place = _entry(berth, BERTHS, f"There is no berth {berth!r}. quay_board lists them.")
    mark, when = _boat(boatMark), _coming(arriveDay, "arriveDay")
    b, boat = BERTHS[place], BOATS[mark]
    if int(nights) < 1:
        raise ToolError("nights must be 1 or more.")
    if boat["lengthM"] > b["maxLengthM"] or boat["draughtM"] > b["depthM"]:
        raise ToolError(
            f"{place} takes {b['maxLengthM']} m length and {b['depthM']} m draught; {mark} has {boat['lengthM']} m "
            f"and {boat['draughtM']} m. Choose another from quay_board."
        )
    last = _later(when, int(nights) - 1)
    clash = next(
        (s for s in STAYS if s["berth"] == place and s["fromDay"] <= last and s["lastNight"] >= when and s["boatMark"] != mark),
        None,
    )
    if clash:
        raise ToolError(
            f"{place} is taken by {clash['boatMark']} from {clash['fromDay']} to {clash['lastNight']}. "
            "quay_board shows what is free."
        )
    return {
        "mooringSlip": f"MS-{_slip(place, mark, when, nights)}",
        "berth": place,
        "boat": f"{mark} {boat['name']}",
        "firstNight": when,
        "nights": int(nights),
        "toPayGbp": round(int(nights) * b["gbpNight"], 2),
    }


@tool(effect="write")
def bunker_fuel(boatMark: str, litres: int, day: str, slot: Literal["morning", "midday", "evening"]) -> Row:
    """Order fuel for a boat, of the kind in her papers: gas oil at 0.90 a litre, HVO at 1.40 or petrol at 1.60.

    Args:
        boatMark: BKN and three digits.
        litres: How many litres.
        day: YYYY-MM-DD
        slot: Part of the day.
    """
    mark, when = _boat(boatMark), _coming(day, "day")
    boat = BOATS[mark]
    if not 1 <= int(litres) <= boat["tankL"]:
        raise ToolError(f"{mark} has a tank of {boat['tankL']} litres: {litres} cannot be ordered.")
    return {
        "fuelTicket": f"BT{_slip(mark, litres, when, slot)}",
        "boat": f"{mark} {boat['name']}",
        "fuel": boat["fuel"],
        "litres": int(litres),
        "day": when,
        "slot": slot,
        "toPayGbp": round(int(litres) * FUEL_GBP[boat["fuel"]], 2),
    }


@tool(effect="write")
def let_cold_box(boxNo: str, paddleNo: str, fromDay: str, days: int) -> Row:
    """Rent a cold box to a buyer.

    Args:
        boxNo: CB-, a letter and two digits.
        paddleNo: The buyer's paddle number.
        fromDay: First day, YYYY-MM-DD.
        days: How many days.
    """
    number = _entry(boxNo, BOXES, f"There is no cold box {boxNo!r}. cold_hall lists them.")
    paddle, when = _buyer(paddleNo), _coming(fromDay, "fromDay")
    box = BOXES[number]
    if int(days) < 1:
        raise ToolError("days must be 1 or more.")
    if BUYERS[paddle]["creditBand"] == "D":
        raise ToolError(f"{paddle} {BUYERS[paddle]['firm']} has credit band D and may not rent: a deposit is needed first.")
    if when < box["freeFrom"]:
        raise ToolError(f"{number} is not free before {box['freeFrom']}. cold_hall with onlyFree shows others.")
    return {
        "boxContract": f"KX{_slip(number, paddle, when, days)}",
        "boxNo": number,
        "buyer": f"{paddle} {BUYERS[paddle]['firm']}",
        "fromDay": when,
        "days": int(days),
        "toPayGbp": round(int(days) * box["gbpPerDay"], 2),
    }
