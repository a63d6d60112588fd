"""`glassloop trust`: settings files of a working folder count once the user has seen what they would decide."""

import os
import re
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from cli.hostile_folder import Listener, listener  # noqa: F401
from glassloop import cli

OWN = "OPENAI_API_KEY=sk-own-key-of-mine\nGLASSLOOP_MODEL=openai:mine\n"


def origins(done: Any) -> dict[str, str]:
    return {setting["name"]: setting["origin"] for setting in done.json}


def test_what_would_change_is_shown_without_secrets_and_counts_from_then_on(here: Any, folder: Path) -> None:
    (folder / ".env").write_text(f"{OWN}OPENAI_BASE_URL=http://me:pass@host/v1\n", "utf-8")
    assert origins(here("settings", "--json"))["model"] == "default"
    done = here("trust", ".", "--yes")
    assert done.code == 0
    assert "GLASSLOOP_MODEL = 'openai:mine'" in done.out
    assert "OPENAI_API_KEY = '***'" in done.out
    assert "OPENAI_BASE_URL = 'http://***@host/v1'" in done.out
    assert "sk-own" not in done.out + done.err
    assert origins(here("settings", "--json"))["model"] == ".env"
    assert "Trusted already" in here("trust").out


def test_nothing_in_a_value_or_a_path_steers_the_terminal_or_hides_another_line(
    here: Any, folder: Path, monkeypatch: Any
) -> None:
    odd = folder / "odd\x1b[2J\u202e\n"
    odd.mkdir()
    text = f"GLASSLOOP_MODEL=a\x1b[2K\x9b1A\u202eb{'x' * 5000}\nOPENAI_BASE_URL=http://\u0430pi.example\n"
    (odd / ".env").write_text(text, "utf-8")
    (odd / "glassloop.toml").write_text('embedder = "a\\nOLLAMA_HOST = harmless"\n', "utf-8")
    monkeypatch.chdir(odd)
    done = here("trust", str(odd), "--yes")
    assert done.code == 0
    assert not {"\x1b", "\x9b", "\u202e", "\u0430"} & set(done.out)
    assert r"'a\x1b[2K\x9b1A\u202eb" in done.out
    assert "more characters" in done.out
    assert r"'a\nOLLAMA_HOST = harmless'" in done.out
    assert max(map(len, done.out.splitlines())) < 500


def test_where_nobody_can_be_asked_it_stays_refused(here: Any, folder: Path) -> None:
    (folder / ".env").write_text(OWN, "utf-8")
    done = here("trust")
    assert done.code == 2
    assert "add --yes" in done.err
    assert origins(here("settings", "--json"))["model"] == "default"


def test_a_file_that_changed_is_untrusted_again_and_trust_can_be_taken_back(here: Any, folder: Path) -> None:
    (folder / ".env").write_text(OWN, "utf-8")
    here("trust", ".env", "--yes")
    assert origins(here("settings", "--json"))["openai.api_key"] == ".env"
    (folder / ".env").write_text(f"{OWN}OLLAMA_HOST=http://other\n", "utf-8")
    done = here("settings", "--json")
    assert origins(done)["openai.api_key"] == "default"
    assert len(done.err.splitlines()) == 1
    assert "GLASSLOOP_MODEL, OLLAMA_HOST, OPENAI_API_KEY (`glassloop trust .`" in done.err
    here("trust", "--yes")
    assert here("trust", "--no").code == 0
    done = here("settings", "--json")
    assert (origins(done)["model"], done.err) == ("default", "")


def test_a_folder_without_anything_to_decide_says_so_and_one_that_is_none_is_refused(here: Any, folder: Path) -> None:
    (folder / ".env").write_text("GLASSLOOP_PRESET=speed\nDATABASE_URL=postgresql://other\n", "utf-8")
    assert "waits for your decision" in here("trust").out
    assert here("settings", "--json").err == ""
    refused(here("trust", "none-such"), "is no folder")
    refused(here("trust", "--yes", "--no"), "exclude each other")


def test_in_a_terminal_one_key_is_enough_and_it_is_asked_once(terminal: Any, folder: Path) -> None:
    (folder / ".env").write_text("GLASSLOOP_MODEL=reflex\nREACT_MAX_ITERATIONS=3\n", "utf-8")
    first = terminal("settings")
    first.expect("GLASSLOOP_MODEL = 'reflex'")
    first.expect("Use exactly these settings? y(es), n(o): ")
    first.type("y\n")
    first.expect("max_iterations = 3  .env")
    assert first.leave() == 0
    second = terminal("settings")
    second.expect("max_iterations = 3  .env")
    assert second.leave() == 0
    assert "Use exactly" not in second.text


