"""Documents to chunks: what each format keeps, and what each chunk knows of its place."""

import io
import textwrap
from itertools import pairwise

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfWriter

from glassloop.retrieval.documents.blocks import CHUNK_TOKENS, OVERLAP_TOKENS
from glassloop.retrieval.documents.files import read_source
from glassloop.retrieval.index.sources import ChunkRow, DocumentSource
from glassloop.retrieval.query.passage_budget import join_passages
from glassloop.retrieval.query.search_terms import count_tokens


def read(name, text):
    found = read_source(DocumentSource(name=name, text=textwrap.dedent(text)))
    assert not found.problem
    return found.chunks


def read_bytes(tmp_path, name, raw):
    path = tmp_path / name
    path.write_bytes(raw)
    return read_source(DocumentSource(name=name, path=path))


def test_a_chunk_of_markdown_knows_its_headings_and_lines():
    chunks = read("a.md", "# Moulding\n\nIntro.\n\n## Flash\n\nFlash is thin.\nIt is cut.\n")
    assert [(each.text, each.headings, each.first_line, each.last_line) for each in chunks] == [
        ("Intro.", ("Moulding",), 3, 3),
        ("Flash is thin.\nIt is cut.", ("Moulding", "Flash"), 7, 8),
    ]


def test_a_table_stays_whole_between_its_paragraphs():
    rows = "\n".join(f"| part {number} | {number * 3} |" for number in range(60))
    chunks = read("a.md", f"Before.\n\n| name | size |\n| --- | --- |\n{rows}\n\nAfter.\n")
    assert [each.text.count("part ") for each in chunks] == [0, 60, 0]


def test_a_very_long_table_is_cut_between_rows_and_says_its_columns_again():
    chunks = read("a.csv", "name,size\n" + "\n".join(f"part {number},{number}" for number in range(2000)))
    assert len(chunks) > 3
    assert all(each.text.startswith("name | size\n") for each in chunks)
    assert sum(each.text.count("part ") for each in chunks) == 2000
    assert chunks[1].text.split("\n")[1] == f"part {chunks[1].first_line - 2} | {chunks[1].first_line - 2}"


@given(
    st.lists(st.sampled_from(["One two three. ", "Why not? ", "披锋是飞边。", "\n", "\n\n", "word " * 30, "x" * 900]))
)
def test_no_chunk_of_prose_is_too_long_and_nothing_is_lost(pieces):
    text = "".join(pieces)
    chunks = read("a.txt", text)
    assert all(count_tokens(each.text) <= CHUNK_TOKENS + 60 for each in chunks)
    rest = "".join(each.text[each.overlap :] for each in chunks)
    assert "".join(rest.split()) == "".join(text.split())


def test_neighbours_repeat_a_sentence_which_is_said_once_when_they_are_joined():
    text = " ".join(f"Sentence number {number} is here." for number in range(60))
    chunks = read("a.txt", text)
    assert len(chunks) > 1
    assert all(each.overlap for each in chunks[1:])
    rows = [
        ChunkRow(place, 1, place, (), each.text, 1, 1, 0, each.overlap, 1, 0.0, "a", "", "", 1)
        for place, each in enumerate(chunks)
    ]
    assert join_passages(rows) == text


def test_as_many_sentences_are_repeated_as_fit():
    sentences = [f"Sentence number {number:04} is it. " for number in range(100)]
    size = count_tokens(sentences[0])
    assert OVERLAP_TOKENS % size == 0
    for each in read("a.txt", "".join(sentences))[1:]:
        assert each.text[: each.overlap].count("Sentence") == OVERLAP_TOKENS // size


def test_a_line_without_an_end_is_cut_and_nothing_of_it_is_lost():
    for name, text in (("a.md", "```\n" + "abc " * 5000 + "\n```"), ("a.txt", "披" * 3000), ("a.csv", "x" * 9000)):
        chunks = read(name, text)
        assert len(chunks) > 2
        assert "".join(each.text[each.overlap :].replace("\n", "") for each in chunks).replace(" ", "") == (
            text.replace("\n", "").replace(" ", "")
        )


def test_code_is_cut_by_functions_that_know_their_class_and_lines():
    body = "\n".join(f"        value = value + {number}  # step" for number in range(30))
    code = f"import os\n\n\nclass Box:\n    def put(self, value):\n{body}\n\n    def take(self, value):\n{body}\n"
    chunks = read("pack/box.py", code)
    put, take = (next(each for each in chunks if f"def {name}" in each.text) for name in ("put", "take"))
    assert put.headings == ("Box", "put")
    assert (put.first_line, put.last_line) == (5, 35)
    assert take.headings == ("Box", "take")
    assert take.text.startswith("    def take")


STEPS = "\n".join(f"  total += items[{number}].price;" for number in range(20))
METHODS = {
    "a.java": (
        "class Box {{\n int put() {{\n{0}\n }}\n int take() {{\n{0}\n }}\n int peek() {{\n{0}\n }}\n}}\n",
        "Box",
    ),
    "a.rs": ("impl Box {{\n fn put() {{\n{0}\n }}\n fn take() {{\n{0}\n }}\n fn peek() {{\n{0}\n }}\n}}\n", "Box"),
    "a.cpp": (
        "class Box {{\n int put() {{\n{0}\n }}\n int take() {{\n{0}\n }}\n int peek() {{\n{0}\n }}\n}};\n",
        "Box",
    ),
    "a.ts": ("export class Box {{\n put() {{\n{0}\n }}\n take() {{\n{0}\n }}\n peek() {{\n{0}\n }}\n}}\n", "Box"),
    "a.rb": ("class Box\n def put\n{0}\n end\n def take\n{0}\n end\n def peek\n{0}\n end\nend\n", "Box"),
    "a.go": ("func put() {{\n{0}\n}}\n\nfunc take() {{\n{0}\n}}\n\nfunc peek() {{\n{0}\n}}\n", ""),
    "a.c": ("int put(int a) {{\n{0}\n}}\n\nchar *take(void) {{\n{0}\n}}\n\nint peek() {{\n{0}\n}}\n", ""),
}


