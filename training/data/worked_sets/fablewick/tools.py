"""Tools of the Fablewick hire department: an invented store in records.json, as it stands on its one day."""

import json
import re
import zlib
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

_STORE: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
TODAY = date.fromisoformat(_STORE["today"])
COSTUMES, PROPS, ACCOUNTS, AGREEMENTS = (_STORE[k] for k in ("costumes", "props", "accounts", "agreements"))
TEAM, FITTINGS, MENDING = (_STORE[k] for k in ("team", "fittings", "mending"))
LAUNDRY, PRICES, SHOWS = (_STORE[k] for k in ("laundry", "prices", "shows"))
MOST_ROWS = 20

Period = Literal["tudor", "regency", "victorian", "twenties", "fantasy", "military"]
State, Room = Literal["in", "out", "mending"], Literal["Mirror Room", "Long Room", "Attic"]
Kind = Literal["furniture", "hand prop", "weapon", "lighting", "food"]
_PREFIX = {"tudor": "tud", "regency": "reg", "victorian": "vic", "twenties": "jaz", "fantasy": "fan", "military": "mil"}


def _squash(text: object) -> str:
    return re.sub(r"[^0-9a-z]", "", str(text).casefold())


def _tokens(text: object) -> list[str]:
    plain = re.sub(r"[’']s\b|[’']", "", str(text).casefold())
    return [t for t in re.findall(r"\w+", plain) if t not in ("the", "a", "of", "and", "mr", "mrs", "ms")]


def _has(said: str, *texts: object) -> bool:
    there = [t for text in texts for t in _tokens(text)]
    return all(any(t.startswith(s) or s.rstrip("s") == t for t in there) for s in _tokens(said))


def _pick(said: object, table: dict[str, Any]) -> str | None:
    return next((k for k in table if _squash(k) == _squash(said)), None)


def _piece(said: str) -> str:
    found = _pick(said, COSTUMES) or _pick(said, PROPS)
    if found is None:
        raise ToolError(f"{said!r} is no piece of ours. Costumes look like abc.000 (rummage_rails), props like 00/0 (props_cupboard).")
    return found


def _agreement(said: str) -> str:
    found = _pick(said, AGREEMENTS) or _pick(f"FH{said}", AGREEMENTS)
    if found is None:
        raise ToolError(f"There is no agreement {said!r}. They are FH and four digits; account_page names the last one of a hirer.")
    return found


def _when(text: str, what: str) -> date:
    try:
        return date.fromisoformat(str(text).strip())
    except ValueError:
        raise ToolError(f"{what}: write the day as YYYY-MM-DD, not {text!r}.") from None


def _lacking(entry: dict[str, Any]) -> list[str]:
    """What of an agreement has been handed out and is not back."""
    gone = entry["out"][:10] <= TODAY.isoformat() and not entry["returned"]
    return entry["pieces"][len(entry["pieces"]) - entry["missing"] :] if gone else []


def _state(piece: str) -> str:
    if any(piece in _lacking(a) for a in AGREEMENTS.values()):
        return "out"
    return "mending" if any(m["piece"] == piece and m["state"] != "done" for m in MENDING) else "in"


def _name(piece: str) -> str:
    return COSTUMES[piece]["garment"] if piece in COSTUMES else PROPS[piece]["name"]


@tool(effect="read", integrity="trusted")
def rummage_rails(
    words: str = "", period: Period | None = None, size: str | None = None, state: State | None = None
) -> str:
    """Look through the costumes. Tells code, garment, size, rail and whether it is in, out or being mended; no prices.

    Args:
        words: Words of the garment, e.g. "cloak" or "green dress". May be empty if something else is given.
        period: Only this period.
        size: Only this size: 36 to 60, "child 140", "one size".
        state: Only costumes in this state.
    """
    rows = []
    for code, c in COSTUMES.items():
        now = _state(code)
        fits = _has(words, c["garment"]) and (size is None or _squash(size) == _squash(c["size"]))
        if fits and code.startswith(_PREFIX.get(period or "", "")) and state in (None, now):
            rows.append(f"{code} | {c['garment']} | {c['size']} | {c['rail']} | {now}")
    if not rows:
        raise ToolError(f"No costume fits {words!r}. Try one word of it or fewer filters; props are in props_cupboard.")
    if len(rows) > MOST_ROWS:
        raise ToolError(f"{len(rows)} costumes are too many to show: give a word, a period, a size or a state.")
    return "\n".join(["code | garment | size | rail | state", *rows])


