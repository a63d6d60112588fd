"""Limits, Profile: how far a turn may go, and what shapes it."""

from glassloop import Agent, Limits, Profile, ScriptedModel, call, tool


@tool(effect="read", volatile=True)
def look() -> str:
    """Looks."""
    return "nothing yet"


profile = Profile(name="watch", prompt="You look until there is something.", limits=Limits(iterations=2))
model = ScriptedModel([call("look"), call("look"), "Nothing so far."])
result = Agent(model, [look], profile=profile).run_sync("Is there something?")
print(result.stop_reason, result.is_whole, len(result.steps))
