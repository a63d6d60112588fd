"""The file of a run: kept line by line, taken up where it was cut off, refused where it is another's."""

import msgspec
import pytest

from evals.shop import head_of, suite_of
from glassloop.core.errors import UsageError
from glassloop.evals.run_file import CaseResult, CaseStarted, RunFile, read_run

SUITE = suite_of('[[cases]]\nid = "a"\nquestion = "Q"\ntools = "none"\n')
HEAD = head_of(SUITE)


def result(case="a", run=1, **keys):
    given = {"tool": True, "arguments": None, "answer": None, "problems": (), "status": "completed"} | keys
    return CaseResult(case=case, run=run, tags=(), question="Q", session_id="s", turn_ids=("t",), **given)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "run.jsonl"


def written(path, *lines):
    file = RunFile.open(path, HEAD, resume=False)
    for line in lines:
        file.append(line)
    file.close()


def test_a_file_is_read_as_it_was_written(path):
    written(path, CaseStarted(case="a", run=1, session_id="s"), result(), result(run=2))
    head, results = read_run(path)
    assert head == HEAD
    assert results == {("a", 1): result(), ("a", 2): result(run=2)}


def test_what_was_asked_can_be_read_by_its_owner_alone(tmp_path):
    path = tmp_path / "evals" / "runs" / "one.jsonl"
    RunFile.open(path, HEAD, resume=False).close()
    assert [part.stat().st_mode & 0o777 for part in (path, path.parent, path.parent.parent)] == [0o600, 0o700, 0o700]


def test_a_line_that_was_cut_off_is_dropped_and_the_run_goes_on(path):
    written(path, result())
    whole = path.read_bytes()
    path.write_bytes(whole + msgspec.json.encode(result(run=2))[:-9])
    file = RunFile.open(path, HEAD, resume=True)
    assert list(file.results) == [("a", 1)]
    file.append(result(run=2))
    file.close()
    assert list(read_run(path)[1]) == [("a", 1), ("a", 2)]
    assert path.read_bytes().startswith(whole)


def test_a_head_that_was_cut_off_begins_the_run_anew(path):
    path.parent.mkdir()
    path.write_bytes(msgspec.json.encode(HEAD)[:20])
    RunFile.open(path, HEAD, resume=True).close()
    assert read_run(path) == (HEAD, {})


def test_sessions_without_a_result_are_known_as_left_behind(path):
    written(
        path, CaseStarted(case="a", run=1, session_id="done"), result(), CaseStarted(case="a", run=2, session_id="lost")
    )
    file = RunFile.open(path, HEAD, resume=True)
    file.close()
    assert file.left == ("lost",)


def test_a_file_that_is_there_is_not_overwritten(path):
    written(path, result())
    with pytest.raises(UsageError, match="add --resume"):
        RunFile.open(path, HEAD, resume=False)
    assert len(read_run(path)[1]) == 1


@pytest.mark.parametrize(
    ("change", "word"), [({"model": "other"}, "model"), ({"digest": "0"}, "changed"), ({"suite": "x"}, "suite")]
)
def test_a_run_of_something_else_is_not_gone_on_with(path, change, word):
    written(path, result())
    before = path.read_bytes()
    with pytest.raises(UsageError, match=word):
        RunFile.open(path, msgspec.structs.replace(HEAD, **change), resume=True)
    assert path.read_bytes() == before


def test_only_one_run_writes_a_file_at_a_time(path):
    first = RunFile.open(path, HEAD, resume=False)
    with pytest.raises(UsageError, match="Another run writes"):
        RunFile.open(path, HEAD, resume=True)
    first.close()
    RunFile.open(path, HEAD, resume=True).close()


@pytest.mark.parametrize("text", [b"", b"{}\n", b"hello\n", b'{"type":"result"}\n', b"\xff\n"])
def test_what_is_no_run_is_refused_with_its_name(path, text):
    path.parent.mkdir()
    path.write_bytes(text)
    with pytest.raises(UsageError, match=r"run\.jsonl"):
        read_run(path)


def test_a_damaged_line_in_the_middle_is_named(path):
    written(path, result())
    path.write_bytes(path.read_bytes() + b"{half\n" + msgspec.json.encode(result(run=2)) + b"\n")
    with pytest.raises(UsageError, match="Line 3"):
        read_run(path)


def test_a_path_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        RunFile.open(tmp_path / "file" / "run.jsonl", HEAD, resume=False)
