"""The suite `business120`: large enough, over everything, and with figures that hold."""

import sqlite3
import tomllib
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from glassloop.core.text_terms import has_cjk
from glassloop.evals.suite import Suite
from glassloop.evals.suite_files import find_suite
from glassloop.evals.target import check_names
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.settings import Settings

SUITES = Path(__file__).parents[3] / "src" / "glassloop" / "extensions" / "business" / "suites"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return find_suite("business120", Settings(home=str(Path("nowhere"))))


def test_there_are_enough_questions_over_all_departments_in_both_languages(suite: Suite) -> None:
    assert len(suite.cases) >= 120
    destinations = Counter(case.destination for case in suite.cases)
    assert set(destinations) == {
        "erp_agent", "crm_agent", "it_ops_agent", "oa_agent", "mold_agent", "general_agent", "fallback",
    }  # fmt: skip
    assert min(destinations[f"{name}_agent"] for name in ("erp", "crm", "it_ops", "oa", "mold")) >= 15
    chinese = [case for case in suite.cases if has_cjk("".join(case.asked))]
    assert 40 <= len(chinese) < len(suite.cases) - 60
    assert all(("Chinese" in case.tags) == (case in chinese) for case in suite.cases)
    assert len({case.asked for case in suite.cases}) == len(suite.cases)


def test_forty_questions_are_marked_for_small_models(suite: Suite) -> None:
    marked = [case for case in suite.cases if "embedded40" in case.tags]
    assert len(marked) == 40
    assert len({case.destination for case in marked}) == 7


def test_it_expects_tools_and_arguments_that_there_are(suite: Suite, tmp_path: Path) -> None:
    specs = load_parts(read_assistant(SUITES / "company"), Settings(home=str(tmp_path))).tools.specs
    check_names(suite, specs)
    asked = {name for case in suite.cases for names in case.alternatives or () for name in names}
    assert asked >= set(specs) - {"schedule_meeting"}


def test_every_figure_is_what_the_rows_of_the_company_come_to(suite: Suite, made_file: Path) -> None:
    written = {
        case.id: [figure.number for figure in case.answer.wanted_figures]
        for case in suite.cases
        if case.answer and case.answer.figures
    }
    known = tomllib.loads((Path(__file__).parent / "suite_figures.toml").read_text("utf-8"))
    periods = {name: f"BETWEEN '{first}' AND '{last}~'" for name, (first, last) in known["periods"].items()}
    assert written.keys() == known["figures"].keys()
    with closing(sqlite3.connect(made_file)) as data:
        for ident, figures in known["figures"].items():
            found = data.execute(f"SELECT {figures}".format(**periods)).fetchall()
            assert written[ident] == pytest.approx([value for row in found for value in row]), ident
