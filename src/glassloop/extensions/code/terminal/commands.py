"""`glassloop code` and `glassloop undo`, as they are typed; what they do is imported when they are."""

from pathlib import Path
from typing import Annotated

import typer

from glassloop.cli.options import JsonOption, ModelOption, SessionOption

commands = typer.Typer()


@commands.command()
def code(
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="The folder to work in. Else this one, or the session's.")
    ] = None,
    model: ModelOption = None,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="How much may change: plan, read, ask or edits.")
    ] = None,
    session: SessionOption = None,
    question: Annotated[
        str | None, typer.Option("--print", "-p", metavar="QUESTION", help="Answer this and end; - reads stdin.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="With -p: print the events, one JSON object a line.")] = False,
    doctor: Annotated[bool, typer.Option("--doctor", help="Say what holds commands within the folder.")] = False,
    acp: Annotated[bool, typer.Option("--acp", help="Serve an editor, over the Agent Client Protocol.")] = False,
) -> int:
    """Work on the files of a folder with the code assistant.

    Without -p it starts a chat. Same exit codes as `glassloop ask`.

    \b
    Examples:
      glassloop code
      glassloop code ~/projects/shop --mode plan
      glassloop code -p "Why does test_login fail?" --mode read
      glassloop code --doctor
      glassloop code --acp
    """
    from glassloop.extensions.code.terminal.code_work import work_in

    return work_in(path, model, mode, session, question, as_json=as_json, doctor=doctor, acp=acp)


@commands.command()
def undo(
    turn: Annotated[
        str | None, typer.Argument(metavar="TURN", help="The turn, or the undo, to take back. Else the last one here.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Undo the file changes of a turn of the code assistant.

    Shows what it will do first. Files that have changed since are merged. Files with conflicts are not changed, and
    the exit code is 1.

    \b
    Examples:
      glassloop undo
      glassloop undo 0197c2f0a3 --yes
    """
    from glassloop.extensions.code.terminal.code_work import take_back

    return take_back(turn, yes=yes, as_json=as_json)
