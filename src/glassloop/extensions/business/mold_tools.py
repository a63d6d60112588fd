"""The tools for molds: defect cases in English and Chinese, trial history, causes and remedies."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from typing import Annotated, Literal

from pydantic import Field

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.core.words import content_words
from glassloop.extensions.business.defects import BY_CODE, CATALOGUE, Defect, find_defects, without_defects
from glassloop.extensions.business.desk import Business, Desk, Groups, Listing, Where, Wish, clean, contains
from glassloop.extensions.business.parameters import CompareTo, EndDate, Limit, PeriodIs, StartDate, TrendBy
from glassloop.extensions.business.periods import find_period
from glassloop.extensions.business.source import Row
from glassloop.tools.tool import ToolContext

CaseSeverity = Literal["any", "minor", "major", "critical"]
CaseStatus = Literal["any", "open", "resolved"]
CaseGroup = Literal["none", "defect", "mold", "trial", "severity", "position"]

MOST_WORDS = 6

_CASES = Listing(
    title="Defect cases",
    base="biz_defect_cases d LEFT JOIN biz_trials t ON t.trial_id = d.trial_id "
    "LEFT JOIN biz_molds m ON m.mold_id = d.mold_id",
    day="d.found_on",
    totals=(
        "count(*) AS cases, coalesce(sum(CASE WHEN d.status = 'open' THEN 1 ELSE 0 END), 0) AS open, "
        "coalesce(sum(CASE WHEN d.severity = 'critical' THEN 1 ELSE 0 END), 0) AS critical"
    ),
    columns=(
        "d.case_id, d.defect, d.mold_id, m.name AS mold, t.trial, d.severity, d.status, d.found_on, d.title_en, "
        "d.title_zh, d.position"
    ),
    order="d.found_on DESC, d.case_id DESC",
)
_GROUPS = {
    "defect": (Groups("d.defect AS defect"), "g.defect"),
    "mold": (
        Groups("d.mold_id AS mold_id", "m.name AS mold", "LEFT JOIN biz_molds m ON m.mold_id = g.mold_id"),
        "g.mold_id",
    ),
    "trial": (Groups("t.trial AS trial"), "g.trial"),
    "severity": (Groups("d.severity AS severity"), "g.severity"),
    "position": (Groups("d.position AS position"), "g.position"),
}
_TEXTS = (
    "d.title_en", "d.title_zh", "d.description_en", "d.description_zh", "d.cause_en", "d.cause_zh", "d.remedy_en",
    "d.remedy_zh", "m.name", "m.material",
)  # fmt: skip

DefectIs = Annotated[
    str,
    Field(
        description="A defect, in English or Chinese.",
        examples=[name for defect in CATALOGUE for name in (defect.en[0], *defect.zh[:2])],
    ),
]


class MoldTools:
    """Methods that become tools."""

    def __init__(self, business: Business) -> None:
        self._business = business

    def search_defect_cases(
        self,
        context: ToolContext,
        query: Annotated[str, "Defects and other words to look for, in English or Chinese."] = "",
        defect: DefectIs = "",
        mold: Annotated[str, "Only this mold: its id (MD-001) or name."] = "",
        trial: Annotated[Literal["any", "T0", "T1", "T2"], "Only from this trial run."] = "any",
        severity: CaseSeverity = "any",
        status: CaseStatus = "any",
        group_by: CaseGroup = "none",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        limit: Limit = 20,
    ) -> ToolResult:
        """Search cases of mold and product defects (模具缺陷案例, 查找披锋等) by defect, mold, trial run or words."""
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="all", today=desk.today)
            where = Where()
            if defect:
                _of_defects(where, [find_defect(defect)])
            desk.only(where, "d.mold_id", "mold", mold)
            where.equal("t.trial", "trial", trial)
            where.equal("d.severity", "severity", severity)
            where.equal("d.status", "status", status)
            if query.strip():
                _search(desk, where, clean(query, "query"), known=bool(defect))
            groups, key = _GROUPS.get(group_by, (None, ""))
            wish = Wish(
                period=wanted, limit=limit, compare=compare, trend=trend, groups=groups,
                order=f"g.cases DESC, {key}" if groups else "",
            )  # fmt: skip
            report = desk.answer(_CASES, where, wish)
            report.rows = [_named(row) for row in report.rows]
            return report.result()

    def get_defect_case(
        self, context: ToolContext, case_id: Annotated[str, "The case's id, such as DC-0012."]
    ) -> ToolResult:
        """One defect case in full: what was seen, its cause and remedy, in English and Chinese."""
        with self._business.desk(context) as desk:
            given = clean(case_id, "case_id")
            found = desk.rows(
                "SELECT d.*, m.name AS mold, m.material, t.trial, t.run_on, t.result AS trial_result "
                "FROM biz_defect_cases d JOIN biz_molds m ON m.mold_id = d.mold_id "
                "LEFT JOIN biz_trials t ON t.trial_id = d.trial_id WHERE d.case_id IN (:given, :upper)",
                {"given": given, "upper": given.upper()},
            )
            if not found:
                raise BadArguments(f"There is no defect case {given!r}: search_defect_cases shows the ids.")
            row = _named(found[0])
            report = desk.report(f"Defect case {row['case_id']}", rows=[row])
            result = report.result()
            # A case is read, not compared with others: one line a field.
            lines = [f"{name.replace('_', ' ')}: {value}" for name, value in row.items() if value is not None]
            return ToolResult(success=True, output="\n".join([f"{report.title}", *lines]), data=result.data)

    def get_trial_history(
        self,
        context: ToolContext,
        mold: Annotated[str, "The mold: its id, such as MD-007, or its name."],
    ) -> ToolResult:
        """The trial runs of a mold, T0 to T1 to T2 (试模记录): result, settings, rejects and the defects of each."""
        with self._business.desk(context) as desk:
            key, name = desk.find("mold", mold)
            values = {"mold": key}
            trials = desk.rows(
                "SELECT t.trial, t.run_on, t.result, t.shots, t.rejects, t.press, t.melt_celsius, t.pressure_bar, "
                "t.cycle_tenths, t.notes_en, t.notes_zh, t.trial_id FROM biz_trials t WHERE t.mold_id = :mold "
                "ORDER BY t.run_on, t.trial",
                values,
            )
            cases = desk.rows(
                "SELECT t.trial, d.case_id, d.defect, d.severity, d.status, d.position, d.cause_en, d.cause_zh, "
                "d.remedy_en, d.remedy_zh FROM biz_defect_cases d LEFT JOIN biz_trials t ON t.trial_id = d.trial_id "
                "WHERE d.mold_id = :mold ORDER BY d.found_on, d.case_id",
                values,
            )
            about = desk.one(
                "SELECT m.status, m.material, m.cavities, m.press_tons, m.steel, m.toolmaker, m.ordered_on "
                "FROM biz_molds m WHERE m.mold_id = :mold",
                values,
            )
            report = desk.report(f"Trial history of {key} {name}", filters={"mold": key}, of=len(trials))
            report.totals = {"trials": len(trials), "cases": len(cases)}
            report.rows = [_with_cycle(row, cases) for row in trials]
            report.tables = {"cases": [_named(row) for row in cases], "mold": [about]}
            return report.result()

    def get_defect_remedies(self, context: ToolContext, defect: DefectIs, limit: Limit = 10) -> ToolResult:
        """Causes and remedies of a defect (缺陷原因, 对策, 怎么解决, 怎么办, 处理, 改善): why it happens, how to fix,
        what helped in past cases."""
        with self._business.desk(context) as desk:
            found = find_defect(defect)
            where = Where()
            _of_defects(where, [found])
            seen = desk.rows(
                "SELECT d.cause_en, d.cause_zh, d.remedy_en, d.remedy_zh, count(*) AS cases, "
                "sum(CASE WHEN d.status = 'resolved' THEN 1 ELSE 0 END) AS resolved FROM biz_defect_cases d "
                f"{where.sql} GROUP BY 1, 2, 3, 4 ORDER BY cases DESC, 1 LIMIT {desk.bounded(limit):d}",
                where.values,
            )
            report = desk.report(f"Causes and remedies: {found.en[0]} ({found.zh[0]})", filters=where.filters)
            report.totals = desk.one(
                "SELECT count(*) AS cases, coalesce(sum(CASE WHEN d.status = 'resolved' THEN 1 ELSE 0 END), 0) "
                f"AS resolved FROM biz_defect_cases d {where.sql}",
                where.values,
            )
            report.rows = seen
            report.tables["known_causes"] = [_as_row(found, number) for number in range(len(found.remedies))]
            report.filters["also_called"] = ", ".join((*found.en[1:], *found.zh[1:]))
            return report.result()


def find_defect(given: str) -> Defect:
    """The defect that is meant, in either language."""
    found = find_defects(clean(given, "defect"))
    if found:
        return found[0]
    known = ", ".join(f"{defect.en[0]} ({defect.zh[0]})" for defect in CATALOGUE)
    raise BadArguments(f"There is no defect {given[:60]!r}. There are: {known}.")


def _of_defects(where: Where, defects: list[Defect]) -> None:
    values = {f"defect{number}": defect.code for number, defect in enumerate(defects)}
    told = ", ".join(f"{defect.en[0]} ({defect.zh[0]})" for defect in defects)
    where.add(f"d.defect IN ({', '.join(f':{name}' for name in values)})", {"defect": told}, **values)


def _search(desk: Desk, where: Where, query: str, *, known: bool) -> None:
    """Defects by any of their names; beside them words, of which those that are nowhere do not count."""
    defects = find_defects(query)
    if defects and not known:
        _of_defects(where, defects)
    used, unused = list[str](), list[str]()
    for number, word in enumerate(dict.fromkeys(content_words(without_defects(query)))):
        name = f"word{number}"
        clause = " OR ".join(f"{column} LIKE :{name} ESCAPE '!'" for column in _TEXTS)
        there = len(used) < MOST_WORDS and desk.rows(
            f"SELECT 1 AS there FROM {_CASES.base} WHERE {clause} LIMIT 1",
            {name: contains(word)},
        )
        if there:
            where.add(clause, **{name: contains(word)})
        (used if there else unused).append(word)
    where.filters["query"] = query
    if not (defects or used):
        where.add("1 = 0")
    if unused and (defects or used):
        desk.notes.append(f"Not looked for, as no case has them: {', '.join(unused[:10])}.")


def _named(row: Row) -> Row:
    """The defect under both of its names."""
    defect = BY_CODE.get(str(row.get("defect")))
    if defect is None:
        return row
    named: Row = {}
    for name, value in row.items():
        named[name] = value
        if name == "defect":
            named["defect_zh"] = defect.zh[0]
    return named


def _with_cycle(row: Row, cases: list[Row]) -> Row:
    defects = [BY_CODE[case["defect"]] for case in cases if case["trial"] == row["trial"] and case["defect"] in BY_CODE]
    shown = {name: value for name, value in row.items() if name != "cycle_tenths"}
    defects_told: Json = ", ".join(f"{defect.en[0]} ({defect.zh[0]})" for defect in defects) or "none"
    return {
        "trial": shown.pop("trial"), "run_on": shown.pop("run_on"), "result": shown.pop("result"),
        "defects": defects_told, **shown, "cycle_seconds": row["cycle_tenths"] / 10,
    }  # fmt: skip


def _as_row(defect: Defect, number: int) -> Row:
    remedy = defect.remedies[number]
    return {
        "area": remedy.area, "cause_en": remedy.cause_en, "cause_zh": remedy.cause_zh, "remedy_en": remedy.remedy_en,
        "remedy_zh": remedy.remedy_zh,
    }  # fmt: skip
