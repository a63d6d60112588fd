"""Copy of a suite's workspace for one case, which is removed when the case has been judged.

The workspace itself is only read. Where a turn may write is the runtime's business: it is told the copy alone.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from glassloop.core.errors import UsageError
from glassloop.evals.suite import Suite
from glassloop.root_folder import PathError, RootFolder
from glassloop.runtime.workspaces import SessionWorkspaces

MAX_FILES = 1_000
MAX_BYTES = 1_000_000
"""Of a file that is judged."""
COMPILED = "__pycache__"


@asynccontextmanager
async def copy_workspace(suite: Suite, workspaces: SessionWorkspaces | None) -> AsyncGenerator[Path | None]:
    """The copy, which turns may work in until this ends; None where the suite has no workspace."""
    if not suite.workspace or workspaces is None:
        yield None
        return
    source = Path(suite.file).parent / suite.workspace
    with TemporaryDirectory(prefix="glassloop-eval-", ignore_cleanup_errors=True) as above:
        copy = await asyncio.to_thread(_copy, source, Path(above))
        with workspaces.roots.allowing(copy):
            yield copy


def workspace_files(folder: Path) -> list[Path]:
    """Its files in a fixed order, without what Python compiled, and at most one more than are allowed."""
    files = (path for path in folder.rglob("*") if path.is_file() and COMPILED not in path.parts)
    return sorted(islice(files, MAX_FILES + 1))


def read_files(folder: Path, paths: Iterable[str]) -> dict[str, str]:
    """The text of those files that are there. A link that leads out of the folder is not followed."""
    found: dict[str, str] = {}
    with RootFolder(folder) as root:
        for path in paths:
            try:
                opened = root.open_file(path).descriptor
            except (OSError, PathError):
                continue
            with os.fdopen(opened, "rb") as file:
                found[path] = file.read(MAX_BYTES).decode("utf-8", "replace")
    return found


def _copy(source: Path, above: Path) -> Path:
    if not source.is_dir() or len(workspace_files(source)) > MAX_FILES:
        raise UsageError(
            f"The workspace {str(source)!r} of the suite must be a folder with at most {MAX_FILES:,} files."
        )
    copy = above.resolve() / source.resolve().name
    try:
        shutil.copytree(source, copy, symlinks=True, ignore=shutil.ignore_patterns(COMPILED))
    except OSError as error:
        raise UsageError(f"The workspace {str(source)!r} of the suite cannot be copied: {error}") from None
    return copy
