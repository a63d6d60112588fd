"""Six programs of the cookbook beside those of three peers: their lines, and what happens when something goes wrong.

    python bench/programs.py [PROGRAM …] [--peer NAME …]

Each program is run against the same stand-in for a provider (`tests/model_server.py`) and killed, asked twice or given
a wrong type there. Prints Markdown tables; ends with 1 where a program of ours has more lines than another, or does not
do its work. The peers' programs lie in `bench/programs`, with what they stand on; the venvs are made in `.bench`.
"""

import argparse
import ast
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import venvs
from peers_folder import HOME, ROOT

sys.path.insert(0, str(ROOT / "tests"))

from model_server import ModelServer, Reply, model_server

FOLDER = ROOT / "bench" / "programs"
OURS = "glassloop"
PEERS = (OURS, "pydantic_ai", "openai_agents", "langgraph")
WAIT_S = 300.0
ERROR = re.compile(r"^(?:\w+\.)*([A-Z]\w+(?:: .*)?)$", re.M)

CITY = {"name": "Osaka", "country": "Japan", "population": 2_750_000}
WRONG = {**CITY, "population": "many"}
TIDE = "The moon pulls at the sea. The sea follows, twice a day, a little later each time."
CHARGES: list[Reply] = [*({"charge": {"order": f"A-{number}"}} for number in (1, 2, 3)), "All three are charged."]
SCRIPT: dict[str, Sequence[Reply]] = {
    "How many BRG-6204": [{"stock_of": {"sku": "BRG-6204"}}, "There are 140 units of BRG-6204."],
    "Expo 2025": [{"output": CITY}],
    "tide": [TIDE],
    "Is BRG-6204 in stock": [
        [{"ask_storekeeper": "Units of BRG-6204?"}, {"ask_buyer": "Price of BRG-6204?"}],
        "140 are there, at 4.50 euros each.",
    ],
    "Units of BRG-6204": [{"stock_of": {"sku": "BRG-6204"}}, "140."],
    "Price of BRG-6204": [{"price_of": {"sku": "BRG-6204"}}, "4.50 euros."],
    "Refund": [{"refund": {"order": "A-17", "amount": 30.0}}, "30 euros are paid back."],
    "Charge A-1": CHARGES,
}


def path_of(peer: str, program: str) -> Path:
    folder = ROOT / "examples" / "cookbook" if peer == OURS else FOLDER / peer
    return folder / f"{program}.py"


def lines(path: Path) -> int:
    """Lines that are neither blank nor a comment, without the module's docstring. All are formatted by ruff alike."""
    text = path.read_text("utf-8")
    first = ast.parse(text).body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    kept = text.splitlines()[first.end_lineno if is_text else 0 :]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in kept)


