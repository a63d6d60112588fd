"""Target of a run: the suite's assistant as the runtime knows it, so that its turns are opened and replayed as any
other.

A suite with tools of its own gets an assistant of its own, a folder in the home that names those tools by their path.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from glassloop.core.errors import UsageError
from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.evals.suite import Expectation, Suite
from glassloop.evals.suite_files import toml
from glassloop.own_folder import make_own
from glassloop.runtime.assistants.assistant_files import FILE, SUITES, absolute
from glassloop.tools.suggestion import suggest
from glassloop.whole_file import write_whole

PROMPT = "Answer the question with the tools. Ask for what is missing."


def assistant_of(suite: Suite, home: Path) -> str:
    """The assistant as `Wanted` takes it: a name, or the whole path of a folder."""
    beside = Path(suite.file).parent
    if suite.tools:
        return str(_made(suite, beside, home))
    return absolute(suite.assistant, beside)


def check_names(suite: Suite, specs: Mapping[str, ToolSpec]) -> None:
    """Refuses a suite that expects tools or arguments which the assistant does not have."""
    for name in suite.approved_tools:
        if name not in specs:
            raise UsageError(
                f"The suite approves the tool {name!r}, which the assistant does not have: {suggest(name, specs)}"
            )
    for case in suite.cases:
        for wanted in (case, *([case.unlike] if case.unlike else [])):
            names = {name for sequence in wanted.alternatives or () for name in sequence}
            for name in sorted(names | set(wanted.calls)):
                if name not in specs:
                    raise UsageError(
                        f"Case {case.id!r} expects the tool {name!r}, which the assistant does not have: "
                        f"{suggest(name, specs)}"
                    )
            _check_arguments(case.id, wanted, specs)


def defaults_of(specs: Mapping[str, ToolSpec]) -> dict[str, dict[str, Json]]:
    """What arguments mean that are left out, by tool."""
    return {
        name: {key: part["default"] for key, part in _properties(spec).items() if "default" in part}
        for name, spec in specs.items()
    }


def _check_arguments(ident: str, wanted: Expectation, specs: Mapping[str, ToolSpec]) -> None:
    for tool, tables in wanted.calls.items():
        known = _properties(specs[tool])
        for name in (name for table in tables for name in table):
            # A tool of another program may take what its schema does not name.
            if known and name not in known:
                raise UsageError(
                    f"Case {ident!r} expects {tool}.{name}, which the tool does not take: it takes {', '.join(known)}."
                )


def _properties(spec: ToolSpec) -> dict[str, dict[str, Any]]:
    found: Any = spec.parameters.get("properties")
    if not isinstance(found, dict):
        return {}
    every = cast("dict[str, Any]", found)
    return {name: part for name, part in every.items() if isinstance(part, dict)}


def _made(suite: Suite, beside: Path, home: Path) -> Path:
    """The folder of the suite's own assistant, written anew only where it would differ."""
    tools = [str((beside / name).resolve()) if name.endswith(".py") else name for name in suite.tools]
    lines = {"name": suite.name, "prompt": suite.prompt or PROMPT, "temperature": 0.0, "tools": tools}
    text = "".join(f"{key} = {toml(value)}\n" for key, value in lines.items())
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    folder = home.resolve() / SUITES / f"{suite.name}-{digest}"
    try:
        make_own(folder)
        if not (folder / FILE).exists():
            # Two runs may come at once: each writes the same, and neither reads half of it.
            write_whole(folder / FILE, text.encode("utf-8"))
    except OSError as error:
        raise UsageError(f"The folder {str(folder)!r} cannot be written ({error.strerror}): check the home.") from None
    return folder
