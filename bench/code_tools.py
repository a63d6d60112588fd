"""The search tools of the code assistant beside the programs they stand on.

    python bench/code_tools.py [--rounds N] [--files N] [--parts grep list map] [--json FILE]

The workspace is copied from the packages of this Python and the project itself. `rg` is run with the same flags on the
same folder in the same round, as a program whose output is read. The map's first drawing stands beside the index of
the same files. Prints the rows with their bars; exits with 1 when one is missed.
"""

import asyncio
import random
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bars
from glassloop.extensions.code.access import Access, OperationRate
from glassloop.extensions.code.search.code_map import CodeMap
from glassloop.extensions.code.search.engines import Re2, Ripgrep, SearchLimit, ripgrep_path
from glassloop.extensions.code.search.file_tools import file_tools
from glassloop.extensions.code.search.grep import grep
from glassloop.extensions.code.search.listing import Listings
from glassloop.extensions.code.search.map_tools import names_in
from glassloop.extensions.code.search.tag_reader import TagReader
from glassloop.extensions.code.search.text_pattern import read_pattern
from glassloop.retrieval import Library
from glassloop.retrieval.code.code_index import CodeIndex
from glassloop.root_folder import RootFolder
from glassloop.runtime.workspaces import Workspace
from glassloop.tools.tool import FunctionTool, ToolContext

PATTERNS = (r"def \w+_tools", "import", r"(a+)+$", r"\bself\b", "é")
QUESTIONS = 100
PARTS = ("grep", "list", "map")
SOURCE = "spec/code.md 14"


class OneWorkspace:
    def __init__(self, root: Path) -> None:
        self.root = root

    async def of(self, user: str, session_id: str) -> Workspace:
        return Workspace(root=self.root, user=user, session_id=session_id)


def copy(root: Path, files: int) -> int:
    """Real files of many hands, in their folders; how many."""
    count = 0
    for name, base in (("own", Path(__file__).parent.parent / "src"), ("lib", Path(sysconfig.get_path("purelib")))):
        for path in sorted(base.rglob("*.py")):
            if count < files and path.stat().st_size < 60_000 and "__pycache__" not in path.parts:
                target = root / name / path.relative_to(base)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
                count += 1
    (root / ".gitignore").write_text("*.log\n/out/\n**/cache/\n!keep.log\n")
    return count


def seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def run(command: Sequence[str], root: Path) -> None:
    subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)


def searches(root: Path, rounds: int) -> list[bars.Bar]:
    program = ripgrep_path()
    if program is None:
        raise SystemExit("There is no rg here: install glassloop[code].")
    listings, ratios = Listings(), {"rg": list[float](), "re2": list[float]()}
    with RootFolder(root) as opened:
        listings.look(opened)
        for pattern in PATTERNS:
            read = read_pattern(pattern)
            engines = {"rg": Ripgrep(program, read, case_sensitive=True), "re2": Re2(read, case_sensitive=True)}
            # The flags of the tool without its list of files: the command finds them by itself.
            flags = [each for each in engines["rg"].command if each != "--no-ignore"]

            def search(engine: Any) -> Any:
                limit = SearchLimit(60.0, lambda: False)
                return grep(opened, listings.look(opened).files, engine, limit, max_results=100)

            if search(engines["rg"]) != search(engines["re2"]):
                raise SystemExit(f"The engines disagree about {pattern!r}.")
            for _ in range(rounds):
                floor = seconds(lambda: run([*flags, "."], root))  # noqa: B023
                for name, engine in engines.items():
                    ratios[name].append(seconds(lambda: search(engine)) / floor)  # noqa: B023
    return [
        bars.Bar(title="grep_files to the rg command, same flags", limit=1.3, source=SOURCE,
                 figures={bars.OURS: statistics.median(ratios["rg"])}, spread=bars.span(ratios["rg"])),
        bars.Bar(title="grep_files with RE2 to the rg command", limit=8, source=SOURCE,
                 figures={bars.OURS: statistics.median(ratios["re2"])}, spread=bars.span(ratios["re2"])),
    ]  # fmt: skip


