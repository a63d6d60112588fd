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
    help="Run a suite of questions and grade the answers.\n\n`glassloop eval SUITE` is `glassloop eval run SUITE`.",
)


def _bar(what: str) -> object:
    return typer.Option(metavar="SHARE", min=0.0, max=1.0, help=f"Exit with 1 if {what} is below this, e.g. 0.8.")


@app.command()
def run(
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="A suite from `glassloop eval list`, or the path of a file.")
    ],
    model: ModelOption = None,
    cases: Annotated[
        list[str] | None,
        typer.Option(
            "--cases", metavar="WHICH", help="Only these cases: comma-separated ids (* as a wildcard) or tag:NAME."
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", metavar="N", min=1, max=MAX_REPEAT, help="Number of times to ask each question.")
    ] = 1,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency", metavar="N", min=1, max=MAX_CONCURRENCY, help="Number of questions to ask in parallel."
        ),
    ] = 1,
    as_json: JsonOption = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FILE", help="File for the results, one per line. Default: a file in GLASSLOOP_HOME."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Resume the run in the --out file, or the last run of this suite and model."),
    ] = False,
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="FILE", help="Compare with the run in this file.")
    ] = None,
    min_destination: Annotated[float | None, _bar("the share of correct destinations")] = None,
    min_tool: Annotated[float | None, _bar("the share of correct tools")] = None,
    min_arguments: Annotated[float | None, _bar("the share of correct arguments")] = None,
    min_answer: Annotated[float | None, _bar("the share of correct answers")] = None,
    min_readable: Annotated[float | None, _bar("the share of readable decisions")] = None,
) -> int:
    """Run every question of a suite and report the results.

    Exits with 0, with 1 if a score is below its minimum, with 2 for bad input.

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
    """List all suites, built in and your own.

    Your own suites are in GLASSLOOP_HOME/evals.

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
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="Results file of the first run.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Results file of the second run.")],
    as_json: JsonOption = False,
) -> None:
    """Compare two runs: what changed, and is it significant?

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
        str, typer.Argument(metavar="SUITE", help="Suite file to add the case to. Created if it does not exist.")
    ],
    rating: Annotated[
        str | None, typer.Option("--rating", metavar="RATING", help="good or bad. Default: the rating of its session.")
    ] = None,
    ident: Annotated[
        str, typer.Option("--id", metavar="ID", help="ID of the case. Default: derived from the turn's id.")
    ] = "",
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Tag for the case. Can be repeated.")
    ] = None,
    note: Annotated[
        str,
        typer.Option(
            "--note", metavar="TEXT", help="Reason for the rating. Default: the note of the session's rating."
        ),
    ] = "",
    assistant: ChosenOption = None,
) -> None:
    """Add a stored turn to a suite as a case.

    A turn rated good must repeat its behaviour; a turn rated bad must not.

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
    expects = "it must do this again" if added.rating == "good" else "it must not do this again"
    made = " (new)" if added.made else ""
    say(f"Case {added.case} is in {added.suite}{made}: {expects}, as {added.rated_by} rates it.")