@tool(effect="read", integrity="trusted")
def garment_tag(code: str) -> str:
    """The tag sewn into one costume: measures in cm, price group, deposit, value, the show it was made for, care, last cleaning.

    Args:
        code: Costume code: three letters, a dot, three digits, e.g. abc.000.
    """
    found = _pick(code, COSTUMES)
    if found is None and _pick(code, PROPS):
        raise ToolError(f"{code} is a prop; props have no tag, see props_cupboard.")
    if found is None:
        raise ToolError(f"No costume has the code {code!r}. rummage_rails finds codes by words.")
    c = COSTUMES[found]
    lines = {"code": found, "garment": c["garment"], "price group": c["group"], "deposit": c["deposit"], "value": c["value"]}
    lines |= {f"{m} cm": c[m] for m in ("chest", "waist", "length") if c[m] is not None}
    lines |= {"made for": c["show"], "care": c["care"], "last cleaned": c["last_cleaned"]}
    return "\n".join(f"{k}: {v}" for k, v in lines.items())


@tool(effect="read", integrity="trusted")
def props_cupboard(word: str = "", kind: Kind | None = None) -> list[dict[str, Any]]:
    """Props with everything we know of them: reference, name, bay, weight in kg, price a week, deposit, state.

    Args:
        word: A word of the name, or a reference; leave empty for all of a kind.
        kind: Only this kind.
    """
    rows = [
        {"ref": r, "name": p["name"], "bay": p["bay"], "kg": p["kg"], "week": p["week"], "deposit": p["deposit"], "state": _state(r)}
        for r, p in PROPS.items()
        if kind in (None, p["kind"]) and (_has(word, p["name"]) or _squash(word) == _squash(r))
    ]
    if len(rows) > 12:
        raise ToolError(f"{len(rows)} props are too many to show: give a word or a kind.")
    if not rows:
        raise ToolError(f"No prop fits {word!r}. Costumes, hats and wings hang on the rails: rummage_rails.")
    return rows


@tool(effect="read", integrity="trusted")
def whose_account(name: str) -> str:
    """Hirers by name: account number, name, kind, town.

    Args:
        name: Name of the school, society, firm or person who hires, or a part of it; the contact person does as well.
    """
    rows = [
        f"- {n}: {a['name']} ({a['kind']}), {a['town']}"
        for n, a in ACCOUNTS.items()
        if _tokens(name) and (_has(name, a["name"]) or _has(name, a["contact"]))
    ]
    if not rows:
        raise ToolError(f"No hirer is called {name!r}. Our own people are in team_days; who tries on a costume is in fitting_book.")
    return "\n".join(rows)


@tool(effect="read", integrity="trusted")
def account_page(account: int) -> dict[str, Any]:
    """A hirer's page: contact and how to reach them, discount, what they owe, deposits we hold, weapon licence, last agreement.

    Args:
        account: Account number, five digits.
    """
    a = ACCOUNTS.get(str(account).strip())
    if a is None:
        raise ToolError(f"There is no account {account}. whose_account finds it by name.")
    return {
        "account": int(account),
        "name": a["name"],
        "reach": {"contact": a["contact"], "phone": a["phone"], "email": a["email"]},
        "money": {"owes": a["owes"], "deposits_held": a["deposits_held"], "discount_percent": a["discount"]},
        "hires": {"since": a["since"], "this_season": a["this_season"], "last_agreement": a["last_agreement"]},
        "weapon_licence_until": a["weapon_licence"],
    }


