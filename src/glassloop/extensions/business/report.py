"""The answer of a business tool: figures as data a table or chart can be made of, and the same as text to read.

Every answer names its period, its filters and the day the data stands at. Columns that end in `_cents` become amounts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from glassloop.core.charts import KEY, Chart
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.business.chart import group_chart, trend_chart
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.periods import Period

CELL_CHARS = 1_000
"""Of one value among several rows: how much of a long result is shown is the runtime's to decide."""

SHORTENED = "… (shortened: ask for this row alone to read all of it)"
SAMPLE = "sample company"
"""Said with every answer from made-up data, so that nobody takes it for their own."""

_CENTS = "_cents"


class PeriodComparison(msgspec.Struct, frozen=True):
    """The same totals of another period."""

    period: Period
    totals: Mapping[str, Any]


class BusinessReport(msgspec.Struct, kw_only=True):
    """An answer while it is put together. `of` is how many rows there are in all; `tables` are more than one;
    `grouped`: each row is a sum of its own.

    For the text alone: `sort_words` and `trend_label` say how rows and trend are to be read, `untold` are totals that
    others tell better, `fields`: one line a field instead of a table, for what is read and not compared.
    """

    title: str
    as_of: str
    currency: str
    sample: bool = False
    period: Period | None = None
    filters: dict[str, Json] = {}
    totals: Mapping[str, Any] = {}
    compared: PeriodComparison | None = None
    trend: Sequence[Row] = ()
    rows: Sequence[Row] = ()
    of: int | None = None
    grouped: bool = False
    tables: dict[str, Sequence[Row]] = {}
    notes: list[str] = []
    sort_words: str = ""
    trend_label: str = ""
    untold: tuple[str, ...] = ()
    fields: bool = False

    def leave_out(self, names: Sequence[str], why: str) -> None:
        """Takes figures out that nobody knows, and says which."""

        def without(row: Mapping[str, Any]) -> Row:
            return {name: value for name, value in row.items() if name not in names}

        self.totals, self.rows = without(self.totals), [without(row) for row in self.rows]
        if self.compared is not None:
            self.compared = PeriodComparison(self.compared.period, without(self.compared.totals))
        self.trend = [row for row in map(without, self.trend) if len(row) > 1]
        self.notes.append(f"{why}: left out {', '.join(map(figure_words, names))}.")

    def result(self) -> ToolResult:
        return ToolResult(success=True, output=self._text(), data=self._data())

    def _data(self) -> dict[str, Json]:
        data: dict[str, Json] = {"title": self.title, "as_of": self.as_of}
        if self._has_amounts():
            data["currency"] = self.currency
        if self.sample:
            data["source"] = SAMPLE
        if self.period is not None:
            data["period"] = self.period.told()
        data["filters"] = self.filters
        if self.totals:
            data["totals"] = as_shown(self.totals)
        if self.compared is not None:
            before = as_shown(self.compared.totals)
            data["comparison"] = {
                "period": self.compared.period.told(),
                "totals": before,
                "change": change(before, data["totals"]),
            }
        if self.trend:
            data["trend"] = [as_shown(row) for row in self.trend]
        data["rows"] = [as_shown(row) for row in self.rows]
        if self.of is not None:
            data |= {"shown": len(self.rows), "row_count": self.of}
        data |= {name: [as_shown(row) for row in rows] for name, rows in self.tables.items()}
        if self.notes:
            data["notes"] = self.notes
        if (chart := self._chart()) is not None:
            data[KEY] = msgspec.to_builtins(chart)
        return data

    def _has_amounts(self) -> bool:
        tables = (self.trend, self.rows, *self.tables.values())
        return any(
            name.endswith(_CENTS) for names in (self.totals, *(rows[0] for rows in tables if rows)) for name in names
        )

    def _chart(self) -> Chart | None:
        period = f", {self.period.text()}" if self.period is not None else ""
        title = f"{self.title}{period}"
        if self.trend:
            return trend_chart(title, self.trend, self.currency)
        return group_chart(title, self.rows, self.currency) if self.grouped else None

    def _text(self) -> str:
        """What matters most first: a model may be shown only the beginning."""
        head = [self.title]
        if self.period is not None:
            head.append(self.period.text())
        head += [f"{name.replace('_', ' ')}: {show('', value)}" for name, value in self.filters.items()]
        head.append(f"as of {self.as_of}")
        lines = [" · ".join([*head, SAMPLE] if self.sample else head)]
        if self.totals:
            lines.append(f"Totals: {self._figures(self.totals)}.")
        if self.compared is not None:
            changes = change(as_shown(self.compared.totals), as_shown(self.totals))
            told = ", ".join(
                f"{name.replace('_', ' ')} {_signed(value)}{_percent(changes.get(f'{name}_percent'))}"
                for name, value in changes.items()
                if not name.endswith("_percent") or f"{name}_percent" in changes
            )
            before = self._figures(self.compared.totals)
            lines.append(f"Compared with {self.compared.period.text()}: {told}. Then: {before}.")
        lines += [f"Note: {note}" for note in self.notes]
        label = f" ({self.trend_label})" if self.trend_label else ""
        lines += self._section(f"Trend{label}", self.trend)
        lines += _field_lines(self.rows) if self.fields else self._section(self._rows_title(), self.rows)
        for name, rows in self.tables.items():
            lines += self._section(name.replace("_", " ").capitalize(), rows)
        if not self.rows and (self.of == 0 or self.grouped):
            lines.append("Nothing matches.")
        return "\n".join(lines)

    def _figures(self, totals: Mapping[str, Any]) -> str:
        return ", ".join(
            f"{figure_words(name)} {show(name, value)}{f' {self.currency}' if name.endswith(_CENTS) else ''}"
            f"{_base(totals.get(_of(name)))}"
            for name, value in totals.items()
            if not name.endswith("_of") and name not in self.untold
        )

    def _rows_title(self) -> str:
        many = f" {len(self.rows)} of {self.of:,}" if self.of is not None and self.of > len(self.rows) else ""
        return f"Rows{many}{f', {self.sort_words}' if self.sort_words and len(self.rows) > 1 else ''}"

    def _section(self, title: str, rows: Sequence[Row]) -> list[str]:
        if not rows:
            return []
        columns = [name for name in rows[0] if any(row[name] != "" for row in rows)]
        heads = (f"{figure_words(c)}{f' ({self.currency})' if c.endswith(_CENTS) else ''}" for c in columns)
        lines = ["", f"{title}:", "", f"| {' | '.join(heads)} |", f"|{'---|' * len(columns)}"]
        for row in rows:
            cells = (_cell(show(column, row[column]), whole=len(rows) == 1) for column in columns)
            lines.append(f"| {' | '.join(cells)} |")
        return lines


