"""messages: what was said before, where the caller keeps that."""

from glassloop import Agent, ScriptedModel, messages

history = [messages.UserMessage("My name is Ann."), messages.AssistantMessage(text="Hello, Ann.")]
print(Agent(ScriptedModel(["You are Ann."])).run_sync("Who am I?", history=history).text)
