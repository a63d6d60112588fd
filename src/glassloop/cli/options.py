"""Options and arguments that several commands have."""

from typing import Annotated

import typer

AssistantOption = Annotated[
    str | None,
    typer.Option(
        "--assistant", "-a", metavar="NAME", help="The assistant: a name, the path of a folder, or app.py:agent."
    ),
]
TargetsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="AGENT", help="More agents to serve, as app.py:agent or package.module:agent."),
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
    typer.Option("--model", "-m", metavar="NAME", help="The model, as provider:model. Default: GLASSLOOP_MODEL."),
]
SessionOption = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Continue this conversation. Default: start a new one.")
]
TurnArgument = Annotated[
    str, typer.Argument(metavar="TURN", help="Turn id, or last. `glassloop sessions show` lists ids.")
]
OwnerOption = Annotated[str | None, typer.Option("--user", metavar="NAME", help="Only this user's.")]
LimitOption = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="Maximum number to show.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
EventsOption = Annotated[bool, typer.Option("--json", help="Print the events instead, one JSON object per line.")]
