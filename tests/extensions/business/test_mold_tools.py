"""Defects in both languages: their names, one case in full, trial history, what is known of a defect."""

from collections import Counter

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


async def test_a_defect_is_told_in_both_languages(ask) -> None:
    rows = (await ask("search_defect_cases", limit=200))["rows"]
    assert rows
    assert all(row["defect_zh"] == BY_CODE[row["defect"]].zh[0] for row in rows)


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
    assert sorted(row["case_id"] for row in found["cases"]) == sorted(case.case_id for case in cases)
    for row, trial in zip(found["rows"], trials, strict=True):
        mine = sorted(BY_CODE[c.defect].zh[0] for c in cases if c.trial_id == trial.trial_id)
        assert sorted(part.split("(")[1].rstrip(")") for part in row["defects"].split(", ") if "(" in part) == mine
    assert "no mold 'MD-999'" in await refuse("get_trial_history", mold="MD-999")


async def test_remedies_come_with_what_is_known_of_the_defect(ask) -> None:
    known = (await ask("get_defect_remedies", defect="飞边"))["known_causes"]
    assert [row["remedy_zh"] for row in known] == [remedy.remedy_zh for remedy in BY_CODE["flash"].remedies]


async def test_an_unknown_defect_is_refused_with_those_there_are(refuse) -> None:
    assert "flash (披锋)" in await refuse("get_defect_remedies", defect="gremlins")
