"""Words of the tools that change files: all edits that do not fit, and the lines as they were written."""

from glassloop.extensions.code.files.diff import as_unified, diff_preview


async def test_all_edits_that_do_not_fit_are_told_at_once(pack):
    pack.put("a.py", "one = 1\ntwo = 2\ntwo = 2\n")
    edits = [
        {"path": "a.py", "old": "one = 1", "new": "one = 11"},
        {"path": "a.py", "old": "three = 3", "new": "x"},
        {"path": "a.py", "old": "two = 2", "new": "x"},
        {"path": "b.py", "old": "x", "new": "y"},
    ]
    error = await pack.refused("multi_edit", edits=edits)
    assert error.startswith("Nothing was changed: 3 of 4 edits cannot be done.\n")
    assert "Edit 2: `old` is not in 'a.py'" in error
    assert "Edit 3: `old` is 2 times in 'a.py'" in error
    assert "Edit 4: There is no file or folder 'b.py'" in error
    assert pack.text("a.py").startswith("one = 1\n")
    many = await pack.refused("multi_edit", edits=[{"path": "b.py", "old": str(n), "new": "y"} for n in range(9)])
    assert "Edit 5:" in many
    assert "Edit 6:" not in many
    assert many.endswith("4 more do not fit.")


async def test_a_path_out_of_the_workspace_among_the_edits_is_still_a_violation(pack, caplog):
    pack.put("a.py", "one = 1\n")
    edits = [{"path": "a.py", "old": "zwei", "new": "x"}, {"path": "../b", "old": "x", "new": "y"}]
    assert "outside the workspace" in await pack.refused("multi_edit", edits=edits)
    assert "refused a path" in caplog.text


async def test_what_was_not_matched_exactly_is_shown_as_it_was_written(pack):
    pack.put("a.py", "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n")
    await pack.done("read_file", path="a.py")
    old, new = "def two(self):\n    return 2\n", "def two(self):\n    x = 2\n    return x\n"
    result = await pack.done("edit_file", path="a.py", old=old, new=new)
    assert "matched by indent. As written:\n" in result.output
    assert result.output.endswith("     5\t    def two(self):\n     6\t        x = 2\n     7\t        return x")
    assert "return 1" not in result.output
    exact = await pack.done("edit_file", path="a.py", old="return 1", new="return 11")
    assert exact.output.endswith("+1 −1 lines, now line 3.")


async def test_an_edit_tells_where_its_lines_are_now(pack):
    pack.put("a.txt", "".join(f"line {n}\n" for n in range(1, 41)))
    edits = [
        {"path": "a.txt", "old": "line 2\n", "new": "two\ntwo and a half\n"},
        {"path": "a.txt", "old": "line 20\n", "new": ""},
        {"path": "a.txt", "old": "line 35", "new": "thirty-five"},
    ]
    result = await pack.done("multi_edit", edits=edits)
    assert result.output.endswith("+3 −3 lines, now lines 2–3, after line 20, line 35.")


def test_a_diff_of_several_places_has_a_header_for_each():
    before = "".join(f"line {n}\n" for n in range(1, 41))
    after = before.replace("line 2\n", "two\ntwo and a half\n").replace("line 30\n", "")
    text = as_unified(diff_preview("a.txt", before, after))
    assert [line for line in text.splitlines() if line.startswith("@@")] == ["@@ -1,5 +1,6 @@", "@@ -27,7 +28,6 @@"]
    made = as_unified(diff_preview("a.txt", None, "one\ntwo\n"))
    assert made == "create a.txt\n@@ -0,0 +1,2 @@\n+one\n+two"
    assert "@@ -1,1 +0,0 @@" in as_unified(diff_preview("a.txt", "one\n", None))


async def test_of_several_places_each_is_shown_and_long_ones_are_cut(pack):
    pack.put("a.txt", "".join(f"  mark  \nline {n}\n" for n in range(30)))
    result = await pack.done(
        "edit_file", path="a.txt", old="mark \nline", new="MARK\n" + "new\n" * 60 + "line", count=30
    )
    assert "     2\tnew" in result.output
    assert result.output.endswith("…")
    assert result.output.count("\n") == 60


async def test_a_file_that_is_not_there_is_told_with_the_nearest_names(pack):
    pack.put("docs/tools.md", "x\n")
    pack.put("docs/tooling/a.md", "x\n")
    pack.put("src/app.py", "x\n")
    (pack.root / "docs" / "toolz\u202e.md").write_text("x")
    error = await pack.refused("read_file", path="docs/toolz.md")
    assert error.startswith("There is no file or folder 'docs/toolz.md' in the workspace: did you mean ")
    assert "'docs/tools.md'" in error
    assert "\u202e" not in error
    assert "'docs/tools.md'" in await pack.refused("read_file", path="./docs//toolz.md")
    assert "'docs'" in await pack.refused("read_file", path="doc/tools.md")
    assert "'src/app.py'" in await pack.refused("edit_file", path="src/App.py", old="x", new="y")
    assert (await pack.refused("read_file", path="zzz")).endswith("check the path, or list its folder.")
    assert "did you mean" not in await pack.refused("read_file", path="../wor")


async def test_where_only_a_short_line_fits_the_place_most_like_the_longest_is_shown_too(pack):
    code = "class A:\n    def auth_flow(self, request: Request) -> Generator:\n        yield self.sign(request)\n"
    pack.put("a.py", '"""Use it so:\n\n    yield request\n"""\n' + "x = 1\n" * 20 + code)
    error = await pack.refused("edit_file", path="a.py", old="def auth_flow(self, request):\n  yield request", new="x")
    assert "    26\t    def auth_flow(self, request: Request) -> Generator:" in error
    assert "     3\t    yield request" in error
