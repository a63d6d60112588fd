"""`glassloop access` and `glassloop audit`: who may use and spend what, and the record of who did what."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption
from glassloop.cli.resources import load_settings, use_store
from glassloop.cli.ui.output import Line, count, moment, say, show_result
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.safe_text import one_line, plain_json
from glassloop.core.access import AccessRule, check_subject
from glassloop.core.errors import UnknownName, UsageError
from glassloop.store.store import Store
from glassloop.store.tables.governance.audit import AuditEntry, parse_kept
from glassloop.store.tables.governance.audit_chain import AuditVerification

app = typer.Typer()
access = typer.Typer(name="access", cls=Helpful, help="List, set and remove access and spending rules.")
audit = typer.Typer(name="audit", cls=Helpful, help="List, verify and export the audit log.")
app.add_typer(access)
app.add_typer(audit)

SHOWN_CHARS = 200
ALL = "all"

SubjectArgument = Annotated[str, typer.Argument(metavar="WHOM", help="`*` for everyone, group:NAME or user:NAME.")]
NamesOption = Annotated[str | None, typer.Option(metavar="NAMES", help="Comma-separated names; * is a wildcard.")]
Dollars = Annotated[
    float | None,
    typer.Option(metavar="USD", min=0, help="Spending limit in US dollars. Requests above it are refused."),
]
Tokens = Annotated[int | None, typer.Option(metavar="N", min=0, help="Token limit. Requests above it are refused.")]


@access.command("list")
def list_rules(as_json: JsonOption = False) -> None:
    """List all rules, including those in the settings file.

    \b
    Example:
      glassloop access list
    """
    settings = load_settings()
    with use_store(settings) as (runner, store):
        found = {**runner.run(store.access.rules()), **settings.access}
    show_result(found, as_json, lambda _: _rule_lines(found, settings.access))


@access.command("set")
def set_rule(
    whom: SubjectArgument,
    models: NamesOption = None,
    assistants: NamesOption = None,
    tools: NamesOption = None,
    dollars_per_day: Dollars = None,
    dollars_per_month: Dollars = None,
    tokens_per_day: Tokens = None,
    tokens_per_month: Tokens = None,
    as_json: JsonOption = False,
) -> None:
    """Set what a user or group may use and spend.

    Replaces the existing rule. Less specific rules apply to anything you omit. Servers apply the change within a
    second, to turns that start afterwards.

    \b
    Examples:
      glassloop access set user:ada --models "openai:*" --dollars-per-day 5
      glassloop access set group:interns --assistants general --tools "*,!run_code"
      glassloop access set "*" --dollars-per-month 20
    """
    _check_free(whom)
    names = {"models": models, "assistants": assistants, "tools": tools}
    given: dict[str, Any] = {name: _names(value) for name, value in names.items()}
    given |= {"dollars_per_day": dollars_per_day, "dollars_per_month": dollars_per_month}
    given |= {"tokens_per_day": tokens_per_day, "tokens_per_month": tokens_per_month}
    if all(value is None for value in given.values()):
        raise UsageError("Set at least one option: --models, --assistants, --tools, --dollars-per-day, …")
    rule = AccessRule(**given)
    with use_store() as (runner, store):
        runner.run(store.access.set_rule(check_subject(whom), rule))
    show_result({"subject": whom, "rule": rule}, as_json, lambda _: _rule_lines({whom: rule}, {}))


@access.command("remove")
def remove_rule(whom: SubjectArgument, as_json: JsonOption = False) -> None:
    """Remove the rule of a user or group.

    \b
    Example:
      glassloop access remove user:ada
    """
    _check_free(whom)
    with use_store() as (runner, store):
        if not runner.run(store.access.remove_rule(whom)):
            raise UnknownName(f"There is no rule for {whom!r}: `glassloop access list` shows all rules.")
    show_result({"subject": whom}, as_json, lambda _: one_line(f"Removed the rule for {whom!r}.", SHOWN_CHARS))


@audit.command("list")
def list_entries(
    user: Annotated[str | None, typer.Option("--user", metavar="NAME", help="Only actions by this user.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number to show.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List audit entries, newest first.

    \b
    Example:
      glassloop audit list --user ada
    """
    with use_store(must_exist=True) as (runner, store):
        found = runner.run(store.audit.list(limit, by=user))
    show_result(found, as_json, lambda _: _entry_lines(found))


