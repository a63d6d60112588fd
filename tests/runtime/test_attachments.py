"""Images and files given with a question: kept once, seen again by every process, and gone with their session."""

import pytest

from glassloop import Agent, File, Image, ScriptedModel, UsageError
from glassloop.core import events as e
from glassloop.core.loop.fold import fold
from glassloop.core.messages import Abilities, UserMessage
from glassloop.models.scripted_model import call
from glassloop.runtime.attachments.blobs import BlobCache, SessionBlobs
from glassloop.runtime.attachments.media import pixels_of
from glassloop.runtime.attachments.parts import MAX_IMAGE_BYTES
from glassloop.runtime.attachments.prompt import MAX_PARTS
from glassloop.runtime.settings import Settings
from pictures import pdf, png
from runtime.conftest import close

BLIND = Abilities(json_schema=True)
PHOTO = Image(png(640, 480), name="photo.png")
SHA = PHOTO.attachment.sha256


def shown(request):
    """What the model was shown, by name."""
    return [each.name for m in request.messages if isinstance(m, UserMessage) for each in m.attachments]


async def test_the_model_sees_what_is_given_with_the_question_and_later_in_the_conversation(tmp_path):
    (tmp_path / "table.csv").write_text("item,price\nbolt,0.35\n")
    model = ScriptedModel(["A red field.", "Still red."])
    agent = Agent(model)
    asked = ["What is on it?", PHOTO, File(tmp_path / "table.csv")]
    result = await agent.run(asked, session_id="s")
    assert (result.text, shown(model.requests[0])) == ("A red field.", ["photo.png"])
    assert model.requests[0].messages[0].content == "<file>table.csv\nitem,price\nbolt,0.35\n</file>"
    assert await model.requests[0].blobs.read(SHA) == PHOTO.data
    await agent.run("And now?", session_id="s")
    assert shown(model.requests[1]) == ["photo.png"]
    assert "bolt,0.35" in model.requests[1].messages[0].content
    assert await model.requests[1].blobs.read(SHA) == PHOTO.data


def test_run_sync_and_stream_take_parts_too():
    agent = Agent(ScriptedModel(["Red."]))
    assert agent.run_sync(["Which colour?", PHOTO]).text == "Red."
    [given] = agent.stream(["Which colour?", PHOTO])._turn.state.started.attachments
    assert (given.name, given.media_type, given.width, given.height) == ("photo.png", "image/png", 640, 480)


@pytest.mark.parametrize("abilities", [BLIND, Abilities(images=False)])
async def test_an_image_for_a_model_that_does_not_see_is_refused_before_anything_is_stored(opens, tmp_path, abilities):
    model = ScriptedModel(["A guess."], abilities=abilities)
    runtime = await opens((_settings(tmp_path), False), model)
    with pytest.raises(UsageError, match=r"scripted does not see images, and 'photo\.png' is one: use") as refused:
        await runtime.submit(["What is on it?", PHOTO])
    assert ("GLASSLOOP_IMAGE_MODELS" in str(refused.value)) is (abilities.images is None)
    assert not await runtime.store.sessions.list(10)
    assert not model.requests


async def test_a_pdf_is_shown_to_a_model_that_reads_it_and_is_text_for_any_other():
    given = File(pdf("The total is 4,711 EUR."), name="report.pdf")
    reader = ScriptedModel(["It is 4,711 EUR."])
    await Agent(reader).run(["How much?", given])
    assert shown(reader.requests[0]) == ["report.pdf"]
    other = ScriptedModel(["It is 4,711 EUR."], abilities=BLIND)
    await Agent(other).run(["How much?", given])
    assert shown(other.requests[0]) == []
    assert "The total is 4,711 EUR." in other.requests[0].messages[0].content
    with pytest.raises(UsageError, match="as_text"):
        Agent(other).stream(["How much?", given])


async def test_bytes_are_stored_once_and_another_process_shows_the_same(opens, shared):
    first = await opens(shared, ["Red."])
    asked = await first.submit(["Which colour?", PHOTO, PHOTO], session_id="s")
    assert [type(event) async for event in first.watch(asked.turn_id)][-1] is e.TurnFinished
    started, *_ = await first.store.turns.read(asked.turn_id)
    assert started.attachments == (PHOTO.attachment,)
    assert await first.store.blobs.read("s", SHA) == PHOTO.data
    assert await first.store.blobs.read("another", SHA) is None
    await close(first)
    model = ScriptedModel(["Still red."])
    second = await opens(shared, model)
    asked = await second.submit("And now?", session_id="s")
    _ = [event async for event in second.watch(asked.turn_id)]
    assert shown(model.requests[0]) == ["photo.png"]
    assert await model.requests[0].blobs.read(SHA) == PHOTO.data
    rows = await second.store.engine.read(lambda db: db.run("SELECT count(*) FROM blobs"))
    assert rows[0][0] == 1
    assert await second.erasure.erase_sessions(["s"], "tests") == 1
    assert await second.store.blobs.read("s", SHA) is None


async def test_a_fork_an_export_and_an_import_have_the_bytes(opens, place):
    model = ScriptedModel(["Red.", "Blue."])
    runtime = await opens(place, model)
    asked = await runtime.submit(["Which colour?", PHOTO], session_id="s")
    _ = [event async for event in runtime.watch(asked.turn_id)]
    forked = await runtime.fork(asked.turn_id, 1)
    _ = [event async for event in runtime.watch(forked.turn_id)]
    assert shown(model.requests[1]) == ["photo.png"]
    assert await runtime.store.blobs.read(forked.session_id, SHA) == PHOTO.data
    lines = await runtime.store.exports.dump("s")
    await runtime.store.sessions.delete("s")
    damaged = [line.replace(b'"data":"iVBO', b'"data":"aVBO') for line in lines]
    with pytest.raises(UsageError, match="damaged"):
        await runtime.store.exports.load(damaged)
    await runtime.store.exports.load(lines)
    assert await runtime.store.blobs.read("s", SHA) == PHOTO.data


