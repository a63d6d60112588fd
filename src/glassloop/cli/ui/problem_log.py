"""Log of problems that concern the person at the terminal: each is one line on standard error, told once."""

import logging
from collections.abc import Sequence

from glassloop.cli.ui.output import complain

PROBLEM_LOGS = ("glassloop.settings", "glassloop.plugins")
MAX_TOLD = 100


class _ToldOnce(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self._told and len(self._told) < MAX_TOLD:
            self._told.add(message)
            complain(message)


def show_problems(names: Sequence[str], *, also_logged: bool = False) -> None:
    """Has the warnings of these loggers told; `also_logged`: with their stack traces in the log, too."""
    for name in names:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_ToldOnce()], also_logged and name != "glassloop.settings"


def log_problems(names: Sequence[str]) -> None:
    """Gives these warnings to the log again: for commands that have one."""
    for name in names:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
