"""Settings come from the environment, `.env`, and two files, in this order; what is wrong is told with its place."""

import os
from typing import Annotated

import msgspec
import pytest

import trusting
from glassloop.core.errors import UsageError
from glassloop.extensions.openai import OpenAISettings
from glassloop.runtime.models import default_model
from glassloop.runtime.settings import Settings, all_settings, load_settings, warn_common
from glassloop.runtime.settings.fields import describe, setting
from glassloop.runtime.settings.folder import read_dotenv


@pytest.fixture
def load(tmp_path):
    def load(environ=None, **given):
        return load_settings({"GLASSLOOP_HOME": str(tmp_path / "home"), **(environ or {})}, tmp_path, **given)

    return load


@pytest.fixture
def trust(tmp_path):
    """What the user would say to the files of the folder, as they are now."""

    return lambda decision="trusted": trusting.trust(tmp_path, tmp_path / "home", decision)


def test_the_environment_wins_over_dotenv_and_dotenv_over_the_file(load, tmp_path, trust):
    (tmp_path / "glassloop.toml").write_text('model = "from:file"\npreset = "speed"\nmax_iterations = 7\n')
    (tmp_path / ".env").write_text("GLASSLOOP_MODEL=from:dotenv\nGLASSLOOP_PRESET=quality\n")
    trust()
    settings = load({"GLASSLOOP_MODEL": "from:env"})
    assert (settings.model, settings.preset, settings.max_iterations) == ("from:env", "quality", 7)


def test_the_file_of_the_folder_wins_over_that_of_the_home(load, tmp_path, trust):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "glassloop.toml").write_text('model = "home:m"\npreset = "speed"\n')
    (tmp_path / "glassloop.toml").write_text('model = "folder:m"\n')
    trust()
    settings = load()
    assert (settings.model, settings.preset) == ("folder:m", "speed")


def test_an_option_wins_over_everything(load):
    assert load({"GLASSLOOP_MODEL": "from:env"}, model="given:m").model == "given:m"


def test_an_empty_variable_counts_as_not_set(load):
    assert load({"REACT_MAX_ITERATIONS": ""}).max_iterations == 5


@pytest.mark.parametrize(
    ("environ", "file", "named"),
    [
        (
            {"REACT_MAX_ITERATIONS": "many"},
            "",
            "REACT_MAX_ITERATIONS in the environment is 'many': write a whole number",
        ),
        ({"GLASSLOOP_AUTH": "foo"}, "", "GLASSLOOP_AUTH in the environment is 'foo': choose local, keys or proxy"),
        ({"GLASSLOOP_RETENTION_DAYS": "abc"}, "", "'abc': write a number of at least 0, or omit it"),
        ({"GLASSLOOP_TRACE_CONTENT": "perhaps"}, "", "'perhaps': write true or false"),
        ({"REACT_MAX_ITERATIONS": "-3"}, "", "REACT_MAX_ITERATIONS"),
        ({"CONTEXT_KEEP_RECENT": "0"}, "", "CONTEXT_KEEP_RECENT"),
        ({"RAG_DENSE_WEIGHT": "-0.1"}, "", "RAG_DENSE_WEIGHT.*-0.1 and 0.3"),
        ({"RAG_DENSE_WEIGHT": "0", "RAG_SPARSE_WEIGHT": "0"}, "", "not both 0"),
        ({"RAG_SPARSE_WEIGHT": "nan"}, "", "RAG_SPARSE_WEIGHT"),
        ({}, "modell = 'x'", "modell"),
        ({}, "model = ", "glassloop.toml"),
        ({}, "max_iterations = 'x'", "'max_iterations' in .*glassloop.toml is 'x': write a whole number"),
    ],
)
def test_a_wrong_setting_is_one_sentence_that_names_its_place(load, tmp_path, trust, environ, file, named):
    (tmp_path / "glassloop.toml").write_text(file)
    if file != "model = ":
        trust()
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


ADDRESSES = [
    ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "anthropic.base_url"),
    ("OPENAI_API_KEY", "OPENAI_BASE_URL", "openai.base_url"),
    ("GOOGLE_API_KEY", "GOOGLE_BASE_URL", "google.base_url"),
]


