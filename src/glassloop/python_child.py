"""Python processes of our own: their command line, working folder and environment, and frames on their pipes.

The only place that names an interpreter. The folder a person works in may be somebody else's, and `python -m` would
search it for modules first: a child neither searches it nor runs in it. Below all layers, as several start children.
"""

import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

ROOT = Path(os.sep).anchor
"""Where a child runs that has no folder of its own."""

_PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "TZ", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "SYSTEMROOT")
_PASSED_ON_STARTS = ("LC_", "PYTHON", "GGML_", "LLAMA_", "OMP_", "COVERAGE_")


class PythonChild(NamedTuple):
    """How to start one. Paths among its arguments must be absolute."""

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str]


def python_child(module: str, *arguments: str, cwd: str = ROOT) -> PythonChild:
    """A module of ours as a process, with what it needs of our environment and no key of anybody's.

    `-P` and not `-I`: an installation may lie in the user's own site folder, or be found by `PYTHONPATH`.
    """
    kept = {name: value for name, value in os.environ.items() if _is_passed_on(name)}
    return PythonChild((sys.executable, "-P", "-m", module, *arguments), cwd, {**kept, **_module_path(kept)})


def python_code_child(interpreter: str | None, code: str, *arguments: str) -> PythonChild:
    """A few lines of ours with all of our environment: for another interpreter, isolated, or for our own (None)."""
    python = (sys.executable, "-P") if interpreter is None else (interpreter, "-I")
    return PythonChild((*python, "-c", code, *arguments), ROOT, dict(os.environ))


MIN_CPU_S, MIN_CPU_BYTES_PER_S = 60.0, 500_000


def bare_python(script: Path, *arguments: str) -> tuple[str, ...]:
    """The command line of a script of ours that uses the standard library only, for a quick start."""
    return (sys.executable, "-I", "-S", str(script), *arguments)


def program_beside(name: str) -> str | None:
    """A program that was installed with this interpreter, else one of the system."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.is_file() else shutil.which(name)


HEAD_BYTES = 8
"""Of a frame: how many bytes follow."""


def write_frame(pipe: BinaryIO, raw: bytes) -> None:
    pipe.write(len(raw).to_bytes(HEAD_BYTES, "big"))
    pipe.write(raw)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> bytes | None:
    """None where the other side is gone."""
    head = pipe.read(HEAD_BYTES)
    if len(head) < HEAD_BYTES:
        return None
    size = int.from_bytes(head, "big")
    raw = pipe.read(size)
    return raw if len(raw) == size else None


def limit_resources(max_memory: int, niceness: int) -> None:
    """Of this process, where the system can do that: it ends alone where it would take all memory."""
    with suppress(OSError, AttributeError):
        os.nice(niceness)
        if os.getsid(0) == os.getpid():
            # Linux shares the processor among sessions first: within one of its own the niceness would mean nothing.
            Path("/proc/self/autogroup").write_text(str(niceness))
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


LOW_PRIORITY = 15
"""The niceness of processes that read files of users: a thirtieth of a contended core, and all of an idle one."""


def end_with_parent(poll_s: float = 1.0) -> None:
    """Ends this process soon after the one that started it is gone, whatever it is doing."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(poll_s)
        os._exit(0)

    threading.Thread(target=watch, name="glassloop-parent-watch", daemon=True).start()


def limit_cpu(seconds: float) -> None:
    """Ends this process after that much more CPU time, also when nobody is left who would stop it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), hard))


def cpu_seconds_for(path: Path) -> float:
    """CPU time that reading this file may take at most: far more than any needs."""
    return MIN_CPU_S + path.stat().st_size / MIN_CPU_BYTES_PER_S


def find_interpreters() -> list[str]:
    """Pythons of this machine; the one under a virtual environment usually has pip where the environment does not."""
    base = getattr(sys, "_base_executable", "") or sys.executable
    found = (base, sys.executable, shutil.which("python3"), shutil.which("python"))
    return list(dict.fromkeys(str(Path(path).absolute()) for path in found if path))


def _is_passed_on(name: str) -> bool:
    return name in _PASSED_ON or name.startswith(_PASSED_ON_STARTS)


def _module_path(environ: Mapping[str, str]) -> dict[str, str]:
    """`PYTHONPATH` as it is meant here, since the child runs elsewhere; an empty entry would be the child's folder."""
    given = [entry for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return {"PYTHONPATH": os.pathsep.join(str(Path(entry).absolute()) for entry in given)} if given else {}
