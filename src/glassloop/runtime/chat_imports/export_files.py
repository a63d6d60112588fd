"""Files of other chats' exports: JSON, or a zip that holds it. Bounded, whatever a file says of itself."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec

from glassloop.core.errors import UsageError
from glassloop.runtime.chat_imports.chatgpt import read_chatgpt
from glassloop.runtime.chat_imports.message_tree import MAX_MESSAGES, ForeignConversation
from glassloop.runtime.chat_imports.open_webui import read_open_webui

MAX_JSON_BYTES = 200_000_000
"""Of one file, unpacked."""
MAX_FILES = 50
"""Of a zip: large exports are in several."""
MAX_CONVERSATIONS = 20_000
_NAME = re.compile(r"conversations[\w-]{0,40}\.json", re.ASCII)
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_WHAT = "give the conversations.json or the zip of a ChatGPT export, or the JSON that Open WebUI exports"


class _Kind(msgspec.Struct):
    """As much of an entry as tells whose it is."""

    mapping: msgspec.Raw = msgspec.Raw()
    chat: msgspec.Raw = msgspec.Raw()


def read_export(path: Path, max_bytes: int = MAX_JSON_BYTES) -> Iterator[ForeignConversation | None]:
    """The conversations of a file, one by one; None for one that cannot be read. Raises `UsageError` for a file that is
    no export."""
    number = 0
    for data in _documents(path, max_bytes):
        for entry in _entries(data):
            number += 1
            if number > MAX_CONVERSATIONS:
                raise UsageError(f"The file has more than {MAX_CONVERSATIONS:,} conversations: split it.")
            yield _conversation(entry)


def _documents(path: Path, most: int) -> Iterator[bytes]:
    if not zipfile.is_zipfile(path):
        with path.open("rb") as file:
            yield _bounded(file.read(most + 1), most)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if _NAME.fullmatch(PurePosixPath(name).name)]
            if not names or len(names) > MAX_FILES:
                raise UsageError(f"The zip holds {len(names)} files called conversations.json: {_WHAT}.")
            for name in sorted(names):
                with archive.open(name) as member:
                    yield _bounded(member.read(most + 1), most)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise UsageError(f"The zip cannot be read ({error}): download the export again.") from error


def _bounded(data: bytes, most: int) -> bytes:
    if len(data) > most:
        raise UsageError(f"The file has more than {most:,} bytes of JSON: split it.")
    return data


def _entries(data: bytes) -> list[msgspec.Raw]:
    try:
        if data.lstrip()[:1] == b"[":
            return msgspec.json.decode(data, type=list[msgspec.Raw])
        return [msgspec.json.decode(data, type=msgspec.Raw)]
    except _UNREADABLE as error:
        raise UsageError(f"The file is no export of a chat ({error}): {_WHAT}.") from error


def _conversation(entry: msgspec.Raw) -> ForeignConversation | None:
    try:
        kind = msgspec.json.decode(entry, type=_Kind)
        if bytes(kind.mapping):
            found = read_chatgpt(bytes(entry))
        elif bytes(kind.chat):
            found = read_open_webui(bytes(entry))
        else:
            return None
    except _UNREADABLE:
        return None
    return found if found.messages and len(found.messages) <= MAX_MESSAGES else None
