"""Models in the page: the first minute without one, connecting a provider, choosing for each conversation."""

import re
from typing import Annotated

import msgspec
import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from glassloop.extensions.openai.model_list import list_ollama
from glassloop.runtime.extensions import Extension
from glassloop.runtime.providers import Provider
from glassloop.runtime.settings.connections import FILE
from glassloop.runtime.settings.fields import setting
from provider_lists import KEY, provider_server

pytestmark = IN_BROWSER


class NearbySettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[nearby]`"""

    host: Annotated[str | None, setting("Where it listens.", sends="")] = None


def nearby(server):
    """A provider that listens on this machine, as Ollama does."""

    class Nearby(Extension):
        name = "nearby"
        settings = NearbySettings

        def providers(self):
            from glassloop.extensions.openai.model import OpenAIModel

            def make(name, options):
                return OpenAIModel(name.model, api_key=KEY, base_url=f"{server.address}/v1", local=True)

            return {
                "nearby": Provider(
                    make=make,
                    configured=lambda settings: bool(settings.of(NearbySettings).host),
                    note="nearby models",
                    rank=5,
                    list_models=lambda settings: list_ollama(server.address),
                    usual_address=server.address,
                )
            }

    return Nearby()


async def test_hello_without_a_model_offers_each_way_to_have_one_and_takes_a_key(house, tabs, serious):
    with provider_server(("fake-gpt", "fake-mini", "gpt-oss-20b")) as provider:
        served = await house(own_agents=True, titles=False)
        tab = await tabs(served, viewport={"width": 1440, "height": 1000})
        page = tab.page
        await tab.ask("hello")
        await tab.see("No language model is set up yet, so I cannot chat.")
        card = page.get_by_role("complementary", name="Choose a model to chat with")
        await expect(card.get_by_role("button", name=re.compile("Download 1.1 GB"))).to_be_visible()
        await expect(card).to_contain_text("about 3 min on a typical connection")
        await expect(page.locator("body")).not_to_contain_text("0/10")
        await card.get_by_role("button", name="OpenAI or compatible").click()
        await card.get_by_label("API key of openai").fill("wrong-0123456789")
        await card.get_by_label("Address of openai").fill(f"{provider.address}/v1")
        await card.get_by_role("button", name="Test and save").click()
        await expect(card.get_by_role("alert")).to_contain_text("The key was refused")
        assert await serious(page) == []
        await card.get_by_label("API key of openai").fill(KEY)
        await card.get_by_role("button", name="Test and save").click()
        await expect(card).to_have_count(0)
        await tab.ask("hello again")
        await tab.see("Hello from fake-gpt.")
        await expect(page.locator(".meta").last).to_contain_text("openai:fake-gpt")
        await page.get_by_role("button", name="Show trace").click()
        await expect(page.locator(".trace .step.answer, .step.answer").last).to_contain_text("openai:fake-gpt")
        assert KEY not in await page.content()
        assert [path.name for path in served.settings.home_path.rglob(FILE)] == [FILE]
        # The browser told of the refusal, as it does of every answer that is one.
        tab.complaints = [one for one in tab.complaints if "400" not in one]


async def test_each_conversation_keeps_the_model_that_was_chosen_in_it(house, tabs):
    with provider_server(("fake-gpt", "fake-mini", "gpt-oss-20b")) as provider:
        served = await house(own_agents=True, titles=False)
        tab = await tabs(served, "/#/settings")
        page = tab.page
        body = {"key": KEY, "address": f"{provider.address}/v1"}
        answer = await page.request.put(f"{tab.url}/api/connections/openai", data=body)
        assert answer.ok
        await page.goto(f"{tab.url}/#/")
        await page.reload()
        pill = page.get_by_role("button", name=re.compile("^Model:"))
        await expect(pill).to_have_text("Model: fake-gpt")
        await pill.click()
        search = page.get_by_role("combobox", name="Search models")
        await search.fill("oss")
        await expect(page.get_by_role("option")).to_have_count(1)
        await search.press("Enter")
        await expect(pill).to_have_text("Model: gpt-oss-20b")
        await page.get_by_label("Reasoning effort").select_option("high")
        await tab.ask("One")
        await tab.see("Hello from gpt-oss-20b.")
        await expect(page.locator(".meta").last).to_contain_text("openai:gpt-oss-20b, high effort")
        assert provider.bodies[-1]["reasoning_effort"] == "high"
        first = tab.session
        await page.goto(f"{tab.url}/#/")
        await pill.click()
        await page.get_by_role("option", name=re.compile("^fake-mini")).click()
        await tab.ask("Two")
        await tab.see("Hello from fake-mini.")
        await page.goto(f"{tab.url}/#/s/{first}")
        await page.reload()
        await expect(pill).to_have_text("Model: gpt-oss-20b")
        await expect(page.get_by_label("Reasoning effort")).to_have_value("high")
        await tab.ask("Three")
        await expect(page.locator(".meta")).to_contain_text([re.compile("oss"), re.compile("oss")])
        # The same list, for another answer of another model; how long the first one reasoned is not its.
        await page.get_by_role("button", name="Other model…").last.click()
        await page.get_by_role("combobox", name="Search models").fill("mini")
        await page.keyboard.press("Enter")
        await tab.see("Hello from fake-mini.")
        await expect(page.locator(".turn").last).to_contain_text("2/2")
        assert provider.bodies[-1]["model"] == "fake-mini" and "reasoning_effort" not in provider.bodies[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (768, "light"), (360, "dark")])
async def test_settings_show_connections_without_their_keys_at_every_width(house, tabs, serious, width, scheme):
    with provider_server() as provider:
        served = await house(own_agents=True, titles=False)
        tab = await tabs(served, "/#/settings", viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = tab.page
        card = page.locator(".cards > li", has=page.locator("b", has_text=re.compile("^openai$")))
        await card.get_by_role("button", name="Add a key").click()
        await card.get_by_label("API key of openai").fill(KEY)
        await card.get_by_label("Address of openai").fill(f"{provider.address}/v1")
        await card.get_by_role("button", name="Test and save").click()
        await expect(card).to_contain_text("Connected: 2 models. openai:fake-gpt is used when no model is chosen")
        await card.get_by_role("button", name="Done").click()
        await page.reload()
        await expect(card).to_contain_text("A key is stored.")
        await expect(card).to_contain_text("2 models to choose from")
        await expect(card.locator(".pill")).to_have_text("default")
        await page.get_by_label("Default model").select_option("openai:fake-mini")
        await expect(card).to_contain_text("openai:fake-mini")
        assert KEY not in await page.content()
        assert await serious(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await card.get_by_role("button", name="Remove").click()
        await expect(card).to_contain_text("not set up")


async def test_a_server_found_on_this_machine_is_used_by_one_press(house, tabs):
    with provider_server(("qwen3:8b", "nomic-embed-text:latest"), key="") as provider:
        served = await house(own_agents=True, titles=False, extensions=[nearby(provider)])
        tab = await tabs(served)
        card = tab.page.get_by_role("complementary", name="Choose a model to chat with")
        await expect(card).to_contain_text("Nearby found on this machine: 1 model.")
        await card.get_by_role("button", name="Use Nearby").click()
        await expect(card).to_have_count(0)
        await tab.ask("hello")
        await tab.see("Hello from qwen3:8b.")
