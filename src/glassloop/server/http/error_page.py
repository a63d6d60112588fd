"""Error page for browsers: what happened, and the way back.

Self-contained: its few styles are in it, named by their digest, and it works without the built page.
"""

import base64
import hashlib
from html import escape

from fastapi import Request
from starlette.responses import HTMLResponse

from glassloop.server.http.headers import POLICY

_STYLE = """
:root { color-scheme: light dark; --canvas: #f7f7f5; --panel: #fff; --line: #e4e5e2; --ink: #1b1d1f; --soft: #5b6168;
 --button: #24282c; --button-ink: #fff; --focus: #2563a8; }
@media (prefers-color-scheme: dark) { :root { --canvas: #141517; --panel: #1b1d20; --line: #2b2e33; --ink: #eceae6;
 --soft: #a9aeb5; --button: #eceae6; --button-ink: #1b1d1f; --focus: #7fb2ea; } }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 16px; box-sizing: border-box;
 background: var(--canvas); color: var(--ink); font: 15px/24px Inter, system-ui, sans-serif; }
main { max-width: 26rem; padding: 28px; border: 1px solid var(--line); border-radius: 14px; background: var(--panel); }
.brand { display: flex; gap: 9px; align-items: center; margin: 0 0 20px; font-weight: 650; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 28px; }
p { margin: 0 0 20px; color: var(--soft); overflow-wrap: anywhere; }
.brand { color: var(--ink); }
a { display: inline-block; padding: 6px 14px; border-radius: 8px; background: var(--button); color: var(--button-ink);
 font-weight: 500; text-decoration: none; }
a:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
"""
_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest())
_HEADERS = {
    "content-security-policy": f"{POLICY.decode()}; style-src 'sha256-{_DIGEST.decode()}'",
    "vary": "accept",
}
_TITLES = {
    401: "Sign in first",
    403: "This is not open to you",
    404: "There is no page here",
    429: "Too many at once",
    503: "Not ready",
}


def wants_page(request: Request) -> bool:
    """Whether a person's browser asks for something to look at, and no program for something to read."""
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


def error_page(status: int, text: str, headers: dict[str, str] | None = None) -> HTMLResponse:
    """The page; everything in it is text."""
    title = escape(_TITLES.get(status, "This did not work"))
    way = "To the sign-in" if status == 401 else "To the chat"
    body = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Glassloop</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="/favicon.svg"><style>{_STYLE}</style></head><body><main>'
        '<p class="brand"><img src="/favicon.svg" alt="" width="24" height="24">Glassloop</p>'
        f'<h1>{title}</h1><p>{escape(text)}</p><a href="/">{way}</a></main></body></html>'
    )
    return HTMLResponse(body, status, {**(headers or {}), **_HEADERS})
