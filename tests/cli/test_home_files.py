"""Everything below the home folder is its owner's alone, whoever made it: stores, indexes, imports, evals."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extensions.places.import_files import PLACES, VISITS
from glassloop.extensions.raids.sample.raid import make_raid

POLICY = "What does the procurement policy say about approval limits?"
EVERYTHING = (
    ("ask", "-m", "reflex", "--session", "s-1", "What is 6 times 7?"),
    ("ask", "-m", "reflex", "--yes", '/tool remember {"text": "The heron waits."}'),
    ("ask", "-m", "reflex", "-a", "business", POLICY),
    ("sessions", "search", "times"),
    ("import", "knowledge", "documents"),
    ("import", "places", "places.csv", "visits.csv"),
    ("import", "raids", "night.txt"),
    ("eval", "run", "tools40", "--cases", "order-status", "-m", "reflex"),
    ("keys", "create", "ann", "--new"),
    ("trust", "--yes"),
)
FEW = (EVERYTHING[0], EVERYTHING[1], EVERYTHING[3], EVERYTHING[4], EVERYTHING[-1])


@pytest.fixture
def open_umask() -> Iterator[None]:
    """As most machines have it, so that a mode nobody thought of shows."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def given(folder: Path) -> None:
    (folder / "documents").mkdir()
    (folder / "documents" / "page.html").write_text("<h1>Signing</h1><p>Orders need two signatures.</p>")
    (folder / "documents" / "notes.md").write_text("# Herons\n\nThey wait by the water.\n")
    (folder / "places.csv").write_text(PLACES)
    (folder / "visits.csv").write_text(VISITS)
    (folder / "night.txt").write_text("".join(f"{line}\n" for line in make_raid(3, size=5, health=0.02).lines()))
    (folder / ".env").write_text("REACT_MAX_ITERATIONS=3\n")


@pytest.mark.usefixtures("open_umask", "given")
@pytest.mark.parametrize(
    "commands", [pytest.param(FEW, id="few"), pytest.param(EVERYTHING, id="all", marks=pytest.mark.slow)]
)
def test_every_file_below_the_home_folder_is_its_owners_alone(here: Any, tmp_path: Path, commands: Any) -> None:
    home = tmp_path / "home"
    home.chmod(0o700)
    for command in commands:
        done = here(*command, GLASSLOOP_MODELS_OFFLINE="true", GLASSLOOP_EMBEDDER="none")
        assert done.code in (0, 1), (command, done)
    made = list(home.rglob("*"))
    assert len(made) > 10
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in made if not path.is_symlink()}
    wrong = {
        str(path.relative_to(home)): oct(mode)
        for path, mode in modes.items()
        if mode != (0o700 if path.is_dir() else 0o600)
    }
    assert wrong == {}
