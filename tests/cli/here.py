"""Commands run inside the test's own process, where none of its own is needed: the same entry point, in no time."""

import io
import os
import sys
import tempfile
from typing import Any, NamedTuple

import msgspec
import pytest

from glassloop.cli.main import run


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.out)


@pytest.fixture
def here(monkeypatch: Any, capsys: Any, folder: Any, environment: dict[str, str]) -> Any:
    """Runs one command to its end, with the folder and the environment that `glassloop` has."""
    monkeypatch.chdir(folder)
    for name in os.environ.keys() - environment.keys():
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def command(*arguments: str, stdin: str | bytes = b"", **settings: str) -> Done:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        with io.TextIOWrapper(tempfile.TemporaryFile(), "utf-8") as piped, monkeypatch.context() as patch:
            piped.buffer.write(given)
            piped.seek(0)
            patch.setattr(sys, "stdin", piped)
            for name, value in settings.items():
                patch.setenv(name, value)
            code = run(arguments)
        told = capsys.readouterr()
        return Done(code, told.out, told.err)

    return command


def refused(done: Any, *words: str, code: int = 2) -> None:
    """One sentence, on standard error only."""
    assert done.code == code, done
    assert done.out == ""
    assert len(done.err.strip().splitlines()) == 1, done.err
    for word in words:
        assert word in done.err
