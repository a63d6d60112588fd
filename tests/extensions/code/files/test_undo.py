"""Undo: a turn's changes taken back, what others did since kept, and the undo itself undone."""

import stat

import msgspec
import pytest

from glassloop.core.errors import ApprovalMismatch, UnknownName, UsageError
from glassloop.extensions.code.undo.merge import merge
from glassloop.extensions.code.undo.undo import Undo

LINES = [f"line {n}" for n in range(1, 21)]


def text(**changed):
    """Twenty lines, some of them otherwise."""
    return "\n".join(changed.get(line.replace(" ", "_"), line) for line in LINES) + "\n"


@pytest.fixture
def undo(pack):
    return Undo(pack.kept, pack.workspaces)


def state(pack):
    return {name: (pack.bytes(name), stat.S_IMODE((pack.root / name).stat().st_mode)) for name in pack.files()}


def actions(plan):
    return {each.path: each.action for each in plan.files}


async def take_back(undo, turn):
    plan = await undo.plan("ann", turn)
    done = await undo.apply("ann", turn, plan.digest)
    assert actions(done) == actions(plan)
    return done


async def test_a_turn_of_three_files_is_taken_back_with_the_users_later_lines_in_place(pack, undo):
    pack.put("a.txt", text(), 0o755)
    pack.put("b.txt", text())
    pack.put("own/untracked.txt", "mine\n")
    before = state(pack)
    await pack.turn("t1", "edit_file", path="a.txt", old="line 3\n", new="LINE THREE\n")
    await pack.turn("t1", "edit_file", path="a.txt", old="line 9\n", new="LINE NINE\n")
    await pack.turn("t1", "write_file", path="b.txt", content="all new\n")
    await pack.turn("t1", "write_file", path="new/c.txt", content="made\n")
    pack.put("a.txt", pack.text("a.txt").replace("line 16", "the user's own line"))
    pack.put("own/later.txt", "also mine\n")
    after = state(pack)

    plan = await undo.plan("ann", "t1")
    assert state(pack) == after
    assert actions(plan) == {"a.txt": "merge", "b.txt": "restore", "new/c.txt": "remove"}
    done = await undo.apply("ann", "t1", plan.digest)
    assert pack.text("a.txt") == text(line_16="the user's own line")
    assert state(pack) == {
        **before,
        "a.txt": (text(line_16="the user's own line").encode(), 0o755),
        "own/later.txt": after["own/later.txt"],
    }

    again = await take_back(undo, done.undo_id)
    assert state(pack) == after
    assert again.undo_id != done.undo_id
    await take_back(undo, again.undo_id)
    assert pack.text("a.txt") == text(line_16="the user's own line")


async def test_a_conflict_leaves_the_file_alone_and_names_its_lines(pack, undo):
    pack.put("a.txt", text())
    pack.put("b.txt", "old\n")
    await pack.turn("t1", "edit_file", path="a.txt", old="line 5\n", new="LINE FIVE\n")
    await pack.turn("t1", "write_file", path="b.txt", content="new\n")
    pack.put("a.txt", text(line_5="the user's five"))
    done = await take_back(undo, "t1")
    assert actions(done) == {"a.txt": "conflict", "b.txt": "restore"}
    (conflict,) = next(each for each in done.files if each.path == "a.txt").conflicts
    assert (conflict.first_line, conflict.last_line) == (5, 5)
    assert pack.text("a.txt") == text(line_5="the user's five")
    assert pack.text("b.txt") == "old\n"


async def test_moves_and_deletes_go_back_with_name_mode_and_content(pack, undo):
    pack.put("tool.sh", "#!/bin/sh\n", 0o750)
    pack.put("bin.dat", b"\0\1\2" * 100, 0o600)
    before = state(pack)
    await pack.turn("t1", "move_file", source="tool.sh", target="bin/tool.sh")
    await pack.turn("t1", "edit_file", path="bin/tool.sh", old="/bin/sh", new="/bin/bash")
    await pack.turn("t1", "delete_file", path="bin.dat")
    assert pack.files() == ["bin/tool.sh"]
    done = await take_back(undo, "t1")
    assert state(pack) == before
    assert actions(done) == {"tool.sh": "move", "bin.dat": "restore"}
    await take_back(undo, done.undo_id)
    assert pack.files() == ["bin/tool.sh"]
    assert pack.text("bin/tool.sh") == "#!/bin/bash\n"


@pytest.mark.parametrize(
    ("meanwhile", "action"),
    [
        (lambda pack: (pack.root / "new.txt").unlink(), "none"),
        (lambda pack: pack.put("new.txt", "the user's\n"), "conflict"),
    ],
)
async def test_a_new_file_that_changed_since_is_not_removed(pack, undo, meanwhile, action):
    await pack.turn("t1", "write_file", path="new.txt", content="made\n")
    meanwhile(pack)
    before = state(pack)
    assert actions(await take_back(undo, "t1")) == {"new.txt": action}
    assert state(pack) == before


