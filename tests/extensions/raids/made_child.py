"""In the place of the importing process: writes what the file named as its input asks for, in one word a line."""

import sys
import time
from pathlib import Path

import msgspec

from extensions.raids.small_night import make_fight, make_report
from glassloop.extensions.raids.importing.frames import MAX_FRAME_BYTES, Progress, ReadFight, ReadReport, Refused
from glassloop.python_child import HEAD_BYTES, write_frame


def main():
    path = Path(msgspec.json.decode(sys.argv[1])["path"])
    for number, word in enumerate(path.read_text().split(), 1):
        if word == "die":
            sys.exit(3)
        if word == "wait":
            time.sleep(600)
        if word == "flood":
            sys.stdout.buffer.write((MAX_FRAME_BYTES + 1).to_bytes(HEAD_BYTES, "big"))
            sys.stdout.buffer.flush()
            time.sleep(600)
        frames = {
            "fight": ReadFight(make_fight(number)),
            "progress": Progress(0.5),
            "report": ReadReport(make_report()),
            "refuse": Refused("The file is no combat log: give another."),
        }
        write_frame(sys.stdout.buffer, msgspec.msgpack.encode(frames[word]))


main()
