"""Secrets never reach the log: at any depth, without breaking an event; and nothing else is touched."""

import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.records import REDACTED
from glassloop.store import open_store
from glassloop.store.log.event_codec import row_body, to_batch, to_events
from glassloop.store.log.redaction import Redactor, secrets_between
from store.made_events import answered, called, finished, returned, started, thought

PEM = "PRIVATE KEY-----"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
BODY = st.text(LETTERS, min_size=40, max_size=60)
SHAPES = (
    "sk-{}",
    "sk-ant-api03-{}",
    "ghp_{}",
    "github_pat_{}",
    "glpat-{}",
    "xoxb-{}",
    "AIza{}",
    "hf_{}",
    "glk_0123456789ab_{}",
    "eyJ{0}.eyJ{0}.{0}",
)
FRAMES = ("{}", "my key is {}.", "curl -H 'x: {}' now", "日本語{}語", '{{"a": "{}"}}', "a={}&b=1")


def buried(leaf, depth):
    return st.recursive(leaf, lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3), st.dictionaries(st.text(max_size=5), inner, min_size=1, max_size=3)
    ), max_leaves=depth)  # fmt: skip


def clean(event, *secrets):
    batch = to_batch(event.turn_id, [event], Redactor(secrets))
    (stored,) = to_events(batch.rows[0])
    return stored, row_body(batch.rows[0].body)


@pytest.mark.slow
@given(st.data(), BODY, st.sampled_from(SHAPES), st.sampled_from(FRAMES))
def test_what_looks_like_a_key_is_taken_out_at_any_depth(data, body, shape, frame):
    secret = shape.format(body)
    args = data.draw(buried(st.just(frame.format(secret)), 4))
    event, stored = clean(called(value=args))
    assert body.encode() not in stored
    assert REDACTED.encode() in stored
    assert type(event) is e.ToolCalled


@given(st.data(), st.text(min_size=6, max_size=30))
def test_known_values_are_taken_out_wherever_they_stand(data, rest):
    secret = f"zQ9{rest}"
    text = data.draw(st.sampled_from(("{}", "see {} there", "{0}{0}"))).replace("{0}", secret).replace("{}", secret)
    event, _ = clean(returned(output=text), secret)
    assert secret not in event.result.output
    told, _ = clean(called(args={"deep": [{"er": text}]}), secret)
    assert secret not in told.call.args["args"]["deep"][0]["er"]


@given(st.sampled_from(["password", "api_key", "API-Key", "apikey", "client_secret", "Authorization", "access_token",
                        "db_password", "token", "X-Api-Key", "private_key", "Set-Cookie"]),
       st.one_of(st.text(min_size=1), st.integers(), st.lists(st.text(min_size=1), min_size=1)))  # fmt: skip
def test_what_stands_under_a_telling_name_is_taken_out(name, value):
    event, _ = clean(called(headers={name: value}))
    kept = event.call.args["headers"][name]
    assert kept == ([REDACTED] * len(value) if isinstance(value, list) else REDACTED)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("postgresql://ann:hunter2@db.host/x", "postgresql://ann:[redacted]@db.host/x"),
        ("Authorization: Bearer abcdefghijkl1234", "Authorization: Bearer [redacted]"),
        ("authorization: Basic dXNlcjpwYXNzd29yZA==", "authorization: Basic [redacted]"),
        ("export API_KEY=a1b2c3d4e5", "export API_KEY=[redacted]"),
        ('{"password": "correct1horse"}', '{"password": "[redacted]"}'),
        (f"-----BEGIN RSA {PEM}\nMIIabc\n-----END RSA {PEM}\nbye", "[redacted]\nbye"),
        (f"-----BEGIN {PEM}\nMIIabc cut off", "[redacted]"),
        ("AKIA" + "ABCDEFGH12345678", "[redacted]"),
    ],
)
def test_secrets_in_text_are_taken_out_and_the_text_around_them_stays(text, kept):
    event, _ = clean(returned(output=f"see: {text}"))
    assert event.result.output == f"see: {kept}"


@pytest.mark.parametrize(
    "text",
    [
        "The password policy asks for 12 characters.",
        "How many tokens does a token bucket hold?",
        "The key to the answer is in https://example.com/a:b and ann@example.com.",
        "Our secretary keeps the basic cookie recipe; a bearer of bad news came.",
        "task-2024-0001, disk-usage-report-for-november, sk-learn",
        "passwd is a file; pwd prints the folder",
        "01a1dd71-edc4-7fde-a776-fb00722a7b2d",
    ],
)
def test_ordinary_text_is_left_alone(text):
    event, _ = clean(returned(output=text))
    assert event.result.output == text


@given(buried(st.one_of(st.text(max_size=20), st.integers(), st.booleans(), st.none()), 8))
def test_an_event_without_secrets_passes_through_byte_for_byte(value):
    event = returned().__class__(
        turn_id="t", seq=1, at=1.0, step=1, call_id="c", result=msgspec.structs.replace(returned().result, data=value)
    )
    batch = to_batch("t", [event], Redactor())
    assert [e.encode(stored) for stored in to_events(batch.rows[0])] == [e.encode(event)]
    redactor, body = Redactor(), e.encode(event)
    if not redactor.suspects(body):
        assert redactor.clean(body) is body


