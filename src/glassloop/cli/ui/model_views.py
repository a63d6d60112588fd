"""Models, weights and findings about models, as people see them in the terminal."""

from collections.abc import Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from glassloop.cli.ui.output import Line, TerminalStyle
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.models.probe import Examination, ProbeResult
from glassloop.models.weights import WeightsState, WeightsStatus, format_bytes
from glassloop.runtime.models import ModelInfo

_WORDS = {
    "answers": "answers",
    "streams": "streams",
    "usage": "reports usage",
    "thinks": "thinks",
    "tools": "native tool calls",
    "results": "reads tool results",
    "parallel": "parallel tool calls",
    "schema": "follows a JSON schema",
    "images": "reads images",
    "context": "context length",
    "protocol": "decision protocol",
}
_MAX_WIDTH = max(map(len, _WORDS.values()))
_STATES: dict[WeightsState, tuple[str, str]] = {
    "ready": ("ready", "observe"),
    "partial": ("partly downloaded; `glassloop models pull` resumes the download", "think"),
    "unchecked": ("downloaded, not verified; run `glassloop models list --check` to verify", "think"),
    "absent": ("not downloaded", "soft"),
}


class ModelsInForce(msgspec.Struct, frozen=True, kw_only=True):
    """What `glassloop models` tells. `problem` is why the model in force cannot be used yet."""

    default: str
    why: str
    tiers: dict[str, str]
    preset: str
    providers: tuple[ModelInfo, ...]
    problem: str | None = None


def models_view(models: ModelsInForce, terminal: TerminalStyle) -> RenderableType:
    """The same for people, with what to set for the providers that are not configured."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for width in (3 if terminal.ascii else 1, None, None):
        grid.add_column(width=width, overflow="fold")
    for info in models.providers:
        sign = Text(terminal.sign("done" if info.configured else "open"), "observe" if info.configured else "faint")
        what = info.note if info.configured or not info.variable else f"{info.note}; set {info.variable}"
        grid.add_row(sign, Text(info.model, overflow="fold"), Text(what, "" if info.configured else "soft"))
    tiers = [f"{tier} {name}" for tier, name in models.tiers.items()]
    parts: list[RenderableType] = [
        Text.assemble("In use: ", (safe_text(models.default), "answer"), f" ({models.why})", overflow="fold"),
        Text(f"Tiers: {', '.join(tiers)}; preset {models.preset}", "soft", overflow="fold"),
        Text(),
        grid,
        Text(),
        Text("Choose one with --model provider:model, or set GLASSLOOP_MODEL to make it permanent.", "soft"),
    ]
    if models.problem is not None:
        parts[1] = Text(f"Not usable yet: {safe_text(models.problem)}", "trouble", overflow="fold")
    return Group(*parts)


def weight_lines(weights: Sequence[WeightsStatus], terminal: TerminalStyle) -> list[Line]:
    """Weights with how much of them is here."""
    lines: list[Line] = []
    wide = max((len(kept.name) for kept in weights), default=0)
    for kept in weights:
        words, style = _STATES[kept.state]
        size = (
            f"{format_bytes(kept.bytes)} of {format_bytes(kept.size)}"
            if kept.state == "partial"
            else format_bytes(kept.size)
        )
        if kept.state == "absent":
            words = f"{words}; `glassloop models pull {safe_text(kept.name)}` downloads it"
        facts = f"  {terminal.join(safe_text(kept.title), size)}\n{' ' * wide}  "
        lines.append(Line((safe_text(kept.name).ljust(wide), "answer"), facts, (words, style)))
        if kept.state != "absent":
            lines.append(Line((f"{' ' * wide}  {safe_text(kept.path)}", "faint")))
    return lines


def finding_line(finding: ProbeResult) -> Line:
    """One finding about a model."""
    mark, style = {True: ("yes", "observe"), False: ("no", "think"), None: ("-", "soft")}[finding.ok]
    detail = safe_text(one_line(finding.detail, 200))
    return Line(f"  {_WORDS[finding.probe]:<{_MAX_WIDTH}}  ", (f"{mark:<3}", style), f"  {detail}")


def advice(found: Examination, kept: str) -> str:
    """What follows from an examination, and where it is remembered."""
    cost = f"{found.calls} calls, {found.input_tokens:,} tokens in, {found.output_tokens:,} out, {found.seconds:.1f} s"
    use = {
        "native": "Glassloop will use its native tool calls.",
        "json": "From now on Glassloop asks it for one JSON object per step.",
        "text": 'Set `protocol = "text"` in the assistant that uses it.',
        None: "It could not call a tool in any protocol: use it only without tools.",
    }[found.protocol]
    return f"{use} Stored in {kept} ({cost})."
