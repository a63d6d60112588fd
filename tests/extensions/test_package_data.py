"""Data files of the extensions: whoever installs the wheel has all of them."""

import subprocess
import sys
import zipfile
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def test_a_wheel_holds_every_data_file_of_the_extensions(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    found = (PROJECT / "src" / "glassloop" / "extensions").rglob("*")
    files = {path.relative_to(PROJECT / "src").as_posix() for path in found if path.suffix in (".toml", ".md")}
    assert {
        f"glassloop/extensions/{name}" for name in ("business/data/queries.toml", "general/data/units.toml")
    } <= files
    assert files <= held
