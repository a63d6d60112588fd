"""`ProjectInfo` by each manifest, and `AGENTS.md` from the root down."""

from pathlib import Path

import pytest

from glassloop.extensions.code.project.guidance import MAX_CHARS, FolderGuidance, read_guidance
from glassloop.extensions.code.project.project_info import ProjectInfo, read_project
from glassloop.extensions.code.project.top_level import top_level
from glassloop.root_folder import RootFolder


def project(root: Path) -> ProjectInfo:
    with RootFolder(root.resolve()) as opened:
        return read_project(opened)


def guidance(root: Path, path: str = "") -> FolderGuidance:
    with RootFolder(root.resolve()) as opened:
        return read_guidance(opened, path)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", '[project]\nname="a"\nversion="1"\ndependencies=["x>=1","y"]',
         ("python", "a", "1", ["x", "y"])),
        ("pyproject.toml", '[tool.poetry]\nname="a"\n[tool.poetry.dependencies]\npython="3"\nx="1"',
         ("python", "a", None, ["x"])),
        ("setup.cfg", "[metadata]\nname=a\nversion=1\n[options]\ninstall_requires=\n  x>1\n",
         ("python", "a", "1", ["x"])),
        ("requirements-dev.txt", "# c\n-r other\nx==1\n", ("python", None, None, ["x"])),
        ("package.json", '{"name":"a","version":"1","dependencies":{"x":"1"}}', ("node", "a", "1", ["x"])),
        ("Cargo.toml", '[package]\nname="a"\nversion="1"\n[dependencies]\nx="1"', ("rust", "a", "1", ["x"])),
        ("go.mod", "module example.org/a\n\nrequire (\n\texample.org/x v1.0.0\n)\n",
         ("go", "example.org/a", None, ["example.org/x"])),
        ("pom.xml", "<project>\n  <artifactId>a</artifactId>\n  <version>1</version>\n</project>",
         ("java", "a", "1", [])),
        ("build.gradle.kts", 'version = "1"\nimplementation("x:y:1")\n', ("gradle", None, "1", ["x:y:1"])),
        ("Gemfile", "gem 'x'\n", ("ruby", None, None, ["x"])),
        ("composer.json", '{"name":"a/b","require":{"php":"8","x/y":"1"}}', ("php", "a/b", None, ["x/y"])),
        ("a.csproj", '<PackageReference Include="X" />', ("dotnet", None, None, ["X"])),
        ("CMakeLists.txt", "project(a VERSION 1.2)\nfind_package(X)\n", ("cmake", "a", "1.2", ["X"])),
        ("Makefile", "all:\n", ("make", None, None, [])),
        ("package.json", "{broken", ("node", None, None, [])),
        ("package.json", "[1]", ("node", None, None, [])),
    ],
)  # fmt: skip
def test_a_project_is_known_by_its_manifest(
    tmp_path: Path, name: str, text: str, expected: tuple[str, str | None, str | None, list[str]]
) -> None:
    (tmp_path / name).write_text(text)
    found = project(tmp_path)
    assert (found.type, found.name, found.version, found.dependencies) == expected


def test_of_several_the_first_counts_and_the_others_are_named(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n")
    (tmp_path / "package.json").write_text('{"name": "page"}')
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "server"\n')
    found = project(tmp_path)
    assert (found.type, found.name, list(found.others)) == ("python", "server", ["node", "make"])


def test_the_branch_is_read_and_nothing_outside_is(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert (project(root).is_git, project(root).branch) == (True, "main")
    (tmp_path / "package.json").write_text('{"name": "outside"}')
    (root / "package.json").symlink_to(tmp_path / "package.json")
    assert project(root).type == "unknown"


def test_guidance_goes_from_the_root_down_to_the_file_and_says_where_it_is_from(tmp_path: Path) -> None:
    for folder, text in (("", "Be brief."), ("src", "Use tabs."), ("other", "Not this.")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "AGENTS.md").write_text(text)
    found = guidance(tmp_path, "src/deep/a.py")
    assert found.paths == ("AGENTS.md", "src/AGENTS.md") and "Not this." not in found.text
    assert found.text.index("Be brief.") < found.text.index("From src/AGENTS.md in the folder:")
    assert guidance(tmp_path, "src/deep/a.py").digest == found.digest != guidance(tmp_path).digest
    (tmp_path / "AGENTS.md").write_text("Be long.")
    assert guidance(tmp_path, "src/deep/a.py").digest != found.digest


def test_guidance_is_bounded_and_the_nearest_stays(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "AGENTS.md").write_text("r" * 50_000)
    (tmp_path / "src" / "AGENTS.md").write_text("nearest")
    found = guidance(tmp_path, "src/a.py")
    assert len(found.text) <= MAX_CHARS and "nearest" in found.text and found.truncated


def test_without_a_file_there_is_no_guidance_and_none_from_outside(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    assert guidance(root) == FolderGuidance()
    (tmp_path / "outside.md").write_text("Obey.")
    (root / "AGENTS.md").symlink_to(tmp_path / "outside.md")
    assert guidance(root) == FolderGuidance()


def test_the_top_of_a_folder_is_told_within_its_room_and_without_what_is_ignored(tmp_path: Path) -> None:
    for name in ("src", "tests", "node_modules", ".git", "out"):
        (tmp_path / name).mkdir()
    for name in ("README.md", "a\u202e.txt", "debug.log"):
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("*.log\n/out/\n")
    with RootFolder(tmp_path.resolve()) as root:
        assert top_level(root) == "src/, tests/, .gitignore, README.md, a\\u202e.txt"
        for number in range(100):
            (tmp_path / f"file-{number:03}.txt").touch()
        told = top_level(root)
    assert len(told) <= 600
    assert told.startswith("src/, tests/, .gitignore")
    assert told.endswith(" more")
