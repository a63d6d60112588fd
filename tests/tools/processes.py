"""How tests look at processes."""

import os
from pathlib import Path


def lines_of(path):
    """The complete lines of a file that somebody may be writing."""
    return path.read_text().split("\n")[:-1] if path.exists() else []


def gone(pid):
    """Whether the process runs no more. Who is dead and not yet buried by process 1 is gone."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return state_of(pid)[:1] in (["Z"], ["X"])


def state_of(pid):
    """State, parent, group and session, as text."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:4]
    except OSError:
        return []


def children_of(parent):
    """The processes whose parent it is, dead ones too."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if state_of(pid)[1:2] == [str(parent)]]
