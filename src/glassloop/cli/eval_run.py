"""A run of an evaluation suite on a runtime of its own, reported and judged by its bars."""

import asyncio
import re
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from glassloop.cli.resources import load_settings, use_runtime
from glassloop.cli.ui.output import show_result
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.stdio import complain
from glassloop.cli.views.evals import EvalReport, report_view
from glassloop.core.errors import UsageError
from glassloop.evals.comparison import compare
from glassloop.evals.run_file import RunFile, RunHeader, read_run
from glassloop.evals.suite import Case
from glassloop.evals.suite_files import find_suite
from glassloop.evals.suite_run import SuiteRun, remaining_cases
from glassloop.evals.summary import RunSummary, by_tag, summarize
from glassloop.evals.target import assistant_of, check_names, defaults_of
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.durable.runtime import Runtime

BELOW = 1
MAX_RUNS = 20_000


class EvalRun:
    """One run of a suite. `bars`: the least share of each measure."""

    def __init__(
        self,
        suite: str,
        *,
        model: str | None,
        cases: Sequence[str],
        repeat: int,
        concurrency: int,
        bars: Mapping[str, float],
    ) -> None:
        self._settings = load_settings()
        self._suite = find_suite(suite, self._settings)
        self._cases = self._chosen(cases)
        self._repeat, self._concurrency, self._bars = repeat, concurrency, bars
        if len(self._cases) * repeat > MAX_RUNS:
            raise UsageError(f"{len(self._cases):,} cases {repeat} times are more than {MAX_RUNS:,}: ask fewer.")
        assistant = assistant_of(self._suite, self._settings.home_path)
        self._wanted = AgentKey(assistant, model, self._suite.max_iterations)

    def run(self, *, out: str | None, resume: bool, compare_with: str | None, as_json: bool) -> int:
        """Asks all, reports, and returns the exit code."""
        before = read_run(Path(compare_with)) if compare_with else None
        # Limits at the door are for people: a run asks as often as it is told to.
        settings = msgspec.structs.replace(self._settings, session_rate=0, user_turns=0)
        with use_runtime(settings) as (runner, runtime):
            agent = runner.run(runtime.agents.for_key(self._wanted))
            check_names(self._suite, agent.tools.specs)
            file = self._open(agent, out, resume=resume)
            try:
                self._ask(runner, runtime, agent, file)
            finally:
                file.close()
        ids = {case.id for case in self._cases}
        results = [result for (case, run), result in file.results.items() if case in ids and run <= self._repeat]
        after = {(result.case, result.run): result for result in results}
        total = summarize(results)
        report = EvalReport(
            run=file.head,
            file=str(file.path),
            total=total,
            tags=by_tag(results),
            wrong=tuple(result for result in results if not result.passed),
            comparison=compare(before, (file.head, after), tuple(ids)) if before else None,
            below=tuple(bar for bar, least in self._bars.items() if _is_below(total, bar, least)),
        )
        show_result(report, as_json, lambda terminal: report_view(report, terminal))
        for bar in report.below:
            share = getattr(total, bar).share
            got = "not judged by any case" if share is None else f"{share:.3f}"
            complain(f"The share of {bar} is {got}, below --min-{bar} {self._bars[bar]:g}.")
        return BELOW if report.below else 0

    def _chosen(self, wanted: Sequence[str]) -> list[Case]:
        """The cases that any of the patterns means; refuses one that means none."""
        cases = self._suite.cases
        patterns = [part.strip() for given in wanted for part in given.split(",") if part.strip()]
        for pattern in patterns:
            if not any(_is_meant(case, pattern) for case in cases):
                raise UsageError(
                    f"--cases {pattern!r} is no case of {self._suite.name!r}: give ids, with * for any, or tag:NAME."
                )
        return [case for case in cases if not patterns or any(_is_meant(case, pattern) for pattern in patterns)]

    def _open(self, agent: Agent, out: str | None, *, resume: bool) -> RunFile:
        suite, model = self._suite, agent.models["balanced"].name
        head = RunHeader(
            suite=suite.name,
            digest=suite.digest,
            assistant=self._wanted.assistant,
            model=model,
            protocol=agent.protocol,
            offered=len(agent.tools.specs),
            started_at=time.time(),
        )
        if out:
            return RunFile.open(Path(out).expanduser(), head, resume=resume)
        folder = self._settings.home_path / "evals" / "runs"
        begin = f"{suite.name}-{re.sub(r'[^A-Za-z0-9.]+', '-', model)}-"
        if resume:
            # Their names end in the time they were begun, so the last in order is the newest.
            name = re.compile(re.escape(begin) + r"\d{8}-\d{6}-\d{6}")
            found = sorted(path for path in folder.glob("*.jsonl") if name.fullmatch(path.stem))
            if not found:
                raise UsageError(f"There is no run of {suite.name!r} with {model!r} to go on with: leave out --resume.")
            return RunFile.open(found[-1], head, resume=True)
        stamp = datetime.fromtimestamp(head.started_at, UTC).strftime("%Y%m%d-%H%M%S-%f")
        return RunFile.open(folder / f"{begin}{stamp}.jsonl", head, resume=False)

    def _ask(self, runner: asyncio.Runner, runtime: Runtime, agent: Agent, file: RunFile) -> None:
        todo = remaining_cases(self._cases, self._repeat, file)
        every = len(self._cases) * self._repeat
        with progress_bar(f"{self._suite.name} with {file.head.model}", every) as bar:
            bar.advance(every - len(todo))
            defaults = defaults_of(agent.tools.specs)
            run = SuiteRun(runtime, self._suite, self._wanted, file, defaults, lambda _result: bar.advance(1))
            try:
                runner.run(run.ask_all(todo, self._concurrency))
            except KeyboardInterrupt:
                done = sum(result.is_settled for result in file.results.values())
                sys.stderr.flush()
                complain(f"Stopped with {done} of {every} done: --resume --out {file.path} goes on.")
                raise


def _is_meant(case: Case, pattern: str) -> bool:
    if pattern.startswith("tag:"):
        return pattern.removeprefix("tag:") in case.tags
    return fnmatchcase(case.id, pattern)


def _is_below(total: RunSummary, bar: str, least: float) -> bool:
    """What no case judges cannot have reached a bar."""
    share: float | None = getattr(total, bar).share
    return share is None or share < least
