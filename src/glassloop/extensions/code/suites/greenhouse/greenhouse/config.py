"""Settings, read from `settings.toml` or from the file that GREENHOUSE_CONFIG names."""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path("settings.toml")
VARIABLE = "GREENHOUSE_CONFIG"


@dataclass(frozen=True)
class GreenhouseConfig:
    port: str = "/dev/ttyUSB0"
    poll_seconds: int = 30
    max_litres: float = 25.0
    pressure_bar: float = 2.6
    title: str = "Greenhouse"


def load_config() -> GreenhouseConfig:
    path = Path(os.environ.get(VARIABLE, FILE))
    if not path.exists():
        return GreenhouseConfig()
    tables = tomllib.loads(path.read_text("utf-8"))
    values = {name: value for table in tables.values() for name, value in table.items()}
    return GreenhouseConfig(**values)
