"""Every route of the server is in the docs, and every route in docs/api.md is one of the server's."""

import re
from collections.abc import Iterator
from pathlib import Path

from glassloop.runtime.extensions import installed_extensions
from glassloop.server.routes import ROUTERS, page

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("api.md", "access.md", "code.md", "mcp.md", "operating.md", "web.md")
# What says itself what there is.
OWN = {"/openapi.json", "/docs", "/docs/style.css"}


def routes() -> Iterator[tuple[str, str]]:
    """All but those that the page is made of."""
    brought = [router for extension in installed_extensions() for router in extension.routers()]
    for router in (*ROUTERS, *brought):
        for route in router.routes if router is not page.router else ():
            path = re.sub(r"\{[^}]*\}", "{id}", route.path)  # type: ignore[attr-defined]
            for method in getattr(route, "methods", {"WS"}) - {"HEAD"}:
                yield method, path


def named(line: str) -> set[str]:
    """The paths a line names: whole ones, and endings that go on from one of them or stand in its end's place."""
    quoted = " ".join(re.findall(r"`([^`]*)`", line))
    found = [re.sub(r"\{\w+\}", "{id}", path) for path in re.findall(r"(?<![\w/}])…?(/[\w./{}-]*)", quoted)]
    first = r"/(api|admin|v1|chat|conversations|raids|livez|readyz|health|metrics)\b"
    whole = [path for path in found if re.match(first, path)]
    ends = [path for path in found if path not in whole]
    before = [*whole, *(path.rpartition("/")[0] for path in whole)]
    return {*whole, *(path + end for path in before for end in ends)}


def documented() -> list[tuple[str, set[str]]]:
    lines = [line for name in PAGES for line in (DOCS / name).read_text("utf-8").splitlines()]
    return [(line, paths) for line in lines if (paths := named(line))]


def test_every_route_is_documented_with_its_method() -> None:
    lines = documented()
    for method, path in routes():
        if path in OWN:
            continue
        told = [line for line, paths in lines if path in paths]
        assert told, f"{method} {path} is in none of {', '.join(PAGES)}"
        assert method == "GET" or any(method in line for line in told), f"{method} {path}"


def test_every_route_on_the_page_is_one_of_the_servers() -> None:
    there = {path for _, path in routes()}
    text = (DOCS / "api.md").read_text("utf-8")
    for path in re.findall(r"`(?:GET|POST|PATCH|DELETE|PUT|WS) (/[\w/{}-]+)", text):
        whole = re.sub(r"\{\w+\}", "{id}", path)
        assert whole in there or not whole.startswith(("/api", "/admin", "/v1", "/chat", "/conversations")), path
