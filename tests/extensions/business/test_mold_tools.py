"""Defects in both languages, cases by every filter, trial history, causes and remedies."""

from collections import Counter, defaultdict
from typing import Any

import pytest

from glassloop.extensions.business.defects import BY_CODE, CATALOGUE, find_defects, without_defects


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("披锋", "flash"), ("飞边", "flash"), ("毛边", "flash"), ("Flash", "flash"), ("burrs", "flash"),
        ("缺胶", "short_shot"), ("欠注", "short_shot"), ("short shots", "short_shot"), ("short-shot", "short_shot"),
        ("缩水", "sink_mark"), ("缩痕", "sink_mark"), ("sink marks", "sink_mark"),
        ("拉白", "whitening"), ("Whitening", "whitening"), ("火花纹", "spark_marks"), ("spark marks", "spark_marks"),
        ("表面污染", "contamination"), ("contamination", "contamination"), ("sink_mark", "sink_mark"),
    ],
)  # fmt: skip
def test_every_name_of_a_defect_leads_to_it(said: str, code: str) -> None:
    assert [defect.code for defect in find_defects(said)] == [code]
    assert [defect.code for defect in find_defects(f"T1试模出现{said}怎么办？")] == [code]
    assert [defect.code for defect in find_defects(f"how do we avoid {said} at the gate?")] == [code]


def test_no_two_defects_share_a_name() -> None:
    names = Counter(name.lower() for defect in CATALOGUE for name in (*defect.en, *defect.zh))
    assert max(names.values()) == 1


def test_words_that_only_look_like_a_defect_are_none() -> None:
    assert find_defects("the flashlight and the warplane sank") == []
    assert find_defects("") == []


def test_several_defects_come_in_the_order_they_were_named() -> None:
    assert [defect.code for defect in find_defects("缩水、披锋 and whitening")] == ["sink_mark", "flash", "whitening"]
    assert without_defects("披锋 at the Gate") == "at the gate"


def case_figures(cases: list[Any]) -> dict[str, Any]:
    return {
        "cases": len(cases), "open": sum(case.status == "open" for case in cases),
        "critical": sum(case.severity == "critical" for case in cases),
    }  # fmt: skip


def texts(case: Any) -> str:
    parts = ("title", "description", "cause", "remedy")
    return " ".join(getattr(case, f"{part}_{language}") for part in parts for language in ("en", "zh")).lower()


CASE_FILTERS = [
    ({}, lambda c, t: True),
    ({"query": "毛边"}, lambda c, t: c.defect == "flash"),
    ({"query": "flash"}, lambda c, t: c.defect == "flash"),
    ({"query": "披锋 or 缺胶"}, lambda c, t: c.defect in ("flash", "short_shot")),
    ({"query": "flash at the parting line"},
     lambda c, t: c.defect == "flash" and "part" in texts(c) and "lin" in texts(c)),
    ({"query": "分型面"}, lambda c, t: "分型" in texts(c) and "型面" in texts(c)),
    ({"query": "cooling"}, lambda c, t: "cool" in texts(c)),
    ({"defect": "欠注"}, lambda c, t: c.defect == "short_shot"),
    ({"defect": "sink mark", "query": "rib"}, lambda c, t: c.defect == "sink_mark" and "rib" in texts(c)),
    ({"mold": "md-007"}, lambda c, t: c.mold_id == "MD-007"),
    *[({"trial": trial}, lambda c, t, trial=trial: t[c.trial_id].trial == trial) for trial in ("T0", "T1", "T2")],
    *[({"severity": name}, lambda c, t, name=name: c.severity == name) for name in ("minor", "major", "critical")],
    *[({"status": name}, lambda c, t, name=name: c.status == name) for name in ("open", "resolved")],
    ({"period": "this_year"}, lambda c, t: c.found_on[:4] == "2026"),
    ({"start_date": "2026-02", "end_date": "2026-05"}, lambda c, t: "2026-02" <= c.found_on[:7] <= "2026-05"),
    ({"defect": "flash", "trial": "T0", "severity": "major", "status": "resolved"},
     lambda c, t: (c.defect, t[c.trial_id].trial, c.severity, c.status) == ("flash", "T0", "major", "resolved")),
]  # fmt: skip


@pytest.mark.parametrize(("args", "wanted"), CASE_FILTERS, ids=[str(args) for args, _ in CASE_FILTERS])
async def test_cases_by_every_filter(ask, company, args, wanted) -> None:
    trials = {trial.trial_id: trial for trial in company["trials"]}
    cases = [case for case in company["defect_cases"] if wanted(case, trials)]
    found = await ask("search_defect_cases", **args, limit=200)
    assert found["totals"] == case_figures(cases)
    newest = sorted(cases, key=lambda case: (case.found_on, case.case_id), reverse=True)
    assert [row["case_id"] for row in found["rows"]] == [case.case_id for case in newest]
    assert all(row["defect_zh"] == BY_CODE[row["defect"]].zh[0] for row in found["rows"])


