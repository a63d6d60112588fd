"""Spellings of tool calls: what models and frameworks write for one and the same list of calls.

Each spelling is a function from calls to the text of a reply. Forms seen in the chat templates of open models, in the
ReAct paper and in the parsers of LangChain and smolagents.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Call = tuple[str, dict[str, Any]]
Write = Callable[[Sequence[Call]], str]

EVERY = ("native", "json", "text")


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def named(name: str = "name", args: str = "arguments") -> Callable[[Call], dict[str, Any]]:
    return lambda call: {name: call[0], args: call[1]}


def each(write: Callable[[str, str], str], between: str = "") -> Write:
    """One piece of text a call, made of its name and its arguments as JSON."""
    return lambda calls: between.join(write(name, dumped(args)) for name, args in calls)


def objects(template: str = "{}", between: str = "\n", **keys: str) -> Write:
    return lambda calls: between.join(template.replace("{}", dumped(named(**keys)(call))) for call in calls)


def listed(template: str = "{}", indent: int | None = None, **keys: str) -> Write:
    def write(calls: Sequence[Call]) -> str:
        return template.replace("{}", json.dumps([named(**keys)(c) for c in calls], ensure_ascii=False, indent=indent))

    return write


def raw(value: Any) -> str:
    return value if isinstance(value, str) else dumped(value)


def tagged(call: str, parameter: str, around: str = "{}", between: str = "\n") -> Write:
    """Arguments in tags of their own: text as it is, everything else as JSON."""

    def write(calls: Sequence[Call]) -> str:
        bodies = (
            "".join(parameter.replace("KEY", key).replace("VALUE", raw(value)) for key, value in args.items())
            for _, args in calls
        )
        texts = (
            call.replace("NAME", name).replace("BODY", body) for (name, _), body in zip(calls, bodies, strict=True)
        )
        return around.replace("{}", between.join(texts))

    return write


def python(call: Call) -> str:
    return f"{call[0]}({', '.join(f'{key}={value!r}' for key, value in call[1].items())})"


def pythons(template: str = "[{}]", between: str = ", ") -> Write:
    return lambda calls: template.replace("{}", between.join(map(python, calls)))


def openai(calls: Sequence[Call]) -> str:
    functions = [{"name": name, "arguments": dumped(args)} for name, args in calls]
    return dumped({"tool_calls": [{"id": f"c{n}", "type": "function", "function": f} for n, f in enumerate(functions)]})


def numbered(calls: Sequence[Call]) -> str:
    return "\n".join(f"Thought {n}: so\nAction {n}: {python(call)}" for n, call in enumerate(calls, 1))


TAGGED: Mapping[str, Write] = {
    "Hermes": objects("<tool_call>\n{}\n</tool_call>"),
    "Hermes, arguments first": lambda calls: "\n".join(
        f"<tool_call>{dumped({'arguments': args, 'name': name})}</tool_call>" for name, args in calls
    ),
    "Hermes, as Python": lambda calls: "".join(f"<tool_call>{named()(call)!r}</tool_call>" for call in calls),
    "Hermes, one tag": listed("<tool_call>{}</tool_call>"),
    "Jamba": listed("<tool_calls>{}</tool_calls>", indent=2),
    "Granite": listed("<|tool_call|>{}"),
    "Llama function": each(lambda name, args: f"<function={name}>{args}</function>"),
    "Qwen coder": tagged(
        "<tool_call>\n<function=NAME>\nBODY</function>\n</tool_call>", "<parameter=KEY>\nVALUE\n</parameter>\n"
    ),
    "GLM": tagged("<tool_call>NAME\nBODY</tool_call>", "<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n"),
    "invoke": tagged(
        '<invoke name="NAME">\nBODY</invoke>',
        '<parameter name="KEY">VALUE</parameter>\n',
        "<function_calls>\n{}\n</function_calls>",
    ),
    "MiniMax": tagged(
        '<invoke name="NAME">BODY</invoke>',
        '<parameter name="KEY">VALUE</parameter>',
        "<minimax:tool_call>{}</minimax:tool_call>",
    ),
    "DeepSeek 3.2": tagged(
        '<｜DSML｜invoke name="NAME">\nBODY</｜DSML｜invoke>',
        '<｜DSML｜parameter name="KEY">VALUE</｜DSML｜parameter>\n',
        "<｜DSML｜function_calls>\n{}\n</｜DSML｜function_calls>",
    ),
    "Mistral": listed("[TOOL_CALLS]{}"),
    "Mistral, later": each(lambda name, args: f"[TOOL_CALLS]{name}{args}"),
    "Mistral, with ids": each(lambda name, args: f"[TOOL_CALLS]{name}[CALL_ID]a1B2c3D4e[ARGS]{args}"),
    "Llama python tag": lambda calls: "<|python_tag|>" + objects(between="; ", args="parameters")(calls),
    "Llama 4": pythons("<|python_start|>[{}]<|python_end|>"),
    "DeepSeek 3": lambda calls: (
        "<｜tool▁calls▁begin｜>"
        + "\n".join(
            f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{dumped(args)}\n```<｜tool▁call▁end｜>"
            for name, args in calls
        )
        + "<｜tool▁calls▁end｜>"
    ),
    "DeepSeek 3.1": lambda calls: (
        "<｜tool▁calls▁begin｜>"
        + each(lambda name, args: f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{args}<｜tool▁call▁end｜>")(calls)
        + "<｜tool▁calls▁end｜>"
    ),
    "Kimi": lambda calls: (
        "<|tool_calls_section_begin|>"
        + "".join(
            f"<|tool_call_begin|>functions.{name}:{n}<|tool_call_argument_begin|>{dumped(args)}<|tool_call_end|>"
            for n, (name, args) in enumerate(calls)
        )
        + "<|tool_calls_section_end|>"
    ),
    "InternLM": objects("<|action_start|><|plugin|>{}<|action_end|>", args="parameters"),
    "gpt-oss": each(
        lambda name, args: f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{args}<|call|>"
    ),
}
"""With marks that nothing else has: read by every protocol, wherever in a reply they begin."""

BARE: Mapping[str, Write] = {
    "OpenAI": openai,
    "object": objects(),
    "objects with semicolons": objects(between="; ", args="parameters"),
    "list": listed(),
    "fenced list": listed("```json\n{}\n```", indent=2),
    "fence each": objects("```json\n{}\n```"),
    "Python list": pythons(),
}
"""The whole reply, without a mark."""

FENCED: Mapping[str, Write] = {
    "words and a fenced list": listed("I will look that up.\n\n```json\n{}\n```"),
    "tool code": pythons("```tool_code\n{}\n```", between="\n"),
    "Python fence": pythons("```python\n[{}]\n```"),
}

ACTIONS: Mapping[str, Write] = {
    "own": lambda calls: "Thought: so\n" + "\n".join(f"Action: {python(call)}" for call in calls),
    "numbered": numbered,
    "bold": lambda calls: "\n".join(f"**Action:** `{python(call)}`" for call in calls),
    "LangChain": each(lambda name, args: f"Thought: so\nAction: {name}\nAction Input: {args}", "\n"),
    "LangChain, numbered": each(lambda name, args: f"Action 1: {name}\nAction 1 Input: {args}", "\n"),
    "LangChain, structured": objects("Action:\n```json\n{}\n```", name="action", args="action_input"),
    "LangChain, one line": objects("Action:\n```{}```", name="action", args="action_input"),
    "smolagents": objects("Action:\n{}"),
    "list": listed("Thought: so\nAction: {}"),
    "Python list": pythons("Action: [{}]"),
    "tag": objects("Thought: so\nAction: <tool_call>{}</tool_call>"),
}
"""Below labels, for the protocol `text`."""

DECISIONS: Mapping[str, Write] = {
    "own": lambda calls: "\n".join(
        dumped({"reasoning": "so", "action": "tool", "tool": name, "args": args}) for name, args in calls
    ),
    "tool as action": objects(name="action", args="args"),
    "LangChain": objects(name="action", args="action_input"),
}
"""Objects, for the protocol `json`."""

SPELLINGS: Mapping[tuple[str, str], Write] = {
    **{(protocol, name): write for protocol in EVERY for name, write in (TAGGED | BARE).items()},
    **{(protocol, name): write for protocol in ("native", "text") for name, write in FENCED.items()},
    ("json", "words and a fenced list"): FENCED["words and a fenced list"],
    **{("text", f"Action, {name}"): write for name, write in ACTIONS.items()},
    **{("json", f"decision, {name}"): write for name, write in DECISIONS.items()},
}
