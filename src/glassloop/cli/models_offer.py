"""On first use, where no language model is configured: the offer to download one that runs here. Asked once."""

import sys

from glassloop.cli.streams import complain
from glassloop.cli.terminal import ask_aside, can_ask
from glassloop.models.weights.catalogue import QWEN, amount
from glassloop.own_folder import make_own
from glassloop.runtime.models import is_offered
from glassloop.runtime.settings import Settings
from glassloop.runtime.weights import shelf_of

_DECLINED = "declined"


def take_weights(settings: Settings) -> None:
    """Downloads the embedded model if that is all that is missing."""
    if is_offered(settings):
        from glassloop.cli.models_pull import pull_all

        pull_all(settings)


def offer_weights(settings: Settings, model: str | None = None, *, yes: bool = False) -> None:
    """Asks whether to download the embedded model, if that is all that is missing; `yes` does not ask.

    Only in a terminal: a download of a gigabyte is nothing to do behind somebody's back. Whatever comes of it, the
    caller goes on, with `reflex` if need be.
    """
    if model or not is_offered(settings) or not can_ask(sys.stderr):
        return
    declined = shelf_of(settings).folder / _DECLINED
    if not yes:
        if declined.exists():
            return
        if not _asked():
            try:
                make_own(declined.parent)
                declined.touch()
            except OSError:
                pass
            complain("`glassloop models pull` downloads it whenever you like.")
            return
    take_weights(settings)


def _asked() -> bool:
    complain(f"No language model is configured. {QWEN.title} can run on this machine, without an account.")
    try:
        answer = ask_aside(f"Download it now? {amount(QWEN.size)}, Apache-2.0. y(es) or n(o): ")
    except (EOFError, KeyboardInterrupt):
        return False
    return answer.strip().lower() in ("y", "yes")
