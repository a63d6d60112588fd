"""Finds the shared peers' folder and loads its driver with Glassloop registered beside its own peers.

The folder is read, never written: our worker script stands in for the driver's own file, so that each worker knows
Glassloop too. What is measured, and how, is the driver's business.
"""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from glassloop_peer import glassloop_peer

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".bench"
MISSING = "the floor and the peers: their folder is not there (PEERS_DIR, the one with bench.py and adapters.py)"
FULL_IMPORT = "from glassloop import Agent, tool"


def find() -> Path | None:
    """`$PEERS_DIR`, else the folder beside the project; None when it does not hold the driver."""
    folder = Path(os.environ.get("PEERS_DIR") or ROOT.parent / "shared" / "bench" / "peers").resolve()
    return folder if all((folder / name).is_file() for name in ("bench.py", "adapters.py")) else None


def load(folder: Path) -> ModuleType:
    """The driver; its workers, venvs and logs live in `.bench`."""
    os.environ |= {"PEERS_HOME": str(HOME), "PEERS_DIR": str(folder)}
    HOME.mkdir(exist_ok=True)
    spec = importlib.util.spec_from_file_location("peers_bench", folder / "bench.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder / 'bench.py'} cannot be loaded: is it a Python file?")
    driver = importlib.util.module_from_spec(spec)
    sys.modules["peers_bench"] = driver
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(driver)
    finally:
        sys.dont_write_bytecode = written
    driver.A.PEERS["glassloop"] = glassloop_peer(driver.A)
    driver.A.IMPORTS["glassloop"] = FULL_IMPORT
    driver.__file__ = str(Path(__file__).with_name("worker.py"))
    return driver
