"""Snapshots of a workspace: what they hold, and what they tell of changes."""

import os

from glassloop.extensions.code.sandbox.snapshot import Snapshots, take_snapshot


def test_a_snapshot_is_bounded_follows_no_link_and_names_repositories(tmp_path):
    root = tmp_path / "root"
    (root / "sub/.git").mkdir(parents=True)
    (root / "node_modules").mkdir()
    (root / "node_modules/a").write_text("")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/b").write_text("")
    (root / "link").symlink_to(tmp_path / "outside")
    for number in range(20):
        (root / f"f{number:02}").write_text("")
    taken = take_snapshot(root)
    assert taken.repositories == ("sub/.git",)
    assert taken.whole
    assert set(taken.files) == {"link", *(f"f{number:02}" for number in range(20))}
    assert not take_snapshot(root, max_files=5).whole


def test_the_next_snapshot_is_the_last_one_until_anything_changes(tmp_path):
    root = tmp_path / "root"
    for name in ("a/one", "a/two", "b/three", "four"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("before")
    os.utime(root / "b", (1_000_000_000, 1_000_000_000))
    snapshots = Snapshots()
    before = snapshots.take(root)
    assert snapshots.take(root) is before
    times = (root / "a/one").stat()
    (root / "a/one").write_text("AFTER!")
    os.utime(root / "a/one", ns=(times.st_atime_ns, times.st_mtime_ns))
    (root / "a/two").chmod(0o600)
    (root / "b/new").write_text("")
    (root / "four").unlink()
    os.utime(root / "b", (1_000_000_000, 1_000_000_000))
    after = snapshots.take(root)
    assert before.changes(after) == ["a/one", "a/two", "b/new", "four"]
    assert after.files == take_snapshot(root).files