@pytest.mark.parametrize("name", METHODS)
def test_functions_of_many_languages_know_their_names(name):
    text, outer = METHODS[name]
    found = {each.headings[-1]: each for each in read(name, text.format(STEPS)) if each.headings}
    for wanted in ("put", "take", "peek"):
        assert found[wanted].headings == ((outer, wanted) if outer else (wanted,))
        assert found[wanted].text.count("price") == 20


def test_a_comment_stays_with_the_function_under_it():
    lines = "\n".join(f"  total += items[{number}].price * {number};" for number in range(20))
    chunks = read("a.js", f"let x = 1;\n\n// Adds all up.\nfunction sum(items) {{\n{lines}\n}}\n")
    assert any("Adds all up" in each.text and "function sum" in each.text for each in chunks)


def test_code_in_no_known_language_is_cut_by_lines():
    chunks = read("a.ini", "\n".join(f"key{number} = value" for number in range(500)))
    assert len(chunks) > 3
    assert [chunks[0].first_line, chunks[-1].last_line] == [1, 500]
    assert all(after.first_line == before.last_line + 1 for before, after in pairwise(chunks))


def test_html_is_what_a_reader_would_see():
    chunks = read(
        "a.html",
        """<html><head><title>Guide</title><style>p {}</style></head><body><nav>menu</nav><h1>Faults</h1>
        <p>Thin <b>flash</b> &amp; more.</p><script>alert(1)</script>
        <table><tr><th>fault</th><th>cure</th></tr><tr><td>flash</td><td>clamp</td></tr></table></body></html>""",
    )
    assert [(each.text, each.headings) for each in chunks] == [
        ("Thin flash & more.", ("Guide", "Faults")),
        ("fault | cure\nflash | clamp", ("Guide", "Faults")),
    ]


def test_a_docx_keeps_its_headings_paragraphs_and_tables(tmp_path):
    document = docx.Document()
    document.add_heading("Faults", 1)
    document.add_paragraph("Flash is thin.")
    table = document.add_table(2, 2)
    for cell, text in zip([*table.rows[0].cells, *table.rows[1].cells], ["a", "b", "c", "d"], strict=True):
        cell.text = text
    raw = io.BytesIO()
    document.save(raw)
    found = read_bytes(tmp_path, "a.docx", raw.getvalue())
    assert [(each.text, each.headings) for each in found.chunks] == [
        ("Flash is thin.", ("Faults",)),
        ("a | b\nc | d", ("Faults",)),
    ]


def pdf_with(*pages):
    """A PDF written by hand: one line of text on each page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * place} 0 R" for place in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for place, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /Contents {5 + 2 * place} 0 R /MediaBox [0 0 612 792] "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    raw, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(raw))
        raw += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(raw)
    size = len(objects) + 1
    return raw + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        size, table, size, start,
    )  # fmt: skip


def test_a_passage_of_a_pdf_knows_its_page(tmp_path):
    found = read_bytes(tmp_path, "a.pdf", pdf_with("Flash is thin.", "Sink marks are deep."))
    assert [(each.text, each.page) for each in found.chunks] == [("Flash is thin.", 1), ("Sink marks are deep.", 2)]


def test_a_pdf_with_a_password_is_refused_in_one_sentence(tmp_path):
    writer = PdfWriter()
    writer.add_blank_page(72, 72)
    writer.encrypt("secret", algorithm="RC4-128")
    raw = io.BytesIO()
    writer.write(raw)
    assert "protected by a password" in read_bytes(tmp_path, "a.pdf", raw.getvalue()).problem


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("注塑件边缘多余的料。".encode("gb18030"), "注塑件边缘多余的料。"),
        ("Größe".encode("utf-16"), "Größe"),
        ("Plain text in two bytes.".encode("utf-16-le"), "Plain text in two bytes."),
        ("# -*- coding: latin-1 -*-\nGröße".encode("latin-1"), "# -*- coding: latin-1 -*-\nGröße"),
    ],
)
def test_text_in_an_encoding_that_is_certain_is_read(tmp_path, raw, text):
    found = read_bytes(tmp_path, "a.txt", raw)
    assert not found.problem
    assert [each.text for each in found.chunks] == [text]


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("Größe, Straße, Äpfel".encode("latin-1"), "not valid UTF-8 (byte 0xf6 at 2)"),
        (b"good text \xff\xfe\xfd more", "not valid UTF-8"),
        (bytes(range(256)) * 10, "is not text"),
        (b"\x7fELF\x02\x01\x01" + bytes(100), "is not text"),
    ],
)
def test_what_is_not_certainly_text_is_refused_and_not_guessed(tmp_path, raw, told):
    assert told in read_bytes(tmp_path, "a.txt", raw).problem


@given(
    st.binary(max_size=400), st.sampled_from([".md", ".txt", ".py", ".html", ".csv", ".pdf", ".docx", ".json", ".js"])
)
def test_no_bytes_make_a_reader_raise(raw, suffix):
    text = raw.decode("latin-1")
    found = read_source(DocumentSource(name=f"a{suffix}", text=text))
    assert found.problem or found.digest
