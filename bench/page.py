"""`make bench`: every part in a process of its own, then one page with machine, bars, figures, peers and verdicts.

    python bench/page.py [PART …] [--quick] [--rounds R] [--json FILE] [--markdown]

What a part prints is in `.bench/logs/PART.log`. `--quick` is a first impression in under three minutes, `--markdown`
puts the figures into docs/benchmarks.md and docs/scale.md. Exits with 1 when a bar is missed or a part broke.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import bars
import docs
import machine
import peers_folder
import sheet
import venvs
from parts import PARTS, Part

LOGS = peers_folder.HOME / "logs"
LONGEST = 8
"""Times as long as expected, and ten minutes: then a part is stopped."""


class Progress:
    """One line that a terminal sees change; elsewhere a line for each part."""

    def __init__(self, parts: Sequence[Part], *, quick: bool) -> None:
        self._expected = {part.name: part.quick_seconds if quick else part.seconds for part in parts}
        self._began, self._live = time.monotonic(), sys.stderr.isatty()

    def expected(self, name: str) -> int:
        return self._expected[name]

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def show(self, name: str, took: float, end: str = "") -> None:
        """While it runs on a terminal, and anywhere at its start and end."""
        if not self._live and not end and took:
            return
        place = list(self._expected).index(name) + 1
        about = f"{took:.0f} s of about {self._expected[name]} s" if not end else f"{end} after {took:.0f} s"
        whole = f"{clock(self.seconds)} of about {clock(sum(self._expected.values()))}"
        start, stop = ("\r\033[K", "\n" if end else "") if self._live else ("", "\n")
        print(f"{start}bench: {place}/{len(self._expected)} {name}, {about}; in all {whole}", end=stop,
              file=sys.stderr, flush=True)  # fmt: skip


def clock(seconds: float) -> str:
    return f"{seconds // 60:.0f}:{seconds % 60:02.0f} min"


def run_part(part: Part, arguments: Sequence[str], progress: Progress, logs: Path = LOGS) -> bars.Report | str:
    """What the part tells; why it has nothing to tell."""
    log, told = logs / f"{part.name}.log", logs / f"{part.name}.json"
    told.unlink(missing_ok=True)
    command = [sys.executable, str(Path(__file__).parent / part.script), *arguments, "--json", str(told)]
    began = time.monotonic()
    with log.open("w", encoding="utf-8") as output:
        # A group of its own: parts start servers, workers and peers.
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            ended = wait(child, part.name, progress)
        finally:
            stop(child)
    progress.show(part.name, time.monotonic() - began, "done" if told.exists() else "BROKEN")
    if told.exists():
        return bars.read(told)
    last = next((text for text in reversed(log.read_text(errors="replace").splitlines()) if text.strip()), "nothing")
    why = f"exit code {child.returncode}" if ended else "stopped, it took too long"
    return f"{why}, its log ends with {last.strip()[:120]!r}"


def stop(child: "subprocess.Popen[bytes]") -> None:
    """With all that it started; first so that it can tidy up."""
    for how in (signal.SIGINT, signal.SIGKILL):
        if child.poll() is None:
            os.killpg(child.pid, how)
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                continue


def wait(child: "subprocess.Popen[bytes]", name: str, progress: Progress) -> bool:
    """Until it ends; False when it takes far too long."""
    began = time.monotonic()
    most = LONGEST * progress.expected(name) + 600
    while (took := time.monotonic() - began) < most:
        progress.show(name, took if took > 1 else 0.0)
        try:
            child.wait(1)
        except subprocess.TimeoutExpired:
            continue
        return True
    return False


def measure(asked: argparse.Namespace) -> sheet.Run:
    chosen = [PARTS[name] for name in PARTS if name in asked.part] or list(PARTS.values())
    progress = Progress(chosen, quick=asked.quick)
    seen = machine.look()
    reports: dict[str, bars.Report] = {}
    broken: dict[str, str] = {}
    for part in chosen:
        told = run_part(part, part.arguments(asked.rounds, quick=asked.quick), progress)
        if isinstance(told, str):
            broken[part.name] = told
        else:
            reports[part.name] = told
    folder = peers_folder.find()
    return sheet.Run(
        machine=replace(seen, load_after=machine.load()), reports=reports, broken=broken, seconds=progress.seconds,
        peers=venvs.versions(folder) if folder and not asked.quick else [], quick=asked.quick,
    )  # fmt: skip


def arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Every benchmark, on one page.")
    parser.add_argument("part", nargs="*", help=f"only these: {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="few rounds, small sizes, no peers: under three minutes")
    parser.add_argument("--rounds", type=int, help="how often each thing is measured, in every part")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there for machines")
    parser.add_argument("--markdown", action="store_true", help="write the figures into the docs")
    asked = parser.parse_intermixed_args(given)
    if unknown := [name for name in asked.part if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}: choose from {', '.join(PARTS)}")
    if asked.markdown and (asked.quick or asked.part):
        parser.error("--markdown wants a whole run: leave --quick and the names of parts out")
    if asked.rounds is not None and asked.rounds < 1:
        parser.error(f"--rounds {asked.rounds} measures nothing: give 1 or more")
    return asked


def main(given: Sequence[str]) -> int:
    asked = arguments(given)
    LOGS.mkdir(parents=True, exist_ok=True)
    run = measure(asked)
    print(sheet.page(run))
    if asked.json:
        asked.json.write_text(json.dumps(run.as_json(), indent=1, ensure_ascii=False), "utf-8")
    if asked.markdown:
        docs.write(run)
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
