import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from glassloop import Tool, ToolContext, ToolError, tool

DATA = json.loads((Path(__file__).parent / "data.json").read_text(encoding="utf-8"))
FIELDS = ("ref", "place", "country", "builder", "year", "manuals", "ranks", "pipes", "pitch_hz", "wind_mm", "action", "tuned", "care")
ORGANS = {row[0]: dict(zip(FIELDS, row, strict=True)) for row in DATA["instruments"]}
JOBS = {row[0]: row for row in DATA["jobs"]}
MATERIALS = {row[0]: row for row in DATA["materials"]}


def _organ(ref: str) -> dict:
    found = ORGANS.get(ref.strip().upper())
    if found is None:
        raise ToolError(f"{ref} is no instrument of ours. References look like ORG-007; use searchInstruments.")
    return found


class InstrumentSearch(Tool):
    name = "searchInstruments"
    description = "Finds organs in our care by place, builder or country. Gives reference, place, builder and year only."
    effect = "read"

    class Input(BaseModel):
        text: str = Field(default="", description="Part of the place, church or builder; empty for all.")
        country: Literal["England", "Germany", "Norway", "France"] | None = None
        builtBefore: int | None = Field(default=None, description="Only organs older than this year.")

    async def execute(self, input: Input, context: ToolContext, /) -> list[dict]:
        wanted = input.text.lower().replace("ö", "o").replace("è", "e").split()
        rows = []
        for organ in ORGANS.values():
            heap = f"{organ['place']} {organ['builder']} {organ['ref']}".lower().replace("ö", "o").replace("è", "e")
            if not all(word.strip(",.") in heap for word in wanted):
                continue
            if input.country and organ["country"] != input.country:
                continue
            if input.builtBefore and organ["year"] >= input.builtBefore:
                continue
            rows.append({key: organ[key] for key in ("ref", "place", "builder", "year")})
        if not rows:
            raise ToolError(f"No organ fits {input.text!r}. A single word, such as the town, finds more.")
        return rows


@tool(name="getInstrument", effect="read")
def get_instrument(ref: str) -> dict:
    """Technical card of one organ: manuals, ranks, number of pipes, pitch, wind pressure, key action, last tuning, carer.

    Args:
        ref: Reference, ORG- and three digits.
    """
    organ = _organ(ref)
    return {
        "ref": organ["ref"],
        "place": f"{organ['place']} ({organ['country']})",
        "size": {"manuals": organ["manuals"], "ranks": organ["ranks"], "pipes": organ["pipes"]},
        "pitch_hz_at_18C": organ["pitch_hz"],
        "wind_pressure_mm": organ["wind_mm"],
        "action": organ["action"],
        "last_tuned": organ["tuned"],
        "in_care_of": organ["care"],
    }


@tool(name="getStoplist", effect="read")
def get_stoplist(ref: str) -> str:
    """The stoplist (disposition) of an organ as a table: division, stop, length in feet, number of pipes, material.

    Args:
        ref: Reference of the organ.
    """
    organ = _organ(ref)
    stops = DATA["stops"].get(organ["ref"])
    if stops is None:
        raise ToolError(f"The stoplist of {organ['ref']} has not been typed in yet.")
    feet = {2.6667: "2 2/3", 1.6: "1 3/5", 1.3333: "1 1/3"}
    lines = ["division | stop | feet | pipes | material"]
    lines += [f"{div} | {stop} | {feet.get(length, f'{length:g}')} | {pipes} | {metal}" for div, stop, length, pipes, metal in stops]
    return "\n".join(lines)


@tool(name="listJobs", effect="read")
def list_jobs(
    state: Literal["quoted", "in the workshop", "waiting for parts", "on site", "finished"] | None = None,
    lead: str | None = None,
    ref: str | None = None,
) -> list[dict]:
    """Jobs of the workshop with number, organ, what is done and state.

    Args:
        state: Only jobs in this state.
        lead: Two-letter code of the person in charge, such as KH.
        ref: Only jobs on this organ.
    """
    rows = [
        {"job": job[0], "organ": job[1], "work": job[2], "state": job[3]}
        for job in JOBS.values()
        if (not state or job[3] == state) and (not lead or job[4] == lead.upper()) and (not ref or job[1] == ref.upper())
    ]
    if not rows:
        raise ToolError("There is no such job.")
    return rows


