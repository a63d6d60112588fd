"""What was removed from an index on the disk goes from its files too.

A word index only hides what is removed from it, and cannot be told to forget: so the words of a shelf are written anew
from the truth, beside the present ones and without holding up writers, and then take their place. The truth's own file
overwrites what is deleted; its log is emptied.
"""

import shutil
from contextlib import closing
from time import monotonic, sleep

from glassloop.core.errors import StoreAway
from glassloop.retrieval import truth
from glassloop.retrieval.connections import Connections
from glassloop.retrieval.file_desk import catch_up
from glassloop.retrieval.lexical import LexicalPen, State, read_state, write_state
from glassloop.retrieval.lock import WriteLock
from glassloop.retrieval.place import Place

ROUNDS = 10
"""Who removes while words are written anew makes one more necessary."""

PURGE_WAIT_S = 120.0
WRITE_WAIT_S = 300.0
EMPTY_S = 5.0
LOOK_S = 0.05


def purge(place: Place, connections: Connections, lock: WriteLock) -> None:
    """Quick where there is nothing to do."""
    purging = WriteLock(place.folder / "purging", place.folder.name)
    for _ in range(ROUNDS):
        with connections.use() as connection:
            shelves = [shelf for shelf, _, _ in truth.shelves(connection)]
        dirty = [shelf for shelf in shelves if is_dirty(place, shelf)]
        if not dirty:
            break
        with purging.hold(PURGE_WAIT_S):
            for shelf in filter(lambda each: is_dirty(place, each), dirty):
                _write_anew(place, connections, lock, shelf)
    _empty_log(connections)


def is_dirty(place: Place, shelf: int) -> bool:
    """Whether words of what was removed are still in the files of this shelf."""
    state = read_state(place.lexical(shelf))
    return state is not None and state.purge > 0


def _write_anew(place: Place, connections: Connections, lock: WriteLock, shelf: int) -> None:
    here = place.lexical(shelf)
    beside = here.with_name(f"{shelf}.new")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        with connections.use() as connection:
            token = str(truth.get(connection, "token"))
            with closing(LexicalPen(beside, token)) as pen:
                catch_up(connection, pen, shelf)
                begun = pen.seq
            with lock.hold(WRITE_WAIT_S):
                with closing(LexicalPen(beside, token)) as pen:
                    catch_up(connection, pen, shelf)
                made, before = read_state(beside), read_state(here)
                if made is None or before is None:
                    raise StoreAway(f"The words of shelf {shelf} cannot be written anew: check the disk.")
                (beside / made.folder).rename(here / made.folder)
                left = before.purge if before.purge > begun else 0
                write_state(here, State(token, made.folder, made.seq, left))
                if before.folder != made.folder:
                    shutil.rmtree(here / before.folder, ignore_errors=True)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _empty_log(connections: Connections) -> None:
    """Waits a little for those who read an earlier state; the next one who removes tries again."""
    until = monotonic() + EMPTY_S
    with connections.use() as connection:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] and monotonic() < until:
            sleep(LOOK_S)
