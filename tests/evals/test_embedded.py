"""The sets of questions with the embedded model and its real weights: an hour on a slow machine, so only in
`make test-all`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from glassloop.extensions.embedded import embedded_options
from glassloop.runtime.settings import load_settings

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


@pytest.fixture
def environment(tmp_path):
    """An empty home with the weights, and the embedder where there is one."""
    pytest.importorskip("xllamacpp", reason="pip install 'glassloop[embedded]'")
    settings = load_settings()
    options = embedded_options(settings)
    given = os.environ.get("GLASSLOOP_TEST_WEIGHTS") or (str(options.weights) if options else "")
    if not given or not Path(given).is_file():
        pytest.skip("no weights: `glassloop models pull`, or set GLASSLOOP_TEST_WEIGHTS to the file")
    home = tmp_path / "home"
    home.mkdir()
    if (settings.home_path / "models").is_dir():
        (home / "models").symlink_to(settings.home_path / "models")
    return {**os.environ, "GLASSLOOP_HOME": str(home), "GLASSLOOP_EMBEDDED_WEIGHTS": given}


@pytest.mark.parametrize("suite", ["tools40", str(HERE / "harbour.toml")])
def test_the_embedded_model_is_good_enough_and_every_decision_can_be_read(suite, environment):
    command = [sys.executable, "-m", "glassloop", "eval", suite, "--model", "embedded", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    total = json.loads(done.stdout)["total"]
    assert total["readable"]["share"] == 1.0
    assert total["tool"]["share"] >= 0.8
    assert total["arguments"]["share"] >= 0.75
    assert total["answer"]["share"] >= 0.6
