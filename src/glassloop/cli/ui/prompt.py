"""Lines from the person at the terminal, with history where the platform has it; and from a pipe, with a bound.

Owns reading. What a line means is for those who ask.
"""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from glassloop.cli.ui.safe_text import safe_text
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.own_folder import make_own

MAX_QUESTION_BYTES = 200_000
MAX_HISTORY_LINES = 1_000

try:
    import readline
except ImportError:  # Windows has none; lines are then read without history.
    readline = None


AskLine = Callable[[str, str], str]
"""Asks for one line: the prompt, and what to begin with. Raises `EOFError` when nobody answers."""

Completer = Callable[[str], Sequence[str]]
"""What a word that was begun may become, whole words, best first."""
MAX_COMPLETIONS = 200


def ask_line(prompt: str, begin: str = "") -> str:
    """One line from the terminal; `begin` stands there already, to be edited."""
    if readline is None or not begin:
        return input(prompt)
    line_editor = readline
    line_editor.set_startup_hook(lambda: line_editor.insert_text(begin))
    try:
        return input(prompt)
    finally:
        line_editor.set_startup_hook()


def ask_aside(prompt: str, _begin: str = "") -> str:
    """The same with the prompt on standard error, for where standard output is not for people."""
    print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline(MAX_QUESTION_BYTES)
    if not line:
        raise EOFError
    return line.rstrip("\n")


def can_ask(shown: TextIO) -> bool:
    """Whether there is somebody to ask: both what is read and what is shown are a terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and shown.isatty()


def confirm(question: str, *, yes: bool, unattended: str, refused: str) -> None:
    """Goes on only when a person says so, or has said so by `--yes`; raises `unattended` where nobody can be asked."""
    if yes:
        return
    if not can_ask(sys.stdout):
        raise UsageError(unattended)
    try:
        answer = ask_line(safe_text(f"{question} y(es), n(o): ")).strip().lower()
    except EOFError:
        answer = ""
    if answer not in ("y", "yes"):
        raise GlassloopError(refused)


@contextmanager
def line_history(path: Path) -> Generator[None]:
    """Lines of earlier chats for the arrow keys, kept for the next one, readable by their owner only.

    A history that cannot be read or written is no reason not to chat.
    """
    if readline is None:
        yield
        return
    readline.set_history_length(MAX_HISTORY_LINES)
    with suppress(OSError):
        readline.read_history_file(path)
    try:
        yield
    finally:
        with suppress(OSError):
            make_own(path.parent)
            path.touch(mode=0o600)
            readline.write_history_file(path)


@contextmanager
def completing(complete: Completer | None) -> Generator[None]:
    """Tab completes the word before the cursor; None leaves the keys as they are."""
    if readline is None or complete is None:
        yield
        return
    found: list[str] = []

    def nth(word: str, number: int) -> str | None:
        if number == 0:
            found[:] = complete(word)[:MAX_COMPLETIONS]
        return found[number] if number < len(found) else None

    before = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(nth)
    readline.set_completer_delims(" \t\n")
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])


def read_question(given: str | None) -> str:
    """The question as given, or from standard input when it is `-` or missing and something is piped in."""
    if given is not None and given != "-":
        return _text(given.encode("utf-8", "surrogateescape"))
    if given is None and sys.stdin.isatty():
        raise UsageError('No question given: run glassloop ask "QUESTION", or pipe the question in.')
    raw = sys.stdin.buffer.read(MAX_QUESTION_BYTES + 1)
    question = _text(raw)
    if not question.strip():
        raise UsageError('Standard input is empty: run glassloop ask "QUESTION", or pipe the question in.')
    return question


def piped_lines() -> Iterator[str]:
    """The lines of standard input, as far as there are any; empty ones are left out."""
    while raw := sys.stdin.buffer.readline(MAX_QUESTION_BYTES + 1):
        if line := _text(raw).strip():
            yield line


def _text(raw: bytes) -> str:
    if len(raw) > MAX_QUESTION_BYTES:
        raise UsageError(
            f"The question is longer than {MAX_QUESTION_BYTES:,} bytes: shorten it, or attach it as a file (--attach)."
        )
    return raw.decode("utf-8", "replace")
