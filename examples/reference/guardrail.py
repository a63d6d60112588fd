"""Guardrail, Rewrite, Stop, guardrail: what may be asked, called and answered."""

import re

from glassloop import Agent, Rewrite, ScriptedModel, Stop, guardrail


@guardrail("input")
def no_salaries(question: str) -> Stop | None:
    return Stop("Salaries are not discussed here.") if "salary" in question else None


@guardrail("output")
def no_phone_numbers(answer: str) -> Rewrite[str] | None:
    hidden = re.sub(r"\+\d{6,}", "[number]", answer)
    return Rewrite(hidden) if hidden != answer else None


agent = Agent(ScriptedModel(["Call +4930123456."]), guardrails=[no_salaries, no_phone_numbers])
print(agent.run_sync("How do I reach Ann?").text)
stopped = agent.run_sync("What is Ann's salary?")
print(stopped.stop_reason, stopped.text, sep=": ")
