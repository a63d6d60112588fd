"""`glassloop import`: data of your own for the assistants; documents as jobs of this process, with a bar."""

import asyncio
import inspect
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import typer

from glassloop.cli.commands.jobs import last_change
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption
from glassloop.cli.resources import USER, use_runtime
from glassloop.cli.ui.output import Line, TerminalStyle, complain, count, say, show_result, write_json
from glassloop.cli.ui.progress import explain_wait, progress_bar
from glassloop.cli.ui.safe_text import one_line
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.core.messages import DEFAULT_DOMAIN
from glassloop.retrieval.collections.knowledge import clean_domain
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.extensions import installed_extensions
from glassloop.runtime.importers import FileImporter, Importer, ImportOption, ImportRefused, ImportRequest
from glassloop.runtime.knowledge import IMPORT, Import
from glassloop.store.records import JobRow

app = typer.Typer(name="import", cls=Helpful, help="Import your own data.")

INTERRUPTED = 130
BAD_INPUT = 2
MAX_DOCUMENTS_SHOWN = 40
"""So many documents are told one by one to a person; a program gets more."""

MAX_LINE_CHARS = 300
MAX_PREVIEW_CHARS = 2_000
_CHECKED = (
    "All rows are checked first. If any row is invalid, nothing is loaded. Exits with 0 if everything was loaded, 2 if "
    "the data has errors."
)
_SLOW = "Reading files and building the index. The first time, or with a new embedder, this takes about a minute …"
_UNEMBEDDED = "Semantic indexing is not finished: run the command again to continue."


@app.callback()
def bring_in() -> None:
    """Import your own data."""


