"""`glassloop tools`, `assistants` and `init`: the assistants there are, their tools, and new ones."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from glassloop.cli.folder_settings import keep_trust, load_settings
from glassloop.cli.options import AssistantOption, JsonOption
from glassloop.cli.resources import asked_assistant, notice_unused
from glassloop.cli.ui.output import Line, TerminalStyle, complain, count, show_result, write_json
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.core.messages import ToolSpec
from glassloop.runtime.assistants.assistant_files import (
    Assistant,
    UnusableAssistant,
    list_assistants,
    load_parts,
    open_assistant,
    survey_assistants,
)
from glassloop.runtime.assistants.new_assistant import make_assistant
from glassloop.runtime.assistants.served_agents import agents_of, unusable_agents
from glassloop.runtime.settings import Settings
from glassloop.runtime.toolsets import Toolsets
from glassloop.tools.guardrail import Guardrail
from glassloop.tools.tool import Tool

app = typer.Typer()

Parts = tuple[Mapping[str, ToolSpec], Mapping[str, str], Sequence[Guardrail]]
"""Tools, where those of toolsets come from, and guardrails."""


@app.command()
def tools(assistant: AssistantOption = None, as_json: JsonOption = False) -> None:
    """List the tools of an assistant, including MCP tools.

    \b
    Examples:
      glassloop tools
      glassloop tools -a ./my-assistant --json
    """
    settings, asked = asked_assistant(assistant, load_settings())
    found = open_assistant(asked, settings)
    own, servers, guardrails = _of_files(found, settings) if found.folder else asyncio.run(_of_agent(asked, settings))
    others, sources = asyncio.run(_toolset_tools(settings, asked))
    others = [tool for tool in others if tool.name not in own]
    specs = {**own, **{tool.name: tool.spec for tool in others}}
    servers = {**servers, **{tool.name: sources.get(tool.name, "") for tool in others}}
    rows = [{**msgspec.to_builtins(spec), "server": servers.get(name, "")} for name, spec in specs.items()]
    show_result(rows, as_json, lambda terminal: [*_tool_lines(specs, terminal, servers), *_guardrail_lines(guardrails)])


@app.command()
def assistants(as_json: JsonOption = False) -> None:
    """List all assistants, built in and your own.

    \b
    Example:
      glassloop assistants
    """
    settings = load_settings()
    found, unusable = survey_assistants(settings)
    unusable = [*unusable, *unusable_agents(settings)]
    show_result(found, as_json, lambda _: _assistant_lines(found, unusable))
    for entry in unusable if as_json else ():
        complain(f"Not available by name: {entry.folder}: {entry.reason}")


@app.command()
def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the assistant: letters, digits, - and _.")],
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="FOLDER", help="Where to create it. Default: the current folder.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create your own assistant.

    \b
    Examples:
      glassloop init librarian
      glassloop ask -a librarian "Which files are here?"
    """
    settings = load_settings()
    place = folder or Path.cwd()
    made = keep_trust(place, lambda: make_assistant(name, place))
    by_name = any(assistant.folder == str(made) for assistant in list_assistants(settings))
    asked = name if by_name else f"./{name}" if folder is None else str(made)
    if as_json:
        write_json({"name": name, "folder": str(made), "asked_as": asked}, indent=2)
        return
    typer.echo(f"Created {made}. assistant.toml describes the assistant; tools.py has its tools.")
    typer.echo(f'Try it: glassloop ask -a {asked} "Which files are here, and how large are they?"')


def _of_files(assistant: Assistant, settings: Settings) -> Parts:
    """The tools and guardrails of an assistant, those of its plugins too."""
    parts = load_parts(assistant, settings)
    guardrails = [*parts.guardrails, *(one for plugin in parts.plugins for one in plugin.guardrails)]
    return parts.tools.specs, {}, guardrails


async def _of_agent(name: str, settings: Settings) -> Parts:
    """The tools of an agent that is written in Python, where those of its toolsets come from, and its guardrails."""
    agent = agents_of(settings.extensions)[name].agent
    try:
        return (await agent.ready()).tools.specs, agent.tool_sources(), agent.guardrails
    finally:
        await agent.aclose()


async def _toolset_tools(settings: Settings, assistant: str) -> tuple[Sequence[Tool], Mapping[str, str]]:
    """The tools that are no assistant's own, and where each comes from."""
    toolsets = Toolsets.from_settings(settings, patient=True)
    try:
        found = await toolsets.tools_for(assistant)
        notice_unused(toolsets, assistant)
        return found, toolsets.sources_for(assistant)
    finally:
        await toolsets.aclose()


def _tool_lines(specs: Mapping[str, ToolSpec], terminal: TerminalStyle, servers: Mapping[str, str]) -> list[Line]:
    """Each tool as it is called, what it does, whether it changes anything, and which MCP server it is of, if any."""
    lines: list[Line] = []
    for spec in specs.values():
        required = spec.parameters.get("required", [])
        given = [name if name in required else f"{name}?" for name in spec.parameters.get("properties", {})]
        whose = f"MCP server {one_line(servers[spec.name], 80)}" if spec.name in servers else ""
        kind = terminal.join(spec.effect, "asks first" if spec.confirm else "", whose)
        lines.append(Line((spec.name, "act"), f"({', '.join(given)})  ", (kind, "soft")))
        lines.append(Line(one_line(spec.description, 400), indent=4))
    return [*lines, Line((count(len(specs), "tool"), "soft"))]


def _guardrail_lines(guardrails: Sequence[Guardrail]) -> list[Line]:
    """What else looks at its turns."""
    return [Line(("guardrail ", "soft"), f"{one.name}  ", (", ".join(one.stages), "soft")) for one in guardrails]


def _assistant_lines(assistants: Sequence[Assistant], unusable: Sequence[UnusableAssistant]) -> list[Line]:
    """Each assistant with what it is for and where its file lies; then the profiles no name leads to, and why."""
    lines: list[Line] = []
    for assistant in assistants:
        title = f"  {safe_text(assistant.title)}" if assistant.title else ""
        lines.append(Line((safe_text(assistant.name), "answer"), title))
        about = [one_line(assistant.description, 400), *(f"- {one_line(q, 200)}" for q in assistant.questions[:3])]
        if text := "\n".join(line for line in about if line):
            lines.append(Line(text, indent=4))
        origin = f"from {one_line(assistant.source, 200)}" if assistant.source else ""
        places = filter(None, (origin, safe_text(assistant.folder)))
        lines.extend(Line((place, "faint"), indent=4) for place in places)
    for entry in unusable:
        lines.append(Line((safe_text(entry.folder), "trouble"), "  not available by name"))
        lines.append(Line(one_line(entry.reason, 600), indent=4))
    return [*lines, Line(('To ask one: glassloop ask -a NAME "QUESTION". To create one: glassloop init NAME', "soft"))]
