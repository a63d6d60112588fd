"""`AGENTS.md`: a folder's guidance for assistants, from the root down to the file at hand. Blocks.

Text for the prompt, marked as coming from the folder. It is untrusted as any file is: it changes no setting, approval
or limit.
"""

import hashlib
import os

import msgspec

from glassloop.root_folder import RootFolder

NAME = "AGENTS.md"
MAX_CHARS = 8_000
MAX_DEPTH = 20


class FolderGuidance(msgspec.Struct, frozen=True, kw_only=True):
    """`text` is empty where there is none. `digest` is another when any of the files is: then it is shown again."""

    text: str = ""
    digest: str = ""
    paths: tuple[str, ...] = ()
    truncated: bool = False


def read_guidance(root: RootFolder, path: str = "") -> FolderGuidance:
    """Of the folders from the root down to that of `path`, which is without links; the nearest come last."""
    folders = path.split("/")[:-1][:MAX_DEPTH]
    names = ["/".join([*folders[:count], NAME]) for count in range(len(folders) + 1)]
    found = [(name, text) for name in names if (text := _read(root, name))]
    if not found:
        return FolderGuidance()
    digest = hashlib.blake2b(msgspec.json.encode(found), digest_size=16).hexdigest()
    parts: list[str] = []
    left = MAX_CHARS
    truncated = False
    # What is nearest to the file counts more: where it does not all fit, that stays.
    for name, text in reversed(found):
        head, end = f"From {name} in the folder:\n", "\n"
        room = left - len(head) - len(end)
        if room <= 0:
            truncated = True
            break
        truncated = truncated or len(text) > room
        parts.append(head + text[:room] + end)
        left -= len(parts[-1])
    paths = tuple(name for name, _ in found)
    return FolderGuidance(text="".join(reversed(parts)), digest=digest, paths=paths, truncated=truncated)


def _read(root: RootFolder, path: str) -> str:
    try:
        file = root.open_file(path).descriptor
    except (OSError, ValueError):
        return ""
    try:
        raw = os.read(file, 4 * MAX_CHARS + 1)
    except OSError:
        return ""
    finally:
        os.close(file)
    return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\0", "").strip()
