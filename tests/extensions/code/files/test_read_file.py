"""`read_file`: text with its line numbers, how it is written, and what is refused."""

import codecs
import os

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core.loop.observations import OBSERVATION_CHARS
from glassloop.core.loop.policy import Profile
from glassloop.core.messages import ToolMessage
from glassloop.extensions.code.undo.kept_store import sha256_of
from glassloop.models.scripted_model import call


async def test_a_file_is_read_with_numbers_and_facts(pack):
    pack.put("src/app.py", "import os\n\nprint(os.name)\n")
    result = await pack.done("read_file", path="src/app.py")
    assert result.output == "     1\timport os\n     2\t\n     3\tprint(os.name)"
    assert result.data == {
        "path": "src/app.py", "size": 26, "lines": 3, "first_line": 1, "last_line": 3, "encoding": "utf-8",
        "newline": "lf", "sha256": sha256_of(pack.bytes("src/app.py")), "truncated": False,
    }  # fmt: skip
    assert result.metadata == {"path": "src/app.py", "size": 26}


async def test_a_part_says_what_it_is_a_part_of(pack):
    pack.put("a.txt", "".join(f"line {n}\n" for n in range(1, 11)))
    result = await pack.done("read_file", path="a.txt", first_line=4, last_line=5)
    assert result.output == "     4\tline 4\n     5\tline 5\n(Lines 4 to 5 of 10.)"
    assert (result.data["first_line"], result.data["last_line"], result.data["truncated"]) == (4, 5, False)


async def test_all_of_a_long_file_can_be_read_piece_by_piece_as_it_is_shown(pack):
    lines = [f"line {n} {'x' * (n % 90)}" for n in range(1, 1500)]
    pack.put("long.txt", "\n".join(lines) + "\n")
    first, read = 1, []
    while True:
        result = await pack.done("read_file", path="long.txt", first_line=first)
        assert len(result.output) <= OBSERVATION_CHARS
        shown = [line for line in result.output.split("\n") if "\t" in line]
        read += [line.split("\t", 1)[1] for line in shown]
        if not result.data["truncated"]:
            break
        first = result.data["last_line"] + 1
        assert f"first_line={first}." in result.output
    assert read == lines


@pytest.mark.parametrize("step_chars", [700, 3_000, 16_000])
async def test_files_read_in_one_step_say_how_to_go_on_within_what_is_shown_of_each(pack, step_chars):
    lines = [f"line {n} {'x' * (n % 50)}" for n in range(1, 3380)]
    pack.put("a.txt", "\n".join(lines) + "\n")
    pack.put("b.txt", f"{'y' * 50_000}\n{'z' * 50_000}\n")
    model = ScriptedModel([[call("read_file", path="a.txt"), call("read_file", path="b.txt")], "Read."])
    agent = Agent(model, pack.tools.values(), profile=Profile(observation_chars=step_chars))
    await agent.run("Read them.", user="ann")
    one, two = (each.content for each in model.requests[-1].messages if isinstance(each, ToolMessage))
    assert len(one) + len(two) <= max(step_chars, 600)
    *shown, note = one.split("\n")
    assert [line.partition("\t")[2] for line in shown] == lines[: len(shown)]
    assert note == f"(Lines 1 to {len(shown)} of 3,379. Go on with first_line={len(shown) + 1}.)"
    assert two.endswith("(Lines 1 to 1 of 2. Go on with first_line=2.)")


async def test_a_line_longer_than_there_is_room_is_cut_and_the_next_can_be_read(pack):
    pack.put("min.js", "x" * 200_000 + "\nend\n")
    result = await pack.done("read_file", path="min.js")
    assert "200,000 characters" in result.output
    assert len(result.output) <= OBSERVATION_CHARS
    assert "end" in (await pack.done("read_file", path="min.js", first_line=2)).output


@pytest.mark.parametrize(
    ("raw", "encoding", "newline"),
    [
        (codecs.BOM_UTF8 + "ä\n".encode(), "utf-8-sig", "lf"),
        (codecs.BOM_UTF16_LE + "ä\r\n".encode("utf-16-le"), "utf-16-le", "crlf"),
        (codecs.BOM_UTF16_BE + "ä\n".encode("utf-16-be"), "utf-16-be", "lf"),
        ("ä plain text\r\nof two lines\n".encode("utf-16-le"), "utf-16-le", "mixed"),
        ("ä\r\n".encode(), "utf-8", "crlf"),
    ],
)
async def test_marks_and_wide_text_are_recognised(pack, raw, encoding, newline):
    pack.put("a.txt", raw)
    result = await pack.done("read_file", path="a.txt")
    assert result.output.startswith("     1\tä")
    assert (result.data["encoding"], result.data["newline"]) == (encoding, newline)


