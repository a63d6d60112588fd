"""Names become models, and one clear sentence where there is none."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Extension, Settings
from glassloop.core.errors import MissingKey, UnknownName, UsageError
from glassloop.core.messages import Abilities
from glassloop.core.ports import Model
from glassloop.extensions.anthropic import AnthropicSettings
from glassloop.extensions.google import GoogleSettings
from glassloop.extensions.openai import OpenAISettings
from glassloop.models.model_name import ModelName, parse_model_name
from glassloop.models.scripted_model import ScriptedModel
from glassloop.runtime.models import default_model
from glassloop.runtime.providers import ModelOptions, Provider, make_model

EMPTY = Settings(home="nowhere")


def with_keys(anthropic: str = "a-secret", openai: str = "o-secret", google: str = "g-secret") -> Settings:
    structs = AnthropicSettings(api_key=anthropic), OpenAISettings(api_key=openai), GoogleSettings(api_key=google)
    return EMPTY.having(*structs)


KEYS = with_keys()


def make(name: str, settings: Settings = KEYS, abilities: Abilities | None = None) -> Model:
    return make_model(name, ModelOptions(settings=settings, abilities=abilities))


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
        make(name, EMPTY)
    except UsageError as error:
        assert str(error).endswith((".", "?"))


@pytest.mark.parametrize(
    "name", ["anthropic:claude-haiku-5-5", "openai:gpt-6-luna", "google:gemini-3.8-flash", "ollama:a:b"]
)
def test_each_provider_is_made_from_its_key(name: str) -> None:
    assert make(name).name == name


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("antropic:claude-sonnet-5-5", "did you mean 'anthropic:claude-sonnet-5-5'"),
        ("claude-sonnet-5-5", "did you mean 'anthropic:claude-sonnet-5-5'"),
        ("gpt-6-luna", "did you mean 'openai:gpt-6-luna'"),
        ("gemini-3.8-flash", "did you mean 'google:gemini-3.8-flash'"),
        ("zzz:model", "use one of anthropic, embedded, google, ollama, openai, reflex, for example 'anthropic:"),
        ("openai", "write openai:model"),
        ("anthropic:", "write anthropic:model"),
        ("", "write 'provider:model'"),
        ("a\x00b:c", "write 'provider:model'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_remedy(name: str, hint: str) -> None:
    with pytest.raises(UnknownName) as caught:
        make(name)
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
        make(name, EMPTY)
    mangled = "sk-se\ncret"
    with pytest.raises(MissingKey, match=f"copy {setting} again") as caught:
        make(name, with_keys(mangled, mangled, mangled))
    assert "cret" not in str(caught.value)


def test_a_server_of_ones_own_needs_no_key() -> None:
    model = make("openai:my-model", EMPTY.having(OpenAISettings(base_url="localhost:8000/v1/")))
    assert (model.name, model.quote(1000, 1000)) == ("openai:my-model", None)
    assert model.abilities.native_tools


def test_abilities_can_be_overridden() -> None:
    own = Abilities(native_tools=False, json_schema=True, context_tokens=4096, images=False, documents=False)
    for name in ("anthropic:claude-haiku-5-5", "openai:gpt-6-luna", "google:gemini-3.8-flash", "ollama:tiny"):
        assert make(name, abilities=own).abilities == own


class House(Extension):
    name = "house"

    def providers(self) -> dict[str, Provider]:
        made = Provider(
            make=lambda name, _options: ScriptedModel(["hi"], name=str(name)),
            configured=lambda _settings: True,
            note="ours",
            needs_model=False,
            rank=1,
        )
        return {"house": made}


def test_a_provider_of_an_extension_is_found_by_name_and_may_come_first() -> None:
    settings = KEYS.extended([House()])
    assert make("house:large", settings).name == "house:large"
    assert default_model(settings) == "house"
    assert default_model(KEYS).startswith("anthropic:")


def test_two_extensions_cannot_bring_the_same_provider() -> None:
    class Impostor(House):
        name = "impostor"

    with pytest.raises(UsageError, match="'house' \\(house, impostor\\)"):
        make("house", KEYS.extended([House(), Impostor()]))


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
from glassloop import Settings
from glassloop.extensions.anthropic import AnthropicSettings
from glassloop.extensions.google import GoogleSettings
from glassloop.runtime.providers import ModelOptions, make_model
settings = Settings().having(AnthropicSettings(api_key="k"), GoogleSettings(api_key="k"))
try:
    make_model({name!r}, ModelOptions(settings=settings))
except UsageError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert f"pip install 'glassloop[{extra}]'" in ran.stdout


def test_making_models_imports_no_sdk() -> None:
    program = """
import sys
from glassloop import Settings
from glassloop.extensions.anthropic import AnthropicSettings
from glassloop.extensions.google import GoogleSettings
from glassloop.extensions.openai import OpenAISettings
from glassloop.runtime.providers import ModelOptions, make_model
own = (AnthropicSettings(api_key="k"), OpenAISettings(api_key="k"), GoogleSettings(api_key="k"))
for name in ("anthropic:a", "openai:b", "google:c", "ollama:d"):
    make_model(name, ModelOptions(settings=Settings().having(*own)))
heavy = ("anthropic", "openai", "google.genai", "httpx2", "pydantic", "genai_prices")
print([name for name in heavy if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"
