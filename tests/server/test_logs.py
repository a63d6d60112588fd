"""The log: one JSON object a line with the contract's fields, about the right turn, and without secrets."""

import io
import logging
import threading
import time

import msgspec
import pytest

from glassloop import ScriptedModel, tool
from glassloop.core import events as e
from glassloop.extensions.openai import OpenAISettings
from glassloop.models.scripted_model import call
from glassloop.server.observability.logs import LineFormatter, LineHandler, Logs, TurnLog
from glassloop.store.log.redaction import Redactor

FIELDS = ["timestamp", "level", "session_id", "component", "message", "data"]
SECRET = "my-own-hidden-value"
WAIT_S = 60.0


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


class Log:
    """What is logged while it is open."""

    def __init__(self, settings, stream=None):
        self.stream = stream or io.StringIO()
        self._logs = Logs(settings, self.stream)

    def close(self):
        self._logs.close()

    @property
    def text(self):
        self.close()
        return self.stream.getvalue()

    @property
    def lines(self):
        return [msgspec.json.decode(line) for line in self.text.splitlines()]

    def told(self, message):
        return [line for line in self.lines if line["message"] == message]


@pytest.fixture
def log(settings):
    opened = []

    def start(*of_extensions, stream=None, **changes):
        opened.append(Log(settings(*of_extensions, **{"log": "json", **changes}), stream))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


@tool(effect="read")
async def stock_of(sku: str) -> str:
    """Units on hand."""
    logging.getLogger("glassloop.extensions.warehouse").info("looked at a shelf")
    return f"140 of {sku}"


async def answered(serve, *script, question="How many BRG-6204?", **options):
    served = await serve(script=script, tools=[stock_of], observers=[TurnLog()], **options)
    taken = (await served.client.post("/api/turns", json={"question": question})).json()
    await served.client.get(taken["events"])
    return taken


async def test_a_line_is_one_json_object_with_the_fields_of_the_contract(log):
    lines = log()
    logging.getLogger("glassloop.runtime.durable.maintenance").warning(
        "%d left\nbehind", 3, extra={"data": {"worker": "w1"}}
    )
    (line,) = lines.lines
    assert list(line) == FIELDS
    assert line["level"] == "warning"
    assert line["session_id"] is None
    assert line["component"] == "runtime.durable.maintenance"
    assert line["message"] == "3 left\nbehind"
    assert line["data"] == {"worker": "w1"}
    assert line["timestamp"].endswith("+00:00")


async def test_a_turn_is_logged_from_its_start_over_its_tools_to_its_end(serve, log):
    lines = log()
    taken = await answered(serve, call("stock_of", sku="BRG-6204"), "There are 140.")
    found = [line for line in lines.lines if line["component"] == "turn"]
    assert [line["message"] for line in found] == ["turn started", "tool chosen", "turn finished"]
    assert {line["level"] for line in found} == {"info"}
    assert {line["session_id"] for line in found} == {taken["session_id"]}
    assert {line["data"]["turn_id"] for line in found} == {taken["turn_id"]}
    assert found[0]["data"]["question_chars"] == len("How many BRG-6204?")
    assert found[1]["data"]["tool"] == "stock_of"
    assert found[2]["data"]["status"] == "completed"
    assert found[2]["data"]["iterations"] == 2


async def test_what_a_tool_logs_is_found_under_its_session(serve, log):
    lines = log()
    taken = await answered(serve, call("stock_of", sku="BRG-6204"), "There are 140.")
    (line,) = lines.told("looked at a shelf")
    assert line["session_id"] == taken["session_id"]
    assert line["data"]["turn_id"] == taken["turn_id"]


async def test_neither_question_nor_arguments_nor_answer_are_told_at_info(serve, log):
    lines = log()
    await answered(serve, call("stock_of", sku="INS-PA66"), "Eight hundred and twenty.", question="Polyamide, please?")
    assert "turn finished" in lines.text
    for said in ("Polyamide", "INS-PA66", "Eight hundred"):
        assert said not in lines.text


