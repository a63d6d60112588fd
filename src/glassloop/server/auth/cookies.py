"""The cookie of a browser that is signed in: because event streams and sockets cannot send headers.

Scripts cannot read it, and browsers send it with nothing that another site has them send. What our own page proves
itself with besides is made from it, so that it is good for this sign-in only.
"""

from starlette.responses import Response

from glassloop.store.tables.keys import digest_of

SIGNED_IN_S = 30 * 86_400
"""How long it lasts after its last use."""


def cookie_name(https: bool) -> str:
    """With the prefix, browsers let no other site set it; they know it by https only."""
    return "__Host-glassloop" if https else "glassloop"


def csrf_token(token: str) -> str:
    """What our own page sends with everything that changes something, and no other page can read."""
    return digest_of(f"csrf {token}")


def set_cookie(response: Response, token: str, *, https: bool) -> None:
    name = cookie_name(https)
    response.set_cookie(name, token, max_age=SIGNED_IN_S, path="/", secure=https, httponly=True, samesite="strict")


def delete_cookie(response: Response, *, https: bool) -> None:
    response.delete_cookie(cookie_name(https), path="/", secure=https, httponly=True, samesite="strict")