@tool(effect="read", integrity="trusted")
def agreement_slip(nr: str) -> str:
    """One hire agreement in words: whose it is, for which show, pieces, handing out, due back, fee, deposit, payment.

    Args:
        nr: Agreement number: FH and four digits, e.g. FH0000.
    """
    key = _agreement(nr)
    a = AGREEMENTS[key]
    gone = a["out"][:10] <= TODAY.isoformat()
    lacking = _lacking(a)
    told = [f"Agreement {key}, account {a['account']}" + (f", for \"{a['show']}\"." if a["show"] else ".")]
    told.append(f"Pieces: {'; '.join(f'{p} {_name(p)}' for p in a['pieces'])}.")
    told.append(f"{'Handed out' if gone else 'To be handed out'} {a['out']} by {a['by']}; due back {a['due']}.")
    if a["returned"]:
        told.append(f"All came back on {a['returned']}.")
    elif gone:
        told.append(f"Not back yet: {', '.join(lacking)}.")
    told.append(f"Fee {a['fee']}, {'paid' if a['paid'] else 'not paid'}; deposit {a['deposit']}. {'By our van.' if a['van'] else 'No van.'}")
    return "\n".join(told)


@tool(effect="read", integrity="trusted")
def out_and_back(first_day: str, days: int = 1, way: Literal["out", "back"] | None = None) -> str:
    """The counter's plan: which agreements are handed out, and which are due back, on one day or several, with the time.

    Args:
        first_day: YYYY-MM-DD.
        days: How many days from then on, 1 to 10.
        way: Only what goes out, or only what is due back.
    """
    start = _when(first_day, "first_day")
    if not 1 <= int(days) <= 10:
        raise ToolError("days goes from 1 to 10.")
    end = (start + timedelta(days=int(days) - 1)).isoformat()
    rows = []
    for nr, a in AGREEMENTS.items():
        for which in ("out", "due"):
            side = "back" if which == "due" else "out"
            if start.isoformat() <= a[which][:10] <= end and way in (None, side):
                rows.append((a[which], side, nr, a["account"], len(a["pieces"]), "van" if a["van"] else "-"))
    if not rows:
        raise ToolError(f"Nothing goes out or is due back from {start} to {end}. The counter is closed on Sunday and Monday.")
    head = f"{'day':<12}{'time':<7}{'way':<6}{'agreement':<11}{'account':<9}{'pieces':>6}  van"
    return "\n".join([head, *(f"{w[:10]:<12}{w[11:]:<7}{s:<6}{n:<11}{c:<9}{p:>6}  {v}" for w, s, n, c, p, v in sorted(rows))])


@tool(effect="read", integrity="trusted")
def still_out(at_least_days: int = 1) -> list[dict[str, Any]]:
    """Agreements past their day of return: day due, days late, pieces missing, late fee up to today, reminders sent.

    Args:
        at_least_days: Only those at least so many days late.
    """
    rows = []
    for nr, a in AGREEMENTS.items():
        late = (TODAY - date.fromisoformat(a["due"][:10])).days
        if (missing := len(_lacking(a))) and late >= max(1, int(at_least_days)):
            row = {"agreement": nr, "account": int(a["account"]), "due": a["due"][:10], "days_late": late}
            rows.append({**row, "missing": missing, "late_fee": 4 * missing * late, "reminders": a["reminders"]})
    if not rows:
        raise ToolError(f"No agreement is {at_least_days} days late or more.")
    return rows