async def test_an_encoding_that_does_not_fit_names_the_one_that_does(pack):
    pack.put("old.txt", "Größe\n".encode("cp1252"))
    error = await pack.refused("read_file", path="old.txt")
    assert "encoding='cp1252'" in error
    result = await pack.done("read_file", path="old.txt", encoding="cp1252")
    assert "Größe" in result.output
    for name in ("rot13", "base64", "no-such", "idna", "\0"):
        assert "There is no encoding" in await pack.refused("read_file", path="old.txt", encoding=name)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [(b"\x89PNG\r\n\x1a\n\0\0\0", "a PNG image"), (b"\x7fELF\2\1\1\0", "an ELF program"), (b"ab\0cd", "binary data")],
)
async def test_binary_is_refused_with_its_kind_and_size(pack, raw, kind):
    pack.put("blob", raw)
    error = await pack.refused("read_file", path="blob")
    assert kind in error
    assert f"{len(raw)} bytes" in error


async def test_what_cannot_be_read_is_told_in_different_sentences(pack):
    (pack.root / "folder").mkdir()
    os.mkfifo(pack.root / "pipe")
    errors = [await pack.refused("read_file", path=path) for path in ("nothing", "folder", "pipe", "folder/../..")]
    assert [error.split(":")[0] for error in errors] == [
        "There is no file or folder 'nothing' in the workspace",
        "'folder' is a folder",
        "'pipe' is no ordinary file but a device, pipe or socket",
        "'folder/../..' is outside the workspace",
    ]


async def test_too_large_and_too_many_lines_are_refused(pack):
    with pack.put("large.bin", b"").open("wb") as file:
        file.truncate(10_000_001)
    assert "10,000,000 is the limit" in await pack.refused("read_file", path="large.bin")
    pack.put("lines.txt", "\n" * 50_001)
    assert "50,000 is the limit" in await pack.refused("read_file", path="lines.txt")


async def test_bad_lines_are_told_by_name(pack):
    pack.put("a.txt", "one\ntwo\n")
    assert "there is no line 7" in await pack.refused("read_file", path="a.txt", first_line=7)
    assert "last_line 1 is before" in await pack.refused("read_file", path="a.txt", first_line=2, last_line=1)
    assert "'first_line'" in await pack.refused("read_file", path="a.txt", first_line=0)
    assert "'path'" in await pack.refused("read_file")


async def test_an_empty_file_says_so(pack):
    pack.put("empty", b"")
    result = await pack.done("read_file", path="empty")
    assert result.output == "'empty' is empty."
    assert (result.data["lines"], result.data["last_line"]) == (0, 0)


@pytest.mark.parametrize(
    "name", [".env", ".env.local", "config/.netrc", ".npmrc", ".pypirc", "keys/id_ed25519", "tls/server.pem", ".ssh/x"]
)
async def test_a_file_of_secrets_is_shown_to_a_person_first_and_never_read_without(pack, name):
    pack.put(name, "SECRET=hunter22hunter22\n")
    (pack.root / "innocent.txt").symlink_to(name)
    for path in (name, "innocent.txt"):
        error = await pack.refused("read_file", path=path)
        assert "nobody was asked" in error
        assert "hunter22" not in error
        context = pack.context()
        preview = await pack.preview("read_file", context, path=path)
        assert preview["file_path"] == name
        assert "hunter22" in (await pack.done("read_file", context, path=path)).output


@pytest.mark.parametrize("name", ["app.py", ".env.example", "id_rsa.pub", "src/secrets.py", "environment.txt"])
async def test_any_other_file_is_read_at_once(pack, name):
    pack.put(name, "text\n")
    assert await pack.preview("read_file", path=name) is None
    await pack.done("read_file", path=name)


async def test_a_session_without_a_workspace_is_told_the_remedy(pack):
    assert "start it in a folder" in await pack.refused("read_file", pack.context(user="bob"), path="a")
