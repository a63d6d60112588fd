"""HTML to blocks: the text that a reader would see, with its headings and tables. Nothing is run or fetched."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from glassloop.retrieval.documents.blocks import Block

_UNSEEN = {"script", "style", "noscript", "template", "svg", "head", "nav", "iframe", "object"}
_BREAKS = {
    *(
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "aside",
        "ul",
        "ol",
        "dl",
        "dt",
        "dd",
        "blockquote",
    ),
    *("figure", "figcaption", "form", "fieldset", "hr", "address", "details", "summary", "body", "html"),
}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_VOID = {"br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.title = ""
        self._pieces: list[str] = []
        self._line = 0
        self._unseen: list[str] = []
        self._tables = 0
        self._in_title = self._as_is = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag == "title" and not self.title:
            self._in_title = True
        if self._unseen or (tag in _UNSEEN):
            if tag in _UNSEEN and tag not in _VOID:
                self._unseen.append(tag)
            return
        if tag == "table":
            if not self._tables:
                self.put()
            self._tables += 1
        elif tag in ("br", "tr") or (tag == "li" and not self._tables):
            self._pieces.append("\n" + ("- " if tag == "li" else ""))
        elif not self._tables and (tag in _BREAKS or tag in _HEADINGS or tag == "pre"):
            self.put()
            self._as_is = tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._unseen:
            # A page may forget to close what is inside: the outermost that fits ends all.
            if tag in self._unseen:
                del self._unseen[self._unseen.index(tag) :]
            return
        if tag == "table" and self._tables:
            self._tables -= 1
            if not self._tables:
                self.put("whole")
        elif self._tables:
            if tag in ("td", "th"):
                self._pieces.append(" | ")
        elif tag in _HEADINGS:
            self.put("heading", _HEADINGS[tag])
        elif tag == "pre":
            self.put("whole")
        elif tag in _BREAKS:
            self.put()

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        if self._unseen:
            return
        if data.strip() and not self._line:
            self._line = self.getpos()[0]
        self._pieces.append(data if self._as_is else re.sub(r"\s+", " ", data))

    def put(self, kind: str = "text", level: int = 0) -> None:
        text = "".join(self._pieces)
        if not self._as_is:
            lines = (re.sub(r"[ \t]+", " ", line).strip(" |" if kind == "whole" else " ") for line in text.split("\n"))
            text = "\n".join(line for line in lines if line)
        if text.strip():
            head = text.split("\n", 1)[0] if kind == "whole" and not self._as_is else ""
            match kind:
                case "heading":
                    self.blocks.append(Block(kind="heading", text=text, level=level, line=self._line))
                case "whole":
                    self.blocks.append(Block(kind="whole", text=text.strip("\n"), line=0, head=head))
                case _:
                    self.blocks.append(Block(kind="text", text=text, line=self._line))
        self._pieces, self._line, self._as_is = [], 0, False


def html_blocks(text: str) -> Iterator[Block]:
    page = _Page()
    page.feed(text)
    page.close()
    page.put()
    title = " ".join(page.title.split())
    if title:
        yield Block(kind="heading", text=title, level=0)
    yield from page.blocks
