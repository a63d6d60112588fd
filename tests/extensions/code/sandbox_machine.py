"""What the attempts to leave the sandbox are aimed at: files, keys, servers and a process outside of the workspace."""

import itertools
import os
import socket
import subprocess
import sys
from pathlib import Path

from glassloop.extensions.code.sandbox.limits import SandboxLimits
from glassloop.extensions.code.sandbox.tools import CommandRunner
from glassloop.extensions.code.sandbox.visible import settings_files
from glassloop.runtime.workspaces import Workspace
from glassloop.tools.context import ToolContext

SECRET = "canary-7f3a"
SMALL = SandboxLimits(processes=64, memory=400_000_000, file_size=20_000_000, temporary=16_000_000)
WON = "ESCAPED"
_numbers = itertools.count()


class OneWorkspace:
    """Every session works in the same folder."""

    def __init__(self, root):
        self.root = Path(root)

    async def of(self, user, session_id):
        return Workspace(root=self.root, user=user, session_id=session_id)


class Listener:
    """A server that remembers whether anybody came."""

    def __init__(self, family, kind, address):
        self.socket = socket.socket(family, kind)
        self.socket.bind(address)
        if kind == socket.SOCK_STREAM:
            self.socket.listen(8)
        self.socket.setblocking(False)
        self.address = self.socket.getsockname()

    def visited(self):
        try:
            if self.socket.type == socket.SOCK_STREAM:
                self.socket.accept()[0].close()
            else:
                self.socket.recv(100)
        except OSError:
            return False
        return True


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


class Machine:
    """Folders and servers. `root` is the workspace, `values` what attempts are told."""

    def __init__(self, folder):
        self.folder = Path(os.path.realpath(folder))
        self.name = f"glassloop-test-{os.getpid()}-{next(_numbers)}"
        self.root, self.out, self.home, self.own = (
            self.folder / name for name in ("workspace", "outside", "home", "glassloop-home")
        )
        for made in (self.root, self.out, self.home, self.own):
            made.mkdir()
        self._fill()
        self.listeners = {
            "tcp": Listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": Listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "tcp6": Listener(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            "unix": Listener(socket.AF_UNIX, socket.SOCK_STREAM, str(self.out / "s")),
            "inside": Listener(socket.AF_UNIX, socket.SOCK_STREAM, str(self.root / "s")),
            "abstract": Listener(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.name}"),
        }
        self.victim = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"], env={"K": SECRET})
        self.shared = Path(f"/dev/shm/{self.name}")
        self.shared.write_text(SECRET)

    def close(self):
        self.victim.kill()
        self.victim.wait()
        for listener in self.listeners.values():
            listener.socket.close()
        self.shared.unlink()

    def _fill(self):
        for path in ("home/.ssh/id_ed25519", "home/.aws/credentials", "home/.config/gh/hosts.yml", "home/.netrc"):
            self._write(path)
        for path in ("home/.docker/config.json", "glassloop-home/key", "outside/secret", "workspace/.env"):
            self._write(path)
        self._write("workspace/glassloop.toml")
        self._write("workspace/src/app.py", "print(1)\n")
        self._write("workspace/sub/a.txt", "a\n")
        for folder in (self.root, self.root / "sub"):
            git(folder, "init", "-q")
        git(self.root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a")
        git(self.root, "worktree", "add", "-q", str(self.root / "tree"))

    def _write(self, path, text=SECRET):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    @property
    def values(self):
        names = {name: each.address for name, each in self.listeners.items()}
        return {
            "out": self.out,
            "ws": self.root,
            "home": self.home,
            "own": self.own,
            "tcp": names["tcp"][1],
            "udp": names["udp"][1],
            "tcp6": names["tcp6"][1],
            "pid": os.getpid(),
            "victim": self.victim.pid,
            "shm": self.shared,
            "name": self.name,
        }

    def line(self, text):
        """The attempt with the values in place of the words in `@…@`."""
        for name, value in self.values.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    async def run(self, sandbox, text, limits=SMALL, *, network=False, timeout_s=20):
        runner = CommandRunner(sandbox, OneWorkspace(self.root), settings_files(self.own, self.root), limits)
        return await runner.run(self.line(text), timeout_s, network, ToolContext())

    def state(self):
        """All that must not change: everything outside of the workspace, and its version control."""
        guarded = (self.out, self.home, self.own, *(self.root / name for name in (".git", "sub/.git", "tree/.git")))
        found = {}
        for top in guarded:
            for path in (top, *(top.rglob("*") if top.is_dir() else ())):
                facts = path.lstat()
                content = path.read_bytes() if path.is_file() else b""
                found[str(path)] = (facts.st_mode, facts.st_uid, facts.st_nlink, facts.st_mtime_ns, content)
        return found
