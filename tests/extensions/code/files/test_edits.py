"""Edits as models write them: applied in the right place or refused with the right lines, and nothing else changes."""

import random
import textwrap

import pytest

from glassloop.core.errors import ToolError

BLOCK = '''class Account{n}:
    """The account {n}."""

    def deposit_{n}(self, amount):
        if amount <= {n}:
            raise ValueError("too little: {n}")
        for step in range({n}):
            self.total += amount * step
        return self.total

'''


def source(count=12, indent="    ", newline="\n"):
    text = "".join(BLOCK.replace("{n}", str(n)) for n in range(1, count + 1))
    return text.replace("    ", indent).replace("\n", newline)


def indented(text, more):
    return "".join(more + line if line.strip() else line for line in text.splitlines(keepends=True))


WAYS = {
    "dedented": textwrap.dedent,
    "deeper": lambda text: indented(textwrap.dedent(text), "      "),
    "tabs": lambda text: text.replace("    ", "\t"),
    "two": lambda text: text.replace("    ", "  "),
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "trailing": lambda text: text.replace("\n", "  \n"),
    "quotes": lambda text: text.replace('"', "'"),
    "typographic": lambda text: text.replace('"', "”"),
    "escaped": lambda text: text.replace('"', '\\"'),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("each", [4, pytest.param(40, marks=pytest.mark.slow)])
async def test_edits_with_other_blanks_newlines_and_quotes_are_applied_in_the_right_place(pack, newline, each):
    rng = random.Random(7)
    applied = tried = 0
    for way in WAYS:
        for _ in range(each):
            indent = rng.choice(("    ", "  ", "\t")) if way not in ("tabs", "two") else "    "
            text = source(indent=indent, newline=newline)
            n = rng.randrange(1, 13)
            lines = source().split("\n")
            start = (n - 1) * 10
            first = start + rng.choice((3, 4, 5, 6))
            last = rng.randrange(max(first + 1, start + 6), start + 10)
            old = "\n".join(lines[first:last]) + "\n"
            mark = rng.choice((f"deposit_{n}", f"amount <= {n}", f"too little: {n}", f"range({n})"))
            if mark not in old:
                mark = next((m for m in (f"range({n})", f"too little: {n}") if m in old), None)
                if mark is None:
                    continue
            new = old.replace(mark, mark + "0")
            wanted = text.replace("\n".join(lines[first:last]).replace("    ", indent).replace("\n", newline),
                                  new[:-1].replace("    ", indent).replace("\n", newline), 1)  # fmt: skip
            tried += 1
            pack.put("a.py", text)
            args = {"path": "a.py", "old": WAYS[way](old), "new": new if way == "trailing" else WAYS[way](new)}
            try:
                preview = await pack.preview("edit_file", **args)
            except ToolError as error:
                assert f"{first + 1:>6}\t" in str(error), (way, error)
            else:
                assert preview["new_content"] == wanted, (way, indent, args)
                applied += 1
    assert tried >= each * len(WAYS) * 0.7
    print(f"{applied} of {tried} edits applied")
    assert applied / tried >= 0.95, (applied, tried)


@pytest.mark.parametrize("old", ["", "  \n\t"])
async def test_an_empty_old_is_refused(pack, old):
    pack.put("a.txt", "one\n\ntwo\n")
    assert "empty or blank" in await pack.refused("edit_file", path="a.txt", old=old, new="x")


async def test_no_match_shows_the_nearest_lines_and_several_all_of_theirs(pack):
    pack.put("a.py", source(3))
    error = await pack.refused("edit_file", path="a.py", old="    def deposit_2(self, sum):\n", new="x")
    assert "    14\t    def deposit_2(self, amount):" in error
    error = await pack.refused("edit_file", path="a.py", old="return self.total", new="x")
    assert "3 times" in error
    assert all(f"{line:>6}\t" in error for line in (9, 19, 29))
    result = await pack.done("edit_file", path="a.py", old="return self.total", new="return 0", count=3)
    assert (result.data["matched"], result.data["lines"]) == ("exact", [[9, 9], [19, 19], [29, 29]])


async def test_nothing_but_the_place_changes(pack):
    raw = b"\xef\xbb\xbfone \t\r\ntwo\r\n\tthree\xc3\xa4 \nlast"
    pack.put("a.txt", raw, 0o750)
    await pack.done("edit_file", path="a.txt", old="two", new="  2  ")
    assert pack.bytes("a.txt") == raw.replace(b"two", b"  2  ")
    assert (pack.root / "a.txt").stat().st_mode & 0o777 == 0o750


async def test_a_file_changed_since_it_was_read_is_refused_once_with_what_changed(pack):
    pack.put("a.txt", "one\ntwo\n")
    await pack.done("read_file", path="a.txt")
    pack.put("a.txt", "one\ntwo\nthe user's\n")
    error = await pack.refused("edit_file", path="a.txt", old="one", new="1")
    assert "changed since you read it" in error
    assert "the user's" in error
    await pack.done("edit_file", path="a.txt", old="one", new="1")
    assert pack.text("a.txt") == "1\ntwo\nthe user's\n"


async def test_several_edits_are_all_done_or_none(pack):
    pack.put("a.txt", "one\n")
    pack.put("b.txt", "two\n")
    edits = [{"path": "a.txt", "old": "one", "new": "1"}, {"path": "b.txt", "old": "three", "new": "3"}]
    assert "Edit 2" in await pack.refused("multi_edit", edits=edits)
    assert (pack.text("a.txt"), pack.text("b.txt")) == ("one\n", "two\n")
    edits[1]["old"] = "two"
    result = await pack.done("multi_edit", edits=edits)
    assert (pack.text("a.txt"), pack.text("b.txt")) == ("1\n", "3\n")
    assert [each["path"] for each in result.data["changes"]] == ["a.txt", "b.txt"]


async def test_patches_of_both_forms_are_applied_whole_or_not_at_all(pack):
    pack.put("a.py", source(2))
    unified = (
        '--- a/a.py\n+++ b/a.py\n@@ -99,2 +99,2 @@\n class Account2:\n-    """The account 2."""\n+    """Two."""\n'
    )
    await pack.done("apply_patch", patch=unified)
    assert '"""Two."""' in pack.text("a.py")
    begin = (
        "*** Begin Patch\n*** Update File: a.py\n@@ class Account1:\n-        return self.total\n"
        "+        return 1\n*** Add File: new/b.txt\n+hello\n*** End Patch"
    )
    await pack.done("apply_patch", patch=begin)
    assert pack.text("new/b.txt") == "hello\n"
    assert pack.text("a.py").count("return 1\n") == 1
    before = pack.text("a.py")
    assert "Hunk 1" in await pack.refused("apply_patch", patch=unified)
    assert "delete_file" in await pack.refused("apply_patch", patch="--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")
    assert "no patch" in await pack.refused("apply_patch", patch="hello")
    assert pack.text("a.py") == before
