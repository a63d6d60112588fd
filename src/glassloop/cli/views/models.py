"""Models, their weights and what was found out about them, in a terminal."""

from collections.abc import Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from glassloop.cli.ui.output import Line
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.cli.ui.style import TerminalStyle
from glassloop.core.errors import UsageError
from glassloop.models.probe import Examination, ProbeResult
from glassloop.models.weights import WeightsState, WeightsStatus, format_bytes
from glassloop.runtime.models import ModelInfo, default_model, describe_models, named_models
from glassloop.runtime.settings import Settings, find_origins

_WORDS = {
    "answers": "answers",
    "streams": "streams",
    "usage": "tells its usage",
    "thinks": "thinks",
    "tools": "calls tools natively",
    "results": "takes their results",
    "parallel": "several calls at once",
    "schema": "keeps to a JSON schema",
    "context": "context length",
    "protocol": "decision protocol",
}
_MAX_WIDTH = max(map(len, _WORDS.values()))
_STATES: dict[WeightsState, tuple[str, str]] = {
    "ready": ("ready", "observe"),
    "partial": ("half downloaded; `glassloop models pull` goes on with it", "think"),
    "unchecked": ("there, but not checked; `glassloop models list --check` does", "think"),
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


def models_in_force(settings: Settings) -> ModelsInForce:
    """The model in force and why it is, its tiers, and the state of every provider."""
    default, problem, tiers = default_model(settings), None, dict[str, str]()
    try:
        tiers = {tier: model.name for tier, model in named_models(None, settings).items()}
    except UsageError as error:
        problem = str(error)
    providers = tuple(describe_models(settings))
    return ModelsInForce(
        default=default,
        why=_why(settings, providers),
        tiers=tiers,
        preset=settings.preset,
        providers=providers,
        problem=problem,
    )


def _why(settings: Settings, providers: Sequence[ModelInfo]) -> str:
    if settings.model:
        return f"set as the model ({find_origins().get('model', 'settings')})"
    first = next((info for info in providers if info.configured), None)
    if first is not None and first.language_model and not first.variable:
        return "no provider is configured, and this runs on this machine"
    if first is None or not first.variable:
        return "no provider is configured, and this needs none; it is not a language model"
    return f"{first.variable} is set, and no model is named"


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
        Text.assemble("Answers now: ", (safe_text(models.default), "answer"), f" ({models.why})", overflow="fold"),
        Text(f"Tiers: {', '.join(tiers)}; preset {models.preset}", "soft", overflow="fold"),
        Text(),
        grid,
        Text(),
        Text("Choose with --model provider:model, or GLASSLOOP_MODEL for good.", "soft"),
    ]
    if models.problem is not None:
        parts[1] = Text(f"It cannot be used yet: {safe_text(models.problem)}", "trouble", overflow="fold")
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
            words = f"{words}; `glassloop models pull {safe_text(kept.name)}` fetches it"
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
        "native": "It is used with its own tool calls.",
        "json": "It is asked for one JSON object a step from now on.",
        "text": 'Set `protocol = "text"` in the assistant that uses it.',
        None: "It did not manage a tool call in any way: use it only without tools.",
    }[found.protocol]
    return f"{use} Remembered in {kept} ({cost})."
