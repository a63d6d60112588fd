"""Charts of reports: a line where there is a trend, bars where rows are groups. Few series, of one unit."""

from collections.abc import Mapping, Sequence
from typing import Any

from glassloop.core.charts import MAX_BARS, MAX_LABEL_CHARS, MAX_POINTS, Chart, Series
from glassloop.extensions.business.database.source import Row

MAX_LINES = 3
_CENTS, _PERCENT = "_cents", "_percent"


def trend_chart(title: str, rows: Sequence[Row], currency: str) -> Chart | None:
    """Over days or months; the first column is the day."""
    return _chart("line", title, rows[-MAX_POINTS:], currency) if len(rows) > 1 else None


def group_chart(title: str, rows: Sequence[Row], currency: str) -> Chart | None:
    """Side by side; the first column with text names the bars."""
    return _chart("bar", title, rows[:MAX_BARS], currency) if len(rows) > 1 else None


def _chart(kind: Any, title: str, rows: Sequence[Row], currency: str) -> Chart | None:
    names = [name for name in rows[0] if isinstance(rows[0][name], str)]
    measured = _measured(rows[0])
    if not names or not measured:
        return None
    label = names[0]
    return Chart(
        kind=kind,
        title=title[:MAX_LABEL_CHARS],
        x_label=_words(label),
        x=tuple(_cut(str(row[label])) for row in rows),
        series=tuple(
            Series(label=_words(name), unit=_unit(name, currency), values=tuple(_value(name, row) for row in rows))
            for name in measured[: MAX_LINES if kind == "line" else 1]
        ),
    )


def _measured(row: Mapping[str, Any]) -> list[str]:
    """Amounts, else counts, else percentages: figures of different units do not share an axis."""
    numbers = [name for name, value in row.items() if isinstance(value, (int, float)) and not isinstance(value, bool)]
    amounts = [name for name in numbers if name.endswith(_CENTS)]
    shares = [name for name in numbers if name.endswith(_PERCENT)]
    return amounts or [name for name in numbers if name not in shares] or shares


def _value(name: str, row: Mapping[str, Any]) -> float | None:
    value = row.get(name)
    if not isinstance(value, (int, float)):
        return None
    return value / 100 if name.endswith(_CENTS) else float(value)


def _unit(name: str, currency: str) -> str:
    return currency if name.endswith(_CENTS) else "%" if name.endswith(_PERCENT) else ""


def _words(name: str) -> str:
    return name.removesuffix(_CENTS).removesuffix(_PERCENT).replace("_", " ").capitalize()


def _cut(text: str) -> str:
    return (text if len(text) <= MAX_LABEL_CHARS else f"{text[: MAX_LABEL_CHARS - 1]}…") or "–"
