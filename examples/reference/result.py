"""Result: a typed output, and what it took."""

from dataclasses import dataclass

from glassloop import Agent, ScriptedModel


@dataclass
class City:
    name: str
    country: str


agent = Agent(ScriptedModel(['{"name": "Osaka", "country": "Japan"}']), output_type=City)
result = agent.run_sync("Where was Expo 2025?")
print(result.output)
print(result.text, result.stop_reason, result.usage.output_tokens, result.cost)
