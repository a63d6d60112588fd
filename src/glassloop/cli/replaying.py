"""Turns run again: on what was recorded, to compare; or from one of their steps on, for real."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.ask import USER, choose_decider, choose_display, report
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.latest import find_turn
from glassloop.cli.look import count
from glassloop.cli.play import COMPLETED, FAILED, Player
from glassloop.cli.running import running, where
from glassloop.cli.tell import tell
from glassloop.cli.untrusted import one_line
from glassloop.core.errors import UsageError
from glassloop.runtime.replay import ReplayReport

VALUE_CHARS = 200


def replay_turn(turn_id: str, *, assistant: str | None, as_json: bool) -> int:
    """Compares what the turn did with what it would do today."""
    chosen = where(assistant) if assistant else None
    with running(load_settings(), stored=True) as (runner, runtime):
        turn = runner.run(find_turn(runtime.store, turn_id))
        found = runner.run(runtime.replay(turn.id, assistant=chosen))
    tell(found, as_json, lambda _look: _shown(found))
    return FAILED if found.differences else COMPLETED


def fork_turn(
    turn_id: str,
    step: int,
    *,
    assistant: str | None,
    model: str | None,
    edits: Sequence[str],
    as_json: bool,
    yes: bool,
) -> int:
    """Goes on from before a step, as a new turn."""
    changed, chosen = _edits(edits), where(assistant) if assistant else None
    with running(load_settings(), stored=True) as (runner, runtime):
        turn = runner.run(find_turn(runtime.store, turn_id))
        submitted = runner.run(runtime.fork(turn.id, step, assistant=chosen, model=model, edits=changed))
        outcome = Player(runner, runtime, user=USER).follow(
            submitted, display=choose_display(as_json), decider=choose_decider(as_json=as_json, yes=yes)
        )
    report(outcome, submitted.session_id, as_json=as_json, assistant=chosen)
    return outcome.exit_code


def _edits(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for edit in given:
        key, sign, value = edit.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"--edit {edit[:60]!r} changes nothing: write question=TEXT or stepN=TEXT.")
        if key.strip() in found:
            raise UsageError(f"--edit {key.strip()[:60]!r} was given twice: give it once.")
        found[key.strip()] = value
    return found


def _shown(found: ReplayReport) -> RenderableType:
    events = count(found.compared, "event")
    parts: list[RenderableType] = []
    for difference in found.differences:
        parts.append(Text.assemble(f"{difference.seq} {difference.kind}  ", (one_line(difference.field, 200), "act")))
        for name, value in (("recorded", difference.recorded), ("now", difference.replayed)):
            told = Text.assemble((f"{name}: ", "soft"), one_line(value, VALUE_CHARS), overflow="fold")
            parts.append(Padding(told, (0, 0, 0, 4)))
    if not found.differences:
        parts.append(Text(f"No difference in {events}.", "observe"))
    else:
        parts.append(Text(f"{count(len(found.differences), 'difference')} in {events}.", "trouble"))
    if found.note:
        parts.append(Text(one_line(found.note, 400), "soft"))
    return Group(*parts)
