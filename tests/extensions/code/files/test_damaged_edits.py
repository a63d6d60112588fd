"""Edits of real files, damaged as models damage them: applied where they are meant, or refused with those lines."""

import re
from collections import Counter, defaultdict

import pytest

from extensions.code.files.damaged_edits import NOT_THERE, damaged_edits
from glassloop.core.errors import ToolError
from glassloop.extensions.code.access import open_workspace
from glassloop.extensions.code.files.planning import ChangePlanner, TextEdit
from glassloop.extensions.code.files.read_memory import SeenFiles
from glassloop.runtime.workspaces import Workspace

MEANT = ("indentation", "newlines", "blanks", "quotes", "exact")


def outcome(edit, written, error):
    if written is None:
        return "refused, lines shown" if shows(edit, error) else "refused"
    if edit.damage in NOT_THERE:
        return "wrong place"
    if written == edit.after:
        return "applied"
    lines = edit.before.splitlines(keepends=True)
    head, tail = "".join(lines[: edit.first - 1]), "".join(lines[edit.last :])
    if not written.startswith(head) or not written.endswith(tail):
        return "wrong place"
    # What is written is `new` itself: the blanks at the ends of its lines too.
    return "applied, blanks as given" if stripped(written) == stripped(edit.after) else "written otherwise"


def stripped(text):
    return [line.rstrip() for line in text.rstrip().split("\n")]


def shows(edit, error):
    """Whether a refusal has one of the meant lines with its number."""
    lines = edit.before.splitlines()
    return any(
        re.search(rf"(?m)\b{number}\b.*{re.escape(lines[number - 1].strip())}", error)
        for number in range(edit.first, edit.last + 1)
        if lines[number - 1].strip()
    )


def planned(pack, path, edit):
    """The file as it would be written, or why not."""
    pack.put(path, edit.before)
    with open_workspace(Workspace(root=pack.root, user="ann", session_id="s1")) as files:
        try:
            (plan,) = ChangePlanner(files, SeenFiles()).edit([TextEdit(path=path, old=edit.old, new=edit.new)])
        except ToolError as error:
            return None, str(error)
    return plan.after.decode(), ""


@pytest.mark.parametrize("each", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_damaged_edits_of_real_files_are_applied_where_they_are_meant_or_refused(pack, each):
    seen = defaultdict(Counter)
    for edit in damaged_edits(20, each):
        written, error = planned(pack, f"file{edit.suffix}", edit)
        found = outcome(edit, written, error)
        assert found != "wrong place", edit
        seen[edit.damage][found] += 1
    for damage, counts in sorted(seen.items()):
        print(f"{damage:36} {dict(counts)}")
    meant = sum((counts for damage, counts in seen.items() if damage.startswith(MEANT)), Counter())
    others = sum((counts for damage, counts in seen.items() if not damage.startswith((*MEANT, *NOT_THERE))), Counter())
    absent = sum((counts for damage, counts in seen.items() if damage in NOT_THERE), Counter())
    print(f"indentation, newlines, blanks, quotes: {dict(meant)}\nother: {dict(others)}\nnot there: {dict(absent)}")
    # One of each kind is too few to tell a share of 95 % by.
    least = 0.95 if each > 1 else 0.8
    assert meant["applied"] + meant["applied, blanks as given"] >= least * meant.total()
    assert absent["refused, lines shown"] >= 0.95 * absent.total()
