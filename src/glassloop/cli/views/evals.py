"""Runs of suites in a terminal: their figures, what was wrong, and how two differ. Every text in them is untrusted."""

from collections.abc import Mapping, Sequence

import msgspec
from rich.console import RenderableType

from glassloop.cli.ui.output import Line
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.cli.ui.style import TerminalStyle, count, duration, money
from glassloop.cli.ui.tables import WordTable
from glassloop.core.errors import UsageError
from glassloop.evals.comparison import MeasureDifference, RunComparison
from glassloop.evals.run_file import CaseResult, RunHeader
from glassloop.evals.suite import Suite
from glassloop.evals.summary import RunSummary, SuccessRate

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
    return [*lines, Line(("Ask one: glassloop eval NAME -m MODEL; a file of your own by its path", "soft"))]


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
