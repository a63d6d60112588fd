"""Names at the top of a folder, for the context of a question. Blocks."""

import os
from collections.abc import Sequence

from glassloop.extensions.code.access import is_blocked, shown
from glassloop.retrieval.code.ignore_rules import FILES, MAX_BYTES, IgnoreRules, is_ignored, parse_rules
from glassloop.retrieval.documents.files import is_text
from glassloop.root_folder import RootFolder

MAX_CHARS = 600
MAX_ENTRIES = 2_000


def top_level(root: RootFolder, max_chars: int = MAX_CHARS) -> str:
    """Folders first, each with a slash; without what is blocked or ignored, and with how many there was no room for."""
    folder = root.open_folder("").descriptor
    try:
        with os.scandir(folder) as entries:
            found = [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry, _ in zip(entries, range(MAX_ENTRIES), strict=False)
            ]
    finally:
        os.close(folder)
    rules = [each for name in FILES if (each := _rules(root, name))]
    names = [
        f"{name}/" if is_folder else name
        for name, is_folder in sorted(found, key=lambda each: (not each[1], each[0]))
        if is_text(name) and not is_blocked(name) and not (rules and is_ignored(name, is_folder, rules))
    ]
    return _joined([name if name.isprintable() else shown(name)[1:-1] for name in names], max_chars)


def _joined(names: Sequence[str], max_chars: int) -> str:
    kept: list[str] = []
    room = max_chars - len(", and 2,000 more")
    for name in names:
        room -= len(name) + 2
        if room < 0:
            kept.append(f"and {len(names) - len(kept):,} more")
            break
        kept.append(name)
    return ", ".join(kept)


def _rules(root: RootFolder, name: str) -> IgnoreRules | None:
    try:
        file = root.open_file(name, links=False).descriptor
    except (OSError, ValueError):
        return None
    try:
        return parse_rules("", os.read(file, MAX_BYTES)) or None
    except OSError:
        return None
    finally:
        os.close(file)