@tool(effect="read", integrity="trusted")
def fitting_book(day: str, to_day: str | None = None, room: Room | None = None) -> str:
    """Fittings that are booked: when, where, who tries on, for which agreement, minutes, fitter's code, number of pieces.

    Args:
        day: The day, or the first of several, YYYY-MM-DD.
        to_day: The last of several days, YYYY-MM-DD; without it one day only.
        room: Only this room.
    """
    first = _when(day, "day").isoformat()
    last = _when(to_day, "to_day").isoformat() if to_day else first
    rows = [
        f"| {f['day']} | {f['time']} | {f['room']} | {f['wearer']} | {f['agreement']} | {f['minutes']} | {f['fitter']} | {f['pieces']} |"
        for f in FITTINGS
        if first <= f["day"] <= last and room in (None, f["room"])
    ]
    if not rows:
        raise ToolError(f"No fitting from {first} to {last}" + (f" in the {room}." if room else "."))
    if len(rows) > MOST_ROWS:
        raise ToolError(f"{len(rows)} fittings are too many to show: fewer days, or one room.")
    head = ["| day | time | room | wearer | agreement | minutes | fitter | pieces |", "|---|---|---|---|---|---|---|---|"]
    return "\n".join(head + rows)


@tool(effect="read", integrity="trusted")
def mending_pile(
    state: Literal["waiting", "on the bench", "done"] | None = None, mender: str | None = None, piece: str | None = None
) -> str:
    """Repairs: ticket, piece, day it came in, day it is wanted, minutes of work, mender's code, state, fault.

    Args:
        state: Only tickets in this state.
        mender: Only this mender: three letters or the name.
        piece: Only this piece: a costume's code or a prop's reference.
    """
    want = _piece(piece) if piece else None
    who = _member(mender) if mender else None
    rows = [m for m in MENDING if state in (None, m["state"]) and who in (None, m["mender"]) and want in (None, m["piece"])]
    if not rows:
        raise ToolError(f"No ticket fits: {want or ''} {who or ''} {state or ''}".rstrip(": ") + ".")
    head = f"{'ticket':<8}{'piece':<9}{'in':<12}{'wanted':<12}{'min':>4}  {'mender':<8}{'state':<14}fault"
    form = "{ticket:<8}{piece:<9}{in:<12}{wanted:<12}{minutes:>4}  {mender:<8}{state:<14}{fault}"
    return "\n".join([head, *(form.format(**m) for m in rows)])


@tool(effect="read", integrity="trusted")
def laundry_runs(month: str) -> dict[str, Any]:
    """What was sent to be cleaned in a month, run by run: pieces, kilos, cost, cleaner, pieces spoilt, day it came back.

    Args:
        month: YYYY-MM.
    """
    if month not in LAUNDRY:
        raise ToolError(f"The laundry book has {min(LAUNDRY)} to {max(LAUNDRY)}, not {month}.")
    return {"month": month, "runs": LAUNDRY[month]}


@tool(effect="read", integrity="trusted")
def price_board(group: Literal["A", "B", "C", "D", "E", "F"] | None = None) -> str:
    """What a costume of a price group costs: weekend, week, each extra week, cleaning, a lost button. A costume's tag names its group.

    Args:
        group: Only this group; without it the whole board.
    """
    head = f"{'group':<7}{'weekend':>7}{'week':>6}{'extra week':>12}{'cleaning':>10}{'button':>8}  covers"
    form = "{0:<7}{weekend:>7}{week:>6}{extra_week:>12}{cleaning:>10}{lost_button:>8}  {covers}"
    return "\n".join([head, *(form.format(g, **p) for g, p in PRICES.items() if group in (None, g))])


@tool(effect="read", integrity="trusted")
def show_wardrobe(show: str) -> str:
    """A production of our own theatre and what is left of its wardrobe: year, director, designer, cutter, nights, pieces, rails, crates.

    Args:
        show: Title of the production, or words of it.
    """
    hits = [t for t in SHOWS if _tokens(show) and _has(show, t)]
    if len(hits) != 1:
        raise ToolError(f"{'Several titles fit' if hits else 'No production fits'} {show!r}. We have: {'; '.join(hits or SHOWS)}.")
    told = (
        "{title} ({year}) was directed by {director} and designed by {designer}; the cutter was {cutter}. "
        "It ran for {nights} nights. {pieces} pieces are kept, on rails {rails}, and {crates} crates in the cellar."
    )
    return told.format(title=hits[0], **SHOWS[hits[0]])