class Trial:
    """A program of one peer, in an empty folder, with its own stand-in."""

    def __init__(self, peer: str, program: str, server: ModelServer, folder: Path) -> None:
        self.server, self.folder = server, folder
        python = sys.executable if peer == OURS else str(HOME / "venvs" / f"programs_{peer}" / "bin" / "python")
        self._command = [python, str(FOLDER / "launch.py"), str(path_of(peer, program))]
        shop = server.url.removesuffix("/v1")
        unwanted = ("_API_KEY", "GLASSLOOP_", "PYTHONPATH")
        kept = {name: value for name, value in os.environ.items() if not any(part in name for part in unwanted)}
        self._environment = {
            **kept,
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "none",
            "SHOP_URL": f"{shop}/effects",
            "GLASSLOOP_HOME": str(folder / "home"),
        }

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*self._command, *arguments],
            cwd=self.folder,
            env=self._environment,
            stdout=pipe,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self) -> str:
        """To its end; what it printed last, or the error that ended it."""
        said, _ = self.start().communicate(timeout=WAIT_S)
        found = ERROR.findall(said) if "Traceback" in said else said.strip().splitlines()
        return found[-1] if found else ""

    def kill_at(self, moment: str) -> None:
        """Starts it, and kills it at that moment of the stand-in."""
        self.server.hold = moment
        process = self.start()
        held = self.server.held.wait(WAIT_S)
        self._kill(process)
        if not held:
            raise RuntimeError(f"it never came to {moment}")

    def _kill(self, process: "subprocess.Popen[str]") -> None:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.server.released.set()
        self.server.held.clear()

    @contextmanager
    def served(self, *, kill: bool = False) -> Iterator[str]:
        """The web app, at an address; killed at the end, or ended."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = self.start(str(port))
        try:
            _wait_for(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            if kill:
                self._kill(process)
            else:
                process.terminate()
                process.communicate(timeout=WAIT_S)


def _wait_for(port: int, process: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    process.kill()
    raise RuntimeError(process.communicate()[0][-2000:])


@contextmanager
def trial(peer: str, program: str, script: Mapping[str, Sequence[Reply]] | None = None) -> Iterator[Trial]:
    with model_server(script or SCRIPT) as server, tempfile.TemporaryDirectory() as folder:
        yield Trial(peer, program, server, Path(folder))


def post(url: str, body: Any = None) -> dict[str, Any]:
    data = json.dumps(body).encode() if body is not None else b""
    request = urllib.request.Request(url, data=data, method="POST", headers={"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return {"error": error.code}
    except (urllib.error.URLError, ConnectionError) as error:
        return {"error": str(error)}


def tool_agent(peer: str) -> str:
    with trial(peer, "tool_agent") as one:
        return _expect(one.run(), "There are 140 units of BRG-6204.")


def typed_output(peer: str) -> str:
    with trial(peer, "typed_output") as one:
        return _expect(one.run(), "Osaka, Japan: 2,750,000")


def wrong_type_once(peer: str) -> str:
    with trial(peer, "typed_output", {"Expo 2025": [{"output": WRONG}, {"output": CITY}]}) as one:
        said = one.run()
        return f"{said!r} after {len(one.server.requests)} replies"


def wrong_type_always(peer: str) -> str:
    with trial(peer, "typed_output", {"Expo 2025": [{"output": WRONG}]}) as one:
        said = one.run()
        return f"{said[:110]!r} after {len(one.server.requests)} replies"


def streaming_page(peer: str) -> str:
    with trial(peer, "streaming_page") as one, one.served() as url:
        one.server.hold = "chunk:4"
        with urllib.request.urlopen(f"{url}/ask?{urllib.parse.urlencode({'q': 'What is the tide?'})}") as answer:
            # The stand-in has written 24 characters, and waits.
            first = answer.read1(1000).decode() if one.server.held.wait(WAIT_S) else ""
            one.server.released.set()
            whole = first + answer.read().decode()
        early = f"{len(first)} characters were there before the model had ended"
        return early if whole == TIDE else f"BROKEN: {whole!r}"


def sub_agents(peer: str) -> str:
    with trial(peer, "sub_agents") as one:
        return _expect(one.run(), "140 are there, at 4.50 euros each. 180")


def approval_app(peer: str) -> str:
    with trial(peer, "approval_app") as one, one.served() as url:
        asked = _ask(url)
        before = len(one.server.effects)
        told = _decide(url, asked)
        return _expect(f"{before} {len(one.server.effects)} {told.get('answer')}", "0 1 30 euros are paid back.")


def approval_after_kill(peer: str) -> str:
    with trial(peer, "approval_app") as one:
        with one.served(kill=True) as url:
            asked = _ask(url)
        with one.served() as url:
            told = _decide(url, asked)
        return f"{_refunds(one)}, {_brief(told)}"


def approval_twice(peer: str) -> str:
    """Two clicks at once."""
    with trial(peer, "approval_app") as one, one.served() as url:
        asked = _ask(url)
        with ThreadPoolExecutor() as pool:
            told = list(pool.map(lambda _: _decide(url, asked), range(2)))
        return f"{_refunds(one)}, {'; '.join(_brief(each) for each in told)}"


def kill_in_approved_effect(peer: str) -> str:
    """The money is paid back, the app is killed before it knows, and the person approves again."""
    with trial(peer, "approval_app") as one:
        with ThreadPoolExecutor() as pool, one.served(kill=True) as url:
            asked = _ask(url)
            one.server.hold = "effect:1"
            pool.submit(_decide, url, asked)
            if not one.server.held.wait(WAIT_S):
                return "BROKEN: it was never paid back"
        with one.served() as url:
            told = _decide(url, asked)
            # Ours refuses the decision, which was for what was shown before: what does it show now?
            now = post(f"{url}/decide/{asked['run']}", []) if "error" in told else {}
        shown = f"; then asks: {now['asked'][0]['doubt']}" if "asked" in now else ""
        return f"{_refunds(one)}, {_brief(told)}{shown}"


def crash_recovery(peer: str) -> str:
    with trial(peer, "crash_recovery") as one:
        return _expect(f"{one.run()} {len(one.server.effects)}", "All three are charged. 3")


def kill_between_steps(peer: str) -> str:
    with trial(peer, "crash_recovery") as one:
        one.kill_at("model:3")
        before = len(one.server.requests)
        said = one.run()
        return f"{_charges(one)}; {len(one.server.requests) - before} replies more, {said[:100]!r}"


def kill_in_effect(peer: str) -> str:
    with trial(peer, "crash_recovery") as one:
        one.kill_at("effect:2")
        said = one.run()
        return f"{_charges(one)}; {said[:130]!r}"


def _ask(url: str) -> dict[str, Any]:
    return post(f"{url}/ask?{urllib.parse.urlencode({'question': 'Refund 30 euros of A-17.'})}")


def _decide(url: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """In the form of each program: by the digest of what was shown, by the call's id, or by place."""
    calls = asked["asked"]
    if "digest" in calls[0]:
        said: Any = [{"call_id": call["call_id"], "digest": call["digest"], "approved": True} for call in calls]
    else:
        said = {call["id"]: True for call in calls} if "id" in calls[0] else [True for _ in calls]
    return post(f"{url}/decide/{asked['run']}", said)


