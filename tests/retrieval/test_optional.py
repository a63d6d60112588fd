"""What still works where a library is not installed, and what is said where nothing does."""

import sys

import numpy as np
import pytest

from glassloop.core.errors import UsageError
from glassloop.retrieval import DocumentSource, Library
from glassloop.retrieval.backends.vector_index import _Rows
from glassloop.retrieval.documents import code
from glassloop.retrieval.documents.files import read_source


@pytest.fixture
def without(monkeypatch):
    def remove(name):
        monkeypatch.setitem(sys.modules, name, None)

    code.parser_of.cache_clear()
    yield remove
    code.parser_of.cache_clear()


def test_without_faiss_numpy_scans_the_vectors(without):
    without("faiss")
    rows = _Rows(8, compress_at=10)
    vectors = np.eye(8, dtype=np.float32).repeat(5, axis=0)
    rows.add(vectors)
    assert sorted(place for place, _ in rows.best(vectors[7], 5, None)) == [5, 6, 7, 8, 9]


def test_without_tree_sitter_code_is_cut_by_lines(without):
    without("tree_sitter_language_pack")
    text = "\n".join(f"def function_{number}():\n    return {number} * value\n" for number in range(200))
    found = read_source(DocumentSource(name="a.py", text=text))
    assert not found.problem
    assert len(found.chunks) > 3
    assert all(not each.headings for each in found.chunks)


@pytest.mark.parametrize(("module", "suffix"), [("pypdf", ".pdf")])
def test_a_document_whose_reader_is_not_installed_says_what_to_install(without, module, suffix):
    without(module)
    assert "install glassloop[retrieval]" in read_source(DocumentSource(name=f"a{suffix}", text="x")).problem


async def test_without_tantivy_the_caller_is_told_what_to_install(without, tmp_path):
    without("tantivy")
    async with Library(tmp_path) as library:
        with pytest.raises(UsageError, match=r"install glassloop\[retrieval\]"):
            await library.index("kb", make=True).add([DocumentSource(name="a.md", text="x")])