async def test_a_deleted_file_that_the_user_made_anew_is_left_alone(pack, undo):
    pack.put("a.txt", "old\n")
    await pack.turn("t1", "delete_file", path="a.txt")
    pack.put("a.txt", "the user's\n")
    assert actions(await take_back(undo, "t1")) == {"a.txt": "conflict"}
    assert pack.text("a.txt") == "the user's\n"


async def test_a_turn_between_others_is_taken_back_alone(pack, undo):
    pack.put("a.txt", text())
    await pack.turn("t1", "edit_file", path="a.txt", old="line 2\n", new="two of t1\n")
    await pack.turn("t2", "edit_file", path="a.txt", old="line 10\n", new="ten of t2\n")
    await take_back(undo, "t1")
    assert pack.text("a.txt") == text(line_10="ten of t2")


async def test_what_would_be_done_is_bound_to_what_was_shown(pack, undo):
    pack.put("a.txt", text())
    await pack.turn("t1", "edit_file", path="a.txt", old="line 2\n", new="two\n")
    plan = await undo.plan("ann", "t1")
    pack.put("a.txt", pack.text("a.txt") + "more\n")
    with pytest.raises(ApprovalMismatch):
        await undo.apply("ann", "t1", plan.digest)
    assert pack.text("a.txt") == text(line_2="two") + "more\n"


async def test_taking_back_twice_changes_nothing_more(pack, undo):
    pack.put("a.txt", "one\n")
    await pack.turn("t1", "write_file", path="a.txt", content="two\n")
    await take_back(undo, "t1")
    done = await take_back(undo, "t1")
    assert (actions(done), done.undo_id) == ({"a.txt": "none"}, "")


async def test_the_latest_turn_is_the_last_that_is_not_taken_back(pack, undo):
    with pytest.raises(UnknownName):
        await undo.latest("ann", "s1")
    for turn in ("t1", "t2"):
        await pack.turn(turn, "write_file", path=f"{turn}.txt", content="x\n")
    assert await undo.latest("ann", "s1") == "t2"
    done = await take_back(undo, "t2")
    assert await undo.latest("ann", "s1") == "t1"
    await take_back(undo, done.undo_id)
    assert await undo.latest("ann", "s1") == "t2"


async def test_only_the_owner_in_the_same_folder_takes_back(pack, undo, tmp_path):
    await pack.turn("t1", "write_file", path="a.txt", content="x\n")
    with pytest.raises(UnknownName):
        await undo.plan("bob", "t1")
    pack.workspaces.root = tmp_path
    with pytest.raises(UsageError, match="another folder"):
        await undo.plan("ann", "t1")


async def test_a_link_in_the_place_of_a_file_is_not_followed(pack, undo, tmp_path):
    pack.put("a.txt", "old\n")
    pack.put("other.txt", "other\n")
    await pack.turn("t1", "write_file", path="a.txt", content="new\n")
    (pack.root / "a.txt").unlink()
    (pack.root / "a.txt").symlink_to("other.txt")
    with pytest.raises(UsageError, match="link"):
        await undo.plan("ann", "t1")
    assert pack.text("other.txt") == "other\n"


def test_a_merge_takes_both_sides_or_tells_where_they_disagree():
    base = text()
    mine, theirs = text(line_2="mine"), text(line_18="theirs")
    assert merge(base, mine, theirs).text == text(line_2="mine", line_18="theirs")
    assert merge(base, base, theirs).text == theirs
    assert merge(base, mine, base).text == mine
    assert merge(base, mine, mine).text == mine
    assert (
        merge(base, "first\n" + mine, theirs + "last").text
        == "first\n" + text(line_2="mine", line_18="theirs") + "last"
    )
    clash = merge(base, text(line_7="mine", line_8="mine too"), text(line_7="theirs"))
    assert clash.text is None
    assert [(each.first_line, each.last_line) for each in clash.conflicts] == [(7, 8)]


async def test_what_is_shown_of_an_undo_is_bounded(pack, undo):
    for name in "abc":
        pack.put(f"{name}.txt", "".join(f"line {number}\n" for number in range(3_000)))
        await pack.turn("t1", "write_file", path=f"{name}.txt", content=f"{name}\n")
    plan = await undo.plan("ann", "t1")
    assert len(msgspec.json.encode(plan)) < 150_000
    assert [each.diff_preview.new_content for each in plan.files] == [None] * 3
    assert [bool(each.diff_preview.diff_lines) for each in plan.files] == [True] * 3
    await take_back(undo, "t1")
    assert pack.text("c.txt").endswith("line 2999\n")
