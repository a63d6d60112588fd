"""Answers on molds, in English and Chinese: cases of defects, trial history, causes and remedies."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.core.text_terms import content_words
from glassloop.extensions.business.conditions import Conditions, clean, contains
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.defects import BY_CODE, CATALOGUE, Defect, find_defect, find_defects, without_defects
from glassloop.extensions.business.listing_call import ListingCall
from glassloop.extensions.business.report import BusinessReport
from glassloop.extensions.business.snapshot import BusinessData, Snapshot
from glassloop.tools.tool import Tool, ToolContext, tool

MAX_WORDS = 6
_TEXTS = (
    "d.title_en", "d.title_zh", "d.description_en", "d.description_zh", "d.cause_en", "d.cause_zh", "d.remedy_en",
    "d.remedy_zh", "m.name", "m.material",
)  # fmt: skip

DEFECT_NAMES = [name for defect in CATALOGUE for name in (defect.en[0], *defect.zh[:2])]
DefectName = Annotated[str, "A defect by any of its names, in English or Chinese: flash, 披锋, sink mark, 缩水."]


_TRIAL_WORDS: Mapping[str, Json] = {
    "": "The trial runs of a mold, T0 to T1 to T2 (试模记录): result, settings, rejects and the defects of each."
}
_REMEDY_WORDS: Mapping[str, Json] = {
    "": "Causes and remedies of a defect (缺陷原因, 对策, 怎么解决, 怎么办, 处理, 改善): why it happens, how to fix, "
    "what helped in past cases.",
    "defect": list(DEFECT_NAMES),
}


def defect_cases(call: ListingCall) -> BusinessReport:
    """Defects by any of their names, and words in either language."""
    if call["query"].strip():
        _search(call, call.where, clean(call["query"], "query"))
    report = call.report()
    report.rows = [_named(row) for row in report.rows]
    return report


def mold_tools(data: BusinessData) -> Sequence[Tool]:
    """The tools that are no listing."""

    @tool(effect="read", confidentiality="operator", domain="mold")
    def get_defect_case(context: ToolContext, case_id: Annotated[str, "The case's id, such as DC-0012."]) -> ToolResult:
        """One defect case in full: what was seen, its cause and remedy, in English and Chinese."""
        with data.reading(context) as snapshot:
            return _one_case(snapshot, case_id)

    @tool(effect="read", confidentiality="operator", domain="mold", words=_TRIAL_WORDS)
    def get_trial_history(
        context: ToolContext,
        mold: Annotated[str, "The mold: its id, such as MD-007, or its name."],
    ) -> ToolResult:
        """The trial runs of a mold, T0 to T1 to T2: result, settings, rejects and the defects of each."""
        with data.reading(context) as snapshot:
            return _trials(snapshot, mold)

    @tool(effect="read", confidentiality="operator", domain="mold", words=_REMEDY_WORDS)
    def get_defect_remedies(
        context: ToolContext, defect: DefectName, limit: Annotated[int, "How many rows to show."] = 10
    ) -> ToolResult:
        """Causes and remedies of a defect: why it happens, how to fix, what helped in past cases."""
        with data.reading(context) as snapshot:
            return _remedies(snapshot, defect, limit)

    return get_defect_case, get_trial_history, get_defect_remedies


def _one_case(snapshot: Snapshot, case_id: str) -> ToolResult:
    given = clean(case_id, "case_id")
    found = snapshot.query("defect_case", values={"given": given, "upper": given.upper()})
    if not found:
        raise BadArguments(f"There is no defect case {given!r}: search_defect_cases shows the ids.")
    row = _named(found[0])
    return snapshot.report(f"Defect case {row['case_id']}", rows=[row], fields=True).result()


def _trials(snapshot: Snapshot, mold: str) -> ToolResult:
    key, name = snapshot.find("mold", mold)
    values = {"mold": key}
    trials, cases, about = (snapshot.query(name, values=values) for name in ("mold_trials", "mold_cases", "mold"))
    report = snapshot.report(f"Trial history of {key} {name}", filters={"mold": key}, of=len(trials))
    report.totals = {"trials": len(trials), "cases": len(cases)}
    report.rows = [_with_cycle(row, cases) for row in trials]
    report.tables = {"cases": [_named(row) for row in cases], "mold": about}
    return report.result()


def _remedies(snapshot: Snapshot, defect: str, limit: int) -> ToolResult:
    found = find_defect(defect)
    where = Conditions()
    _of_defects(where, [found])
    report = snapshot.report(f"Causes and remedies: {found.label}", filters=where.filters)
    report.rows = snapshot.query("remedies", where, limit=snapshot.bounded(limit))
    (report.totals,) = snapshot.query("remedy_totals", where)
    (report.of,) = snapshot.query("remedy_count", where)[0].values()
    report.tables["known_causes"] = [msgspec.structs.asdict(remedy) for remedy in found.remedies]
    report.filters["also_called"] = ", ".join((*found.en[1:], *found.zh[1:]))
    return report.result()


def _of_defects(where: Conditions, defects: list[Defect]) -> None:
    values = {f"defect{number}": defect.code for number, defect in enumerate(defects)}
    told = ", ".join(defect.label for defect in defects)
    where.add(f"d.defect IN ({', '.join(f':{name}' for name in values)})", {"defect": told}, **values)


def _search(call: ListingCall, where: Conditions, query: str) -> None:
    """Defects by any of their names; beside them words, of which those that are nowhere do not count."""
    defects = find_defects(query)
    if defects and not call["defect"]:
        _of_defects(where, defects)
    used, unused = list[str](), list[str]()
    for number, word in enumerate(dict.fromkeys(content_words(without_defects(query)))):
        name = f"word{number}"
        clause = " OR ".join(f"{column} LIKE :{name} ESCAPE '!'" for column in _TEXTS)
        there = len(used) < MAX_WORDS and call.snapshot.rows(
            f"SELECT 1 AS there FROM {call.listing.source} WHERE {clause} LIMIT 1",
            {name: contains(word)},
        )
        if there:
            where.add(clause, **{name: contains(word)})
        (used if there else unused).append(word)
    where.filters["query"] = query
    if not (defects or used):
        where.add("1 = 0")
    if unused and (defects or used):
        call.snapshot.notes.append(f"Not looked for, as no case has them: {', '.join(unused[:10])}.")


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
    defects_told: Json = ", ".join(defect.label for defect in defects) or "none"
    return {
        "trial": shown.pop("trial"), "run_on": shown.pop("run_on"), "result": shown.pop("result"),
        "defects": defects_told, **shown, "cycle_seconds": row["cycle_tenths"] / 10,
    }  # fmt: skip