@pytest.mark.parametrize(("key", "variable", "name"), ADDRESSES)
@pytest.mark.parametrize("file", [".env", "glassloop.toml"])
@pytest.mark.parametrize("own", ["environment", "home"])
def test_a_file_of_the_folder_cannot_send_the_users_key_elsewhere(
    load, tmp_path, trust, key, variable, name, file, own
):
    table = name.partition(".")[0]
    line = f"{variable}=https://other.example"
    if file != ".env":
        line = f'[{table}]\nbase_url = "https://other.example"'
    (tmp_path / file).write_text(line)
    (tmp_path / "home").mkdir()
    if own == "home":
        (tmp_path / "home" / "glassloop.toml").write_text(f'[{table}]\napi_key = "secret"')
    environ = {key: "secret"} if own == "environment" else {}
    assert load(environ).values[name] is None
    trust()
    with pytest.raises(UsageError) as caught:
        load(environ)
    said = str(caught.value)
    assert str(tmp_path / file) in said
    assert variable in said
    assert "GLASSLOOP_HOME/glassloop.toml" in said
    assert "secret" not in said


def test_a_checked_in_file_cannot_redirect_a_key_from_the_dotenv_beside_it(load, tmp_path, trust):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=k")
    (tmp_path / "glassloop.toml").write_text('[openai]\nbase_url = "https://other.example"')
    trust()
    with pytest.raises(UsageError, match=r"glassloop\.toml sets 'openai.base_url'"):
        load()


def test_an_address_counts_with_its_key_in_the_same_file_or_without_any_key(load, tmp_path, trust):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=k\nOPENAI_BASE_URL=http://a/v1\nGOOGLE_BASE_URL=http://b\n")
    trust()
    values = load({"ANTHROPIC_API_KEY": "other"}).values
    assert (values["openai.base_url"], values["google.base_url"]) == ("http://a/v1", "http://b")


def test_an_address_of_the_users_own_goes_with_any_key(load, tmp_path, trust):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=k\nOPENAI_BASE_URL=http://folder\n")
    trust()
    environ = {"OPENAI_BASE_URL": "http://mine", "OPENAI_API_KEY": "m"}
    assert load(environ).values["openai.base_url"] == "http://mine"
    (tmp_path / ".env").unlink()
    (tmp_path / "home" / "glassloop.toml").write_text('[openai]\nbase_url = "http://home"')
    assert load({"OPENAI_API_KEY": "m"}).values["openai.base_url"] == "http://home"


def test_a_trusted_folder_may_say_where_ollama_is_unless_the_user_did(load, tmp_path, trust):
    (tmp_path / "glassloop.toml").write_text('[ollama]\nhost = "http://folder:1"')
    assert load().values["ollama.host"] is None
    trust()
    assert load().values["ollama.host"] == "http://folder:1"
    assert load({"OLLAMA_HOST": "http://mine:1"}).values["ollama.host"] == "http://mine:1"
    (tmp_path / "home" / "glassloop.toml").write_text('[ollama]\nhost = "http://mine:1"')
    with pytest.raises(UsageError, match="OLLAMA_HOST"):
        load()


@pytest.mark.parametrize(("file", "text"), [(".env", "GLASSLOOP_HOME=evil"), ("glassloop.toml", 'home = "evil"')])
def test_a_file_of_the_folder_cannot_move_the_home(tmp_path, file, text):
    (tmp_path / file).write_text(text)
    mine = str(tmp_path / "mine")
    assert load_settings({"GLASSLOOP_HOME": mine}, tmp_path).home == mine
    assert load_settings({"HOME": str(tmp_path)}, tmp_path).home == "~/.glassloop"


