"""Settings come from the environment, `.env`, and two files, in this order; what is wrong is told with its place."""

import pytest

from glassloop.core.errors import UsageError
from glassloop.runtime.models import default_model
from glassloop.runtime.settings import load_settings, read_dotenv


@pytest.fixture
def load(tmp_path):
    def load(environ=None, **given):
        return load_settings({"GLASSLOOP_HOME": str(tmp_path / "home"), **(environ or {})}, tmp_path, **given)

    return load


def test_the_environment_wins_over_dotenv_and_dotenv_over_the_file(load, tmp_path):
    (tmp_path / "glassloop.toml").write_text('model = "from:file"\npreset = "speed"\nmax_iterations = 7\n')
    (tmp_path / ".env").write_text("GLASSLOOP_MODEL=from:dotenv\nGLASSLOOP_PRESET=quality\n")
    settings = load({"GLASSLOOP_MODEL": "from:env"})
    assert (settings.model, settings.preset, settings.max_iterations) == ("from:env", "quality", 7)


def test_the_file_of_the_folder_wins_over_that_of_the_home(load, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "glassloop.toml").write_text('model = "home:m"\npreset = "speed"\n')
    (tmp_path / "glassloop.toml").write_text('model = "folder:m"\n')
    settings = load()
    assert (settings.model, settings.preset) == ("folder:m", "speed")


def test_an_option_wins_over_everything(load):
    assert load({"GLASSLOOP_MODEL": "from:env"}, model="given:m").model == "given:m"


def test_an_empty_variable_counts_as_not_set(load):
    assert load({"REACT_MAX_ITERATIONS": ""}).max_iterations == 5


@pytest.mark.parametrize(
    ("environ", "file", "named"),
    [
        ({"REACT_MAX_ITERATIONS": "many"}, "", "REACT_MAX_ITERATIONS"),
        ({"REACT_MAX_ITERATIONS": "-3"}, "", "REACT_MAX_ITERATIONS"),
        ({"CONTEXT_KEEP_RECENT": "0"}, "", "CONTEXT_KEEP_RECENT"),
        ({}, "modell = 'x'", "modell"),
        ({}, "model = ", "glassloop.toml"),
        ({}, "max_iterations = 'x'", "glassloop.toml"),
    ],
)
def test_a_wrong_setting_is_one_sentence_that_names_its_place(load, tmp_path, environ, file, named):
    (tmp_path / "glassloop.toml").write_text(file)
    with pytest.raises(UsageError, match=named):
        load(environ)


def test_dotenv_understands_quotes_comments_and_export(tmp_path):
    path = tmp_path / ".env"
    path.write_text("# note\nexport A='one two'\nB=\"three\"\nC=four # five\nbroken\nD = $(rm -rf /)\n")
    assert read_dotenv(path) == {"A": "one two", "B": "three", "C": "four", "D": "$(rm -rf /)"}


def test_the_first_configured_provider_answers_and_reflex_when_there_is_none(load):
    assert default_model(load()) == "reflex"
    assert default_model(load({"OPENAI_API_KEY": "k"})).startswith("openai:")
    assert default_model(load({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"})).startswith("anthropic:")
    assert default_model(load({"OLLAMA_HOST": "127.0.0.1:1", "GLASSLOOP_MODEL": "x:y"})) == "x:y"
