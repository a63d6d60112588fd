"""Tools of the duty office at Kestrelhorn (an invented mountain). Records never change; what is written gets a slip."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

DATA: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
PEOPLE, DUTY, LIFTS, RUNS, AVALANCHE = (DATA[key] for key in ("people", "duty", "lifts", "runs", "avalanche"))
STATIONS, INCIDENTS, GEAR, POSTS, RADIO = (DATA[key] for key in ("stations", "incidents", "gear", "posts", "radio"))

Post = Literal["Saddle", "Larchgate", "Glassmere", "Summit Hut"]
Sector = Literal["Larchgate", "Saddle", "Glassmere", "Summit"]


def _flat(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _isoDay(text: str, name: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{name} must be a day written YYYY-MM-DD, not {text!r}.") from None


def _named(text: str, *known: object) -> bool:
    have = [w for each in known for w in re.findall(r"\w+", str(each).casefold())]
    said = [w for w in re.findall(r"\w+", text.casefold().replace("'s", "")) if w not in ("the", "run", "lift")]
    return bool(said) and all(any(w.startswith(s) for w in have) for s in said)


def _one(text: str, rows: list[dict[str, Any]], key: str, what: str) -> dict[str, Any]:
    """The row with this code, or the only one with this name."""
    exact = [row for row in rows if _flat(row[key]) == _flat(text) and str(row[key])[1:2] in (".", str(text).strip()[1:2])]
    found = exact or [row for row in rows if _named(str(text), row["name"])]
    if len(found) == 1:
        return found[0]
    if found:
        fitting = ", ".join(f"{r[key]} {r['name']}" for r in found)
        raise ToolError(f"Several fit {text!r}: {fitting}. Which one?")
    raise ToolError(f"No {what} is called {text!r}.")


def _repeater(name: str | None) -> str:
    return f"repeater {name}" if name else "no repeater"


def _aligned(head: list[str], rows: list[list[object]]) -> str:
    cells = [head, *([str("-" if c is None else c) for c in row] for row in rows)]
    wide = [max(len(row[at]) for row in cells) for at in range(len(head))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, wide, strict=True)).rstrip() for row in cells)


def _piped(head: list[str], rows: list[list[object]]) -> str:
    lines = [head, *([str("-" if c is None else c) for c in row] for row in rows)]
    return "\n".join(" | ".join(line) for line in lines)


@tool(effect="read", integrity="trusted")
def patroller(who: str) -> str:
    """The card of somebody in the service: service number, rank, home post, call sign, phone, since when, until when
    first aid and blaster's licence are valid, languages, dog, hours worked this month.

    Args:
        who: Name, part of a name, or the four-digit service number. If several people fit, only their numbers, names
            and ranks come back.
    """
    text = str(who).strip()
    hits = {n: p for n, p in PEOPLE.items() if n == text or _named(text, p["name"])}
    if not hits:
        raise ToolError(f"Nobody in the service fits {who!r}.")
    if len(hits) > 1:
        return "\n".join(f"{n}: {p['name']}, {p['rank']}, {p['home post']}" for n, p in hits.items())
    ((number, card),) = hits.items()
    lines = [f"service number: {number}", *(f"{k}: {'none' if v is None else v}" for k, v in card.items())]
    return "\n".join(lines)


@tool(effect="read", integrity="trusted")
def dutySheet(onDay: str, post: Literal["Office", "Saddle", "Larchgate", "Glassmere", "Summit Hut"] | None = None) -> str:
    """Who is on duty on one day, from when to when, at which post and as what. Gives service numbers, no names.

    Args:
        onDay: The day, YYYY-MM-DD.
        post: Only this post. Left out: all posts and the office.
    """
    day = _isoDay(onDay, "onDay")
    if day not in DUTY:
        raise ToolError(f"There is no duty sheet for {day}. Sheets exist from {min(DUTY)} to {max(DUTY)}.")
    rows = [row for row in DUTY[day] if post in (None, row[2])]
    return f"Duty on {day}\n" + _aligned(["from", "to", "post", "duty", "service no"], rows)


@tool(effect="read", integrity="trusted")
def liftBoard(sector: Sector | None = None) -> str:
    """The board of all lifts as it hangs in the office now: code, name, sector, state, highest wind in km/h at which the
    lift may run, last ride up. What a lift is built like and its checks are in liftPassport.

    Args:
        sector: Only the lifts of this sector.
    """
    rows = [[r[k] for k in ("code", "name", "sector", "state", "limit", "last")] for r in LIFTS if sector in (None, r["sector"])]
    return _piped(["code", "lift", "sector", "state", "wind limit", "last ride"], rows)


@tool(effect="read", integrity="trusted")
def liftPassport(lift: str) -> dict[str, object]:
    """Technical passport of ONE lift (year, seats, capacity, length, altitudes, rope checks, engineer, evacuation). It
    does not tell whether the lift is running today.

    Args:
        lift: Code as on the board (for example GD1), or the name.
    """
    r = _one(lift, LIFTS, "code", "lift")
    return {
        "lift": f"{r['code']} {r['name']}",
        "type": r["type"],
        "built": r["built"],
        "seats": r["seats"],
        "carries_per_hour": r["per_hour"],
        "track": {"length_m": r["length"], "ride_minutes": r["ride"], "bottom_m": r["bottom"], "top_m": r["top"]},
        "rope": {"last_check": r["checked"], "next_check": r["next"], "engineer": r["engineer"]},
        "evacuation": {"minutes": r["evac"], "teams": r["teams"], "emergency_drive": r["drive"]},
    }


@tool(effect="read", integrity="trusted")
def runList(
    grade: Literal["green", "blue", "red", "black"] | None = None,
    sectorNo: Literal[1, 2, 3, 4] | None = None,
    state: Literal["open", "closed"] | None = None,
) -> list[dict[str, object]]:
    """All ski runs with number, name, grade, length, drop (both in metres) and whether they are open. Why one is closed,
    its snow, grooming and sweep: runReport.

    Args:
        grade: Only runs of this grade.
        sectorNo: First figure of the run numbers: 1 Larchgate, 2 Saddle, 3 Glassmere, 4 Summit.
        state: Only open or only closed runs.
    """
    rows = [
        {k: r[k] for k in ("run", "name", "grade", "length_m", "drop_m", "state")}
        for r in RUNS
        if grade in (None, r["grade"]) and sectorNo in (None, int(r["run"][0])) and state in (None, r["state"])
    ]
    if not rows:
        raise ToolError("No run fits all of that.")
    return rows


@tool(effect="read", integrity="trusted")
def runReport(runNo: str) -> str:
    """The latest report on one run in words: open or closed since when and why, who decided (service number), when it
    should open again, last sweep, grooming, depth of snow, post that serves it with minutes by toboggan, and the lift.

    Args:
        runNo: Number with a dot (9.9) or name of the run.
    """
    r = _one(runNo, RUNS, "run", "run")
    again = f" It should open again on {r['opens']}." if r["opens"] else ""
    groomed = f"Groomed at {r['groomed']}." if r["groomed"] else "Not groomed."
    return (
        f"{r['run']} {r['name']} ({r['grade']}) is {r['state']} since {r['since']}: {r['reason']}, decided by {r['by']}.{again} "
        f"Last sweep on {r['swept_on']} at {r['swept_at']} by {r['swept_by']}. {groomed} Snow on the run: {r['snow']} cm. "
        f"Served by the post {r['post']}, {r['toboggan']} minutes by toboggan; the lift is {r['lift']}."
    )


@tool(effect="read", integrity="trusted")
def avyBulletin(day: str) -> str:
    """One day's avalanche bulletin: danger above and below 2000 m (1 to 5), avalanche problem, slopes, trend, and the
    forecaster who signed it (service number).

    Args:
        day: YYYY-MM-DD; bulletins of days to come are not written yet.
    """
    when = _isoDay(day, "day")
    r = next((row for row in AVALANCHE if row["day"] == when), None)
    if r is None:
        raise ToolError(f"No bulletin of {when}. There are those of {AVALANCHE[0]['day']} to {AVALANCHE[-1]['day']}.")
    return (
        f"AVALANCHE BULLETIN {when}\n* danger above 2000 m: {r['above']}\n* danger below 2000 m: {r['below']}\n"
        f"* problem: {r['problem']}\n* slopes facing: {r['aspects']}\n* trend: {r['trend']}\n"
        f"* no entry: {r['no entry']}\n* signed by: {r['author']}"
    )


@tool(effect="read", integrity="trusted")
def avyHistory(firstDay: str, lastDay: str) -> str:
    """Avalanche figures over several days, one line a day: danger above and below 2000 m, fresh snow in cm, shots fired
    by the blasters, slides that came down. Without problem, slopes or author.

    Args:
        firstDay: From this day on, YYYY-MM-DD.
        lastDay: Up to and with this day, YYYY-MM-DD.
    """
    first, last = _isoDay(firstDay, "firstDay"), _isoDay(lastDay, "lastDay")
    rows = [[r[k] for k in ("day", "above", "below", "fresh", "shots", "slides")] for r in AVALANCHE if first <= r["day"] <= last]
    if not rows:
        raise ToolError(f"Nothing is recorded there: the record goes from {AVALANCHE[0]['day']} to {AVALANCHE[-1]['day']}.")
    return _aligned(["day", "above", "below", "fresh_cm", "shots", "slides"], rows)


@tool(effect="read", integrity="trusted")
def stationLog(station: Literal["Horn Ridge", "Saddle", "Glassmere", "Larchgate"], day: str) -> str:
    """Hourly readings of a weather station: temperature (Celsius), mean wind and strongest gust (km/h), direction, depth
    of snow (cm). Today's log goes up to the last full hour.

    Args:
        station: Where the station stands.
        day: YYYY-MM-DD.
    """
    when, at = _isoDay(day, "day"), STATIONS[station]
    if when not in at["days"]:
        raise ToolError(f"The log of {when} is not kept here: only {' and '.join(at['days'])}.")
    table = _piped(["hour", "temp", "wind", "gust", "from", "snow"], at["days"][when])
    return f"{station}, {at['altitude']}, {when}\n{table}"


@tool(effect="read", integrity="trusted")
def incidentList(
    fromDay: str | None = None,
    toDay: str | None = None,
    kind: Literal["knee", "collision", "lost", "illness", "avalanche"] | None = None,
    runNo: str | None = None,
) -> str:
    """Incidents of this February, oldest first: reference, day, time of the call, run, kind, minutes until a patroller was
    there, open or closed.

    Args:
        fromDay: Not before this day, YYYY-MM-DD.
        toDay: Not after this day, YYYY-MM-DD.
        kind: Only incidents of this kind; lost means a search for somebody.
        runNo: Only on this run (number with a dot, or name).
    """
    first = _isoDay(fromDay, "fromDay") if fromDay else "0"
    last = _isoDay(toDay, "toDay") if toDay else "9"
    run = _one(runNo, RUNS, "run", "run")["run"] if runNo else None
    rows = [r for r in INCIDENTS if first <= r["day"] <= last and kind in (None, r["kind"]) and run in (None, r["run"])]
    if not rows:
        raise ToolError("No incident fits. The list begins on 2036-02-01.")
    return "\n".join(
        f"- {r['ref']}: {r['day']} {r['time']}, run {r['run']}, {r['kind']}, {r['minutes']} min, {r['state']}" for r in rows
    )


@tool(effect="read", integrity="trusted")
def incidentFile(ref: str) -> dict[str, object]:
    """The file of one incident: who was hurt (age, country, injury), the team, the toboggan, how they went on from there,
    and the bill in crowns.

    Args:
        ref: Year, slash, four figures, like 36/0000.
    """
    given = _flat(ref)
    r = next((row for row in INCIDENTS if given and _flat(row["ref"]).endswith(given) and len(given) >= 3), None)
    if r is None:
        raise ToolError(f"There is no incident {ref!r}. incidentList shows the references.")
    helpers = [int(each) for each in str(r["helpers"]).split(", ")] if r["helpers"] else []
    return {
        "ref": r["ref"],
        "when": f"{r['day']} {r['time']}",
        "guest": {"age": r["age"], "country": r["country"], "injury": r["injury"]},
        "team": {"leader": r["leader"], "helpers": helpers},
        "transport": {"toboggan": r["toboggan"], "onward": r["onward"]},
        "bill": {"crowns": r["bill"], "insured": r["insured"]},
    }


@tool(effect="read", integrity="trusted")
def gearStore(
    kind: Literal["toboggan", "transceiver", "defibrillator", "airbag", "rope", "drone"] | None = None,
    post: Post | None = None,
    state: Literal["ready", "out", "repair"] | None = None,
) -> str:
    """Rescue gear with tag, post, state (ready, out = lent or in use, repair), day of the next check, price in crowns and
    service number of who checked it last.

    Args:
        kind: Only this kind.
        post: Only what belongs to this post.
        state: Only what is in this state.
    """
    keys = ("tag", "thing", "post", "state", "next check", "price", "checked by")
    rows = [[r[k] for k in keys] for r in GEAR if kind in (None, r["kind"]) and post in (None, r["post"]) and state in (None, r["state"])]
    if not rows:
        raise ToolError("The store has no such gear. Leave out a filter.")
    return _piped(list(keys), rows)


@tool(effect="read", integrity="trusted")
def postSheet(post: Post) -> str:
    """A first-aid post and what it has: altitude, phone, hours, beds, oxygen bottles, radio channel, head of the post
    (service number), nearest lift, snowmobiles. Who works there on a day is on the dutySheet.

    Args:
        post: Which of the four.
    """
    return f"First-aid post {post}\n" + "\n".join(f"{k} = {v}" for k, v in POSTS[post].items())


@tool(effect="read", integrity="trusted")
def radioPlan() -> str:
    """Our radio channels: number, name, frequency in MHz, who talks there, repeater, whether it is recorded."""
    return "\n".join(
        f"[{r['ch']}] {r['name']} {r['mhz']} MHz: {r['use']}; "
        f"{_repeater(r['repeater'])}; {'recorded' if r['recorded'] == 'yes' else 'not recorded'}"
        for r in RADIO
    )


@tool(effect="write", integrity="trusted")
def shutRun(
    runNo: str, reason: Literal["wind", "avalanche danger", "ice", "accident", "little snow"], untilDay: str | None = None
) -> str:
    """Close a run that is open, and put it on the displays.

    Args:
        runNo: Number with a dot, or name.
        reason: What guests will read.
        untilDay: Expected last day of the closure, YYYY-MM-DD; left out: until further notice.
    """
    r = _one(runNo, RUNS, "run", "run")
    until = _isoDay(untilDay, "untilDay") if untilDay else None
    if r["state"] == "closed":
        raise ToolError(f"{r['run']} {r['name']} is closed already, since {r['since']} ({r['reason']}).")
    slip = zlib.crc32(f"{r['run']}/{reason}/{until}".encode()) % 900 + 100
    return f"Order {slip}/K: {r['run']} {r['name']} is closed ({reason}), {'up to ' + until if until else 'until further notice'}."


@tool(effect="write", integrity="trusted")
def lendGear(tag: str, serviceNo: int, backOn: str) -> dict[str, object]:
    """Sign a piece of rescue gear out to somebody in the service.

    Args:
        tag: Tag with a dot, as in the store.
        serviceNo: Four-digit service number of who takes it. Names are not accepted.
        backOn: Day on which it comes back, YYYY-MM-DD.
    """
    day = _isoDay(backOn, "backOn")
    r = next((row for row in GEAR if _flat(row["tag"]) == _flat(tag)), None)
    if r is None:
        raise ToolError(f"There is no tag {tag!r} in the store.")
    if str(serviceNo) not in PEOPLE:
        raise ToolError(f"{serviceNo!r} is nobody's service number.")
    if r["state"] != "ready":
        raise ToolError(f"{r['tag']} cannot be lent: it is in the state {r['state']}.")
    slip = zlib.crc32(f"{r['tag']}/{serviceNo}/{day}".encode()) % 90000 + 10000
    return {"slip": slip, "tag": r["tag"], "thing": r["thing"], "taken_by": PEOPLE[str(serviceNo)]["name"], "back_on": day}
