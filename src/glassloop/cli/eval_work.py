"""What `glassloop eval` does: runs a suite on a runtime of its own, compares runs, makes cases."""

import asyncio
import re
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from glassloop.cli.eval_views import show_comparison, show_list, show_report
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.progress import progress_bar
from glassloop.cli.running import running, storing, where
from glassloop.cli.streams import complain
from glassloop.cli.tell import say, tell
from glassloop.core.errors import UsageError
from glassloop.evals.adding import add_turn, rating_of
from glassloop.evals.asked import assistant_of, check_names, defaults_of
from glassloop.evals.comparison import Comparison, compare
from glassloop.evals.reading import find_suite, list_suites
from glassloop.evals.results import Head, Result, RunFile, read_run
from glassloop.evals.running import Run, to_do
from glassloop.evals.suite import Case, Suite
from glassloop.evals.summary import Summary, by_tag, summarize
from glassloop.runtime.agent import Agent
from glassloop.runtime.agents import Wanted
from glassloop.runtime.runtime import Runtime
from glassloop.runtime.settings import Settings

BELOW = 1
MOST_RUNS = 20_000


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is made. `bars`: the least share of each measure."""

    model: str | None
    cases: tuple[str, ...]
    repeat: int
    concurrency: int
    out: str | None
    resume: bool
    compare: str | None
    bars: Mapping[str, float]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to. `below` names the bars that were missed, `wrong` the results with something wrong."""

    run: Head
    file: str
    total: Summary
    tags: Mapping[str, Summary]
    wrong: tuple[Result, ...]
    comparison: Comparison | None
    below: tuple[str, ...]


def run_suite(name: str, options: Options, *, as_json: bool) -> int:
    """One run to its end, told and judged by its bars."""
    settings = load_settings()
    suite = find_suite(name, settings.home_path)
    chosen = _chosen(suite, options.cases)
    if len(chosen) * options.repeat > MOST_RUNS:
        raise UsageError(f"{len(chosen):,} cases {options.repeat} times are more than {MOST_RUNS:,}: ask fewer.")
    before = read_run(Path(options.compare)) if options.compare else None
    wanted = Wanted(assistant_of(suite, settings.home_path), options.model, suite.max_iterations)
    # Limits at the door are for people: a run asks as often as it is told to.
    with running(msgspec.structs.replace(settings, session_rate=0, user_turns=0)) as (runner, runtime):
        agent = runner.run(runtime.agents.obtain(wanted))
        check_names(suite, agent.tools.specs)
        file = _open(settings, suite, wanted, agent, options)
        try:
            _ask(runner, runtime, suite, wanted, agent, file, options, chosen)
        finally:
            file.close()
    ids = {case.id for case in chosen}
    results = [result for (case, run), result in file.results.items() if case in ids and run <= options.repeat]
    after = {(result.case, result.run): result for result in results}
    total = summarize(results)
    report = Report(
        run=file.head,
        file=str(file.path),
        total=total,
        tags=by_tag(results),
        wrong=tuple(result for result in results if not result.passed),
        comparison=compare(before, (file.head, after), tuple(ids)) if before else None,
        below=tuple(bar for bar, least in options.bars.items() if _is_below(total, bar, least)),
    )
    tell(report, as_json, lambda look: show_report(report, look))
    for bar in report.below:
        share = getattr(total, bar).share
        got = "not judged by any case" if share is None else f"{share:.3f}"
        complain(f"The share of {bar} is {got}, below --min-{bar} {options.bars[bar]:g}.")
    return BELOW if report.below else 0


def show_suites(*, as_json: bool) -> None:
    """Every suite that has a name."""
    found = list_suites(load_settings().home_path)
    told = [
        {"problem": str(each)}
        if isinstance(each, UsageError)
        else {"name": each.name, "title": each.title, "cases": len(each.cases), "file": each.file}
        for each in found
    ]
    tell(told, as_json, lambda _look: show_list(found))


def compare_runs(before: str, after: str, *, as_json: bool) -> None:
    """Two runs that are over."""
    found = compare(read_run(Path(before)), read_run(Path(after)))
    tell(found, as_json, lambda look: show_comparison(found, look))


