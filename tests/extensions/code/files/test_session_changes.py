"""What the page shows of a session's changes: one diff a file and turn, and which turns were taken back."""

from glassloop.extensions.code.undo.kept_store import ChangeOrigin, FileChange, FileVersion, KeptStore
from glassloop.extensions.code.undo.session_changes import session_changes


def put(kept, turn, path, before, after, source=None, undoes=""):
    versions = [None if text is None else FileVersion.of(text, 0o644) for text in (before, after)]
    kind = "move" if source else "create" if before is None else "delete" if after is None else "modify"
    origin = ChangeOrigin(user="ann", session_id="s", turn_id=turn, call_id="c", root="/r", undoes=undoes)
    change = FileChange(path=path, change_type=kind, before=versions[0], after=versions[1], source=source)
    kept.record(origin, [change], [text for text in (before, after) if text is not None])


def seen(kept, user="ann"):
    return session_changes(kept, user, "s", str)


def test_several_changes_of_a_file_in_a_turn_are_one_diff(tmp_path):
    kept = KeptStore(tmp_path)
    put(kept, "t1", "a.py", b"one\n", b"two\n")
    put(kept, "t1", "a.py", b"two\n", b"three\n")
    put(kept, "t1", "b.py", b"three\n", b"three\n", source="a.py")
    put(kept, "t1", "gone.py", None, b"x\n")
    put(kept, "t1", "gone.py", b"x\n", None)
    (turn,) = seen(kept)
    (file,) = turn.files
    assert (file.file_path, file.source_path, file.change_type) == ("b.py", "a.py", "move")
    assert [(line.type, line.content) for line in file.diff_lines] == [("remove", "one"), ("add", "three")]
    assert seen(kept, "bob") == []


def test_an_undo_that_was_undone_leaves_the_turn_as_it_was(tmp_path):
    kept = KeptStore(tmp_path)
    put(kept, "t1", "a.py", b"one\n", b"two\n")
    put(kept, "u1", "a.py", b"two\n", b"one\n", undoes="t1")
    assert {turn.turn_id: turn.undone for turn in seen(kept)} == {"u1": False, "t1": True}
    put(kept, "u2", "a.py", b"one\n", b"two\n", undoes="u1")
    assert {turn.turn_id: turn.undone for turn in seen(kept)} == {"u2": False, "u1": True, "t1": False}


def test_files_that_an_undo_left_alone_are_told_until_the_undo_is_undone(tmp_path):
    kept = KeptStore(tmp_path)
    put(kept, "t1", "a.py", b"one\n", b"two\n")
    put(kept, "t1", "b.py", b"one\n", b"two\n")
    put(kept, "u1", "a.py", b"two\n", b"one\n", undoes="t1")
    origin = ChangeOrigin(user="ann", session_id="s", turn_id="u1", call_id="", root="/r", undoes="t1")
    kept.record_conflicts(origin, [("b.py", "It was changed since.")])
    assert {turn.turn_id: turn.conflicts for turn in seen(kept)} == {"u1": [], "t1": ["b.py"]}
    put(kept, "u2", "a.py", b"one\n", b"two\n", undoes="u1")
    assert {turn.turn_id: turn.conflicts for turn in seen(kept)} == {"u2": [], "u1": [], "t1": []}
    assert (kept.forget(None, ["s"]), kept.conflicts("ann", "s")) == (4, [])


def test_what_is_no_text_is_named_without_a_diff(tmp_path):
    kept = KeptStore(tmp_path)
    put(kept, "t1", "a.png", b"\x89PNG\r\n\x1a\n\0\0", b"\x89PNG\r\n\x1a\n\0\1")
    ((file,),) = (turn.files for turn in seen(kept))
    assert (file.change_type, file.diff_lines, file.truncated) == ("modify", [], True)
