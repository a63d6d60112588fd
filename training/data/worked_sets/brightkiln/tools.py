"""Tools of the service desk of Brightkiln Ceramics, an invented firm. Nothing that is written is kept."""

import calendar
import json
import re
import zlib
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

ALL: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
PEOPLE, ASSETS, SEATS, TICKETS, SERVERS = (ALL[k] for k in ("people", "assets", "seats", "tickets", "servers"))
MONTHS, NIGHTS, POINTS, CHANGES = (ALL[k] for k in ("months", "nights", "points", "changes"))
PRINTERS, PAGER, WISHES = (ALL[k] for k in ("printers", "pager", "wishes"))
TODAY = date(2036, 4, 17)

Site = Literal["Main Works", "Glaze House", "Dispatch Hall", "Show Room"]


def _plain(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _day(text: str, what: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"{what}: {text!r} is not a day; write it as YYYY-MM-DD.") from None


def _login(text: str) -> str:
    key = _plain(text)
    if key not in PEOPLE:
        raise ToolError(f"{text!r} is not a login. Logins are three letters and two digits; who_works_here finds them.")
    return key


def _server(text: str) -> str:
    wanted = text.strip().casefold()
    for name in SERVERS:
        if wanted == name or wanted in name.split("."):
            return name
    names = "; ".join(f"{k} ({v['runs']})" for k, v in SERVERS.items())
    raise ToolError(f"No server is called {text!r}. There are {names}.")


def _ticket(text: str) -> str:
    for ref in TICKETS:
        if _plain(text) in (_plain(ref), _plain(ref)[2:]):
            return ref
    raise ToolError(f"There is no ticket {text!r}. tickets_waiting lists tickets with their references.")


def _columns(head: list[str], rows: list[list[object]]) -> str:
    table = [head, *[["-" if v is None else str(v) for v in row] for row in rows]]
    wide = [max(len(r[i]) for r in table) for i in range(len(head))]
    return "\n".join("  ".join(v.ljust(w) for v, w in zip(r, wide, strict=True)).rstrip() for r in table)


def _number(value: float) -> str:
    return f"{value:.2f}"


@tool(effect="read", integrity="trusted")
def who_works_here(text: str) -> str:
    """People of the firm with login, team, site and telephone extension.

    Args:
        text: Any part of a name, a team (accounts, design, IT) or a three-digit extension.
    """
    wanted = text.strip().casefold()
    lines = [
        f"- {v['name']}: login {k}, {v['team']}, {v['site']}, ext. {v['extension']}"
        for k, v in PEOPLE.items()
        if wanted and (wanted in v["name"].casefold() or wanted in (v["team"].casefold(), str(v["extension"]), k))
    ]
    if not lines:
        raise ToolError(f"Nobody fits {text!r}. Try the last name alone, or a team.")
    return "\n".join(lines)


@tool(effect="read", integrity="trusted")
def account_of(login: str) -> dict[str, object]:
    """What is set up for one person: mailbox, password, lock, second factor, last sign-in, assets, software,
    manager, and the pager number of people in IT.

    Args:
        login: Three letters and two digits (abc01). A name is not enough.
    """
    key = _login(login)
    return {"login": key, **{k: v for k, v in PEOPLE[key].items() if k not in ("team", "site", "extension")}}


@tool(effect="read", integrity="trusted")
def asset_by_tag(tag: int) -> str:
    """The sheet of one computer, tablet or monitor: model, purchase, price, supplier, warranty, memory, place, holder.

    Args:
        tag: The five digits on the sticker.
    """
    found = ASSETS.get(str(tag))
    if not found:
        raise ToolError(f"No asset has the tag {tag}. The account of the person who has it names its tag (account_of).")
    told = {k: (_number(v) if k == "price_eur" else v) for k, v in found.items() if v is not None}
    lines = [f"tag: {tag}", *[f"{k}: {v}" for k, v in told.items()]]
    return "\n".join(lines if found["holder"] else [*lines, "holder: nobody"])


@tool(effect="read", integrity="trusted")
def software_seats(vendor: str = "", renews_before: str | None = None) -> str:
    """Licences that are paid for: seats bought and in use, euros for a seat and year, day of renewal, contract.

    Args:
        vendor: Only products of this firm, e.g. Northgate; empty for all. The name of a product works too.
        renews_before: Only contracts that renew before this day (YYYY-MM-DD).
    """
    last = _day(renews_before, "renews_before").isoformat() if renews_before else "9999"
    rows = [
        s for s in SEATS
        if (_plain(vendor) in _plain(s["vendor"]) or _plain(vendor) in _plain(s["product"])) and s["renews"] < last
    ]  # fmt: skip
    if not rows:
        raise ToolError(f"No licence fits {vendor!r}" + (f" before {last}." if renews_before else "."))
    head = "product | vendor | bought | in use | EUR per seat | renews | contract"
    keys = ("product", "vendor", "bought", "in_use", "eur", "renews", "contract")
    body = [" | ".join(_number(s[k]) if k == "eur" else str(s[k]) for k in keys) for s in rows]
    return "\n".join([head, *body])


@tool(effect="read", integrity="trusted")
def tickets_waiting(
    stage: Literal["new", "in hand", "on hold", "done", "not done"] = "not done",
    desk: Literal["hardware", "software", "network", "accounts"] | None = None,
    tech: str | None = None,
) -> str:
    """Tickets in a list: reference, day opened, priority (1 is most urgent), subject, desk, technician, due day, stage.

    Args:
        stage: "not done" is new, in hand and on hold together.
        desk: Only one of the four desks.
        tech: Login of the technician who has them; "none" for those that nobody has.
    """
    who = None if tech is None else "" if tech.casefold() == "none" else _login(tech)
    rows = [
        [ref, t["opened"], t["priority"], t["subject"], t["desk"], t["tech"], t["due"], t["stage"]]
        for ref, t in TICKETS.items()
        if (t["stage"] == stage or (stage == "not done" and t["stage"] != "done"))
        and desk in (None, t["desk"])
        and who in (None, t["tech"] or "")
    ]
    if not rows:
        raise ToolError("No ticket fits. Try another stage, or leave out the desk or the technician.")
    return _columns(["ref", "opened", "prio", "subject", "desk", "tech", "due", "stage"], rows)


@tool(effect="read", integrity="trusted")
def ticket_story(ref: str) -> dict[str, object]:
    """One ticket from inside: who asked, which asset and server it concerns, minutes spent, what it waits for, notes.

    Args:
        ref: Two digits, a slash and four digits (99/0001).
    """
    key = _ticket(ref)
    hidden = ("opened", "priority", "desk", "tech", "due")
    return {"ref": key, **{k: v for k, v in TICKETS[key].items() if k not in hidden}}


@tool(effect="read", integrity="trusted")
def server_now(server: str) -> str:
    """How one server is doing today, in sentences: days since its restart, load, memory, free disk, patches, keeper.

    Args:
        server: Its name with the dot (kind.nickname) or either half of it.
    """
    name = _server(server)
    s = SERVERS[name]
    days = (TODAY - date.fromisoformat(s["since"])).days
    return (
        f"{name} carries {s['runs']}. It runs {s['os']} in {s['rack']} and has been up for "
        f"{days} day{'s' * (days != 1)}, since {s['since']}. CPU {s['cpu']} %, memory {s['memory']} %, "
        f"{s['free']} of {s['disk']} GB disk free. Last patched {s['patched']}. Keeper: {s['keeper']}."
    )


@tool(effect="read", integrity="trusted")
def server_month(month: str) -> list[dict[str, object]]:
    """Availability of all servers in a past month: outages, minutes down in all, longest outage, per cent.

    Args:
        month: YYYY-MM. Months are there once they are over.
    """
    if month not in MONTHS:
        raise ToolError(f"Nothing for {month}: there are {', '.join(MONTHS)}.")
    year, number = map(int, month.split("-"))
    whole = calendar.monthrange(year, number)[1] * 1440
    return [
        {"server": k, "outages": o, "min_down": d, "longest_min": m, "available_pct": round(100 - 100 * d / whole, 2)}
        for k, (o, d, m) in MONTHS[month].items()
    ]


@tool(effect="read", integrity="trusted")
def backup_night(night: str) -> str:
    """The backup jobs of one night, a line each: start, minutes, gigabytes, how it ended.

    Args:
        night: The day on whose evening it began, YYYY-MM-DD; jobs after midnight count to the evening before.
    """
    when = _day(night, "night").isoformat()
    if when not in NIGHTS:
        raise ToolError(f"No jobs are kept for the night of {when}: there are {min(NIGHTS)} to {max(NIGHTS)}.")
    body = [" | ".join(str(j[k]) for k in ("job", "server", "start", "minutes", "gb", "result")) for j in NIGHTS[when]]
    return "\n".join(["job | of | start | min | GB | result", *body])


@tool(effect="read", integrity="trusted")
def points_to_restore(server: str) -> list[dict[str, object]]:
    """States of a server that can still be brought back: point, when taken, full or changes, size, kept until, medium.

    Args:
        server: Name of the server, whole or either half.
    """
    name = _server(server)
    if name not in POINTS:
        raise ToolError(f"No points are kept for {name}; it would be installed anew. Kept are {', '.join(POINTS)}.")
    return POINTS[name]


@tool(effect="read", integrity="trusted")
def changes_between(first: str, last: str, risk: Literal["low", "medium", "high"] | None = None) -> str:
    """The change calendar: number, day and hours, server, what is done, risk, who leads it, whether it is approved.

    Args:
        first: First day, YYYY-MM-DD.
        last: Last day, YYYY-MM-DD; the same as first for a single day.
        risk: Only changes of this risk.
    """
    one, two = _day(first, "first"), _day(last, "last")
    if two < one:
        raise ToolError("last lies before first.")
    lines = [
        f"* {c['no']} {date.fromisoformat(c['day']):%a} {c['day']} {c['start']}-{c['end']}, "
        f"{c['server'] or 'no server'}: {c['what']} (risk {c['risk']}, led by {c['led_by']}, {c['state']})"
        for c in CHANGES
        if one.isoformat() <= c["day"] <= two.isoformat() and risk in (None, c["risk"])
    ]
    if not lines:
        raise ToolError(f"No such change from {one} to {two}.")
    return "\n".join(lines)


@tool(effect="read", integrity="trusted")
def printers_of(site: Site | None = None) -> list[dict[str, object]]:
    """Printers: queue, name, place, toner left in per cent, pages and jams since the first of this month, state.

    Args:
        site: One of the four sites; all printers without it.
    """
    return [p for p in PRINTERS if site in (None, p["site"])]


@tool(effect="read", integrity="trusted")
def pager_days(start: str, days: int = 1) -> str:
    """Who carries the pager after hours, a line a night: first and second technician; calls and minutes of past nights.

    Args:
        start: First night, YYYY-MM-DD.
        days: How many nights from there, 1 to 14.
    """
    begin = _day(start, "start")
    if not 1 <= days <= 14:
        raise ToolError("days goes from 1 to 14.")
    rows: list[list[object]] = []
    for i in range(days):
        when = begin + timedelta(i)
        if p := PAGER.get(when.isoformat()):
            rows.append([f"{when:%a} {when}", p["first"], p["second"], p["calls"], p["minutes"]])
    if not rows:
        raise ToolError(f"The rota has no {begin}; it goes from {min(PAGER)} to {max(PAGER)}.")
    return _columns(["night", "first", "second", "calls", "minutes"], rows)


@tool(effect="read", integrity="trusted")
def purchase_wishes(
    state: Literal["draft", "waiting", "approved", "ordered", "refused"] | None = None, at_least_eur: float = 0
) -> str:
    """What the firm wants to buy: number, thing, euros, day raised, day needed, who asked, who decides, state.

    Args:
        state: Only wishes in this state.
        at_least_eur: Only wishes of this amount or more.
    """
    rows = [
        [w["no"], w["what"], _number(w["eur"]), w["raised"], w["needed"], w["by"], w["decides"], w["state"]]
        for w in WISHES
        if state in (None, w["state"]) and w["eur"] >= at_least_eur
    ]
    if not rows:
        raise ToolError("No wish fits; leave out the state or lower the amount.")
    return _columns(["no", "thing", "EUR", "raised", "needed", "asked", "decides", "state"], rows)


@tool(effect="write", integrity="trusted")
def raise_ticket(
    login: str,
    subject: str,
    desk: Literal["hardware", "software", "network", "accounts"],
    priority: int,
    asset: int | None = None,
) -> dict[str, object]:
    """Open a ticket for somebody.

    Args:
        login: Login of the person who has the problem, not the name.
        subject: What is wrong, in a few words.
        desk: Which desk is to deal with it.
        priority: 1 (the work stands still) to 4 (no hurry). Has to be told, not guessed.
        asset: Tag of the device, where one is concerned.
    """
    who = _login(login)
    if not 1 <= priority <= 4:
        raise ToolError("priority goes from 1 to 4.")
    if asset is not None and str(asset) not in ASSETS:
        raise ToolError(f"No asset has the tag {asset}.")
    due = TODAY + timedelta({1: 0, 2: 4, 3: 11, 4: 25}[priority])
    ref = f"36/{zlib.crc32(f'{who}{desk}{priority}'.encode()) % 700 + 1200}"
    told = {"ref": ref, "for": PEOPLE[who]["name"], "subject": subject, "desk": desk}
    return {**told, "priority": priority, "due": due.isoformat()}


@tool(effect="write", integrity="trusted")
def hand_ticket_to(ref: str, tech_login: str) -> dict[str, object]:
    """Give a ticket to a technician.

    Args:
        ref: Two digits, a slash and four digits.
        tech_login: Login of somebody in IT.
    """
    key, who = _ticket(ref), _login(tech_login)
    if PEOPLE[who]["team"] != "IT":
        raise ToolError(f"{PEOPLE[who]['name']} is not in IT. Technicians are found by who_works_here with IT.")
    if TICKETS[key]["stage"] == "done":
        raise ToolError(f"{key} is done.")
    t = TICKETS[key]
    return {"ref": key, "subject": t["subject"], "before": t["tech"], "now": PEOPLE[who]["name"], "due": t["due"]}
