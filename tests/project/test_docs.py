"""The examples in the docs run, and their links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def examples():
    for page in PAGES:
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
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_key_of_a_profile_is_documented():
    import msgspec

    from glassloop.runtime.assistants import Assistant, LimitsTable

    page = (ROOT / "docs" / "assistants.md").read_text("utf-8")
    for kind in (Assistant, LimitsTable):
        for field in msgspec.structs.fields(kind):
            if field.name != "folder":
                assert f"`{field.name}`" in page or f"`[{field.name}]`" in page, f"{field.name} is not documented"


def test_every_option_of_a_tool_is_documented():
    from glassloop.tools.tool import ToolOptions

    page = (ROOT / "docs" / "tools.md").read_text("utf-8")
    for name in ToolOptions.__annotations__:
        assert f"`{name}`" in page, f"{name} is not documented"
