"""The page's sources keep their own rules, and whoever installs the wheel has the page."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from glassloop.core import events as e

MARKUP = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc|rehype-raw"
COMPONENT_LINES = 200
FILE_LINES = 400


def sources(project: Path) -> list[Path]:
    found = [path for path in (project / "web" / "src").rglob("*") if path.suffix in (".ts", ".tsx", ".css")]
    return [path for path in found if path.parent.name != "api" or path.name not in ("types.ts", "events.ts")]


def test_no_source_makes_markup_of_text_or_names_another_place(project: Path) -> None:
    for path in sources(project):
        text = path.read_text("utf-8")
        if ".test." not in path.name:
            assert not re.search(MARKUP, text), path.name
            assert set(re.findall(r"https?://[\w.]+", text)) <= {
                "http://www.w3.org",
                "http://schemas.openxmlformats.org",
            }, path.name


def test_no_source_of_the_page_is_too_long(project: Path) -> None:
    for path in sources(project):
        lines = len(path.read_text("utf-8").splitlines())
        most = COMPONENT_LINES if path.suffix == ".tsx" else FILE_LINES
        assert lines <= most or path.suffix == ".css", f"{path.name}: {lines} lines"


def test_the_turn_that_the_pages_tests_play_is_one_of_ours(project: Path) -> None:
    recorded = json.loads((project / "web" / "src" / "turn" / "recorded.json").read_text("utf-8"))
    for event in recorded:
        assert json.loads(e.encode(e.decode(json.dumps(event))))["seq"] == event["seq"]


def test_the_lock_names_no_place_to_download_from(project: Path) -> None:
    text = (project / "web" / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in text
    packages = json.loads(text)["packages"]
    assert all("integrity" in one for name, one in packages.items() if name and not one.get("link"))


def test_a_wheel_holds_the_page(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=project, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "glassloop/server/page/index.html" in names
    index = zipfile.ZipFile(wheel).read("glassloop/server/page/index.html").decode()
    for name in re.findall(r'"\./(assets/[^"]+)"', index):
        assert f"glassloop/server/page/{name}" in names
    assert not [name for name in names if "node_modules" in name or name.startswith("web/")]
    items = "glassloop/extensions/raids/data/items.msgpack.xz"
    assert (items in names) == (project / "src" / items).is_file()


def test_every_browser_test_that_the_docs_name_exists(project: Path) -> None:
    named = set(re.findall(r"`(test_\w+\.py)`", (project / "docs" / "web.md").read_text("utf-8")))
    assert len(named) > 15
    assert [name for name in named if not (project / "tests" / "browser" / name).is_file()] == []
