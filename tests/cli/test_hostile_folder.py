"""Every command may be typed in a folder of somebody else's: nothing in it runs, and nothing in it is obeyed."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import typer.main

from cli.hostile_folder import POLICY, Traps, commands, listener, traps, words  # noqa: F401
from glassloop.cli.main import app

WAIT_S = 300.0
COMMAND = str(Path(sys.executable).with_name("glassloop"))
REACHING = ("ask", "sessions search", "serve", "import knowledge", "tools")
"""Those that reach furthest: a model, an index, a server, a reader of documents, somebody's tools."""

READY = {"serve": "Admin: "}
"""What commands that run until they are told to stop say before that."""


def run_to_end(
    name: str, line: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: bytes = b"What is 2 times 3?\n"
) -> str:
    """What the command said on standard error."""
    process = subprocess.Popen(
        [COMMAND, *line],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**environment, "GLASSLOOP_MODELS_OFFLINE": "true"},
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        if name in READY:
            while READY[name] not in (said := process.stdout.readline().decode()):
                assert said, process.communicate(timeout=WAIT_S)[1].decode()
            process.send_signal(signal.SIGTERM)
        return process.communicate(b"" if name in READY else stdin, WAIT_S)[1].decode()
    finally:
        process.kill()
        process.wait(WAIT_S)


@pytest.fixture
def asked(tmp_path: Path, environment: dict[str, str]) -> None:
    """A conversation of the user's own from before, in a folder of their own: ten turns, more than are read at once."""
    own = tmp_path / "own"
    own.mkdir()
    questions = "".join(f"What is 6 times {number}?\n" for number in range(10)).encode()
    run_to_end("chat", ("chat", "-m", "reflex", "--session", "s-1"), own, environment, questions)


@pytest.fixture
def documents(traps: Traps) -> None:  # noqa: F811
    (traps.folder / "documents").mkdir()
    (traps.folder / "documents" / "page.html").write_text("<h1>Signing</h1><p>Orders need two signatures.</p>")


def test_every_command_understands_what_it_is_tried_with() -> None:
    """Else it would be refused before it reads anything of a folder."""
    for name, command in commands(typer.main.get_command(app)).items():
        given = words(name, command)[len(name.split()) :]
        try:
            command.make_context(name, given)
        except Exception as error:
            raise AssertionError(f"`glassloop {name} {' '.join(given)}`: add it to ARGUMENTS") from error


@pytest.mark.parametrize(
    "chosen", [pytest.param(REACHING, id="reaching"), pytest.param((), id="every", marks=pytest.mark.slow)]
)
def test_no_command_runs_or_obeys_anything_of_a_folder(
    traps: Traps,  # noqa: F811
    asked: None,
    documents: None,
    environment: dict[str, str],
    chosen: Sequence[str],
) -> None:
    every = commands(typer.main.get_command(app))

    def run(name: str) -> tuple[str, str, list[str]]:
        said = run_to_end(name, words(name, every[name]), traps.folder, environment)
        return name, said, traps.sprung()

    with ThreadPoolExecutor(2) as threads:
        for name, said, sprung in threads.map(run, chosen or every):
            assert not sprung, f"by then at `glassloop {name}`: {sprung}"
            assert "--help" not in said, f"`glassloop {name}` was not understood: add it to ARGUMENTS"
            assert "unexpected" not in said, (name, said)
    assert (
        "6 times 7"
        in subprocess.run(
            [COMMAND, "sessions", "show", "s-1"], cwd=traps.folder, env=environment, capture_output=True, text=True
        ).stdout
    )


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(("ask", "-a", "business", POLICY), marks=pytest.mark.slow),
        pytest.param(("sessions", "search", "times"), marks=pytest.mark.slow),
        ("import", "knowledge", "./documents"),
    ],
)
def test_what_a_folder_calls_as_our_modules_is_not_imported_where_documents_are_read(
    traps: Traps,  # noqa: F811
    asked: None,
    documents: None,
    environment: dict[str, str],
    line: Sequence[str],
) -> None:
    (traps.folder / ".env").unlink()
    (traps.folder / "glassloop.toml").unlink()
    said = run_to_end(line[0], line, traps.folder, environment)
    assert not traps.sprung()
    assert "stopped its reader" not in said


@pytest.mark.parametrize(("options", "traps_kept"), [(("-P",), ("glassloop", "typing.py")), ((), ())])
def test_as_a_module_it_searches_the_folder_for_nothing_once_it_runs(
    traps: Traps,  # noqa: F811
    environment: dict[str, str],
    options: Sequence[str],
    traps_kept: Sequence[str],
) -> None:
    """Without `-P` Python itself looks for `glassloop`, and what that begins with, in the folder first."""
    kept = ("html.py", "resource.py", "docx.py", "json.py", "logging.py", "typer.py", "msgspec.py", *traps_kept)
    for path in traps.folder.iterdir():
        if path.name not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    line = [sys.executable, *options, "-m", "glassloop", "assistants"]
    done = subprocess.run(line, cwd=traps.folder, env=environment, capture_output=True, text=True, timeout=WAIT_S)
    assert "general" in done.stdout, done.stderr
    assert not traps.sprung()
