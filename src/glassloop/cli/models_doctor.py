"""A model examined in a terminal: each finding as it comes, and what follows from all of them."""

import sys

from rich.text import Text

from glassloop.cli.console import make_console, write
from glassloop.cli.streams import complain
from glassloop.cli.tell import say, tell
from glassloop.cli.until_told import loop_runner
from glassloop.cli.untrusted import inert, one_line
from glassloop.models.doctor.findings import Examination, Finding
from glassloop.runtime.examined import forget, remember
from glassloop.runtime.models import default_model, examine_model
from glassloop.runtime.settings import Settings

_WORDS = {
    "answers": "answers",
    "streams": "streams",
    "usage": "tells its usage",
    "thinks": "thinks",
    "tools": "calls tools natively",
    "results": "takes their results",
    "parallel": "several calls at once",
    "schema": "keeps to a JSON schema",
    "context": "context length",
    "protocol": "decision protocol",
}
_WIDEST = max(map(len, _WORDS.values()))


def examine_here(settings: Settings, name: str | None, *, as_json: bool) -> int:
    """Examines, shows and remembers."""
    wanted = name or default_model(settings)
    console = make_console()

    def show(finding: Finding) -> None:
        write(console, _line(finding))

    if not as_json and wanted != "reflex":
        say(f"Asking {wanted} …")
    with loop_runner() as runner:
        found = runner.run(examine_model(wanted, settings, None if as_json else show))
    kept = remember(found, settings)
    if as_json:
        tell(found, True, lambda _look: "")
    elif kept is None:
        complain(f"{wanted} does not answer, so nothing is recommended or remembered.")
    else:
        say(_advice(found, str(kept)))
    return 0 if found.works else 1


def forget_here(settings: Settings, name: str | None) -> int:
    wanted = name or default_model(settings)
    gone = forget(wanted, settings)
    say(f"What was remembered of {wanted} is forgotten." if gone else f"Nothing is remembered of {wanted}.")
    sys.stdout.flush()
    return 0


def _line(finding: Finding) -> Text:
    mark, style = {True: ("yes", "observe"), False: ("no", "think"), None: ("-", "soft")}[finding.ok]
    name = _WORDS[finding.probe]
    return Text.assemble(
        f"  {name:<{_WIDEST}}  ", (f"{mark:<3}", style), f"  {inert(one_line(finding.detail, 200))}", overflow="fold"
    )


def _advice(found: Examination, kept: str) -> str:
    cost = f"{found.calls} calls, {found.input_tokens:,} tokens in, {found.output_tokens:,} out, {found.seconds:.1f} s"
    use = {
        "native": "It is used with its own tool calls.",
        "json": "It is asked for one JSON object a step from now on.",
        "text": 'Set `protocol = "text"` in the assistant that uses it.',
        None: "It did not manage a tool call in any way: use it only without tools.",
    }[found.protocol]
    return f"{use} Remembered in {kept} ({cost})."