async def test_a_question_that_left_the_context_for_a_summary_is_still_shown_its_image():
    script = [call("look"), call("look"), call("look"), "It was red."]
    agent = Agent(ScriptedModel(script), [])
    started = agent.started("Which colour?", (PHOTO.attachment,), session_id=None)
    state = fold([started])
    before = state.tokens
    compacted = e.ContextCompacted(
        turn_id=started.turn_id, seq=2, at=1.0, left_out=len(state.messages), summary="…", tokens_before=before,
        tokens_after=before,
    )  # fmt: skip
    state = fold([started, compacted])
    assert [each.name for message in state.messages for each in message.attachments] == ["photo.png"]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Image(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), "is SVG: save it as PNG"),
        (lambda: Image(b"no image at all"), "no image that a model sees"),
        (lambda: Image(png(9_000, 1)), "9,000×1 pixels, and 8,000 a side"),
        (lambda: Image(png(comment=b"x" * MAX_IMAGE_BYTES)), "bytes, and 5,000,000 are taken"),
        (lambda: Image(png(), "image/jpeg"), "declared as 'image/jpeg' but is 'image/png'"),
        (lambda: Image(url="https://example.org/photo.png"), "Glassloop does not download it"),
        (lambda: Image("https://example.org/photo.png"), "Glassloop does not download it"),
        (lambda: Image(url="data:image/png;base64,!!!"), "not valid base64"),
        (lambda: Image("not-there.png"), "cannot be read"),
        (lambda: Image(), "give a path or bytes"),
        (lambda: File(b""), "is empty"),
        (lambda: File(bytes(range(32)) * 40, name="program"), "is not text"),
        (lambda: Agent(ScriptedModel([])).stream([PHOTO]), "has no text"),
        (lambda: Agent(ScriptedModel([])).stream(["x", *[PHOTO] * (MAX_PARTS + 1)]), "11 images and files"),
        (lambda: Agent(ScriptedModel([])).stream(["x", File(b"a" * 150_000), File(b"b" * 150_000)]), "300,000 char"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_remedy(make, why):
    with pytest.raises(UsageError, match=why):
        make()


def test_the_pixels_of_every_kind_are_read_from_the_header():
    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab" + b"\xff\xc4\x00\x02" + b"\xff\xc2\x00\x11\x08" + b"\x01\xe0\x02\x80" + b"\x03"
    assert pixels_of(png(640, 480), "image/png") == (640, 480)
    assert pixels_of(jpeg, "image/jpeg") == (640, 480)
    assert pixels_of(b"GIF89a\x80\x02\xe0\x01", "image/gif") == (640, 480)
    extended = b"RIFF\x00\x00\x00\x00WEBPVP8X" + bytes(8) + b"\x7f\x02\x00\xdf\x01\x00"
    assert pixels_of(extended, "image/webp") == (640, 480)
    for kind in ("png", "jpeg", "gif", "webp"):
        assert pixels_of(b"\xff\xd8\xff\xff\xff", f"image/{kind}") in ((0, 0), (1, 1))


async def test_a_long_conversation_is_shown_the_newest_images_and_told_of_the_others():
    model = ScriptedModel(["Yes."] * 13)
    agent = Agent(model)
    for number in range(12):
        await agent.run(["Is it red?", Image(png(comment=b"%d" % number), name=f"{number}.png")], session_id="s")
    await agent.run("Which was the first?", session_id="s")
    assert shown(model.requests[-1]) == [f"{number}.png" for number in range(2, 12)]
    assert 'image "0.png" (image/png, 2×2): not shown here' in model.requests[-1].messages[0].content


def test_the_cache_of_bytes_is_bounded():
    cache = BlobCache(100)
    cache.put("s", {"a": bytes(60), "b": bytes(60)})
    assert (cache.get("s", "a"), cache.get("s", "b")) == (None, bytes(60))


def _settings(tmp_path):
    return Settings(home=str(tmp_path), database_url="sqlite:///:memory:")


async def test_a_session_that_holds_too_much_takes_no_more_and_stores_nothing(opens, tmp_path, monkeypatch):
    monkeypatch.setattr("glassloop.store.log.blobs.MAX_SESSION_BYTES", len(PHOTO.data))
    runtime = await opens((_settings(tmp_path), False), ["Red.", "Red."])
    asked = await runtime.submit(["Which colour?", PHOTO], session_id="s")
    _ = [event async for event in runtime.watch(asked.turn_id)]
    with pytest.raises(UsageError, match="start a new conversation"):
        await runtime.submit(["And this?", Image(png(1, 1))], session_id="s")
    assert len(await runtime.store.turns.ids("s")) == 1
    await runtime.submit(["Which colour again?", PHOTO], session_id="s")


async def test_bytes_that_could_not_be_stored_yet_are_shown_all_the_same():
    assert await SessionBlobs("s", BlobCache(), None, {"a": b"x"}).read("a") == b"x"


async def test_an_agent_with_a_store_shows_what_was_given_after_a_restart(tmp_path):
    for answers, question in ((["Red."], ["Which colour?", PHOTO]), (["Still red."], "And now?")):
        model = ScriptedModel(answers)
        async with Agent(model, store=tmp_path / "agent.db") as agent:
            await agent.run(question, session_id="s")
        assert shown(model.requests[0]) == ["photo.png"]
        assert await model.requests[0].blobs.read(SHA) == PHOTO.data
