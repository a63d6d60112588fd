"""The page's own files, without a browser."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "src" / "glassloop" / "server" / "page"
MARKUP = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc"


def test_the_source_has_no_way_to_make_markup_of_text_and_names_no_other_place():
    for path in PAGE.iterdir():
        text = path.read_text("utf-8")
        if path.suffix == ".js":
            assert not re.search(MARKUP, text), path.name
        assert set(re.findall(r"https?://[\w.]+", text)) <= {"http://www.w3.org"}, path.name
        if path.suffix == ".html":
            assert not re.search(r"<style|style=|<script(?![^>]*src=)|\son\w+=", text)


def test_no_file_of_the_page_is_too_long():
    for path in PAGE.iterdir():
        lines = path.read_text("utf-8").splitlines()
        assert len(lines) <= 400, path.name
        assert max(map(len, lines)) <= 160, path.name


def test_everything_a_file_names_is_there():
    for path in PAGE.iterdir():
        text = path.read_text("utf-8")
        named = re.findall(r'from "\./([\w.]+)"', text) + re.findall(r'(?:href|src)="page/([\w.]+)"', text)
        for name in named:
            assert (PAGE / name).is_file(), f"{path.name} names {name}"
