from typing import Annotated, Literal, TypedDict

from pydantic import Field

from glassloop import ToolError, tool

Kiln = Literal["Big Bertha", "Toaster", "Raku pit"]
Stage = Literal["greenware", "bisque", "glazed", "finished", "broken"]

MEMBERS = {
    17: ("Ottoline Freer", "2027-05-01", "unlimited", "B4", -12.50, 3.0),
    23: ("Bashir Noorzai", "2028-01-15", "two days", "A1", 0.00, 11.5),
    31: ("Henrike Pohl", "2028-09-03", "two days", "C2", -48.20, 0.0),
    38: ("Tomasz Wilk", "2029-02-20", "unlimited", "B1", 26.00, 7.5),
    42: ("Mei-Ling Guo", "2029-06-11", "evenings", "D3", 5.75, 2.0),
    44: ("Patience Adeyemi", "2029-10-02", "unlimited", "A3", -3.10, 14.0),
    52: ("Gordon Freer", "2030-03-08", "evenings", "B4", 0.00, 4.5),
    57: ("Xiomara Lund", "2030-08-19", "evenings", "D1", -75.00, 1.0),
    61: ("Silas Beck", "2031-01-10", "two days", "C4", 18.40, 9.0),
}

CLAYS = {
    "Ashby White": ("stoneware", 12.5, 1.9, "6-8"),
    "Crank 40": ("grogged stoneware", 8.0, 1.45, "6-10"),
    "Limoges": ("porcelain", 15.0, 4.2, "8-10"),
    "Terra Rossa": ("earthenware", 6.5, 1.2, "04-1"),
    "Moor Black": ("stoneware", 11.0, 2.75, "5-6"),
}

GLAZES = {
    "G-03": ("Tin Cloud", "white", "6", True, {"nepheline syenite": 42, "silica": 22, "whiting": 16, "tin oxide": 9, "china clay": 11}),
    "G-07": ("Bottle Ash", "green", "9", True, {"wood ash": 48, "potash feldspar": 30, "china clay": 20, "copper carbonate": 2}),
    "G-12": ("Heron Blue", "blue", "6", True, {"soda feldspar": 38, "silica": 25, "whiting": 18, "china clay": 17.5, "cobalt carbonate": 1.5}),
    "G-15": ("Rust Gate", "brown", "6", True, {"potash feldspar": 44, "silica": 20, "whiting": 14, "china clay": 12, "red iron oxide": 10}),
    "G-18": ("Lichen Crawl", "green", "6", False, {"magnesium carbonate": 31, "nepheline syenite": 45, "china clay": 18, "chrome oxide": 6}),
    "G-21": ("Deep Tenmoku", "black", "9", True, {"potash feldspar": 50, "silica": 22, "whiting": 14, "china clay": 5, "red iron oxide": 9}),
    "G-24": ("Plum Fizz", "red", "9", False, {"soda feldspar": 46, "silica": 23, "whiting": 13, "tin oxide": 4, "copper carbonate": 1, "gerstley borate": 13}),
    "G-26": ("Puddle", "blue", "04", True, {"frit 3124": 80, "china clay": 14, "cobalt carbonate": 1, "bentonite": 5}),
    "G-30": ("Copper Flash", "red", "raku", False, {"gerstley borate": 70, "nepheline syenite": 20, "copper carbonate": 10}),
}

# number: kiln, date, kind, cone, top °C, hours, loaded by, state
FIRINGS = {
    640: ("Toaster", "2031-02-04", "bisque", "04", 1060, 9.5, 23, "unloaded"),
    641: ("Big Bertha", "2031-02-07", "glaze", "6", 1222, 13.0, 38, "unloaded"),
    642: ("Toaster", "2031-02-12", "glaze", "04", 1055, 8.75, 42, "unloaded"),
    643: ("Big Bertha", "2031-02-18", "glaze", "9", 1280, 15.5, 17, "unloaded"),
    644: ("Raku pit", "2031-02-22", "raku", "raku", 980, 1.5, 44, "unloaded"),
    645: ("Toaster", "2031-02-26", "bisque", "04", 1062, 9.75, 61, "unloaded"),
    646: ("Big Bertha", "2031-03-04", "glaze", "6", 1218, 12.5, 38, "cooling"),
    647: ("Toaster", "2031-03-07", "bisque", "04", 1060, 9.5, 31, "planned"),
    648: ("Big Bertha", "2031-03-13", "glaze", "9", 1280, 15.5, 17, "planned"),
    649: ("Raku pit", "2031-03-15", "raku", "raku", 980, 1.5, 44, "planned"),
    650: ("Big Bertha", "2031-03-21", "glaze", "6", 1222, 13.0, 23, "planned"),
}