async def test_debug_tells_every_stored_event_whole(serve, log):
    lines = log(log_level="debug")
    await answered(serve, call("stock_of", sku="INS-PA66"), "Eight hundred and twenty.", question="Polyamide, please?")
    kinds = [line["data"]["event"]["type"] for line in lines.lines if line["message"].startswith("event ")]
    assert kinds[-1] == "turn_finished"
    assert "tool_returned" in kinds
    assert "Eight hundred and twenty." in lines.text


async def test_secrets_are_in_no_line_whoever_says_them(log):
    lines = log(OpenAISettings(api_key=SECRET))
    key = "sk-" + "proj-9f8K2mQ7vX4bT1cZ"
    logging.getLogger("glassloop.models").warning("refused %s", SECRET, extra={"data": {"why": f"with {key}"}})
    try:
        raise RuntimeError(f"not with {SECRET}")
    except RuntimeError:
        logging.getLogger("somebody.else").exception("failed", extra={"data": {"authorization": "plain words"}})
    assert len(lines.lines) == 2
    assert "RuntimeError" in lines.text
    for hidden in (SECRET, key, "plain words"):
        assert hidden not in lines.text


async def test_no_stack_tells_a_secret_that_its_turn_was_given(serve, log):
    @tool(effect="read")
    async def sign_in(password: str) -> str:
        """Sign in."""
        raise RuntimeError(f"refused {password!r}")

    class Repeating(ScriptedModel):
        async def stream(self, request):
            if len(self.requests) == 1:
                raise ZeroDivisionError("not with correct-horse either")
            async for chunk in super().stream(request):
                yield chunk

    lines, turns = log(), TurnLog()
    model = Repeating([call("sign_in", password="correct-horse")])
    served = await serve(script=model, tools=[sign_in], observers=[turns])
    turns.redactor_of = served.runtime.store.turns.redactor_of
    taken = (await served.client.post("/api/turns", json={"question": "Sign me in."})).json()
    await served.client.get(taken["events"])
    assert "RuntimeError: refused '[redacted]'" in lines.text
    assert "ZeroDivisionError: not with [redacted] either" in lines.text
    assert "correct-horse" not in lines.text


async def test_a_failure_is_told_as_an_error_with_its_stack_and_reference(serve, log):
    class Broken(ScriptedModel):
        async def stream(self, request):
            raise ZeroDivisionError("inside")
            yield

    lines = log()
    served = await serve(script=Broken([]), observers=[TurnLog()])
    taken = (await served.client.post("/api/turns", json={"question": "Why?"})).json()
    await served.client.get(taken["events"])
    stack, failed = [line for line in lines.lines if line["level"] == "error"]
    assert "ZeroDivisionError: inside" in stack["data"]["stack"]
    assert stack["session_id"] == failed["session_id"] == taken["session_id"]
    assert failed["message"] == "turn failed"
    assert failed["data"]["error_type"] == "system_error"
    assert failed["data"]["reference"] in stack["message"]


async def test_a_retry_and_a_fallback_are_warnings(log):
    lines = log()
    observer = TurnLog()
    for wait_s, model in ((1.2, "openai:big"), (0.0, "ollama:small")):
        observer.see(
            e.ModelRetried(
                turn_id="t", seq=1, at=0.0, block=1, attempt=2, wait_s=wait_s, reason="overloaded", model=model
            )
        )
    observer.see(e.LogDelayed(turn_id="t", seq=1, at=0.0, reason="the disk is full"))
    assert [(line["level"], line["message"]) for line in lines.lines] == [
        ("warning", "model tried again"),
        ("warning", "fallback model asked"),
        ("warning", "turn kept in memory for now"),
    ]
    assert lines.lines[1]["data"]["model"] == "ollama:small"


