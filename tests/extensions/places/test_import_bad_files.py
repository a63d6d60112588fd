"""Files that cannot be used, in many ways: a reason a person can act on, and nothing changed."""

import gzip
import io
import json
import tarfile
import zipfile

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extensions.places.import_files import PLACES, VISITS, Imports, pattern, patterns, table
from glassloop.extensions.places.importing.report import MAX_PROBLEMS, FileRefused

FEATURES = json.dumps(
    {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": None, "properties": {}}]}
)

POINT = '{"type": "Point", "coordinates": [-122.4, 37.7]}'


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("places.csv", PLACES)
    return out.getvalue()


def tarred() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        found = tarfile.TarInfo("places.csv")
        found.size = len(PLACES.encode())
        archive.addfile(found, io.BytesIO(PLACES.encode()))
    return out.getvalue()


def parquet(tmp_path, sql: str = "SELECT 'a' AS id, 'A' AS name, 1.5 AS lat, 2.5 AS lon FROM range(2000)") -> bytes:
    path = tmp_path / "made.parquet"
    with duckdb.connect() as db:
        db.execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")
    return path.read_bytes()


BAD = {
    "nothing": (b"", "is empty"),
    "blanks": (b"\xef\xbb\xbf \n\n ", "is empty"),
    "only a header": ("id,name,lat,lon\n", "only a header"),
    "an archive": (zipped(), "not unpacked"),
    "a compressed file": (gzip.compress(PLACES.encode()), "not unpacked"),
    "a tar archive": (tarred(), "not unpacked"),
    "a PDF": (b"%PDF-1.7\n...", "a PDF"),
    "a database": (b"SQLite format 3\x00" + bytes(100), "SQLite"),
    "a web page": ("<!DOCTYPE html><html></html>", "web page"),
    "bytes": (bytes(range(256)) * 20, "not text"),
    "no header": ("p1,Blue Cup,37.7,-122.4\np2,Red Cup,37.8,-122.4\n", "needs the columns"),
    "a column missing": ("id,name,lat\na,A,1\n", "needs the columns 'lon'"),
    "a column misspelt": ("id,name,latitud,longitude\na,A,37.7,-122.4\n", "is it 'latitud'"),
    "a column twice": ("id,name,lat,lon,LAT\na,A,37.7,-122.4,37.7\n", "there twice"),
    "half a row": ("id,name,lat,lon\na,A,37.7,-122.4\nb,B,37", "ends in the middle of a row"),
    "an open quote": ('id,name,lat,lon\na,"A,37.7,-122.4\nb,B,37.7,-122.4\n', "never closed"),
    "a field without end": ('id,name,lat,lon\na,"' + "x" * 17_000_000 + '",1,2\n', "characters"),
    "all swapped": ("id,name,lat,lon\na,A,-122.4,37.7\nb,B,-122.5,37.7\n", "swapped"),
    "no row of use": ("id,name,lat,lon\na,,37.7,-122.4\n,B,37.7,-122.4\n", "None of the 2 rows"),
    "visits without places": (VISITS, "import the places first"),
    "JSON without features": ('{"a": 1}', "looks most like"),
    "half of GeoJSON": (FEATURES[:60], "middle of a value"),
    "GeoJSON with a fault": (FEATURES.replace('"properties"', "properties"), "no JSON|middle"),
    "deep JSON": ("[" * 200_000, "no JSON|middle"),
    "a number": ("[1, 2, 3]", "no features"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_refused_with_a_reason_and_leaves_nothing(imports, kind):
    content, said = BAD[kind]
    with pytest.raises(FileRefused, match=said):
        imports.take(content)
    assert imports.data_set is None
    assert [each.name for each in imports._folder.glob("staged*/*")] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda raw: raw[: len(raw) // 2], "no end"),
        (lambda raw: raw[:-8] + b"\xff\xff\xff\x7fPAR1", "impossible length"),
        (lambda raw: raw[:-8] + b"\x05\x00\x00\x00PAR1", "cannot be read"),
        (lambda raw: raw[:4] + bytes(200) + raw[204:], "cannot be read|impossible coordinates|None of"),
        (lambda raw: b"PARE" + raw[4:-4] + b"PARE", "encrypted"),
        (lambda raw: b"PAR1PAR1", "no end"),
    ],
)
def test_broken_parquet_is_refused(imports, tmp_path, change, said):
    with pytest.raises(FileRefused, match=said):
        imports.take(change(parquet(tmp_path)))


def test_a_parquet_file_without_the_columns_is_refused(imports, tmp_path):
    with pytest.raises(FileRefused, match="needs the columns"):
        imports.take(parquet(tmp_path, "SELECT 1 AS a, [1] AS b"))


def test_rows_that_are_broken_are_skipped_by_line_and_the_others_taken(imports):
    lines = [
        b"id,name,lat,lon",
        b"a,A,37.1,-122.4",
        b"b,B,37.2",
        b"c,C,37.3,-122.4,9",
        b'd,"D"x,37.4,-122.4',
        b"e,E\x00,37.5,-122.4",
        b"f,Caf\xe9,37.6,-122.4",
        b"",
        "g,Café Ü,37.7,-122.4".encode(),
        'h,"Zoë\r\nß",37.8,-122.4'.encode(),
        b'i,"I\r1",37.9,-122.4',
    ]
    report = imports.take(b"\n".join(lines) + b"\n")
    assert (report.read, report.taken, report.skipped) == (9, 4, 5)
    assert [each.line for each in report.problems] == [3, 4, 5, 6, 7]
    assert imports.rows("SELECT list(id ORDER BY id) FROM poi_places") == [(["a", "g", "h", "i"],)]


def test_the_report_keeps_the_first_hundred_and_counts_all(imports):
    rows = [[f"p{number}", "A" if number == 700 else "", 37.7, -122.4] for number in range(1_000)]
    report = imports.take(table(["id", "name", "lat", "lon"], rows))
    assert (report.taken, report.skipped, report.reasons) == (1, 999, {"no name": 999})
    assert [each.line for each in report.problems] == list(range(2, 2 + MAX_PROBLEMS))


def test_a_name_with_brackets_and_stars_is_only_that_file(imports, tmp_path):
    folder = tmp_path / "home[1]*"
    folder.mkdir()
    for name in ("a[1].csv", "a1.csv", "*.csv"):
        (folder / name).write_text(f"id,name,lat,lon\n{name},A,37.7,-122.4\n")
    inside = Imports(folder)
    assert inside.take(folder / "a[1].csv").taken == 1
    assert inside.take(folder / "*.csv", near=True).taken == 1
    assert imports.data_set is None
    assert {row[0] for row in _ids(inside)} == {"a[1].csv", "*.csv"}


def _ids(inside: Imports) -> list[tuple[str]]:
    assert inside.data_set is not None
    copied = inside._folder.parent / "copied.parquet"
    copied.write_bytes((inside.data_set / "poi_places.parquet").read_bytes())
    with duckdb.connect() as db:
        return db.execute(f"SELECT id FROM read_parquet('{copied}')").fetchall()


GOOD = (
    PLACES.encode(),
    VISITS.encode(),
    patterns(pattern(), pattern("p2")).encode(),
    FEATURES.replace("null", POINT).replace("{}", '{"id": "g", "name": "G"}').encode(),
)
edits = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["cut", "put", "drop", "double"]), st.binary(min_size=1, max_size=6)),
    min_size=1,
    max_size=4,
)


