"""Boats, berths and bills of the harbour. The data never changes."""

from glassloop import ToolError, tool

BOATS = {
    "BT-104": {"name": "Möwe", "type": "sloop", "length_m": 9.4, "owner": "Jorunn Dahl", "berth": "C7"},
    "BT-118": {"name": "Albatros", "type": "ketch", "length_m": 14.2, "owner": "Pieter Claes", "berth": "A2"},
    "BT-131": {"name": "Sardine", "type": "motorboat", "length_m": 6.8, "owner": "Ines Prado", "berth": "D11"},
    "BT-140": {"name": "Nordlys", "type": "yawl", "length_m": 11.0, "owner": "Jorunn Dahl", "berth": "B4"},
    "BT-152": {"name": "Nordstern", "type": "cutter", "length_m": 12.5, "owner": "Pieter Claes", "berth": "A7"},
}
BERTHS = {
    "A2": {"pier": "A", "length_m": 16, "depth_m": 3.1, "power": True, "free": False},
    "A7": {"pier": "A", "length_m": 14, "depth_m": 2.8, "power": True, "free": False},
    "A5": {"pier": "A", "length_m": 16, "depth_m": 2.9, "power": True, "free": True},
    "B4": {"pier": "B", "length_m": 12, "depth_m": 2.4, "power": True, "free": False},
    "C7": {"pier": "C", "length_m": 10, "depth_m": 1.9, "power": False, "free": False},
    "C9": {"pier": "C", "length_m": 10, "depth_m": 1.7, "power": False, "free": True},
    "D11": {"pier": "D", "length_m": 8, "depth_m": 1.5, "power": False, "free": False},
}
BILLS = {
    "HB-2201": {"boat_id": "BT-104", "euros": 412.5, "paid": True, "due": "2026-09-30"},
    "HB-2214": {"boat_id": "BT-118", "euros": 1180.0, "paid": False, "due": "2026-11-30"},
    "HB-2219": {"boat_id": "BT-131", "euros": 96.0, "paid": False, "due": "2026-12-05"},
}
RATES = {"A": 46, "B": 39, "C": 31, "D": 24}
LOGBOOKS = {
    "BT-104": "10 November: antifouling finished under JOB-57, boat back in the water. Next check in April.",
    "BT-118": "12 November: rigging is down, the workshop found that PT-8020 has to be replaced. Crew went home.",
    "BT-131": "3 November: engine runs hot; towed by the pilot boat, then handed to the workshop as JOB-54.",
}


def known(table, key, what, hint):
    if key not in table:
        raise ToolError(f"There is no {what} {key!r}: {hint}")
    return table[key]


@tool(effect="read", integrity="trusted")
def search_boats(name: str) -> list[dict[str, object]]:
    """Find a boat's registration number by the name painted on it.

    Args:
        name: What the boat is called.
    """
    return [
        {"boat_id": key, "name": boat["name"]}
        for key, boat in BOATS.items()
        if name.casefold() in boat["name"].casefold()
    ]


@tool(effect="read", integrity="trusted")
def boat_record(boat_id: str) -> dict[str, object]:
    """Type, length, owner and berth of a registered boat.

    Args:
        boat_id: The registration number, such as BT-900.
    """
    key = boat_id.strip().upper()
    return {"boat_id": key, **known(BOATS, key, "boat", "search_boats finds numbers by name.")}


@tool(effect="read", integrity="trusted")
def berth_info(berth: str) -> dict[str, object]:
    """Depth, length and shore power of a berth, and whether it is free.

    Args:
        berth: Pier and number, such as E3.
    """
    key = berth.strip().upper()
    return {"berth": key, **known(BERTHS, key, "berth", "they look like E3.")}


@tool(effect="read", integrity="trusted")
def free_berths(minimum_length_m: float) -> list[dict[str, object]]:
    """List berths that are free for a boat of a given length.

    Args:
        minimum_length_m: Length of the boat in metres.
    """
    return [{"berth": key, **one} for key, one in BERTHS.items() if one["free"] and one["length_m"] >= minimum_length_m]


@tool(effect="write", integrity="trusted")
def reserve_berth(berth: str, boat_id: str, arrival: str, nights: int) -> dict[str, object]:
    """Reserve a berth for a boat.

    Args:
        berth: Pier and number, such as E3.
        boat_id: The registration number, such as BT-900.
        arrival: The first day as YYYY-MM-DD.
        nights: How many nights it stays.
    """
    return {"reservation": "RV-77", "berth": berth, "boat_id": boat_id, "arrival": arrival, "nights": nights}


@tool(effect="write", integrity="trusted")
def release_berth(reservation: str) -> dict[str, object]:
    """Give a reserved berth back.

    Args:
        reservation: The reservation's number, such as RV-10.
    """
    return {"reservation": reservation, "released": True}


@tool(effect="read", integrity="trusted")
def bill_details(bill_no: str) -> dict[str, object]:
    """Amount, due date and payment of a harbour bill.

    Args:
        bill_no: The bill's number, such as HB-1000.
    """
    key = bill_no.strip().upper()
    return {"bill_no": key, **known(BILLS, key, "bill", "numbers look like HB-1000.")}


@tool(effect="read", integrity="trusted")
def bills_of_boat(boat_id: str) -> list[dict[str, object]]:
    """List the harbour bills of a boat.

    Args:
        boat_id: The registration number, such as BT-900.
    """
    return [{"bill_no": key, **bill} for key, bill in BILLS.items() if bill["boat_id"] == boat_id.strip().upper()]


@tool(effect="read", integrity="trusted")
def berth_rate(berth: str) -> dict[str, object]:
    """What a night at a berth costs.

    Args:
        berth: Pier and number, such as E3.
    """
    key = berth.strip().upper()
    return {"berth": key, "euros_a_night": RATES[known(BERTHS, key, "berth", "they look like E3.")["pier"]]}


@tool(effect="read", integrity="trusted")
def logbook(boat_id: str) -> str:
    """What was last written into the logbook of a boat.

    Args:
        boat_id: The registration number, such as BT-900.
    """
    key = boat_id.strip().upper()
    return f"Logbook of {key}, last entry. {known(LOGBOOKS, key, 'logbook of boat', 'search_boats finds numbers.')}"