def add_stored(
    turn: str,
    suite: str,
    *,
    rating: str | None,
    ident: str,
    tags: Sequence[str],
    note: str,
    assistant: str | None,
) -> None:
    """Makes a stored turn a case."""
    settings = load_settings()
    given, chosen = rating_of(rating), where(assistant) if assistant else None
    with storing(settings) as (runner, store):
        work = add_turn(
            store,
            turn,
            Path(suite),
            settings.home_path,
            rating=given,
            note=note,
            ident=ident,
            tags=tags,
            chosen=chosen,
        )
        added = runner.run(work)
    made = " (new)" if added.made else ""
    say(f"Case {added.case} is in {added.suite}{made}: {_expects(added.rating)}, as {added.rated_by} rates it.")


def _expects(rating: str) -> str:
    return "it must go so again" if rating == "good" else "it must not go so again"


def _chosen(suite: Suite, wanted: Sequence[str]) -> list[Case]:
    """The cases that any of the patterns means; refuses one that means none."""
    patterns = [part.strip() for given in wanted for part in given.split(",") if part.strip()]
    for pattern in patterns:
        if not any(_is_meant(case, pattern) for case in suite.cases):
            raise UsageError(
                f"--cases {pattern!r} is no case of {suite.name!r}: give ids, with * for any, or tag:NAME."
            )
    return [case for case in suite.cases if not patterns or any(_is_meant(case, pattern) for pattern in patterns)]


def _is_meant(case: Case, pattern: str) -> bool:
    if pattern.startswith("tag:"):
        return pattern.removeprefix("tag:") in case.tags
    return fnmatchcase(case.id, pattern)


def _open(settings: Settings, suite: Suite, wanted: Wanted, agent: Agent, options: Options) -> RunFile:
    model = agent.models["balanced"].name
    head = Head(
        suite=suite.name,
        digest=suite.digest,
        assistant=wanted.assistant,
        model=model,
        protocol=agent.protocol,
        offered=len(agent.tools.specs),
        started_at=time.time(),
    )
    if options.out:
        return RunFile.open(Path(options.out).expanduser(), head, resume=options.resume)
    folder = settings.home_path / "evals" / "runs"
    begin = f"{suite.name}-{re.sub(r'[^A-Za-z0-9.]+', '-', model)}-"
    if options.resume:
        # Their names end in the time they were begun, so the last in order is the newest.
        name = re.compile(re.escape(begin) + r"\d{8}-\d{6}-\d{6}")
        found = sorted(path for path in folder.glob("*.jsonl") if name.fullmatch(path.stem))
        if not found:
            raise UsageError(f"There is no run of {suite.name!r} with {model!r} to go on with: leave out --resume.")
        return RunFile.open(found[-1], head, resume=True)
    stamp = datetime.fromtimestamp(head.started_at, UTC).strftime("%Y%m%d-%H%M%S-%f")
    return RunFile.open(folder / f"{begin}{stamp}.jsonl", head, resume=False)


def _ask(
    runner: asyncio.Runner,
    runtime: Runtime,
    suite: Suite,
    wanted: Wanted,
    agent: Agent,
    file: RunFile,
    options: Options,
    chosen: Sequence[Case],
) -> None:
    todo = to_do(chosen, options.repeat, file)
    every = len(chosen) * options.repeat
    with progress_bar(f"{suite.name} with {file.head.model}", every) as bar:
        bar.advance(every - len(todo))
        defaults = defaults_of(agent.tools.specs)
        run = Run(runtime, suite, wanted, file, defaults, lambda _result: bar.advance(1))
        try:
            runner.run(run.ask_all(todo, options.concurrency))
        except KeyboardInterrupt:
            done = sum(result.is_settled for result in file.results.values())
            sys.stderr.flush()
            complain(f"Stopped with {done} of {every} done: --resume --out {file.path} goes on.")
            raise


def _is_below(total: Summary, bar: str, least: float) -> bool:
    """What no case judges cannot have reached a bar."""
    share: float | None = getattr(total, bar).share
    return share is None or share < least
