"""From an assistant's name and the settings to an agent that can be asked."""

from glassloop.models.tiers import find_preset
from glassloop.runtime.agent import Agent
from glassloop.runtime.assistants import load_tools, open_assistant
from glassloop.runtime.models import named_models
from glassloop.runtime.settings import Settings


def build_agent(
    assistant: str, settings: Settings, model: str | None = None, max_iterations: int | None = None
) -> Agent:
    """The assistant of that name, or in that folder, on the model of that name, or on the one in force."""
    found = open_assistant(assistant, settings)
    profile = found.profile(settings)
    return Agent(
        named_models(model, settings),
        load_tools(found, settings.home_path),
        profile=profile,
        max_iterations=max_iterations,
        tier_for=find_preset(profile.preset).tier_for,
        history_tokens=settings.context_token_budget,
    )