def _member(said: str) -> str:
    found = _pick(said, TEAM)
    hits = [found] if found else [k for k, m in TEAM.items() if _tokens(said) and _has(said, m["name"])]
    if len(hits) != 1:
        raise ToolError(f"Nobody of the team is {said!r}: {', '.join(k + ' ' + m['name'] for k, m in TEAM.items())}.")
    return hits[0]


@tool(effect="read", integrity="trusted")
def team_days(week_of: str, who: str | None = None) -> str:
    """The department's people in a week: code, name, job, extension, days they work.

    Args:
        week_of: Any day of the week, YYYY-MM-DD.
        who: Only this person: three-letter code or name.
    """
    day = _when(week_of, "week_of")
    monday = (day - timedelta(days=day.weekday())).isoformat()
    weeks = TEAM["ODL"]["weeks"]
    if monday not in weeks:
        raise ToolError(f"There is no plan for the week of {monday}; plans exist for the weeks of {', '.join(weeks)}.")
    keys = [_member(who)] if who else list(TEAM)
    rows = [f"* {k} {TEAM[k]['name']} ({TEAM[k]['job']}, ext. {TEAM[k]['ext']}): {TEAM[k]['weeks'][monday]}" for k in keys]
    return "\n".join([f"Week of Monday {monday}", *rows])


@tool(effect="write", integrity="trusted")
def pencil_fitting(agreement: str, wearer: str, day: str, at: str, room: Room) -> str:
    """Pencil a fitting of half an hour into the book.

    Args:
        agreement: Number of the agreement: FH and four digits.
        wearer: Who tries the costume on, first and last name.
        day: YYYY-MM-DD, Tuesday to Saturday.
        at: Time of day, HH:MM.
        room: Where.
    """
    key, when = _agreement(agreement), _when(day, "day")
    if when.weekday() in (0, 6):
        raise ToolError(f"{when} is a {when:%A}; the house is closed on Sunday and Monday.")
    if not re.fullmatch(r"\d\d:\d\d", at) or not "09:30" <= at <= "17:00":
        raise ToolError("at: HH:MM, from 09:30 to 17:00.")
    start = int(at[:2]) * 60 + int(at[3:])
    for f in FITTINGS:
        begun = int(f["time"][:2]) * 60 + int(f["time"][3:])
        if f["day"] == when.isoformat() and f["room"] == room and begun < start + 30 and start < begun + f["minutes"]:
            raise ToolError(f"The {room} is taken on {when} from {f['time']} for {f['minutes']} minutes ({f['wearer']}).")
    slip = zlib.crc32(f"{key}{wearer}{when}{at}".encode()) % 900 + 100
    return f"Pencilled in as fitting {slip}: {wearer}, {when} at {at}, {room}, for {key}."


@tool(effect="write", integrity="trusted")
def send_to_mending(piece: str, fault: str, wanted: str) -> str:
    """Put a piece on the mending pile.

    Args:
        piece: Costume code or reference of a prop.
        fault: What is wrong with it, in a few words.
        wanted: Day by which it has to be ready, YYYY-MM-DD.
    """
    key, when = _piece(piece), _when(wanted, "wanted")
    if when < TODAY:
        raise ToolError(f"wanted: {when} is past.")
    open_one = next((m for m in MENDING if m["piece"] == key and m["state"] != "done"), None)
    if open_one:
        raise ToolError(f"{key} is on the pile already: ticket {open_one['ticket']}, {open_one['fault']}.")
    ticket = 3400 + zlib.crc32(f"{key}{when}".encode()) % 90
    mender = "WLL" if key in PROPS else ("HAJ" if ticket % 2 else "PCK")
    return f"Ticket {ticket}: {key} {_name(key)}, {fault}; wanted {when}, given to {mender}."