def test_settings_show_no_secret_in_any_text_form(load):
    from rich.pretty import pretty_repr

    settings = load({"OPENAI_API_KEY": "sk-1", "GOOGLE_API_KEY": "sk-2", "OPENAI_BASE_URL": "http://me:pw@host/v1"})
    for shown in (repr(settings), str(settings), f"{settings}", pretty_repr(settings)):
        assert "sk-" not in shown
        assert "pw" not in shown
        assert "http://***@host/v1" in shown


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('K="v" # c', "v"),
        ("K='v'#c", "v"),
        ('K="v" # say "hi"', "v"),
        ('K="a # b"', "a # b"),
        ("export\tK=v\t# c", "v"),
        ('K="v" w', '"v" w'),
        ("K=", ""),
        ("\ufeffK=v", "v"),
    ],
)
def test_a_line_of_dotenv_reads_as_people_mean_it(tmp_path, line, value):
    path = tmp_path / ".env"
    path.write_bytes(line.encode())
    assert read_dotenv(path) == {"K": value}


def test_a_settings_file_may_begin_with_a_byte_order_mark(load, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "glassloop.toml").write_text("\ufeffmax_iterations = 7\n", "utf-8")
    assert load().max_iterations == 7


FREE = {"preset": "speed", "log": "json", "rag_dense_weight": 0.5, "rag_sparse_weight": 0.5}
NEVER = {
    *("home", "database_url", "business.database_url", "retention_days", "audit_days", "auth", "admin_token"),
    *("encryption_key", "sharing", "notify_domains"),
    *("oidc_issuer", "oidc_client_id", "oidc_client_secret", "oidc_redirect_uri", "oidc_scopes", "oidc_user_claim"),
    *("oidc_groups_claim", "oidc_admin_groups", "oidc_hours"),
    *("proxy_header", "proxy_secret", "trusted_proxies", "allowed_hosts", "allowed_origins", "root_path"),
    *(
        "otel_endpoint",
        "trace_content",
        "embedded.weights",
        "embedded.adapter",
        "egress_domains",
        "egress_recipients",
        "egress_only",
    ),
    *("code.roots", "code.sandbox", "code.rate", "code.keep_days", "code.keep_bytes", "code.searxng_url"),
}
SAMPLES = {bool: "false", int: "3000", float: "0.5", str: "other"}
WORDS = {
    "auth": "keys",
    "log_level": "debug",
    "embedded.memory": "lock",
    "embedded.cache": "q8_0",
    "openai.api": "chat",
    "code.sandbox": "off",
}


def other_value(name):
    """A value that is not the default, as it stands in a `.env`."""
    default = Settings().values[name]
    if default is False:
        return "true"
    kind = str if default is None and name != "retention_days" else float if default is None else type(default)
    return WORDS.get(name, SAMPLES[kind])


def test_only_a_short_list_counts_without_trust_and_what_lets_in_or_deletes_never(load, tmp_path, trust):
    known = {key: each.variable for key, each in all_settings().items() if each.variables}
    lines = {key: other_value(key) for key in known if key not in FREE}
    lines |= {key: str(value) for key, value in FREE.items()}
    (tmp_path / ".env").write_text("".join(f"{known[key]}={value}\n" for key, value in lines.items()))
    default = load_settings({"GLASSLOOP_HOME": str(tmp_path / "home")}, tmp_path / "elsewhere").values

    def changed():
        found = load().values
        return {key for key in known if found[key] != default[key]}

    assert changed() == FREE.keys()
    trust("refused")
    assert changed() == FREE.keys()
    trust()
    assert changed() == known.keys() - NEVER


def test_a_setting_of_tomorrow_needs_trust_and_a_token_of_tomorrow_has_none():
    class Tomorrow(msgspec.Struct):
        something: Annotated[str, setting("New.")] = ""
        webhook_token: Annotated[str, setting("New.")] = ""
        signing_secret: Annotated[str, setting("New.")] = ""

    rules = {key: each.folder for key, each in describe(Tomorrow).items()}
    assert rules == {"something": "asked", "webhook_token": "never", "signing_secret": "never"}


@pytest.mark.parametrize("key", sorted(NEVER))
def test_what_never_counts_does_not_in_a_toml_file_either(load, tmp_path, trust, key):
    value = other_value(key)
    table, _, name = key.rpartition(".")
    (tmp_path / "glassloop.toml").write_text(f'[{table}]\n{name} = "{value}"\n' if table else f'{name} = "{value}"\n')
    before = load().values[key]
    trust()
    assert load().values[key] == before != value


