"""`code_map`, `find_symbol` and `find_references`: by syntax, kept up, within the budget."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glassloop.core.errors import BadArguments
from glassloop.core.records import ToolResult
from glassloop.extensions.code.access import Access, OperationRate
from glassloop.extensions.code.search.code_map import CodeMaps
from glassloop.extensions.code.search.listing import Listings
from glassloop.extensions.code.search.map_tools import map_tools
from glassloop.extensions.code.search.tag_reader import TagReader
from glassloop.extensions.code.search.tags import read_tags
from glassloop.runtime.workspaces import Workspace
from glassloop.tools.tool import FunctionTool, ToolContext

FILES = {
    "harbour/berth.py": (
        "MAX_BERTHS = 40\n\n\nclass HarbourBerth:\n    def book_berth(self, ship: str) -> bool:\n"
        "        def helper_inside():\n            return True\n\n        return helper_inside()\n"
    ),
    "harbour/desk.py": "from harbour.berth import HarbourBerth\n\n\ndef open_desk():\n    return HarbourBerth()\n",
    "harbour/late.py": "# HarbourBerth in a comment\nTEXT = 'HarbourBerth in a text'\nx = HarbourBerth\n",
    "harbour/other.py": "def lonely_function():\n    return 1\n",
    "web/page.ts": "export class PageView {\n  draw(width: number): void {}\n}\n",
    "notes.md": "HarbourBerth\n",
    ".gitignore": "made/\n",
    "made/gen.py": "class HarbourBerth: pass\n",
}


class OneWorkspace:
    def __init__(self, root: Path) -> None:
        self.root = root

    async def of(self, user: str, session_id: str) -> Workspace:
        return Workspace(root=self.root, user=user, session_id=session_id)


class Touched:
    paths: tuple[str, ...] = ()
    asked = ""

    async def question(self, user: str, turn_id: str) -> str:
        return self.asked

    async def touched(self, user: str, session_id: str) -> tuple[str, ...]:
        return self.paths


@pytest.fixture(scope="module")
def reader() -> Iterator[TagReader]:
    made = TagReader()
    yield made
    made.close()


class Tools:
    def __init__(self, root: Path, home: Path, reader: TagReader) -> None:
        self.root, self.touched = root, Touched()
        access = Access(OneWorkspace(root), OperationRate(10_000))
        maps = CodeMaps(home / "map", reader)
        self._tools = {each.name: each for each in map_tools(access, Listings(), maps, reader, self.touched)}

    async def __call__(self, name: str, /, **arguments: Any) -> ToolResult:
        found = self._tools[name]
        assert isinstance(found, FunctionTool)
        return await found.execute(arguments, ToolContext(session_id="s", user="u"))


@pytest.fixture
def tools(tmp_path: Path, reader: TagReader) -> Tools:
    root = tmp_path / "work"
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return Tools(root.resolve(), tmp_path / "home", reader)


async def test_the_map_begins_with_what_others_refer_to(tools: Tools) -> None:
    drawn = await tools("code_map")
    assert drawn.output.startswith("harbour/berth.py:")
    assert "  4: class HarbourBerth" in drawn.output
    assert "  5: def book_berth(self, ship: str) -> bool  [HarbourBerth]" in drawn.output
    assert "gen.py" not in drawn.output and "helper_inside" not in drawn.output


async def test_the_map_is_about_what_was_asked_or_touched(tools: Tools) -> None:
    assert (await tools("code_map", about="what does lonely_function do?")).output.startswith("harbour/other.py:")
    before = (await tools("code_map")).data["files"]
    tools.touched.paths = ("web/page.ts",)
    after = (await tools("code_map")).data["files"]
    assert after.index("web/page.ts") < before.index("web/page.ts")


async def test_without_words_of_its_own_the_map_is_about_the_names_in_the_question(tools: Tools) -> None:
    before = (await tools("code_map")).output
    tools.touched.asked = "What does the harbour do, and how does it pay?"
    assert (await tools("code_map")).output == before
    for asked in ("What does lonely_function do?", "And `lonely_function`?"):
        tools.touched.asked = asked
        assert (await tools("code_map")).output.startswith("harbour/other.py:")
    assert not (await tools("code_map", about="HarbourBerth")).output.startswith("harbour/other.py:")


async def test_a_question_in_prose_finds_definitions_by_the_words_of_their_names(tools: Tools) -> None:
    (tools.root / "harbour/retry_policy.py").write_text("def decide_retries(tries):\n    return tries < 3\n")
    (tools.root / "harbour/fees.py").write_text("class FeeTable:\n    def countFees(self):\n        return 1\n")
    asked = {"where is retrying decided for failed ships": "retry_policy.py", "how are the fees counted": "fees.py"}
    for about, name in asked.items():
        assert (await tools("code_map", about=about)).output.startswith(f"harbour/{name}:"), about


async def test_the_map_of_a_folder_has_only_what_is_in_it(tools: Tools) -> None:
    assert (await tools("code_map", path="web")).data["files"] == ["web/page.ts"]


async def test_the_map_keeps_its_budget(tools: Tools) -> None:
    many = "\n".join(f"def function_number_{number}(first, second):\n    pass\n" for number in range(300))
    (tools.root / "many.py").write_text(many)
    small, large = [(await tools("code_map", token_budget=budget)).output for budget in (200, 2_000)]
    assert len(small) <= 800 < len(large) <= 8_000


async def test_a_changed_file_is_parsed_again_and_a_lost_one_is_gone(tools: Tools) -> None:
    assert "lonely_function" in (await tools("code_map")).output
    (tools.root / "harbour/other.py").write_text("def renamed_function():\n    return 1\n")
    (tools.root / "web/page.ts").unlink()
    drawn = (await tools("code_map")).output
    assert "renamed_function" in drawn and "lonely_function" not in drawn and "PageView" not in drawn


async def test_what_was_parsed_is_kept_for_the_next_process_for_its_owner_only(
    tools: Tools, tmp_path: Path, reader: TagReader
) -> None:
    first = await tools("code_map")
    (stored,) = (tmp_path / "home" / "map").glob("*.db")
    assert stored.stat().st_mode & 0o777 == 0o600
    assert (await Tools(tools.root, tmp_path / "home", reader)("code_map")).output == first.output
    stored.write_bytes(b"no database")
    assert (await Tools(tools.root, tmp_path / "home", reader)("code_map")).output == first.output


async def test_definitions_are_found_by_name_kind_and_place(tools: Tools) -> None:
    found = await tools("find_symbol", name="HarbourBerth")
    assert [(each["path"], each["line"], each["kind"]) for each in found.data["results"]] == [
        ("harbour/berth.py", 4, "class")
    ]
    assert "not by types" in found.output
    inside = await tools("find_symbol", name="helper_inside")
    assert inside.data["results"][0]["within"] == "HarbourBerth.book_berth"
    assert (await tools("find_symbol", name="HarbourBerth.book_berth", kind="method")).data["count"] == 1
    assert (await tools("find_symbol", name="Other.book_berth")).data["count"] == 0
    assert (await tools("find_symbol", name="MAX_BERTHS", kind="class")).data["count"] == 0


async def test_uses_are_found_in_code_and_not_in_comments_or_texts(tools: Tools) -> None:
    found = await tools("find_references", name="HarbourBerth")
    assert [(each["path"], each["line"]) for each in found.data["results"]] == [
        ("harbour/desk.py", 1), ("harbour/desk.py", 5), ("harbour/late.py", 3),
    ]  # fmt: skip
    assert (await tools("find_references", name="HarbourBerth", path="harbour/late.py")).data["count"] == 1
    nothing = await tools("find_references", name="no_such_name")
    assert nothing.success and "No use" in nothing.output


@pytest.mark.parametrize("name", ["", "a b", "x(", "1a", "n" * 300])
async def test_what_is_no_name_is_refused(tools: Tools, name: str) -> None:
    with pytest.raises(BadArguments, match="is no name"):
        await tools("find_symbol", name=name)


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("a.go", b"package a\ntype S struct {}\nfunc (s *S) Run() error { return nil }\n", {"S", "Run"}),
        ("a.rs", b"pub struct S {}\nimpl S { pub fn run(&self) {} }\n", {"S", "run"}),
        ("A.java", b"public class A { int go(String s) { return 1; } }\n", {"A", "go"}),
        ("a.c", b"static int f(int a) { return a; }\n", {"f"}),
        ("a.rb", b"module M\n class C\n  def run; end\n end\nend\n", {"M", "C", "run"}),
        ("a.kt", b"class A { fun go(x: Int): Int = 1 }\n", {"A", "go"}),
        ("a.sh", b"f() { echo 1; }\n", {"f"}),
    ],
)
def test_other_languages_are_read_by_their_grammars(path: str, source: bytes, names: set[str]) -> None:
    assert {each.name for each in read_tags(path, source).definitions} >= names


def test_a_file_that_takes_too_long_is_left_out_and_the_next_is_read() -> None:
    reader = TagReader(limit_s=0.0)
    try:
        assert reader.tags("a.py", b"def f(): pass\n" * 50_000).definitions == ()
    finally:
        reader.close()
