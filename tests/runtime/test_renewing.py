"""What another process pulled is used without a restart, and a job says no where nothing may be downloaded."""

import sys

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core.errors import UsageError
from glassloop.extensions.embedded.weights.catalog import QWEN
from glassloop.runtime.assistants.agents import AgentKey, Agents
from glassloop.runtime.durable.jobs import JobContext
from glassloop.runtime.models import is_offered
from glassloop.runtime.settings import Settings
from glassloop.runtime.weights import pull_kind, weights_ready


async def test_agents_are_made_anew_when_what_they_are_made_of_changed():
    there, made = ["minilm"], []

    def make(wanted):
        made.append(wanted)
        return Agent(ScriptedModel([]))

    agents = Agents(make, fingerprint=lambda: tuple(there), look_s=0.0)
    first = await agents.for_key(AgentKey())
    assert await agents.for_key(AgentKey()) is first
    there.append("embedded")
    second = await agents.for_key(AgentKey())
    assert second is not first
    assert await agents.for_key(AgentKey()) is second
    assert len(made) == 2
    await agents.aclose()


async def test_it_is_not_looked_at_for_every_turn():
    looked = []
    agents = Agents(lambda _: Agent(ScriptedModel([])), fingerprint=lambda: looked.append(1), look_s=3600.0)
    for _ in range(5):
        await agents.for_key(AgentKey())
    assert len(looked) == 1
    await agents.aclose()


def test_no_weights_are_ready_in_an_empty_home(tmp_path):
    assert weights_ready(Settings(home=str(tmp_path))) == ()


async def test_a_pull_says_that_downloads_are_off_and_touches_nothing(tmp_path):
    kind = pull_kind(Settings(home=str(tmp_path), models_offline=True))
    with pytest.raises(UsageError, match="GLASSLOOP_MODELS_OFFLINE"):
        await kind.run(JobContext("j", ""), {"name": QWEN.name})


async def test_nothing_is_pulled_where_nothing_could_run_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    kind = pull_kind(Settings(home=str(tmp_path)))
    with pytest.raises(UsageError, match=r"glassloop\[embedded\]"):
        await kind.run(JobContext("j", ""), {"name": QWEN.name})


def test_no_download_is_offered_where_none_may_be_made(tmp_path):
    assert not is_offered(Settings(home=str(tmp_path), models_offline=True))
