"""From names to models, and one clear sentence where there is none."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import MissingKey, UnknownName, UsageError
from glassloop.core.messages import Abilities
from glassloop.models.model_name import (
    PROVIDERS,
    ModelKeys,
    ModelName,
    ModelOptions,
    Provider,
    make_model,
    parse_model_name,
)
from glassloop.models.scripted import ScriptedModel

KEYS = ModelKeys(anthropic_api_key="a-secret", openai_api_key="o-secret", google_api_key="g-secret")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anthropic:claude-sonnet-5-5", ModelName("anthropic", "claude-sonnet-5-5")),
        ("ollama:qwen3:8b", ModelName("ollama", "qwen3:8b")),
        (" OpenAI : gpt-6-luna ", ModelName("openai", "gpt-6-luna")),
        ("reflex", ModelName("reflex")),
    ],
)
def test_a_name_is_split_at_its_first_colon(name: str, expected: ModelName) -> None:
    assert parse_model_name(name) == expected


@given(st.text())
def test_any_name_gives_a_model_or_one_clear_sentence(name: str) -> None:
    try:
        make_model(name, ModelKeys())
    except UsageError as error:
        assert str(error).endswith((".", "?"))


@pytest.mark.parametrize(
    "name", ["anthropic:claude-haiku-5-5", "openai:gpt-6-luna", "google:gemini-3.8-flash", "ollama:a:b"]
)
def test_each_provider_is_made_from_its_key(name: str) -> None:
    assert make_model(name, KEYS).name == name


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("antropic:claude-sonnet-5-5", "did you mean 'anthropic:claude-sonnet-5-5'"),
        ("claude-sonnet-5-5", "did you mean 'anthropic:claude-sonnet-5-5'"),
        ("gpt-6-luna", "did you mean 'openai:gpt-6-luna'"),
        ("gemini-3.8-flash", "did you mean 'google:gemini-3.8-flash'"),
        ("zzz:model", "use one of anthropic, embedded, google, ollama, openai"),
        ("openai", "write openai:model"),
        ("anthropic:", "write anthropic:model"),
        ("", "write provider:model"),
        ("a\x00b:c", "write provider:model"),
        ("reflex", "is not set up here"),
    ],
)
def test_an_unknown_name_is_answered_with_the_remedy(name: str, hint: str) -> None:
    with pytest.raises(UnknownName) as caught:
        make_model(name, KEYS)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("anthropic:claude-haiku-5-5", "ANTHROPIC_API_KEY"),
        ("openai:gpt-6-luna", "OPENAI_API_KEY"),
        ("google:gemini-3.8-flash", "GOOGLE_API_KEY"),
    ],
)
def test_a_missing_or_mangled_key_names_its_setting(name: str, setting: str) -> None:
    with pytest.raises(MissingKey, match=f"set {setting}"):
        make_model(name, ModelKeys())
    mangled = "sk-se\ncret"
    with pytest.raises(MissingKey, match=f"copy {setting} again") as caught:
        make_model(name, ModelKeys(anthropic_api_key=mangled, openai_api_key=mangled, google_api_key=mangled))
    assert "cret" not in str(caught.value)


def test_a_server_of_ones_own_needs_no_key() -> None:
    model = make_model("openai:my-model", ModelKeys(openai_base_url="localhost:8000/v1/"))
    assert (model.name, model.quote(1000, 1000)) == ("openai:my-model", 0.0)
    assert model.abilities.native_tools


def test_keys_are_never_shown() -> None:
    assert repr(KEYS) == "ModelKeys(anthropic_api_key=***, openai_api_key=***, google_api_key=***)"
    assert "secret" not in f"{KEYS}{KEYS!r}"


def test_abilities_can_be_overridden() -> None:
    own = Abilities(native_tools=False, json_schema=True, context_tokens=4096)
    for name in ("anthropic:claude-haiku-5-5", "openai:gpt-6-luna", "google:gemini-3.8-flash", "ollama:tiny"):
        assert make_model(name, KEYS, options=ModelOptions(abilities=own)).abilities == own


def test_a_provider_is_one_entry_of_the_table() -> None:
    entry = Provider(make=lambda name, keys, options: ScriptedModel(["hi"], name=str(name)), needs_model=False)
    assert make_model("reflex", KEYS, providers={**PROVIDERS, "reflex": entry}).name == "reflex"


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [
        ("anthropic", "anthropic:claude-haiku-5-5", "anthropic"),
        ("openai", "ollama:qwen3:8b", "openai"),
        ("google.genai", "google:gemini-3.8-flash", "google"),
    ],
)
def test_a_missing_sdk_is_named_with_the_extra_that_brings_it(module: str, name: str, extra: str) -> None:
    program = f"""
import sys
sys.modules[{module!r}] = None
from glassloop.core.errors import UsageError
from glassloop.models.model_name import ModelKeys, make_model
try:
    make_model({name!r}, ModelKeys(anthropic_api_key="k", google_api_key="k"))
except UsageError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert f"pip install 'glassloop[{extra}]'" in ran.stdout


def test_making_models_imports_no_sdk() -> None:
    program = """
import sys
from glassloop.models.model_name import ModelKeys, make_model
keys = ModelKeys(anthropic_api_key="k", openai_api_key="k", google_api_key="k")
for name in ("anthropic:a", "openai:b", "google:c", "ollama:d"):
    make_model(name, keys)
heavy = ("anthropic", "openai", "google.genai", "httpx2", "pydantic", "genai_prices")
print([name for name in heavy if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"
