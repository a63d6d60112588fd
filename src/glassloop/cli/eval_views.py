"""Runs of suites in a terminal: what they came to, what was wrong, how two differ. Every text in them is untrusted."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.fitted_table import WordTable
from glassloop.cli.look import Look, count, duration, money
from glassloop.cli.untrusted import inert, one_line
from glassloop.core.errors import UsageError
from glassloop.evals.comparison import Comparison, MeasureDifference
from glassloop.evals.results import Result
from glassloop.evals.suite import Suite
from glassloop.evals.summary import Rate, Summary

if TYPE_CHECKING:
    from glassloop.cli.eval_work import Report

MOST_WRONG = 200
MOST_FLIPS = 40
TEXT_CHARS = 300


def show_report(report: "Report", look: Look) -> RenderableType:
    """What was wrong first, so that the figures are what one sees last."""
    parts: list[RenderableType] = [_wrong(result, look) for result in report.wrong[:MOST_WRONG]]
    if len(report.wrong) > MOST_WRONG:
        parts.append(Text(f"and {len(report.wrong) - MOST_WRONG} more, in the file.", "soft"))
    if parts:
        parts.append(Text())
    head, total = report.run, report.total
    title = look.join(
        head.suite, head.model, head.protocol, count(head.offered, "tool"), count(total.asked, "question")
    )
    parts.append(Text(inert(title), "act", overflow="fold"))
    parts.append(_rates({"all": total, **report.tags}))
    parts.append(_costs({"all": total, **report.tags}))
    if total.failed:
        parts.append(Text(f"{count(total.failed, 'turn')} did not complete.", "trouble"))
    spent = money(total.cost, 0) if total.cost is not None else "cost unknown"
    parts.append(Text(look.join(spent, f"results in {inert(report.file)}"), "soft", overflow="fold"))
    if report.comparison is not None:
        parts += [Text(), show_comparison(report.comparison, look)]
    return Group(*parts)


def show_comparison(found: Comparison, look: Look) -> RenderableType:
    """Each measure with its difference, then the cases that flipped."""
    before, after = (f"{head.suite} with {head.model}" for head in (found.before, found.after))
    parts: list[RenderableType] = [Text(inert(f"{after}, compared with {before}"), "act", overflow="fold")]
    table = WordTable("measure", "before", "after", "difference (95 %)", "p", "gained", "lost")
    for each in found.differences:
        interval = f"{each.difference:+.1%} ({each.low:+.1%} to {each.high:+.1%})"
        flips = (str(len(each.gained)), str(len(each.lost)))
        table.add_row(each.measure, f"{each.before:.1%}", f"{each.after:.1%}", interval, f"{each.p:.3f}", *flips)
    parts.append(table)
    parts += [line for each in found.differences for line in _flips(each, look)]
    if found.note:
        parts.append(Text(inert(found.note), "trouble", overflow="fold"))
    return Group(*parts)


def show_list(suites: Sequence[Suite | UsageError]) -> RenderableType:
    """Each suite with what it asks."""
    parts: list[RenderableType] = []
    for suite in suites:
        if isinstance(suite, UsageError):
            parts.append(Text(one_line(str(suite), 600), "trouble", overflow="fold"))
            continue
        facts = "  ".join(part for part in (one_line(suite.title, 100), count(len(suite.cases), "case")) if part)
        parts.append(Text.assemble((inert(suite.name), "act"), f"  {facts}", overflow="fold"))
        if about := one_line(suite.description, 300):
            parts.append(Padding(Text(about, "soft", overflow="fold"), (0, 0, 0, 4)))
    parts.append(Text("Ask one: glassloop eval NAME -m MODEL; a file of your own by its path", "soft"))
    return Group(*parts)


def _wrong(result: Result, look: Look) -> RenderableType:
    """The question, what was expected and what came."""
    again = f" (run {result.run})" if result.run > 1 else ""
    lines: list[RenderableType] = [
        Text.assemble(
            (f"{look.sign('failed')} {inert(result.case)}{again}", "trouble"),
            f"  {one_line(result.question, TEXT_CHARS)}",
            overflow="fold",
        )
    ]
    for problem in result.problems:
        told = Text.assemble(
            (f"{problem.part}: expected ", "soft"),
            one_line(problem.expected, TEXT_CHARS),
            ("; got ", "soft"),
            one_line(problem.got, TEXT_CHARS),
            overflow="fold",
        )
        lines.append(Padding(told, (0, 0, 0, 4)))
    if result.turn_ids:
        lines.append(Padding(Text(f"glassloop watch {inert(result.turn_ids[-1])}", "faint"), (0, 0, 0, 4)))
    return Group(*lines)


def _rates(summaries: Mapping[str, Summary]) -> RenderableType:
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


def _costs(summaries: Mapping[str, Summary]) -> RenderableType:
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


def _rate(rate: Rate) -> str:
    if rate.share is None:
        return "–"
    return f"{100 * rate.share:.0f} {100 * rate.low:.0f}–{100 * rate.high:.0f}"


def _flips(difference: MeasureDifference, look: Look) -> list[RenderableType]:
    found: list[RenderableType] = []
    gained, lost = (look.sign("done"), "gained"), (look.sign("failed"), "lost")
    for (sign, what), cases in ((gained, difference.gained), (lost, difference.lost)):
        if cases:
            names = ", ".join(inert(case) for case in cases[:MOST_FLIPS])
            more = f" and {len(cases) - MOST_FLIPS} more" if len(cases) > MOST_FLIPS else ""
            found.append(Text(f"{sign} {difference.measure} {what}: {names}{more}", "soft", overflow="fold"))
    return found
