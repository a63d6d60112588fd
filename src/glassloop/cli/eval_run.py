"""A run of an evaluation suite on a runtime of its own, reported and judged by its bars. Its texts are untrusted."""

import asyncio
import re
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from rich.console import RenderableType

from glassloop.cli.resources import load_settings, use_runtime
from glassloop.cli.ui.markdown import WordTable
from glassloop.cli.ui.output import Line, TerminalStyle, complain, count, duration, money, show_result
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.core.errors import UsageError
from glassloop.evals.comparison import MeasureDifference, RunComparison, compare
from glassloop.evals.run_file import CaseResult, RunFile, RunHeader, read_run
from glassloop.evals.suite import Case, Suite
from glassloop.evals.suite_files import find_suite
from glassloop.evals.suite_run import SuiteRun, remaining_cases
from glassloop.evals.summary import RunSummary, SuccessRate, by_tag, summarize
from glassloop.evals.target import assistant_of, check_names, defaults_of
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.durable.runtime import Runtime

MAX_WRONG = 200
MAX_FLIPS = 40
MAX_TEXT_CHARS = 300


class EvalReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a run. `below` names the bars that were missed, `wrong` the results with something wrong."""

    run: RunHeader
    file: str
    total: RunSummary
    tags: Mapping[str, RunSummary]
    wrong: tuple[CaseResult, ...]
    comparison: RunComparison | None
    below: tuple[str, ...]


def report_view(report: EvalReport, terminal: TerminalStyle) -> list[RenderableType]:
    """What was wrong first, so that the figures are what one sees last."""
    parts: list[RenderableType] = [
        line for result in report.wrong[:MAX_WRONG] for line in _wrong_lines(result, terminal)
    ]
    if len(report.wrong) > MAX_WRONG:
        parts.append(Line((f"and {len(report.wrong) - MAX_WRONG} more, in the file.", "soft")))
    if parts:
        parts.append(Line())
    head, total = report.run, report.total
    sizes = count(head.offered, "tool"), count(total.asked, "question")
    parts.append(Line((safe_text(terminal.join(head.suite, head.model, head.protocol, *sizes)), "act")))
    parts += [_rates({"all": total, **report.tags}), _costs({"all": total, **report.tags})]
    if total.failed:
        parts.append(Line((f"{count(total.failed, 'turn')} did not complete.", "trouble")))
    spent = money(total.cost, 0) if total.cost is not None else "cost unknown"
    parts.append(Line((terminal.join(spent, f"results in {safe_text(report.file)}"), "soft")))
    if report.comparison is not None:
        parts += [Line(), *comparison_view(report.comparison, terminal)]
    return parts


def comparison_view(found: RunComparison, terminal: TerminalStyle) -> list[RenderableType]:
    """Each measure with its difference, then the cases that flipped."""
    before, after = (f"{head.suite} with {head.model}" for head in (found.before, found.after))
    table = WordTable("measure", "before", "after", "difference (95 %)", "p", "gained", "lost")
    for each in found.differences:
        interval = f"{each.difference:+.1%} ({each.low:+.1%} to {each.high:+.1%})"
        flips = (str(len(each.gained)), str(len(each.lost)))
        table.add_row(each.measure, f"{each.before:.1%}", f"{each.after:.1%}", interval, f"{each.p:.3f}", *flips)
    parts: list[RenderableType] = [Line((safe_text(f"{after}, compared with {before}"), "act")), table]
    parts += [line for each in found.differences for line in _flip_lines(each, terminal)]
    if found.note:
        parts.append(Line((safe_text(found.note), "trouble")))
    return parts


def suite_lines(suites: Sequence[Suite | UsageError]) -> list[Line]:
    """Each suite with what it asks."""
    lines: list[Line] = []
    for suite in suites:
        if isinstance(suite, UsageError):
            lines.append(Line((one_line(str(suite), 600), "trouble")))
            continue
        facts = "  ".join(part for part in (one_line(suite.title, 100), count(len(suite.cases), "case")) if part)
        lines.append(Line((safe_text(suite.name), "act"), f"  {facts}"))
        if about := one_line(suite.description, 300):
            lines.append(Line((about, "soft"), indent=4))
    return [
        *lines,
        Line(("To run one: glassloop eval NAME -m MODEL. For your own suite, give the path of its file.", "soft")),
    ]


def _wrong_lines(result: CaseResult, terminal: TerminalStyle) -> list[Line]:
    """The question, what was expected and what came."""
    case = f"{terminal.sign('failed')} {safe_text(result.case)}" + (f" (run {result.run})" if result.run > 1 else "")
    lines = [Line((case, "trouble"), f"  {one_line(result.question, MAX_TEXT_CHARS)}")]
    for problem in result.problems:
        expected, got = one_line(problem.expected, MAX_TEXT_CHARS), one_line(problem.got, MAX_TEXT_CHARS)
        lines.append(Line((f"{problem.part}: expected ", "soft"), expected, ("; got ", "soft"), got, indent=4))
    if result.turn_ids:
        lines.append(Line((f"glassloop watch {safe_text(result.turn_ids[-1])}", "faint"), indent=4))
    return lines


def _rates(summaries: Mapping[str, RunSummary]) -> RenderableType:
    # Only assistants with a router send questions anywhere.
    routed = any(each.destination.of for each in summaries.values())
    # Few models ever decline.
    declines = any(each.answered.right < each.answered.of for each in summaries.values())
    titles = ("destination", "tool", "arguments", "answer", "readable", "all")[not routed :]
    titles += ("answered", "right of those") if declines else ()
    table = WordTable("% right", "cases", *titles)
    for name, each in summaries.items():
        measures = (each.tool, each.arguments, each.answer, each.readable, each.passed)
        measures = (each.destination, *measures) if routed else measures
        measures += (each.answered, each.right_of_answered) if declines else ()
        table.add_row(one_line(name, 40), str(each.cases), *(_rate(measure) for measure in measures))
    return table


def _costs(summaries: Mapping[str, RunSummary]) -> RenderableType:
    table = WordTable("median", "steps", "tokens in", "cached", "tokens out", "time", "time p90")
    for name, each in summaries.items():
        tokens = (each.input_tokens, each.cached_tokens, each.output_tokens)
        table.add_row(
            one_line(name, 40),
            f"{each.steps.median:g}",
            *(f"{spread.median:,.0f}" for spread in tokens),
            duration(each.seconds.median),
            duration(each.seconds.p90),
        )
    return table


def _rate(rate: SuccessRate) -> str:
    if rate.share is None:
        return "–"
    return f"{100 * rate.share:.0f} {100 * rate.low:.0f}–{100 * rate.high:.0f}"


def _flip_lines(difference: MeasureDifference, terminal: TerminalStyle) -> list[Line]:
    lines: list[Line] = []
    gained, lost = (terminal.sign("done"), "gained"), (terminal.sign("failed"), "lost")
    for (sign, what), cases in ((gained, difference.gained), (lost, difference.lost)):
        if cases:
            names = ", ".join(safe_text(case) for case in cases[:MAX_FLIPS])
            more = f" and {len(cases) - MAX_FLIPS} more" if len(cases) > MAX_FLIPS else ""
            lines.append(Line((f"{sign} {difference.measure} {what}: {names}{more}", "soft")))
    return lines


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
            raise UsageError(f"{len(self._cases):,} cases × {repeat} exceed the limit of {MAX_RUNS:,}: use fewer.")
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
            got = "not graded by any case" if share is None else f"{share:.3f}"
            complain(f"The share of {bar} is {got}, below --min-{bar} {self._bars[bar]:g}.")
        return BELOW if report.below else 0

    def _chosen(self, wanted: Sequence[str]) -> list[Case]:
        """The cases that any of the patterns means; refuses one that means none."""
        cases = self._suite.cases
        patterns = [part.strip() for given in wanted for part in given.split(",") if part.strip()]
        for pattern in patterns:
            if not any(_is_meant(case, pattern) for case in cases):
                raise UsageError(
                    f"--cases {pattern!r} matches no case of {self._suite.name!r}: give ids, * or tag:NAME."
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
                raise UsageError(f"There is no run of {suite.name!r} with {model!r} to resume: omit --resume.")
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
                complain(f"Stopped with {done} of {every} done: --resume --out {file.path} continues it.")
                raise


def _is_meant(case: Case, pattern: str) -> bool:
    if pattern.startswith("tag:"):
        return pattern.removeprefix("tag:") in case.tags
    return fnmatchcase(case.id, pattern)


def _is_below(total: RunSummary, bar: str, least: float) -> bool:
    """What no case judges cannot have reached a bar."""
    share: float | None = getattr(total, bar).share
    return share is None or share < least
