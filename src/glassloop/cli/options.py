"""Options and arguments that several commands have."""

from typing import Annotated

import typer

AssistantOption = Annotated[
    str | None,
    typer.Option("--assistant", "-a", metavar="NAME", help="Who answers: a name, a folder's path, or app.py:agent."),
]
TargetsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="AGENT", help="Agents to serve too, as app.py:agent or package.module:agent."),
]
ChosenOption = Annotated[
    str | None,
    typer.Option(
        "--assistant",
        "-a",
        metavar="NAME",
        help="The assistant, as for `ask`, where the turn's log alone cannot or may not choose it.",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="NAME", help="The model, as provider:model. Else GLASSLOOP_MODEL."),
]
SessionOption = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="The conversation this belongs to. Else a new one.")
]
TurnArgument = Annotated[
    str, typer.Argument(metavar="TURN", help="The turn's id, or last; `glassloop sessions show` tells ids.")
]
OwnerOption = Annotated[str | None, typer.Option("--user", metavar="NAME", help="Only what is this user's.")]
LimitOption = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many.")]
JsonOption = Annotated[bool, typer.Option("--json", help="For programs: JSON instead of text.")]
EventsOption = Annotated[bool, typer.Option("--json", help="Print the events instead, one JSON object a line.")]