def as_shown(row: Mapping[str, Any]) -> dict[str, Json]:
    """Cents as amounts, the rest as it is."""
    return {
        _name(name): value / 100 if name.endswith(_CENTS) and value is not None else value
        for name, value in row.items()
    }


def change(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Json]:
    """By how much each figure is more now, and in percent where there was something before."""
    changes: dict[str, Json] = {}
    for name, value in now.items():
        old = before.get(name)
        if not isinstance(value, (int, float)) or not isinstance(old, (int, float)):
            continue
        changes[name] = round(value - old, 2)
        if old and not name.endswith("_percent"):
            changes[f"{name}_percent"] = round((value - old) / abs(old) * 100, 1)
    return changes


class Ratio(msgspec.Struct, frozen=True):
    """A share in percent, of columns that count: `part` of what those of `whole` add up to, which it is part of."""

    name: str
    part: str
    whole: tuple[str, ...]

    def share(self, row: Row) -> Row:
        return {f"{self.name}_percent": percent(row[self.part], self._base(row))}

    def stated(self, row: Row) -> Row:
        """The share with what it is a share of, for totals that may be of something else."""
        base = self._base(row)
        return {**self.share(row), **({f"{self.name}_of": f"{row[self.part]:,} of {base:,}"} if base else {})}

    def _base(self, row: Row) -> int:
        return sum(row[name] for name in self.whole)


def percent(part: float, whole: float) -> float | None:
    """A share in percent; none of nothing."""
    return round(part / whole * 100, 1) if whole else None


def show(name: str, value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return "–"
    if name.endswith(_CENTS):
        return f"{value / 100:,.2f}"
    if name.endswith("_percent"):
        return f"{value:g} %"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:,}"
    return " ".join(str(value).split())


def _cell(text: str, *, whole: bool) -> str:
    """Fit for a table; of many rows, no single value may crowd out the others."""
    if len(text) > CELL_CHARS and not whole:
        text = f"{text[:CELL_CHARS]}{SHORTENED}"
    return text.replace("|", "\\|")


def _field_lines(rows: Sequence[Row]) -> list[str]:
    """A line for each field that has a value. Lines within a value are set in, so that they look like no field."""
    lines = [""]
    for row in rows:
        for name, value in row.items():
            if value not in (None, ""):
                first, *more = (value if isinstance(value, str) else show(name, value)).splitlines()
                lines += [f"{figure_words(name)}: {first}", *(f"  {line}" for line in more)]
    return lines


def _name(name: str) -> str:
    return name.removesuffix(_CENTS)


def figure_words(name: str) -> str:
    """A figure's name where its unit stands beside it."""
    return _name(name).removeprefix("is_").removesuffix("_percent").replace("_", " ")


def _of(name: str) -> str:
    """Where a ratio's base is told."""
    return f"{name.removesuffix('_percent')}_of" if name.endswith("_percent") else ""


def _base(told: str | None) -> str:
    return f" ({told})" if told else ""


def _percent(value: float | None) -> str:
    return "" if value is None else f" ({value:+.1f} %)"


def _signed(value: float) -> str:
    return f"{value:+,.2f}" if isinstance(value, float) else f"{value:+,}"