@audit.command()
def verify(
    kept: Annotated[
        str | None,
        typer.Option("--kept", metavar="NUMBER:DIGEST", help="An earlier entry; checks that it is still in the log."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Check that no entry was changed or removed.

    Exits with 0 if the log is intact, 1 if not. Keep the number and digest it prints in another place and pass them
    next time with --kept: this also detects a truncated or rewritten log.

    \b
    Examples:
      glassloop audit verify
      glassloop audit verify --kept "$(cat last-entry.txt)"
    """
    before = parse_kept(kept) if kept else None
    with use_store(must_exist=True) as (runner, store), progress_bar("Reading the audit log"):
        found = runner.run(store.audit.verify(before))
    show_result(found, as_json, lambda _: _verification_lines(found))
    return 1 if found.problems else 0


@audit.command()
def export(
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="File to create. Default: standard output.")
    ] = None,
    after: Annotated[int, typer.Option("--after", metavar="N", min=0, help="Only entries after this number.")] = 0,
) -> None:
    """Write all entries as JSON lines, oldest first.

    Entries include everything their digests cover, so that others can verify them.

    \b
    Examples:
      glassloop audit export audit.jsonl
      glassloop audit export --after 1200 | gzip > more.jsonl.gz
    """
    with use_store(must_exist=True) as (runner, store):
        if path is None:
            runner.run(_write(store, after, sys.stdout.buffer))
            return
        try:
            with Path(path).open("xb") as file:
                number = runner.run(_write(store, after, file))
        except FileExistsError:
            raise UsageError(f"{path!r} already exists: choose another path.") from None
        except OSError as error:
            raise UsageError(f"{path!r} cannot be written ({error.strerror}): choose another path.") from None
    say(f"Wrote {count(number, 'line')} to {path}.")


async def _write(store: Store, after: int, file: Any) -> int:
    number = 0
    async for page in store.audit.links(after):
        file.write(b"".join(plain_json(msgspec.json.encode(link.columns())) + b"\n" for link in page))
        number += len(page)
    file.flush()
    return number


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def _check_free(whom: str) -> None:
    if whom in load_settings().access:
        raise UsageError(f"The rule for {whom!r} is defined in the settings file: change it there.")


def _rule_lines(found: Mapping[str, AccessRule], fixed: Mapping[str, AccessRule]) -> list[Line]:
    lines: list[Line] = []
    for subject, rule in sorted(found.items()):
        note = "  (settings file)" if subject in fixed else ""
        lines.append(Line((one_line(subject, SHOWN_CHARS), "act"), (note, "soft")))
        for name, value in msgspec.structs.asdict(rule).items():
            if value is not None:
                listed = isinstance(value, tuple)
                told = ", ".join(cast("tuple[str, ...]", value)) or "none" if listed else f"{value:,}"
                lines.append(Line((f"{name.replace('_', ' ')}: ", "soft"), one_line(told, SHOWN_CHARS), indent=4))
    nothing = "No rules: everyone may use everything that is configured. To add one: glassloop access set WHOM …"
    return [*lines, Line((count(len(found), "rule") if found else nothing, "soft"))]


def _entry_lines(found: Sequence[AuditEntry]) -> list[Line]:
    lines = [
        Line(
            (f"{entry.id}  {moment(entry.at)}  ", "soft"),
            one_line(entry.by_user, SHOWN_CHARS),
            (f"  {entry.action.replace('_', ' ')}  ", "act"),
            one_line(entry.subject, SHOWN_CHARS),
            (f"  {one_line(entry.detail, SHOWN_CHARS)}" if entry.detail else "", "soft"),
        )
        for entry in found
    ]
    return [*lines, Line((f"{count(len(found), 'line')}." if found else "The audit log is empty.", "soft"))]


def _verification_lines(found: AuditVerification) -> list[Line]:
    lines = [Line((one_line(problem, 400), "trouble")) for problem in found.problems]
    told = f"{found.entries:,} entries, the newest is"
    if not found.problems:
        lines.append(Line(("No entry was changed or removed.", "observe")))
    lines.append(Line((f"{told} {found.last}:{found.digest}", "soft")))
    if found.pruned:
        lines.append(Line((f"Entries up to {found.pruned} were removed by the retention policy.", "soft")))
    return lines