@tool(name="getJobSheet", effect="read")
def get_job_sheet(job: int) -> dict:
    """The sheet of one job: hours by person, parts used, price quoted in euros, deadline, who leads it.

    Args:
        job: Number of the job, three digits.
    """
    row = JOBS.get(job)
    if row is None:
        raise ToolError(f"Job {job} does not exist. The numbers go from 501 to 512.")
    return {
        "job": job,
        "organ": row[1],
        "work": row[2],
        "state": row[3],
        "lead": row[4],
        "hours": [{"who": who, "hours": hours} for who, hours in row[5]],
        "hours_total": sum(hours for _, hours in row[5]),
        "parts": [{"item": item, "count": count} for item, count in row[6]],
        "quote_eur": row[7],
        "deadline": row[8],
    }


@tool(name="getStaff", effect="read")
def get_staff(code: str) -> str:
    """Who stands behind a two-letter staff code: full name, trade, phone extension, working days.

    Args:
        code: Two letters.
    """
    found = DATA["staff"].get(code.strip().upper())
    if found is None:
        raise ToolError(f"Nobody has the code {code}. Codes: {', '.join(DATA['staff'])}.")
    name, trade, extension, days = found
    return f"{code.upper()} is {name}, {trade}. Extension {extension}. Works {', '.join(days)}."


@tool(name="pitchAtTemperature", effect="read")
def pitch_at_temperature(nominalHz: float, celsius: float) -> str:
    """Says how sharp or flat a flue rank stands at another temperature than the 18 °C it was tuned at.

    Args:
        nominalHz: Pitch of a' at 18 °C.
        celsius: Temperature in the room.
    """
    hertz = nominalHz * ((273.15 + celsius) / 291.15) ** 0.5
    return f"At {celsius:g} °C a rank tuned to {nominalHz:g} Hz at 18 °C stands at {hertz:.1f} Hz ({hertz - nominalHz:+.1f} Hz)."


@tool(name="listMaterials", effect="read")
def list_materials(category: Literal["pipe metal", "timber", "leather", "electrical"]) -> list[dict]:
    """What lies in the store of one category: id, description, unit, quantity, price a unit in euros.

    Args:
        category: Kind of material.
    """
    return [
        {"id": row[0], "what": row[2], "unit": row[3], "quantity": row[4], "eur_per_unit": row[5]}
        for row in MATERIALS.values()
        if row[1] == category
    ]


@tool(name="reserveMaterial", effect="write")
def reserve_material(materialId: str, quantity: float, job: int) -> str:
    """Sets material from the store aside for a job.

    Args:
        materialId: Such as M-20.
        quantity: In the unit of the material.
        job: Number of the job it is for.
    """
    row = MATERIALS.get(materialId.strip().upper())
    if row is None:
        raise ToolError(f"No material {materialId}; listMaterials has the ids.")
    if job not in JOBS:
        raise ToolError(f"Job {job} does not exist.")
    if quantity > row[4]:
        raise ToolError(f"Only {row[4]:g} {row[3]} of {row[2]} are there.")
    return f"Reserved {quantity:g} {row[3]} of {row[2]} for job {job}, worth {quantity * row[5]:.2f} EUR; {row[4] - quantity:g} {row[3]} are left."


@tool(name="tuningRound", effect="read")
def tuning_round(month: int) -> list[dict]:
    """Tuning visits planned for a month of 2031: visit number, date, organ, tuner.

    Args:
        month: 1 to 12.
    """
    rows = [
        {"visit": row[0], "date": row[1], "organ": row[2], "place": ORGANS[row[2]]["place"], "tuner": row[3]}
        for row in DATA["rounds"]
        if int(row[1][5:7]) == month
    ]
    if not rows:
        raise ToolError(f"No visits are planned for month {month}; the rounds run from March to June.")
    return rows


@tool(name="visitDetails", effect="read")
def visit_details(visit: int) -> dict:
    """How long a tuning visit is to take, and what it costs.

    Args:
        visit: Number of the visit from the tuning round.
    """
    row = next((one for one in DATA["rounds"] if one[0] == visit), None)
    if row is None:
        raise ToolError(f"There is no visit {visit}; they are numbered 71 to 82.")
    return {"visit": visit, "organ": row[2], "hours": row[4], "fee_eur": 90 + row[4] * 68, "keyholder_needed": row[4] >= 4}


@tool(name="windReadings", effect="read")
def wind_readings(refs: list[str]) -> list[dict]:
    """Compares the wind pressure an organ should have with the last measurement, for one or several organs.

    Args:
        refs: References of the organs.
    """
    rows = []
    for ref in refs:
        organ = _organ(ref)
        found = DATA["wind"].get(organ["ref"])
        if found is None:
            raise ToolError(f"{organ['ref']} was never measured.")
        rows.append({"ref": organ["ref"], "nominal_mm": found[0], "measured_mm": found[1], "flutter_percent": found[2]})
    return rows


search_instruments = InstrumentSearch()
