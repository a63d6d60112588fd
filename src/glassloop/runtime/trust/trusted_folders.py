"""Folders that the user trusts or refused, remembered in the home folder by place and content.

The one place that decides whether anything of a folder counts: its settings, its assistants and their code, its MCP
servers, and whatever else a kind of part stands for. Content that changed is asked about again. Blocking.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from glassloop.core.errors import ApprovalMismatch, UsageError
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own
from glassloop.runtime.trust.survey import FolderKind, FolderPart, FolderSurvey, place_of, survey_folder
from glassloop.whole_file import write_whole

FILE = "trusted_folders.json"
_MAX_BYTES = 16_000_000
_MAX_FOLDERS = 1_000
"""Those decided longest ago are forgotten first, and asked about again."""
_MAX_LINES = 500
"""Of what a folder would decide, kept to say later what changed."""

TrustDecision = Literal["trusted", "refused"]
TrustState = Literal["empty", "undecided", "changed", "trusted", "refused"]
"""`empty`: nothing in it needs trust. `changed`: it was decided about, and is not as it was then."""


class _DecidedPart(msgspec.Struct, frozen=True, kw_only=True):
    digest: str
    decides: tuple[str, ...] = ()


class _Decided(msgspec.Struct, frozen=True, kw_only=True):
    digest: str
    decision: TrustDecision
    at: float
    parts: dict[str, _DecidedPart] = {}


class _Decisions(msgspec.Struct, kw_only=True):
    """By place."""

    folders: dict[str, _Decided] = {}


class FolderView(msgspec.Struct, frozen=True, kw_only=True):
    """A folder: all that its files would decide, what of them never counts, and how it stands. `changes` are the
    differences from what was decided about before; `restart`: its settings count for processes that start later."""

    folder: str
    state: TrustState
    digest: str
    problem: str
    parts: tuple[FolderPart, ...]
    changes: tuple[str, ...]
    restart: bool


class FolderTrust(msgspec.Struct, frozen=True, kw_only=True):
    """A folder as it is now and as the user decided about it. `changes`: what differs from what they saw then, in lines
    that begin with `+` or `-`."""

    survey: FolderSurvey
    state: TrustState
    changes: tuple[str, ...] = ()

    @property
    def trusted(self) -> bool:
        return self.state == "trusted"

    def view(self) -> FolderView:
        """For programs and the page."""
        waiting = self.survey.waiting
        return FolderView(
            folder=self.survey.folder,
            state=self.state,
            digest=self.survey.digest if waiting else "",
            problem=self.survey.problem,
            parts=self.survey.parts,
            changes=self.changes,
            restart=any(part.kind == "settings" for part in waiting),
        )


class TrustedFolders:
    """The decisions kept in one home folder; `kinds` are the parts of a folder that count."""

    def __init__(self, home: Path, kinds: Sequence[FolderKind]) -> None:
        self._home = home
        self._kinds = kinds

    def look(self, folder: Path) -> FolderTrust:
        """What the folder would decide and what the user decided about that. The home folder is the user's own."""
        if folder.resolve() == self._home.resolve():
            return FolderTrust(survey=FolderSurvey(folder=str(folder)), state="empty")
        survey = survey_folder(folder, self._kinds)
        if not survey.waiting:
            return FolderTrust(survey=survey, state="empty")
        decided = self._read().folders.get(place_of(folder))
        if decided is None or survey.problem:
            return FolderTrust(survey=survey, state="undecided")
        if decided.digest == survey.digest:
            return FolderTrust(survey=survey, state=decided.decision)
        return FolderTrust(survey=survey, state="changed", changes=_changes(decided.parts, survey))

    def covers(self, path: Path, digest: str | None = None) -> bool:
        """Whether a file, with this content, counts: it is part of a folder that is trusted as it is, its own or one of
        the two above."""
        path = path.parent.resolve() / path.name
        own = self._home.resolve()
        for folder in path.parents[:3]:
            if folder == own:
                return False
            if self._decision_of(folder) != "trusted":
                continue
            found = self.look(folder)
            shown = path.relative_to(folder).as_posix()
            same = (part for part in found.survey.waiting if part.path == shown and digest in (None, part.digest))
            if found.trusted and any(same):
                return True
        return False

    def decide(self, survey: FolderSurvey, decision: TrustDecision) -> None:
        """Remembers the decision about exactly this content, in place of any before about the folder."""
        if survey.problem and decision == "trusted":
            raise UsageError(f"{survey.folder!r} cannot be trusted: {survey.problem}")
        lines = _MAX_LINES
        parts: dict[str, _DecidedPart] = {}
        for part in survey.waiting:
            parts[part.path] = _DecidedPart(digest=part.digest, decides=part.decides[: max(0, lines)])
            lines -= len(part.decides)
        new = _Decided(digest=survey.digest, decision=decision, at=time.time(), parts=parts)
        place = place_of(survey.folder)
        try:
            make_own(self._home)
            lock = os.open(self._home / f"{FILE}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                take_lock(lock, wait=True)
                kept = [(each, decided) for each, decided in self._read().folders.items() if each != place]
                raw = msgspec.json.encode(_Decisions(folders=dict([*kept, (place, new)][-_MAX_FOLDERS:])))
                write_whole(self._home / FILE, msgspec.json.format(raw, indent=1))
            finally:
                os.close(lock)
        except OSError as error:
            why = error.strerror or error
            raise UsageError(
                f"{self._home / FILE} cannot be written ({why}): make the home folder writable."
            ) from error

    def decide_shown(self, folder: Path, digest: str, decision: TrustDecision) -> FolderTrust:
        """The same for what a person was shown elsewhere; raises `ApprovalMismatch` where it is not that any more."""
        found = self.look(folder)
        if found.survey.digest != digest:
            raise ApprovalMismatch(f"{str(folder)!r} has changed since it was shown: review it again, then decide.")
        self.decide(found.survey, decision)
        return self.look(folder)

    def _decision_of(self, folder: Path) -> TrustDecision | None:
        decided = self._read().folders.get(place_of(folder))
        return None if decided is None else decided.decision

    def _read(self) -> _Decisions:
        path = self._home / FILE
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes: delete it to decide again.")
            return msgspec.json.decode(path.read_bytes(), type=_Decisions)
        except (FileNotFoundError, NotADirectoryError):
            return _Decisions()
        except (OSError, msgspec.MsgspecError) as error:
            raise UsageError(f"{path} cannot be read ({error}): fix it, or delete it to decide again.") from error


def _changes(before: Mapping[str, _DecidedPart], survey: FolderSurvey) -> tuple[str, ...]:
    """What went and what came, file by file."""
    lines: list[str] = []
    for part in survey.waiting:
        known = before.get(part.path)
        if known is None:
            lines += [f"+ {part.path} is new", *(f"+   {line}" for line in part.decides)]
        elif known.digest != part.digest:
            gone = [line for line in known.decides if line not in part.decides]
            come = [line for line in part.decides if line not in known.decides]
            lines += [
                f"+ {part.path} has changed",
                *(f"-   {line}" for line in gone),
                *(f"+   {line}" for line in come),
            ]
    now = {part.path for part in survey.waiting}
    return (*lines, *(f"- {path} is gone" for path in before if path not in now))
