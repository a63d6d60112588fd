"""The tools for customers, leads and deals."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from typing import Annotated, Literal

from glassloop.core.records import ToolResult
from glassloop.extensions.business.desk import Business, Desk, Groups, Listing, Trend, Where, Wish, stated
from glassloop.extensions.business.parameters import AheadIs, CompareTo, EndDate, Limit, PeriodIs, StartDate, TrendBy
from glassloop.extensions.business.periods import Period, find_period
from glassloop.extensions.business.report import Compared, Ratio
from glassloop.extensions.business.source import Row
from glassloop.tools.tool import ToolContext

LeadStatus = Literal["any", "open", "new", "contacted", "qualified", "converted", "lost"]
LeadGroup = Literal["none", "status", "source", "region", "owner"]
CustomerStatus = Literal["any", "active", "at_risk", "churned"]
CustomerSort = Literal["revenue", "overdue", "newest", "name"]
Stage = Literal["any", "open", "prospecting", "qualification", "proposal", "negotiation", "won", "lost"]
DealDate = Literal["created", "closed", "expected"]
DealSort = Literal["newest", "largest", "closing"]

_LEADS = Listing(
    title="Leads",
    base="biz_leads l",
    day="l.created_on",
    totals=(
        "count(*) AS leads, coalesce(sum(l.value_cents), 0) AS value_cents, "
        "coalesce(sum(CASE WHEN l.status IN ('new', 'contacted', 'qualified') THEN 1 ELSE 0 END), 0) AS open, "
        "coalesce(sum(CASE WHEN l.status = 'converted' THEN 1 ELSE 0 END), 0) AS converted"
    ),
    columns=(
        "l.lead_id, l.company, l.contact, l.status, l.source, l.region, l.created_on, l.value_cents, l.owner, l.deal_id"
    ),
    order="l.created_on DESC, l.lead_id DESC",
)
_OPEN = "('prospecting', 'qualification', 'proposal', 'negotiation')"
_DEALS = Listing(
    title="Deals",
    base="biz_deals d",
    joins="LEFT JOIN biz_customers c ON c.customer_id = d.customer_id",
    day="d.created_on",
    totals=(
        "count(*) AS deals, coalesce(sum(d.amount_cents), 0) AS amount_cents, "
        f"coalesce(sum(CASE WHEN d.stage IN {_OPEN} THEN 1 ELSE 0 END), 0) AS open, "
        "coalesce(sum(CASE WHEN d.stage = 'won' THEN 1 ELSE 0 END), 0) AS won, "
        "coalesce(sum(CASE WHEN d.stage = 'won' THEN d.amount_cents ELSE 0 END), 0) AS won_amount_cents, "
        "coalesce(sum(CASE WHEN d.stage = 'lost' THEN 1 ELSE 0 END), 0) AS lost"
    ),
    columns=(
        "d.deal_id, c.name AS customer, d.name AS deal, d.stage, d.amount_cents, d.probability AS probability_percent, "
        "d.created_on, d.expected_on, d.closed_on, d.owner, d.customer_id"
    ),
    order="d.created_on DESC, d.deal_id DESC",
)
_CONVERSION = Ratio("conversion", "converted", ("leads",))
_WIN_RATE = Ratio("win_rate", "won", ("won", "lost"))
_CHURN = Ratio("churn", "lost_of_them", ("there_at_start",))
"""Of the customers there were when the period began, those that left in it."""
_DEAL_DAYS = {"created": "d.created_on", "closed": "d.closed_on", "expected": "d.expected_on"}
_DEAL_SORTS = {
    "newest": _DEALS.order,
    "largest": "d.amount_cents DESC, d.deal_id",
    "closing": "d.expected_on, d.deal_id",
}
_CUSTOMER_SORTS = {
    "revenue": "revenue_cents DESC, c.customer_id",
    "overdue": "overdue_cents DESC, c.customer_id",
    "newest": "c.since DESC, c.customer_id",
    "name": "c.name, c.customer_id",
}

OwnerIs = Annotated[str, "Only those of this account manager."]
RegionIs = Annotated[str, "Only this region: EMEA, Americas or APAC."]
CustomerIs = Annotated[str, "Only this customer: its id (C-0001) or name."]


class SalesTools:
    """Methods that become tools."""

    def __init__(self, business: Business) -> None:
        self._business = business

    def get_leads(
        self,
        context: ToolContext,
        status: LeadStatus = "any",
        source: Annotated[str, "Only from this source, such as Website, Referral or Trade fair."] = "",
        region: RegionIs = "",
        owner: OwnerIs = "",
        min_value: Annotated[float, "Only leads worth at least this."] = 0,
        group_by: LeadGroup = "none",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        limit: Limit = 20,
    ) -> ToolResult:
        """Sales leads (销售线索): how many came in, from which source, what they are worth, how many became deals.

        Args:
            status: open (not closed, 跟进中): new, contacted or qualified.
        """
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="last_90_days", today=desk.today)
            where = Where()
            if status == "open":
                where.measure("l.status IN ('new', 'contacted', 'qualified')", {"status": status})
            else:
                where.equal("l.status", "status", status, measured=True)
            for label, given in (("source", source), ("region", region), ("owner", owner)):
                desk.only_value(where, f"l.{label}", label, given, "biz_leads")
            where.at_least("l.value_cents", "min_value", min_value)
            grouped = group_by != "none"
            wish = Wish(
                period=wanted, limit=limit, compare=compare, trend=trend, ratios=(_CONVERSION,),
                groups=Groups(f"l.{group_by} AS {group_by}", measured=group_by == "status") if grouped else None,
                order=f"g.leads DESC, g.{group_by}" if grouped else "",
            )  # fmt: skip
            return desk.answer(_LEADS, where, wish).result()

    def get_customers(
        self,
        context: ToolContext,
        status: Annotated[CustomerStatus, "at_risk (danger, might leave, 流失风险): may be lost."] = "any",
        customer: CustomerIs = "",
        region: RegionIs = "",
        industry: Annotated[str, "Only this industry, such as Automotive, Medical or Industrial."] = "",
        owner: OwnerIs = "",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: Annotated[Trend, "Revenue for each day or month."] = "none",
        sort: Annotated[CustomerSort, "revenue (largest, biggest, best, top, 最大), overdue (owe, 欠款)."] = "revenue",
        limit: Limit = 20,
    ) -> ToolResult:
        """Customers (客户) with their revenue (营收, 销售额, 销售收入), overdue invoices, and how many were won and
        lost (churn, 客户流失)."""
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="last_12_months", today=desk.today)
            where = Where()
            where.equal("c.status", "status", status, measured=True)
            desk.only(where, "c.customer_id", "customer", customer)
            for label, given in (("region", region), ("industry", industry), ("owner", owner)):
                desk.only_value(where, f"c.{label}", label, given, "biz_customers")
            report = desk.report("Customers", wanted, filters=where.filters)
            report.totals = _customer_totals(desk, where, wanted)
            report.rows = _customer_rows(desk, where, wanted, sort, desk.bounded(limit))
            report.of = report.totals["customers"]
            if compare != "none":
                other = wanted.against(compare)
                report.compared = Compared(other, _customer_totals(desk, where, other))
            if trend != "none":
                report.trend = _revenue_trend(desk, where, wanted, trend)
            return report.result()

    def get_deals(
        self,
        context: ToolContext,
        stage: Stage = "any",
        customer: CustomerIs = "",
        owner: OwnerIs = "",
        region: RegionIs = "",
        min_amount: Annotated[float, "Only deals of at least this amount."] = 0,
        date_field: Annotated[DealDate, "Which day the period is about. Won and lost deals: else when closed."]
        | None = None,
        period: AheadIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        sort: DealSort = "newest",
        limit: Limit = 20,
    ) -> ToolResult:
        """Deals with customers (商机, 成交): open, won and lost, their amounts, when made, closed or expected.

        Args:
            stage: won (win, 成交, 赢), lost (lose, 丢单), negotiation (negotiated, 谈判), open (not closed): neither.
        """
        with self._business.desk(context) as desk:
            field: DealDate = date_field or ("closed" if stage in ("won", "lost") else "created")
            default = "all" if stage not in ("any", "won", "lost") else "this_year"
            wanted = find_period(
                period, start_date, end_date, default=default, today=desk.today, ahead=field == "expected"
            )
            where = Where()
            _at_stage(where, stage)
            _of_whom(desk, where, customer, owner, region)
            where.at_least("d.amount_cents", "min_amount", min_amount)
            where.filters["by_day"] = field
            if wanted.start is None and field == "closed":
                where.add("d.closed_on IS NOT NULL")
            listing = _dated(_DEAL_DAYS[field])
            # Of deals that are neither won nor lost there is no win rate.
            ratios = (_WIN_RATE,) if stage in ("any", "won", "lost") else ()
            wish = Wish(
                period=wanted, limit=limit, order=_DEAL_SORTS[sort], compare=compare, trend=trend, ratios=ratios
            )
            return desk.answer(listing, where, wish).result()

    def get_sales_pipeline(
        self,
        context: ToolContext,
        owner: OwnerIs = "",
        region: RegionIs = "",
        customer: CustomerIs = "",
        period: Annotated[AheadIs, "Only open deals expected to close then. Else all."] = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
    ) -> ToolResult:
        """The sales pipeline (销售漏斗, 赢单率): open deals by stage and expected month, weighted; the win rate."""
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="all", today=desk.today, ahead=True)
            where = Where()
            _of_whom(desk, where, customer, owner, region)
            closed = find_period(None, "", "", default="last_12_months", today=desk.today)
            won = desk.answer(_dated("d.closed_on"), where, Wish(period=closed, limit=1, ratios=(_WIN_RATE,))).totals
            where.add(f"d.stage IN {_OPEN}")
            inside = where.within("d.expected_on", wanted)
            sums = (
                "count(*) AS deals, coalesce(sum(d.amount_cents), 0) AS amount_cents, "
                "coalesce(sum(d.amount_cents * d.probability), 0) AS weighted"
            )
            source = f"FROM biz_deals d {inside.sql}"
            report = desk.report("Sales pipeline", wanted, filters=where.filters)
            report.totals = _weighted(desk.one(f"SELECT {sums} {source}", inside.values))
            stages = (
                f"SELECT d.stage, d.probability AS probability_percent, {sums} {source} GROUP BY d.stage, d.probability"
            )
            report.rows = [_weighted(row) for row in desk.rows(f"{stages} ORDER BY d.probability", inside.values)]
            months = f"SELECT substr(d.expected_on, 1, 7) AS month, {sums} {source} GROUP BY 1 ORDER BY 1"
            report.trend = [_weighted(row) for row in desk.rows(months, inside.values)]
            report.tables["closed_deals"] = [{"period": closed.text(), **won}]
            return report.result()


def _dated(column: str) -> Listing:
    return Listing(
        title=_DEALS.title, base=_DEALS.base, joins=_DEALS.joins, day=column, totals=_DEALS.totals,
        columns=_DEALS.columns, order=_DEALS.order,
    )  # fmt: skip


def _at_stage(where: Where, stage: Stage) -> None:
    if stage == "open":
        where.measure(f"d.stage IN {_OPEN}", {"stage": stage})
    else:
        where.equal("d.stage", "stage", stage, measured=True)


def _of_whom(desk: Desk, where: Where, customer: str, owner: str, region: str) -> None:
    desk.only(where, "d.customer_id", "customer", customer)
    desk.only_value(where, "d.owner", "owner", owner, "biz_deals")
    if region:
        value = desk.one_of("region", region, "biz_customers")
        inside = "SELECT r.customer_id FROM biz_customers r WHERE r.region = :region"
        where.add(f"d.customer_id IN ({inside})", {"region": value}, region=value)


def _weighted(row: Row) -> Row:
    """Amount times probability, in cents."""
    return {**{name: value for name, value in row.items() if name != "weighted"},
            "weighted_cents": round(row["weighted"] / 100)}  # fmt: skip


def _bounds(period: Period) -> dict[str, str]:
    return {
        "from_day": period.start.isoformat() if period.start else "0001-01-01",
        "to_day": period.end.isoformat() if period.end else "9999-12-31",
    }


_REVENUE = (
    "SELECT {columns} FROM biz_invoices n WHERE n.kind = 'receivable' AND n.issued_on BETWEEN :from_day AND :to_day"
)


def _customer_totals(desk: Desk, where: Where, period: Period) -> Row:
    values = {**where.values, **_bounds(period)}
    there = "c.since < :from_day AND (c.churned_on IS NULL OR c.churned_on >= :from_day)"
    query = (
        "SELECT count(*) AS customers, coalesce(sum(CASE WHEN c.status = 'active' THEN 1 ELSE 0 END), 0) AS active, "
        "coalesce(sum(CASE WHEN c.status = 'at_risk' THEN 1 ELSE 0 END), 0) AS at_risk, "
        "coalesce(sum(CASE WHEN c.since BETWEEN :from_day AND :to_day THEN 1 ELSE 0 END), 0) AS won_in_period, "
        "coalesce(sum(CASE WHEN c.churned_on BETWEEN :from_day AND :to_day THEN 1 ELSE 0 END), 0) "
        "AS churned_in_period, "
        f"coalesce(sum(CASE WHEN {there} THEN 1 ELSE 0 END), 0) AS there_at_start, "
        f"coalesce(sum(CASE WHEN {there} AND c.churned_on <= :to_day THEN 1 ELSE 0 END), 0) AS lost_of_them "
        "FROM biz_customers c"
    )
    totals = desk.one(f"{query} {where.sql}", values)
    base = desk.one(f"{query} {where.base.sql}", values) if where.is_measured else dict(totals)
    del totals["lost_of_them"]
    if where.is_measured:
        # How many of a status today were there then says nothing of how many there were.
        del totals["there_at_start"]
    totals |= stated((_CHURN,), base)
    return totals | desk.one(f"{_revenue(where, 'coalesce(sum(n.amount_cents), 0) AS revenue_cents')}", values)


def _revenue(where: Where, columns: str) -> str:
    """Invoices to the customers that are asked for; all of them need no look at who they are."""
    mine = f" AND n.party_id IN (SELECT c.customer_id FROM biz_customers c {where.sql})" if where.sql else ""
    return f"{_REVENUE.format(columns=columns)}{mine}"


def _customer_rows(desk: Desk, where: Where, period: Period, sort: CustomerSort, limit: int) -> list[Row]:
    revenue = _revenue(where, "n.party_id, sum(n.amount_cents) AS revenue_cents, count(*) AS invoices")
    overdue = (
        "SELECT n.party_id, sum(n.amount_cents) AS overdue_cents FROM biz_invoices n "
        "WHERE n.kind = 'receivable' AND n.paid_on IS NULL AND n.due_on < :as_of GROUP BY n.party_id"
    )
    return desk.rows(
        "SELECT c.customer_id, c.name AS customer, c.status, c.region, c.industry, "
        "coalesce(r.revenue_cents, 0) AS revenue_cents, coalesce(r.invoices, 0) AS invoices, "
        "coalesce(o.overdue_cents, 0) AS overdue_cents, c.since, c.churned_on, c.country, c.owner "
        f"FROM biz_customers c LEFT JOIN ({revenue} GROUP BY n.party_id) r ON r.party_id = c.customer_id "
        f"LEFT JOIN ({overdue}) o ON o.party_id = c.customer_id {where.sql} "
        f"ORDER BY {_CUSTOMER_SORTS[sort]} LIMIT {limit:d}",
        {**where.values, **_bounds(period)},
    )


def _revenue_trend(desk: Desk, where: Where, period: Period, trend: Trend) -> list[Row]:
    chars = 10 if trend == "day" else 7
    columns = f"substr(n.issued_on, 1, {chars}) AS {trend}, sum(n.amount_cents) AS revenue_cents, count(*) AS invoices"
    rows = desk.rows(
        f"{_revenue(where, columns)} GROUP BY 1 ORDER BY 1 DESC LIMIT 400", {**where.values, **_bounds(period)}
    )
    return rows[::-1]