def mutated(raw: bytes, changes) -> bytes:
    for where, kind, extra in changes:
        at = int(where * len(raw))
        if kind == "cut":
            raw = raw[:at]
        elif kind == "put":
            raw = raw[:at] + extra + raw[at:]
        elif kind == "drop":
            raw = raw[:at] + raw[at + len(extra) :]
        else:
            raw = raw[:at] + raw[max(0, at - 40) : at] + raw[at:]
    return raw


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    imports = Imports(tmp_path_factory.mktemp("made"))
    imports.take(PLACES)
    return imports.data_set


def check_mutated(folder, base, raw: bytes) -> None:
    """Every row is accounted for, or the file is refused and what was there before stays."""
    imports = Imports(folder)
    imports.data_set = base
    try:
        report = imports.take(raw)
    except FileRefused as refused:
        assert str(refused).endswith((".", "?"))
        assert imports.data_set == base
        assert list(folder.glob("staged*/*")) == []
    else:
        assert report.same or report.read == report.taken + report.skipped + report.duplicates
        assert imports.rows("SELECT count(*) >= 3, count(*) = count(DISTINCT id) FROM poi_places") == [(True, True)]


@pytest.mark.parametrize("raw", GOOD)
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=edits)
def test_a_mutated_file_is_accounted_for_or_refused(tmp_path_factory, made, raw, changes):
    check_mutated(tmp_path_factory.mktemp("mutated"), made, mutated(raw, changes))


@pytest.mark.slow
@pytest.mark.parametrize("raw", GOOD)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=edits)
def test_many_mutated_files_are_accounted_for_or_refused(tmp_path_factory, made, raw, changes):
    check_mutated(tmp_path_factory.mktemp("mutated"), made, mutated(raw, changes))


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=edits)
def test_mutated_parquet_is_accounted_for_or_refused(tmp_path_factory, made, changes):
    folder = tmp_path_factory.mktemp("mutated")
    raw = parquet(folder, "SELECT 'q' || range AS id, 'A' || range AS name, 37.5 AS lat, -122.5 AS lon FROM range(50)")
    check_mutated(folder, made, mutated(raw, changes))
