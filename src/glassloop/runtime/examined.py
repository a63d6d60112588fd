"""What examinations found is remembered in the home folder and holds until the next one, or until it is forgotten.

By model and address: another server under the same name is another model.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from glassloop.core.events import ProtocolName
from glassloop.core.messages import Abilities
from glassloop.core.records import Record
from glassloop.models.doctor.findings import Examination
from glassloop.models.model_name import parse_model_name
from glassloop.own_folder import make_own
from glassloop.ready_types import make_ready
from glassloop.runtime.settings import Settings
from glassloop.whole_file import write_whole

FILE = "examined.json"
MOST = 100
MOST_BYTES = 1_000_000


class Examined(Record, frozen=True, kw_only=True):
    """What is kept of one examination."""

    model: str
    address: str
    at: float
    abilities: Abilities
    protocol: ProtocolName | None = None


make_ready(list[Examined])


def address_of(name: str, settings: Settings) -> str:
    """Where a model of that name is reached; empty for its provider's own address."""
    provider = settings.extensions.providers.get(parse_model_name(name).provider)
    return provider.address(settings) if provider is not None else ""


def remembered(name: str, settings: Settings) -> Examined | None:
    """What the last examination of this model at this address found."""
    address = address_of(name, settings)
    known = (found for found in all_remembered(settings) if (found.model, found.address) == (name, address))
    return next(known, None)


def all_remembered(settings: Settings) -> Sequence[Examined]:
    """The newest last. A file that cannot be read says nothing: an examination writes it anew."""
    try:
        with (settings.home_path / FILE).open("rb") as file:
            return msgspec.json.decode(file.read(MOST_BYTES), type=list[Examined])
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return ()


def remember(found: Examination, settings: Settings) -> Path | None:
    """Keeps what an examination found; where. One of a model that did not answer changes nothing."""
    if found.abilities is None:
        return None
    address = address_of(found.model, settings)
    new = Examined(model=found.model, address=address, at=found.at, abilities=found.abilities, protocol=found.protocol)
    return _write([*_others(found.model, address, settings), new], settings)


def forget(name: str, settings: Settings) -> bool:
    """Lets go of what is remembered of this model; whether there was anything."""
    known, address = all_remembered(settings), address_of(name, settings)
    rest = _others(name, address, settings)
    if len(rest) == len(known):
        return False
    _write(rest, settings)
    return True


def _others(name: str, address: str, settings: Settings) -> list[Examined]:
    return [found for found in all_remembered(settings) if (found.model, found.address) != (name, address)]


def _write(found: Sequence[Examined], settings: Settings) -> Path:
    folder = settings.home_path
    make_own(folder)
    write_whole(folder / FILE, msgspec.json.format(msgspec.json.encode(found[-MOST:]), indent=2) + b"\n")
    return folder / FILE
