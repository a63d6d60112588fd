"""`python -m glassloop` is `glassloop`, unless the folder it is started in has a `glassloop` of its own.

`-m` searches the working folder for modules first. That is taken back here, before anything else is imported; where the
folder is somebody else's, only `glassloop` itself or `python -P -m glassloop` look nowhere in it.
"""

import os
import sys


def drop_working_folder() -> None:
    """Searches the working folder for modules no longer, but where `PYTHONPATH` names it."""
    try:
        here = os.getcwd()  # noqa: PTH109
    except OSError:
        here = ""
    if not sys.flags.safe_path and sys.path[:1] in ([""], [here]):
        del sys.path[0]


if __name__ == "__main__":
    drop_working_folder()
    from glassloop.cli.main import main

    main()
