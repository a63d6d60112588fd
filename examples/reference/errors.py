"""GlassloopError, UsageError: every error of ours says what to do."""

from glassloop import Agent, GlassloopError, Limits, ScriptedModel, UsageError

try:
    Limits(iterations=0)
except UsageError as error:
    print(error)
try:
    Agent(ScriptedModel([])).run_sync("Hello?")
except GlassloopError as error:
    print(type(error).__name__, error, sep=": ")
