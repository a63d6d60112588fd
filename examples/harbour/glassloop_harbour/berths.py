"""The berths, imported from `berths.csv`; the one beside this file is the sample."""

import csv
import shutil
from pathlib import Path

from glassloop import UsageError
from glassloop.runtime.importers import Fault, ImportRefused

NAME = "berths.csv"


def read_berths(folder):
    try:
        with (folder / NAME).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        raise UsageError(f"There is no {NAME} in {str(folder)!r}: `glassloop import berths` loads one.") from None


def load_berths(settings, request, tell):
    source, target = request.folder or Path(__file__).parent, settings.home_path / NAME
    if target.exists() and not request.replace:
        raise UsageError("There are berths already: add --replace.")
    berths = read_berths(source)
    wrong = [number for number, each in enumerate(berths, 2) if not each["metres"].isdecimal()]
    if wrong:
        raise ImportRefused([Fault(file=NAME, line=line, problem="metres is no number") for line in wrong], len(wrong))
    shutil.copy(source / NAME, target)
    return {"berths": len(berths)}
