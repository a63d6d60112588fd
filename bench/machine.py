"""What a figure was measured on: processor, cores, load, Python, commit and date."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, kw_only=True)
class Machine:
    """`load` and `load_after`: of the last minute, before the first part and after the last one."""

    cpu: str
    cores: int
    memory_gb: float
    system: str
    python: str
    commit: str
    dirty: bool
    date: str
    load: float
    load_after: float = 0.0

    @property
    def state(self) -> str:
        return f"commit {self.commit}{' with changes that are not committed' if self.dirty else ''}"

    @property
    def busy(self) -> bool:
        """Whether so much else ran before the first part that times say little."""
        return self.load > 0.5 * self.cores


def look() -> Machine:
    return Machine(
        cpu=processor(),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        commit=git("rev-parse", "--short", "HEAD") or "unknown",
        dirty=bool(git("status", "--porcelain")),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        load=load(),
    )


def load() -> float:
    return os.getloadavg()[0]


def processor() -> str:
    """As the system calls it: ARM's cores are only named by `lscpu`."""
    try:
        listed = subprocess.run(["lscpu"], capture_output=True, text=True, check=True, env={"LC_ALL": "C"}).stdout
    except (OSError, subprocess.CalledProcessError):
        return platform.processor() or platform.machine()
    named = dict(line.split(":", 1) for line in listed.splitlines() if ":" in line)
    return named.get("Model name", platform.machine()).strip()


def git(*arguments: str) -> str:
    try:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
