"""A question with parts as a turn takes it: bounded, and only what its model takes.

What a model does not see is refused here, before anything is stored or asked.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.messages import Abilities, Message
from glassloop.core.ports import Model
from glassloop.core.records import Attachment
from glassloop.models.provider_kit.attachments import attachments_in, is_taken
from glassloop.runtime.attachments.long_files import shorten, shown_chars
from glassloop.runtime.attachments.media import DOCX
from glassloop.runtime.attachments.parts import MAX_TEXT_CHARS, File, MessagePart, Question
from glassloop.runtime.settings import Settings

MAX_PARTS = 10
MAX_BYTES = 20_000_000
"""Of all images and files of a question."""

WINDOW_SHARE = 4
"""A document that may take more than this part of the window is told as text."""

Blobs = Mapping[str, bytes]
"""Bytes of attachments, by digest."""


class Prompt(NamedTuple):
    """The text, what was given with it, and the bytes of what is shown, by digest."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    blobs: Blobs = {}


def compose(question: Question, model: Model, settings: Settings | None = None, room: int | None = None) -> Prompt:
    """The question for this model. `settings`: where configured models that see are named, if this one does not.
    `room`: characters that are told of all files; what is longer the model reads on with a tool.

    A document that the model does not take is refused: `prepare` reads its text.
    """
    if isinstance(question, str):
        return Prompt(question)
    texts, parts = _parted(question)
    attachments = tuple({each.attachment.sha256 or each.attachment.text: each.attachment for each in parts}.values())
    check_shown(attachments, model, settings)
    blobs = bytes_of(parts)
    if room is not None:
        attachments, whole = shorten(attachments, room)
        blobs |= whole
    chars = sum(len(each.text) for each in attachments)
    if chars > MAX_TEXT_CHARS:
        raise UsageError(
            f"The files hold {chars:,} characters of text, and {MAX_TEXT_CHARS:,} are taken with a question: shorten "
            "them, or add them to the knowledge base."
        )
    return Prompt("\n\n".join(texts), attachments, blobs)


async def prepare(
    question: Question, model: Model, settings: Settings | None = None, history: Sequence[Message] = ()
) -> Prompt:
    """The same; what the model does not take as it is, and a document that would fill its window, becomes the text that
    can be read of it, a long one its beginning. What the caller's own `history` holds must be taken too."""
    if history:
        check_shown(attachments_in(history).values(), model, settings)
    if isinstance(question, str):
        return Prompt(question)
    room = shown_chars(model.abilities.context_tokens)
    parts = [await _fitting(part, model.abilities) for part in await readable(question, model.abilities)]
    return await asyncio.to_thread(compose, parts, model, settings, room)


async def readable(question: Question, abilities: Abilities) -> Question:
    """The question with documents that the model does not take as the text that can be read of them."""
    if isinstance(question, str):
        return question
    return [await _readable(part, abilities) for part in question]


def bytes_of(parts: Iterable[MessagePart]) -> dict[str, bytes]:
    """The bytes of what is shown, by digest."""
    return {each.attachment.sha256: each.data for each in parts if each.attachment.sha256}


def check_shown(attachments: Iterable[Attachment], model: Model, settings: Settings | None = None) -> None:
    """Raises `UsageError` for the first of them that the model is not shown."""
    for each in attachments:
        if not each.text and not _is_shown(each, model.abilities):
            raise UsageError(_refusal(each, model, settings))


def attached_in(events: Iterable[e.Durable]) -> dict[str, Attachment]:
    """What a turn's model is shown, by digest: given with its question, and earlier in the conversation."""
    found: dict[str, Attachment] = {}
    for event in events:
        if isinstance(event, e.TurnStarted):
            found |= {each.sha256: each for each in event.attachments if each.sha256}
        elif isinstance(event, e.HistoryLoaded):
            found |= attachments_in(event.messages)
    return found


async def _readable(part: str | MessagePart, abilities: Abilities) -> str | MessagePart:
    if not isinstance(part, File) or part.attachment.is_image or _is_shown(part.attachment, abilities):
        return part
    return await part.as_text()


async def _fitting(part: str | MessagePart, abilities: Abilities) -> str | MessagePart:
    """A document that would fill the window as it is becomes its text, where there is any."""
    if not isinstance(part, File) or part.attachment.is_image or part.attachment.text:
        return part
    if part.attachment.tokens <= abilities.context_tokens // WINDOW_SHARE:
        return part
    try:
        return await part.as_text()
    except UsageError:
        return part


def _is_shown(attachment: Attachment, abilities: Abilities) -> bool:
    """As it is: no provider takes DOCX files."""
    return attachment.media_type != DOCX and is_taken(attachment, abilities)


def _parted(question: Sequence[str | MessagePart]) -> tuple[list[str], list[MessagePart]]:
    texts = [part for part in question if isinstance(part, str)]
    parts = [part for part in question if isinstance(part, MessagePart)]
    if len(texts) + len(parts) != len(question):
        raise UsageError("A question is a text, or a list of texts, Image and File: give nothing else in it.")
    if not any(text.strip() for text in texts):
        raise UsageError(
            "The question has no text: say what to do with the attachments, e.g. 'What is in this image?'."
        )
    if len(parts) > MAX_PARTS:
        raise UsageError(f"The question has {len(parts)} images and files; the limit is {MAX_PARTS}: remove some.")
    size = sum(len(part.data) for part in parts)
    if size > MAX_BYTES:
        raise UsageError(
            f"The images and files have {size:,} bytes in total; the limit is {MAX_BYTES:,}: make them smaller."
        )
    return texts, parts


def _refusal(attachment: Attachment, model: Model, settings: Settings | None) -> str:
    from glassloop.runtime.models import sighted_models

    name = model.name
    if not attachment.is_image:
        return (
            f"{name} does not read {attachment.name!r} ({attachment.media_type}) as it is: give its text, "
            "`await File(…).as_text()`."
        )
    others = [each for each in (sighted_models(settings) if settings is not None else ()) if each != name]
    remedy = f"use one that does, such as {' or '.join(others[:3])}" if others else "use a model that does"
    unsure = "; where it does, name it in GLASSLOOP_IMAGE_MODELS" if model.abilities.images is None else ""
    return f"{name} does not see images, and {attachment.name!r} is one: {remedy}{unsure}."
