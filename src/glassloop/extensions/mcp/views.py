"""MCP servers in a terminal: the listing, and the card a person approves by.

Everything here was written by others: the listing leaves out what could steer a terminal, the card spells it out.
"""

import shlex
from collections.abc import Mapping, Sequence
from difflib import unified_diff

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from glassloop.cli.ui.approval import bounded
from glassloop.cli.ui.output import Line, TerminalStyle, count
from glassloop.cli.ui.safe_text import exact, exact_json, one_line
from glassloop.extensions.mcp.client import FILE
from glassloop.extensions.mcp.client.definition import ServerStatus, ToolForm, ToolStatus

_STATES = {
    "running": ("runs", "observe"),
    "idle": ("ready, starts with its first call", "observe"),
    "starting": ("starts", "think"),
    "untrusted": ("its folder is not trusted", "think"),
    "disabled": ("switched off", "soft"),
    "failed": ("does not run", "trouble"),
    "unusable": ("cannot be used", "trouble"),
}
_TOOLS = {"new": "new", "withheld": "withheld", "left_out": "left out", "refused": "cannot be used"}
_CHANGES = {"+": "observe", "-": "trouble"}
_HEADER_LINES = 3


def server_lines(servers: Sequence[ServerStatus], commands: Mapping[str, str], terminal: TerminalStyle) -> list[Line]:
    """Each server with how it stands, what it is, and its tools; `commands` approve them, by name."""
    if not servers:
        none = f"There are no MCP servers. A {FILE} in your home folder or here names some; see docs/mcp.md."
        return [Line((none, "soft"))]
    lines: list[Line] = []
    for status in servers:
        state, style = _STATES[status.state]
        offered = sum(tool.state in ("offered", "new") for tool in status.tools)
        head = terminal.join(state, count(offered, "tool") if status.tools else "", "your own" if status.own else "")
        lines.append(Line((one_line(status.name, 80) or FILE, "act"), "  ", (head, style)))
        lines += _about(status, commands.get(status.name, ""), terminal)
    # A file that cannot be read is told, and is no server.
    return [*lines, Line((count(sum(bool(status.name) for status in servers), "server"), "soft"))]


def _about(status: ServerStatus, command: str, terminal: TerminalStyle) -> list[Line]:
    lines = [Line((one_line(status.file, 1_000), "faint"), indent=4)]
    if status.launch:
        lines.append(Line((_launched(status), "soft"), indent=4))
    lines += [Line((one_line(said, 1_000), "think"), indent=4) for said in (status.reason, *status.notes) if said]
    if status.state == "untrusted":
        lines.append(Line(f"To see all of it and decide: {one_line(command, 1_000)}", indent=4))
    for tool in status.tools:
        lines.append(_tool_line(tool, terminal))
        if tool.state in ("withheld", "new"):
            # Others chose the name, and it will be pasted into a shell.
            asked = one_line(f"{command} {shlex.quote(tool.tool)}", 1_000)
            lines.append(Line(f"  To see it and decide: {asked}", indent=4))
    return lines


def _tool_line(tool: ToolStatus, terminal: TerminalStyle) -> Line:
    name = one_line(tool.name or tool.tool, 140)
    if tool.state == "offered":
        kind = terminal.join(tool.effect, "asks first" if tool.confirm else "")
        about = one_line(tool.description, 100)
        return Line((name, "act"), (f"  {kind}", "soft"), f"  {about}" if about else "", indent=4)
    told = f"  {_TOOLS[tool.state]}: {one_line(tool.reason, 400)}"
    return Line((name, "act"), (told, "soft" if tool.state == "left_out" else "think"), indent=4)


def _launched(status: ServerStatus) -> str:
    """What is run or asked, in a line; the card has all of it."""
    launch = status.launch
    if "url" in launch:
        return one_line(str(launch["url"]), 400)
    return one_line(" ".join(map(str, [launch["command"], *launch.get("args", [])])), 400)


def change_card(status: ServerStatus, tool: ToolStatus) -> RenderableType:
    """The tool as it was accepted and as it is now: what went is marked -, what came is marked +."""
    before, now = _told(tool.accepted), _told(tool.now)
    whole = max(len(before), len(now))
    lines = [*unified_diff(before, now, n=whole, lineterm="")][_HEADER_LINES:] or [f" {line}" for line in now]
    shown = Text(overflow="fold")
    for line in bounded("\n".join(lines)).split("\n"):
        shown.append(f"{line}\n", _CHANGES.get(line[:1], ""))
    shown.rstrip()
    parts: list[RenderableType] = [shown, Text()]
    if tool.accepted is None:
        parts.append(
            Text("It is new: once approved, it does what your entry says of it, unasked where that says so.", "think")
        )
    elif before == now:
        parts.append(Text("What changed is nothing that models are shown, such as a title in its schema.", "think"))
    parts.append(Text("Models read this and act on it: approve only what you would tell them yourself.", "think"))
    return _card(f"{tool.tool} of {status.name}", parts, tool.digest)


def _told(form: ToolForm | None) -> list[str]:
    """A tool's form, line by line."""
    if form is None:
        return []
    says = [word for word, said in (("only reads", form.read_only), ("may be repeated", form.idempotent)) if said]
    hints = f"It says of itself that it {' and '.join(says)}." if says else "It says nothing of its effects."
    return [*exact(form.description).split("\n"), "", *exact_json(form.parameters).split("\n"), "", hints]


def _card(title: str, parts: Sequence[RenderableType], digest: str) -> RenderableType:
    bound = Text(f"Bound to exactly this: {digest[:16]}", "faint")
    head = Text(exact(title), "act", overflow="fold")
    shown = Group(head, *parts, Text(), bound)
    return Panel(shown, title=Text("Your approval is needed", "think"), title_align="left", border_style="think")
