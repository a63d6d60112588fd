"""Results of reports: as JSON, or as a page with a line of totals above a table."""

from typing import Any

from training.data.catalogue import write_rows
from training.data.values import Rng, dumps


class ReportForm:
    """How one result is written, so that the answer writes its figures alike."""

    def __init__(self, rng: Rng) -> None:
        self.rng, self.is_page = rng, rng.chance(0.5)

    def figure(self, value: Any) -> str:
        return f"{value:,}" if self.is_page and isinstance(value, int | float) else str(value)

    def written(self, title: str, args: dict[str, Any], result: dict[str, Any]) -> str:
        if not self.is_page:
            return dumps(result)
        said = [f"{name.replace('_', ' ')}: {value}" for name, value in args.items()]
        head = " · ".join([title.capitalize(), *(said or ["all"]), f"as of {self.rng.today}"])
        figures = [f"{name.replace('_', ' ')} {self.figure(value)}" for name, value in result.items() if name != "rows"]
        page = f"{head}\nTotals: {', '.join(figures)}."
        rows = [{name: self.figure(value) for name, value in row.items()} for row in result.get("rows") or ()]
        return f"{page}\n\nRows, largest first:\n\n{write_rows(rows, 'table')}" if rows else page
