"""ScriptedModel, call: a model for tests, which says what it is told to."""

from glassloop import Agent, ScriptedModel, call

model = ScriptedModel([call("unknown_tool"), "I have no such tool."])
print(Agent(model).run_sync("Do it.").text)
print(len(model.requests), "requests, the first of them:", model.requests[0].messages[0])
