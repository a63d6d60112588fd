"""What a call costs: known, unknown, nothing, or what the user says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.extensions.anthropic import AnthropicSettings
from glassloop.extensions.anthropic.model import AnthropicModel
from glassloop.extensions.google import GoogleSettings
from glassloop.extensions.openai import OpenAISettings
from glassloop.extensions.openai.model import OpenAIModel
from glassloop.models.prices import PriceTag
from glassloop.runtime.providers import ModelOptions, make_model
from glassloop.runtime.settings import Settings

KEYS = Settings().having(AnthropicSettings(api_key="a"), OpenAISettings(api_key="o"), GoogleSettings(api_key="g"))
DEFAULTS = [name for provider in KEYS.extensions.providers.values() for name in provider.tiers.values()]


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_default_model_has_a_price(name: str) -> None:
    quote = make_model(name, ModelOptions(settings=KEYS)).quote(1_000_000, 1_000_000)
    assert quote is not None
    assert (quote == 0) is name.startswith("ollama:")


def test_a_model_without_a_price_costs_none_and_not_nothing() -> None:
    assert AnthropicModel("claude-from-the-future-99", api_key="k").quote(1000, 1000) is None
    assert OpenAIModel("m", api_key="k", base_url="https://llm.example.org/v1").quote(1000, 1000) is None


@pytest.mark.parametrize("url", ["http://localhost:8000/v1", "http://127.0.0.1:1234/v1", "http://[::1]:8080/v1"])
def test_what_a_server_on_this_machine_costs_is_not_known(url: str) -> None:
    """It may be a proxy to a provider that is paid."""
    assert OpenAIModel("gpt-4o", api_key="k", base_url=url).quote(1000, 1000) is None


def test_what_runs_here_costs_nothing() -> None:
    assert PriceTag(provider="any", model="any", local=True).cost(1000, 1000) == 0.0


def test_a_known_gateway_is_priced_by_its_address() -> None:
    model = OpenAIModel("anthropic/claude-sonnet-5.5", api_key="k", base_url="https://openrouter.ai/api/v1")
    quote = model.quote(1_000_000, 0)
    assert quote is not None
    assert quote > 0


def test_the_users_own_price_wins() -> None:
    options = ModelOptions(settings=KEYS, per_million=(2.0, 8.0))
    for name in ("anthropic:claude-sonnet-5-5", "anthropic:unheard-of", "ollama:qwen3:8b"):
        assert make_model(name, options).quote(1_000_000, 500_000) == 6.0


@given(st.integers(0, 10**7), st.integers(0, 10**6), st.integers(0, 10**8), st.integers(0, 10**8))
def test_cached_tokens_never_raise_and_never_cost_more(given_in: int, out: int, cached: int, written: int) -> None:
    tag = PriceTag(provider="anthropic", model="claude-sonnet-5-5")
    plain, cheaper = tag.cost(given_in, out), tag.cost(given_in, out, cached_tokens=cached)
    assert plain is not None
    assert cheaper is not None
    assert 0 <= cheaper <= plain
    assert tag.cost(given_in, out, cached_tokens=cached, written_tokens=written) is not None
