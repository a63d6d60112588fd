"""A turn without a model: whoever decides does what advice binds, and otherwise what it hints at.

Shows whether the rules lead the right way. Where they leave the first step open, the right tool is taken, if it is
among those that may be called.
"""

import re

from glassloop.core.messages import AssistantMessage, ToolMessage, UserMessage, note
from glassloop.core.ports import CallContext
from glassloop.core.records import ToolCall
from glassloop.evals.score import ObservedCall, ObservedTurn
from glassloop.extensions.embedded.advice.advisor import RuleAdvisor
from glassloop.extensions.embedded.language.names import is_common
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_scores import offer_tools
from glassloop.tools.execution.orchestrator import ToolOrchestrator

MAX_STEPS = 6
HINTED = [re.compile(rf"{before} `(\w+)`(?! needs)") for before in ("first call", "now call", "open:", "now", "Hint:")]


async def play(case, registry):
    """The last turn of a case, as it would be judged."""
    advisor, tools, messages, calls = RuleAdvisor(), ToolOrchestrator(registry), [], []
    for question in case.asked:
        calls = []
        messages.append(UserMessage(question))
        for step in range(MAX_STEPS):
            advice = await advisor.advise(question, messages, registry.specs)
            messages += [note("hint", advice.text)] if advice.text else []
            name = chosen(advice) or (first_of(case, advice) if not step else None)
            if name is None:
                break
            call = ToolCall(id=f"c{len(messages)}", tool=name, args=arguments(name, advice, question, registry))
            context = CallContext(turn_id="t", session_id="s", user="u", call_id=call.id)
            result = await tools.execute_tool(call, context)
            content = result.output if result.success else result.error or ""
            seen = ToolMessage(call_id=call.id, tool=name, content=content, is_error=not result.success)
            messages += [AssistantMessage(calls=(call,)), seen]
            calls.append(ObservedCall(name, call.args))
        messages.append(AssistantMessage(text="Done." if calls else "Which one?"))
    return ObservedTurn(calls=tuple(calls), status="completed")


def chosen(advice):
    hinted = [match[1] for pattern in HINTED for match in pattern.finditer(advice.text) if match[1] in advice.tools]
    return hinted[0] if hinted else None if advice.answers else advice.tools[0]


def first_of(case, advice):
    wanted = [names[0] for names in case.alternatives or () if names]
    return next((name for name in wanted if name in (advice.tools or ())), None)


def arguments(name, advice, question, registry):
    """What is bound; then what the question says; then the last word that is no everyday one."""
    spec = registry.specs[name]
    among = offer_tools(tuple(registry.specs.values()))
    profile = next(profile for profile in among.profiles if profile.spec.name == name)
    args = dict(among.fill(profile, ParsedQuestion(question)).args)
    for key, allowed in advice.values.get(name, {}).items():
        args[key] = args[key] if args.get(key) in allowed else allowed[0] if allowed else args.pop(key, None)
    words = [word for word in re.findall(r"[^\W\d_]{4,}", question) if not is_common(word, german=False)]
    return {key: (words or ["?"])[-1].removesuffix("s") for key in spec.parameters.get("required", ())} | args