FREE_SHELVES = {647: 2.5, 648: 0.5, 649: 3, 650: 6}
SHELF_PRICE = {"bisque": 9.0, "glaze": 14.0, "raku": 20.0}

# tag|member|form|stage|clay|glazes|firing|height cm|remark
PIECES = """KY-3301|17|teapot|finished|Limoges|G-21|643|14.5|lid fits
KY-3302|17|teapot|broken|Limoges|G-21|643|15.0|spout cracked while cooling
KY-3305|23|mug|finished|Ashby White|G-12|641|9.8|
KY-3306|23|mug|finished|Ashby White|G-12|641|10.1|
KY-3307|23|mug|finished|Ashby White|G-03|641|9.9|pinhole at the handle
KY-3308|23|jug|finished|Ashby White|G-12,G-03|641|21.0|
KY-3310|31|planter|bisque|Crank 40||645|32.5|drain hole missing
KY-3311|31|planter|bisque|Crank 40||645|28.0|
KY-3312|31|planter|greenware|Crank 40|||36.0|dry on 6 March
KY-3314|38|vase|glazed|Moor Black|G-15|646|27.2|
KY-3315|38|vase|glazed|Moor Black|G-18|646|33.4|not for food
KY-3316|38|bowl|glazed|Moor Black|G-15|646|8.8|
KY-3317|38|bowl|finished|Ashby White|G-15|641|9.1|
KY-3318|38|platter|broken|Ashby White|G-12|641|3.5|warped, then dropped
KY-3320|42|tile|finished|Terra Rossa|G-26|642|1.2|
KY-3321|42|tile|finished|Terra Rossa|G-26|642|1.2|
KY-3322|42|tile|finished|Terra Rossa|G-26|642|1.3|
KY-3323|42|candlestick|finished|Terra Rossa|G-26|642|17.7|leans a little
KY-3324|42|candlestick|greenware|Terra Rossa|||18.5|
KY-3326|44|moon jar|finished|Limoges|G-07|643|38.0|reserved for the fair
KY-3327|44|raku bowl|finished|Crank 40|G-30|644|11.6|copper all over
KY-3328|44|raku bowl|finished|Crank 40|G-30|644|12.0|
KY-3329|44|raku bowl|broken|Crank 40|G-30|644|11.9|thermal shock
KY-3330|44|chess set|bisque|Ashby White||645|7.5|king and two pawns only
KY-3332|52|ashtray|bisque|Ashby White||645|4.0|
KY-3333|52|bird bath|greenware|Crank 40|||22.0|too wide for the Toaster
KY-3335|57|bust|greenware|Terra Rossa|||41.0|hollow before drying
KY-3336|57|bust|broken|Terra Rossa||640|39.5|blew up in the bisque
KY-3338|61|mug|bisque|Moor Black||645|10.4|
KY-3339|61|mug|bisque|Moor Black||645|10.5|
KY-3340|61|mug|glazed|Moor Black|G-03|646|10.2|
KY-3341|61|pie dish|glazed|Ashby White|G-12|646|6.6|""".splitlines()

COURSES = {
    "THROW1": ("First steps on the wheel", "beginner", "Mon", "18:30", 6, 168.0, "Ottoline Freer", 2),
    "THROW2": ("Taller and thinner", "intermediate", "Tue", "18:30", 6, 186.0, "Tomasz Wilk", 0),
    "HAND1": ("Slabs and coils", "beginner", "Wed", "10:00", 5, 130.0, "Patience Adeyemi", 5),
    "GLAZE": ("Mixing your own glazes", "advanced", "Thu", "19:00", 4, 142.5, "Mei-Ling Guo", 1),
    "RAKU": ("Raku Saturday", "beginner", "Sat", "11:00", 1, 65.0, "Patience Adeyemi", 3),
    "MOLD": ("Plaster and slip", "intermediate", "Wed", "18:00", 5, 155.0, "Bashir Noorzai", 4),
    "PORC": ("Porcelain without tears", "advanced", "Fri", "17:30", 8, 248.0, "Ottoline Freer", 0),
}


