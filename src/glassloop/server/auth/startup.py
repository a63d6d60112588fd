"""Start of a server: whether its settings would let strangers in, and the admin token it begins with."""

from glassloop.core.errors import UsageError
from glassloop.runtime.settings import Settings
from glassloop.server.auth.request_info import is_loopback
from glassloop.store.store import Store
from glassloop.store.tables.governance.audit import ADMIN


def check_binding(host: str, settings: Settings) -> None:
    """Raises `UsageError` where listening at `host` would let strangers in."""
    if is_loopback(host):
        return
    if settings.auth == "local":
        raise UsageError(
            f"At {host!r} others can reach this server, and GLASSLOOP_AUTH=local gives them access: set "
            "GLASSLOOP_AUTH=keys and create a key (`glassloop users add NAME`, `glassloop keys create NAME`), or "
            "listen on 127.0.0.1."
        )


async def ensure_admin_token(settings: Settings, store: Store) -> str | None:
    """Makes the admin token where none is set and none was made before, and returns it this once; else None."""
    return None if settings.admin_token else await store.secrets.make(ADMIN)
