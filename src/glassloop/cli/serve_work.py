"""What `glassloop serve` does: says where it serves, and serves until a signal comes."""

import asyncio

from glassloop import __version__
from glassloop.cli.tell import say
from glassloop.cli.until_told import hearing, logging_as
from glassloop.runtime.assistants import is_ours, list_assistants
from glassloop.runtime.settings import Settings
from glassloop.server.serving import open_serving

_NO_MODEL = "reflex, which is no language model; `glassloop models` tells what to set or download for one"


async def serve_until_told(settings: Settings, host: str, port: int, *, queue: bool, works: bool) -> None:
    """Serves until SIGTERM or Ctrl-C; says where, and on a first start the admin token."""
    stopping = asyncio.Event()
    with hearing(stopping.set), logging_as(settings):
        async with open_serving(settings, host, port, queue=queue, works=works) as serving:
            say(f"Glassloop {__version__} listens at {serving.url}")
            say(f"Model: {_NO_MODEL if serving.model == 'reflex' else serving.model}")
            say(f"Assistants: {await asyncio.to_thread(_offered, settings)}")
            own = "sign in with ADMIN_TOKEN" if settings.admin_token else "`glassloop keys admin` makes a new token"
            say(f"Admin: {serving.url}/admin; {own}")
            if serving.admin_token is not None:
                say(f"Admin token, told this once: {serving.admin_token}")
            await serving.run(stopping)
            say(f"Glassloop stops, {serving.runtime.running} turns under way")
    say("Glassloop has stopped")


def _offered(settings: Settings) -> str:
    """Whom everybody who is let in may ask; those of the home and of this folder with where they are."""
    found = list_assistants(settings)
    named = [each.name if is_ours(each) else f"{each.name} (from {each.folder})" for each in found]
    return ", ".join(named) or "none"
