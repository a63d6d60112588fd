"""Which commands and files a grant covers."""

import pytest

from glassloop.core.loop.approvals.grants import is_covered, offer_of, scopes_of
from glassloop.core.records import ToolCall


@pytest.mark.parametrize(
    ("allowed", "command", "covered"),
    [
        ("pytest", "pytest -x tests", True),
        ("pytest", "pytester", False),
        ("pytest", "pytest; rm -rf .", False),
        ("pytest", "pytest $(rm x)", False),
        ("npm test", "npm install", False),
        ("python", "python -c 1", False),
        ("bash", "bash -c ls", False),
        ("python a.py", "python a.py", True),
        ("", "ls", False),
    ],
)
def test_a_command_is_covered_by_the_words_that_were_shown(allowed, command, covered):
    scopes = scopes_of("command", ToolCall(id="c", tool="run", args={"command": command}))
    assert (scopes is not None and is_covered("command", scopes, [allowed])) is covered


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "src/../x", ""])
def test_a_path_that_leads_up_is_covered_by_no_folder(path):
    scopes = scopes_of("folder", ToolCall(id="c", tool="edit", args={"path": path}))
    assert scopes is None or not is_covered("folder", scopes, ["src/"])


def test_the_offer_is_the_folder_of_all_files_as_the_preview_names_them():
    call = ToolCall(id="c", tool="edit", args={"path": "link/a.py"})
    preview = {"files": [{"file_path": "src/a/x.py"}, {"file_path": "src/b/y.py"}]}
    assert offer_of("folder", scopes_of("folder", call, None, preview)).scope == "src/"
