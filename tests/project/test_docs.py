"""The examples in the docs run, their links lead somewhere, and every page is found from the README."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/*/*.md")]
)
# Its examples are files and commands that belong together (test_examples.py), or run elsewhere (test_reference.py).
APART = {"extending.md", "cookbook.md"}


def prose(page: Path) -> str:
    """A page without its listings."""
    return re.sub(r"^[ ]*```.*?^[ ]*```", "", page.read_text("utf-8"), flags=re.M | re.S)


def links(page: Path) -> list[tuple[str, str]]:
    """Path and anchor of every link that stays with us; pictures too."""
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    return re.findall(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]*))?\)", text)


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings: lower case, without marks, spaces as hyphens, repeated ones numbered."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+)$", prose(page), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = next(n for n in range(100) if (f"{slug}-{n}" if n else slug) not in found)
        found.add(f"{slug}-{number}" if number else slug)
    return found


def examples():
    for page in PAGES:
        if page.name in APART or page.parent.name == "reference":
            continue
        for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S), 1):
            yield pytest.param(page.name, code, id=f"{page.name}-{number}")


@pytest.mark.parametrize(("page", "code"), list(examples()))
def test_an_example_in_the_docs_runs(page, code, tmp_path):
    if page == "tour.md":
        code = f"async def shown(Agent, calculate):\n{re.sub(r'^', '    ', code, flags=re.M)}"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_in_the_docs_leads_somewhere(page):
    for path, anchor in links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {path}"
        assert target.is_relative_to(ROOT), f"{page.name} links out of the project: {path}"
        if anchor:
            assert anchor in anchors(target), f"{page.name} links to {path}#{anchor}"


def test_every_page_is_found_from_the_readme():
    found, look = set(), [ROOT / "README.md"]
    while look:
        page = look.pop()
        if page in found:
            continue
        found.add(page)
        for path, _ in links(page):
            target = (page.parent / path).resolve()
            look += target.glob("*.md") if target.is_dir() else [target] if target.suffix == ".md" else []
    assert set(PAGES) - found == set()


def test_anchors_are_made_as_github_makes_them(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# What `x` is, to us\n## glassloop ask\n## 1,000 turns\n## glassloop ask\n```\n# no heading\n```\n"
    )
    assert anchors(page) == {"what-x-is-to-us", "glassloop-ask", "1000-turns", "glassloop-ask-1"}


def test_every_key_of_a_profile_is_documented():
    import msgspec

    from glassloop.runtime.assistants.assistant_files import Assistant, LimitsTable

    page = (ROOT / "docs" / "assistants.md").read_text("utf-8")
    for kind in (Assistant, LimitsTable):
        for field in msgspec.structs.fields(kind):
            if field.name not in ("folder", "source"):
                assert f"`{field.name}`" in page or f"`[{field.name}]`" in page, f"{field.name} is not documented"


def test_every_option_of_a_tool_is_documented():
    from glassloop.tools.tool import ToolOptions

    page = (ROOT / "docs" / "tools.md").read_text("utf-8")
    for name in ToolOptions.__annotations__:
        assert f"`{name}`" in page, f"{name} is not documented"


def test_every_file_and_name_of_the_tour_is_there():
    page = (ROOT / "docs" / "tour.md").read_text("utf-8")
    paths = re.findall(r"`([\w/]+/[\w.]*|[\w/]+\.(?:py|ts|tsx))`", page)
    assert len(paths) > 30
    places = (ROOT, ROOT / "src" / "glassloop", ROOT / "src" / "glassloop" / "models")
    places = (*places, ROOT / "src" / "glassloop" / "projections")
    for path in paths:
        assert any((place / path).exists() for place in places), path
    code = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "glassloop").rglob("*.py"))
    classes = set(re.findall(r"^class (\w+)", code, re.M))
    for name in re.findall(r"`([A-Z]\w+)`", page):
        assert name in classes, name
