"""`make run` starts a server that stood still again, a few times."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "restarting"


def runs(folder: Path, ends: str) -> tuple[int, int, str]:
    """The exit code, how often the server was started, and what was said; `ends` is its last line."""
    server = f"echo started >> {folder}/starts\n{ends}"
    done = subprocess.run([SCRIPT, "bash", "-c", server], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, len((folder / "starts").read_text().splitlines()), done.stderr


@pytest.mark.parametrize(("ends", "code"), [("exit 75", 75), ("kill -ABRT $$", 134)])
def test_a_server_that_stands_still_is_started_again_at_most_three_times(tmp_path: Path, ends: str, code: int) -> None:
    ended, starts, said = runs(tmp_path, f"ulimit -c 0; {ends}")
    assert (ended, starts) == (code, 4)
    assert said.count("starting it again") == 3
    assert "stood still and ended 4 times within 10 minutes" in said


def test_one_that_recovers_goes_on_and_its_end_is_the_end(tmp_path: Path) -> None:
    ends = f"[ $(wc -l < {tmp_path}/starts) -gt 2 ] && exit 3\nexit 75"
    assert runs(tmp_path, ends)[:2] == (3, 3)


@pytest.mark.parametrize("code", [0, 1, 2, 130])
def test_any_other_end_is_the_end(tmp_path: Path, code: int) -> None:
    assert runs(tmp_path, f"exit {code}") == (code, 1, "")
