"""A folder with everything that goes wrong: each told in one sentence, the rest indexed."""

import io
import os
import signal
import zipfile
from pathlib import Path

import pytest
from pypdf import PdfWriter

from glassloop.retrieval import Library
from glassloop.retrieval.code.workspace import IndexedFiles
from glassloop.retrieval.documents import files
from glassloop.retrieval.documents.files import open_folder, read_source
from glassloop.retrieval.documents.folder_sources import folder_sources
from glassloop.retrieval.documents.readers import MAX_STOPS, ProcessReader, Readers
from glassloop.retrieval.index.sources import DocumentSource, SourceContent


def locked_pdf():
    writer = PdfWriter()
    writer.add_blank_page(72, 72)
    writer.encrypt("secret", algorithm="RC4-128")
    raw = io.BytesIO()
    writer.write(raw)
    return raw.getvalue()


def bomb():
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as member:
        for _ in range(200):
            member.write(bytes(1_000_000))
    return raw.getvalue()


def damaged():
    """Its packed data are no packed data."""
    raw, name = io.BytesIO(), "[Content_Types].xml"
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, "<Types/>" * 40)
    packed = bytearray(raw.getvalue())
    start = packed.index(name.encode()) + len(name)
    packed[start : start + 10] = b"\xff" * 10
    return bytes(packed)


@pytest.fixture
def kept(tmp_path):
    """On the disk alone: what cannot be read never gets as far as where indexes are kept."""
    return lambda embedder=None: Library(tmp_path / "home", embedder)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "docs"
    (made / "empty").mkdir(parents=True)
    (made / "good.md").write_text("The heron waits.")
    with (made / "huge.txt").open("wb") as file:
        # Takes no room on the disk: nothing was written but its end.
        file.seek(1_000_000_000)
        file.write(b"end")
    (made / "locked.pdf").write_bytes(locked_pdf())
    (made / "program.txt").write_bytes(b"\x7fELF" + bytes(range(256)) * 20)
    (made / "latin.txt").write_bytes("Größe".encode("latin-1"))
    (made / "bomb.docx").write_bytes(bomb())
    (made / "nozip.docx").write_bytes(b"no archive")
    (made / "damaged.docx").write_bytes(damaged())
    (made / "round").symlink_to(made)
    (made / "self.md").symlink_to("self.md")
    (made / "outside.md").symlink_to("/etc/hostname")
    os.mkfifo(made / "pipe.txt")
    (Path(os.fsdecode(os.fsencode(made) + b"/odd\xff.txt"))).write_text("x")
    return made


async def test_each_bad_file_is_told_in_one_sentence_and_the_rest_is_indexed(library, index, folder):
    report = await index.add_folder(folder)
    told = {problem.document: problem.reason for problem in report.problems}
    expected = {
        "huge.txt": "1,000,000,003 bytes",
        "locked.pdf": "password",
        "program.txt": "is not text",
        "latin.txt": "not valid UTF-8",
        "bomb.docx": "would unpack to 200,000,000 bytes",
        "nozip.docx": "no DOCX",
        "damaged.docx": "no DOCX",
        "round": "link to a folder that it lies in",
        "self.md": "circle",
        "outside.md": "outside of the folder",
        "pipe.txt": "no ordinary file",
        "odd\ufffd.txt": "no valid text",
    }
    assert told.keys() == expected.keys()
    for name, words in expected.items():
        assert words in told[name]
        assert told[name].startswith(name)
        assert told[name].endswith(".")
        assert "\n" not in told[name]
    assert (report.added, report.failed) == (1, len(expected))
    (found,) = await library.search("heron", index="kb")
    assert found.document == "good.md"


class Stopped(ProcessReader):
    """Has no time for what was made to take for ever, and any time for the rest."""

    at = ""

    def read(self, source, known):
        self.at = source.name
        return super().read(source, known)

    def check(self):
        if self.at == "slow.html":
            super().check()


