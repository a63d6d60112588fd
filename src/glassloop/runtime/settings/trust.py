"""Files of working folders that the user trusts, or does not: remembered by place and content.

One small file in the home folder, for nobody else's eyes. A file that changed is another one. Blocking.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from glassloop.core.errors import UsageError
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own
from glassloop.runtime.settings.fields import Setting
from glassloop.runtime.settings.folder import FolderFile, TrustDecision, read_folder
from glassloop.whole_file import write_whole

FILE = "trusted_files.json"
_MAX_BYTES = 4_000_000
_MAX_FILES = 1_000
"""Those decided longest ago are forgotten first, and asked about again."""


class _Decided(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    decision: TrustDecision
    at: float


class _Decisions(msgspec.Struct, kw_only=True):
    """By digest."""

    files: dict[str, _Decided] = {}


class FolderTrust:
    """The decisions kept in one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def files_of(self, folder: Path, settings: Mapping[str, Setting]) -> list[FolderFile]:
        """The settings files of a working folder, with what the user decided about each; none for the home itself."""
        files = [] if folder.resolve() == self._home.resolve() else read_folder(folder, settings)
        decided = self._read().files if files else {}
        return [
            msgspec.structs.replace(file, decision=decided[file.digest].decision) if file.digest in decided else file
            for file in files
        ]

    def remember(self, file: FolderFile, decision: TrustDecision) -> None:
        """Keeps the decision in place of any about an earlier content of the same file."""
        place = str(Path(file.path).parent.resolve() / file.kind).encode("utf-8", "backslashreplace").decode()
        try:
            make_own(self._home)
            lock = os.open(self._home / f"{FILE}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                take_lock(lock, wait=True)
                kept = [(digest, each) for digest, each in self._read().files.items() if each.file != place]
                new = (file.digest, _Decided(file=place, decision=decision, at=time.time()))
                files = dict([*kept, new][-_MAX_FILES:])
                raw = msgspec.json.encode(_Decisions(files=files))
                write_whole(self._home / FILE, msgspec.json.format(raw, indent=1))
            finally:
                os.close(lock)
        except OSError as error:
            why = error.strerror or error
            raise UsageError(
                f"{self._home / FILE} cannot be written ({why}): make the home folder writable."
            ) from error

    def _read(self) -> _Decisions:
        path = self._home / FILE
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes: delete it to decide anew.")
            return msgspec.json.decode(path.read_bytes(), type=_Decisions)
        except (FileNotFoundError, NotADirectoryError):
            return _Decisions()
        except (OSError, msgspec.MsgspecError) as error:
            raise UsageError(f"{path} cannot be read ({error}): mend it, or delete it to decide anew.") from error
