"""`glassloop eval`: suites of questions asked and judged, runs compared, stored turns made cases."""

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from glassloop.cli.eval_run import EvalRun, comparison_view, suite_lines
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.options import ChosenOption, JsonOption, ModelOption, TurnArgument
from glassloop.cli.resources import assistant_path, use_store
from glassloop.cli.ui.output import say, show_result
from glassloop.core.errors import UsageError
from glassloop.evals.comparison import compare as compare_runs
from glassloop.evals.run_file import read_run
from glassloop.evals.suite_files import list_suites
from glassloop.evals.turn_case import add_turn, rating_of

MAX_REPEAT, MAX_CONCURRENCY = 100, 64


class _RunFirst(TyperGroup):
    """`eval SUITE` is `eval run SUITE`: what people do most needs no word of its own."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)  # pyright: ignore[reportArgumentType]


app = typer.Typer(
    name="eval",
    cls=_RunFirst,
    help="Ask a suite of questions and judge the answers.\n\n`glassloop eval SUITE` is `glassloop eval run SUITE`.",
)


def _bar(what: str) -> object:
    return typer.Option(metavar="SHARE", min=0.0, max=1.0, help=f"End with 1 where {what} is below this, as 0.8.")


@app.command()
def run(
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="A name that `eval list` shows, or the path of a file.")
    ],
    model: ModelOption = None,
    cases: Annotated[
        list[str] | None,
        typer.Option("--cases", metavar="WHICH", help="Only these: ids with commas between, * for any, or tag:NAME."),
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", min=1, max=MAX_REPEAT, help="Ask each so often.")] = 1,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", min=1, max=MAX_CONCURRENCY, help="Ask so many at once.")
    ] = 1,
    as_json: JsonOption = False,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Where results go, line by line. Else GLASSLOOP_HOME.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in that file, or with the last of suite and model.")
    ] = False,
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="FILE", help="Compare with the run in this file.")
    ] = None,
    min_destination: Annotated[float | None, _bar("the share of right destinations")] = None,
    min_tool: Annotated[float | None, _bar("the share of right tools")] = None,
    min_arguments: Annotated[float | None, _bar("the share of right arguments")] = None,
    min_answer: Annotated[float | None, _bar("the share of right answers")] = None,
    min_readable: Annotated[float | None, _bar("the share of readable decisions")] = None,
) -> int:
    """Ask every question of a suite, and tell what was right.

    Ends with 0, with 1 below a bar that was given, with 2 for bad input.

    \b
    Examples:
      glassloop eval tools40 -m reflex
      glassloop eval ./my-suite.toml --repeat 3 --min-tool 0.8
      glassloop eval tools40 --resume --compare before.jsonl
    """
    names = ("destination", "tool", "arguments", "answer", "readable")
    bars = dict(zip(names, (min_destination, min_tool, min_arguments, min_answer, min_readable), strict=True))
    return EvalRun(
        suite,
        model=model,
        cases=cases or (),
        repeat=repeat,
        concurrency=concurrency,
        bars={name: bar for name, bar in bars.items() if bar is not None},
    ).run(out=out, resume=resume, compare_with=compare, as_json=as_json)


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List the suites there are, ours and yours.

    Yours are in GLASSLOOP_HOME/evals.

    \b
    Example:
      glassloop eval list
    """
    found = list_suites(load_settings())
    rows = [
        {"problem": str(each)}
        if isinstance(each, UsageError)
        else {"name": each.name, "title": each.title, "cases": len(each.cases), "file": each.file}
        for each in found
    ]
    show_result(rows, as_json, lambda _: suite_lines(found))


@app.command()
def compare(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The file of one run.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The file of the other.")],
    as_json: JsonOption = False,
) -> None:
    """Compare two runs: which cases flipped, and is it chance?

    \b
    Example:
      glassloop eval compare before.jsonl after.jsonl
    """
    found = compare_runs(read_run(Path(before)), read_run(Path(after)))
    show_result(found, as_json, lambda terminal: comparison_view(found, terminal))


@app.command()
def add(
    turn: TurnArgument,
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="The file it becomes a case of; made where there is none.")
    ],
    rating: Annotated[
        str | None, typer.Option("--rating", metavar="RATING", help="good or bad. Else the rating of its session.")
    ] = None,
    ident: Annotated[str, typer.Option("--id", metavar="ID", help="The case's id. Else made of the turn's.")] = "",
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag of the case; may be repeated.")
    ] = None,
    note: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Why. Else the note of the session's rating.")
    ] = "",
    assistant: ChosenOption = None,
) -> None:
    """Make a stored turn a case of a suite.

    Rated good it must go so again, rated bad it must not.

    \b
    Examples:
      glassloop eval add 0199c0de-0000-7000-8000-000000000001 ./mine.toml
      glassloop eval add 0199c0de-0000-7000-8000-000000000001 ./mine.toml --rating bad --note "wrong year"
    """
    settings, given = load_settings(), rating_of(rating)
    chosen = assistant_path(assistant) if assistant else None
    with use_store(settings) as (runner, store):
        work = add_turn(
            store,
            turn,
            Path(suite),
            settings,
            rating=given,
            note=note,
            ident=ident,
            tags=tags or [],
            chosen=chosen,
        )
        added = runner.run(work)
    expects = "it must go so again" if added.rating == "good" else "it must not go so again"
    made = " (new)" if added.made else ""
    say(f"Case {added.case} is in {added.suite}{made}: {expects}, as {added.rated_by} rates it.")