def test_a_reader_that_takes_too_long_is_stopped_and_the_others_go_on():
    asked = [(DocumentSource(name=f"{number}.md", text=f"Page {number}."), b"") for number in range(20)]
    # The parser looks through all of the rest for the end of each tag.
    slow = DocumentSource(name="slow.html", text="<a " * 80_000)
    with Readers(2, start=Stopped, limit_s=0.5) as pool:
        found = {source.name: read for source, read in pool.read([(slow, b""), *asked])}
    assert "took longer than the 0.5 s" in found["slow.html"].problem
    assert sum(1 for read in found.values() if read.chunks) == 20


def test_a_page_alone_is_not_read_where_it_could_not_be_stopped():
    with Readers(1, limit_s=0.5) as pool:
        ((_, found),) = pool.read([(DocumentSource(name="slow.html", text="<a " * 80_000), b"")])
    assert "took longer" in found.problem


def test_a_reader_that_dies_is_told_of_and_replaced():
    class Dying(ProcessReader):
        def read(self, source, known):
            if source.name == "3.md":
                os.kill(self.pid, signal.SIGKILL)
            return super().read(source, known)

    asked = [(DocumentSource(name=f"{number}.md", text=f"Page {number}."), b"") for number in range(20)]
    with Readers(1, start=Dying) as pool:
        found = {source.name: read for source, read in pool.read(asked)}
    assert "stopped its reader" in found["3.md"].problem
    assert sum(1 for read in found.values() if read.chunks) == 19


def test_what_any_library_raises_becomes_a_sentence(monkeypatch):
    def raising(raw):
        raise ZeroDivisionError("inside")

    monkeypatch.setitem(files.PACKED, ".pdf", raising)
    found = files.read_source(DocumentSource(name="a.pdf", text="x"))
    assert found == SourceContent(problem="cannot be read (ZeroDivisionError: inside): save it anew")