class Batch(TypedDict):
    """A batch to be mixed."""

    glaze_id: str
    grams: float


def _glaze(glaze_id: str):
    key = glaze_id.strip().upper()
    if key not in GLAZES:
        raise ToolError(f"There is no glaze {glaze_id}. Ids look like G-12; find_glazes knows them.")
    return key, GLAZES[key]


def _firing(firing_no: int):
    if firing_no not in FIRINGS:
        raise ToolError(f"Firing {firing_no} is not in the book, which has 640 to 650.")
    return FIRINGS[firing_no]


@tool(effect="read")
def member_lookup(name: str) -> list[dict]:
    """Finds members of the studio by a part of their name: member id, name, member since.

    Args:
        name: First or last name.
    """
    words = name.lower().replace("-", " ").split()
    rows = [{"member_id": key, "name": row[0], "since": row[1]} for key, row in MEMBERS.items()
            if all(word in row[0].lower().replace("-", " ") for word in words)]
    if not rows:
        raise ToolError(f"No member is called {name!r}.")
    return rows


@tool(effect="read")
def member_account(member_id: int) -> dict:
    """Plan, shelf, balance in euros (below zero: owed to the studio) and clay left in kilograms of a member.

    Args:
        member_id: Number of the member.
    """
    if member_id not in MEMBERS:
        raise ToolError(f"No member has the number {member_id}.")
    name, _, plan, shelf, balance, clay = MEMBERS[member_id]
    return {"member": name, "plan": plan, "shelf": shelf, "balance_eur": balance, "clay_left_kg": clay}


@tool(effect="read")
def list_pieces(member_id: int | None = None, stage: Stage | None = None) -> list[dict]:
    """Pieces in the studio with tag, maker's number, form and stage.

    Args:
        member_id: Only pieces of this member.
        stage: Only pieces at this stage.
    """
    rows = []
    for line in PIECES:
        tag, member, form, at, *_ = line.split("|")
        if (member_id is None or int(member) == member_id) and (not stage or at == stage):
            rows.append({"tag": tag, "member_id": int(member), "form": form, "stage": at})
    if not rows:
        raise ToolError("No piece fits.")
    return rows


@tool(effect="read")
def piece(tag: str) -> dict:
    """Everything about one piece: clay, glazes (ids), firing, height and remarks.

    Args:
        tag: Tag on the piece, such as KY-3305.
    """
    for line in PIECES:
        parts = line.split("|")
        if parts[0] == tag.strip().upper():
            return {"tag": parts[0], "member_id": int(parts[1]), "form": parts[2], "stage": parts[3], "clay": parts[4],
                    "glaze_ids": parts[5].split(",") if parts[5] else [], "firing_no": int(parts[6]) if parts[6] else None,
                    "height_cm": float(parts[7]), "remark": parts[8]}
    raise ToolError(f"No piece has the tag {tag}. Tags look like KY-3305.")


@tool(effect="read")
def firing_book(kiln: Kiln | None = None, status: Literal["unloaded", "cooling", "planned"] | None = None) -> list[dict]:
    """Firings with number, date, kiln and kind.

    Args:
        kiln: Only of this kiln.
        status: Only in this status.
    """
    return [{"firing_no": no, "date": f[1], "kiln": f[0], "kind": f[2]} for no, f in FIRINGS.items()
            if (not kiln or f[0] == kiln) and (not status or f[7] == status)]


@tool(effect="read")
def firing_report(firing_no: int) -> str:
    """Tells about one firing: cone, top temperature, how long it takes, who loaded it, free shelves if it is still to come.

    Args:
        firing_no: Number in the firing book.
    """
    kiln, date, kind, cone, top, hours, member, state = _firing(firing_no)
    text = (f"Firing {firing_no} is a {kind} firing in {kiln} on {date} ({state}). Cone {cone}, top temperature {top} °C, "
            f"{hours:g} hours. In charge: member {member}.")
    if firing_no in FREE_SHELVES:
        text += f" {FREE_SHELVES[firing_no]:g} shelves are still free at {SHELF_PRICE[kind]:g} euros each."
    return text


@tool(effect="read")
def firing_curve(firing_no: int) -> list[dict]:
    """The temperature log of a firing that took place, a row every quarter of an hour.

    Args:
        firing_no: Number in the firing book.
    """
    kiln, _, _, _, top, hours, _, state = _firing(firing_no)
    if state == "planned":
        raise ToolError(f"Firing {firing_no} has not taken place yet.")
    steps = int(hours * 4)
    rows = []
    for step in range(steps + 1):
        share = step / steps
        rows.append({"minute": step * 15, "celsius": round(20 + (top - 20) * (1 - (1 - share) ** 1.7))})
    return rows


