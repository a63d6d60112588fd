"""Images and files as OpenAI's two APIs write them, and which models are known to see."""

import re
from typing import Any

from glassloop.core.messages import Abilities, ModelRequest
from glassloop.models.provider_kit.attachments import shown_with
from glassloop.models.provider_kit.transcript import Exchange

_BLIND_AT_OPENAI = re.compile(r"gpt-3|gpt-4(?:-0\d{3})?(?:-32k.*)?$|o1-mini|o1-preview|o3-mini|.*-(?:audio|realtime)")
_SEES = re.compile(
    r"llava|bakllava|moondream|pixtral|internvl|minicpm-?v|gemma-?[34]|llama-?4|mistral-(?:small|medium)-?3[.-][12]"
    r"|(?:^|[-_./:\d])(?:vl|vlm|vision|omni)(?:$|[-_./:\d])|gpt-4o|gpt-[5-9]|claude|gemini"
)
"""Names that vision models are served under."""


def sees_at_openai(model: str) -> bool:
    """Of OpenAI's own models all but the old and the small first thinking ones see."""
    return _BLIND_AT_OPENAI.match(model) is None


def sees_by_name(model: str) -> bool | None:
    """Whether a model on another server is known to see by its name; None where that tells nothing."""
    return True if _SEES.search(model.lower()) else None


def chat_content(exchange: Exchange, request: ModelRequest, abilities: Abilities) -> str | list[dict[str, Any]]:
    """What follows an assistant message, for Chat Completions; empty where nothing does."""
    shown, text = shown_with(exchange, request.loaded, abilities)
    if not shown:
        return text
    parts: list[dict[str, Any]] = [
        {"type": "image_url", "image_url": {"url": each.data_url}}
        if each.attachment.is_image
        else {"type": "file", "file": {"filename": each.attachment.name, "file_data": each.data_url}}
        for each in shown
    ]
    return [*parts, {"type": "text", "text": text}] if text else parts


def response_content(exchange: Exchange, request: ModelRequest, abilities: Abilities) -> str | list[dict[str, Any]]:
    """The same for the Responses API."""
    shown, text = shown_with(exchange, request.loaded, abilities)
    if not shown:
        return text
    parts: list[dict[str, Any]] = [
        {"type": "input_image", "image_url": each.data_url, "detail": "auto"}
        if each.attachment.is_image
        else {"type": "input_file", "filename": each.attachment.name, "file_data": each.data_url}
        for each in shown
    ]
    return [*parts, {"type": "input_text", "text": text}] if text else parts
