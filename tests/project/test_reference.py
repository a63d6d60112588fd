"""docs/reference has every public name with its signature, its meaning and an example that runs."""

import subprocess
import sys
from pathlib import Path

from reference_source import read

import glassloop

ROOT = Path(__file__).resolve().parents[2]


def test_the_reference_is_complete_and_as_the_docstrings_are() -> None:
    """Runs every example of examples/reference, too: what they print is part of the pages."""
    command = [sys.executable, "-W", "error", "scripts/make_reference.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_a_name_is_read_with_what_its_readers_type() -> None:
    agent, approval = read("Agent", glassloop.Agent), read("Approval", glassloop.Approval)
    assert agent.signature.startswith("class Agent(\n    model: ")
    assert "run_sync" in [member.name for member in agent.members]
    assert '    by: str = "anonymous",' in approval.signature.splitlines()
    assert read("TurnPaused", glassloop.TurnPaused).bases == ["GlassloopError"]
