"""Business data into its database: checked with a bar, told by table, refused line by line."""

from pathlib import Path

from rich.text import Text

from glassloop.cli.progress import progress_bar
from glassloop.cli.streams import complain
from glassloop.cli.tell import tell
from glassloop.core.errors import ToolError, UsageError
from glassloop.extensions.business.database.csv_folder import ImportRefused
from glassloop.extensions.business.database.loader import load_folder, load_sample
from glassloop.runtime.settings import Settings

BAD_INPUT = 2


def import_business(settings: Settings, folder: Path | None, *, sample: bool, replace: bool, as_json: bool) -> int:
    """Loads files or the sample company; returns the exit code."""
    if (folder is None) != sample:
        raise UsageError("Name a folder with CSV files, or --sample: one of the two.")
    home, url = settings.home_path, settings.business_database_url
    try:
        with progress_bar("Reading", 1.0) as bar:

            def show(stage: str, done: float) -> None:
                bar.stage(stage, 1.0)
                bar.advance(done)

            if folder is None:
                counts = load_sample(home, url, replace=replace, tell=show)
            else:
                counts = load_folder(folder.expanduser(), home, url, replace=replace, tell=show)
    except ImportRefused as refused:
        for fault in refused.faults:
            complain(f"{fault.file}:{fault.line}: {fault.problem}")
        shown = f", {len(refused.faults)} of them above" if refused.many > len(refused.faults) else ""
        complain(f"Nothing was loaded: {refused.many:,} {'problem' if refused.many == 1 else 'problems'}{shown}.")
        return BAD_INPUT
    except ToolError as error:
        raise UsageError(str(error)) from error
    told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    tell({"loaded": counts}, as_json, lambda _look: Text(f"Loaded {told}.", overflow="fold"))
    return 0
