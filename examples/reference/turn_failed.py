"""TurnFailed: the model keeps giving what is no number."""

from glassloop import Agent, ScriptedModel, TurnFailed

agent = Agent(ScriptedModel(["many", "very many"]), output_type=int)
try:
    agent.run_sync("How many?")
except TurnFailed as failed:
    print(failed.kind, failed, sep=": ")
    print([event.type for event in failed.events][-1])
