"""Images and files over HTTP: taken inline, as uploads and from clients of OpenAI's API; given back safely."""

import base64
import urllib.parse

import pytest

from glassloop import ScriptedModel
from glassloop.core.messages import Abilities, UserMessage
from glassloop.runtime.settings import Settings
from pictures import pdf, png

PICTURE = png(64, 48)
INLINE = base64.b64encode(PICTURE).decode()
URL = f"data:image/png;base64,{INLINE}"


def shown(request):
    return [each.name for m in request.messages if isinstance(m, UserMessage) for each in m.attachments]


async def finished(served, turn_id, headers=None):
    """The events of a turn, once it is over."""
    await served.client.get(f"/api/turns/{turn_id}/events", headers=headers)
    return (await served.client.get(f"/api/turns/{turn_id}/events?format=json", headers=headers)).json()


async def test_a_question_brings_an_image_inline_and_a_file_as_an_upload(serve):
    model = ScriptedModel(["A red field."])
    served = await serve(script=model)
    uploaded = await served.client.post("/api/uploads", params={"name": "report.pdf"}, content=pdf())
    given = [{"name": "photo.png", "data": INLINE}, {"upload_id": uploaded.json()["id"]}]
    asked = await served.client.post("/api/turns", json={"question": "What is on it?", "attachments": given})
    assert asked.status_code == 202
    started, *_ = await finished(served, asked.json()["turn_id"])
    assert [(each["name"], each["media_type"]) for each in started["attachments"]] == [
        ("photo.png", "image/png"),
        ("report.pdf", "application/pdf"),
    ]
    assert shown(model.requests[0]) == ["photo.png", "report.pdf"]


async def test_an_image_is_given_back_to_its_owner_only_and_nothing_in_it_runs(serve, tmp_path):
    settings = Settings(home=str(tmp_path), auth="proxy", proxy_secret="s" * 32, request_rate=0)
    served = await serve(settings, ["Red."], headers={"x-proxy-secret": "s" * 32})
    ann, ben = {"x-user-id": "ann"}, {"x-user-id": "ben"}
    given = [{"name": "größe.png", "data": URL}, {"data": base64.b64encode(pdf()).decode()}]
    body = {"question": "What is on it?", "attachments": given}
    turn_id = (await served.client.post("/api/turns", json=body, headers=ann)).json()["turn_id"]
    started, *_ = await finished(served, turn_id, ann)
    image, document = (f"/api/turns/{turn_id}/attachments/{each['sha256']}" for each in started["attachments"])
    back = await served.client.get(image, headers=ann)
    assert back.content == PICTURE
    assert back.headers["content-type"] == "image/png"
    assert back.headers["x-content-type-options"] == "nosniff"
    assert back.headers["content-security-policy"] == "default-src 'none'; sandbox"
    name = urllib.parse.quote("größe.png")
    assert back.headers["content-disposition"] == f"inline; filename*=UTF-8''{name}"
    saved = await served.client.get(document, headers=ann)
    assert saved.headers["content-type"] == "application/octet-stream"
    assert saved.headers["content-disposition"].startswith("attachment; ")
    assert (await served.client.get(image, headers=ben)).status_code == 404
    assert (await served.client.get(image[:-4] + "0000", headers=ann)).status_code == 404
    upload = (await served.client.post("/api/uploads?name=x", content=PICTURE, headers=ben)).json()["id"]
    stolen = {"question": "What is on it?", "attachments": [{"upload_id": upload}]}
    assert (await served.client.post("/api/turns", json=stolen, headers=ann)).status_code == 404


async def test_an_openai_client_sends_images_and_files_now_and_before(serve):
    model = ScriptedModel(["Both are red."])
    served = await serve(script=model)
    blue = "data:image/png;base64," + base64.b64encode(png(colour=b"\x00\x00\xff")).decode()
    notes = {"type": "file", "file": {"filename": "notes.txt", "file_data": base64.b64encode(b"It is red.").decode()}}
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": blue}}],
        },
        {"role": "assistant", "content": "I see it."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "And this?"},
                {"type": "image_url", "image_url": {"url": URL, "detail": "high"}},
                notes,
            ],
        },
    ]
    answer = await served.client.post("/v1/chat/completions", json={"model": "general", "messages": messages})
    assert answer.json()["choices"][0]["message"]["content"] == "Both are red."
    assert shown(model.requests[0]) == ["image.png", "image.png"]
    assert "<file>notes.txt\nIt is red.</file>" in [
        m.content for m in model.requests[0].messages if hasattr(m, "content")
    ]
    for message in model.requests[0].messages:
        for each in getattr(message, "attachments", ()):
            assert await model.requests[0].blobs.read(each.sha256)


@pytest.mark.parametrize(
    ("abilities", "url", "why"),
    [
        (Abilities(images=True), "https://example.org/a.png", "Glassloop does not download it"),
        (Abilities(images=True), "data:image/svg+xml,<svg/>", "is SVG: save it as PNG"),
        (Abilities(), URL, "scripted does not see images"),
    ],
)
async def test_an_image_that_cannot_be_taken_is_answered_with_400_and_nothing_is_stored(serve, abilities, url, why):
    served = await serve(script=ScriptedModel([], abilities=abilities))
    content = [{"type": "text", "text": "What is on it?"}, {"type": "image_url", "image_url": {"url": url}}]
    body = {"model": "general", "messages": [{"role": "user", "content": content}]}
    answer = await served.client.post("/v1/chat/completions", json=body)
    assert (answer.status_code, why in answer.text) == (400, True), answer.text
    given = {"question": "What is on it?", "attachments": [{"data": url}]}
    assert (await served.client.post("/api/turns", json=given)).status_code == 400
    assert not await served.runtime.store.sessions.list(10)


async def test_a_request_that_may_hold_images_may_be_larger_than_others(serve, tmp_path):
    settings = Settings(home=str(tmp_path), body_limit=1_000, attachment_limit=300_000, request_rate=0)
    served = await serve(settings, ["Red."])
    large = base64.b64encode(png(comment=b"x" * 50_000)).decode()
    asked = {"question": "What is on it?", "attachments": [{"data": large}]}
    assert (await served.client.post("/api/turns", json=asked)).status_code == 202
    assert (await served.client.post("/api/sessions", json={"metadata": {"x": "y" * 2_000}})).status_code == 413
    asked["attachments"] = [{"data": large * 10}]
    assert (await served.client.post("/api/turns", json=asked)).status_code == 413
