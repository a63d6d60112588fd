"""One peer's process: started by the driver with that peer's Python, answers its questions on standard output.

Runs in every peer's venv, so it imports nothing but the standard library and what the peer itself needs.
"""

import asyncio
import sys

import peers_folder


def main() -> None:
    folder = peers_folder.find()
    if folder is None:
        sys.exit("The peers' folder is gone: set PEERS_DIR to the folder with bench.py and adapters.py.")
    # The peer's own imports must not find this folder's files.
    sys.path.pop(0)
    asyncio.run(peers_folder.load(folder).worker(sys.argv[sys.argv.index("--peer") + 1]))


if __name__ == "__main__":
    main()
