"""A process that reads a combat log: `python -m glassloop.extensions.raids.importing.child`. A file in, frames out.

Apart from the server, so that reading takes none of its time, and a file that takes all memory only this process.
"""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from glassloop.core.errors import GlassloopError
from glassloop.extensions.raids.importing.frames import (
    MAX_FRAME_BYTES,
    Frame,
    Instructions,
    Progress,
    ReadFight,
    ReadReport,
    Refused,
)
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.python_child import LOW_PRIORITY, end_with_parent, limit_cpu, limit_resources, write_frame

MAX_MEMORY = 1_500_000_000
PROGRESS_S = 0.2

_encoder = msgspec.msgpack.Encoder()


class FrameWriter:
    """Writes frames; waits for as long as nobody reads them, so that what was read is never held twice."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._told_at = 0.0

    def write(self, frame: Frame) -> None:
        raw = _encoder.encode(frame)
        if len(raw) > MAX_FRAME_BYTES:
            raise GlassloopError(
                f"A part of the log takes {len(raw):,} bytes and {MAX_FRAME_BYTES:,} are taken: split the file."
            )
        write_frame(self._pipe, raw)

    def tell(self, fraction: float) -> None:
        now = time.monotonic()
        if now - self._told_at >= PROGRESS_S:
            self._told_at = now
            self.write(Progress(fraction))


def main() -> None:
    limit_resources(MAX_MEMORY, LOW_PRIORITY)
    end_with_parent()
    wanted = msgspec.json.decode(sys.argv[1], type=Instructions)
    limit_cpu(wanted.cpu_s)
    writer = FrameWriter(sys.stdout.buffer)
    # What a library prints must not be taken for a frame.
    sys.stdout = sys.stderr
    try:
        report = read_log(
            Path(wanted.path),
            found=lambda record: writer.write(ReadFight(record)),
            tell=writer.tell,
            year=wanted.year,
            zone=wanted.zone,
        )
        writer.write(ReadReport(report))
    except GlassloopError as error:
        writer.write(Refused(str(error)))
    except MemoryError:
        writer.write(Refused("The log takes more memory than there is for one: split the file."))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, BrokenPipeError):
        main()