@tool(effect="read")
def find_glazes(
    colour: Literal["white", "green", "blue", "brown", "black", "red"] | None = None,
    cone: Literal["04", "6", "9", "raku"] | None = None,
    food_safe: bool | None = None,
) -> list[dict]:
    """Glazes of the studio: id, name and colour.

    Args:
        colour: Colour after firing.
        cone: Cone they are made for.
        food_safe: True for those that may touch food, false for the others.
    """
    rows = [{"glaze_id": key, "name": g[0], "colour": g[1]} for key, g in GLAZES.items()
            if (not colour or g[1] == colour) and (not cone or g[2] == cone) and (food_safe is None or g[3] == food_safe)]
    if not rows:
        raise ToolError("No glaze fits all of that.")
    return rows


@tool(effect="read")
def glaze_recipe(glaze_id: str) -> dict:
    """Recipe of a glaze in percent, its cone and whether it is safe for food.

    Args:
        glaze_id: Such as G-12.
    """
    key, (name, colour, cone, safe, parts) = _glaze(glaze_id)
    return {"glaze_id": key, "name": name, "cone": cone, "food_safe": safe,
            "ingredients": [{"material": what, "percent": share} for what, share in parts.items()]}


@tool(effect="read")
def mix_batches(batches: Annotated[list[Batch], Field(description="One or several batches, each a glaze_id and the grams of dry glaze.")]) -> list[dict]:
    """Works out how many grams of every material go into batches of glaze."""
    rows = []
    for batch in batches:
        key, (name, _, _, _, parts) = _glaze(batch["glaze_id"])
        rows += [{"glaze_id": key, "glaze": name, "material": what, "grams": round(batch["grams"] * share / 100, 2)}
                 for what, share in parts.items()]
    return rows


@tool(effect="read")
def clay_bodies() -> list[dict]:
    """The clays on sale: type, shrinkage in percent, price per kilogram in euros, cones they stand."""
    return [{"clay": name, "type": c[0], "shrinkage_percent": c[1], "eur_per_kg": c[2], "cones": c[3]} for name, c in CLAYS.items()]


@tool(effect="read")
def courses(level: Literal["beginner", "intermediate", "advanced"] | None = None, weekday: str | None = None) -> list[dict]:
    """Courses with code, title and day.

    Args:
        level: For whom.
        weekday: Three letters, such as Mon.
    """
    rows = [{"course_code": key, "title": c[0], "level": c[1], "day": c[2]} for key, c in COURSES.items()
            if (not level or c[1] == level) and (not weekday or c[2].lower() == weekday[:3].lower())]
    if not rows:
        raise ToolError("No course fits.")
    return rows


@tool(effect="read")
def course_info(course_code: str) -> str:
    """Hours, number of evenings, price, teacher and free places of a course.

    Args:
        course_code: Such as THROW1.
    """
    c = COURSES.get(course_code.strip().upper())
    if c is None:
        raise ToolError(f"No course {course_code}. Codes: {', '.join(COURSES)}.")
    places = f"{c[7]} places are free" if c[7] else "It is fully booked"
    return f"{c[0]}: {c[4]} meetings, {c[2]} at {c[3]}, {c[5]:g} euros, taught by {c[6]}. {places}."


@tool(effect="write")
def book_shelf(member_id: int, firing_no: int, shelves: float = 1) -> str:
    """Books room in a planned firing for a member.

    Args:
        member_id: Number of the member.
        firing_no: Number of the firing.
        shelves: How many shelves; halves are possible.
    """
    if member_id not in MEMBERS:
        raise ToolError(f"No member has the number {member_id}.")
    firing = _firing(firing_no)
    free = FREE_SHELVES.get(firing_no)
    if free is None:
        raise ToolError(f"Firing {firing_no} is not open for booking ({firing[7]}).")
    if shelves > free:
        raise ToolError(f"Firing {firing_no} has only {free:g} shelves left.")
    return f"Booked {shelves:g} shelves in firing {firing_no} for {MEMBERS[member_id][0]}: {shelves * SHELF_PRICE[firing[2]]:.2f} euros."
