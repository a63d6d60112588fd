"""Repairs and spare parts of the harbour. The data never changes."""

from glassloop import ToolError, tool

JOBS = {
    "JOB-51": {
        "boat_id": "BT-118",
        "work": "new rigging",
        "state": "waiting for parts",
        "part_no": "PT-8020",
        "ready": "2026-11-24",
    },
    "JOB-54": {
        "boat_id": "BT-131",
        "work": "engine service",
        "state": "in progress",
        "part_no": "PT-8113",
        "ready": "2026-11-18",
    },
    "JOB-57": {
        "boat_id": "BT-104",
        "work": "antifouling",
        "state": "done",
        "part_no": "PT-8200",
        "ready": "2026-11-10",
    },
}
PARTS = {
    "PT-8020": {"name": "shroud", "euros": 84.0, "in_stock": 0},
    "PT-8113": {"name": "impeller", "euros": 31.5, "in_stock": 12},
    "PT-8200": {"name": "antifouling paint", "euros": 58.0, "in_stock": 6},
    "PT-8302": {"name": "anchor", "euros": 129.0, "in_stock": 2},
    "PT-8305": {"name": "anchor chain", "euros": 9.5, "in_stock": 80},
}


@tool(effect="read", integrity="trusted")
def repair_job(job: str) -> dict[str, object]:
    """How far a repair is, what is done and when it is ready.

    Args:
        job: The job's number, such as JOB-10.
    """
    key = job.strip().upper()
    if key not in JOBS:
        raise ToolError(f"There is no job {job!r}: repairs_of_boat lists them.")
    return {"job": key, **JOBS[key]}


@tool(effect="read", integrity="trusted")
def repairs_of_boat(boat_id: str) -> list[dict[str, object]]:
    """List the repair jobs of a boat.

    Args:
        boat_id: The registration number, such as BT-900.
    """
    return [
        {"job": key, "work": job["work"], "state": job["state"]}
        for key, job in JOBS.items()
        if job["boat_id"] == boat_id.strip().upper()
    ]


@tool(effect="write", integrity="trusted")
def request_repair(boat_id: str, work: str) -> dict[str, object]:
    """Ask the workshop to repair something on a boat.

    Args:
        boat_id: The registration number, such as BT-900.
        work: What is to be repaired.
    """
    return {"job": "JOB-60", "boat_id": boat_id, "work": work}


@tool(effect="read", integrity="trusted")
def spare_part(part_no: str) -> dict[str, object]:
    """Price and stock of a spare part.

    Args:
        part_no: The part's number, such as PT-1000.
    """
    key = part_no.strip().upper()
    if key not in PARTS:
        raise ToolError(f"There is no part {part_no!r}: search_parts finds numbers by name.")
    return {"part_no": key, **PARTS[key]}


@tool(effect="read", integrity="trusted")
def search_parts(keyword: str) -> list[dict[str, object]]:
    """Find the number of a spare part by what it is called.

    Args:
        keyword: Its name or part of it, in English.
    """
    return [{"part_no": key, "name": part["name"]} for key, part in PARTS.items() if keyword.casefold() in part["name"]]


@tool(effect="write", integrity="trusted")
def order_parts(part_no: str, quantity: int) -> dict[str, object]:
    """Order spare parts from the supplier.

    Args:
        part_no: The part's number, such as PT-1000.
        quantity: How many pieces.
    """
    return {"order": "PO-9", "part_no": part_no, "quantity": quantity}
