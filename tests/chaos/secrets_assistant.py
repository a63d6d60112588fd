"""An assistant that is told secrets, passes them on and gets new ones; and a server around it, as a process of its own.

Every secret of a run has the run's marker at its beginning and its end, so that one search finds each of them, whole or
in part. What the tools were given goes into the diary as a digest.
"""

import asyncio
import hashlib
import logging
import os
import re
import signal
import sys

from chaos.assistant import LATENCY_S, Diary
from glassloop import Agent, tool
from glassloop.core.messages import Abilities, AssistantMessage, Reply, TextChunk, ToolMessage, Usage, UserMessage
from glassloop.core.records import ToolCall
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import Settings
from glassloop.server.app import create_app
from glassloop.server.auth.authentication import Authenticator
from glassloop.server.observability.logs import Logs
from glassloop.server.observability.metrics import Telemetry
from server.listening import listening

TOKEN = "an-admin-token-of-tests"
LOOK_S = 0.05
AFTER_SAVING, AFTER_SIGNING_UP = "dies after saving", "dies after signing up"
ACCOUNT = re.compile(r"account-(\w+)")
SAID = re.compile(r"password: (?P<password>\S+) key (?P<key>\S+) at (?P<url>\S+)")
BEARER = re.compile(r"Bearer ([\w-]+)")


def secret_of(marker, account, kind):
    return f"{marker}{account}{kind}4{marker}"


def question_of(marker, account, dies=""):
    said = {kind: secret_of(marker, account, kind) for kind in ("password", "key", "url")}
    return (
        f"Set account-{account} up. It {dies or 'lives'}."
        f" password: {said['password']} key sk-proj-{said['key']} at https://ann:{said['url']}@example.org/x"
    )


def taken_by_tools(marker, account):
    """What the tools of one turn have to be given."""
    said = {kind: secret_of(marker, account, kind) for kind in ("password", "key", "url", "issued", "bearer", "made")}
    said |= {"key": f"sk-proj-{said['key']}", "url": f"https://ann:{said['url']}@example.org/x"}
    return set(said.values())


def digest_of(value):
    return hashlib.sha256(value.encode()).hexdigest()


def settings_for(folder, url):
    rates = {"session_rate": 0, "request_rate": 0, "user_turns": 0}
    return Settings(
        home=str(folder), database_url=url, log="json", log_level="debug", admin_token=TOKEN, embedder="none", **rates
    )


class Courier:
    """The model: passes on what it was told, which it finds only where it was told the real values."""

    name = "courier"
    abilities = Abilities()

    def __init__(self, marker):
        self._marker = marker

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        asked, question = next(
            (number, message.content)
            for number, message in reversed(list(enumerate(request.messages)))
            if isinstance(message, UserMessage) and ACCOUNT.search(message.content)
        )
        since = request.messages[asked:]
        made = sum(isinstance(message, AssistantMessage) and bool(message.calls) for message in since)
        results = " ".join(message.content for message in since if isinstance(message, ToolMessage))
        await asyncio.sleep(LATENCY_S)
        message = self._next(question, results, made)
        if message.text:
            yield TextChunk(message.text)
        usage = Usage(input_tokens=10, output_tokens=5, cost=0.0)
        yield Reply(message=message, usage=usage, stop="tool_use" if message.calls else "end_turn", model=self.name)

    def _next(self, question, results, made):
        account = ACCOUNT.search(question)[1]
        said, bearer = SAID.search(question), BEARER.search(results)
        if said is None or (made and bearer is None):
            return AssistantMessage(text="The values are not there.")
        calls = [
            [("issue_key", {"account": account})],
            [("save", {"value": value, "dies": ""}) for value in (said["key"], said["url"])]
            + [("save", {"value": bearer and bearer[1], "dies": account if AFTER_SAVING in question else ""})],
            [("sign_up", {"password": said["password"], "dies": account if AFTER_SIGNING_UP in question else ""})],
            [("save", {"value": "${step1.result.access_key}", "dies": ""})],
            [("break_down", {"password": secret_of(self._marker, account, "made")})],
        ]
        if made == len(calls):
            return AssistantMessage(text=f"Done with {said['key']}, {said['password']} and {bearer[1]}.")
        return AssistantMessage(calls=tuple(ToolCall(id="", tool=name, args=args) for name, args in calls[made]))


def make_agent(diary, marker):
    """An agent that any process makes alike."""

    def take(value, dies=""):
        diary.note("took", digest_of(value))
        if dies:
            try:
                os.close(os.open(diary.folder / f"died-{dies}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            diary.note("died", dies)
            os.kill(os.getpid(), signal.SIGKILL)

    @tool(effect="read", integrity="trusted", volatile=True)
    async def issue_key(account: str) -> dict[str, str]:
        """Make a key and a header."""
        header = f"Authorization: Bearer {secret_of(marker, account, 'bearer')}"
        dashes = "-" * 5
        pem = f"{dashes}BEGIN PRIVATE KEY{dashes}\n{secret_of(marker, account, 'pem')}\n{dashes}END PRIVATE KEY{dashes}"
        return {"access_key": secret_of(marker, account, "issued"), "header": header, "file": pem}

    @tool(effect="write", integrity="trusted", idempotent=True)
    async def save(value: str, dies: str) -> str:
        """Save a value, once however often it is asked to."""
        take(value, dies)
        return f"saved {value}"

    def preview(password: str, dies: str) -> dict[str, str]:
        return {"with": password, "dies": dies}

    @tool(effect="write", integrity="trusted", confirm=True, preview=preview)
    async def sign_up(password: str, dies: str) -> str:
        """Make an account that a person allows."""
        take(password, dies)
        return f"made with {password}"

    @tool(effect="read", integrity="trusted", volatile=True)
    async def break_down(password: str) -> str:
        """Fail, and say with what."""
        take(password)
        logging.getLogger("glassloop.extensions.accounts").warning("refused", extra={"data": {"password": password}})
        raise RuntimeError(f"refused {password!r}")

    return Agent(Courier(marker), [issue_key, save, sign_up, break_down], max_iterations=20)


async def serve(orders):
    """A server that runs turns, with its log and its metrics, until it is told to end."""
    diary, settings = Diary(orders["folder"]), settings_for(orders["folder"], orders["url"])
    logs, telemetry, ended = Logs(settings, sys.stderr), Telemetry(settings), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    runtime = await open_runtime(
        settings,
        make=lambda _: make_agent(diary, orders["marker"]),
        queue=orders["queue"],
        lease_s=orders["lease_s"],
        observers=telemetry.observers,
    )
    telemetry.attach(runtime)
    app = create_app(runtime, settings, Authenticator(settings, runtime.store))
    app.state.metrics = telemetry.metrics
    async with listening(app) as url:
        diary.note("ready", url)
        while not ended.is_set():
            await runtime.reconcile()
            await asyncio.wait([asyncio.ensure_future(ended.wait())], timeout=LOOK_S)
    await telemetry.detach()
    await runtime.aclose(5.0)
    logs.close()
