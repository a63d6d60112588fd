"""Options asked for with a question, and the settings that the first event of its turn keeps of it.

An agent is not made anew for one turn: it reads its options back from the first event, here or on another worker.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.events import ProtocolName
from glassloop.core.labels import FOREIGN_CONTEXT
from glassloop.core.loop.approvals.modes import MODE, Mode, check_mode
from glassloop.core.ports import TEMPORARY, Model
from glassloop.core.records import Json
from glassloop.models.tiers import PRESETS, find_preset
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agent_parts.prompt_facts import prompt_facts
from glassloop.runtime.assistants.agent_parts.turn_options import OWN_LIMITS, PRESET, TODAY
from glassloop.runtime.assistants.agent_profile import protocol_for, recorded_limits
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.attachments.parts import MessagePart, Question
from glassloop.runtime.durable.turn_context import NOTICES, AskedQuestion, TurnNotice
from glassloop.runtime.extensions import RuntimeContext
from glassloop.store.records import BACKGROUND

MAX_ITERATIONS: Final = 50
"""Steps that a request may ask for."""


class SubmittedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that was taken."""

    turn_id: str
    session_id: str


class TurnOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a request may ask for instead of what the assistant has. None is the assistant's own."""

    mode: Mode | None = None
    """How much may change; None: what the session had last."""
    preset: str | None = None
    """Which tier does what; one that is not there counts as `balanced`."""
    max_iterations: int | None = None
    """Steps, 1 to 50."""
    workspace: str | None = None
    """The folder that the session works in from now on; None: the one it has."""
    context_name: str | None = None
    """The index that the session searches."""
    protocol: ProtocolName | None = None
    """How decisions are written; one that the model cannot do is replaced."""
    retrieves: bool = False
    """Whether passages of the session's index are told with the question."""
    collections: tuple[str, ...] | None = None
    """Collections to answer from, by name or id; None: those of the assistant."""
    today: date | None = None
    """The day that the model is told, for evaluations over data of that day; None: the day it is."""

    def __post_init__(self) -> None:
        if self.max_iterations is not None and not 1 <= self.max_iterations <= MAX_ITERATIONS:
            raise UsageError(f"A turn has 1 to {MAX_ITERATIONS} steps, not {self.max_iterations}.")


class TurnPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a turn stands in its session: after the turn `previous_turn_id`, empty at the beginning, or, where that is
    None, after the newest. `asks_for_effects`: every effect asks first, as it may be one of a turn that is replaced."""

    previous_turn_id: str | None = None
    asks_for_effects: bool = False


class QuestionContext(msgspec.Struct, frozen=True, kw_only=True):
    """All that comes with a question but the question itself; see `Runtime.submit`."""

    channel: str = "api"
    context: Mapping[str, Json] = {}
    instructions: str = ""
    has_deps: bool = False
    ask_user: bool = True
    titled: bool = True
    background: bool = False
    output_schema: Mapping[str, Json] | None = None
    options: TurnOptions = TurnOptions()
    question: Question = ""
    place: TurnPlace = TurnPlace()
    goes_on: bool = False
    """Whether its session may have been there before."""


async def turn_settings(
    runtime: RuntimeContext, agent: Agent, wanted: AgentKey, user: str, session_id: str, given: QuestionContext
) -> dict[str, Json]:
    """The settings of a turn. Keeps the folder, the index and the mode of its session."""
    own: dict[str, Json] = {"channel": given.channel, "wanted": msgspec.to_builtins(wanted)}
    mode = await _session_mode(runtime, user, session_id, given)
    asked = AskedQuestion(
        text=_text_of([given.question] if isinstance(given.question, str) else given.question),
        assistant=agent.profile.name,
        user=user,
        session_id=session_id,
        retrieves=given.options.retrieves,
        previous_turn_id=given.place.previous_turn_id,
    )
    found = await runtime.settings.extensions.turn_context(runtime, asked)
    own |= _option_settings(given.options, agent, mode)
    if given.goes_on and await _is_temporary(runtime, session_id):
        own[TEMPORARY] = True
    if given.place.asks_for_effects:
        own["approvals"] = "effects"
    kept: dict[str, Json] = {
        "context": {**given.context, **found.told},
        FOREIGN_CONTEXT: bool(found.told),
        NOTICES: msgspec.to_builtins([*_preset_notice(given.options), *found.notices]),
        "instructions": given.instructions,
        "deps": given.has_deps,
        BACKGROUND: given.background,
        **await prompt_facts(runtime.store, runtime.settings, agent.profile, user, agent.plugins),
    }
    own |= {name: value for name, value in kept.items() if value}
    own |= {name: False for name in ("ask_user", "titled") if not getattr(given, name)}
    if given.output_schema is not None:
        from glassloop.runtime.assistants.json_output import JsonOutput

        # As text: a property may be called `token`, and what stands under such names is redacted in the log.
        own["output_schema"] = JsonOutput(given.output_schema).text
    return own


async def _is_temporary(runtime: RuntimeContext, session_id: str) -> bool:
    session = await runtime.store.sessions.get(session_id)
    return session is not None and session.temporary


def _text_of(question: Sequence[str | MessagePart]) -> str:
    return "\n".join(part for part in question if isinstance(part, str))


async def _session_mode(runtime: RuntimeContext, user: str, session_id: str, given: QuestionContext) -> Mode:
    """The mode of the turn, once what it asks for is kept with its session."""
    workspaces, asked = runtime.workspaces, given.options
    mode, folder, index = asked.mode, asked.workspace, asked.context_name
    if workspaces is None:
        return mode or "ask"
    if mode is not None or folder is not None or index is not None:
        row = await workspaces.choose(user, session_id, folder, index, mode)
    else:
        row = await workspaces.find(user, session_id)
    return check_mode(row.mode) if row is not None and row.mode else "ask"


def _option_settings(options: TurnOptions, agent: Agent, mode: Mode) -> dict[str, Json]:
    kept: dict[str, Json] = {} if mode == "ask" else {MODE: mode}
    if options.preset is not None:
        kept[PRESET] = find_preset(options.preset).name
    if options.today is not None:
        kept[TODAY] = options.today.isoformat()
    if options.max_iterations is not None:
        kept[OWN_LIMITS] = True
        kept["limits"] = {**recorded_limits(agent.profile), "iterations": options.max_iterations}
    return kept


def _preset_notice(options: TurnOptions) -> Sequence[TurnNotice]:
    if options.preset is None or options.preset in PRESETS:
        return ()
    return (TurnNotice(text=f"There is no preset {options.preset[:60]!r}: balanced is used."),)


def asked_of(options: TurnOptions, agent: Agent) -> tuple[Model, ProtocolName | None]:
    """The model that decides, and how it writes decisions where that is not as the agent's."""
    if options.preset is None and options.protocol is None:
        return agent.main_model, None
    model = agent.main_model
    if options.preset is not None:
        model = agent.models[find_preset(options.preset).tier_for("decide", "")]
    return model, protocol_for(agent.profile, model.abilities, options.protocol)
