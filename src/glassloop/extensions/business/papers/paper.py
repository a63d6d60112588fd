"""A paper, and how its figures are written."""

from collections.abc import Sequence
from typing import Any

import msgspec

from glassloop.extensions.business.source import Row


class Paper(msgspec.Struct, frozen=True, kw_only=True):
    """A document of a domain, as Markdown."""

    domain: str
    name: str
    title: str
    text: str


def paper(domain: str, name: str, title: str, *parts: str) -> Paper:
    """With its title as heading; parts are paragraphs, tables and sections."""
    return Paper(domain=domain, name=name, title=title, text="\n\n".join((f"# {title}", *parts)) + "\n")


def section(title: str, *parts: str) -> str:
    return "\n\n".join((f"## {title}", *parts))


def listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    lines += [f"| {' | '.join(str(cell).replace('|', '/') for cell in row)} |" for row in rows]
    return "\n".join(lines)


def money(cents: int, currency: str) -> str:
    return f"{cents / 100:,.2f} {currency}"


def whole(row: Row, name: str) -> str:
    return f"{row[name]:,}"
