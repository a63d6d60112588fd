"""The tools for servers, alerts and logs."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from typing import Annotated, Literal

from glassloop.core.errors import BadArguments
from glassloop.core.records import ToolResult
from glassloop.extensions.business.desk import Business, Desk, Groups, Listing, Where, Wish, clean, contains, stated
from glassloop.extensions.business.parameters import CompareTo, EndDate, Limit, PeriodIs, StartDate, TrendBy
from glassloop.extensions.business.periods import find_period
from glassloop.extensions.business.report import Ratio
from glassloop.extensions.business.source import Row
from glassloop.tools.tool import ToolContext

ServerStatus = Literal["any", "up", "degraded", "down", "maintenance", "not_up"]
Environment = Literal["any", "production", "staging", "test"]
ServerSort = Literal["worst", "cpu", "memory", "disk", "name"]
Severity = Literal["any", "critical", "warning", "info"]
AlertStatus = Literal["any", "open", "acknowledged", "resolved", "unresolved"]
AlertGroup = Literal["none", "severity", "status", "server", "title"]
Level = Literal["any", "debug", "info", "warning", "error"]
LogGroup = Literal["none", "level", "service", "server", "message"]

_SERVER_SORTS = {
    "worst": "CASE s.status WHEN 'down' THEN 0 WHEN 'degraded' THEN 1 WHEN 'maintenance' THEN 2 ELSE 3 END, "
    "s.cpu_percent DESC, s.server_id",
    "cpu": "s.cpu_percent DESC, s.server_id",
    "memory": "s.memory_percent DESC, s.server_id",
    "disk": "s.disk_percent DESC, s.server_id",
    "name": "s.hostname, s.server_id",
}
_UP = Ratio("up", "up", ("servers",))
_HOST = ("s.hostname AS server", "LEFT JOIN biz_servers s ON s.server_id = g.server_id")
_ALERTS = Listing(
    title="Alerts",
    base="biz_alerts a",
    joins="LEFT JOIN biz_servers s ON s.server_id = a.server_id",
    day="a.raised_at",
    totals=(
        "count(*) AS alerts, coalesce(sum(CASE WHEN a.severity = 'critical' THEN 1 ELSE 0 END), 0) AS critical, "
        "coalesce(sum(CASE WHEN a.status <> 'resolved' THEN 1 ELSE 0 END), 0) AS unresolved, "
        "coalesce(sum(CASE WHEN a.status = 'resolved' THEN 1 ELSE 0 END), 0) AS resolved, "
        "coalesce(sum(CASE WHEN a.status = 'resolved' THEN a.minutes_to_resolve ELSE 0 END), 0) AS minutes"
    ),
    columns=(
        "a.alert_id, a.severity, a.status, a.title, s.hostname AS server, a.raised_at, a.resolved_at, "
        "a.minutes_to_resolve, a.server_id"
    ),
    order="a.raised_at DESC, a.alert_id DESC",
)
_ALERT_GROUPS = {
    "severity": Groups("a.severity AS severity"),
    "status": Groups("a.status AS status"),
    "server": Groups("a.server_id AS server_id", *_HOST),
    "title": Groups("a.title AS title"),
}
_LOGS = Listing(
    title="Log lines",
    base="biz_logs l",
    joins="LEFT JOIN biz_servers s ON s.server_id = l.server_id",
    day="l.logged_at",
    totals=(
        "count(*) AS lines, coalesce(sum(CASE WHEN l.level = 'error' THEN 1 ELSE 0 END), 0) AS errors, "
        "coalesce(sum(CASE WHEN l.level = 'warning' THEN 1 ELSE 0 END), 0) AS warnings"
    ),
    columns="l.logged_at, l.level, s.hostname AS server, l.service, l.message, l.log_id",
    order="l.logged_at DESC, l.log_id DESC",
)
_LOG_GROUPS = {
    "level": Groups("l.level AS level"),
    "service": Groups("l.service AS service"),
    "server": Groups("l.server_id AS server_id", *_HOST),
    "message": Groups("l.message AS message"),
}

ServerIs = Annotated[str, "Only this server: its id (SRV-001) or host name (db-01, web-01, erp-01)."]


class MachineTools:
    """Methods that become tools."""

    def __init__(self, business: Business) -> None:
        self._business = business

    def get_server_status(
        self,
        context: ToolContext,
        server: ServerIs = "",
        status: ServerStatus = "any",
        environment: Environment = "any",
        role: Annotated[str, "Only servers of this role, such as erp, db, web, mail or backup."] = "",
        location: Annotated[str, "Only servers there."] = "",
        min_load: Annotated[int, "Only where CPU, memory or disk is at least this many percent full."] = 0,
        sort: ServerSort = "worst",
        limit: Limit = 20,
    ) -> ToolResult:
        """Server status (服务器状态): up, degraded or down, CPU, memory and disk load, unresolved alerts.

        Args:
            status: down (crashed, 宕机, 挂了), not_up (trouble, not running, 异常): degraded, down or in maintenance.
        """
        with self._business.desk(context) as desk:
            where = Where()
            desk.only(where, "s.server_id", "server", server)
            if status == "not_up":
                where.measure("s.status <> 'up'", {"status": status})
            else:
                where.equal("s.status", "status", status, measured=True)
            where.equal("s.environment", "environment", environment)
            desk.only_value(where, "s.role", "role", role, "biz_servers")
            desk.only_value(where, "s.location", "location", location, "biz_servers")
            if min_load:
                if not 0 <= min_load <= 100:
                    raise BadArguments(f"min_load {min_load} is no percentage: give 0 to 100.")
                loads = "s.cpu_percent >= :load OR s.memory_percent >= :load OR s.disk_percent >= :load"
                where.add(loads, {"min_load": min_load}, load=min_load)
            report = desk.report("Servers", filters=where.filters)
            report.totals, report.rows = _servers(desk, where, sort, desk.bounded(limit))
            report.of = report.totals["servers"]
            return report.result()

    def get_alerts(
        self,
        context: ToolContext,
        severity: Severity = "any",
        status: AlertStatus = "any",
        server: ServerIs = "",
        group_by: AlertGroup = "none",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        limit: Limit = 20,
    ) -> ToolResult:
        """Monitoring alerts (告警): how many, how severe, which are unresolved, how long they took to resolve.

        Args:
            severity: critical (serious, 严重).
            status: unresolved (not resolved, 未解决): open or acknowledged.
        """
        with self._business.desk(context) as desk:
            default = "all" if status in ("open", "acknowledged", "unresolved") else "last_30_days"
            wanted = find_period(period, start_date, end_date, default=default, today=desk.today)
            where = Where()
            where.equal("a.severity", "severity", severity)
            if status == "unresolved":
                where.add("a.status IN ('open', 'acknowledged')", {"status": status})
            else:
                where.equal("a.status", "status", status)
            desk.only(where, "a.server_id", "server", server)
            groups = _ALERT_GROUPS.get(group_by)
            wish = Wish(
                period=wanted, limit=limit, compare=compare, trend=trend, groups=groups, derive=_with_average,
                order=f"g.alerts DESC, {_key(group_by)}" if groups else "",
            )  # fmt: skip
            return desk.answer(_ALERTS, where, wish).result()

    def search_logs(
        self,
        context: ToolContext,
        query: Annotated[str, "Words that the line must have, all of them. Empty for any line."] = "",
        level: Level = "any",
        server: ServerIs = "",
        service: Annotated[str, "Only this service, such as nginx."] = "",
        group_by: LogGroup = "none",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        limit: Limit = 20,
    ) -> ToolResult:
        """Search the logs of servers (日志) for words, errors or warnings, newest first."""
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="last_7_days", today=desk.today)
            where = Where()
            if query.strip():
                _with_words(where, clean(query, "query"))
            where.equal("l.level", "level", level)
            desk.only(where, "l.server_id", "server", server)
            if service:
                value = clean(service, "service").lower()
                where.add("lower(l.service) = :service", {"service": value}, service=value)
            groups = _LOG_GROUPS.get(group_by)
            wish = Wish(
                period=wanted, limit=limit, compare=compare, trend=trend, groups=groups,
                order=f"g.lines DESC, {_key(group_by)}" if groups else "",
            )  # fmt: skip
            return desk.answer(_LOGS, where, wish).result()


def _servers(desk: Desk, where: Where, sort: ServerSort, limit: int) -> tuple[Row, list[Row]]:
    query = (
        "SELECT count(*) AS servers, coalesce(sum(CASE WHEN s.status = 'up' THEN 1 ELSE 0 END), 0) AS up, "
        "coalesce(sum(CASE WHEN s.status = 'degraded' THEN 1 ELSE 0 END), 0) AS degraded, "
        "coalesce(sum(CASE WHEN s.status = 'down' THEN 1 ELSE 0 END), 0) AS down, "
        "coalesce(sum(CASE WHEN s.status = 'maintenance' THEN 1 ELSE 0 END), 0) AS maintenance "
        "FROM biz_servers s"
    )
    totals = desk.one(f"{query} {where.sql}", where.values)
    totals |= stated((_UP,), desk.one(f"{query} {where.base.sql}", where.values) if where.is_measured else totals)
    unresolved = (
        "SELECT server_id, count(*) AS many FROM biz_alerts WHERE status IN ('open', 'acknowledged') GROUP BY server_id"
    )
    rows = desk.rows(
        "SELECT s.server_id, s.hostname, s.status, s.cpu_percent, s.memory_percent, s.disk_percent, "
        "coalesce(u.many, 0) AS unresolved_alerts, s.environment, s.role, s.location, s.uptime_days, s.last_seen_at "
        f"FROM biz_servers s LEFT JOIN ({unresolved}) u ON u.server_id = s.server_id {where.sql} "
        f"ORDER BY {_SERVER_SORTS[sort]} LIMIT {limit:d}",
        where.values,
    )
    return totals, rows


def _key(group_by: str) -> str:
    return "s.hostname" if group_by == "server" else f"g.{group_by}"


def _with_average(row: Row) -> Row:
    minutes = row.pop("minutes")
    return {**row, "average_minutes_to_resolve": round(minutes / row["resolved"], 1) if row["resolved"] else None}


def _with_words(where: Where, query: str) -> None:
    words = query.split()
    if len(words) > 10:
        raise BadArguments(f"query has {len(words)} words: 10 at most.")
    for number, word in enumerate(words):
        name = f"word{number}"
        where.add(f"l.message LIKE :{name} ESCAPE '!'", **{name: contains(word)})
    where.filters["query"] = query
