"""Documents into the knowledge base: as jobs of this process, with a bar, told file by file."""

import asyncio
from pathlib import Path
from typing import Any, cast

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from glassloop.cli.job_watch import follow
from glassloop.cli.look import Look, count
from glassloop.cli.progress import patience, progress_bar
from glassloop.cli.running import running
from glassloop.cli.streams import complain
from glassloop.cli.tell import tell
from glassloop.cli.untrusted import one_line
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.retrieval.knowledge import clean_domain
from glassloop.runtime.knowledge import IMPORT, Import
from glassloop.runtime.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.store.records import JobRow

INTERRUPTED = 130
MOST_LINES = 40
"""So many documents are told one by one to a person; a program gets more."""

LINE_CHARS = 300
_LONG = "Reading and making the index: the first time, and with an embedder that is new here, that takes a minute …"
_WORDS = "Their meaning is not known yet: run the command again to go on with that."


def import_knowledge(
    settings: Settings, path: Path, *, domain: str, user: str | None, mirror: bool, as_json: bool
) -> int:
    """Takes files in; the exit code is 1 where some could not be read."""
    whole = path.expanduser()
    if not whole.exists():
        raise UsageError(f"There is no file or folder {str(path)!r}: check the path.")
    if user is not None and not user.strip():
        raise UsageError("--user needs a name: leave it out for documents that everybody finds.")
    wanted = Import(path=str(whole.resolve()), owner=user or "", domain=clean_domain(domain), mirror=mirror)
    with patience(_LONG), running(settings) as (runner, runtime):
        job = runner.run(runtime.jobs.submit(IMPORT, msgspec.to_builtins(wanted)))
        last = _follow(runner, runtime, job.id, "Reading")
        if last is None:
            complain("Stopped: what was read until then is in; run the command again to go on.")
            return INTERRUPTED
        if last.status != "completed":
            raise GlassloopError(last.error or f"The import was {last.status}.")
        report = cast("dict[str, Any]", last.result)
        embedding = report.pop("embed_job", None)
        meaning = _follow(runner, runtime, embedding, "Reading for meaning") if embedding else None
    if embedding:
        done = cast("dict[str, Any] | None", meaning.result if meaning else None)
        report["embedded"] = done["embedded"] if done else None
    tell(report, as_json, lambda look: _shown(report, look))
    if embedding and report["embedded"] is None and not as_json:
        complain(_WORDS if meaning is None else f"{_WORDS} ({meaning.error})")
    return 1 if report["failed"] else 0


def _follow(runner: asyncio.Runner, runtime: Runtime, job_id: str, title: str) -> JobRow | None:
    """The job at its end; None where a person stopped it."""
    with progress_bar(title) as bar:
        try:
            return runner.run(
                follow(runtime.jobs.watch(job_id), lambda job: bar.at(job.message or title, job.fraction))
            )
        except KeyboardInterrupt:
            runner.run(runtime.jobs.cancel(job_id))
            return None


def _shown(report: dict[str, Any], look: Look) -> RenderableType:
    parts: list[RenderableType] = []
    told = [each for each in report["documents"] if each["status"] != "unchanged"]
    for each in told[:MOST_LINES]:
        line = f"{one_line(each['document'], LINE_CHARS)}  "
        facts = look.join(each["status"], count(each["chunks"], "passage"))
        parts.append(Text.assemble((f"{look.sign('done')} ", "observe"), line, (facts, "soft"), overflow="fold"))
    taken = report["added"] + report["changed"]
    if taken > len(told[:MOST_LINES]):
        parts.append(Text(f"and {taken - len(told[:MOST_LINES]):,} more", "soft"))
    for problem in report["problems"]:
        said = one_line(problem["reason"], LINE_CHARS)
        parts.append(Text.assemble((f"{look.sign('failed')} ", "trouble"), said, overflow="fold"))
    if report["failed"] > len(report["problems"]):
        parts.append(Text(f"and {report['failed'] - len(report['problems']):,} more that cannot be read", "trouble"))
    numbers = {name: report[name] for name in ("added", "changed", "unchanged", "removed")}
    summary = ", ".join(f"{number:,} {name}" for name, number in numbers.items() if number) or "nothing new"
    failed = f"; {report['failed']:,} could not be read" if report["failed"] else ""
    parts.append(Text(f"{summary[0].upper()}{summary[1:]}: {count(report['chunks'], 'new passage')}{failed}."))
    return Group(*parts)
