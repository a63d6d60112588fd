"""`glassloop import places`: files in, with a report of each."""

from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from extensions.places.import_files import PLACES, VISITS


@pytest.mark.slow
def test_files_are_imported_one_after_the_other_with_a_report(folder: Path, here: Any) -> None:
    (folder / "places.csv").write_text(f"{PLACES}p4,Nowhere,,,,,,,,,,,\n")
    (folder / "visits.csv").write_text(VISITS)
    done = here("import", "places", "places.csv", "visits.csv")
    assert done.code == 0, done.err
    assert "4 rows read: 3 taken, 1 skipped, 0 duplicates" in done.out
    assert "line 6: no coordinates" in done.out
    again = here("import", "places", "visits.csv", "--json")
    assert again.json[0]["result"]["same"]
    assert "2 files" in here("places", "show").out
    (folder / "bad.csv").write_text("a\n1\n")
    assert here("import", "places", "bad.csv").code == 1


@pytest.mark.slow
def test_replacing_begins_anew_with_the_first_file_that_is_in_and_the_others_add_to_it(folder: Path, here: Any) -> None:
    (folder / "old.csv").write_text(PLACES.replace("p1", "old"))
    (folder / "bad.csv").write_text("a\n1\n")
    (folder / "places.csv").write_text(PLACES)
    (folder / "visits.csv").write_text(VISITS)
    assert here("import", "places", "old.csv").code == 0
    done = here("import", "places", "bad.csv", "places.csv", "visits.csv", "--replace", "--json")
    assert done.code == 1
    assert [each["error"] is None for each in done.json] == [False, True, True]
    assert done.json[2]["result"]["taken"] == 4
    shown = here("places", "show", "--json").json
    assert [each["file"] for each in shown["about"]["imports"]] == ["places.csv", "visits.csv"]


def test_a_file_that_is_not_there_is_refused(here: Any) -> None:
    refused(here("import", "places", "nowhere.csv"), "check the path")
