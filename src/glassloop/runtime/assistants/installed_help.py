"""Defaults for agents made without help: the shortlist of the installed extensions."""

from collections.abc import Mapping, Sequence

from glassloop.core.messages import Message, ToolSpec
from glassloop.core.ports import Shortlist


class InstalledShortlist:
    """A `Shortlist` that is looked for when there is something to choose: most agents never need one."""

    def __init__(self) -> None:
        self._found: Shortlist | None = None

    async def choose(
        self,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        most: int,
        keep: Sequence[str] = (),
    ) -> Sequence[str]:
        if self._found is None:
            # Only who needs help looks for what is installed: importing an agent stays light.
            from glassloop.runtime.settings import Settings

            settings = Settings()
            self._found = settings.extensions.shortlist(settings, None, small=False)
        if self._found is None:
            kept = [*keep, *(name for name in tools if name not in keep)][:most]
            return [name for name in tools if name in kept]
        return await self._found.choose(question, messages, tools, most, keep)
