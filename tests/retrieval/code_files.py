"""Workspaces to be searched: files that look as if they had been written long ago."""

import os
from itertools import count

FEW = 0.01
"""A relevance that everything has which was found at all."""

_seconds = count()


def write(root, files):
    """As if long ago, a second after the last time: what is younger than two seconds is always looked at again."""
    at = 1_700_000_000 + next(_seconds)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(path, (at, at))
    for path in (root, *root.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            os.utime(path, (at, at))


def function(name, says="waits"):
    return f"def {name}(value):\n    '''It {says}.'''\n    return value\n"