HOSTILE = {
    "digits.txt": "1" * 250_000,
    "points.txt": "1." * 120_000,
    "heading.md": "# x" + " " * 250_000 + "y",
    "bars.md": "|" * 250_000,
    "fences.md": "```\n~~~\n" * 30_000,
    "rules.md": "=" * 120_000 + " " * 120_000 + "x",
    "ends.txt": "." + "'" * 250_000,
    "brackets.py": "(" * 250_000,
    "blocks.js": "{" * 250_000,
    "names.py": "Aa" * 120_000,
    "hanzi.txt": "披" * 80_000,
    "nested.json": "[" * 250_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_text_made_to_take_for_ever_is_read_or_refused_at_once(name):
    """Each would run for minutes or end the process where a pattern looks back, or a parser calls itself."""
    found = files.read_source(DocumentSource(name=name, text=HOSTILE[name]))
    assert found.problem or found.digest


async def test_no_question_breaks_the_search(library, index):
    await index.add([DocumentSource(name="a.md", text="The heron waits.")])
    for query in (
        "",
        "  ",
        "\ud800",
        "a" * 100_000,
        'AND OR NOT ( " * : ^',
        "\x00",
        "heron\ud800",
        "1" * 4000,
        "'; DROP",
    ):
        await library.search(query, index="kb")
    assert [each.document for each in await library.search("heron\ud800", index="kb")] == ["a.md"]


@pytest.mark.parametrize("walk", ["folder", "workspace"])
async def test_a_folder_that_a_link_takes_the_place_of_while_it_is_walked_is_not_followed(tmp_path, walk):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for place, text in ((inside / "a" / "deep", "The heron waits."), (outside / "deep", "The secret quokka.")):
        place.mkdir(parents=True)
        (place / "x.md").write_text(text)
    told = []
    if walk == "folder":
        sources = folder_sources(inside, lambda *problem: told.append(problem))
    else:
        sources = IndexedFiles(inside, lambda *problem: told.append(problem)).sources()
    source = next(iter(sources))
    assert "heron" in read_source(source).chunks[0].text
    (inside / "a").rename(tmp_path / "away")
    (inside / "a").symlink_to(outside, target_is_directory=True)
    # The name still leads to a file, and it is another one.
    assert source.path.read_text() == "The secret quokka."
    assert "cannot be read" in read_source(source).problem


def test_a_folder_behind_a_link_is_not_listed(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("The quokka.")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "a").symlink_to(tmp_path / "outside", target_is_directory=True)
    with pytest.raises(OSError), open_folder(tmp_path / "inside" / "a", tmp_path / "inside"):
        raise AssertionError("opened")


@pytest.mark.parametrize("name", ["a.pl", "a.scss", "a.rb", "a.sh", "a.json", "a.csv"])
def test_what_a_parser_reads_is_never_read_in_this_process(name):
    """Grammars take for ever on some texts, and nothing else runs in the process meanwhile."""
    read: list[str] = []

    class Told(ProcessReader):
        def read(self, source, known):
            read.append(source.name)
            return super().read(source, known)

    with Readers(1, start=Told) as pool:
        ((_, found),) = pool.read([(DocumentSource(name=name, text="one two"), b"")])
    assert found.chunks
    assert read == [name]


class Unwatched(ProcessReader):
    """As if whoever started it had been killed."""

    started = 0

    def __init__(self, limit_s):
        super().__init__(limit_s)
        Unwatched.started += 1

    def check(self) -> None:
        """Stops nothing."""


FOR_EVER = {"a.pl": "fuc#tion a(b)", "b.pl": "$(" * 127_000}
"""The scanner of Perl's grammar never comes to the end of the first; there are no words in the second."""


@pytest.mark.slow
@pytest.mark.parametrize("name", FOR_EVER)
def test_code_that_its_grammar_reads_for_ever_is_read_by_lines_and_so_is_the_next(name):
    with Readers(1, limit_s=0.5, start=Unwatched) as pool:
        ((_, slow),) = pool.read([(DocumentSource(name=name, text=FOR_EVER[name]), b"")])
        ((_, next_one),) = pool.read([(DocumentSource(name="c.pl", text="print 1;"), b"")])
    assert not slow.problem
    assert [each.text for each in slow.chunks] == ([FOR_EVER[name]] if name == "a.pl" else [])
    assert next_one.chunks


@pytest.mark.slow
def test_many_files_that_a_grammar_reads_for_ever_stop_three_processes_and_no_more():
    before = Unwatched.started
    asked = [(DocumentSource(name=f"{number}.pl", text=FOR_EVER["a.pl"]), b"") for number in range(12)]
    with Readers(1, limit_s=0.5, start=Unwatched) as pool:
        found = [content for _, content in pool.read(asked)]
    assert all(each.chunks for each in found)
    assert Unwatched.started - before <= MAX_STOPS + 1


def test_a_process_that_nobody_stops_ends_by_itself_with_the_cpu_time_of_a_document():
    with Readers(1, limit_s=1.0, start=Unwatched) as readers:
        ((_, content),) = readers.read([(DocumentSource(name="a.html", text="<a " * 300_000), b"")])
    assert content.stopped


def test_one_process_waits_for_the_next_document_and_no_more():
    started: list[ProcessReader] = []

    class Told(ProcessReader):
        def __init__(self, limit_s):
            super().__init__(limit_s)
            started.append(self)

    with Readers(2, start=Told) as pool:
        list(pool.read([(DocumentSource(name=f"{number}.py", text="x = 1"), b"") for number in range(6)]))
        assert sum(each.is_alive() for each in started) == 1
        before = len(started)
        list(pool.read([(DocumentSource(name="again.py", text="x = 2"), b"")]))
        assert len(started) == before
    assert not any(each.is_alive() for each in started)


def test_a_process_that_waited_long_enough_or_died_meanwhile_is_replaced():
    started: list[ProcessReader] = []

    class Told(ProcessReader):
        def __init__(self, limit_s):
            super().__init__(limit_s)
            started.append(self)

    asked = [(DocumentSource(name="a.py", text="x = 1"), b"")]
    with Readers(1, start=Told, idle_s=0, limit_s=60) as pool:
        list(pool.read(asked))
        started[0]._process.wait(60)
        ((_, found),) = pool.read(asked)
    assert found.chunks
    with Readers(1, start=Told) as pool:
        list(pool.read(asked))
        os.kill(started[-1].pid, signal.SIGKILL)
        started[-1]._process.wait(60)
        ((_, found),) = pool.read(asked)
    assert found.chunks
