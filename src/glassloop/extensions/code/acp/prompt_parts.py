"""Prompts of an editor as questions: texts, images, and files that the editor gives along. Blocks.

A link is not followed: the model is told the path, and reads the file with its own tools and their rules.
"""

import posixpath
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from glassloop.core.errors import UsageError
from glassloop.extensions.code.acp.messages import (
    ContentBlock,
    ImageBlock,
    LinkBlock,
    ResourceBlock,
    ResourceContents,
    TextBlock,
)
from glassloop.runtime.attachments.parts import File, Image, MessagePart, Question, data_of

MAX_FILES = 20
"""Images and files of one prompt."""


def question_of(blocks: Sequence[ContentBlock], folder: str) -> Question:
    """The question; raises `UsageError` for what cannot go with one."""
    text, parts = "", list[MessagePart]()
    for block in blocks:
        match block:
            case TextBlock():
                text += block.text
            case LinkBlock():
                text += f" @{named(block.uri, folder)} "
            case ImageBlock():
                parts.append(Image(data_of(block.data, "image"), block.mime_type or None))
            case ResourceBlock():
                name = named(block.resource.uri, folder)
                text += f" @{name} "
                parts.extend(_file(block.resource, name))
    if not text.strip() and not parts:
        raise UsageError("The prompt is empty: ask something.")
    if len(parts) > MAX_FILES:
        raise UsageError(f"A question takes at most {MAX_FILES} images and files: name the rest.")
    return [text.strip(), *parts] if parts else text.strip()


def named(uri: str, folder: str) -> str:
    """A resource as the model may be told of it: a file of the workspace by its path there."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    if parts.scheme not in ("file", ""):
        return uri
    path = posixpath.normpath(unquote(parts.path))
    inside = path.startswith(f"{folder.rstrip('/')}/")
    lines = f"#{parts.fragment}" if parts.fragment else ""
    return f"{posixpath.relpath(path, folder) if inside else posixpath.basename(path)}{lines}"


def _file(resource: ResourceContents, name: str) -> list[MessagePart]:
    data = (resource.text or "").encode() if resource.blob is None else data_of(resource.blob, "file")
    return [File(data, name=posixpath.basename(name.partition("#")[0]))] if data else []