def _brief(told: Mapping[str, Any]) -> str:
    return "waits, and asks" if "asked" in told else json.dumps(dict(told))[:90]


def _refunds(one: Trial) -> str:
    return f"paid back {len(one.server.effects)}×"


def _charges(one: Trial) -> str:
    orders = [effect["order"] for effect in one.server.effects]
    return ", ".join(f"{order} {orders.count(order)}×" for order in sorted(set(orders)))


def _expect(said: str, wanted: str) -> str:
    return "works" if said == wanted else f"BROKEN: {said[:300]!r}"


PROGRAMS: dict[str, Callable[[str], str]] = {
    "tool_agent": tool_agent,
    "typed_output": typed_output,
    "streaming_page": streaming_page,
    "sub_agents": sub_agents,
    "approval_app": approval_app,
    "crash_recovery": crash_recovery,
}
TROUBLES: dict[str, tuple[str, Callable[[str], str]]] = {
    "a wrong type, once": ("typed_output", wrong_type_once),
    "a wrong type, again and again": ("typed_output", wrong_type_always),
    "`kill -9` while an approval waits": ("approval_app", approval_after_kill),
    "the same approval twice at once": ("approval_app", approval_twice),
    "`kill -9` in the approved effect, then approved again": ("approval_app", kill_in_approved_effect),
    "`kill -9` between two steps, started again": ("crash_recovery", kill_between_steps),
    "`kill -9` in an effect, started again": ("crash_recovery", kill_in_effect),
}


def table(title: str, peers: Sequence[str], rows: Mapping[str, Mapping[str, str]]) -> None:
    print(f"\n| {title} | {' | '.join(peers)} |\n|{' --- |' * (len(peers) + 1)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells[peer].replace('|', '/') for peer in peers)} |")


def tried(check: Callable[[str], str], peer: str) -> str:
    try:
        return check(peer)
    except Exception as error:
        return f"BROKEN: {error!r}"[:600]


def main() -> int:
    parser = argparse.ArgumentParser(description="Six programs beside those of three peers.")
    parser.add_argument("program", nargs="*", help=f"only these: {', '.join(PROGRAMS)}")
    parser.add_argument("--peer", nargs="+", default=PEERS, metavar="NAME", help=f"only these: {', '.join(PEERS)}")
    asked = parser.parse_args()
    programs, pins = asked.program or list(PROGRAMS), venvs.pins(FOLDER)
    for peer in asked.peer:
        if peer != OURS and (reason := venvs.ready(f"programs_{peer}", pins[peer])):
            sys.exit(f"{peer} cannot be installed: {reason}")
    counts = {name: {peer: lines(path_of(peer, name)) for peer in asked.peer} for name in programs}
    works = {name: {peer: tried(PROGRAMS[name], peer) for peer in asked.peer} for name in programs}
    shown = {
        name: {
            peer: f"{counts[name][peer]}" + ("" if works[name][peer] == "works" else f": {works[name][peer]}")
            for peer in asked.peer
        }
        for name in programs
    }
    table("lines", asked.peer, shown)
    troubles = {name: check for name, (program, check) in TROUBLES.items() if program in programs}
    table(
        "what happens at",
        asked.peer,
        {name: {peer: tried(check, peer) for peer in asked.peer} for name, check in troubles.items()},
    )
    longer = [name for name, count in counts.items() if count.get(OURS, 0) > min(count.values())]
    broken = [f"{peer} {name}" for name, cells in works.items() for peer, cell in cells.items() if "BROKEN" in cell]
    print(f"\nlonger than another: {', '.join(longer) or 'none'}; broken: {', '.join(broken) or 'none'}")
    return 1 if longer or broken else 0


if __name__ == "__main__":
    sys.exit(main())
