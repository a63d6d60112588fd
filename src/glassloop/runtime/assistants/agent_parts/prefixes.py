"""Prefixes of the assistants, read ahead by a model that reads slowly: its first questions need not wait for them.

One after another, while nobody asks, and anew when models or assistants change.
"""

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from typing import Final

from glassloop.core.errors import GlassloopError, ModelRejected, ModelUnusable
from glassloop.core.ports import ReadsAhead
from glassloop.models.model_name import parse_model_name
from glassloop.runtime.assistants.agents import AgentKey, Agents
from glassloop.runtime.assistants.assistant_files import default_assistant, list_assistants
from glassloop.runtime.models import default_model
from glassloop.runtime.settings import Settings

EVERY_S: Final = 15.0
MAX_ASSISTANTS: Final = 16

_log = logging.getLogger(__name__)


class PrefixReader:
    """Reads ahead where the model in force can; with others it does nothing."""

    def __init__(self, settings: Settings, agents: Agents) -> None:
        self._settings = settings
        self._agents = agents
        self._read: set[str] = set()

    async def repeat(self, every_s: float = EVERY_S) -> None:
        """Looks again and again, since models and assistants come and go; ends when it is cancelled."""
        while True:
            try:
                await self.read_all()
            except GlassloopError as error:
                _log.info("prompts are not read ahead: %s", error)
            except Exception:
                _log.exception("prompts are not read ahead; it is tried again")
            await asyncio.sleep(every_s)

    async def read_all(self, most: int = MAX_ASSISTANTS) -> bool:
        """Reads for so many assistants, the default one first. False where a question came first."""
        read, self._read = self._read, set()
        for name in (await asyncio.to_thread(self._names))[:most]:
            agent = await self._agents.for_key(AgentKey(name))
            model, system = agent.main_model, agent.first_request().system
            digest = hashlib.sha256(f"{model.name}\n{system}".encode()).hexdigest()
            known = digest in read or digest in self._read
            if not known and isinstance(model, ReadsAhead) and not await self._is_read(name, model, system):
                self._read |= read
                return False
            self._read.add(digest)
        return True

    async def _is_read(self, name: str, model: ReadsAhead, system: str) -> bool:
        """Also of a prompt that the model rejects, as too long: the others are still read."""
        try:
            return await model.read_ahead(system)
        except ModelUnusable:
            raise
        except ModelRejected as error:
            _log.info("the prompt of %s is not read ahead: %s", name, error)
            return True

    def _names(self) -> Sequence[str]:
        """The assistants, the default one first; none where the model in force reads nothing ahead."""
        if not reads_ahead(self._settings):
            return ()
        first = default_assistant(self._settings)
        others = (each.name for each in list_assistants(self._settings))
        return list(dict.fromkeys((first, *others)))[:MAX_ASSISTANTS]


def reads_ahead(settings: Settings) -> bool:
    """Whether the model in force does."""
    known = settings.extensions.providers.get(parse_model_name(default_model(settings)).provider)
    return known is not None and known.reads_ahead