@app.command()
def knowledge(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a folder including its subfolders.")],
    domain: Annotated[
        str, typer.Option("--domain", metavar="DOMAIN", help="Domain to file them under, e.g. finance.")
    ] = DEFAULT_DOMAIN,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="User who owns them. Default: shared with everyone.")
    ] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", help="Remove documents of this folder whose files no longer exist.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Import documents into the knowledge base.

    Reads text, Markdown, HTML, PDF, DOCX, CSV and code. Unchanged files are skipped. Exits with 0 if everything was
    imported, 1 if some files could not be read (the others are imported), 130 after Ctrl-C.

    \b
    Examples:
      glassloop import knowledge ./handbook
      glassloop import knowledge ./contracts --domain procurement --user ada
    """
    whole = path.expanduser()
    if not whole.exists():
        raise UsageError(f"There is no file or folder {str(path)!r}: check the path.")
    if user is not None and not user.strip():
        raise UsageError("--user needs a name: omit it to share the documents with everyone.")
    wanted = Import(path=str(whole.resolve()), owner=user or "", domain=clean_domain(domain), mirror=mirror)
    with explain_wait(_SLOW), use_runtime() as (runner, runtime):
        job = runner.run(runtime.jobs.submit(IMPORT, msgspec.to_builtins(wanted)))
        last = _follow(runner, runtime, job.id, "Reading")
        if last is None:
            complain("Stopped. What was read so far is imported; run the command again to continue.")
            return INTERRUPTED
        if last.status != "completed":
            raise GlassloopError(last.error or f"The import was {last.status}.")
        report = cast("dict[str, Any]", last.result)
        embedding = report.pop("embed_job", None)
        meaning = _follow(runner, runtime, embedding, "Semantic indexing") if embedding else None
    if embedding:
        done = cast("dict[str, Any] | None", meaning.result if meaning else None)
        report["embedded_passages"] = done["embedded_passages"] if done else None
    show_result(report, as_json, lambda terminal: _report_lines(report, terminal))
    if embedding and report["embedded_passages"] is None and not as_json:
        complain(_UNEMBEDDED if meaning is None else f"{_UNEMBEDDED} ({meaning.error})")
    return 1 if report["failed"] else 0


def _add_importer(importer: Importer) -> None:
    about = f"{importer.title}\n\n{importer.details} {_CHECKED}".replace("\n\n ", "\n\n")
    examples = [f"glassloop import {importer.name} ./our-data"]
    if importer.preview is not None:
        examples.append(f"glassloop import {importer.name} ./our-data --mapping ours.toml --preview")
    if importer.has_sample:
        examples.append(f"glassloop import {importer.name} --sample --replace")
    lines = "\n".join(f"  {example}" for example in examples)

    @app.command(importer.name, help=f"{about}\n\n\b\nExamples:\n{lines}")
    def load(  # pyright: ignore[reportUnusedFunction]
        folder: Annotated[Path | None, typer.Argument(metavar="FOLDER", help="Folder with the files.")] = None,
        sample: Annotated[bool, typer.Option("--sample", help="Load the sample data instead of files.")] = False,
        replace: Annotated[bool, typer.Option("--replace", help="Replace data that was imported before.")] = False,
        mapping: Annotated[
            Path | None,
            typer.Option(
                "--mapping", metavar="FILE", help="File that maps columns. Default: mapping.toml in the folder."
            ),
        ] = None,
        preview: Annotated[
            bool, typer.Option("--preview", help="Check the files and show the result without loading anything.")
        ] = False,
        as_json: JsonOption = False,
    ) -> int:
        if (folder is None) != sample:
            raise UsageError("Give either a folder with files or --sample.")
        if sample and not importer.has_sample:
            raise UsageError(f"{importer.name!r} has no sample data: give a folder with files.")
        if preview and (importer.preview is None or sample):
            raise UsageError("--preview needs a folder: sample data has no preview.")
        folder, mapping = (path.expanduser() if path else None for path in (folder, mapping))
        request = ImportRequest(folder=folder, replace=replace, mapping=mapping)
        return _import_files(importer, request, preview=preview, as_json=as_json)


def _import_files(importer: Importer, request: ImportRequest, *, preview: bool, as_json: bool) -> int:
    settings = load_settings()
    try:
        with progress_bar("Reading", 1.0) as bar:
            if preview and importer.preview is not None:
                lines = list(importer.preview(request, bar.at))
                show_result(
                    {"preview": lines}, as_json, lambda _: [one_line(line, MAX_PREVIEW_CHARS) for line in lines]
                )
                return 0
            counts = importer.load(settings, request, bar.at)
    except ImportRefused as refused:
        for fault in refused.faults:
            complain(f"{fault.file}:{fault.line}: {fault.problem}")
        shown = f", {len(refused.faults)} of them above" if refused.count > len(refused.faults) else ""
        complain(f"Nothing was loaded: {count(refused.count, 'problem')}{shown}.")
        return BAD_INPUT
    loaded = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items())
    show_result({"loaded": counts}, as_json, lambda _: f"Loaded {loaded}.")
    return 0


def _add_file_importer(importer: FileImporter) -> None:
    """A command with the importer's own options."""
    examples = f"\b\nExample:\n  glassloop import {importer.name} ./our-file"
    ending = "Exits with 0 if all files were imported, 1 if one could not be read, 130 after Ctrl-C."

    def load(files: list[Path], user: str | None, as_json: bool, **options: Any) -> int:
        given = {name: value for name, value in options.items() if value not in (None, False, "")}
        return _import_by_job(importer, files, user or USER, given, as_json=as_json)

    whose = typer.Option("--user", metavar="NAME", help="User who owns them. Default: you.")
    parameters = [
        _parameter("files", Annotated[list[Path], typer.Argument(metavar="FILE", help="Files to import.")]),
        *map(_option, importer.options),
        _parameter("user", Annotated[str | None, whose], None),
        _parameter("as_json", JsonOption, False),
    ]
    # The command-line library reads a command's parameters from its signature.
    load.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": int}
    load.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    app.command(importer.name, help=f"{importer.title}\n\n{importer.details} {ending}\n\n{examples}")(load)