def test_in_a_terminal_no_is_remembered_too_and_anything_else_is_neither(terminal: Any, folder: Path) -> None:
    (folder / ".env").write_text("REACT_MAX_ITERATIONS=3\n", "utf-8")
    for answer, asked in (("", True), ("n", True), ("n", False)):
        screen = terminal("settings")
        if asked:
            screen.expect("Use exactly these settings? y(es), n(o): ")
            screen.type(f"{answer}\n")
        screen.expect("max_iterations = 5  default")
        assert screen.leave() == 0
        assert ("Use exactly" in screen.text) is asked


def test_a_terminal_is_not_asked_what_the_environment_decides(terminal: Any, folder: Path) -> None:
    (folder / ".env").write_text("REACT_MAX_ITERATIONS=3\n", "utf-8")
    screen = terminal("settings", REACT_MAX_ITERATIONS="4")
    screen.expect("max_iterations = 4  environment")
    assert screen.leave() == 0
    assert "Use exactly" not in screen.text


def test_trust_itself_asks_in_a_terminal(terminal: Any, folder: Path) -> None:
    (folder / "glassloop.toml").write_text("max_iterations = 3\n", "utf-8")
    screen = terminal("trust", ".")
    screen.expect("REACT_MAX_ITERATIONS = 3")
    screen.type("n\n")
    assert screen.leave() == 1
    assert "Nothing was trusted." in screen.text


def test_every_command_loads_its_settings_where_a_person_can_be_asked() -> None:
    folder = Path(cli.__file__).parent
    direct = [
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        if "runtime.settings import" in path.read_text("utf-8")
    ]
    for name in set(direct) - {"folder_settings.py"}:
        imported = re.findall(r"runtime\.settings import (.+)", (folder / name).read_text("utf-8"))
        assert "load_settings" not in " ".join(imported), f"{name}: import it from glassloop.cli.folder_settings"


REDIRECTED = {
    "a model with a key of its own": (
        "GLASSLOOP_MODEL=openai:helper\nOPENAI_BASE_URL={url}/v1\nOPENAI_API_KEY=sk-evil\n",
        {"GLASSLOOP_FALLBACK_MODEL": ""},
        "",
    ),
    "the default address of a local model": ("OLLAMA_HOST={url}\n", {}, 'model = "ollama:qwen3:8b"\n'),
    "an embedder": ("GLASSLOOP_EMBEDDER=openai:emb\nOPENAI_BASE_URL={url}/v1\n", {}, ""),
}


@pytest.mark.parametrize("way", REDIRECTED)
def test_a_folder_sends_no_conversation_anywhere(
    here: Any,
    listener: Listener,  # noqa: F811
    folder: Path,
    tmp_path: Path,
    way: str,
) -> None:
    text, environment, home = REDIRECTED[way]
    (tmp_path / "home" / "glassloop.toml").write_text(home, "utf-8")
    (folder / ".env").write_text(text.format(url=listener.url), "utf-8")
    lines = ("ask", "What is 2 + 2?"), ("sessions", "search", "bank")
    said = [here(*line, **environment).err for line in lines]
    assert not listener.requests
    # Told once in a process.
    assert "are ignored" in said[0]


def test_a_folder_cannot_have_a_conversation_left_unstored(here: Any, folder: Path) -> None:
    (folder / ".env").write_text("SESSION_STORE_ENABLED=false\n", "utf-8")
    assert here("ask", "-m", "reflex", "--session", "s-1", "What is 2 + 2?").code == 0
    assert "s-1" in here("sessions", "list").out


@pytest.mark.parametrize("trusted", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_server_started_in_a_folder_deletes_nothing(
    here: Any, start: Any, folder: Path, tmp_path: Path, trusted: bool
) -> None:
    assert here("ask", "-m", "reflex", "--session", "s-1", "What is 2 + 2?").code == 0
    with sqlite3.connect(tmp_path / "home" / "glassloop.db") as database:
        ten_days_ago = time.time() - 10 * 86_400
        for table in ("sessions", "turns"):
            columns = [row[1] for row in database.execute(f"pragma table_info({table})") if row[1].endswith("_at")]
            database.execute(f"update {table} set {', '.join(f'{name} = {ten_days_ago}' for name in columns)}")
    database.close()
    (folder / ".env").write_text("GLASSLOOP_RETENTION_DAYS=0.0001\nGLASSLOOP_TITLES=false\n", "utf-8")
    if trusted:
        here("trust", "--yes")
    server = start("serve", "--port", "0")
    while b"Admin: " not in (line := server.stdout.readline()):
        assert line, server.stderr.read()
    os.kill(server.pid, signal.SIGTERM)
    assert server.wait(60) == 0
    assert "s-1" in here("sessions", "list").out
