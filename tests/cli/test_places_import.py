"""`glassloop import places`: files in, with a report of each."""

from pathlib import Path
from typing import Any

from cli.here import refused
from extensions.places.import_files import PLACES, VISITS


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


def test_a_file_that_is_not_there_is_refused(here: Any) -> None:
    refused(here("import", "places", "nowhere.csv"), "check the path")