def _option(option: ImportOption) -> inspect.Parameter:
    shown = typer.Option(f"--{option.name}", metavar=option.metavar or None, help=option.help)
    if option.kind == "flag":
        return _parameter(option.name, Annotated[bool, shown], False)
    if option.kind == "number":
        return _parameter(option.name, Annotated[int | None, shown], None)
    return _parameter(option.name, Annotated[str | None, shown], None)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _import_by_job(
    importer: FileImporter, files: Sequence[Path], user: str, options: Mapping[str, Any], *, as_json: bool
) -> int:
    wholes = [path.expanduser() for path in files]
    first_only = {option.name for option in importer.options if option.first_only}
    for path in wholes:
        if not path.is_file():
            raise UsageError(f"There is no file {str(path)!r}: check the path.")
    results: list[Any] = []
    failed, given = False, dict(options)
    with use_runtime(needs_store=True) as (runner, runtime):
        for path in wholes:
            params = {**given, "path": str(path.resolve())}
            job = runner.run(runtime.jobs.submit(importer.job, params, user=user))
            last = _follow(runner, runtime, job.id, f"Reading {one_line(path.name, MAX_LINE_CHARS)}")
            if last is None:
                complain(f"Stopped. Nothing from {path.name!r} was imported: run the command again.")
                return INTERRUPTED
            failed |= last.status != "completed"
            results.append({"file": path.name, "result": last.result, "error": last.error})
            if last.status != "completed":
                complain(f"{path.name}: {last.error or last.status}")
                continue
            given = {name: value for name, value in given.items() if name not in first_only}
            for line in () if as_json else importer.tell(last.result):
                say(one_line(line, MAX_PREVIEW_CHARS))
    if as_json:
        write_json(results, indent=2)
    return 1 if failed else 0


def _follow(runner: asyncio.Runner, runtime: Runtime, job_id: str, title: str) -> JobRow | None:
    """The job at its end; None where a person stopped it."""
    with progress_bar(title) as bar:
        changes = runtime.jobs.watch(job_id)
        try:
            return runner.run(last_change(changes, lambda job: bar.at(job.message or title, job.fraction)))
        except KeyboardInterrupt:
            runner.run(runtime.jobs.cancel(job_id))
            return None


def _report_lines(report: dict[str, Any], terminal: TerminalStyle) -> list[Line]:
    lines: list[Line] = []
    shown = [each for each in report["documents"] if each["status"] != "unchanged"][:MAX_DOCUMENTS_SHOWN]
    for each in shown:
        facts = terminal.join(each["status"], count(each["chunks"], "passage"))
        name = f"{one_line(each['document'], MAX_LINE_CHARS)}  "
        lines.append(Line((f"{terminal.sign('done')} ", "observe"), name, (facts, "soft")))
    if (more := report["added"] + report["changed"] - len(shown)) > 0:
        lines.append(Line((f"and {more:,} more", "soft")))
    for problem in report["problems"]:
        reason = one_line(problem["reason"], MAX_LINE_CHARS)
        lines.append(Line((f"{terminal.sign('failed')} ", "trouble"), reason))
    if (more := report["failed"] - len(report["problems"])) > 0:
        lines.append(Line((f"and {more:,} more that could not be read", "trouble")))
    numbers = {name: report[name] for name in ("added", "changed", "unchanged", "removed")}
    summary = ", ".join(f"{number:,} {name}" for name, number in numbers.items() if number) or "nothing new"
    failed = f"; {report['failed']:,} could not be read" if report["failed"] else ""
    lines.append(Line(f"{summary[0].upper()}{summary[1:]}: {count(report['chunks'], 'new passage')}{failed}."))
    return lines


for _extension in installed_extensions():
    try:
        for _importer in _extension.importers():
            if isinstance(_importer, FileImporter):
                _add_file_importer(_importer)
            else:
                _add_importer(_importer)
    except Exception as _error:
        logging.getLogger("glassloop.extensions").warning(
            "importers of the extension %r were left out: %s", _extension.name, _error
        )