def test_a_variable_with_our_prefix_wins_over_the_other_names_of_a_setting(load):
    assert load({"OPENAI_API_KEY": "common"}).of(OpenAISettings).api_key == "common"
    given = {"OPENAI_API_KEY": "common", "GLASSLOOP_OPENAI_API_KEY": "own"}
    assert load(given).of(OpenAISettings).api_key == "own"


def test_a_mistake_in_the_table_of_an_extension_names_its_place(load, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "glassloop.toml").write_text("[embedded]\ncontext = 10\n")
    with pytest.raises(UsageError, match=r"'embedded\.context' in .* is 10: write a whole number of at least 1024"):
        load()
    (tmp_path / "home" / "glassloop.toml").write_text("[embedded]\ncontexts = 10\n")
    with pytest.raises(UsageError, match=r"embedded\.contexts"):
        load()


def test_trust_counts_for_one_content_in_one_place(load, tmp_path, trust):
    (tmp_path / ".env").write_text("GLASSLOOP_MODEL=a:b\n")
    trust()
    assert load().model == "a:b"
    (tmp_path / ".env").write_text("GLASSLOOP_MODEL=a:b\nOPENAI_BASE_URL=http://a\n")
    assert (load().model, load().values["openai.base_url"]) == (None, None)
    (tmp_path / ".env").write_text("GLASSLOOP_MODEL=a:b\n")
    assert load().model == "a:b"
    other = tmp_path / "other"
    other.mkdir()
    (other / ".env").write_text("GLASSLOOP_MODEL=a:b\n")
    assert load_settings({"GLASSLOOP_HOME": str(tmp_path / "home")}, other).model is None


def test_what_is_remembered_is_for_its_owner_alone_and_is_never_taken_for_empty(load, tmp_path, trust):
    (tmp_path / ".env").write_text("GLASSLOOP_MODEL=a:b\n")
    trust()
    kept = tmp_path / "home" / "trusted_folders.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    kept.write_text("{")
    with pytest.raises(UsageError, match=r"trusted_folders\.json cannot be read .* delete it"):
        load()


def test_what_is_ignored_is_one_line_that_names_the_remedy_and_is_told_once(load, tmp_path, trust, caplog):
    (tmp_path / ".env").write_text("GLASSLOOP_MODEL=a:b\nGLASSLOOP_RETENTION_DAYS=1\nGLASSLOOP_PRESET=speed\n")
    (tmp_path / "glassloop.toml").write_text('[ollama]\nhost = "http://x"\n[openai]\napi_key = "k"\n')
    load({"OPENAI_API_KEY": "mine"})
    load({"OPENAI_API_KEY": "mine"})
    (told,) = caplog.messages
    assert "settings GLASSLOOP_MODEL, OLLAMA_HOST (run `glassloop trust " in told
    assert "never taken from a folder are ignored: GLASSLOOP_RETENTION_DAYS (set them in the environment or in" in told
    assert "PRESET" not in told
    assert "OPENAI_API_KEY" not in told
    trust("refused")
    caplog.clear()
    load({"GLASSLOOP_LOG": "text"})
    assert not caplog.messages


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: os.mkfifo(path)], ids=["folder", "pipe"])
def test_a_folder_or_a_pipe_of_that_name_is_no_settings_file_and_holds_nobody_up(load, tmp_path, make):
    make(tmp_path / ".env")
    assert load().model is None
    (tmp_path / "glassloop.toml").symlink_to("/dev/zero")
    assert load().model is None


def test_a_server_is_told_of_a_token_in_the_env_file_of_its_folder(tmp_path, caplog):
    home, folder = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    (folder / ".env").write_text("ADMIN_TOKEN=change-this-in-production\n")
    environ = {"GLASSLOOP_HOME": str(home)}
    assert load_settings(environ, folder).admin_token is None
    with caplog.at_level("WARNING", "glassloop.settings"):
        warn_common(environ, folder)
        assert "ADMIN_TOKEN" in caplog.text
        assert "set it in the environment" in caplog.text
        assert "change-this" not in caplog.text
        caplog.clear()
        warn_common({**environ, "ADMIN_TOKEN": "another-that-nobody-guesses"}, folder)
        assert not caplog.text
