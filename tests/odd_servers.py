"""`.mcp.json` files that name the server which misbehaves on demand, and what that server noted."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from trusting import trust
from waiting import until_sync

PROGRAM = Path(__file__).parent / "mcp" / "odd_server.py"


class OddServers:
    """Folders to write such files into, and a folder for the server's notes."""

    def __init__(self, root: Path) -> None:
        self.home, self.work, self.notes = root / "home", root / "work", root / "notes"
        for path in (self.home, self.work, self.notes):
            path.mkdir(parents=True, exist_ok=True)

    def write(self, where: Path, **servers: Any) -> None:
        (where / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))

    def entry(self, habit: str = "plain", **options: Any) -> dict[str, Any]:
        """An entry that runs it; options are the user's own, under "glassloop"."""
        more = {name: options.pop(name) for name in ("env", "disabled") if name in options}
        entry = {"command": sys.executable, "args": ["-S", "-E", str(PROGRAM), habit, str(self.notes)]}
        return {**entry, **more, **({"glassloop": options} if options else {})}

    def lists(self, name: str, *tools: dict[str, Any]) -> None:
        """What a server of the habit `listing` lists: `tools.json` now, `next.json` after its tool `tell`."""
        (self.notes / name).write_text(json.dumps([{"inputSchema": {"type": "object"}, **tool} for tool in tools]))

    def trust(self, folder: Path | None = None) -> None:
        """The user trusts a folder, the working one unless said otherwise, as it is now."""
        trust(folder or self.work, self.home)

    def assistant(self, folder: Path) -> Path:
        """An assistant without tools of its own, called as its folder."""
        folder.mkdir(parents=True)
        (folder / "assistant.toml").write_text(f'name = "{folder.name}"\nprompt = "Help."\n', "utf-8")
        return folder

    @property
    def pids(self) -> list[int]:
        return [int(line) for line in self._lines("pids")]

    @property
    def calls(self) -> list[Any]:
        """The tools that were called, with their arguments."""
        return [json.loads(line) for line in self._lines("calls")]

    def alive(self) -> list[int]:
        return [pid for pid in self.pids if _is_alive(pid)]

    def kill(self) -> None:
        """Ends the last one that was started, as it is."""
        os.kill(self.pids[-1], signal.SIGKILL)

    def wait_for_calls(self, number: int) -> None:
        until_sync(lambda: len(self.calls) >= number, "the call")

    def wait_until_gone(self) -> None:
        until_sync(lambda: not self.alive(), "the end of the server")

    def _lines(self, name: str) -> list[str]:
        path = self.notes / name
        return path.read_text().split("\n")[:-1] if path.exists() else []


def _is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text() if Path("/proc").exists() else ""
        os.kill(pid, 0)
    except (ProcessLookupError, FileNotFoundError):
        return False
    return ") Z " not in status
