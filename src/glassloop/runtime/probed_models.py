"""Probed models: results of `models doctor`, stored in the home folder until the next one, or until deleted.

Keyed by model and address: another server under the same name is another model.
"""

import logging
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from glassloop.core.events import ProtocolName
from glassloop.core.messages import Abilities
from glassloop.core.records import Record
from glassloop.models.model_name import parse_model_name
from glassloop.models.probe import Examination
from glassloop.own_folder import make_own
from glassloop.ready_types import make_ready
from glassloop.runtime.settings import Settings
from glassloop.whole_file import write_whole

_log = logging.getLogger(__name__)

FILE = "examined.json"
MAX_MODELS = 100
MAX_BYTES = 1_000_000


class ProbedModel(Record, frozen=True, kw_only=True):
    """What is kept of one examination."""

    model: str
    address: str
    at: float
    abilities: Abilities
    protocol: ProtocolName | None = None


make_ready(list[ProbedModel])


def address_of(name: str, settings: Settings) -> str:
    """Where a model of that name is reached; empty for its provider's own address."""
    provider = settings.extensions.providers.get(parse_model_name(name).provider)
    return provider.address(settings) if provider is not None else ""


def find_probe(name: str, settings: Settings) -> ProbedModel | None:
    """What the last examination of this model at this address found."""
    address = address_of(name, settings)
    known = (found for found in list_probes(settings) if (found.model, found.address) == (name, address))
    return next(known, None)


def list_probes(settings: Settings) -> Sequence[ProbedModel]:
    """The newest last. A file that cannot be read says nothing: an examination writes it anew."""
    try:
        with (settings.home_path / FILE).open("rb") as file:
            return msgspec.json.decode(file.read(MAX_BYTES), type=list[ProbedModel])
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return ()


def store_probe(found: Examination, settings: Settings) -> Path | None:
    """Keeps what an examination found; where. One of a model that did not answer changes nothing."""
    if found.abilities is None:
        return None
    address = address_of(found.model, settings)
    new = ProbedModel(
        model=found.model, address=address, at=found.at, abilities=found.abilities, protocol=found.protocol
    )
    return _write([*_others(found.model, address, settings), new], settings)


def store_learned(name: str, abilities: Abilities, settings: Settings) -> None:
    """Keeps what a model showed while it was used. That it cannot be kept is no reason to fail."""
    known, address = find_probe(name, settings), address_of(name, settings)
    new = ProbedModel(
        model=name, address=address, at=time.time(), abilities=abilities, protocol=known.protocol if known else None
    )
    try:
        _write([*_others(name, address, settings), new], settings)
    except OSError as error:
        _log.warning("what %s can do could not be stored: %s", name, error)


def forget_probe(name: str, settings: Settings) -> bool:
    """Lets go of what is remembered of this model; whether there was anything."""
    known, address = list_probes(settings), address_of(name, settings)
    rest = _others(name, address, settings)
    if len(rest) == len(known):
        return False
    _write(rest, settings)
    return True


def _others(name: str, address: str, settings: Settings) -> list[ProbedModel]:
    return [found for found in list_probes(settings) if (found.model, found.address) != (name, address)]


def _write(found: Sequence[ProbedModel], settings: Settings) -> Path:
    folder = settings.home_path
    make_own(folder)
    write_whole(folder / FILE, msgspec.json.format(msgspec.json.encode(found[-MAX_MODELS:]), indent=2) + b"\n")
    return folder / FILE
