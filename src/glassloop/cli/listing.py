"""What there is: tools, assistants, models and settings, as text for people and as plain values for programs.

Reads what the runtime knows; decides nothing. Secrets leave here masked.
"""

from collections.abc import Mapping, Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from glassloop.cli.look import Look, count
from glassloop.cli.untrusted import inert, json_line, one_line
from glassloop.core.errors import UsageError
from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.models.tiers import PRESETS
from glassloop.runtime.assistants import Assistant, Unusable
from glassloop.runtime.models import ModelInfo, default_model, describe_models, named_models
from glassloop.runtime.settings import Settings, find_origins, masked, variables

HIDDEN = "(set, not shown)"


class ModelsInForce(msgspec.Struct, frozen=True, kw_only=True):
    """What `glassloop models` tells. `problem` is why the model in force cannot be used yet."""

    default: str
    why: str
    tiers: dict[str, str]
    preset: str
    providers: tuple[ModelInfo, ...]
    problem: str | None = None


class SettingInForce(msgspec.Struct, frozen=True, kw_only=True):
    """A setting with its value and where that came from."""

    name: str
    variable: str
    value: Json
    origin: str
    meaning: str
    note: str = ""


def show_tools(specs: Mapping[str, ToolSpec], look: Look, servers: Mapping[str, str]) -> RenderableType:
    """Each tool as it is called, what it does, whether it changes anything, and which MCP server it is of, if any."""
    parts: list[RenderableType] = []
    for spec in specs.values():
        required = spec.parameters.get("required", [])
        given = [name if name in required else f"{name}?" for name in spec.parameters.get("properties", {})]
        whose = f"MCP server {one_line(servers[spec.name], 80)}" if spec.name in servers else ""
        kind = look.join(spec.effect, "asks first" if spec.confirm else "", whose)
        called = Text.assemble((spec.name, "act"), f"({', '.join(given)})  ", (kind, "soft"), overflow="fold")
        parts.append(called)
        parts.append(Padding(Text(one_line(spec.description, 400)), (0, 0, 0, 4)))
    parts.append(Text(count(len(specs), "tool"), "soft"))
    return Group(*parts)


def show_assistants(assistants: Sequence[Assistant], unusable: Sequence[Unusable] = ()) -> RenderableType:
    """Each assistant with what it is for and where its file lies; then the profiles no name leads to, and why."""
    parts: list[RenderableType] = []
    for assistant in assistants:
        title = f"  {inert(assistant.title)}" if assistant.title else ""
        parts.append(Text.assemble((inert(assistant.name), "answer"), title, overflow="fold"))
        about = [one_line(assistant.description, 400), *(f"- {one_line(q, 200)}" for q in assistant.questions[:3])]
        if told := "\n".join(line for line in about if line):
            parts.append(Padding(Text(told), (0, 0, 0, 4)))
        parts.append(Padding(Text(inert(assistant.folder), "faint", overflow="fold"), (0, 0, 0, 4)))
    for entry in unusable:
        parts.append(Text.assemble((inert(entry.folder), "trouble"), "  not usable by name", overflow="fold"))
        parts.append(Padding(Text(one_line(entry.reason, 600), overflow="fold"), (0, 0, 0, 4)))
    parts.append(Text('Ask one: glassloop ask -a NAME "QUESTION"; make one: glassloop init NAME', "soft"))
    return Group(*parts)


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
    if first is not None and first.provider == "embedded":
        return "no provider is configured, and this runs on this machine"
    if first is None or not first.variable:
        return "no provider is configured, and this needs none; it is not a language model"
    return f"{first.variable} is set, and no model is named"


def show_models(models: ModelsInForce, look: Look) -> RenderableType:
    """The same for people, with what to set for the providers that are not configured."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for width in (3 if look.ascii else 1, None, None):
        grid.add_column(width=width, overflow="fold")
    for info in models.providers:
        sign = Text(look.sign("done" if info.configured else "open"), "observe" if info.configured else "faint")
        what = info.note if info.configured or not info.variable else f"{info.note}; set {info.variable}"
        grid.add_row(sign, Text(info.model, overflow="fold"), Text(what, "" if info.configured else "soft"))
    tiers = [f"{tier} {name}" for tier, name in models.tiers.items()]
    parts: list[RenderableType] = [
        Text.assemble("Answers now: ", (inert(models.default), "answer"), f" ({models.why})", overflow="fold"),
        Text(f"Tiers: {', '.join(tiers)}; preset {models.preset}", "soft", overflow="fold"),
        Text(),
        grid,
        Text(),
        Text("Choose with --model provider:model, or GLASSLOOP_MODEL for good.", "soft"),
    ]
    if models.problem is not None:
        parts[1] = Text(f"It cannot be used yet: {inert(models.problem)}", "trouble", overflow="fold")
    return Group(*parts)


def settings_in_force(settings: Settings) -> list[SettingInForce]:
    """Every setting, secrets masked."""
    names, came_from = variables(), find_origins()
    return [
        SettingInForce(
            name=name,
            variable=names.get(name, ""),
            value=masked(name, msgspec.to_builtins(getattr(settings, name)), HIDDEN),
            origin=came_from.get(name, "default"),
            meaning=meaning,
            note=_note(name, settings),
        )
        for name, meaning in meanings().items()
    ]


def meanings() -> dict[str, str]:
    """What each setting is for, in the words of its definition."""
    fields = msgspec.json.schema(Settings)["$defs"]["Settings"]["properties"]
    return {name: field.get("description", "") for name, field in fields.items()}


def show_settings(settings: Sequence[SettingInForce]) -> RenderableType:
    """The same for people."""
    parts: list[RenderableType] = []
    for setting in settings:
        plain = str(setting.value).lower() if isinstance(setting.value, bool) else str(setting.value)
        value = "not set" if setting.value is None else inert(plain) or json_line(setting.value, 200)
        parts.append(Text.assemble((setting.name, "act"), f" = {value}  ", (setting.origin, "soft"), overflow="fold"))
        if setting.note:
            parts.append(Padding(Text(inert(setting.note), "trouble", overflow="fold"), (0, 0, 0, 4)))
        about = f"{setting.meaning} {setting.variable}".rstrip()
        parts.append(Padding(Text(about, "faint", overflow="fold"), (0, 0, 0, 4)))
    return Group(*parts)


def _note(name: str, settings: Settings) -> str:
    """What a person should know of a value that is accepted but does not do what it says."""
    if name != "preset" or settings.preset in PRESETS:
        return ""
    return f"There is no preset {settings.preset!r}, so 'balanced' is used: write one of {', '.join(PRESETS)}."
