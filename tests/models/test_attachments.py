"""Images and documents on the wire of every provider; what a model does not see is told, and never sent."""

import base64
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from glassloop.core.errors import ModelUnavailable
from glassloop.core.messages import Abilities, AssistantMessage, ModelRequest, Reply, UserMessage
from glassloop.core.ports import Model
from glassloop.core.records import Attachment
from glassloop.extensions.openai.attachments import sees_at_openai, sees_by_name
from glassloop.models.resilient_model import ResilientModel
from glassloop.models.scripted_model import ScriptedModel
from pictures import pdf, png

Ask = Callable[..., ModelRequest]
Listen = Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]
OpenModel = Callable[..., Model]

SEES = Abilities(images=True, documents=True)
PICTURE, PAPER = png(), pdf()
PNG, PDF = base64.b64encode(PICTURE).decode(), base64.b64encode(PAPER).decode()


def attachment(data: bytes, media_type: str, name: str) -> Attachment:
    return Attachment(
        name=name, media_type=media_type, size=len(data), sha256=hashlib.sha256(data).hexdigest(), width=2, height=2
    )


PHOTO = attachment(PICTURE, "image/png", "photo.png")
REPORT = attachment(PAPER, "application/pdf", "report.pdf")


class Blobs:
    """Those that are there."""

    def __init__(self, *there: bytes) -> None:
        self._there = {hashlib.sha256(data).hexdigest(): data for data in there}

    async def read(self, sha256: str) -> bytes | None:
        return self._there.get(sha256)


ASKED = UserMessage("What is on it?", attachments=(PHOTO, REPORT))
ORDER = '[attached, in this order: "photo.png", "report.pdf"]'
TEXT = f"What is on it?\n\n{ORDER}"

WRITTEN: dict[str, Any] = {
    "anthropic": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
            "title": "report.pdf",
            "cache_control": {"type": "ephemeral"},
        },
        {"type": "text", "text": TEXT, "cache_control": {"type": "ephemeral"}},
    ],
    "openai": [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "file", "file": {"filename": "report.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}},
        {"type": "text", "text": TEXT},
    ],
    "responses": [
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"},
        {"type": "input_file", "filename": "report.pdf", "file_data": f"data:application/pdf;base64,{PDF}"},
        {"type": "input_text", "text": TEXT},
    ],
    "google": [
        # As the SDK writes it: the API reads both alphabets of base64, and both spellings.
        {"inlineData": {"mime_type": "image/png", "data": base64.urlsafe_b64encode(PICTURE).decode()}},
        {"inlineData": {"mime_type": "application/pdf", "data": base64.urlsafe_b64encode(PAPER).decode()}},
        {"text": TEXT},
    ],
}


def sent(voice: Any, body: dict[str, Any], at: int = -1) -> Any:
    """What was said in one of the user's messages."""
    said = {"responses": "input", "google": "contents"}.get(voice.name, "messages")
    message = [each for each in body[said] if each.get("role") == "user"][at]
    return message["parts" if voice.name == "google" else "content"]


async def test_an_image_and_a_document_are_written_as_the_provider_reads_them(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("A red square."))
    model = open_model(voice, wire.url, abilities=SEES)
    await listen(model, ask(messages=(ASKED,), blobs=Blobs(PICTURE, PAPER)))
    assert sent(voice, wire.bodies[0]) == WRITTEN[voice.name]


async def test_a_model_that_does_not_see_is_told_of_an_image_in_the_conversation_and_never_sent_it(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("I cannot say."))
    model = open_model(voice, wire.url, abilities=Abilities(images=False, documents=False))
    before = UserMessage("Look.", attachments=(PHOTO,))
    messages = (before, AssistantMessage(text="A square."), UserMessage("Which colour?"))
    await listen(model, ask(messages=messages, blobs=Blobs(PICTURE)))
    assert 'image "photo.png" (image/png, 2×2): not shown here' in str(sent(voice, wire.bodies[0], 0))
    assert "base64" not in str(wire.bodies[0])
    assert "inlineData" not in str(wire.bodies[0])


async def test_an_image_whose_bytes_are_gone_is_told_of(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("ok"))
    model = open_model(voice, wire.url, abilities=SEES)
    await listen(model, ask(messages=(UserMessage("Look.", attachments=(PHOTO,)),), blobs=Blobs()))
    assert 'image "photo.png" (image/png, 2×2): no longer here' in str(sent(voice, wire.bodies[0]))


def test_what_an_older_examination_did_not_look_for_is_what_the_provider_is_known_for(
    voice: Any, open_model: OpenModel
) -> None:
    model = open_model(voice, "http://127.0.0.1:9", abilities=Abilities(context_tokens=5_000))
    known = voice.name != "openai"
    assert (model.abilities.context_tokens, bool(model.abilities.images)) == (5_000, known)
    assert open_model(voice, "http://127.0.0.1:9", images=True).abilities.images


async def test_a_fallback_that_does_not_see_is_not_asked_about_an_image(ask: Ask) -> None:
    blind = ScriptedModel(["A guess."], name="blind", abilities=Abilities())
    model = ResilientModel(ScriptedModel([ModelUnavailable("away")], abilities=SEES), blind, retries=0)
    with pytest.raises(ModelUnavailable, match="blind is not asked"):
        [chunk async for chunk in model.stream(ask(messages=(ASKED,)))]
    assert not blind.requests


@pytest.mark.parametrize(
    ("name", "sees"),
    [
        ("gpt-6-luna", True),
        ("gpt-4o-mini", True),
        ("gpt-4-turbo", True),
        ("o3", True),
        ("gpt-4", False),
        ("gpt-4-0613", False),
        ("gpt-3.5-turbo", False),
        ("o3-mini", False),
        ("gpt-4o-audio-preview", False),
    ],
)
def test_openais_models_that_see_are_known_by_name(name: str, sees: bool) -> None:
    assert sees_at_openai(name) is sees


@pytest.mark.parametrize("name", ["qwen2.5vl:7b", "qwen3-vl:8b", "llava:13b", "llama3.2-vision", "gemma3:4b"])
def test_vision_models_on_other_servers_are_known_by_name(name: str) -> None:
    assert sees_by_name(name)
    assert sees_by_name("qwen3:8b") is None
