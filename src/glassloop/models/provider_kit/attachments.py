"""Attachments of a request: those that the model is shown, with their bytes, and notes of the rest.

How a provider writes an image or a document is its adapter's business.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from glassloop.core.messages import Abilities, Message, ModelRequest, UserMessage
from glassloop.core.records import Attachment
from glassloop.models.provider_kit.transcript import Exchange


class ShownAttachment(NamedTuple):
    """One that the model is shown."""

    attachment: Attachment
    data: bytes

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode()

    @property
    def data_url(self) -> str:
        return f"data:{self.attachment.media_type};base64,{self.base64}"


def is_taken(attachment: Attachment, abilities: Abilities) -> bool:
    """Whether a model that can do this is shown it."""
    return bool(abilities.images if attachment.is_image else abilities.documents)


def attachments_in(messages: Sequence[Message]) -> dict[str, Attachment]:
    """Every attachment of a transcript, by its digest."""
    found = (message.attachments for message in messages if type(message) is UserMessage and message.attachments)
    return {each.sha256: each for several in found for each in several}


def is_shown_all(request: ModelRequest, abilities: Abilities) -> bool:
    """Whether a model that can do this sees everything that was given."""
    return all(is_taken(each, abilities) for each in attachments_in(request.messages).values())


async def load_attachments(request: ModelRequest, abilities: Abilities) -> ModelRequest:
    """The request with the bytes of what this model is shown, where there is any."""
    wanted = {sha: each for sha, each in attachments_in(request.messages).items() if is_taken(each, abilities)}
    if not wanted or request.blobs is None:
        return request
    loaded = {sha: data for sha in wanted if (data := await request.blobs.read(sha)) is not None}
    return replace(request, loaded=loaded)


def shown_with(
    exchange: Exchange, loaded: Mapping[str, bytes], abilities: Abilities
) -> tuple[Sequence[ShownAttachment], str]:
    """What is shown with the text of an exchange, and the text with a note of what is not."""
    if not exchange.attachments:
        return (), exchange.text
    shown: list[ShownAttachment] = []
    notes: list[str] = []
    for each in exchange.attachments:
        if is_taken(each, abilities) and each.sha256 in loaded:
            shown.append(ShownAttachment(each, loaded[each.sha256]))
        else:
            why = "no longer here" if is_taken(each, abilities) else "not shown here"
            notes.append(f"[{each.label}: {why}]")
    if len(shown) > 1:
        names = ", ".join(f'"{each.attachment.name}"' for each in shown)
        notes.insert(0, f"[attached, in this order: {names}]")
    return shown, "\n\n".join(filter(None, (exchange.text, "\n".join(notes))))