async def lists(root: Path, rounds: int) -> list[bars.Bar]:
    tools = {each.name: each for each in file_tools(Access(OneWorkspace(root), OperationRate(10**6)), Listings())}
    calls: dict[str, dict[str, Any]] = {
        "list_directory": {"recursive": True, "max_depth": 10}, "glob": {"pattern": "**/*.py"},
    }  # fmt: skip
    command = [ripgrep_path() or "rg", "--no-config", "--files", "--hidden"]
    rows: list[bars.Bar] = []
    for name, arguments in calls.items():
        called = tools[name]
        assert isinstance(called, FunctionTool)
        first, ratios = 0.0, list[float]()
        for number in range(rounds + 1):
            floor = seconds(lambda: run(command, root))
            began = time.perf_counter()
            await called.execute(arguments, ToolContext(session_id="s"))
            ratio = (time.perf_counter() - began) / floor
            first = ratio if not number and name == "list_directory" else first
            if number:
                ratios.append(ratio)
        rows.append(bars.Bar(title=f"{name} to rg --files, folder known", limit=1.5, source=SOURCE,
                             figures={bars.OURS: statistics.median(ratios)}, spread=bars.span(ratios)))  # fmt: skip
        if first:
            rows.append(bars.Bar(title=f"{name} to rg --files, first look", figures={bars.OURS: first}))
    return rows


async def maps(root: Path, home: Path, rounds: int) -> list[bars.Bar]:
    async with Library(home / "library") as library:
        began = time.perf_counter()
        await CodeIndex(library, "code", root).build()
        indexed = time.perf_counter() - began
    listings, reader, changed = Listings(), TagReader(), list[float]()
    drawn_by = CodeMap(None, reader)
    with RootFolder(root) as opened:

        def draw(about: str = "") -> str:
            files = listings.look(opened).files
            return drawn_by.draw(opened, files, about=about, token_budget=2_000, seconds=600.0).text

        first = seconds(draw)
        path = sorted(root.rglob("*.py"))[7]
        for number in range(rounds):
            path.write_text(path.read_text("utf-8") + f"\n\ndef freshly_written_{number}():\n    pass\n", "utf-8")
            changed.append(seconds(draw) * 1e3)
        asked = random.Random(1).sample(drawn_by.definitions(), QUESTIONS)
        held = sum(
            f"  {each.line}: {each.signature}" in draw(f"Where is {each.name} defined?").partition(f"{path}:")[2]
            for path, each in asked
        )
        # As the tool does by itself with the question of the turn.
        unasked = sum(
            f"  {each.line}: {each.signature}"
            in draw(names_in(f"Where is {each.name} defined?")).partition(f"{path}:")[2]
            for path, each in asked
        )
    reader.close()
    return [
        bars.Bar(title="code_map: first, to the index of the same files", limit=1, source=SOURCE,
                 figures={bars.OURS: first / indexed}),
        bars.Bar(title="code_map: after one change, median", limit=300, unit=" ms", source=SOURCE,
                 figures={bars.OURS: statistics.median(changed)}, spread=bars.span(changed)),
        bars.Bar(title="code_map: definitions asked for by name and not in it", limit=20, unit=" %", source=SOURCE,
                 figures={bars.OURS: 100 - 100 * held / QUESTIONS}),
        bars.Bar(title="code_map: the same, where the call says nothing of it", unit=" %",
                 figures={bars.OURS: 100 - 100 * unasked / QUESTIONS}),
    ]  # fmt: skip


async def measure(files: int, rounds: int, parts: Sequence[str]) -> list[bars.Bar]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        root = Path(home).resolve() / "workspace"
        root.mkdir()
        print(f"  {copy(root, files):,} files")
        # What is younger than two seconds is looked at again each time: not what is measured here.
        await asyncio.sleep(2.1)
        rows = searches(root, rounds) if "grep" in parts else []
        rows += await lists(root, rounds) if "list" in parts else []
        return [*rows, *(await maps(root, Path(home), rounds) if "map" in parts else [])]


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("The search tools of the code assistant.", 7)
    parser.add_argument("--files", type=int, default=5_500)
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    asked = parser.parse_args(arguments)
    return bars.tell(bars.Report(rows=asyncio.run(measure(asked.files, asked.rounds, asked.parts))), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
