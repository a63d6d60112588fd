"""Parameters that many business tools share, with the words a model reads."""

from typing import Annotated

from glassloop.extensions.business.desk import Trend
from glassloop.extensions.business.periods import AheadName, Compare, PeriodName

PeriodIs = Annotated[PeriodName | None, "Which days, by name."]
AheadIs = Annotated[AheadName | None, "Which days, by name."]
StartDate = Annotated[
    str, "First day, 2026-03-31; or a month 2026-03, a quarter 2026-Q1, a year; Q1, March: the last one."
]
EndDate = Annotated[str, "Last day, in the same forms."]
CompareTo = Annotated[Compare, "Compare the totals with the period before, or with the same days a year before."]
TrendBy = Annotated[Trend, "Totals for each day or month."]
Limit = Annotated[int, "How many rows to show."]