async def test_words_that_no_case_has_are_left_out_and_said_and_nonsense_finds_nothing(ask, company) -> None:
    flash = [case for case in company["defect_cases"] if case.defect == "flash"]
    found = await ask("search_defect_cases", query="为什么会有披锋 zeppelin")
    assert found["totals"] == case_figures(flash)
    assert "zeppelin" in found["notes"][0]
    assert (await ask("search_defect_cases", query="zeppelin"))["totals"]["cases"] == 0


@pytest.mark.parametrize("group_by", ["defect", "mold", "trial", "severity", "position"])
async def test_cases_by_every_group(ask, company, group_by) -> None:
    trials = {trial.trial_id: trial for trial in company["trials"]}
    keys = {"mold": lambda c: c.mold_id, "trial": lambda c: trials[c.trial_id].trial}
    groups = defaultdict(list)
    for case in company["defect_cases"]:
        groups[keys.get(group_by, lambda c: getattr(c, group_by))(case)].append(case)
    expected = sorted(((-len(cases), key) for key, cases in groups.items()))
    found = await ask("search_defect_cases", group_by=group_by, limit=100)
    column = "mold_id" if group_by == "mold" else group_by
    assert [(-row["cases"], row[column]) for row in found["rows"]] == expected
    assert all(row["open"] == case_figures(groups[row[column]])["open"] for row in found["rows"])


async def test_cases_by_month_compared_with_the_year_before(ask, company) -> None:
    def of(month: str) -> dict[str, Any]:
        return case_figures([case for case in company["defect_cases"] if case.found_on.startswith(month)])

    found = await ask("search_defect_cases", start_date="2026", compare="last_year", trend="month")
    months = sorted({case.found_on[:7] for case in company["defect_cases"] if case.found_on >= "2026"})
    assert found["trend"] == [{"month": month, **of(month)} for month in months]
    before = [c for c in company["defect_cases"] if "2025-01-01" <= c.found_on <= "2025-11-15"]
    assert found["comparison"]["totals"] == case_figures(before)


async def test_one_case_is_told_in_full_in_both_languages(ask, refuse, registry, company) -> None:
    case = company["defect_cases"][7]
    found = await ask("get_defect_case", case_id=case.case_id.lower())
    (row,) = found["rows"]
    assert {name: row[name] for name in vars(case)} == vars(case)
    shown = await registry.execute("get_defect_case", {"case_id": case.case_id})
    assert case.description_zh in shown.output
    assert case.remedy_en in shown.output
    assert "no defect case 'DC-9999'" in await refuse("get_defect_case", case_id="DC-9999")


async def test_the_history_of_a_mold_goes_from_t0_on(ask, refuse, company) -> None:
    counts = Counter(trial.mold_id for trial in company["trials"])
    mold = next(key for key, many in counts.items() if many == 3)
    trials = sorted((t for t in company["trials"] if t.mold_id == mold), key=lambda t: t.run_on)
    cases = [case for case in company["defect_cases"] if case.mold_id == mold]
    found = await ask("get_trial_history", mold=mold)
    assert found["totals"] == {"trials": 3, "cases": len(cases)}
    assert [(row["trial"], row["run_on"], row["result"], row["rejects"]) for row in found["rows"]] == [
        (t.trial, t.run_on, t.result, t.rejects) for t in trials
    ]
    assert [row["cycle_seconds"] for row in found["rows"]] == [t.cycle_tenths / 10 for t in trials]
    assert sorted(row["case_id"] for row in found["cases"]) == sorted(case.case_id for case in cases)
    for row, trial in zip(found["rows"], trials, strict=True):
        mine = sorted(BY_CODE[c.defect].zh[0] for c in cases if c.trial_id == trial.trial_id)
        assert sorted(part.split("(")[1].rstrip(")") for part in row["defects"].split(", ") if "(" in part) == mine
    assert "no mold 'MD-999'" in await refuse("get_trial_history", mold="MD-999")


@pytest.mark.parametrize(("said", "code"), [("飞边", "flash"), ("sink mark", "sink_mark"), ("拉白", "whitening")])
async def test_causes_and_remedies_with_how_often_they_were_found(ask, company, said, code) -> None:
    cases = [case for case in company["defect_cases"] if case.defect == code]
    found = await ask("get_defect_remedies", defect=said)
    assert found["totals"] == {"cases": len(cases), "resolved": sum(case.status == "resolved" for case in cases)}
    counted = Counter(case.cause_en for case in cases)
    assert {row["cause_en"]: row["cases"] for row in found["rows"]} == counted
    assert (await ask("get_defect_remedies", defect=said, limit=1))["rows"] == found["rows"][:1]
    assert [row["remedy_zh"] for row in found["known_causes"]] == [r.remedy_zh for r in BY_CODE[code].remedies]


async def test_an_unknown_defect_is_refused_with_those_there_are(refuse) -> None:
    assert "flash (披锋)" in await refuse("get_defect_remedies", defect="gremlins")