@pytest.mark.parametrize("secret", ["native", "question", "completed", "turn_started", "anonymous", "session_id"])
def test_a_known_value_that_is_a_word_of_the_contract_does_not_break_an_event(secret):
    event, _ = clean(started(question=f"is {secret} here?"), secret)
    assert event.protocol == "native"


def test_keys_in_the_names_of_values_are_taken_out_without_losing_a_value():
    first, second = "sk-" + "a1" * 12, "sk-" + "b2" * 12
    event, stored = clean(called(found={first: 1, second: 2, "[redacted]": 3}))
    assert sorted(event.call.args["found"].values()) == [1, 2, 3]
    assert b"a1a1" not in stored
    assert b"b2b2" not in stored


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["sk-", "eyJ", "://a:", "-----BEGIN ", "bearer ", "api_key=", 'token": "', "x" * 9, "AKIA"]
)
def test_time_grows_no_faster_than_the_text(unit):
    def cost(length):
        body = msgspec.json.encode({"text": (unit * length)[:length] + " password"})
        took = []
        for _ in range(3):
            began = time.process_time()
            Redactor(["not in there"]).clean(body)
            took.append(time.process_time() - began)
        return min(took)

    assert cost(160_000) < 40 * cost(10_000) + 0.05


async def test_no_secret_reaches_the_file_by_any_way_in(tmp_path):
    secret, key = "correct horse battery", "sk-" + "a1b2" * 8
    async with await open_store(str(tmp_path / "log.db"), secrets=[secret]) as store:
        await store.turns.append(
            "t1", [started(question=f"use {secret}"), thought(text=key), called("t1", 3, password=secret)]
        )
        session = await store.sessions.create("ann", "api", {"api_key": key, "note": secret})
        await store.sessions.add_message(
            session.id, "user", f"{secret} {key}", [{"content": key}], [{"args": {"x": secret}}]
        )
        await store.sessions.add_rating(session.id, "good", f"with {secret}")
        await store.sessions.save_summary(session.id, key, "t1")
        with pytest.raises(UsageError, match="looks like a secret"):
            await store.jobs.enqueue("index", "ann", {"deep": [{"token": secret}], "text": key})
        job = await store.jobs.enqueue("index", "ann", {})
        await store.jobs.claim(job.id, "w1", 30)
        await store.jobs.report(job.id, 1, f"with {secret}", 0.5)
        await store.jobs.finish(job.id, 1, "failed", {"key": key}, f"not with {secret}")
        assert (await store.jobs.get(job.id)).error == f"not with {REDACTED}"
        assert (await store.turns.get("t1")).question == f"use {REDACTED}"
        assert (await store.sessions.get("s1")).title == f"use {REDACTED}"
        told = b"".join([*await store.exports.dump("s1"), *await store.exports.dump(session.id)])
    files = told + b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert secret.encode() not in files
    assert key.encode() not in files


@given(st.data(), BODY, st.sampled_from(SHAPES), st.sampled_from(FRAMES))
def test_what_was_taken_out_is_known_by_its_value(data, body, shape, frame):
    secret = shape.format(body)
    args = data.draw(buried(st.just(frame.format(secret)), 4))
    assert set(secrets_between(args, Redactor().value(args))) == {secret}


async def test_a_secret_found_by_its_name_is_taken_out_of_the_rest_of_its_turn_under_any_name(tmp_path):
    async with await open_store(str(tmp_path / "log.db")) as store:
        await store.turns.append(
            "t1", [started(), called(password="correct-horse"), thought(seq=3, text="it is correct-horse")]
        )
        await store.turns.append("t1", [returned(seq=4, output="saved correct-horse as x")])
        await store.turns.append("t2", [started("t2", session="s2", question="what is a correct-horse?")])
        assert "correct-horse" not in str(await store.turns.read("t1"))
        assert "correct-horse" in str(await store.turns.read("t2"))
        real = str(await store.turns.read_unredacted("t1"))
        assert real.count("correct-horse") == 3


async def test_the_end_of_a_turn_that_is_tried_twice_loses_the_same_secrets(tmp_path):
    end = [answered(seq=3, text="it is correct-horse, password: hunter2-Hunter2"), finished(seq=4)]
    async with await open_store(str(tmp_path / "log.db")) as store:
        await store.turns.append("t1", [started(), called(password="correct-horse")])
        assert not store.turns.append_now("t1", end)
        await store.turns.append("t1", end)
        assert "correct-horse" not in str(await store.turns.read("t1"))
        assert store.turns.redactor_of("t1") is None


def test_no_turn_makes_more_and_more_values_known():
    redactor = Redactor()
    for number in range(10):
        redactor = redactor.knowing(f"secret-{number}-{each}" for each in range(100))
    assert redactor.knowing(["one-more-secret"]) is redactor
    assert redactor.text("secret-0-1 and secret-9-99") == f"{REDACTED} and secret-9-99"