async def test_more_than_five_tool_calls_a_turn_are_a_warning_and_no_limit(serve, log):
    lines = log()
    for number in (5, 6):
        await answered(serve, *(call("stock_of", sku=f"BRG-{each}") for each in range(4)),
                       [call("stock_of", sku=f"INS-{each}") for each in range(number - 4)], "All.")  # fmt: skip
    warned = [line["data"] for line in lines.lines if line["level"] == "warning"]
    assert [(each["tool_calls"], each["expected"]) for each in warned] == [(6, 5)]
    assert [line["data"]["tool_calls"] for line in lines.lines if line["message"] == "turn finished"] == [5, 6]


async def test_a_level_that_is_set_leaves_out_what_is_milder(log):
    lines = log(log_level="error")
    logging.getLogger("glassloop.runtime").warning("mild")
    logging.getLogger("somebody.else").warning("mild")
    logging.getLogger("glassloop.runtime").error("grave")
    assert [line["message"] for line in lines.lines] == ["grave"]


async def test_at_a_terminal_it_is_text_in_which_nothing_steers_the_terminal(log):
    lines = log(stream=Screen(), log="auto")
    logging.getLogger("glassloop.http").info("request", extra={"data": {"path": "/\x1b[31m", "status": 200}})
    try:
        raise RuntimeError("\x1b]0;title\x07")
    except RuntimeError:
        logging.getLogger("glassloop.http").exception("line\nbreak")
    assert "\x1b" not in lines.text
    assert "\x07" not in lines.text
    first, second, *stack = lines.text.splitlines()
    assert first[9:].startswith("info    request")
    assert "status=200" in first
    assert second.endswith("error   line\\x0abreak")
    assert stack[0] == "    Traceback (most recent call last):"


async def test_half_characters_do_not_lose_a_line(log):
    lines = log()
    logging.getLogger("glassloop.turn").info("half \ud800", extra={"data": {"tool": "\udfff"}})
    (line,) = lines.lines
    assert line["message"] == "half \\ud800"
    assert "udfff" in line["data"]["unwritable"]


async def test_afterwards_logging_is_as_it_was(settings):
    ours = logging.getLogger("glassloop")
    before = ours.handlers, ours.level, logging.getLogger().handlers
    logs = Logs(settings(), io.StringIO())
    assert logging.getLogger().handlers != before[2]
    logs.close()
    assert (ours.handlers, ours.level, logging.getLogger().handlers) == before


class Stuck(io.StringIO):
    """A stream whose reader sleeps until it is woken."""

    def __init__(self):
        super().__init__()
        self.entered = threading.Event()
        self.awake = threading.Event()

    def write(self, text):
        self.entered.set()
        self.awake.wait(WAIT_S)
        return super().write(text)


async def test_a_stream_that_nobody_reads_holds_up_nobody_and_what_is_lost_is_counted():
    stream = Stuck()
    handler = LineHandler(stream, LineFormatter(Redactor(), as_json=True), most=5)

    def say(text):
        handler.emit(logging.LogRecord("glassloop.x", logging.INFO, "", 0, text, (), None))

    say("first")
    assert stream.entered.wait(WAIT_S)
    for number in range(20):
        say(f"line {number}")
    assert handler.dropped == 15
    stream.awake.set()
    handler.close()
    messages = [msgspec.json.decode(line)["message"] for line in stream.getvalue().splitlines()]
    assert messages[:6] == ["first", *(f"line {number}" for number in range(5))]
    assert messages[6] == "15 lines were not written: nobody took them quickly enough"


async def test_a_stream_that_is_gone_ends_nothing():
    stream = io.StringIO()
    handler = LineHandler(stream, LineFormatter(Redactor(), as_json=True))
    stream.close()
    handler.emit(logging.LogRecord("glassloop.x", logging.INFO, "", 0, "into nothing", (), None))
    end = time.monotonic() + WAIT_S
    while not handler.dropped and time.monotonic() < end:
        time.sleep(0.001)
    assert handler.dropped == 1
    handler.close()
