"""An assistant that waits at a door until the test opens it, and takes notes when it may."""

from pathlib import Path

import pytest

from trusting import trust

TOOLS = '''
"""Tools that wait for a file, and that write one line a call."""

import asyncio
from pathlib import Path

from glassloop import tool


@tool(effect="read", volatile=True, timeout_s=300)
async def wait_at_door() -> str:
    """Waits until the door is open."""
    while not Path("open").exists():
        await asyncio.sleep(0.02)
    return "the door is open"


@tool(effect="write", confirm=True)
def note(text: str) -> str:
    """Writes a line."""
    with Path("notes.txt").open("a", encoding="utf-8") as file:
        file.write(f"{text}\\n")
    return f"wrote {text}"
'''


@pytest.fixture
def porter(folder: Path, environment: dict[str, str]) -> str:
    """The name of an assistant that waits and takes notes."""
    made = folder / "porter"
    made.mkdir()
    (made / "assistant.toml").write_text('name = "porter"\nprompt = "Help."\ntools = ["tools.py"]\n', "utf-8")
    (made / "tools.py").write_text(TOOLS, "utf-8")
    trust(folder, environment["GLASSLOOP_HOME"])
    return "porter"


def open_door(folder: Path) -> None:
    (folder / "open").touch()
