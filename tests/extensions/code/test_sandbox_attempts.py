"""What a command tries to do outside of its workspace: none of it succeeds, as it would without a sandbox."""

import contextlib
import os
import shutil
import tempfile

import pytest

from extensions.code.attempts import ATTEMPTS
from extensions.code.sandbox_machine import SECRET, WON, Machine
from glassloop.extensions.code.sandbox.bubblewrap import find_bubblewrap
from glassloop.extensions.code.sandbox.landlock import find_landlock
from glassloop.extensions.code.sandbox.sandbox import NoSandbox

pytestmark = pytest.mark.skipif(not shutil.which("python3", path="/usr/bin:/bin"), reason="attempts need python3")
ROOT = os.geteuid() == 0


@contextlib.contextmanager
def made_machine(folder):
    made = Machine(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(made.home))
        patch.setenv("GLASSLOOP_TEST_KEY", SECRET)
        patch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        yield made
    made.close()


@pytest.fixture(scope="module")
def machine():
    # Not pytest's own folder: the name of a socket may have a hundred bytes.
    with tempfile.TemporaryDirectory() as folder, made_machine(folder) as made:
        yield made


@pytest.fixture
def open_machine():
    """One of which nothing is left as it was."""
    with tempfile.TemporaryDirectory() as folder, made_machine(folder) as made:
        yield made


@pytest.fixture(params=["bubblewrap", pytest.param("landlock", marks=pytest.mark.slow)])
def sandbox(request):
    found, why = find_bubblewrap() if request.param == "bubblewrap" else find_landlock()
    if found is None:
        pytest.skip(why)
    return found


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=[each.name for each in ATTEMPTS])
async def test_an_attempt_to_leave_the_sandbox_fails(attempt, machine, sandbox):
    before = machine.state()
    result = await machine.run(sandbox, attempt.line)
    assert WON not in result.output, result.output
    assert "sandbox could not be set up" not in result.output
    assert machine.state() == before
    assert not [name for name, each in machine.listeners.items() if each.visited()]
    assert machine.victim.poll() is None


@pytest.mark.slow
@pytest.mark.parametrize("attempt", [each for each in ATTEMPTS if each.control != "no"], ids=lambda each: each.name)
async def test_the_same_attempt_succeeds_without_a_sandbox(attempt, open_machine):
    if attempt.control == "root" and not ROOT:
        pytest.skip("takes the administrator")
    result = await open_machine.run(NoSandbox(), attempt.line)
    assert WON in result.output or any(each.visited() for each in open_machine.listeners.values()), result.text
