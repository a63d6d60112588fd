"""`list_directory`, `glob` and `grep_files`: what they find, leave out and refuse."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from glassloop.core.errors import BadArguments, ToolError
from glassloop.core.records import ToolResult
from glassloop.extensions.code.access import Access, OperationRate
from glassloop.extensions.code.search.engines import Re2, Ripgrep, SearchEngine, SearchLimit, ripgrep_path
from glassloop.extensions.code.search.file_tools import SEARCH_S, file_tools
from glassloop.extensions.code.search.grep import grep
from glassloop.extensions.code.search.listing import Listings
from glassloop.extensions.code.search.text_pattern import TextPattern
from glassloop.root_folder import RootFolder
from glassloop.runtime.workspaces import Workspace
from glassloop.tools.tool import FunctionTool, ToolContext

FILES = {
    "README.md": "# Harbour\n\nBooks berths.\n",
    ".gitignore": "*.log\n/out/\n",
    "src/harbour/berth.py": "class Berth:\n    def book(self):\n        return 'booked'\n",
    "src/harbour/ship.py": "from harbour.berth import Berth\n\nBERTH = Berth()\n",
    "src/harbour/notes.log": "booked and ignored\n",
    "web/page.ts": "export const berth = 1;\n",
    "web/page.css": ".berth {}\n",
    "out/made.py": "booked = 1\n",
    "node_modules/dep/index.js": "const berth = 'booked';\n",
    "my-env/pyvenv.cfg": "home = x\n",
    "my-env/lib/a.py": "booked = 2\n",
    ".env": "TOKEN=booked\n",
}


class OneWorkspace:
    def __init__(self, root: Path) -> None:
        self.root = root

    async def of(self, user: str, session_id: str) -> Workspace:
        return Workspace(root=self.root, user=user, session_id=session_id)


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def with_ripgrep(pattern: TextPattern, case: bool) -> SearchEngine:
    program = ripgrep_path()
    assert program is not None
    return Ripgrep(program, pattern, case_sensitive=case)


def with_re2(pattern: TextPattern, case: bool) -> SearchEngine:
    return Re2(pattern, case_sensitive=case)


class Tools:
    """The tools over one folder, called by name."""

    def __init__(self, root: Path, engine: Any = None) -> None:
        access = Access(OneWorkspace(root), OperationRate(10_000))
        self._tools = {each.name: each for each in file_tools(access, Listings(), engine)}

    async def __call__(self, name: str, /, shown: int | None = None, **arguments: Any) -> ToolResult:
        found = self._tools[name]
        assert isinstance(found, FunctionTool)
        return await found.execute(
            arguments, ToolContext(session_id="s", user="u", room=None if shown is None else lambda: shown)
        )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "harbour", FILES).resolve()


@pytest.fixture(params=[with_ripgrep, with_re2], ids=["ripgrep", "re2"])
def tools(root: Path, request: pytest.FixtureRequest) -> Tools:
    return Tools(root, request.param)


async def test_a_folder_is_listed_with_sizes_and_without_what_is_ignored_or_blocked(tools: Tools) -> None:
    listed = await tools("list_directory", recursive=True, max_depth=3)
    assert "    berth.py  57 B" in listed.output
    for absent in ("notes.log", "node_modules", "made.py", "a.py"):
        assert absent not in listed.output
    assert (listed.data["ignored"], listed.data["blocked"]) == (2, 2)
    kinds = {entry["path"]: entry["kind"] for entry in listed.data["entries"]}
    assert kinds["src"] == "folder" and kinds["src/harbour/berth.py"] == "file"


async def test_a_folder_alone_is_listed_without_what_is_in_its_folders(tools: Tools) -> None:
    listed = await tools("list_directory")
    paths = {entry["path"] for entry in listed.data["entries"]}
    assert paths == {"README.md", ".gitignore", ".env", "src", "web", "my-env"}
    assert listed.metadata["path"] == "."


async def test_a_blocked_or_ignored_folder_is_listed_where_it_is_named_outright(tools: Tools) -> None:
    assert "index.js" in (await tools("list_directory", path="node_modules/dep")).output
    assert "made.py" in (await tools("list_directory", path="out")).output
    assert (await tools("glob", pattern="*.js", path="node_modules")).data["paths"] == ["node_modules/dep/index.js"]
    assert (await tools("grep_files", pattern="booked", path="node_modules")).data["match_count"] == 1


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("..", "outside the workspace"),
        ("/etc", "outside the workspace"),
        ("missing", "There is no file or folder"),
        ("a\0b", "NUL"),
        ("x" * 300, "255 bytes"),
        ("way-out", "outside the workspace"),
    ],
)
@pytest.mark.parametrize("name", ["list_directory", "glob", "grep_files"])
async def test_a_path_that_is_none_is_refused_without_a_path_of_the_machine(
    tools: Tools, root: Path, name: str, path: str, says: str
) -> None:
    (root / "way-out").symlink_to("/etc")
    more = {} if name == "list_directory" else {"pattern": "root"}
    with pytest.raises(ToolError, match=says) as refused:
        await tools(name, path=path, **more)
    assert str(root) not in str(refused.value)


async def test_listing_a_file_says_how_to_read_it(tools: Tools) -> None:
    with pytest.raises(ToolError, match="read_file"):
        await tools("list_directory", path="README.md")


async def test_links_are_named_and_not_followed(tools: Tools, root: Path) -> None:
    outside = write(root.parent / "outside", {"secret.txt": "booked elsewhere\n"})
    (root / "link").symlink_to(outside)
    (root / "file-link.py").symlink_to(outside / "secret.txt")
    listed = await tools("list_directory", recursive=True, max_depth=5)
    assert "link (link)" in listed.output and "secret" not in listed.output
    assert "elsewhere" not in (await tools("grep_files", pattern="booked")).output


async def test_what_comes_and_goes_is_listed_at_the_next_look(tools: Tools, root: Path) -> None:
    assert (await tools("glob", pattern="*.rs")).data["count"] == 0
    write(root, {"src/new/lib.rs": "fn booked() {}\n"})
    assert (await tools("glob", pattern="*.rs")).data["paths"] == ["src/new/lib.rs"]
    (root / ".gitignore").write_text("*.rs\n")
    assert (await tools("glob", pattern="*.rs")).data["count"] == 0
    assert (await tools("glob", pattern="*.log")).data["count"] == 1


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.py", {"src/harbour/berth.py", "src/harbour/ship.py"}),
        ("src/**/*.py", {"src/harbour/berth.py", "src/harbour/ship.py"}),
        ("**/ship.*", {"src/harbour/ship.py"}),
        ("web/*.{ts,css}", {"web/page.ts", "web/page.css"}),
        ("*.{t{s,sx},css}", {"web/page.ts", "web/page.css"}),
        ("web/[!x]age.ts", {"web/page.ts"}),
        ("./README.*", {"README.md"}),
        ("*.nothing", set()),
    ],
)
async def test_files_are_found_by_pattern(tools: Tools, pattern: str, expected: set[str]) -> None:
    assert set((await tools("glob", pattern=pattern)).data["paths"]) == expected


async def test_globbed_files_come_newest_first_and_within_the_limit(tools: Tools, root: Path) -> None:
    for number, name in enumerate(("web/page.css", "README.md", "web/page.ts")):
        os.utime(root / name, (1e9 + number, 1e9 + number))
    os.utime(root / "src/harbour/ship.py", (2e9, 2e9))
    found = await tools("glob", pattern="{README.md,page.*,ship.py}", limit=3)
    assert found.data["paths"] == ["src/harbour/ship.py", "web/page.ts", "README.md"]
    assert found.data["truncated"] and found.data["count"] == 4


@pytest.mark.parametrize("pattern", ["", "x" * 600, "{a,b}" * 12])
async def test_a_file_pattern_beyond_bounds_is_refused(tools: Tools, pattern: str) -> None:
    with pytest.raises(BadArguments):
        await tools("glob", pattern=pattern)


async def test_lines_are_found_with_their_place(tools: Tools) -> None:
    found = await tools("grep_files", pattern=r"[Bb]erth\b", file_pattern="*.{py,ts}")
    assert "src/harbour/berth.py:1: class Berth:" in found.output
    assert found.data["match_count"] == 4 and found.data["files"] == 3 and not found.data["truncated"]
    assert {"path": "web/page.ts", "line": 1, "text": "export const berth = 1;"} in found.data["matches"]


async def test_lines_around_a_match_are_shown_and_not_counted(tools: Tools) -> None:
    found = await tools("grep_files", pattern="def book", context_lines=1)
    assert found.output.splitlines() == [
        "src/harbour/berth.py-1- class Berth:",
        "src/harbour/berth.py:2:     def book(self):",
        "src/harbour/berth.py-3-         return 'booked'",
    ]
    assert found.data["match_count"] == 1


async def test_nothing_found_is_a_success_that_says_what_was_searched(tools: Tools) -> None:
    found = await tools("grep_files", pattern="no such thing")
    assert found.success and "files were searched" in found.output and found.data["match_count"] == 0


async def test_secrets_are_not_searched_through(tools: Tools) -> None:
    found = await tools("grep_files", pattern="TOKEN")
    assert found.data["matches"] == [] and "secrets" in found.output
    with pytest.raises(ToolError, match="read_file asks"):
        await tools("grep_files", pattern="TOKEN", path=".env")


async def test_a_long_line_is_cut_around_its_match(tools: Tools, root: Path) -> None:
    write(root, {"long.txt": "ä" * 30_000 + "needle" + "ö" * 30_000 + "\n"})
    (match,) = (await tools("grep_files", pattern="needle")).data["matches"]
    assert len(match["text"]) <= 500 and "needle" in match["text"]
    assert match["text"].startswith("…") and match["text"].endswith("…")


async def test_results_are_the_first_by_path_however_many_there_are(tools: Tools, root: Path) -> None:
    write(root, {f"many/{number:03}.txt": "same\n" * 5 for number in range(200)})
    found = await tools("grep_files", pattern="same", max_results=12)
    assert [each["path"] for each in found.data["matches"]] == (
        ["many/000.txt"] * 5 + ["many/001.txt"] * 5 + ["many/002.txt"] * 2
    )
    assert found.data["match_count"] == 1_000 and found.data["files"] == 200 and found.data["truncated"]


async def test_files_whose_lines_are_not_shown_are_named_with_how_many(tools: Tools, root: Path) -> None:
    write(root, {"many/a.txt": "same\n" * 5, "many/b.txt": "same\n" * 3, "many/z.txt": "same\n" * 9, ".env": "same\n"})
    found = await tools("grep_files", pattern="same", path="many", max_results=6)
    assert found.output.splitlines()[-1].startswith("17 lines in 3 files match, 6 are shown: ")
    assert found.output.endswith(" Not shown: many/z.txt 9, many/b.txt 2.")


@pytest.mark.parametrize("shown", [600, 1_500])
async def test_no_more_is_returned_than_the_model_is_shown_and_the_rest_is_named(
    tools: Tools, root: Path, shown: int
) -> None:
    write(root, {f"many/{number:03}.txt": "the same line\n" * 5 for number in range(100)})
    found = await tools("grep_files", pattern="same", path="many", max_results=500, shown=shown)
    lines = [line for line in found.output.splitlines() if line.endswith("the same line")]
    assert f"500 lines in 100 files match, {len(lines)} are shown" in found.output
    assert "many/099.txt 5" in found.output or "files more" in found.output
    assert len(found.output) <= shown
    for name, given in (("list_directory", {}), ("glob", {"pattern": "*.txt"})):
        listed = await tools(name, path="many", shown=shown, **given)
        assert len(listed.output) <= shown
        assert " of 100 are shown" in listed.output


async def test_a_folder_at_the_depth_limit_says_how_much_is_in_it(tools: Tools, root: Path) -> None:
    (root / "web/none").mkdir()
    listed = (await tools("list_directory", path=".")).output.splitlines()
    assert "src/ (1 folder)" in listed
    assert "web/ (1 folder, 2 files)" in listed
    inside = (await tools("list_directory", path="web")).output
    assert inside.startswith("none/ (empty)\n")
    assert "Left out" not in inside
    assert listed[-1] == "Left out: 1 that ignore files name, 1 blocked."


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        ("(a", 1), ("a)", 2), ("[a", 1), ("a**", 3), ("x(?=y)", 2), (r"(a)\1", 4), ("[z-a]", 2), ("a\\", 2), ("*a", 1),
        (r"\p{Nope}", 1), ("a{5,2}", 6), ("(?x)a", 1), (r"a\nb", 2), (r"(\w{99}){99}", 9), (r"\Qa", 1), ("(?>a)", 1),
    ],
)  # fmt: skip
async def test_a_bad_pattern_is_told_with_its_place(tools: Tools, pattern: str, place: int) -> None:
    with pytest.raises(BadArguments, match=f"character {place} "):
        await tools("grep_files", pattern=pattern)


async def test_text_in_other_encodings_is_searched_and_what_is_no_text_is_not(tools: Tools, root: Path) -> None:
    write(root, {
        "marked.txt": b"\xef\xbb\xbfneedle one\r\n",
        "wide.txt": "needle two\r\nzwölf\r\n".encode("utf-16"),
        "blob.bin": b"needle three\n\0\0",
        "latin.txt": b"needle \xe9\n",
    })  # fmt: skip
    found = await tools("grep_files", pattern="^needle")
    assert [each["path"] for each in found.data["matches"]] == ["latin.txt", "marked.txt", "wide.txt"]
    assert (await tools("grep_files", pattern="zwölf$")).data["match_count"] == 1


async def test_a_search_ends_when_its_time_is_up_and_says_so(root: Path) -> None:
    class Slow:
        def search(self, root: Any, files: Any, limit: Any) -> Any:
            while True:
                limit.check()
                time.sleep(0.01)
                yield from ()

    assert SEARCH_S < 10
    with RootFolder(root) as opened:
        found = grep(opened, ["README.md"], Slow(), SearchLimit(0.05, lambda: False), max_results=5)
    assert not found.in_time and found.searched == 0
