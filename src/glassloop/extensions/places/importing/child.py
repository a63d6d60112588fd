"""A process that imports a file: `python -m glassloop.extensions.places.importing.child`. A file in, frames out.

Apart from the server, so that reading takes none of its time, and a file that takes all memory only this process.
"""

import sys
import time
from contextlib import suppress

import msgspec

from glassloop.core.errors import GlassloopError
from glassloop.extensions.places.importing.frames import Frame, Imported, ImportProgress, RefusedFile
from glassloop.extensions.places.importing.importer import FileToImport, import_file
from glassloop.python_child import LOW_PRIORITY, end_with_parent, limit_cpu, limit_resources, write_frame

MAX_MEMORY = 3_000_000_000
"""Of addresses, of which the database reserves many more than it uses."""
PROGRESS_S = 0.2

_encoder = msgspec.msgpack.Encoder()


def main() -> None:
    limit_resources(MAX_MEMORY, LOW_PRIORITY)
    end_with_parent()
    wanted = msgspec.json.decode(sys.argv[1], type=FileToImport)
    limit_cpu(wanted.cpu_s)
    pipe = sys.stdout.buffer
    # What a library prints must not be taken for a frame.
    sys.stdout = sys.stderr
    told_at = 0.0

    def write(frame: Frame) -> None:
        write_frame(pipe, _encoder.encode(frame))

    def tell(message: str, fraction: float) -> None:
        nonlocal told_at
        if (now := time.monotonic()) - told_at >= PROGRESS_S:
            told_at = now
            write(ImportProgress(message, fraction))

    try:
        write(Imported(import_file(wanted, tell)))
    except GlassloopError as error:
        write(RefusedFile(str(error)))
    except MemoryError:
        write(RefusedFile("The file takes more memory than there is for one: split it into smaller files."))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, BrokenPipeError):
        main()
